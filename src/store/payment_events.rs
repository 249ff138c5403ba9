//! Events of the payment provider that were applied.

use rusqlite::OptionalExtension;

use super::{Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;

impl View<'_> {
    pub fn knows_payment_event(&self, event_id: &str) -> Result<bool> {
        Ok(self
            .conn
            .prepare_cached("SELECT 1 FROM payment_events WHERE event_id = ?1")?
            .query_row([event_id], |_| Ok(()))
            .optional()?
            .is_some())
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
            .conn
            .prepare_cached("SELECT value FROM meta WHERE key = 'reconciled_up_to'")?
            .query_row([], |row| row.get(0))
            .optional()?
            .unwrap_or_default())
    }
}

impl Tx<'_> {
    pub fn insert_payment_event(&self, event_id: &str, kind: &str, now: Timestamp) -> Result<()> {
        self.execute(
            "INSERT INTO payment_events (event_id, kind, received_at) VALUES (?1, ?2, ?3)",
            (event_id, kind, now.0),
        )?;
        Ok(())
    }

    /// Events since the backup were requested.
    pub fn end_lost_payments(&self) -> Result<()> {
        self.execute("DELETE FROM meta WHERE key = 'payments_lost_since'", [])?;
        Ok(())
    }

    pub fn set_reconciled_up_to(&self, customer_id: &str) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES ('reconciled_up_to', ?1)",
            [customer_id],
        )?;
        Ok(())
    }
}
