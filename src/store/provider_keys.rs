//! Idempotency keys for the payment provider: stored before the first call with the key, until the
//! outcome is known.

use super::{Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;

impl Tx<'_> {
    /// The key of an operation with unknown outcome, or a new one.
    pub fn provider_key(&self, user: UserId, operation: &str, now: Timestamp) -> Result<String> {
        let pending: Option<String> = self.find(
            "SELECT key FROM provider_keys WHERE user_id = ?1 AND operation = ?2",
            (user, operation),
        )?;
        if let Some(key) = pending {
            return Ok(key);
        }
        let key = random::uuid().to_string();
        self.run(
            "INSERT INTO provider_keys (user_id, operation, key, made_at) VALUES (?1, ?2, ?3, ?4)",
            (user, operation, &key, now),
        )?;
        Ok(key)
    }

    /// The outcome is known: the next call is a new operation.
    pub fn remove_provider_key(&self, user: UserId, operation: &str) -> Result<()> {
        self.run(
            "DELETE FROM provider_keys WHERE user_id = ?1 AND operation = ?2",
            (user, operation),
        )
    }
}
