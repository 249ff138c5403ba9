//! Another reminder in the place of one: "make it 7 and call dad", "call eve at 8pm instead".

use super::changes::change_each;
use super::{Referent, referent};
use crate::assistant::builtin::TimeChange;
use crate::assistant::wording;
use crate::error::Result;
use crate::ingest::open_reminders::{self, ReminderRequest};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{listing, reminder_requests};
use crate::store::{Reminder, Tx};

/// "pay rent on the 3rd instead": another time for the reminder with these words. Where none has
/// them but the last one, that gets the time and the text.
pub(super) fn in_place(
    turn: &MessageTurn,
    tx: &mut Tx,
    to: Option<&TimeChange>,
    text: &str,
) -> Result<Option<String>> {
    let last = match referent::find_last(turn, tx)? {
        Some(Referent::Open(last)) => last,
        _ => Vec::new(),
    };
    let named = open_reminders::matching(turn, tx, Some(text), None)?;
    let is_last = |one: &Reminder| last.iter().any(|last| last.schedule_id == one.schedule_id);
    match (to, named.as_slice()) {
        (Some(to), [other]) if !is_last(other) => change_each(turn, tx, &named, to).map(Some),
        (Some(_), [_, _, ..]) if !named.iter().any(is_last) => {
            let how = "with its number, like “move 2 to friday”";
            Ok(Some(listing::ask_which(turn, tx, how, &named)?))
        }
        (Some(to), []) => match at_that_time(turn, tx, &last, to)? {
            // "at 5 to call dan instead" may be in place of what comes at 5.
            Some(other) => {
                let both: Vec<Reminder> = last.into_iter().chain([other]).collect();
                let how = "with a word of it, like “rename my swim reminder to …”";
                listing::ask_which(turn, tx, how, &both).map(Some)
            }
            None => replace(turn, tx, Some(to), text),
        },
        _ => replace(turn, tx, to, text),
    }
}

/// The reminder of this chat that comes at the new time already, and isn't the last one.
fn at_that_time(
    turn: &MessageTurn,
    tx: &mut Tx,
    last: &[Reminder],
    to: &TimeChange,
) -> Result<Option<Reminder>> {
    let [last] = last else {
        return Ok(None);
    };
    let rule = last.recurrence.as_ref();
    let Ok(new) = to.of_set(last.send_at, rule, turn.now, turn.zone()) else {
        return Ok(None);
    };
    let is_other = |one: &Reminder| {
        let is_once = one.recurrence.is_none() && new.recurrence.is_none();
        let is_here = one.room == last.room && one.schedule_id != last.schedule_id;
        is_once && is_here && one.send_at == new.send_at
    };
    Ok(open_reminders::here(turn, tx)?.into_iter().find(is_other))
}

/// Another text for the last one, and another time where one is said.
pub(super) fn replace(
    turn: &MessageTurn,
    tx: &mut Tx,
    to: Option<&TimeChange>,
    text: &str,
) -> Result<Option<String>> {
    let Some(Referent::Open(open)) = referent::find_last(turn, tx)? else {
        return Ok(None);
    };
    let [reminder] = open.as_slice() else {
        return Ok(None);
    };
    let recurrence = reminder.recurrence.as_ref();
    let new = to.map(|to| to.of_set(reminder.send_at, recurrence, turn.now, turn.zone()));
    let new = match new.transpose() {
        Ok(Some(new)) if new.recurrence.is_some() && turn.agent.is_none() => {
            return Ok(Some(wording::REMINDER_REPEATS_NOT_HERE.to_owned()));
        }
        Ok(new) => new,
        Err(reply) => return Ok(Some(reply)),
    };
    let request = match &new {
        Some(new) => ReminderRequest {
            text,
            send_at: new.send_at,
            recurrence: new.recurrence.as_ref(),
        },
        None => ReminderRequest {
            text,
            send_at: reminder.send_at,
            recurrence,
        },
    };
    reminder_requests::change(turn, tx, reminder, &request).map(Some)
}
