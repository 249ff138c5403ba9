//! Calls of webhooks that named themselves, so that one which comes again within a day does
//! nothing again. Only what was carried out is remembered.

use super::{Digest, Tx};
use crate::clock::Timestamp;
use crate::error::Result;

pub(super) const DELIVERIES_KEPT_MS: i64 = 24 * 60 * 60 * 1000;

impl Tx<'_> {
    pub fn knows_delivery(&self, delivery: &Digest, now: Timestamp) -> Result<bool> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM webhook_deliveries
                   WHERE delivery = ?1 AND created_at > ?2)",
            )?
            .query_row((delivery, now.0 - DELIVERIES_KEPT_MS), |row| row.get(0))?)
    }

    /// In the place of one that is over.
    pub fn insert_delivery(&self, delivery: &Digest, now: Timestamp) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO webhook_deliveries (delivery, created_at) VALUES (?1, ?2)",
            (delivery, now.0),
        )?;
        Ok(())
    }
}
