//! Tasks for an external memory service: open ones, and those finished recently.

use super::query::{from_row, names};
use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::named::named;

named! {
    pub enum MemoryTaskKind {
        /// A memory to be added there.
        Add = "add",
        /// Deletes one memory, by our id or the service's.
        Delete = "delete",
        DeleteAll = "delete_all",
    }
}
names! { MemoryTaskKind }

#[derive(Debug, Clone)]
pub struct MemoryTask {
    pub id: i64,
    pub user: UserId,
    /// The user's public id.
    pub user_id: String,
    pub kind: MemoryTaskKind,
    /// `None` means all memories.
    pub memory_id: Option<String>,
    /// Earlier attempts.
    pub attempts: i64,
    pub created_at: Timestamp,
    pub is_done: bool,
}

const COLUMNS: &str = "SELECT memory_tasks.id, memory_tasks.user_id, users.user_id, kind,
       memory_id, attempts, memory_tasks.created_at, done_at IS NOT NULL
     FROM memory_tasks JOIN users ON users.id = memory_tasks.user_id";

impl Tx<'_> {
    pub fn insert_memory_task(
        &self,
        user: UserId,
        kind: MemoryTaskKind,
        memory_id: Option<&str>,
        now: Timestamp,
    ) -> Result<()> {
        self.run(
            "INSERT INTO memory_tasks (user_id, kind, memory_id, due_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?4)",
            (user, kind, memory_id, now),
        )
    }

    /// Cancels the addition of a memory. `None` when no such task exists; otherwise the number of
    /// attempts that may have added it.
    pub fn take_back_memory_add(&self, user: UserId, memory_id: &str) -> Result<Option<i64>> {
        let add: Option<(i64, i64)> = self.find(
            "SELECT id, attempts FROM memory_tasks
             WHERE memory_id = ?1 AND user_id = ?2 AND kind = 'add'",
            (memory_id, user),
        )?;
        if let Some((id, _)) = add {
            self.delete_memory_task(id)?;
        }
        Ok(add.map(|(_, attempts)| attempts))
    }

    /// Counts an attempt before it is made; false when the task was removed.
    pub fn begin_memory_task(&self, id: i64) -> Result<bool> {
        let changed = self.execute(
            "UPDATE memory_tasks SET attempts = attempts + 1 WHERE id = ?1",
            [id],
        )?;
        Ok(changed == 1)
    }

    pub fn finish_memory_task(&self, id: i64, now: Timestamp) -> Result<()> {
        self.run(
            "UPDATE memory_tasks SET done_at = ?2 WHERE id = ?1",
            (id, now),
        )
    }

    pub fn postpone_memory_task(&self, id: i64, due_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE memory_tasks SET due_at = ?2 WHERE id = ?1",
            (id, due_at),
        )
    }

    pub fn delete_memory_task(&self, id: i64) -> Result<()> {
        self.run("DELETE FROM memory_tasks WHERE id = ?1", [id])
    }

    /// Removes all tasks of a person.
    pub fn delete_memory_tasks(&self, user: UserId) -> Result<usize> {
        self.execute("DELETE FROM memory_tasks WHERE user_id = ?1", [user])
    }

    /// Removes tasks finished before `before`, and our copies of the memories that the service
    /// stores since; at most 500 at once.
    pub fn settle_memory_tasks(&self, before: Timestamp) -> Result<()> {
        let settled: Vec<(i64, i64, Option<String>)> = self.all(
            "SELECT id, user_id, CASE kind WHEN 'add' THEN memory_id END FROM memory_tasks
             WHERE done_at < ?1 LIMIT 500",
            [before],
        )?;
        for (id, user, added) in settled {
            if let Some(memory_id) = added {
                self.run(
                    "DELETE FROM memories WHERE memory_id = ?1 AND user_id = ?2",
                    (memory_id, user),
                )?;
            }
            self.delete_memory_task(id)?;
        }
        Ok(())
    }
}

impl View<'_> {
    /// A person's tasks, oldest first, open or finished.
    pub fn memory_tasks(&self, user: UserId) -> Result<Vec<MemoryTask>> {
        self.tasks_where(
            "WHERE memory_tasks.user_id = ?1 ORDER BY memory_tasks.id",
            user.0,
        )
    }

    /// Tasks due now, at most 16, and only the first of each person.
    pub fn due_memory_tasks(&self, now: Timestamp) -> Result<Vec<MemoryTask>> {
        self.tasks_where(
            "WHERE done_at IS NULL AND due_at <= ?1 AND NOT EXISTS
               (SELECT 1 FROM memory_tasks AS earlier
                WHERE earlier.user_id = memory_tasks.user_id AND earlier.id < memory_tasks.id
                  AND earlier.done_at IS NULL)
             ORDER BY due_at LIMIT 16",
            now.0,
        )
    }

    /// Whether any task was finished before `before`.
    pub fn any_settled_memory_task(&self, before: Timestamp) -> Result<bool> {
        let sql = "SELECT 1 FROM memory_tasks WHERE done_at < ?1 LIMIT 1";
        self.exists(sql, [before])
    }

    fn tasks_where(&self, condition: &str, value: i64) -> Result<Vec<MemoryTask>> {
        self.all(&format!("{COLUMNS} {condition}"), [value])
    }
}

from_row!(MemoryTask: id, user, user_id, kind, memory_id, attempts, created_at, is_done);
