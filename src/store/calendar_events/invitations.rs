//! Invitations in mails, as events of a calendar. They count only for people without a connected
//! calendar: a connected one contains them already.

use std::ops::Range;

use super::CalendarEvent;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::calendar::{DAY_MS, EventDetails, EventFacts, EventStatus, EventTime};
use crate::model::mail_item::{FactStatus, InvitationData};
use crate::store::query::{Json, Text, from_row};
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
    /// Whether a user without a connected calendar has an invitation to a future event.
    pub fn has_invitations(&self, user: UserId, now: Timestamp) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM mail_facts
             WHERE {COUNTED} AND status <> 'cancelled' AND ends_at > ?2)"
        );
        // Times without a zone are stored as UTC, up to a day off.
        self.one(&sql, (user, now.plus_ms(-DAY_MS)))
    }

    /// Invitations in `span` of a user without a connected calendar. Times without a zone are read
    /// as UTC.
    pub(super) fn invitations_between(
        &self,
        user: UserId,
        span: &Range<Timestamp>,
    ) -> Result<Vec<CalendarEvent>> {
        let sql = format!(
            "SELECT id, user_id, fact_key, clock, starts_at, ends_at, status, data, first_seen_at,
               changed_at
             FROM mail_facts
             WHERE {COUNTED} AND status <> 'cancelled' AND starts_at < ?3 AND ends_at >= ?2
             ORDER BY starts_at, id LIMIT ?4"
        );
        let invitations: Vec<Invitation> =
            self.all(&sql, (user, span.start, span.end, INVITATIONS_MAX))?;
        Ok(invitations.into_iter().map(CalendarEvent::from).collect())
    }
}

struct Invitation {
    id: i64,
    user: UserId,
    uid: String,
    time: EventTime,
    status: FactStatus,
    data: InvitationData,
    first_seen_at: Timestamp,
    changed_at: Timestamp,
}

from_row!(Invitation: id, user, uid, time, status as Text, data as Json, first_seen_at,
    changed_at);

impl From<Invitation> for CalendarEvent {
    fn from(invitation: Invitation) -> Self {
        Self {
            // Not the number of any event of a calendar.
            id: -invitation.id,
            calendar: CalendarId(0),
            user: invitation.user,
            facts: EventFacts {
                uid: invitation.uid,
                instance: String::new(),
                object: String::new(),
                etag: None,
                time: invitation.time,
                status: match invitation.status {
                    FactStatus::Confirmed => EventStatus::Confirmed,
                    FactStatus::Pending => EventStatus::Tentative,
                    FactStatus::Cancelled => EventStatus::Cancelled,
                },
                details: EventDetails {
                    title: invitation.data.title,
                    is_busy: true,
                    ..invitation.data.event
                },
            },
            first_seen_at: invitation.first_seen_at,
            changed_at: invitation.changed_at,
            was_starts_at: None,
        }
    }
}
