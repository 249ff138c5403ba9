//! Messages waiting for a language model's reply, and the reply's effects on their rows. The text
//! is in the message's row.

use rusqlite::Connection;

use super::query::from_row;
use super::{AgentId, RoomId, Tx, UserId, View};
use crate::error::Result;
use crate::model::answer::Answer;

/// A reply that is still to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingReply {
    pub message_id: i64,
    pub room: RoomId,
    /// In a group, without having been addressed.
    pub unprompted: bool,
    /// The request was answered without it.
    pub late: bool,
    /// Service starts since then without a finished reply.
    pub starts: i64,
    /// The relay that delivered the message; `None` for the legacy endpoint.
    pub agent: Option<AgentId>,
    /// The message's author.
    pub user: Option<UserId>,
}

/// A call of a tool whose effects stay. It is deleted with the pending reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneCall {
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// JSON
    pub arguments: String,
    /// JSON; `None`: it is not known what came of the call.
    pub result: Option<String>,
}

impl Tx<'_> {
    pub fn insert_pending_reply(
        &self,
        message_id: i64,
        room: RoomId,
        unprompted: bool,
    ) -> Result<()> {
        self.run(
            "INSERT INTO pending_replies (message_id, room_id, unprompted) VALUES (?1, ?2, ?3)",
            (message_id, room, unprompted),
        )
    }

    /// The request was answered without the reply, which will be a command.
    pub fn set_reply_late(&self, message_id: i64) -> Result<()> {
        self.run(
            "UPDATE pending_replies SET late = 1 WHERE message_id = ?1",
            [message_id],
        )
    }

    /// The beginning of the reply became a command.
    pub fn add_sent(&self, message_id: i64, text: &str) -> Result<()> {
        self.run(
            "UPDATE pending_replies SET sent = json_insert(sent, '$[#]', ?2), late = 1
             WHERE message_id = ?1",
            (message_id, text),
        )
    }

    /// Resets the count of service starts.
    pub fn forget_reply_starts(&self, message_id: i64) -> Result<()> {
        self.run(
            "UPDATE pending_replies SET starts = 0 WHERE message_id = ?1",
            [message_id],
        )
    }

    /// True when it existed.
    pub fn delete_pending_reply(&self, message_id: i64) -> Result<bool> {
        let deleted = self.execute(
            "DELETE FROM pending_replies WHERE message_id = ?1",
            [message_id],
        )?;
        Ok(deleted > 0)
    }

    /// The answer to a message whose reply was pending.
    pub fn set_answer(&self, message_id: i64, answer: &Answer, decision: &str) -> Result<()> {
        let [bubbles, access, schedule] = answer.columns();
        self.run(
            "UPDATE messages SET bubbles = ?2, access = ?3, schedule = ?4, decision = ?5
             WHERE id = ?1",
            (message_id, bubbles, access, schedule, decision),
        )
    }

    /// Stores the reply sent as a command; the answer to the request stays. `decision`: how a model
    /// made it, if one was asked.
    pub fn set_late_reply(
        &self,
        message_id: i64,
        answer: &Answer,
        decision: Option<&str>,
    ) -> Result<()> {
        let [bubbles, ..] = answer.columns();
        self.run(
            "UPDATE messages SET late = ?2, decision = ?3 WHERE id = ?1",
            (message_id, bubbles, decision),
        )
    }

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
    /// `None` also when its message was removed.
    pub fn pending_reply(&self, message_id: i64) -> Result<Option<PendingReply>> {
        self.find(
            "SELECT p.message_id, p.room_id, p.unprompted, p.late, p.starts, m.agent_id,
               m.user_id
             FROM pending_replies p JOIN messages m ON m.id = p.message_id
             WHERE p.message_id = ?1",
            [message_id],
        )
    }

    /// The texts of its beginning that are commands already, in order.
    pub fn sent_of_reply(&self, message_id: i64) -> Result<Vec<String>> {
        self.all(
            "SELECT value FROM pending_replies, json_each(sent) WHERE message_id = ?1 ORDER BY key",
            [message_id],
        )
    }

    /// Pending replies after a message, in the order of messages, at most `limit`.
    pub fn pending_replies(&self, after: i64, limit: usize) -> Result<Vec<PendingReply>> {
        self.all(
            "SELECT p.message_id, p.room_id, p.unprompted, p.late, p.starts, m.agent_id,
               m.user_id
             FROM pending_replies p LEFT JOIN messages m ON m.id = p.message_id
             WHERE p.message_id > ?1 ORDER BY p.message_id LIMIT ?2",
            (after, limit as i64),
        )
    }

    pub fn count_pending_replies(&self) -> Result<usize> {
        self.one("SELECT count(*) FROM pending_replies", [])
    }

    /// In the order in which they went out.
    pub fn done_calls(&self, message_id: i64) -> Result<Vec<DoneCall>> {
        self.all(
            "SELECT tool, arguments, result FROM done_calls WHERE message_id = ?1 ORDER BY id",
            [message_id],
        )
    }
}

from_row!(DoneCall: tool, arguments, result);
from_row!(PendingReply: message_id, room, unprompted, late, starts, agent, user);

/// At a start no request waits for a pending reply any more. A reply for a relay becomes a command,
/// and a repeated request gets the answer without it. Legacy relays take no commands, so their
/// reply waits for the repeated request.
pub(super) fn take_up(conn: &mut Connection) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    tx.execute(
        "INSERT INTO undelivered_answers (request, message_id, created_at)
         SELECT request, messages.id, received_at
         FROM pending_replies p CROSS JOIN messages ON messages.id = p.message_id
         WHERE p.late = 0 AND request IS NOT NULL
           AND messages.id NOT IN (SELECT message_id FROM undelivered_answers) ORDER BY messages.id",
        [],
    )?;
    tx.execute(
        "UPDATE pending_replies SET starts = starts + 1,
         late = late OR (SELECT agent_id IS NOT NULL FROM messages WHERE id = message_id) IS TRUE",
        [],
    )?;
    tx.commit()
}
