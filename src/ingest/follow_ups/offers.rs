//! Unprompted offers, like a list entry for what somebody needs, and the "yes" that accepts one.

use crate::assistant::builtin::{FollowUp, NewTime, TimeChange};
use crate::assistant::powers::Power;
use crate::assistant::{self, Intent, Statement, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::NotedRule;
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::event_reminders::TRIP_REQUEST;
use crate::ingest::powers::answer;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{corrected_value, day_spoken_of, gate, limits, powers, reminder_requests};
use crate::store::Tx;

/// Handles a message that requests nothing: remembers a fact, offers a reminder for a plan, offers
/// to list a needed thing. Never in a group.
pub(in crate::ingest) fn take_statement(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let unknown = turn.possible_meanings();
    let stated = unknown.statement.clone().filter(|_| !turn.in_group());
    let unset = match may_agree(turn) {
        true => question::read_open(turn, tx)?,
        false => None,
    };
    let Some(Question::OfferedReminder { text, .. }) = unset else {
        return stated.map_or(Ok(None), |stated| answer(turn, tx, stated));
    };
    question::close(turn, tx)?;
    let reply = stated.map_or(Ok(None), |stated| answer(turn, tx, stated))?;
    Ok(reply.map(|reply| format!("{reply}\n{}", wording::offer_left(&text))))
}

/// "ok i'm out of eggs": whether the first word agrees to what was offered isn't clear.
fn may_agree(turn: &MessageTurn) -> bool {
    let consents = ["ok", "okay", "fine", "alright", "sure", "yes"];
    turn.words().begins_with(&consents)
}

/// The answer to a statement that stands beside other requests.
pub(in crate::ingest) fn answer_part(
    turn: &MessageTurn,
    tx: &mut Tx,
    stated: Statement,
) -> Result<String> {
    let not_done = match &stated {
        Statement::Fact(text)
        | Statement::Needed(text)
        | Statement::Trip(text)
        | Statement::Plan { text, .. } => wording::part_not_done(text),
        Statement::Changed(fact) => wording::part_not_done(&fact.subject),
        Statement::Plans(each) => {
            let texts: Vec<&str> = each.iter().map(|(text, _)| text.as_str()).collect();
            wording::part_not_done(&texts.join(", "))
        }
    };
    Ok(answer(turn, tx, stated)?.unwrap_or(not_done))
}

fn answer(turn: &MessageTurn, tx: &mut Tx, stated: Statement) -> Result<Option<String>> {
    Ok(match stated {
        Statement::Fact(_) | Statement::Changed(_) if !limits::may_command(turn) => {
            Some(limits::too_many(turn))
        }
        Statement::Fact(fact) => {
            let mut lines: Vec<String> = Vec::new();
            for fact in assistant::separate_facts(&fact) {
                let reply = corrected_value::remember_fact(turn, tx, fact)?;
                lines.retain(|line| !reply.lines().any(|new| new == line));
                lines.extend(reply.lines().map(str::to_owned));
            }
            Some(lines.join("\n"))
        }
        Statement::Changed(fact) => corrected_value::change_fact(turn, tx, &fact)?,
        Statement::Trip(days) if has_power(turn, tx, Power::TripPlanner)? => {
            let request = format!("{TRIP_REQUEST}{days}");
            question::ask(turn, tx, &Question::OfferedRequest(request))?;
            Some(wording::trip_offered(&days))
        }
        Statement::Needed(thing) if has_power(turn, tx, Power::TodoList)? => {
            let request = format!("add {thing} to my list");
            question::ask(turn, tx, &Question::OfferedRequest(request))?;
            Some(wording::list_offered(&thing))
        }
        Statement::Plan {
            text,
            send_at,
            recurrence,
        } if turn.possible_meanings().foreign_language.is_none() => {
            // "and dad at 7"
            let (text, send_at) = match turn.words().begins_with(&["and", "also"]) {
                true => day_spoken_of::of_plan(turn, tx, (&text, send_at))?,
                false => (text, send_at),
            };
            let new = NewTime {
                send_at,
                recurrence,
                zone: None,
            };
            Some(offer(turn, tx, text, &new)?)
        }
        Statement::Plans(each) if turn.possible_meanings().foreign_language.is_none() => {
            let pairs: Vec<(&str, Timestamp)> =
                each.iter().map(|(text, at)| (text.as_str(), *at)).collect();
            let reply = wording::reminders_offered(&pairs, turn.local_now());
            let each = each.into_iter().map(|(text, at)| (text, at.0)).collect();
            question::ask(turn, tx, &Question::OfferedReminders(each))?;
            Some(reply)
        }
        _ => None,
    })
}

fn has_power(turn: &MessageTurn, tx: &Tx, power: Power) -> Result<bool> {
    Ok(turn.flags.superpower(power) && gate::has_superpowers(turn, tx)?)
}

/// Does what was offered. `None`: nothing was, or this only asks: "yes?".
pub(super) fn accept(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let said = turn.message.text.trim();
    if said.ends_with('?') && said.split_whitespace().count() == 1 {
        return Ok(None);
    }
    let reply = match question::read_open(turn, tx)? {
        Some(Question::OfferedReminder { send_at, .. }) if send_at <= turn.now.0 => {
            wording::REMINDER_PAST.to_owned()
        }
        Some(Question::OfferedReminder {
            text,
            send_at,
            rule,
        }) => reminder_requests::set(
            turn,
            tx,
            &text,
            &NewTime {
                send_at: Timestamp(send_at),
                recurrence: rule.and_then(|rule| rule.recurrence()),
                zone: None,
            },
        )?,
        Some(Question::OfferedReminders(each)) => {
            let mut replies = Vec::new();
            for (text, at) in each {
                replies.push(match at > turn.now.0 {
                    true => reminder_requests::set(turn, tx, &text, &NewTime::at(Timestamp(at)))?,
                    false => wording::REMINDER_PAST.to_owned(),
                });
            }
            replies.join("\n")
        }
        Some(Question::OfferedRequest(request)) => answer::answer_part(turn, tx, &request)?,
        _ => return Ok(None),
    };
    question::close(turn, tx)?;
    Ok(Some(reply))
}

/// Another time for what was offered, and so a yes to it. `None`: nothing was, or this only asks.
pub(super) fn change(turn: &MessageTurn, tx: &mut Tx, to: &TimeChange) -> Result<Option<String>> {
    if turn.message.text.trim_end().ends_with('?') {
        return Ok(None);
    }
    Ok(match changed(turn, tx, to)? {
        Some((text, Ok(new))) => {
            question::close(turn, tx)?;
            Some(reminder_requests::set(turn, tx, &text, &new)?)
        }
        Some((_, Err(reply))) => Some(reply),
        None => None,
    })
}

/// Offers the last offered reminder at another time. `None`: nothing was offered.
pub(super) fn offer_at(turn: &MessageTurn, tx: &mut Tx, to: &TimeChange) -> Result<Option<String>> {
    Ok(match changed(turn, tx, to)? {
        Some((text, Ok(new))) => Some(offer(turn, tx, text, &new)?),
        Some((_, Err(reply))) => Some(reply),
        None => None,
    })
}

/// The offered reminder with the other time, or why it can't be that time.
fn changed(
    turn: &MessageTurn,
    tx: &mut Tx,
    to: &TimeChange,
) -> Result<Option<(String, std::result::Result<NewTime, String>)>> {
    let Some(Question::OfferedReminder {
        text,
        send_at,
        rule,
    }) = question::read_open(turn, tx)?
    else {
        return Ok(None);
    };
    let rule = rule.and_then(|rule| rule.recurrence());
    let new = to.of_set(Timestamp(send_at), rule.as_ref(), turn.now, turn.zone());
    Ok(Some((text, new)))
}

/// A reminder that nobody asked for.
pub(super) fn offer(
    turn: &MessageTurn,
    tx: &mut Tx,
    text: String,
    new: &NewTime,
) -> Result<String> {
    let rule = new.recurrence.as_ref();
    let reply = wording::reminder_offered(&text, new.send_at, rule, turn.local_now());
    let question = Question::OfferedReminder {
        text,
        send_at: new.send_at.0,
        rule: rule.map(NotedRule::of),
    };
    question::ask(turn, tx, &question)?;
    Ok(reply)
}

/// An offer stands until something else is said, and the question for a part of a reminder until
/// something else is requested.
pub(in crate::ingest) fn withdraw(turn: &MessageTurn, tx: &mut Tx, intent: &Intent) -> Result<()> {
    let is_undo = matches!(
        intent,
        Intent::FollowUp {
            what: FollowUp::Undo,
            ..
        }
    );
    let is_short = matches!(intent, Intent::FollowUp { .. } | Intent::Say(_)) && !is_undo;
    if is_short {
        return Ok(());
    }
    let Some(open) = question::read_open(turn, tx)? else {
        return Ok(()); // most messages
    };
    if agrees(turn, intent) {
        return Ok(());
    }
    let is_over = match open {
        Question::When { .. } | Question::What { .. } => {
            changes_something(intent) || is_another_reminder(turn, intent)
        }
        _ if turn.in_group() => false,
        // Where something is told, the answer says that it isn't set.
        Question::OfferedReminder { .. } if *intent == Intent::Unknown && may_agree(turn) => false,
        // It may be before the trip that was offered.
        Question::OfferedRequest(_) if matches!(intent, Intent::RemindBefore(_)) => false,
        Question::OfferedReminder { .. }
        | Question::OfferedReminders(_)
        | Question::OfferedRequest(_)
        | Question::Undo { .. } => true,
        _ => false,
    };
    match is_over {
        true => question::close(turn, tx),
        false => Ok(()),
    }
}

/// "sure, thanks", and "yes, and remind me at 7 to …", whose first part accepts the offer.
fn agrees(turn: &MessageTurn, intent: &Intent) -> bool {
    match intent {
        Intent::Unknown => assistant::is_consent(&turn.words()),
        Intent::Several(parts) => matches!(
            parts.first(),
            Some(Intent::FollowUp {
                what: FollowUp::Yes,
                ..
            })
        ),
        _ => false,
    }
}

/// Withdraws an open offer after a superpower did what it was asked for.
pub(in crate::ingest) fn withdraw_after_power(turn: &MessageTurn, tx: &mut Tx) -> Result<()> {
    let open_question = question::read_open(turn, tx)?;
    let is_open = matches!(
        open_question,
        Some(Question::When { .. } | Question::What { .. })
    );
    match is_open && !powers::changed_by(turn, tx, turn.message_id)?.is_empty() {
        true => question::close(turn, tx),
        false => Ok(()),
    }
}

/// Whether it is a request for another reminder that is not understood.
fn is_another_reminder(turn: &MessageTurn, intent: &Intent) -> bool {
    let lower = turn.message.text.to_lowercase();
    let asks = ["remind me", "remind us"];
    *intent == Intent::Unknown && asks.iter().any(|words| lower.contains(words))
}

/// Whether it requests a change, complete in itself.
const fn changes_something(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Several(_)
            | Intent::Remember { .. }
            | Intent::Forget { .. }
            | Intent::ForgetEverything
            | Intent::Remind { .. }
            | Intent::RemindBefore(_)
            | Intent::CancelReminders(_)
            | Intent::SetName(_)
    )
}
