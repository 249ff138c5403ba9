//! Ids of webhook calls, so that a call repeated within a day does nothing. Only executed calls are
//! stored.

use super::{Digest, Tx};
use crate::clock::Timestamp;
use crate::error::Result;

pub(super) const DELIVERIES_KEPT_MS: i64 = 24 * 60 * 60 * 1000;

impl Tx<'_> {
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
