//! The rows of the outbox. Every change of state is a compare-and-set, so an ended command stays
//! ended.

use std::sync::Arc;

use rusqlite::params;

use super::prepared::PreparedStatement;
use super::query::{from_row, names};
use super::unfinished_commands::CommandPlace;
use super::{AgentId, RoomId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::named::named;

named! {
    pub enum CommandState {
        Queued = "queued",
        Sent = "sent",
        Received = "received",
        Executing = "executing",
        Completed = "completed",
        Failed = "failed",
        Expired = "expired",
        Moved = "moved",
    }
}
names! { CommandState }

pub struct NewCommand<'a> {
    pub agent: AgentId,
    pub room: RoomId,
    /// A UUID.
    pub command_id: &'a str,
    pub kind: &'a str,
    /// The JSON exactly as it is sent.
    pub payload: &'a str,
    /// The person whose text or request it carries. In a direct chat it always belongs to the
    /// chat's owner too, because it names the chat.
    pub user: Option<UserId>,
    /// The creator of the app that sends it; it counts towards the limit for apps.
    pub app_creator: Option<UserId>,
    pub expires_at: Timestamp,
    pub now: Timestamp,
}

/// An unfinished command, without its payload.
#[derive(Debug, Clone)]
pub struct UnfinishedCommand {
    pub seq: u64,
    pub command_id: Arc<str>,
    pub room: RoomId,
    pub state: CommandState,
    pub attempts: u32,
    pub resends: u32,
    /// How often the relay reported a failure.
    pub refusals: u32,
    /// The command's number in the agent's order of first hand-outs, from 1; 0 when it has none.
    pub send_order: u64,
    pub expires_at: Timestamp,
    /// The creator of the app that sends it.
    pub app_creator: Option<UserId>,
}

/// The state of a command.
#[derive(Debug, Clone, Copy)]
pub struct CommandStatus {
    pub seq: u64,
    pub state: CommandState,
    pub refusals: u32,
    /// The command was refused and not handed out since.
    pub backing_off: bool,
}

/// A command that ended without being done.
#[derive(Debug, Clone)]
pub struct FailedCommand {
    pub agent: AgentId,
    pub seq: u64,
    pub command_id: String,
}

/// A command as it is sent.
#[derive(Debug, Clone)]
pub struct Command {
    pub seq: u64,
    pub command_id: String,
    pub kind: String,
    pub payload: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub attempts: u32,
}

const UNFINISHED: &str =
    "(state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing')";

impl Tx<'_> {
    /// Queues a command after the agent's others.
    pub fn insert_command(&mut self, new: &NewCommand) -> Result<UnfinishedCommand> {
        let seq = self.next_seq(new.agent, new.app_creator)?;
        self.insert_row(new, seq, new.now)?;
        Ok(queued(new, seq))
    }

    /// Inserts a command that was counted.
    pub(super) fn insert_row(
        &mut self,
        new: &NewCommand,
        seq: i64,
        created_at: Timestamp,
    ) -> Result<()> {
        // Only the owner's direct chat is cached for a user, so its row isn't looked up.
        let is_of_owner = new.user.is_some_and(|user| {
            let chat = self.cache.direct_chats.get(&user);
            chat.is_some_and(|chat| chat.room == new.room)
        });
        self.execute_prepared(
            PreparedStatement::InsertCommand,
            params![
                new.agent.0,
                seq,
                new.command_id,
                new.room.0,
                new.kind,
                new.payload,
                created_at.0,
                new.expires_at.0,
                new.user.map(|user| user.0),
                new.app_creator.map(|creator| creator.0),
                is_of_owner,
            ],
        )?;
        let place = CommandPlace {
            id: self.conn.last_insert_rowid(),
            room: new.room,
            app_creator: new.app_creator,
        };
        self.cache.unfinished.insert(new.agent, seq as u64, place);
        Ok(())
    }

    /// Marks an unfinished command as handed out and reads it; `None` when it has ended. `order` is
    /// its number among first hand-outs, if this is its first.
    pub fn hand_out(
        &self,
        agent: AgentId,
        seq: u64,
        attempts: u32,
        resends: u32,
        order: u64,
    ) -> Result<Option<Command>> {
        self.find(
            &format!(
                "UPDATE commands SET state = 'sent', attempts = ?2, resends = ?3,
                   send_order = coalesce(send_order, ?4), backing_off = 0
                 WHERE id = ?1 AND {UNFINISHED}
                 RETURNING seq, command_id, kind, payload, created_at, expires_at, attempts"
            ),
            (
                self.unfinished_row(agent, seq),
                attempts,
                resends,
                order as i64,
            ),
        )
    }

    /// Removes an unfinished command's number among hand-outs; the next hand-out gives it a new
    /// one.
    pub fn leave_out(&self, agent: AgentId, seq: u64) -> Result<()> {
        self.run(
            &format!("UPDATE commands SET send_order = NULL WHERE id = ?1 AND {UNFINISHED}"),
            [self.unfinished_row(agent, seq)],
        )
    }

    /// Records that the relay has the command (`Received`) or works on it (`Executing`). False when
    /// that changes nothing or the command has ended.
    pub fn set_progress(&self, agent: AgentId, seq: u64, state: CommandState) -> Result<bool> {
        let rows = self.execute(
            "UPDATE commands SET state = ?2 WHERE id = ?1
             AND (state = 'sent' OR state = 'received' AND ?2 = 'executing')",
            (self.unfinished_row(agent, seq), state),
        )?;
        Ok(rows > 0)
    }

    /// Records that the relay failed and will get the command again. False when it has ended, or
    /// was already refused since its last hand-out.
    pub fn set_refused(&self, agent: AgentId, seq: u64, error: Option<&str>) -> Result<bool> {
        let rows = self.execute(
            &format!(
                "UPDATE commands SET state = 'sent', refused = refused + 1, backing_off = 1, error = ?2
                 WHERE id = ?1 AND {UNFINISHED} AND state <> 'queued' AND backing_off = 0"
            ),
            (self.unfinished_row(agent, seq), error),
        )?;
        Ok(rows > 0)
    }

    /// Ends a command; false when it had ended before.
    pub fn finish_command(
        &mut self,
        agent: AgentId,
        seq: u64,
        state: CommandState,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<bool> {
        let rows = self.execute(
            &format!(
                "UPDATE commands SET state = ?2, error = coalesce(?3, error), finished_at = ?4
                 WHERE id = ?1 AND {UNFINISHED}"
            ),
            (self.unfinished_row(agent, seq), state, error, now),
        )?;
        self.count_if_ended(agent, seq, rows)
    }

    /// Completes a command that was handed out, unless the relay reported a failure. False when
    /// nothing changed.
    pub fn complete_unrefused(&mut self, agent: AgentId, seq: u64, now: Timestamp) -> Result<bool> {
        let rows = self.execute(
            &format!(
                "UPDATE commands SET state = 'completed', finished_at = ?2
                 WHERE id = ?1 AND {UNFINISHED} AND state <> 'queued' AND refused = 0"
            ),
            (self.unfinished_row(agent, seq), now),
        )?;
        self.count_if_ended(agent, seq, rows)
    }

    fn count_if_ended(&mut self, agent: AgentId, seq: u64, rows: usize) -> Result<bool> {
        if rows > 0 {
            self.count_ended(agent, seq)?;
        }
        Ok(rows > 0)
    }

    /// The id of an unfinished command; `None` when it has ended.
    pub fn command_id(&self, agent: AgentId, seq: u64) -> Result<Option<String>> {
        self.find(
            "SELECT command_id FROM commands WHERE id = ?1",
            [self.unfinished_row(agent, seq)],
        )
    }

    /// The state of this agent's command.
    pub fn command_status(
        &self,
        agent: AgentId,
        command_id: &str,
    ) -> Result<Option<CommandStatus>> {
        self.find(
            "SELECT seq, state, refused, backing_off FROM commands
             WHERE command_id = ?2 AND agent_id = ?1",
            (agent, command_id),
        )
    }

    /// Expires overdue commands of any agent, at most `limit`.
    pub fn expire_commands(&mut self, now: Timestamp, limit: usize) -> Result<Vec<FailedCommand>> {
        let over: Vec<FailedCommand> = self.all(
            &format!(
                "SELECT agent_id, seq, command_id FROM commands INDEXED BY commands_unfinished
                 WHERE {UNFINISHED} AND expires_at <= ?1 LIMIT ?2"
            ),
            (now, limit as i64),
        )?;
        for command in &over {
            let state = CommandState::Expired;
            self.finish_command(command.agent, command.seq, state, None, now)?;
        }
        Ok(over)
    }

    /// Unfinished commands up to `last_seq` that were handed out, by seq.
    pub fn handed_through(&self, agent: AgentId, last_seq: u64) -> Result<Vec<u64>> {
        let mut handed = Vec::new();
        let unfinished = self.cache.unfinished.of(agent);
        for (seq, place) in unfinished.take_while(|(seq, _)| *seq <= last_seq) {
            let sql = "SELECT state <> 'queued' FROM commands WHERE id = ?1";
            if self.one(sql, [place.id])? {
                handed.push(seq);
            }
        }
        Ok(handed)
    }

    /// An agent's unfinished commands, oldest first.
    pub fn unfinished_commands(&self, agent: AgentId) -> Result<Vec<UnfinishedCommand>> {
        let unfinished = self.cache.unfinished.of(agent);
        let rows = unfinished.map(|(_, place)| {
            self.one(
                "SELECT seq, command_id, room_id, state, attempts, resends, coalesce(send_order, 0),
                   expires_at, refused, app_creator_id
                 FROM commands WHERE id = ?1",
                [place.id],
            )
        });
        rows.collect()
    }
}

impl View<'_> {
    /// Row id and payload (JSON) of the commands after the row `after`, oldest first; at most
    /// 1,000.
    pub fn command_payloads(&self, after: i64) -> Result<Vec<(i64, String)>> {
        self.all(
            "SELECT id, payload FROM commands WHERE id > ?1 ORDER BY id LIMIT 1000",
            [after],
        )
    }

    /// All commands of an agent: seq, id, state.
    #[cfg(test)]
    pub(crate) fn command_ends(&self, agent: AgentId) -> Result<Vec<(u64, String, String)>> {
        self.all(
            "SELECT seq, command_id, state FROM commands WHERE agent_id = ?1 ORDER BY seq",
            [agent],
        )
    }
}

pub(super) fn queued(new: &NewCommand, seq: i64) -> UnfinishedCommand {
    UnfinishedCommand {
        seq: seq as u64,
        command_id: new.command_id.into(),
        room: new.room,
        state: CommandState::Queued,
        attempts: 0,
        resends: 0,
        refusals: 0,
        send_order: 0,
        expires_at: new.expires_at,
        app_creator: new.app_creator,
    }
}

from_row!(Command: seq, command_id, kind, payload, created_at, expires_at, attempts);
from_row!(FailedCommand: agent, seq, command_id);
from_row!(CommandStatus: seq, state, refusals, backing_off);
from_row!(UnfinishedCommand: seq, command_id, room, state, attempts, resends, send_order, expires_at,
    refusals, app_creator);
