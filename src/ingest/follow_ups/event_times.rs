//! Times that are told of something: "it's at 10", "dentist moved to friday at 3".

use super::{changes, offers};
use crate::assistant::builtin::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::{self, Intent, wording};
use crate::error::Result;
use crate::ingest::dialog::latest;
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::listing::listed;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{corrected_value, open_reminders, powers};
use crate::store::Tx;

/// "it's at 10": what was just offered or told. "it was moved to friday" is also said of what a
/// reminder was just set for.
pub(super) fn revise(
    turn: &MessageTurn,
    tx: &mut Tx,
    to: &TimeChange,
    is_moved: bool,
) -> Result<Option<String>> {
    if let Some(reply) = offers::offer_at(turn, tx, to)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = corrected_value::correct(turn, tx)? {
        return Ok(Some(reply));
    }
    if !latest::is_of_last_message(turn, tx)? {
        return Ok(None);
    }
    // A reminder before something has another time than that.
    let is_before = latest::read_named(turn, tx)?.is_some_and(|(latest, _)| latest.is_before);
    match is_moved && !is_before {
        true => changes::change_time(turn, tx, &ReminderRef::Latest, to),
        false => Ok(Some(wording::CHANGE_UNCLEAR.to_owned())),
    }
}

/// "dentist moved to friday at 3": what was just offered, else the reminder of it. One whose text
/// names another time was set for some time before that.
pub(super) fn moved(
    turn: &MessageTurn,
    tx: &mut Tx,
    about: &str,
    to: &TimeChange,
) -> Result<Option<String>> {
    if let Some(Question::OfferedReminder { text, .. }) = question::read_open(turn, tx)?
        && assistant::reminder_matches(&text, about)
    {
        return offers::offer_at(turn, tx, to);
    }
    let open = open_reminders::matching(turn, tx, Some(about), None)?;
    if open.is_empty() {
        return Ok(None);
    }
    let is_before = latest::read_named(turn, tx)?.is_some_and(|(latest, _)| latest.is_before);
    if is_before || open.iter().any(|one| assistant::names_hour(&one.text)) {
        return Ok(Some(wording::CHANGE_UNCLEAR.to_owned()));
    }
    changes::change_time(turn, tx, &ReminderRef::About(about.to_owned()), to)
}

/// Which reminders stay as they were, where something moved or was called off that they are about.
pub(in crate::ingest) fn kept_reminders(
    turn: &MessageTurn,
    tx: &Tx,
    intent: &Intent,
) -> Result<Option<String>> {
    let cancelled = || match &turn.possible_meanings().named_follow_up {
        Some(FollowUp::CalledOffAbout(about) | FollowUp::Cancel(ReminderRef::About(about))) => {
            Some(about.clone())
        }
        _ => None,
    };
    let about = match intent {
        Intent::FollowUp {
            what: FollowUp::MovedAbout { about, .. },
            ..
        } => Some(about.clone()),
        Intent::Unknown => cancelled(),
        _ => None,
    };
    let Some(about) = about else {
        return Ok(None); // most messages
    };
    let mut open = open_reminders::matching(turn, tx, Some(&about), None)?;
    open.retain(|one| one.room == turn.room.id);
    if open.is_empty() || powers::changed_by(turn, tx, turn.message_id)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(wording::kept_reminders(
        &listed(&open),
        turn.local_now(),
    )))
}
