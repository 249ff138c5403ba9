//! The day of what was just offered or set, for something else that is said after it with only an hour:
//! "yes and dad at 7", "and feed the cat at 7".

use super::dialog::latest;
use super::dialog::question::{self, Question};
use super::turn::MessageTurn;
use crate::assistant::builtin::FollowUp;
use crate::assistant::{self, Intent, PossibleMeanings, Statement};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::Tx;

/// What was just offered or set.
struct LatestPlan {
    text: String,
    send_at: Timestamp,
}

/// "yes and dad at 7": the second request on the day of what the first accepts.
pub(super) fn of_requests(
    turn: &MessageTurn,
    tx: &mut Tx,
    mut requests: Vec<Intent>,
) -> Result<Vec<Intent>> {
    let [
        Intent::FollowUp {
            what: FollowUp::Yes,
            ..
        },
        other,
    ] = requests.as_mut_slice()
    else {
        return Ok(requests); // most messages
    };
    if let Intent::Unclear(_) = other
        && let Some(request) = more_for_list(turn, tx)?
    {
        *other = Intent::Power(request);
        return Ok(requests);
    }
    match other {
        Intent::Remind {
            text,
            send_at,
            zone: None,
            recurrence: None,
        } => (*text, *send_at) = of_plan(turn, tx, (text, *send_at))?,
        Intent::Power(said) => {
            let calls = turn.recognise(said).calls;
            let keeps_plan = calls.iter().any(|call| call.action.keeps_plan());
            if keeps_plan
                && let Some(spoken_of) = spoken_of(turn, tx)?
                && assistant::only_hour(said).is_some()
                && is_later_day(turn, spoken_of.send_at, turn.now)
            {
                let day = spoken_of.send_at.utc().with_timezone(&turn.zone());
                *said = format!("{said} on {}", day.format("%-d %B"));
            }
        }
        _ => {}
    }
    Ok(requests)
}

/// "yes and sponges" where detergent was offered for the list: the request for what is added.
fn more_for_list(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(Question::OfferedRequest(offered)) = question::read_open(turn, tx)? else {
        return Ok(None);
    };
    let is_for_list = offered.starts_with("add ") && offered.ends_with(" to my list");
    let text = turn.message.text.trim();
    let Some((_, more)) = text.split_once(" and ").filter(|_| is_for_list) else {
        return Ok(None);
    };
    let words = turn.words_of(more);
    let is_talk = words.has_any(&[
        "then", "now", "later", "so", "no", "not", "that", "this", "again", "too", "also", "more",
        "ok", "hurry", "congrats", "please", "thanks", "quick", "quickly", "fast", "call", "tell",
        "ask", "text", "send", "email", "book",
    ]);
    if is_talk || assistant::with_other_person("call ana", more).is_some() {
        return Ok(None);
    }
    let needed = PossibleMeanings::read(&turn.context_of(&format!("i need {more}"))).statement;
    Ok(match needed {
        Some(Statement::Needed(thing)) => Some(format!("add {thing} to my list")),
        _ => None,
    })
}

/// A plan whose time names no day, on the day of what was just offered or set.
pub(super) fn of_plan(
    turn: &MessageTurn,
    tx: &mut Tx,
    (text, send_at): (&str, Timestamp),
) -> Result<(String, Timestamp)> {
    let as_said = (text.to_owned(), send_at);
    let said = &turn.message.text;
    // "and i have a call at 3 pm" says all of it.
    let of_sentence = ["i", "im", "ive", "we", "have", "need", "must", "is", "are"];
    if turn.words_of(said).has_any(&of_sentence) {
        return Ok(as_said);
    }
    let Some(hour) = assistant::only_hour(said).filter(|_| !says_remind(said)) else {
        return Ok(as_said);
    };
    let Some(first) = spoken_of(turn, tx)? else {
        return Ok(as_said);
    };
    let text = assistant::with_other_person(&first.text, text).unwrap_or(as_said.0);
    if !is_later_day(turn, first.send_at, send_at) {
        return Ok((text, send_at));
    }
    let new = hour.of_set(first.send_at, None, turn.now, turn.zone());
    Ok((text, new.map_or(send_at, |new| new.send_at)))
}

/// A request for a reminder says all of it.
fn says_remind(text: &str) -> bool {
    text.to_lowercase().contains("remind")
}

fn is_later_day(turn: &MessageTurn, one: Timestamp, other: Timestamp) -> bool {
    let day = |at: Timestamp| at.utc().with_timezone(&turn.zone()).date_naive();
    day(one) > day(other)
}

fn spoken_of(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<LatestPlan>> {
    if let Some(Question::OfferedReminder {
        text,
        send_at,
        rule: None,
    }) = question::read_open(turn, tx)?
    {
        let send_at = Timestamp(send_at);
        return Ok(Some(LatestPlan { text, send_at }));
    }
    if !latest::is_of_last_message(turn, tx)? {
        return Ok(None);
    }
    let latest = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
    let last = latest.and_then(|latest| latest.changes.set.into_iter().next_back());
    Ok(last
        .filter(|last| last.recurrence().is_none())
        .map(|last| LatestPlan {
            text: last.text,
            send_at: Timestamp(last.send_at),
        }))
}
