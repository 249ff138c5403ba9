//! Log of webhook calls: the newest 1,000 per webhook, for 30 days, in a ring buffer of rows
//! (`slot`). The buffer's position is in memory, so that logging a call costs one row and no
//! look-up. New events are appended to a table of their own, and moved into the rings together (see
//! `deferred`), many of them in several transactions, and then removed from that table in the same
//! way. Until then they are in both tables. Also the ids of executed calls, so that a call repeated within a day does nothing.

use std::ops::Range;
use std::sync::Arc;

use rusqlite::{Connection, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::prepared::PreparedStatement;
use super::query::from_row;
use super::{Digest, Tx, View, WebhookId};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::public_id::PublicId;

/// How long the id of an executed call is stored, so that a repeated call does nothing.
pub(super) const DELIVERIES_KEPT_MS: i64 = 24 * 60 * 60 * 1000;
/// Rows in a webhook's ring buffer: the oldest is overwritten.
const RING_SLOTS: i64 = 1_000;
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// Events that are moved into their rings, or removed after that, in one transaction of others.
const MOVED_AT_ONCE: usize = if cfg!(test) { 3 } else { 512 };
/// Webhooks checked for old events in one call.
const RINGS_AT_ONCE_MAX: i64 = 20;

/// A webhook's ring position in this transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventCursor {
    pub version: i64,
    /// Number of its newest event.
    pub(super) serial: i64,
}

pub struct NewEvent<'a> {
    pub event_id: &'a str,
    pub signature_valid: bool,
    /// Empty when no action was triggered.
    pub action_triggered: &'a str,
    pub result_status: &'a str,
    pub error_message: Option<&'a str>,
    pub ip_address: &'a str,
    pub now: Timestamp,
}

/// A logged call, as the creator of the webhook sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEvent")]
pub struct EventRow {
    #[schemars(with = "PublicId")]
    pub event_id: String,
    /// Also false if the call was refused before the signature was checked.
    pub signature_valid: bool,
    pub action_triggered: String,
    #[schemars(extend("enum" = [
        "ok", "duplicate", "invalid_signature", "rate_limited", "payload_too_large",
        "invalid_json", "action_failed", "inactive",
    ]))]
    pub result_status: String,
    pub error_message: Option<String>,
    #[schemars(example = &"192.0.2.1")]
    pub ip_address: String,
    pub created_at: Timestamp,
}

/// Position of the sweep for old events. It is in memory; a restart begins again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EventSweep {
    day: i64,
    after: i64,
}

impl Tx<'_> {
    /// `None` when the webhook was deleted.
    pub fn webhook_event_cursor(&mut self, webhook: WebhookId) -> Result<Option<EventCursor>> {
        if let Some(cursor) = self.cache.event_cursors.get(&webhook) {
            return Ok(Some(*cursor));
        }
        self.settle_webhook_events()?;
        let found = self.find(
            "SELECT version, coalesce(
               (SELECT max(serial) FROM webhook_events WHERE webhook_id = webhooks.id), 0)
             FROM webhooks WHERE id = ?1",
            [webhook],
        )?;
        if let Some(cursor) = found {
            self.cache.put_event_cursor(webhook, cursor);
        }
        Ok(found)
    }

    /// Logs a call. Does nothing when the webhook was deleted.
    pub fn insert_webhook_event(&mut self, webhook: WebhookId, new: &NewEvent) -> Result<()> {
        let Some(mut cursor) = self.webhook_event_cursor(webhook)? else {
            return Ok(());
        };
        cursor.serial += 1;
        self.execute_prepared(
            PreparedStatement::InsertWebhookEvent,
            params![
                webhook.0, cursor.serial, new.event_id, new.signature_valid, new.action_triggered,
                new.result_status, new.error_message, new.ip_address, new.now.0,
            ],
        )?;
        self.cache.deferred.add_webhook_event();
        self.cache.put_event_cursor(webhook, cursor);
        Ok(())
    }

    /// Removes old events, of some webhooks per call and of all once per UTC day; true when there
    /// are more to check.
    pub(super) fn sweep_webhook_events(&mut self, now: Timestamp) -> Result<bool> {
        let mut sweep = self.cache.sweep;
        if sweep.day == now.utc_day() && sweep.after == i64::MAX {
            return Ok(false);
        }
        if sweep.day != now.utc_day() {
            sweep = EventSweep {
                day: now.utc_day(),
                after: 0,
            };
        }
        self.settle_webhook_events()?;
        self.run(
            "DELETE FROM webhook_events WHERE created_at < ?1 AND webhook_id IN
             (SELECT id FROM webhooks WHERE id > ?2 ORDER BY id LIMIT ?3)",
            (now.0 - KEPT_MS, sweep.after, RINGS_AT_ONCE_MAX),
        )?;
        let last: Option<i64> = self.find(
            "SELECT id FROM webhooks WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2 - 1",
            (sweep.after, RINGS_AT_ONCE_MAX),
        )?;
        sweep.after = last.unwrap_or(i64::MAX);
        // The position is kept when this is rolled back: skipped events are removed a day later.
        self.cache.sweep = sweep;
        Ok(last.is_some())
    }

    /// Whether a call with this id was executed within a day.
    pub fn knows_delivery(&self, delivery: &Digest, now: Timestamp) -> Result<bool> {
        self.one(
            "SELECT EXISTS (SELECT 1 FROM webhook_deliveries
             WHERE delivery = ?1 AND created_at > ?2)",
            (delivery, now.0 - DELIVERIES_KEPT_MS),
        )
    }

    /// Replaces an expired row.
    pub fn insert_delivery(&self, delivery: &Digest, now: Timestamp) -> Result<()> {
        self.run(
            "INSERT OR REPLACE INTO webhook_deliveries (delivery, created_at) VALUES (?1, ?2)",
            (delivery, now),
        )
    }
}

/// Moves new events into their webhooks' rings. Of more than a ring has slots for, the newest stay.
pub(super) fn move_into_rings(conn: &Connection) -> rusqlite::Result<()> {
    let mut moving = MovingEvents::default().move_some(conn)?;
    while !moving.is_over() {
        moving = moving.move_some(conn)?;
    }
    Ok(())
}

/// Events that are being moved into their rings.
#[derive(Debug, Clone, Default)]
pub(super) struct MovingEvents {
    /// All of them, by webhook.
    ids: Arc<[i64]>,
    moved: usize,
    /// The events that are not removed from the table of new events yet.
    left: Range<i64>,
}

impl MovingEvents {
    pub(super) fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// Moves some, or begins with some of all new events. When all are moved, removes some, oldest
    /// first: what a killed process leaves is moved again, and must overwrite nothing newer.
    pub(super) fn move_some(mut self, conn: &Connection) -> rusqlite::Result<Self> {
        if self.is_over() {
            let sql = "SELECT id FROM new_webhook_events ORDER BY webhook_id, id";
            let mut all = conn.prepare_cached(sql)?;
            let ids = all.query_map([], |row| row.get(0))?;
            let ids = ids.collect::<rusqlite::Result<Arc<[i64]>>>()?;
            let (oldest, newest) = (ids.iter().min(), ids.iter().max());
            self = Self {
                left: oldest.copied().unwrap_or(0)..newest.map_or(0, |newest| newest + 1),
                ids,
                moved: 0,
            };
        } else if self.moved == self.ids.len() {
            return self.remove_some(conn);
        }
        let mut into_ring = conn.prepare_cached(
            "INSERT OR REPLACE INTO webhook_events (webhook_id, slot, serial, event_id,
               signature_valid, action_triggered, result_status, error_message, ip_address, created_at)
             SELECT webhook_id, serial % ?1, serial, event_id, signature_valid, action_triggered,
               result_status, error_message, ip_address, created_at
             FROM new_webhook_events WHERE id = ?2",
        )?;
        let until = self.ids.len().min(self.moved + MOVED_AT_ONCE);
        for id in &self.ids[self.moved..until] {
            into_ring.execute((RING_SLOTS, id))?;
        }
        self.moved = until;
        match self.ids.len() <= MOVED_AT_ONCE {
            true => self.remove_some(conn),
            false => Ok(self),
        }
    }

    fn remove_some(mut self, conn: &Connection) -> rusqlite::Result<Self> {
        let sql = "DELETE FROM new_webhook_events WHERE id < ?1";
        let until = self.left.end.min(self.left.start + MOVED_AT_ONCE as i64);
        conn.prepare_cached(sql)?.execute([until])?;
        self.left.start = until;
        Ok(self)
    }
}

impl View<'_> {
    /// A webhook's newest events, newest first, and the number stored: those in its ring, and those
    /// that aren't moved into it yet.
    pub fn webhook_events(
        &self,
        webhook: WebhookId,
        limit: usize,
        now: Timestamp,
    ) -> Result<(Vec<EventRow>, usize)> {
        let mut events: Vec<EventRow> = self.all(
            "SELECT event_id, signature_valid, action_triggered, result_status, error_message,
               ip_address, created_at
             FROM (SELECT serial, event_id, signature_valid, action_triggered, result_status,
                     error_message, ip_address, created_at
                   FROM webhook_events WHERE webhook_id = ?1
                   UNION
                   SELECT serial, event_id, signature_valid, action_triggered, result_status,
                     error_message, ip_address, created_at
                   FROM new_webhook_events WHERE webhook_id = ?1)
             WHERE created_at >= ?2 ORDER BY serial DESC LIMIT ?3",
            (webhook, now.0 - KEPT_MS, RING_SLOTS),
        )?;
        let total = events.len();
        events.truncate(limit);
        Ok((events, total))
    }
}

from_row!(EventRow: event_id, signature_valid, action_triggered, result_status, error_message,
    ip_address, created_at);

#[cfg(test)]
mod tests;

from_row!(EventCursor: version, serial);
