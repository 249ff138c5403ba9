//! Invitations in mails, as events of a calendar. They count only for people without a connected
//! calendar: a connected one contains them already.

use std::ops::Range;

use rusqlite::Row;

use super::CalendarEvent;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::calendar::{DAY_MS, EventDetails, EventFacts, EventStatus, EventTime};
use crate::model::mail_item::{FactStatus, InvitationData};
use crate::store::connected_services::{Json, Text};
use crate::store::{CalendarId, UserId, View};

/// Invitations that one read returns.
const INVITATIONS_MAX: i64 = 500;
/// SQL: invitations of a person who has connected a mailbox and no calendar.
const COUNTED: &str = "user_id = ?1 AND kind = 'event' AND data ->> 'source' = 'calendar'
     AND service_id IN (SELECT id FROM connected_services
       WHERE user_id = ?1 AND removed_at IS NULL)
     AND NOT EXISTS (SELECT 1 FROM connected_services
       WHERE user_id = ?1 AND removed_at IS NULL AND kind <> 'imap')";

impl View<'_> {
    /// Somebody without a calendar was invited to something that is still to come.
    pub fn has_invitations(&self, user: UserId, now: Timestamp) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM mail_facts
               WHERE {COUNTED} AND status <> 'cancelled' AND ends_at > ?2)"
        );
        // Times on the wall may be half a day off.
        let from = now.plus_ms(-DAY_MS).0;
        let mut statement = self.conn.prepare_cached(&sql)?;
        Ok(statement.query_row((user.0, from), |row| row.get(0))?)
    }

    /// What somebody without a calendar was invited to in `span`, read as UTC.
    pub(super) fn invitations_between(
        &self,
        user: UserId,
        span: &Range<Timestamp>,
    ) -> Result<Vec<CalendarEvent>> {
        let sql = format!(
            "SELECT id, fact_key, clock, starts_at, ends_at, status, data, first_seen_at, changed_at
             FROM mail_facts
             WHERE {COUNTED} AND status <> 'cancelled' AND starts_at < ?3 AND ends_at >= ?2
             ORDER BY starts_at, id LIMIT ?4"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let values = (user.0, span.start.0, span.end.0, INVITATIONS_MAX);
        let rows = statement.query_map(values, |row| invitation_from(row, user))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn invitation_from(row: &Row<'_>, user: UserId) -> rusqlite::Result<CalendarEvent> {
    let id: i64 = row.get(0)?;
    let Json(data): Json<InvitationData> = row.get(6)?;
    let status = match row.get::<_, Text<FactStatus>>(5)?.0 {
        FactStatus::Confirmed => EventStatus::Confirmed,
        FactStatus::Pending => EventStatus::Tentative,
        FactStatus::Cancelled => EventStatus::Cancelled,
    };
    Ok(CalendarEvent {
        // Not the number of any event of a calendar.
        id: -id,
        calendar: CalendarId(0),
        user,
        facts: EventFacts {
            uid: row.get(1)?,
            instance: String::new(),
            object: String::new(),
            etag: None,
            time: EventTime {
                clock: row.get::<_, Text<_>>(2)?.0,
                starts_at: Timestamp(row.get(3)?),
                ends_at: Timestamp(row.get(4)?),
            },
            status,
            details: EventDetails {
                title: data.title,
                is_busy: true,
                ..data.event
            },
        },
        first_seen_at: Timestamp(row.get(7)?),
        changed_at: Timestamp(row.get(8)?),
        was_starts_at: None,
    })
}
