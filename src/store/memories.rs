//! What people asked the assistant to remember.

use super::{Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone)]
pub struct Memory {
    pub id: i64,
    pub text: String,
}

/// The category of what somebody said to the assistant.
const SAID: &str = "said";

impl Tx<'_> {
    pub fn insert_memory(
        &self,
        user: UserId,
        public_id: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.insert_memory_of(user, public_id, text, SAID, now)
    }

    /// One that came in another way than by being said.
    pub fn insert_memory_of(
        &self,
        user: UserId,
        public_id: &str,
        text: &str,
        category: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.execute(
            "INSERT INTO memories (memory_id, user_id, text, category, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            (public_id, user.0, text, category, now.0),
        )?;
        Ok(())
    }

    /// A user's memories, oldest first, at most `limit` of the newest.
    pub fn memories(&self, user: UserId, limit: usize) -> Result<Vec<Memory>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, text FROM memories WHERE user_id = ?1 ORDER BY id DESC LIMIT ?2",
        )?;
        let rows = statement.query_map((user.0, limit as i64), |row| {
            Ok(Memory {
                id: row.get(0)?,
                text: row.get(1)?,
            })
        })?;
        let mut memories = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        memories.reverse();
        Ok(memories)
    }

    pub fn count_memories(&self, user: UserId) -> Result<usize> {
        let count: i64 = self
            .conn
            .prepare_cached("SELECT count(*) FROM memories WHERE user_id = ?1")?
            .query_row([user.0], |row| row.get(0))?;
        Ok(count as usize)
    }

    pub fn delete_memory(&self, user: UserId, id: i64) -> Result<()> {
        self.execute(
            "DELETE FROM memories WHERE id = ?2 AND user_id = ?1",
            (user.0, id),
        )?;
        Ok(())
    }

    pub fn delete_memories(&self, user: UserId) -> Result<usize> {
        self.execute("DELETE FROM memories WHERE user_id = ?1", [user.0])
    }
}
