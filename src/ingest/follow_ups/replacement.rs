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
        _ => replace(turn, tx, to, text),
    }
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
