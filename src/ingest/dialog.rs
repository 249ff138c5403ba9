//! What a short message refers to: the assistant's question, the last item named or delivered, and
//! the numbers of the last list. Stored in the database for some minutes.

use serde::{Deserialize, Serialize};

use crate::clock::{Timestamp, Zone};
use crate::error::{Error, Result};
use crate::model::calendar_change::CalendarChange;
use crate::model::recurrence::Recurrence;
use crate::store::{DialogPart, JsonAt, Reminder, RoomId, Tx, UserId};

/// How long a question can be answered.
pub(super) const QUESTION_MS: i64 = 5 * 60_000;
/// How long the question how something was waits for its answer.
pub(super) const HOW_WAS_MS: i64 = 12 * 60 * 60_000;
/// How long list numbers are valid, and how long an action can be undone.
pub(super) const NUMBERS_MS: i64 = 10 * 60_000;
/// How long "that" refers to the last item.
pub(super) const LATEST_MS: i64 = 24 * 60 * 60_000;

/// Reminders that are meant together.
const TOGETHER_MAX: usize = 20;
/// Private answers that are kept.
const PRIVATE_ANSWERS_MAX: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    Set,
    Changed,
    Delivered,
    /// Deleted reminders, memories or birthdays, which `Tx::take_removed` returns.
    Removed,
}

/// The last item named or delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Latest {
    pub(super) event: Event,
    pub(super) reminders: Vec<LatestReminder>,
    /// An event of a calendar, instead of reminders.
    #[serde(default)]
    pub(super) calendar_event: Option<LatestEvent>,
    /// A fact that was stated after that.
    #[serde(default)]
    pub(super) fact: Option<StatedFact>,
    /// The reminders that came last, which "snooze" means, where something was named after them.
    #[serde(default)]
    pub(super) came_before: Option<ReminderDelivery>,
    /// It is what "undo" did, which goes back no further.
    #[serde(default)]
    pub(super) is_undone: bool,
    /// What the message changed that named it.
    #[serde(default)]
    pub(super) changes: MessageChanges,
    /// The unit in seconds in which that message counted: 60 for "in 30 min".
    #[serde(default)]
    pub(super) counted_in_s: Option<i64>,
}

/// What one message changed, for "undo".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MessageChanges {
    /// Reminders that it set, as it left them.
    pub(super) set: Vec<LatestReminder>,
    pub(super) changed: Vec<ReminderChange>,
    /// The UUIDs of memories that it stated.
    #[serde(default)]
    pub(super) memories: Vec<String>,
    /// Whether `Tx::take_removed` returns something that it removed.
    pub(super) has_removed: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReminderChange {
    pub(super) before: LatestReminder,
    pub(super) after: LatestReminder,
}

impl MessageChanges {
    pub(super) fn one_set(reminder: &Reminder) -> Self {
        Self {
            set: vec![LatestReminder::of(reminder)],
            ..Self::default()
        }
    }

    pub(super) fn one_changed(before: &Reminder, after: &Reminder) -> Self {
        Self {
            changed: vec![ReminderChange {
                before: LatestReminder::of(before),
                after: LatestReminder::of(after),
            }],
            ..Self::default()
        }
    }

    pub(super) fn removed() -> Self {
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
pub(super) enum StatedFact {
    /// The memory with this UUID.
    Memory(String),
    /// The same, in place of the one that was removed for it at that time.
    CorrectedMemory(String),
    Name,
    TimeZone,
}

/// Reminders that came together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReminderDelivery {
    /// Milliseconds since the epoch.
    pub(super) at: i64,
    pub(super) reminders: Vec<LatestReminder>,
    /// The reminders that "snooze" set for them.
    #[serde(default)]
    pub(super) put_off: Vec<String>,
}

/// An event of a calendar that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LatestEvent {
    pub(super) uid: String,
    /// Which instance of a series; empty: it comes once.
    pub(super) instance: String,
}

/// A reminder at the time it was noted; for a change, before the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LatestReminder {
    pub(super) schedule_id: String,
    pub(super) text: String,
    pub(super) send_at: i64,
    rule: Option<NotedRule>,
}

/// A recurrence rule with its zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NotedRule {
    text: String,
    zone: String,
}

impl NotedRule {
    pub(super) fn of(recurrence: &Recurrence) -> Self {
        Self {
            text: recurrence.to_text(),
            zone: recurrence.zone().name().to_owned(),
        }
    }

    pub(super) fn recurrence(&self) -> Option<Recurrence> {
        let zone: Zone = self.zone.parse().ok()?;
        Recurrence::parse(&self.text, zone)
    }
}

/// A question of the assistant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Question {
    /// Asks for a reminder's time.
    When {
        text: String,
        /// The month of the day that is asked for.
        #[serde(default)]
        month: Option<u32>,
    },
    /// Asks for a reminder's text.
    What {
        send_at: i64,
        rule: Option<NotedRule>,
    },
    /// What a request lacks; with it between these words the request is complete.
    Rest {
        before: String,
        after: String,
    },
    /// Whether to delete the memories with these UUIDs.
    Forget {
        ids: Vec<String>,
        about: String,
        /// Whose birthdays to forget as well.
        #[serde(default)]
        birthdays: Vec<String>,
    },
    ForgetEverything,
    /// None: the person was told where to find help.
    Crisis,
    /// Which of the reminders with these ids to cancel.
    CancelWhich {
        ids: Vec<String>,
    },
    /// Which event a reminder is for.
    Which {
        choices: Vec<EventChoice>,
    },
    /// How something was; the answer is a memory that begins with one of `abouts`.
    HowWas {
        abouts: Vec<String>,
        /// The answer that was given before the question which of them it is about.
        #[serde(default)]
        told: Option<String>,
    },
    /// Whether to set a reminder of what was only spoken of.
    OfferedReminder {
        text: String,
        send_at: i64,
        rule: Option<NotedRule>,
    },
    /// Whether to do what these words request.
    OfferedRequest(String),
    /// Whether to take back what was changed then, by this superpower or by the assistant itself.
    Undo {
        at: i64,
        power: Option<String>,
    },
    /// Whether to change the person's calendar.
    ChangeCalendar(PendingCalendarChange),
}

/// A change of a calendar that the person is asked about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PendingCalendarChange {
    /// The number of the calendar.
    pub(super) calendar: i64,
    pub(super) change: CalendarChange,
    /// The sentence for when it is done.
    pub(super) done: String,
}

/// A reminder that a message may refer to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct EventChoice {
    pub(super) event: String,
    pub(super) text: String,
    pub(super) at: i64,
}

impl LatestReminder {
    pub(super) fn of(reminder: &Reminder) -> Self {
        Self {
            schedule_id: reminder.schedule_id.clone(),
            text: reminder.text.clone(),
            send_at: reminder.send_at.0,
            rule: reminder.recurrence.as_ref().map(NotedRule::of),
        }
    }

    pub(super) fn recurrence(&self) -> Option<Recurrence> {
        self.rule.as_ref()?.recurrence()
    }

    /// As it would be by now: what repeats comes at its next time.
    pub(super) fn next_after(&self, now: Timestamp) -> (Option<Recurrence>, Timestamp) {
        let recurrence = self.recurrence();
        let progress = recurrence.as_ref().map(|rule| rule.progress(now));
        match progress.and_then(|progress| progress.next) {
            Some((next, at)) => (Some(next), at),
            None => (None, Timestamp(self.send_at)),
        }
    }

    /// Whether it is as it was noted. What repeats may have come since.
    pub(super) fn is_still(&self, reminder: &Reminder) -> bool {
        let rule = |recurrence: &Recurrence| (recurrence.rule().to_owned(), recurrence.zone());
        let was = self.recurrence().as_ref().map(rule);
        let is = reminder.recurrence.as_ref().map(rule);
        self.text == reminder.text
            && was == is
            && (was.is_some() || self.send_at == reminder.send_at.0)
    }
}

impl Latest {
    pub(super) fn of(event: Event, reminders: &[Reminder]) -> Self {
        Self {
            event,
            reminders: reminders.iter().map(LatestReminder::of).collect(),
            calendar_event: None,
            fact: None,
            came_before: None,
            is_undone: false,
            changes: MessageChanges::default(),
            counted_in_s: None,
        }
    }

    pub(super) fn with_changes(self, changes: MessageChanges) -> Self {
        Self { changes, ..self }
    }

    /// What came just before.
    pub(super) fn add_before(&mut self, before: Self) {
        let is_new = |one: &LatestReminder| {
            let mut known = self.reminders.iter();
            !known.any(|known| known.schedule_id == one.schedule_id)
        };
        let mut all: Vec<LatestReminder> = before.reminders;
        all.retain(is_new);
        all.append(&mut self.reminders);
        let first = all.len().saturating_sub(TOGETHER_MAX);
        self.reminders = all.split_off(first);
    }

    /// The reminders that came last, if that was within `LATEST_MS`. `at`: when this was noted.
    pub(super) fn delivery(&self, at: Timestamp, now: Timestamp) -> Option<ReminderDelivery> {
        let delivery = match self.event {
            Event::Delivered => Some(ReminderDelivery {
                at: at.0,
                reminders: self.reminders.clone(),
                put_off: Vec::new(),
            }),
            _ => self.came_before.clone(),
        };
        delivery.filter(|delivery| now.0 - delivery.at <= LATEST_MS)
    }

    /// What the same message changed before is kept with it.
    pub(super) fn note(
        &self,
        tx: &mut Tx<'_>,
        room: RoomId,
        user: UserId,
        now: Timestamp,
    ) -> Result<()> {
        let before = tx.latest_in_room(room)?;
        let before = recent::<Self>(before.as_ref(), LATEST_MS, now);
        let own = tx.dialog(room, user)?.latest;
        let own = recent::<Self>(own.as_ref(), 0, now);
        let mut changes = own.map_or_else(Default::default, |(own, _)| own.changes);
        changes.add(self.changes.clone());
        let latest = Self {
            changes,
            came_before: match self.event {
                Event::Delivered => None,
                _ => before.and_then(|(before, at)| before.delivery(at, now)),
            },
            ..self.clone()
        };
        note(tx, (room, user), DialogPart::Latest, Some(&latest), now)
    }
}

/// What a person asked in a group, and was answered in their direct chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PrivateAnswer {
    /// Milliseconds since the epoch.
    pub(super) at: i64,
    pub(super) asked: String,
    pub(super) answer: String,
}

/// Notes an answer in the direct chat, so that it is known there what was spoken of.
pub(super) fn note_private_answer(
    tx: &mut Tx<'_>,
    (room, user): (RoomId, UserId),
    new: PrivateAnswer,
    now: Timestamp,
) -> Result<()> {
    let noted = tx.dialog(room, user)?.told;
    let mut all = recent_private_answers(noted.as_ref(), now);
    all.push(new);
    all.drain(..all.len().saturating_sub(PRIVATE_ANSWERS_MAX));
    note(tx, (room, user), DialogPart::Told, Some(&all), now)
}

/// Those of the last day, oldest first.
pub(super) fn recent_private_answers(noted: Option<&JsonAt>, now: Timestamp) -> Vec<PrivateAnswer> {
    let at = noted.map_or(now, |noted| noted.1.max(now));
    let noted = recent::<Vec<PrivateAnswer>>(noted, LATEST_MS, at);
    let mut all = noted.map_or(Vec::new(), |(all, _)| all);
    all.retain(|one| now.0 - one.at <= LATEST_MS);
    all
}

/// The last thing named is an event of a calendar.
pub(super) fn note_event(
    tx: &mut Tx<'_>,
    here: (RoomId, UserId),
    event: LatestEvent,
    now: Timestamp,
) -> Result<()> {
    let latest = Latest {
        calendar_event: Some(event),
        ..Latest::of(Event::Set, &[])
    };
    latest.note(tx, here.0, here.1, now)
}

pub(super) fn note<T: Serialize>(
    tx: &mut Tx<'_>,
    (room, user): (RoomId, UserId),
    part: DialogPart,
    what: Option<&T>,
    now: Timestamp,
) -> Result<()> {
    let json = what.map(serde_json::to_string).transpose();
    let json = json.map_err(Error::internal)?;
    tx.set_dialog(room, user, part, json.as_deref(), now)
}

/// A note that is at most `kept_ms` old, and its time.
pub(super) fn recent<T: for<'de> Deserialize<'de>>(
    noted: Option<&JsonAt>,
    kept_ms: i64,
    now: Timestamp,
) -> Option<(T, Timestamp)> {
    let (json, at) = noted?;
    let is_recent = (0..=kept_ms).contains(&(now.0 - at.0));
    let what = serde_json::from_str(json).ok()?;
    is_recent.then_some((what, *at))
}
