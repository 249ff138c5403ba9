//! Events of the payment provider that were applied.

use super::{Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;

impl View<'_> {
    pub fn knows_payment_event(&self, event_id: &str) -> Result<bool> {
        self.exists(
            "SELECT 1 FROM payment_events WHERE event_id = ?1",
            [event_id],
        )
    }

    /// The newest event that a restored database knew, until later events were requested.
    /// `Timestamp(0)` when it knew none.
    pub fn payments_lost_since(&self) -> Result<Option<Timestamp>> {
        let since = self.meta_number("payments_lost_since")?;
        Ok(since.map(Timestamp))
    }

    /// The position of the hourly reconciliation of all customers.
    pub fn reconciled_up_to(&self) -> Result<String> {
        Ok(self
            .find("SELECT value FROM meta WHERE key = 'reconciled_up_to'", [])?
            .unwrap_or_default())
    }
}

impl Tx<'_> {
    pub fn insert_payment_event(&self, event_id: &str, kind: &str, now: Timestamp) -> Result<()> {
        self.run(
            "INSERT INTO payment_events (event_id, kind, received_at) VALUES (?1, ?2, ?3)",
            (event_id, kind, now),
        )
    }

    /// Events since the backup were requested.
    pub fn end_lost_payments(&self) -> Result<()> {
        self.run("DELETE FROM meta WHERE key = 'payments_lost_since'", [])
    }

    pub fn set_reconciled_up_to(&self, customer_id: &str) -> Result<()> {
        self.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES ('reconciled_up_to', ?1)",
            [customer_id],
        )
    }
}
