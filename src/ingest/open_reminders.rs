//! Setting, changing, cancelling and finding open reminders. Other modules decide the wording.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::dialog::latest::{self, ItemEvent, LastNamed, MessageChanges, NotedReminder};
use super::turn::MessageTurn;
use crate::assistant;
use crate::assistant::builtin::RemindersToCancel;
use crate::assistant::powers::minute_of_day;
use crate::assistant::wording::OPEN_REMINDERS_MAX;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::recurrence::Recurrence;
use crate::random;
use crate::store::{NewReminder, Reminder, RemovedItem, RoomId, Tx, UserId};

/// A reminder to be set.
pub(super) struct ReminderRequest<'a> {
    /// At most `REMINDER_CHARS_MAX` characters.
    pub(super) text: &'a str,
    pub(super) send_at: Timestamp,
    /// The recurrence's next time is `send_at`.
    pub(super) recurrence: Option<&'a Recurrence>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReminderRefusal {
    /// The person has the maximum number of reminders.
    TooMany,
    /// A relay without a queue can't deliver a recurring reminder.
    NoQueue,
}

/// A deleted reminder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RemovedReminder {
    room: i64,
    /// The message that set it.
    #[serde(default)]
    pub(super) set_by: Option<i64>,
    #[serde(flatten)]
    pub(super) reminder: NotedReminder,
}

impl RemovedReminder {
    pub(super) const fn room(&self) -> RoomId {
        RoomId(self.room)
    }
}

/// Sets a reminder in this room. If the relay delivers it, there is no row.
pub(super) fn set(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &ReminderRequest,
) -> Result<std::result::Result<Reminder, ReminderRefusal>> {
    let schedule_id = random::ordered_uuid(turn.now).to_string();
    set_as(turn, tx, request, &schedule_id, turn.room.id)
}

/// Sets a reminder in any room, with an id (a UUID) that the caller chose.
pub(super) fn set_as(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &ReminderRequest,
    schedule_id: &str,
    room: RoomId,
) -> Result<std::result::Result<Reminder, ReminderRefusal>> {
    if tx.count_reminders(turn.user.id)? >= OPEN_REMINDERS_MAX {
        return Ok(Err(ReminderRefusal::TooMany));
    }
    // Another room is a direct chat that takes commands.
    let is_kept = turn.agent.is_some() || room != turn.room.id;
    if !is_kept && request.recurrence.is_some() {
        return Ok(Err(ReminderRefusal::NoQueue));
    }
    let mut reminder = Reminder {
        id: 0,
        schedule_id: schedule_id.to_owned(),
        user: turn.user.id,
        room,
        text: request.text.to_owned(),
        send_at: request.send_at,
        recurrence: request.recurrence.cloned(),
        message_id: Some(turn.message_id),
    };
    if is_kept {
        reminder.id = insert(turn, tx, &reminder)?;
        note_set(turn, tx, &reminder)?;
    }
    Ok(Ok(reminder))
}

/// Reminders set by one message are noted together.
fn note_set(turn: &MessageTurn, tx: &mut Tx, reminder: &Reminder) -> Result<()> {
    let mut latest = match latest::read_of_message(turn, tx)? {
        Some(latest)
            if latest.event == ItemEvent::Set && latest.fact.is_none() && !latest.is_undone =>
        {
            latest
        }
        _ => LastNamed::of(ItemEvent::Set, &[]),
    };
    latest.reminders.push(NotedReminder::of(reminder));
    let latest = LastNamed {
        counted_in_s: assistant::counted_unit_s(&turn.message.text),
        is_before: assistant::names_offset(&turn.message.text),
        ..latest.with_changes(MessageChanges::one_set(reminder))
    };
    latest.note(turn, tx)
}

/// Leaves those out that this message itself has set: it refers to others.
pub(super) fn set_before(
    turn: &MessageTurn,
    tx: &Tx,
    mut reminders: Vec<Reminder>,
) -> Result<Vec<Reminder>> {
    if let Some(latest) = latest::read_of_message(turn, tx)? {
        let is_new = |one: &Reminder| {
            let mut set = latest.changes.set.iter();
            set.any(|new| new.schedule_id == one.schedule_id)
        };
        reminders.retain(|reminder| !is_new(reminder));
    }
    Ok(reminders)
}

/// Changes the text, time or rule of an open reminder.
pub(super) fn change(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    request: &ReminderRequest,
) -> Result<Reminder> {
    let changed = Reminder {
        text: request.text.to_owned(),
        send_at: request.send_at,
        recurrence: request.recurrence.cloned(),
        ..reminder.clone()
    };
    let before = LastNamed::of(ItemEvent::Changed, std::slice::from_ref(reminder));
    let before = LastNamed {
        counted_in_s: assistant::counted_unit_s(&turn.message.text),
        is_before: assistant::names_offset(&turn.message.text),
        ..before.with_changes(MessageChanges::one_changed(reminder, &changed))
    };
    before.note(turn, tx)?;
    tx.change_reminder(
        reminder.id, request.text, request.send_at, request.recurrence,
    )?;
    wake_delivery(turn, tx, request.send_at);
    Ok(changed)
}

/// Gives a reminder the time back that it had. One that has passed is due at once.
pub(super) fn restore_time(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    before: &NotedReminder,
) -> Result<()> {
    let (send_at, recurrence) = (Timestamp(before.send_at), before.recurrence());
    tx.change_reminder(reminder.id, &reminder.text, send_at, recurrence.as_ref())?;
    wake_delivery(turn, tx, send_at);
    Ok(())
}

/// Deletes reminders; `restore_removed` can restore them for some minutes.
pub(super) fn cancel(turn: &MessageTurn, tx: &mut Tx, reminders: &[Reminder]) -> Result<()> {
    for reminder in reminders {
        tx.delete_reminder(reminder.id)?;
        let removed = RemovedReminder {
            room: reminder.room.0,
            set_by: reminder.message_id,
            reminder: NotedReminder::of(reminder),
        };
        let item = RemovedItem {
            user: reminder.user,
            removed_by: turn.user.id,
            message_id: turn.message_id,
            room: Some(reminder.room),
            kind: "reminder",
            item: serde_json::to_string(&removed).map_err(Error::internal)?,
        };
        tx.keep_removed(&item, turn.now)?;
    }
    if !reminders.is_empty() {
        let removed = LastNamed::of(ItemEvent::Removed, reminders);
        let removed = removed.with_changes(MessageChanges::removed());
        removed.note(turn, tx)?;
    }
    Ok(())
}

/// Restores a deleted reminder; `None` when its time has passed since.
pub(super) fn restore(
    turn: &MessageTurn,
    tx: &mut Tx,
    user: UserId,
    item: &str,
) -> Result<Option<Reminder>> {
    let removed: RemovedReminder = serde_json::from_str(item).map_err(Error::internal)?;
    let (recurrence, send_at) = removed.reminder.next_after(turn.now);
    if send_at <= turn.now {
        return Ok(None);
    }
    let reminder = Reminder {
        id: 0,
        schedule_id: removed.reminder.schedule_id,
        user,
        room: RoomId(removed.room),
        text: removed.reminder.text,
        send_at,
        recurrence,
        message_id: removed.set_by,
    };
    insert(turn, tx, &reminder)?;
    Ok(Some(reminder))
}

/// Returns the row's id.
fn insert(turn: &MessageTurn, tx: &mut Tx, reminder: &Reminder) -> Result<i64> {
    let id = tx.insert_reminder(&NewReminder {
        schedule_id: &reminder.schedule_id,
        user: reminder.user,
        room: reminder.room,
        text: &reminder.text,
        send_at: reminder.send_at,
        recurrence: reminder.recurrence.as_ref(),
        message_id: reminder.message_id,
        now: turn.now,
    })?;
    wake_delivery(turn, tx, reminder.send_at);
    Ok(id)
}

fn wake_delivery(turn: &MessageTurn, tx: &mut Tx, send_at: Timestamp) {
    let wake = turn.ingest.reminders.clone();
    tx.after_commit(move || wake.by(send_at));
}

/// Reminders that may be mentioned here: in a group only its own, by any author.
pub(super) fn here(turn: &MessageTurn, tx: &Tx) -> Result<Vec<Reminder>> {
    match turn.in_group() {
        true => tx.room_reminders(turn.room.id),
        false => tx.reminders(turn.user.id),
    }
}

/// The open reminders within a span of time whose text matches, soonest first.
pub(super) fn matching(
    turn: &MessageTurn,
    tx: &Tx,
    about: Option<&str>,
    within: Option<&Range<Timestamp>>,
) -> Result<Vec<Reminder>> {
    let mut found = here(turn, tx)?;
    found.retain(|reminder| is_match(reminder, about, within));
    Ok(found)
}

/// The person's own that aren't of this room, likewise: a group must not read them.
pub(super) fn matching_elsewhere(
    turn: &MessageTurn,
    tx: &Tx,
    about: Option<&str>,
    within: Option<&Range<Timestamp>>,
) -> Result<Vec<Reminder>> {
    let mut found = tx.reminders(turn.user.id)?;
    found.retain(|one| one.room != turn.room.id && is_match(one, about, within));
    Ok(found)
}

fn is_match(reminder: &Reminder, about: Option<&str>, within: Option<&Range<Timestamp>>) -> bool {
    let comes = within.is_none_or(|span| !reminder.moments(span, 1).is_empty());
    comes && about.is_none_or(|about| assistant::reminder_matches(&reminder.text, about))
}

/// The open reminders that are named, and their days if days named them.
pub(super) fn search(
    turn: &MessageTurn,
    tx: &Tx,
    one: &RemindersToCancel,
) -> Result<(Vec<Reminder>, Option<Range<Timestamp>>)> {
    if let Some(whole) = &one.with_time {
        let found = matching(turn, tx, Some(whole), None)?;
        let found = set_before(turn, tx, found)?;
        if !found.is_empty() {
            return Ok((found, None));
        }
    }
    let found = matching(turn, tx, one.about.as_deref(), one.on.as_ref())?;
    let is_all = one.about.is_none() && one.on.is_none() && one.minutes.is_empty();
    let mut found = match is_all && !one.is_next {
        true => found,
        false => set_before(turn, tx, found)?,
    };
    if !one.minutes.is_empty() {
        let minute = |reminder: &Reminder| minute_of_day(reminder.send_at, turn.zone());
        found.retain(|reminder| one.minutes.contains(&minute(reminder)));
    }
    if one.is_next {
        found.sort_by_key(|reminder| reminder.send_at);
        found.truncate(1);
    }
    Ok((found, one.on.clone()))
}

/// The open reminders that a request names.
pub(super) fn find(
    turn: &MessageTurn,
    tx: &Tx,
    request: &RemindersToCancel,
) -> Result<Vec<Reminder>> {
    search(turn, tx, request).map(|(found, _)| found)
}
