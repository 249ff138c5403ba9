//! Leaving out times of a repeating reminder: "skip tomorrow", "not on monday".

use std::ops::Range;

use super::{Referent, referent, subject};
use crate::assistant::builtin::{ReminderRef, TimeChange};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{listing, open_reminders, reminder_requests};
use crate::store::{Reminder, Tx};

/// `day`: `None` for the next time. `None`: nothing is meant that repeats.
pub(super) fn skip(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    which: &ReminderRef,
    day: Option<&Range<Timestamp>>,
) -> Result<Option<String>> {
    let comes = |reminder: &Reminder| {
        let is_on = |day| !reminder.moments(day, 1).is_empty();
        reminder.recurrence.is_some() && day.is_none_or(is_on)
    };
    let mut repeating = match referent::resolve(turn, tx, which)? {
        Some(Referent::Open(open)) => open,
        _ => Vec::new(),
    };
    repeating.retain(comes);
    if repeating.is_empty() && *which == ReminderRef::Latest {
        repeating = open_reminders::here(turn, tx)?;
        repeating.retain(comes);
    }
    let timezone = turn.timezone();
    if let (true, Some(day)) = (repeating.is_empty(), day)
        && let Some(once) = only_on(turn, tx, which, day)?
    {
        open_reminders::cancel(turn, tx, std::slice::from_ref(&once))?;
        let once = std::slice::from_ref(&once);
        return Ok(Some(wording::reminders_cancelled(&listing::listed(once))));
    }
    match repeating.as_slice() {
        [] if *which == ReminderRef::Latest || day.is_some() && !turn.in_group() => {
            let about = match which {
                ReminderRef::About(about) => Some(about.as_str()),
                _ => None,
            };
            Ok(Some(wording::nothing_to_skip(about)))
        }
        [] => Ok(None),
        [only] => {
            let next = only.send_at..only.send_at.plus_ms(1);
            let day = day.unwrap_or(&next);
            let skipped = reminder_requests::skip(turn, tx, only, day)?;
            Ok(Some(skipped.unwrap_or_else(|| {
                wording::only_next_skipped(&only.text, only.send_at, turn.now, timezone)
            })))
        }
        several => {
            let how = "with a word of it, like “skip my run reminder tomorrow”";
            listing::ask_which(turn, tx, how, several).map(Some)
        }
    }
}

/// Leaves out a day of the reminder that was named last. `None`: it doesn't come again then.
pub(super) fn skip_last(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    day: &Range<Timestamp>,
    or_each: Option<&TimeChange>,
) -> Result<Option<String>> {
    if subject::is_another(turn, tx)? {
        return Ok(None);
    }
    let Some(Referent::Open(open)) = referent::find_last(turn, tx)? else {
        return Ok(None);
    };
    let [only] = open.as_slice() else {
        return Ok(None);
    };
    let Some(first) = only.moments(day, 1).first().copied() else {
        return Ok(None);
    };
    let Some(recurrence) = only.recurrence.as_ref() else {
        return Ok(None);
    };
    let comes_otherwise = |to: &TimeChange| {
        to.of_set(only.send_at, Some(recurrence), turn.now, turn.zone())
            .is_ok()
    };
    let is_next = day.contains(&only.send_at);
    let (now, timezone) = (turn.now, turn.timezone());
    Ok(Some(match or_each.is_some_and(comes_otherwise) {
        true if is_next => wording::skipped_once_or_always(first, now, timezone),
        true => wording::skipped_always_or_not(&only.text, (only.send_at, first), now, timezone),
        false => match reminder_requests::skip(turn, tx, only, day)? {
            Some(skipped) => skipped,
            None => wording::only_next_skipped(&only.text, only.send_at, now, timezone),
        },
    }))
}

/// The only reminder of that name that comes on that day, and no other: "skip tomorrow's alarm".
fn only_on(
    turn: &MessageTurn<'_>,
    tx: &Tx<'_>,
    which: &ReminderRef,
    day: &Range<Timestamp>,
) -> Result<Option<Reminder>> {
    if !matches!(which, ReminderRef::About(_)) {
        return Ok(None);
    }
    let mut open = match referent::resolve(turn, tx, which)? {
        Some(Referent::Open(open)) => open,
        _ => return Ok(None),
    };
    open.retain(|one| one.recurrence.is_none() && day.contains(&one.send_at));
    match open.len() {
        1 => Ok(open.pop()),
        _ => Ok(None),
    }
}
