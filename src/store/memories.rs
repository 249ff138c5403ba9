//! Memories: what people asked the assistant to remember, when stored in this database.

use super::query::from_row;
use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone)]
pub struct Memory {
    pub id: i64,
    /// UUID
    pub public_id: String,
    pub text: String,
    pub category: String,
    pub created_at: Timestamp,
}

const COLUMNS: &str = "SELECT id, memory_id, text, category, created_at FROM memories";

impl Tx<'_> {
    pub fn insert_memory(
        &self,
        user: UserId,
        public_id: &str,
        text: &str,
        category: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.run(
            "INSERT INTO memories (memory_id, user_id, text, category, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            (public_id, user, text, category, now),
        )
    }

    pub fn count_memories(&self, user: UserId) -> Result<usize> {
        self.one("SELECT count(*) FROM memories WHERE user_id = ?1", [user])
    }

    pub fn delete_memory(&self, user: UserId, id: i64) -> Result<()> {
        self.run(
            "DELETE FROM memories WHERE id = ?2 AND user_id = ?1",
            (user, id),
        )
    }

    pub fn delete_memories(&self, user: UserId) -> Result<usize> {
        self.execute("DELETE FROM memories WHERE user_id = ?1", [user])
    }
}

impl View<'_> {
    /// A user's memories, oldest first, at most `limit` of the newest.
    pub fn memories(&self, user: UserId, limit: usize) -> Result<Vec<Memory>> {
        let mut memories: Vec<Memory> = self.all(
            &format!("{COLUMNS} WHERE user_id = ?1 ORDER BY id DESC LIMIT ?2"),
            (user, limit as i64),
        )?;
        memories.reverse();
        Ok(memories)
    }

    /// The next of a user's memories after one of them and up to `last`, oldest first.
    pub fn memories_page(
        &self,
        user: UserId,
        after: i64,
        last: i64,
        limit: usize,
    ) -> Result<Vec<Memory>> {
        self.all(
            &format!("{COLUMNS} WHERE user_id = ?1 AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4"),
            (user, after, last, limit as i64),
        )
    }

    /// By the public id.
    pub fn memory(&self, public_id: &str) -> Result<Option<Memory>> {
        self.find(&format!("{COLUMNS} WHERE memory_id = ?1"), [public_id])
    }
}

from_row!(Memory: id, public_id, text, category, created_at);
