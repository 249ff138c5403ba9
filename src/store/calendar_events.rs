//! Events of connected calendars, expanded, in a window around now.

mod invitations;

use std::ops::Range;

use super::connected_services::ServiceChanges;
use super::query::{Json, Text, from_row};
use super::{CalendarId, Tx, UserId, View};
use crate::clock::{Timestamp, Zone};
use crate::error::Result;
use crate::model::calendar::{DAY_MS, EventChange, EventFacts, EventTime};

/// Events that one read returns.
const EVENTS_MAX: i64 = 2_000;

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarEvent {
    pub id: i64,
    pub calendar: CalendarId,
    pub user: UserId,
    pub facts: EventFacts,
    pub first_seen_at: Timestamp,
    /// When time, title, place, link or status last changed; else `first_seen_at`.
    pub changed_at: Timestamp,
    /// The event's start before the time last changed, to be read as the present one.
    pub was_starts_at: Option<Timestamp>,
}

const COLUMNS: &str = "SELECT calendar_events.id, calendar_id, calendar_events.user_id, uid,
       instance, object, etag, clock, starts_at, ends_at, status, facts, first_seen_at,
       changed_at, was_starts_at FROM calendar_events";
/// Only calendars that are switched on, of services that are connected.
const USED: &str = "calendar_id IN (SELECT calendars.id FROM calendars
         JOIN connected_services ON connected_services.id = calendars.service_id
         WHERE calendars.user_id = ?1 AND enabled = 1 AND removed_at IS NULL)";

impl Tx<'_> {
    /// Carries out some changes of a calendar's events. None when the calendar is gone.
    pub fn apply_event_changes(
        &self,
        calendar: CalendarId,
        changes: &[EventChange],
        now: Timestamp,
    ) -> Result<()> {
        let Some(row) = self.calendar(calendar)? else {
            return Ok(());
        };
        for change in changes {
            match change {
                EventChange::Insert(facts) => self.insert_event(calendar, row.user, facts, now)?,
                EventChange::Update { id, facts, matters } => {
                    self.update_event(*id, facts, *matters, now)?;
                }
                EventChange::Cancel(id) => {
                    self.run(
                        "UPDATE calendar_events SET status = 'cancelled', changed_at = ?2
                         WHERE id = ?1",
                        (id, now),
                    )?;
                }
                EventChange::Remove(id) => {
                    self.run("DELETE FROM calendar_events WHERE id = ?1", [id])?;
                }
            }
        }
        Ok(())
    }

    /// The resource of this event was changed: what its version is now is fetched later.
    pub fn forget_event_versions(&self, calendar: CalendarId, uid: &str) -> Result<()> {
        self.run(
            "UPDATE calendar_events SET etag = NULL WHERE calendar_id = ?1 AND uid = ?2",
            (calendar, uid),
        )
    }

    fn insert_event(
        &self,
        calendar: CalendarId,
        user: UserId,
        facts: &EventFacts,
        now: Timestamp,
    ) -> Result<()> {
        self.run(
            "INSERT OR REPLACE INTO calendar_events (calendar_id, user_id, uid, instance, object,
               etag, clock, starts_at, ends_at, status, facts, first_seen_at, changed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)",
            (
                calendar,
                user,
                &facts.uid,
                &facts.instance,
                &facts.object,
                &facts.etag,
                Text(facts.time.clock),
                facts.time.starts_at,
                facts.time.ends_at,
                Text(facts.status),
                Json(&facts.details),
                now,
            ),
        )
    }

    fn update_event(
        &self,
        id: i64,
        facts: &EventFacts,
        matters: bool,
        now: Timestamp,
    ) -> Result<()> {
        self.run(
            "UPDATE calendar_events SET object = ?2, etag = ?3, clock = ?4,
               was_starts_at = iif(starts_at <> ?5, starts_at, was_starts_at),
               starts_at = ?5, ends_at = ?6, status = ?7, facts = ?8,
               changed_at = iif(?9, ?10, changed_at)
             WHERE id = ?1",
            (
                id,
                &facts.object,
                &facts.etag,
                Text(facts.time.clock),
                facts.time.starts_at,
                facts.time.ends_at,
                Text(facts.status),
                Json(&facts.details),
                matters,
                now,
            ),
        )
    }
}

impl View<'_> {
    /// A user's events in `span`, ordered by time, as seen in `zone`. Declined ones are included,
    /// cancelled ones are not. Without a connected calendar: the invitations in mails.
    pub fn events_between(
        &self,
        user: UserId,
        span: &Range<Timestamp>,
        zone: Zone,
    ) -> Result<Vec<CalendarEvent>> {
        // Times without a zone are stored as UTC, up to a day off; `retain` below is exact.
        let (from, to) = (span.start.plus_ms(-DAY_MS), span.end.plus_ms(DAY_MS));
        let mut events = self.all(
            &format!(
                "{COLUMNS} WHERE calendar_events.user_id = ?1 AND starts_at < ?3 AND ends_at >= ?2
                   AND status <> 'cancelled' AND {USED}
                 ORDER BY starts_at, calendar_events.id LIMIT ?4"
            ),
            (user, from, to, EVENTS_MAX),
        )?;
        events.extend(self.invitations_between(user, &(from..to))?);
        events.retain(|event| {
            let time = event.facts.time.within(zone);
            let overlaps = time.start < span.end && time.end > span.start;
            overlaps || span.contains(&time.start)
        });
        let mut events = without_copies(events);
        events.sort_by_key(|event| (event.facts.time.within(zone).start, event.id));
        Ok(events)
    }

    /// Events that were added, changed or cancelled after `since`, oldest first.
    pub fn event_changes_since(
        &self,
        user: UserId,
        since: Timestamp,
    ) -> Result<Vec<CalendarEvent>> {
        self.all(
            &format!(
                "{COLUMNS} WHERE calendar_events.user_id = ?1 AND changed_at > ?2 AND {USED}
                 ORDER BY changed_at, calendar_events.id LIMIT ?3"
            ),
            (user, since, EVENTS_MAX),
        )
    }

    /// A user's event by its number.
    pub fn calendar_event(&self, user: UserId, id: i64) -> Result<Option<CalendarEvent>> {
        self.find(
            &format!(
                "{COLUMNS} WHERE calendar_events.id = ?2 AND calendar_events.user_id = ?1
                 AND {USED}"
            ),
            (user, id),
        )
    }

    /// Events that became known, changed or were cancelled after `since`, by user.
    pub fn event_changes_by_user(&self, since: Timestamp) -> Result<Vec<ServiceChanges>> {
        let sql = "SELECT user_id, changed_at
             FROM calendar_events INDEXED BY calendar_events_change
             WHERE changed_at > ?1";
        self.service_changes(sql, since)
    }

    /// The stored events of a calendar, with their rows' numbers.
    pub fn events_of_calendar(&self, calendar: CalendarId) -> Result<Vec<(i64, EventFacts)>> {
        let events: Vec<CalendarEvent> =
            self.all(&format!("{COLUMNS} WHERE calendar_id = ?1"), [calendar])?;
        let numbered = events.into_iter().map(|event| (event.id, event.facts));
        Ok(numbered.collect())
    }
}

/// Leaves one of an event's copies in several calendars: preferably one that was not declined, and
/// the one that was stored or changed first, so that the person is told of it once.
fn without_copies(mut events: Vec<CalendarEvent>) -> Vec<CalendarEvent> {
    let same = |event: &CalendarEvent| {
        let facts = &event.facts;
        (
            facts.uid.clone(),
            facts.instance.clone(),
            facts.time.starts_at,
        )
    };
    events.sort_by_cached_key(|event| {
        let is_declined = event.facts.details.is_declined();
        (same(event), is_declined, event.changed_at, event.id)
    });
    events.dedup_by_key(|event| same(event));
    events
}

from_row!(CalendarEvent: id, calendar, user, facts, first_seen_at, changed_at, was_starts_at);
from_row!(EventFacts: uid, instance, object, etag, time, status as Text, details as Json);
from_row!(EventTime: clock as Text, starts_at, ends_at);

#[cfg(test)]
mod tests;
