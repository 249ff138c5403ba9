//! "cancel the last one", "cancel 2", "delete both": which reminders are meant.

use super::{Referent, referent, subject, which_request};
use crate::assistant::builtin::{FollowUp, ReminderRef};
use crate::assistant::wording;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent};
use crate::ingest::listing::{self, LastLine, described, listed, pairs};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{follow_ups, open_reminders, reminder_cancellation};
use crate::store::Tx;

/// "cancel the last one": of a list that was just shown, or of what one message set, the last.
pub(super) fn cancel_last(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let has_changed = subject::has_changed(turn, tx)?;
    if !has_changed {
        match listing::last_shown(turn, tx)? {
            Some(LastLine::Reminder(last)) => {
                let last = std::slice::from_ref(&last);
                open_reminders::cancel(turn, tx, last)?;
                return Ok(Some(wording::reminders_cancelled(&listed(last))));
            }
            Some(LastLine::Unclear) => {
                let open = open_reminders::here(turn, tx)?;
                return Ok(Some(reminder_cancellation::ask_which(turn, tx, &open)?));
            }
            None => {}
        }
    }
    match referent::find_last(turn, tx)? {
        Some(Referent::Open(open)) if open.len() > 1 && !has_changed => {
            let last = &open[open.len() - 1..];
            open_reminders::cancel(turn, tx, last)?;
            Ok(Some(wording::reminders_cancelled(&listed(last))))
        }
        // "cancel my last reminder" after something else was said
        Some(Referent::Open(open)) if open.len() > 1 && names_reminder(turn) => {
            Ok(Some(reminder_cancellation::ask_which(turn, tx, &open)?))
        }
        _ => follow_ups::carry_out(turn, tx, &FollowUp::Cancel(ReminderRef::Latest)),
    }
}

pub(super) fn names_reminder(turn: &MessageTurn) -> bool {
    turn.message.text.to_lowercase().contains("reminder")
}

pub(super) fn cancel(
    turn: &MessageTurn,
    tx: &mut Tx,
    which: &ReminderRef,
) -> Result<Option<String>> {
    if let ReminderRef::Numbered(numbers) = which
        && let Some(reply) = which_request::numbered(turn, tx, numbers)?
    {
        return Ok(Some(reply));
    }
    if *which == ReminderRef::Latest && is_one_of_several(turn, tx)? {
        return Ok(Some(wording::WHICH_REMINDER.to_owned()));
    }
    // "delete both" after "add milk and eggs"
    let is_together = matches!(which, ReminderRef::Together(_));
    if is_together && subject::has_changed(turn, tx)? {
        return Ok(Some(wording::WHICH_REMINDER.to_owned()));
    }
    Ok(match referent::resolve(turn, tx, which)? {
        None => None,
        Some(Referent::Unclear(reply)) => Some(reply),
        Some(Referent::Delivered(delivered)) => {
            // "snooze" sends one of a series once more: the series is what is left of it.
            let mut series = open_reminders::here(turn, tx)?;
            let is_same = |text: &str| delivered.iter().any(|one| one.text == text);
            series.retain(|r| r.room == turn.room.id && r.recurrence.is_some() && is_same(&r.text));
            open_reminders::cancel(turn, tx, &series)?;
            Some(match series.is_empty() {
                true => wording::ALREADY_DELIVERED.to_owned(),
                false => wording::reminders_cancelled(&pairs(&described(&series, turn.timezone()))),
            })
        }
        Some(Referent::Open(open)) => {
            // "it" is one of those that were set for different things.
            let is_any = *which == ReminderRef::Latest
                && open.windows(2).any(|pair| pair[0].text != pair[1].text);
            if open.len() > 1 && (is_any || matches!(which, ReminderRef::About(_))) {
                return reminder_cancellation::ask_which(turn, tx, &open).map(Some);
            }
            open_reminders::cancel(turn, tx, &open)?;
            Some(wording::reminders_cancelled(&listed(&open)))
        }
    })
}

/// Whether several reminders came together, and one of them comes again: "it" may be any.
fn is_one_of_several(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let Some((latest, _)) = latest::read_named(turn, tx)? else {
        return Ok(false);
    };
    if latest.event != ItemEvent::Delivered || latest.reminders.len() < 2 {
        return Ok(false);
    }
    for reminder in &latest.reminders {
        if tx.reminder(&reminder.schedule_id)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
