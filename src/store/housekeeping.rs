//! Removes expired rows. Each call removes a bounded number of rows, so that no message waits for
//! long; the job repeats it until nothing is left.

use super::answers::KEYS_KEPT_MS;
use super::audit::{AUDIT_KEPT_MS, AUDIT_ROWS_MAX};
use super::webhook_events::DELIVERIES_KEPT_MS;
use super::{Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const COMMANDS_KEPT_MS: i64 = 30 * DAY_MS;
const EVENTS_KEPT_MS: i64 = 30 * DAY_MS;
/// Longer than any report of usage covers.
const TOKEN_USAGE_KEPT_DAYS: i64 = 100;
const LIMIT_USES_KEPT_MS: i64 = 2 * DAY_MS;
const PAYMENT_EVENTS_KEPT_MS: i64 = 30 * DAY_MS;
/// The payment provider forgets a key after a day.
const PROVIDER_KEYS_KEPT_MS: i64 = 2 * DAY_MS;
/// Counted from the token's expiry, so that a clock set back makes no used token valid.
const USED_REGISTRATIONS_KEPT_MS: i64 = 2 * DAY_MS;
/// Counted from their expiry, so that whoever opens one is told that it has expired.
const CONNECT_LINKS_KEPT_MS: i64 = 2 * DAY_MS;
/// Far longer than a backup should be kept.
pub const ENDED_ACCESS_KEPT_MS: i64 = 90 * DAY_MS;
/// Rows removed from one table in one call.
pub(super) const ROWS_MAX: i64 = 500;

/// SQL that removes the oldest rows written before ?1, at most ?2 of them, and how long such rows are
/// stored. Where ids grow with time, the first rows are the oldest.
#[rustfmt::skip] // one table per row
const EXPIRED_ROWS: [(&str, i64); 9] = [
    ("DELETE FROM idempotency_keys WHERE id IN
      (SELECT id FROM idempotency_keys ORDER BY id LIMIT ?2) AND created_at < ?1", KEYS_KEPT_MS),
    ("DELETE FROM commands WHERE id IN
      (SELECT id FROM commands ORDER BY id LIMIT ?2) AND finished_at < ?1", COMMANDS_KEPT_MS),
    ("DELETE FROM edge_events WHERE id IN
      (SELECT id FROM edge_events ORDER BY id LIMIT ?2) AND received_at < ?1", EVENTS_KEPT_MS),
    ("DELETE FROM webhook_deliveries WHERE id IN
      (SELECT id FROM webhook_deliveries ORDER BY id LIMIT ?2) AND created_at < ?1", DELIVERIES_KEPT_MS),
    ("DELETE FROM payment_events WHERE id IN
      (SELECT id FROM payment_events ORDER BY id LIMIT ?2) AND received_at < ?1", PAYMENT_EVENTS_KEPT_MS),
    ("DELETE FROM limit_uses WHERE (kind, subject, used_at) IN
      (SELECT kind, subject, used_at FROM limit_uses WHERE used_at < ?1 ORDER BY used_at LIMIT ?2)", LIMIT_USES_KEPT_MS),
    ("DELETE FROM provider_keys WHERE (user_id, operation) IN
      (SELECT user_id, operation FROM provider_keys WHERE created_at < ?1 ORDER BY created_at LIMIT ?2)", PROVIDER_KEYS_KEPT_MS),
    ("DELETE FROM used_registrations WHERE nonce IN
      (SELECT nonce FROM used_registrations WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)", USED_REGISTRATIONS_KEPT_MS),
    ("DELETE FROM ended_access WHERE (kind, target) IN
      (SELECT kind, target FROM ended_access WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)", ENDED_ACCESS_KEPT_MS),
];

impl View<'_> {
    /// Whether the clock was not trusted at the last check.
    pub fn clock_has_jumped(&self) -> Result<bool> {
        Ok(self.meta_number("clock_has_jumped")?.is_some())
    }
}

impl Tx<'_> {
    pub fn set_clock_has_jumped(&self, has: bool) -> Result<()> {
        if has {
            return self.set_meta_number("clock_has_jumped", 1);
        }
        self.run("DELETE FROM meta WHERE key = 'clock_has_jumped'", [])
    }

    /// Removes expired rows; true when there may be more.
    pub fn remove_old_rows(&mut self, now: Timestamp) -> Result<bool> {
        self.drop_undelivered_answers(now)?;
        self.pull_back_limit_uses(now)?;
        self.remove_few(now)?;
        let events_left = self.sweep_webhook_events(now)? | self.delete_old_dialogs(now)?;
        let quiet = self.end_quiet_sessions(now)? | self.end_app_sessions(now)?;
        let audit_removed = self.execute(
            "DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?3)
             AND (at < ?1 OR id <= (SELECT max(id) FROM audit) - ?2)",
            (now.0 - AUDIT_KEPT_MS, AUDIT_ROWS_MAX, ROWS_MAX),
        )?;
        let mut removed = vec![
            audit_removed,
            self.delete_forgotten_export_jobs(now, ROWS_MAX)?,
            self.delete_forgotten_photos(now.plus_ms(-KEYS_KEPT_MS), ROWS_MAX)?,
        ];
        for (sql, kept_ms) in EXPIRED_ROWS {
            removed.push(self.execute(sql, (now.0 - kept_ms, ROWS_MAX))?);
        }
        Ok(events_left || quiet || removed.iter().any(|rows| *rows as i64 >= ROWS_MAX))
    }

    /// Removes expired rows of tables that are always small.
    fn remove_few(&self, now: Timestamp) -> Result<()> {
        self.delete_connect_links(now.plus_ms(-CONNECT_LINKS_KEPT_MS))?;
        self.run(
            "DELETE FROM token_usage WHERE day < ?1",
            [now.utc_day() - TOKEN_USAGE_KEPT_DAYS],
        )
    }
}
