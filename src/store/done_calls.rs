//! Tool calls of unfinished replies whose effects can't be undone: the call, and its result. They
//! are deleted with the pending reply.

use super::query::from_row;
use super::{Tx, View};
use crate::error::Result;

/// A call of a tool whose effects stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneCall {
    /// As the model called it.
    pub tool: String,
    /// JSON
    pub arguments: String,
    /// JSON; `None`: it is not known what came of the call.
    pub result: Option<String>,
}

impl Tx<'_> {
    /// Records a call before it goes out. `None`: the reply is no longer to be made.
    pub fn insert_done_call(
        &self,
        message_id: i64,
        tool: &str,
        arguments: &str,
        result: Option<&str>,
    ) -> Result<Option<i64>> {
        if self.pending_reply(message_id)?.is_none() {
            return Ok(None);
        }
        self.run(
            "INSERT INTO done_calls (message_id, tool, arguments, result) VALUES (?1, ?2, ?3, ?4)",
            (message_id, tool, arguments, result),
        )?;
        Ok(Some(self.conn.last_insert_rowid()))
    }

    pub fn set_done_result(&self, id: i64, result: &str) -> Result<()> {
        self.run(
            "UPDATE done_calls SET result = ?2 WHERE id = ?1",
            (id, result),
        )
    }
}

impl View<'_> {
    /// In the order in which they went out.
    pub fn done_calls(&self, message_id: i64) -> Result<Vec<DoneCall>> {
        self.all(
            "SELECT tool, arguments, result FROM done_calls WHERE message_id = ?1 ORDER BY id",
            [message_id],
        )
    }
}

from_row!(DoneCall: tool, arguments, result);
