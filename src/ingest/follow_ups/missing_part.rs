//! Answers to questions for a part that was missing: what to remind of, what a superpower lacks.

use super::subject;
use crate::assistant::builtin::{NAME_IS, NewTime, REMINDER_TO_CANCEL, TIME_ZONE_IS};
use crate::assistant::powers::{AnswerKind, are_people};
use crate::assistant::{self, Intent, Statement, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::powers::answer as power_answer;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{
    event_reminders, powers, referent, reminder_cancellation, reminder_requests, settings,
};
use crate::store::{MessageRow, Tx};

/// The answer to the question what to remind of. After other talk only something to do is one.
pub(in crate::ingest) fn answer_what(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(Question::What { send_at, rule }) = question::read_open(turn, tx)? else {
        return Ok(None);
    };
    let is_task = || assistant::begins_with_task(&turn.words());
    let meanings = turn.possible_meanings();
    if meanings.reply_to_talk.is_some()
        || meanings.asks_for_list
        || !question::was_just_asked(turn, tx)? && !is_task()
    {
        return Ok(None); // talk
    }
    let text = assistant::reminder_answer(&turn.words());
    let new = NewTime {
        send_at: Timestamp(send_at),
        recurrence: rule.and_then(|rule| rule.recurrence()),
        zone: None,
    };
    if let Some(reply) = with_hour_of_answer(turn, tx, &new)? {
        return Ok(Some(reply));
    }
    // "for an hour"
    let is_linked = turn.words().begins_with(&["for"]);
    if is_linked && assistant::is_time_answer(&format!("in {text}")) {
        return Ok(None);
    }
    if text.is_empty() || new.send_at <= turn.now {
        return Ok(None);
    }
    question::close(turn, tx)?;
    Ok(Some(reminder_requests::set(turn, tx, &text, &new)?))
}

/// "call bo at 5" after "remind me tomorrow": tomorrow at 5.
fn with_hour_of_answer(turn: &MessageTurn, tx: &mut Tx, asked: &NewTime) -> Result<Option<String>> {
    let said = &turn.message.text;
    let plan = turn.possible_meanings().statement.clone();
    let Some(Statement::Plan {
        text,
        recurrence: None,
        ..
    }) = plan.filter(|_| asked.recurrence.is_none())
    else {
        return Ok(None);
    };
    let Some(hour) = assistant::only_hour(said) else {
        return Ok(None);
    };
    let Ok(new) = hour.of_set(asked.send_at, None, turn.now, turn.zone()) else {
        return Ok(None);
    };
    question::close(turn, tx)?;
    reminder_requests::set(turn, tx, &text, &new).map(Some)
}

/// The answer to the question what a request lacks: "milk", "8, 14 and 20".
pub(in crate::ingest) fn answer_rest(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(Question::Rest {
        before,
        after,
        answer,
    }) = question::read_open(turn, tx)?
    else {
        return Ok(None);
    };
    if was_changed_since_asked(turn, tx)? || was_said_much_since(turn, tx)? {
        return Ok(None);
    }
    let rest = assistant::missing_part(&turn.words());
    let rest = match (answer, rest.strip_prefix("to ")) {
        (AnswerKind::Time, _) => assistant::answered_time(&rest),
        // "to rome" after "plan a trip to"
        (AnswerKind::Any, Some(bare)) if before.ends_with(" to ") => bare.to_owned(),
        _ => rest,
    };
    let is_one = match answer {
        AnswerKind::Any => !rest.is_empty() && turn.possible_meanings().reply_to_talk.is_none(),
        AnswerKind::Time => assistant::is_time_answer(&rest),
        AnswerKind::Day if assistant::is_time_answer(&rest) && !assistant::names_day(&rest) => {
            let is_asked = question::was_just_asked(turn, tx)?;
            return Ok(is_asked.then(|| wording::DAY_NEEDED.to_owned()));
        }
        AnswerKind::Day => assistant::is_time_answer(&rest),
        AnswerKind::People => are_people(&rest),
    };
    if !is_one {
        return Ok(None);
    }
    let after = match answer == AnswerKind::Day && assistant::names_hour(&rest) {
        true => String::new(),
        false => after,
    };
    if before == assistant::ANYTHING_TO_REMIND {
        return answer_all(turn, tx, &format!("{before}{rest}"));
    }
    if before == REMINDER_TO_CANCEL {
        return cancel_named(turn, tx, &rest);
    }
    if [TIME_ZONE_IS, NAME_IS].contains(&before.as_str()) {
        return answer_setting(turn, tx, &format!("{before}{rest}"));
    }
    let reply = match before.starts_with("remind me ") {
        true => remind_with(turn, tx, (&before, &rest, &after))?,
        false => power_answer::answer_text(turn, tx, &format!("{before}{rest}{after}"))?,
    };
    // The reply may ask for the next part.
    let is_same = matches!(
        question::read_open(turn, tx)?,
        Some(Question::Rest { before: asked, .. }) if asked == before
    );
    if reply.is_some() && is_same {
        question::close(turn, tx)?;
    }
    Ok(reply)
}

/// Whether it was asked which reminder to cancel.
pub(super) fn asks_which(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    Ok(matches!(
        question::read_open(turn, tx)?,
        Some(Question::Rest { before, .. }) if before == REMINDER_TO_CANCEL
    ))
}

/// The answer to the question which reminder to cancel. `None`: there is none of that name.
fn cancel_named(turn: &MessageTurn, tx: &mut Tx, name: &str) -> Result<Option<String>> {
    let links = ["the one about ", "the one to ", "the one for "];
    let bare = links.iter().find_map(|link| name.strip_prefix(link));
    let name = bare.unwrap_or(name);
    if !question::was_just_asked(turn, tx)? || referent::find_named(turn, tx, name)?.is_empty() {
        return Ok(None);
    }
    question::close(turn, tx)?;
    match turn
        .understand_own(&format!("{REMINDER_TO_CANCEL}{name}"))
        .unless_follow_up()
    {
        Intent::CancelReminders(request) => {
            reminder_cancellation::cancel_requested(turn, tx, request).map(Some)
        }
        _ => Ok(None),
    }
}

/// The answer to the question for the time zone or for the name.
fn answer_setting(turn: &MessageTurn, tx: &mut Tx, request: &str) -> Result<Option<String>> {
    if !question::was_just_asked(turn, tx)? {
        return Ok(None);
    }
    let reply = match turn.understand_own(request) {
        Intent::SetTimezone(zone) => settings::set_time_zone(turn, tx, zone)?,
        Intent::SetName(name) => settings::set_name(turn, tx, &name)?,
        _ => return Ok(None),
    };
    question::close(turn, tx)?;
    Ok(Some(reply))
}

/// The answer to the question what to remind of, and when: either of both, or both. `None`: it is
/// something else.
fn answer_all(turn: &MessageTurn, tx: &mut Tx, request: &str) -> Result<Option<String>> {
    let words = turn.words();
    let is_task = words.begins_with(&["of", "about"]) || assistant::begins_with_task(&words);
    let understood = turn.understand_own(request);
    let is_answer = match &understood {
        Intent::Remind { .. } | Intent::Several(_) | Intent::AskWhat { .. } => true,
        Intent::AskWhen { .. } => is_task,
        _ => false,
    };
    if !is_answer || !question::was_just_asked(turn, tx)? {
        return Ok(None);
    }
    question::close(turn, tx)?;
    match understood {
        Intent::AskWhen { ref reply, .. } | Intent::AskWhat { ref reply, .. } => {
            question::ask_about(turn, tx, &understood)?;
            Ok(Some(reply.clone()))
        }
        request => reminder_requests::set_requested(turn, tx, request).map(Some),
    }
}

/// "after lunch tomorrow" is the answer to "When?", no booking.
pub(in crate::ingest) fn answer_after(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let links = ["after", "before", "around", "during"];
    match turn.words().begins_with(&links) {
        true => answer_when(turn, tx),
        false => Ok(None),
    }
}

/// The answer to the question when that is no time alone: "at 5 and at 7", "after dinner".
pub(in crate::ingest) fn answer_when(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(Question::When { text, month: None }) = question::read_open(turn, tx)? else {
        return Ok(None); // most messages
    };
    if !question::is_last(turn, tx)? || subject::asks_about_day(turn, tx, false)? {
        return Ok(None);
    }
    let request = assistant::request_with_answer(&turn.words(), &text);
    let Some(request) = request else {
        return Ok(None);
    };
    // "monday for Lindt", "monday at 10, and tuesday to call bo": more than the time was said.
    let is_own = |intent: &Intent| match intent {
        Intent::Remind { text: set, .. } => {
            set.eq_ignore_ascii_case(&text) || !set.to_lowercase().ends_with(&text.to_lowercase())
        }
        _ => true,
    };
    let understood = turn.understand_own(&request);
    let are_own = match &understood {
        Intent::Several(each) => each.iter().all(is_own),
        one => is_own(one),
    };
    if !are_own {
        return Ok(Some(wording::only_the_time(&text)));
    }
    match understood {
        Intent::AskWhen { reply, .. } | Intent::Unclear(reply) => Ok(Some(reply)),
        // "tomorrow after breakfast"
        ref request @ Intent::AskRest { ref reply, .. } => {
            question::ask_about(turn, tx, request)?;
            Ok(Some(reply.clone()))
        }
        request @ (Intent::Remind { .. } | Intent::Several(_)) => {
            question::close(turn, tx)?;
            reminder_requests::set_requested(turn, tx, request).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether the last message changed something after the question: then nothing completes it.
fn was_changed_since_asked(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    let asked_at = tx.question(turn.room.id, turn.user.id)?;
    let asked_at = asked_at.map(|(_, at)| at);
    let last = turn.previous_message(tx)?;
    let is_later = |last: &MessageRow| asked_at.is_some_and(|asked_at| last.received_at > asked_at);
    Ok(match last.filter(is_later) {
        Some(last) => !powers::changed_by(turn, tx, last.id)?.is_empty(),
        None => false,
    })
}

/// "8am and 1pm and 7pm" for "8am 1pm 7pm" and "8/13/19". `None`: it is written otherwise.
fn listed_hours(text: &str) -> Option<String> {
    let hours: Vec<&str> = text
        .split([' ', '/', ','])
        .filter(|part| !part.is_empty())
        .collect();
    let is_hour = |hour: &&str| hour.starts_with(|c: char| c.is_ascii_digit());
    (hours.len() > 1 && hours.iter().all(is_hour)).then(|| hours.join(" and "))
}

/// Whether so much was said after the question that a time answers it no more.
fn was_said_much_since(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    const SAID_MAX: usize = 3;
    let (Some((_, asked_at)), Some(head)) =
        (tx.question(turn.room.id, turn.user.id)?, turn.room.head)
    else {
        return Ok(false);
    };
    let messages = tx.view().chain(head, SAID_MAX + 1)?;
    let since = messages.iter().filter(|one| one.received_at > asked_at);
    Ok(since.count() > SAID_MAX)
}

/// A reminder whose times were asked for: "at 8, 14 and 20" between these words.
fn remind_with(
    turn: &MessageTurn,
    tx: &mut Tx,
    (before, rest, after): (&str, &str, &str),
) -> Result<Option<String>> {
    let rest = ["every day ", "every ", "on ", "at "].iter().fold(
        rest.trim_end_matches('.'),
        |rest, link| {
            let begins = rest.get(..link.len());
            match begins.is_some_and(|begins| begins.eq_ignore_ascii_case(link)) {
                true => &rest[link.len()..],
                false => rest,
            }
        },
    );
    let rest = &listed_hours(rest).unwrap_or_else(|| rest.to_owned());
    let understood = turn.understand_own(&format!("{before}{rest}{after}"));
    if let Intent::RemindBefore(request) = &understood {
        let plans = event_reminders::known(turn, tx)?;
        return match request.known(&plans).1.is_empty() {
            true => Ok(None),
            false => event_reminders::remind(turn, tx, request).map(Some),
        };
    }
    let recurs = |intent: &Intent| {
        matches!(
            intent,
            Intent::Remind {
                recurrence: Some(_),
                ..
            }
        )
    };
    let is_time = rest.starts_with(|c: char| c.is_ascii_digit());
    let is_sure = match &understood {
        Intent::Several(each) => each.iter().all(recurs),
        Intent::Remind { .. } if is_time && !before.starts_with("remind me every ") => true,
        one => recurs(one),
    };
    match is_sure {
        true => reminder_requests::set_requested(turn, tx, understood).map(Some),
        false => Ok(None),
    }
}
