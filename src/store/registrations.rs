//! Used registration tokens. An unused token has no row: it is signed and expires by itself.

use super::Tx;
use crate::clock::Timestamp;
use crate::error::Result;

impl Tx<'_> {
    /// Records that a token was used; false when it was used before.
    pub fn use_registration(&self, nonce: &str, expires_at: Timestamp) -> Result<bool> {
        let rows = self.execute(
            "INSERT OR IGNORE INTO used_registrations (nonce, expires_at) VALUES (?1, ?2)",
            (nonce, expires_at),
        )?;
        Ok(rows > 0)
    }
}
