//! Memories: what people asked the assistant to remember, when stored in this database.

use rusqlite::{OptionalExtension, Row};

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
        self.execute(
            "INSERT INTO memories (memory_id, user_id, text, category, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            (public_id, user.0, text, category, now.0),
        )?;
        Ok(())
    }

    /// A user's memories, oldest first, at most `limit` of the newest.
    pub fn memories(&self, user: UserId, limit: usize) -> Result<Vec<Memory>> {
        self.view().memories(user, limit)
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

impl View<'_> {
    /// A user's memories, oldest first, at most `limit` of the newest.
    pub fn memories(&self, user: UserId, limit: usize) -> Result<Vec<Memory>> {
        let mut statement = self.conn.prepare_cached(&format!(
            "{COLUMNS} WHERE user_id = ?1 ORDER BY id DESC LIMIT ?2"
        ))?;
        let rows = statement.query_map((user.0, limit as i64), memory_from)?;
        let mut memories = rows.collect::<rusqlite::Result<Vec<_>>>()?;
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
        let mut statement = self.conn.prepare_cached(&format!(
            "{COLUMNS} WHERE user_id = ?1 AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4"
        ))?;
        let rows = statement.query_map((user.0, after, last, limit as i64), memory_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// By the public id.
    pub fn memory(&self, public_id: &str) -> Result<Option<Memory>> {
        Ok(self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE memory_id = ?1"))?
            .query_row([public_id], memory_from)
            .optional()?)
    }
}

fn memory_from(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        id: row.get(0)?,
        public_id: row.get(1)?,
        text: row.get(2)?,
        category: row.get(3)?,
        created_at: Timestamp(row.get(4)?),
    })
}
