//! Sets and changes reminders as a person asked for it, and says so.

use std::ops::Range;

use super::open_reminders::{self, ReminderRefusal, ReminderRequest};
use super::referent;
use super::reply;
use super::turn::MessageTurn;
use crate::assistant::builtin::NewTime;
use crate::assistant::{self, Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::recurrence::{LEFT_OUT_MAX, Recurrence};
use crate::store::{Reminder, Tx};

const MINUTE_MS: i64 = 60_000;
/// Times of one reminder in one day.
const TIMES_MAX: usize = 300;

/// Sets the requested reminders, one or several, or says why not.
pub(super) fn set_requested(turn: &MessageTurn, tx: &mut Tx, request: Intent) -> Result<String> {
    let requests = match request {
        Intent::Several(requests) => requests,
        one => vec![one],
    };
    if let Some(doubt) = doubt_about(turn, tx, &requests)? {
        return Ok(doubt);
    }
    let mut replies = Vec::new();
    for request in requests {
        if let Intent::Remind {
            text,
            send_at,
            zone,
            recurrence,
        } = request
        {
            let time = NewTime {
                send_at,
                recurrence,
                zone,
            };
            replies.push(set(turn, tx, &text, &time)?);
        }
    }
    Ok(replies.join("\n"))
}

/// The reply instead of setting the reminders among these requests: a relay that delivers reminders
/// itself takes one per message, and a text may have another request.
pub(super) fn doubt_about(
    turn: &MessageTurn,
    tx: &Tx,
    requests: &[Intent],
) -> Result<Option<String>> {
    let texts = requests.iter().filter_map(|request| match request {
        Intent::Remind { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    if turn.agent.is_none() && texts.len() > 1 {
        return Ok(Some(wording::ONE_REQUEST_ONLY.to_owned()));
    }
    for text in texts {
        if let Some(question) = ask_about_second(turn, tx, text)? {
            return Ok(Some(question));
        }
    }
    Ok(None)
}

/// "run, cancel gym" as the text of a new reminder, where a reminder about gym is known: a part of
/// the text, or another request?
fn ask_about_second(turn: &MessageTurn, tx: &Tx, text: &str) -> Result<Option<String>> {
    let second = assistant::second_request(text).filter(|_| !turn.by_model);
    let Some((second, about)) = second else {
        return Ok(None);
    };
    let is_known = !referent::find_named(turn, tx, &about)?.is_empty();
    Ok(is_known.then(|| wording::second_request_unsure(&second)))
}

/// The service delivers the reminder if the relay has a queue; otherwise the relay does.
pub(super) fn set(turn: &MessageTurn, tx: &mut Tx, text: &str, time: &NewTime) -> Result<String> {
    let (now, send_at) = (turn.now, time.send_at);
    let request = ReminderRequest {
        text,
        send_at,
        recurrence: time.recurrence.as_ref(),
    };
    let reminder = match open_reminders::set(turn, tx, &request)? {
        Ok(reminder) => reminder,
        Err(ReminderRefusal::TooMany) => {
            let rule = time.recurrence.as_ref();
            return Ok(wording::reminders_full(
                text,
                send_at,
                rule,
                turn.local_now(),
            ));
        }
        Err(ReminderRefusal::NoQueue) => return Ok(wording::REMINDER_REPEATS_NOT_HERE.to_owned()),
    };
    let is_own = turn.agent.is_some();
    let mut reply = match &time.recurrence {
        Some(recurrence) => wording::recurring_reminder_set(text, recurrence, turn.local_now()),
        None => wording::reminder_set(text, is_own, send_at, turn.local_now(), time.zone),
    };
    let focus = match is_own && !turn.in_group() {
        true => turn.ingest.focus_until(tx, turn.user.id, now)?,
        false => None,
    };
    if let Some(until) = focus.filter(|until| send_at < *until) {
        reply.push(' ');
        reply.push_str(&wording::after_focus(until, turn.local_now()));
    }
    // An answer carries one reminder: the first.
    if turn.schedule.get().is_none() {
        let _ = turn.schedule.set(reply::schedule(turn, tx, &reminder)?);
    }
    Ok(reply)
}

pub(super) fn move_to(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    new: &NewTime,
) -> Result<String> {
    let request = ReminderRequest {
        text: &reminder.text,
        send_at: new.send_at,
        recurrence: new.recurrence.as_ref(),
    };
    change(turn, tx, reminder, &request)
}

/// Changes it and says how it is now.
pub(super) fn change(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    to: &ReminderRequest,
) -> Result<String> {
    let minute = |at: Timestamp| at.0.div_euclid(MINUTE_MS);
    let is_so = reminder.text == to.text
        && minute(reminder.send_at) == minute(to.send_at)
        && reminder.recurrence.as_ref() == to.recurrence;
    if is_so {
        return Ok(wording::is_already_so(
            to.text,
            to.send_at,
            to.recurrence,
            turn.local_now(),
        ));
    }
    let changed = open_reminders::change(turn, tx, reminder, to)?;
    Ok(wording::reminder_moved(
        &changed.text,
        changed.send_at,
        changed.recurrence.as_ref(),
        turn.local_now(),
    ))
}

/// Leaves out the times of a repeating reminder within a span. `None`: it has none in it.
pub(super) fn skip(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    span: &Range<Timestamp>,
) -> Result<Option<String>> {
    let Some(recurrence) = reminder.recurrence.as_ref() else {
        return Ok(None);
    };
    let times = recurrence.within(span, TIMES_MAX);
    let Some(last) = times.last() else {
        return Ok(None);
    };
    if !span.contains(&reminder.send_at) {
        return skip_later(turn, tx, reminder, (recurrence, &times), span);
    }
    let Some((next, at)) = recurrence.progress(*last).next else {
        open_reminders::cancel(turn, tx, std::slice::from_ref(reminder))?;
        return Ok(Some(wording::last_time_skipped(&reminder.text)));
    };
    let new = NewTime {
        send_at: at,
        recurrence: Some(next),
        zone: None,
    };
    move_to(turn, tx, reminder, &new)?;
    Ok(Some(wording::time_skipped(
        &reminder.text,
        (reminder.send_at, at),
        turn.local_now(),
    )))
}

/// Leaves out these times, which come after the next one.
fn skip_later(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    (recurrence, times): (&Recurrence, &[Timestamp]),
    span: &Range<Timestamp>,
) -> Result<Option<String>> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Ok(None);
    };
    let Some(fewer) = recurrence.without(span) else {
        return Ok(Some(wording::too_many_skipped(
            &reminder.text,
            reminder.send_at,
            LEFT_OUT_MAX,
            turn.local_now(),
        )));
    };
    let new = NewTime {
        send_at: reminder.send_at,
        recurrence: Some(fewer),
        zone: None,
    };
    move_to(turn, tx, reminder, &new)?;
    Ok(Some(wording::later_times_skipped(
        &reminder.text,
        (*first, *last),
        reminder.send_at,
        turn.local_now(),
    )))
}
