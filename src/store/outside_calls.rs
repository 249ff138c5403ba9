//! Calls of other servers' tools for replies that are still to be made: what went out, and what
//! came of it. They go with the pending reply.

use super::{Tx, View};
use crate::error::Result;

/// A call of another server's tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideCall {
    /// As the model called it.
    pub tool: String,
    /// JSON
    pub arguments: String,
    /// JSON; `None`: it is not known what came of the call.
    pub result: Option<String>,
}

impl Tx<'_> {
    /// Records a call before it goes out. `None`: the reply is no longer to be made.
    pub fn insert_outside_call(
        &self,
        message_id: i64,
        tool: &str,
        arguments: &str,
    ) -> Result<Option<i64>> {
        if self.pending_reply(message_id)?.is_none() {
            return Ok(None);
        }
        self.execute(
            "INSERT INTO outside_calls (message_id, tool, arguments) VALUES (?1, ?2, ?3)",
            (message_id, tool, arguments),
        )?;
        Ok(Some(self.conn.last_insert_rowid()))
    }

    pub fn set_outside_result(&self, id: i64, result: &str) -> Result<()> {
        self.execute(
            "UPDATE outside_calls SET result = ?2 WHERE id = ?1",
            (id, result),
        )?;
        Ok(())
    }
}

impl View<'_> {
    /// In the order in which they went out.
    pub fn outside_calls(&self, message_id: i64) -> Result<Vec<OutsideCall>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT tool, arguments, result FROM outside_calls WHERE message_id = ?1 ORDER BY id",
        )?;
        let rows = statement.query_map([message_id], |row| {
            Ok(OutsideCall {
                tool: row.get(0)?,
                arguments: row.get(1)?,
                result: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
