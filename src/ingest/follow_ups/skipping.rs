//! Leaving out times of a repeating reminder: "skip tomorrow", "not on monday".

use std::ops::Range;

use super::{Referent, referent, subject};
use crate::assistant::builtin::{ReminderRef, TimeChange, by_years};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{listing, open_reminders, reminder_requests};
use crate::store::{Reminder, Tx};

/// `day`: `None` for the next time. `None`: nothing is meant that repeats.
pub(super) fn skip(
    turn: &MessageTurn,
    tx: &mut Tx,
    which: &ReminderRef,
    day: Option<&Range<Timestamp>>,
) -> Result<Option<String>> {
    let mut repeating = match referent::resolve(turn, tx, which)? {
        Some(Referent::Open(open)) => open,
        _ => Vec::new(),
    };
    let coming = day.and_then(|day| of_next_year(day, &repeating, turn));
    let day = coming.as_ref().or(day);
    let comes = |reminder: &Reminder| comes_on(reminder, day);
    repeating.retain(comes);
    if repeating.is_empty() && *which == ReminderRef::Latest {
        repeating = open_reminders::here(turn, tx)?;
        repeating.retain(comes);
    }
    if repeating.is_empty()
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
            reminder_requests::skip(turn, tx, only, day)
        }
        several => {
            let how = "with a word of it, like “skip my run reminder tomorrow”";
            listing::ask_which(turn, tx, how, several).map(Some)
        }
    }
}

fn comes_on(reminder: &Reminder, day: Option<&Range<Timestamp>>) -> bool {
    let is_on = |day| !reminder.moments(day, 1).is_empty();
    reminder.recurrence.is_some() && day.is_none_or(is_on)
}

/// A day that was lately is that of next year where a reminder comes then next: each year.
fn of_next_year(
    day: &Range<Timestamp>,
    repeating: &[Reminder],
    turn: &MessageTurn,
) -> Option<Range<Timestamp>> {
    if day.end > turn.now {
        return None;
    }
    let coming = by_years(day, 1, turn.zone())?;
    repeating
        .iter()
        .any(|one| one.recurrence.is_some() && coming.contains(&one.send_at))
        .then_some(coming)
}

/// Leaves out a day of the reminder that was named last. `None`: it doesn't come again then.
pub(super) fn skip_last(
    turn: &MessageTurn,
    tx: &mut Tx,
    day: &Range<Timestamp>,
    or_each: Option<&TimeChange>,
) -> Result<Option<String>> {
    if subject::is_another(turn, tx)? {
        return Ok(None);
    }
    if let Some(question) = ask_which_of_day(turn, tx, day)? {
        return Ok(Some(question));
    }
    let Some(Referent::Open(open)) = referent::find_last(turn, tx)? else {
        return Ok(None);
    };
    let [only] = open.as_slice() else {
        return Ok(None);
    };
    let coming = of_next_year(day, std::slice::from_ref(only), turn);
    let day = coming.as_ref().unwrap_or(day);
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
    Ok(Some(match or_each.is_some_and(comes_otherwise) {
        true => wording::skipped_once_or_always(first, turn.local_now()),
        false => return reminder_requests::skip(turn, tx, only, day),
    }))
}

/// After a reminder has come, "not this saturday" may mean another one that comes on Saturday: which?
fn ask_which_of_day(
    turn: &MessageTurn,
    tx: &mut Tx,
    day: &Range<Timestamp>,
) -> Result<Option<String>> {
    let latest = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
    let Some(came) = latest.filter(|latest| latest.event == ItemEvent::Delivered) else {
        return Ok(None);
    };
    let mut of_day = open_reminders::here(turn, tx)?;
    of_day.retain(|one| one.room == turn.room.id && !one.moments(day, 1).is_empty());
    let is_other = |one: &Reminder| {
        let mut came = came.reminders.iter();
        came.all(|other| other.schedule_id != one.schedule_id)
    };
    match of_day.iter().any(is_other) {
        true => {
            let how = "with a word of it, like “skip my run reminder on saturday”";
            listing::ask_which(turn, tx, how, &of_day).map(Some)
        }
        false => Ok(None),
    }
}

/// The only reminder of that name that comes on that day, or once: "skip tomorrow's alarm".
fn only_on(
    turn: &MessageTurn,
    tx: &Tx,
    which: &ReminderRef,
    day: Option<&Range<Timestamp>>,
) -> Result<Option<Reminder>> {
    if !matches!(which, ReminderRef::About(_)) {
        return Ok(None);
    }
    let mut open = match referent::resolve(turn, tx, which)? {
        Some(Referent::Open(open)) => open,
        _ => return Ok(None),
    };
    let is_meant = |at: &Timestamp| day.is_none_or(|day| day.contains(at));
    open.retain(|one| one.recurrence.is_none() && is_meant(&one.send_at));
    match open.len() {
        1 => Ok(open.pop()),
        _ => Ok(None),
    }
}
