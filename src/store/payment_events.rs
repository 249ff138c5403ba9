//! Which of the payment provider's events have taken effect.

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

    /// The newest event that a restored database knew, while what came after it is yet to be
    /// asked for. `Timestamp(0)`: it knew none.
    pub fn payments_lost_since(&self) -> Result<Option<Timestamp>> {
        let since = self.meta_number("payments_lost_since")?;
        Ok(since.map(Timestamp))
    }

    /// How far the hourly look at all customers has come.
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

    /// What came after the backup has been asked for.
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
