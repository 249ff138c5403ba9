//! The calendars of connected services.

use rusqlite::{OptionalExtension, Row};

use super::{ServiceId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CalendarId(pub i64);

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
        self.execute(
            "INSERT INTO calendars (calendar_id, service_id, user_id, path, name, writable)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (service_id, path) DO UPDATE SET name = excluded.name,
               writable = excluded.writable",
            (
                random::uuid().to_string(),
                service.0,
                user.0,
                &listed.path,
                &listed.name,
                listed.is_writable,
            ),
        )?;
        Ok(())
    }

    pub fn enable_calendar(&self, id: CalendarId, is_enabled: bool) -> Result<()> {
        self.execute(
            "UPDATE calendars SET enabled = ?2 WHERE id = ?1",
            (id.0, is_enabled),
        )?;
        Ok(())
    }

    /// Has all calendars of a user read anew: who the user is among an event's people has changed.
    pub fn read_calendars_anew(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE calendars SET sync_state = '' WHERE service_id IN
               (SELECT id FROM connected_services WHERE user_id = ?1)",
            [user.0],
        )?;
        self.execute(
            "UPDATE connected_services SET next_sync_at = ?2
             WHERE user_id = ?1 AND kind <> 'imap' AND next_sync_at IS NOT NULL",
            (user.0, now.0),
        )?;
        Ok(())
    }

    pub fn set_calendar_sync_state(&self, id: CalendarId, sync_state: &str) -> Result<()> {
        self.execute(
            "UPDATE calendars SET sync_state = ?2 WHERE id = ?1",
            (id.0, sync_state),
        )?;
        Ok(())
    }

    /// Removes a calendar that its server lists no more, some of its events at a time. To be
    /// called until it returns true.
    pub fn remove_calendar(&self, id: CalendarId) -> Result<bool> {
        const ROWS_MAX: usize = 500;
        let removed = self.execute(
            "DELETE FROM calendar_events WHERE id IN
               (SELECT id FROM calendar_events WHERE calendar_id = ?1 LIMIT ?2)",
            (id.0, ROWS_MAX as i64),
        )?;
        if removed >= ROWS_MAX {
            return Ok(false);
        }
        self.execute(
            "DELETE FROM calendar_changes WHERE calendar_id = ?1",
            [id.0],
        )?;
        self.execute("DELETE FROM calendars WHERE id = ?1", [id.0])?;
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
        Ok(self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?
            .query_row([id.0], calendar_from)
            .optional()?)
    }

    fn calendars_where(&self, condition: &str, value: i64) -> Result<Vec<CalendarRow>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{COLUMNS} {condition}"))?;
        let rows = statement.query_map([value], calendar_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn calendar_from(row: &Row<'_>) -> rusqlite::Result<CalendarRow> {
    Ok(CalendarRow {
        id: CalendarId(row.get(0)?),
        calendar_id: row.get(1)?,
        service: ServiceId(row.get(2)?),
        user: UserId(row.get(3)?),
        path: row.get(4)?,
        name: row.get(5)?,
        is_enabled: row.get(6)?,
        is_writable: row.get(7)?,
        sync_state: row.get(8)?,
    })
}
