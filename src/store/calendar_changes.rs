//! Changes of calendars that people confirmed. A row is deleted when the person was told its
//! outcome.

use super::query::{Json, from_row};
use super::{CalendarId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::calendar_change::CalendarChange;

#[derive(Debug, Clone)]
pub struct CalendarChangeRow {
    pub id: i64,
    pub user: UserId,
    pub calendar: CalendarId,
    pub change: CalendarChange,
    /// The sentence for the person if it succeeds.
    pub done: String,
    /// Earlier attempts, one of which may have been carried out.
    pub attempts: i64,
    pub created_at: Timestamp,
    /// The sentence for the person; `None` while the change is not finished.
    pub outcome: Option<String>,
}

const COLUMNS: &str = "SELECT id, user_id, calendar_id, change, done, attempts, created_at, outcome
     FROM calendar_changes";

impl Tx<'_> {
    pub fn insert_calendar_change(
        &self,
        user: UserId,
        calendar: CalendarId,
        change: &CalendarChange,
        done: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.run(
            "INSERT INTO calendar_changes (user_id, calendar_id, change, done, due_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
            (user, calendar, Json(change), done, now),
        )
    }

    /// Counts an attempt before its request, so that it is counted even if the process crashes.
    /// `None` when the change was deleted.
    pub fn begin_calendar_change(
        &self,
        id: i64,
        next: Timestamp,
    ) -> Result<Option<CalendarChangeRow>> {
        let row = self.calendar_change(id)?;
        self.run(
            "UPDATE calendar_changes SET attempts = attempts + 1, due_at = ?2 WHERE id = ?1",
            (id, next),
        )?;
        Ok(row)
    }

    pub fn put_off_calendar_change(&self, id: i64, due_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE calendar_changes SET due_at = ?2 WHERE id = ?1",
            (id, due_at),
        )
    }

    /// Stores the outcome of a change; what is left is telling the person.
    pub fn end_calendar_change(&self, id: i64, outcome: &str, due_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE calendar_changes SET outcome = ?2, due_at = ?3 WHERE id = ?1",
            (id, outcome, due_at),
        )
    }

    pub fn delete_calendar_change(&self, id: i64) -> Result<()> {
        self.run("DELETE FROM calendar_changes WHERE id = ?1", [id])
    }
}

impl View<'_> {
    pub fn calendar_change(&self, id: i64) -> Result<Option<CalendarChangeRow>> {
        self.find(&format!("{COLUMNS} WHERE id = ?1"), [id])
    }

    /// The changes whose time has come, longest due first.
    pub fn due_calendar_changes(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<CalendarChangeRow>> {
        self.all(
            &format!("{COLUMNS} WHERE due_at <= ?1 ORDER BY due_at, id LIMIT ?2"),
            (now, limit as i64),
        )
    }

    /// How many changes of a user are not finished.
    pub fn count_calendar_changes(&self, user: UserId) -> Result<i64> {
        self.one(
            "SELECT count(*) FROM calendar_changes WHERE user_id = ?1",
            [user],
        )
    }
}

from_row!(CalendarChangeRow: id, user, calendar, change as Json, done, attempts, created_at,
    outcome);
