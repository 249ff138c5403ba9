//! The calendars of connected services.

use super::query::{from_row, number};
use super::{ServiceId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CalendarId(pub i64);
number!(CalendarId);

#[derive(Debug, Clone)]
pub struct CalendarRow {
    pub id: CalendarId,
    /// UUID
    pub calendar_id: String,
    pub service: ServiceId,
    pub user: UserId,
    /// The collection on the CalDAV server; empty for ICS.
    pub path: String,
    pub name: String,
    pub is_enabled: bool,
    /// Events can be added, moved and deleted.
    pub is_writable: bool,
    /// JSON
    pub sync_state: String,
}

/// A calendar that a server lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCalendar {
    pub path: String,
    pub name: String,
    pub is_writable: bool,
}

const COLUMNS: &str = "SELECT id, calendar_id, service_id, user_id, path, name, enabled, writable,
       sync_state FROM calendars";

impl Tx<'_> {
    /// Adds a calendar, or writes its name and whether it takes changes; it stays switched on
    /// or off.
    pub fn put_calendar(
        &self,
        service: ServiceId,
        user: UserId,
        listed: &ListedCalendar,
    ) -> Result<()> {
        self.run(
            "INSERT INTO calendars (calendar_id, service_id, user_id, path, name, writable)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (service_id, path) DO UPDATE SET name = excluded.name,
               writable = excluded.writable",
            (
                random::uuid().to_string(),
                service,
                user,
                &listed.path,
                &listed.name,
                listed.is_writable,
            ),
        )
    }

    pub fn enable_calendar(&self, id: CalendarId, is_enabled: bool) -> Result<()> {
        self.run(
            "UPDATE calendars SET enabled = ?2 WHERE id = ?1",
            (id, is_enabled),
        )
    }

    /// Makes the next sync read all calendars of a user again, because the user's addresses have
    /// changed and tell which attendee of an event is the user.
    pub fn read_calendars_anew(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.run(
            "UPDATE calendars SET sync_state = '' WHERE service_id IN
             (SELECT id FROM connected_services WHERE user_id = ?1)",
            [user],
        )?;
        self.run(
            "UPDATE connected_services SET next_sync_at = ?2
             WHERE user_id = ?1 AND kind <> 'imap' AND next_sync_at IS NOT NULL",
            (user, now),
        )
    }

    pub fn set_calendar_sync_state(&self, id: CalendarId, sync_state: &str) -> Result<()> {
        self.run(
            "UPDATE calendars SET sync_state = ?2 WHERE id = ?1",
            (id, sync_state),
        )
    }

    /// Removes a calendar that its server lists no more, some of its events at a time. To be
    /// called until it returns true.
    pub fn remove_calendar(&self, id: CalendarId) -> Result<bool> {
        const ROWS_MAX: usize = 500;
        let removed = self.execute(
            "DELETE FROM calendar_events WHERE id IN
             (SELECT id FROM calendar_events WHERE calendar_id = ?1 LIMIT ?2)",
            (id, ROWS_MAX as i64),
        )?;
        if removed >= ROWS_MAX {
            return Ok(false);
        }
        self.run("DELETE FROM calendar_changes WHERE calendar_id = ?1", [id])?;
        self.run("DELETE FROM calendars WHERE id = ?1", [id])?;
        Ok(true)
    }
}

impl View<'_> {
    /// All calendars of a user, of all services, in the order in which they came.
    pub fn calendars(&self, user: UserId) -> Result<Vec<CalendarRow>> {
        self.calendars_where(
            "WHERE user_id = ?1 AND service_id IN
               (SELECT id FROM connected_services WHERE user_id = ?1 AND removed_at IS NULL)
             ORDER BY id",
            user.0,
        )
    }

    pub fn calendars_of(&self, service: ServiceId) -> Result<Vec<CalendarRow>> {
        self.calendars_where("WHERE service_id = ?1 ORDER BY id", service.0)
    }

    pub fn calendar(&self, id: CalendarId) -> Result<Option<CalendarRow>> {
        self.find(&format!("{COLUMNS} WHERE id = ?1"), [id])
    }

    fn calendars_where(&self, condition: &str, value: i64) -> Result<Vec<CalendarRow>> {
        self.all(&format!("{COLUMNS} {condition}"), [value])
    }
}

from_row!(CalendarRow: id, calendar_id, service, user, path, name, is_enabled, is_writable,
    sync_state);
