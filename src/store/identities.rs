//! Who people are to identity providers.

use rusqlite::OptionalExtension;

use super::{Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;

impl Tx<'_> {
    /// By the public id.
    pub fn user_id(&self, public_id: &str) -> Result<Option<UserId>> {
        Ok(self
            .conn
            .prepare_cached("SELECT id FROM users WHERE user_id = ?1")?
            .query_row([public_id], |row| row.get(0).map(UserId))
            .optional()?)
    }

    /// A user whom no chat network knows yet.
    pub fn insert_user_without_phone(&self, public_id: &str, now: Timestamp) -> Result<UserId> {
        self.execute(
            "INSERT INTO users (id, user_id, created_at) VALUES (?1, ?2, ?3)",
            (self.next_user_id()?, public_id, now.0),
        )?;
        Ok(UserId(self.conn.last_insert_rowid()))
    }
}
