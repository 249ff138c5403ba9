//! Pending reminders. A recurring reminder is one row with its next time.

use std::ops::Range;

use super::query::{Columns, FromRow, from_row};
use super::{RoomId, Tx, UserId, View};
use crate::clock::{Timestamp, Zone};
use crate::error::Result;
use crate::model::recurrence::Recurrence;

#[derive(Debug, Clone, PartialEq)]
pub struct Reminder {
    pub id: i64,
    /// A UUID.
    pub schedule_id: String,
    pub user: UserId,
    pub room: RoomId,
    /// The reminder's text, without decoration.
    pub text: String,
    pub send_at: Timestamp,
    /// `None` for a single reminder.
    pub recurrence: Option<Recurrence>,
    /// The message that set it.
    pub message_id: Option<i64>,
}

pub struct NewReminder<'a> {
    pub schedule_id: &'a str,
    pub user: UserId,
    pub room: RoomId,
    pub text: &'a str,
    pub send_at: Timestamp,
    pub recurrence: Option<&'a Recurrence>,
    /// The message that set it.
    pub message_id: Option<i64>,
    pub now: Timestamp,
}

const COLUMNS: &str = "SELECT id, schedule_id, room_id, text, send_at, user_id, rule, zone, message_id FROM reminders";

impl Tx<'_> {
    /// Returns the row's id.
    pub fn insert_reminder(&self, new: &NewReminder) -> Result<i64> {
        self.run(
            "INSERT INTO reminders (schedule_id, user_id, room_id, text, send_at, due_at, created_at,
               message_id, rule, zone)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9)",
            (
                new.schedule_id,
                new.user,
                new.room,
                new.text,
                new.send_at,
                new.now,
                new.message_id,
                new.recurrence.map(Recurrence::to_text),
                new.recurrence.map(|recurrence| recurrence.zone().name()),
            ),
        )?;
        Ok(self.conn.last_insert_rowid())
    }

    /// A user's reminders, soonest first.
    pub fn reminders(&self, user: UserId) -> Result<Vec<Reminder>> {
        self.reminders_where("WHERE user_id = ?1 ORDER BY send_at, id", user.0)
    }

    /// The reminders in a room, by any author, soonest first.
    pub fn room_reminders(&self, room: RoomId) -> Result<Vec<Reminder>> {
        self.view().room_reminders(room)
    }

    pub fn count_reminders(&self, user: UserId) -> Result<usize> {
        self.one("SELECT count(*) FROM reminders WHERE user_id = ?1", [user])
    }

    /// Due reminders, soonest first, at most 256.
    pub fn due_reminders(&self, now: Timestamp) -> Result<Vec<Reminder>> {
        self.reminders_where("WHERE due_at <= ?1 ORDER BY due_at LIMIT 256", now.0)
    }

    pub fn postpone_reminder(&self, id: i64, due_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE reminders SET due_at = ?2 WHERE id = ?1",
            (id, due_at),
        )
    }

    /// A user's postponed reminders are due again. Returns whether there were any.
    pub fn retry_reminders(&self, user: UserId, now: Timestamp) -> Result<bool> {
        let sql = "UPDATE reminders SET due_at = ?2
                   WHERE user_id = ?1 AND send_at <= ?2 AND due_at > ?2";
        self.run(sql, (user, now))?;
        Ok(self.conn.changes() > 0)
    }

    /// Changes text, time or rule.
    pub fn change_reminder(
        &self,
        id: i64,
        text: &str,
        send_at: Timestamp,
        recurrence: Option<&Recurrence>,
    ) -> Result<()> {
        self.run(
            "UPDATE reminders SET text = ?2, send_at = ?3, due_at = ?3, rule = ?4, zone = ?5
             WHERE id = ?1",
            (
                id,
                text,
                send_at,
                recurrence.map(Recurrence::to_text),
                recurrence.map(|recurrence| recurrence.zone().name()),
            ),
        )
    }

    pub fn delete_reminder(&self, id: i64) -> Result<()> {
        self.run("DELETE FROM reminders WHERE id = ?1", [id])
    }

    fn reminders_where(&self, condition: &str, value: i64) -> Result<Vec<Reminder>> {
        self.all(&format!("{COLUMNS} {condition}"), [value])
    }
}

impl View<'_> {
    /// The reminders in a room, by any author, soonest first.
    pub fn room_reminders(&self, room: RoomId) -> Result<Vec<Reminder>> {
        self.all(
            &format!(
                "{COLUMNS}
                 WHERE user_id IN (SELECT user_id FROM room_authors WHERE room_id = ?1)
                   AND room_id = ?1 ORDER BY send_at, id"
            ),
            [room],
        )
    }

    /// The reminders of a user that come next within `span`, soonest first.
    pub fn reminders_within(
        &self,
        user: UserId,
        span: &Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<Reminder>> {
        self.all(
            &format!(
                "{COLUMNS} WHERE user_id = ?1 AND send_at >= ?2 AND send_at < ?3
                 ORDER BY send_at, id LIMIT ?4"
            ),
            (user, span.start, span.end, limit as i64),
        )
    }

    /// The open reminders of a user that a message has set, soonest first.
    pub fn reminders_of_message(&self, user: UserId, message_id: i64) -> Result<Vec<Reminder>> {
        self.all(
            &format!("{COLUMNS} WHERE user_id = ?1 AND message_id = ?2 ORDER BY send_at, id"),
            (user, message_id),
        )
    }

    /// The reminder with this UUID.
    pub fn reminder(&self, schedule_id: &str) -> Result<Option<Reminder>> {
        self.find(&format!("{COLUMNS} WHERE schedule_id = ?1"), [schedule_id])
    }

    /// When the next reminder is due.
    pub fn next_reminder_due(&self) -> Result<Option<Timestamp>> {
        self.find("SELECT due_at FROM reminders ORDER BY due_at LIMIT 1", [])
    }
}

impl Reminder {
    /// The times within `span` at which the reminder is due, at most `max`.
    pub fn moments(&self, span: &Range<Timestamp>, max: usize) -> Vec<Timestamp> {
        match &self.recurrence {
            Some(recurrence) => recurrence.within(span, max),
            None if span.contains(&self.send_at) => vec![self.send_at],
            None => Vec::new(),
        }
    }
}

from_row!(Reminder: id, schedule_id, room, text, send_at, user, recurrence, message_id);

impl FromRow for Option<Recurrence> {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let (rule, zone): (Option<String>, Option<String>) = FromRow::read(columns)?;
        Ok(rule.zip(zone).and_then(|(rule, zone)| {
            let zone: Zone = zone.parse().ok()?;
            Recurrence::parse(&rule, zone)
        }))
    }
}
