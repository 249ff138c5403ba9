//! What was named or delivered last in a chat, which "it" means, and what the message that named it
//! changed, for "undo".

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::{self, LATEST_MS, NotedRule};
use crate::ingest::turn::MessageTurn;
use crate::model::recurrence::Recurrence;
use crate::store::{DialogPart, Reminder, RoomId, Tx, UserId};

/// Reminders that are meant together.
const TOGETHER_MAX: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::ingest) enum ItemEvent {
    Set,
    Changed,
    Delivered,
    /// Deleted reminders, memories or birthdays, which `Tx::take_removed` returns.
    Removed,
}

/// The last item named or delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct LastNamed {
    pub(in crate::ingest) event: ItemEvent,
    /// The id of the message that named it; of what was delivered there is none.
    #[serde(default)]
    pub(in crate::ingest) message_id: Option<i64>,
    pub(in crate::ingest) reminders: Vec<NotedReminder>,
    /// An event of a calendar, instead of reminders.
    #[serde(default)]
    pub(in crate::ingest) calendar_event: Option<NotedEvent>,
    /// A fact that was stated after that.
    #[serde(default)]
    pub(in crate::ingest) fact: Option<StatedFact>,
    /// The reminders that came last, which "snooze" means, where something was named after them.
    #[serde(default)]
    pub(in crate::ingest) came_before: Option<ReminderDelivery>,
    /// This is what "undo" did, which goes back no further.
    #[serde(default)]
    pub(in crate::ingest) is_undone: bool,
    /// The changes of the message that named it.
    #[serde(default)]
    pub(in crate::ingest) changes: MessageChanges,
    /// The unit in seconds in which that message counted: 60 for "in 30 min".
    #[serde(default)]
    pub(in crate::ingest) counted_in_s: Option<i64>,
    /// The item is a reminder before an event, which has a time of its own.
    #[serde(default)]
    pub(in crate::ingest) is_before: bool,
}

/// The changes of one message, for "undo".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct MessageChanges {
    /// Reminders that it set, as it left them.
    pub(in crate::ingest) set: Vec<NotedReminder>,
    pub(in crate::ingest) changed: Vec<ReminderChange>,
    /// The UUIDs of memories that it stated.
    #[serde(default)]
    pub(in crate::ingest) memories: Vec<String>,
    /// Whether `Tx::take_removed` returns something that it removed.
    pub(in crate::ingest) has_removed: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct ReminderChange {
    pub(in crate::ingest) before: NotedReminder,
    pub(in crate::ingest) after: NotedReminder,
}

impl MessageChanges {
    pub(in crate::ingest) fn one_set(reminder: &Reminder) -> Self {
        Self {
            set: vec![NotedReminder::of(reminder)],
            ..Self::default()
        }
    }

    pub(in crate::ingest) fn one_changed(before: &Reminder, after: &Reminder) -> Self {
        Self {
            changed: vec![ReminderChange {
                before: NotedReminder::of(before),
                after: NotedReminder::of(after),
            }],
            ..Self::default()
        }
    }

    pub(in crate::ingest) fn removed() -> Self {
        Self {
            has_removed: true,
            ..Self::default()
        }
    }

    /// Adds what the same message changed after that.
    fn add(&mut self, later: Self) {
        self.set.extend(later.set);
        for new in later.changed {
            let is_same = |id: &str| id == new.after.schedule_id;
            let set = self.set.iter_mut().find(|one| is_same(&one.schedule_id));
            let mut changed = self.changed.iter_mut();
            let changed = changed.find(|one| is_same(&one.after.schedule_id));
            match (set, changed) {
                (Some(set), _) => *set = new.after,
                (None, Some(change)) => change.after = new.after,
                (None, None) => self.changed.push(new),
            }
        }
        self.memories.extend(later.memories);
        self.has_removed |= later.has_removed;
    }
}

/// A fact that a person stated: "undo" after it never takes back what was done before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::ingest) enum StatedFact {
    /// The memory with this UUID.
    Memory(String),
    /// A memory that replaced another, which was removed at that time.
    CorrectedMemory(String),
    Name,
    TimeZone,
    /// The language or the pronouns for the person.
    FormOfAddress,
    /// Which messages they get without asking, and when.
    Notices,
}

impl StatedFact {
    /// "undo" can't take it back: the person tells the right one.
    pub(in crate::ingest) const fn stays(&self) -> bool {
        !matches!(self, Self::Memory(_) | Self::CorrectedMemory(_))
    }
}

/// Reminders that came together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct ReminderDelivery {
    /// Milliseconds since the epoch.
    pub(in crate::ingest) at: i64,
    pub(in crate::ingest) reminders: Vec<NotedReminder>,
    /// The reminders that "snooze" set for them.
    #[serde(default)]
    pub(in crate::ingest) put_off: Vec<String>,
}

/// An event of a calendar that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct NotedEvent {
    pub(in crate::ingest) uid: String,
    /// Which instance of a series; empty: it comes once.
    pub(in crate::ingest) instance: String,
}

/// A reminder at the time it was noted; for a change, before the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct NotedReminder {
    pub(in crate::ingest) schedule_id: String,
    pub(in crate::ingest) text: String,
    pub(in crate::ingest) send_at: i64,
    rule: Option<NotedRule>,
}

impl NotedReminder {
    pub(in crate::ingest) fn of(reminder: &Reminder) -> Self {
        Self {
            schedule_id: reminder.schedule_id.clone(),
            text: reminder.text.clone(),
            send_at: reminder.send_at.0,
            rule: reminder.recurrence.as_ref().map(NotedRule::of),
        }
    }

    pub(in crate::ingest) fn recurrence(&self) -> Option<Recurrence> {
        self.rule.as_ref()?.recurrence()
    }

    /// The rule and time of the reminder by now: a repeating one has its next time.
    pub(in crate::ingest) fn next_after(&self, now: Timestamp) -> (Option<Recurrence>, Timestamp) {
        let recurrence = self.recurrence();
        let progress = recurrence.as_ref().map(|rule| rule.progress(now));
        match progress.and_then(|progress| progress.next) {
            Some((next, at)) => (Some(next), at),
            None => (None, Timestamp(self.send_at)),
        }
    }

    /// Whether it is as it was noted. What repeats may have come since.
    pub(in crate::ingest) fn is_still(&self, reminder: &Reminder) -> bool {
        let rule = |recurrence: &Recurrence| (recurrence.rule().to_owned(), recurrence.zone());
        let was = self.recurrence().as_ref().map(rule);
        let is = reminder.recurrence.as_ref().map(rule);
        self.text == reminder.text
            && was == is
            && (was.is_some() || self.send_at == reminder.send_at.0)
    }
}

impl LastNamed {
    pub(in crate::ingest) fn of(event: ItemEvent, reminders: &[Reminder]) -> Self {
        Self {
            event,
            message_id: None,
            reminders: reminders.iter().map(NotedReminder::of).collect(),
            calendar_event: None,
            fact: None,
            came_before: None,
            is_undone: false,
            changes: MessageChanges::default(),
            counted_in_s: None,
            is_before: false,
        }
    }

    pub(in crate::ingest) fn with_changes(self, changes: MessageChanges) -> Self {
        Self { changes, ..self }
    }

    /// Adds the reminders that were delivered just before.
    pub(in crate::ingest) fn add_before(&mut self, before: Self) {
        let is_new = |one: &NotedReminder| {
            let mut known = self.reminders.iter();
            !known.any(|known| known.schedule_id == one.schedule_id)
        };
        let mut all: Vec<NotedReminder> = before.reminders;
        all.retain(is_new);
        all.append(&mut self.reminders);
        let first = all.len().saturating_sub(TOGETHER_MAX);
        self.reminders = all.split_off(first);
    }

    /// The reminders that came last, if that was within `LATEST_MS`. `at`: when this was noted.
    pub(in crate::ingest) fn delivery(
        &self,
        at: Timestamp,
        now: Timestamp,
    ) -> Option<ReminderDelivery> {
        let delivery = match self.event {
            ItemEvent::Delivered => Some(ReminderDelivery {
                at: at.0,
                reminders: self.reminders.clone(),
                put_off: Vec::new(),
            }),
            _ => self.came_before.clone(),
        };
        delivery.filter(|delivery| now.0 - delivery.at <= LATEST_MS)
    }

    pub(in crate::ingest) fn is_of_message(&self, message_id: i64) -> bool {
        self.message_id == Some(message_id)
    }

    /// Stores this as the latest, with earlier changes of the same message.
    pub(in crate::ingest) fn note(&self, turn: &MessageTurn, tx: &mut Tx) -> Result<()> {
        let own = read_own(turn, tx, LATEST_MS)?;
        let before = match turn.in_group() {
            true => read_named(turn, tx)?,
            false => own.clone(),
        };
        let own = own.filter(|(own, _)| own.is_of_message(turn.message_id));
        let mut changes = own.map_or_else(Default::default, |(own, _)| own.changes);
        changes.add(self.changes.clone());
        let latest = Self {
            changes,
            message_id: Some(turn.message_id),
            came_before: match self.event {
                ItemEvent::Delivered => None,
                _ => before.and_then(|(before, at)| before.delivery(at, turn.now)),
            },
            ..self.clone()
        };
        latest.store(tx, turn.dialog_key(), turn.now)
    }

    /// Stores this as the latest of a person's chat, as it is.
    pub(in crate::ingest) fn store(
        &self,
        tx: &mut Tx,
        key: (RoomId, UserId),
        now: Timestamp,
    ) -> Result<()> {
        dialog::note(tx, key, DialogPart::Latest, Some(self), now)
    }
}

/// The last items that this person's chat named, at most `kept_ms` ago, and when.
pub(in crate::ingest) fn read_own(
    turn: &MessageTurn,
    tx: &Tx,
    kept_ms: i64,
) -> Result<Option<(LastNamed, Timestamp)>> {
    let noted = tx.dialog(turn.room.id, turn.user.id)?.latest;
    Ok(dialog::recent(noted.as_ref(), kept_ms, turn.now))
}

/// The last item named or delivered; in a group also another person's.
pub(in crate::ingest) fn read_named(
    turn: &MessageTurn,
    tx: &Tx,
) -> Result<Option<(LastNamed, Timestamp)>> {
    if !turn.in_group() {
        return read_own(turn, tx, LATEST_MS);
    }
    let noted = tx.latest_in_room(turn.room.id)?;
    Ok(dialog::recent(noted.as_ref(), LATEST_MS, turn.now))
}

/// The items that this message has named so far.
pub(in crate::ingest) fn read_of_message(turn: &MessageTurn, tx: &Tx) -> Result<Option<LastNamed>> {
    read_if_of(turn, tx, turn.message_id)
}

/// The last items, if a request of this message named them.
pub(in crate::ingest) fn read_of_request(
    turn: &MessageTurn,
    tx: &Tx,
    message_id: i64,
) -> Result<Option<LastNamed>> {
    let latest = read_if_of(turn, tx, message_id)?;
    Ok(latest.filter(|latest| latest.event != ItemEvent::Delivered))
}

fn read_if_of(turn: &MessageTurn, tx: &Tx, message_id: i64) -> Result<Option<LastNamed>> {
    let latest = read_own(turn, tx, LATEST_MS)?.map(|(latest, _)| latest);
    Ok(latest.filter(|latest| latest.is_of_message(message_id)))
}

/// Whether the person's last message set or changed something.
pub(in crate::ingest) fn is_of_last_message(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let latest = read_named(turn, tx)?.map(|(latest, _)| latest);
    let last = turn.previous_message(tx)?;
    Ok(latest
        .zip(last)
        .is_some_and(|(latest, last)| latest.is_of_message(last.id)))
}

/// Changes what this message has noted, if anything.
pub(in crate::ingest) fn revise(
    turn: &MessageTurn,
    tx: &mut Tx,
    change: impl FnOnce(&mut LastNamed),
) -> Result<()> {
    let Some(mut latest) = read_of_message(turn, tx)? else {
        return Ok(());
    };
    change(&mut latest);
    latest.store(tx, turn.dialog_key(), turn.now)
}

/// Notes a fact that the message stated. The reminders that "it" means stay the same.
pub(in crate::ingest) fn note_fact(
    turn: &MessageTurn,
    tx: &mut Tx,
    fact: StatedFact,
) -> Result<()> {
    let latest = read_named(turn, tx)?.map(|(latest, _)| latest);
    let memories = match &fact {
        StatedFact::Memory(id) => vec![id.clone()],
        _ => Vec::new(),
    };
    let latest = LastNamed {
        fact: Some(fact),
        is_undone: false,
        changes: MessageChanges {
            memories,
            ..MessageChanges::default()
        },
        ..latest.unwrap_or_else(|| LastNamed::of(ItemEvent::Set, &[]))
    };
    latest.note(turn, tx)
}
