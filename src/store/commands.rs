//! The outbox's rows. Every change of state is a compare-and-set: an ended command stays
//! ended, whatever comes late.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Row};

use super::{AgentId, RoomId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// Unfinished commands an agent may have; a producer is refused beyond.
const UNFINISHED_MAX: i64 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandState {
    Queued,
    Sent,
    Received,
    Executing,
    Completed,
    Failed,
    Expired,
    Moved,
}

impl CommandState {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Received => "received",
            Self::Executing => "executing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Moved => "moved",
        }
    }

    fn unfinished(name: &str) -> Self {
        match name {
            "queued" => Self::Queued,
            "received" => Self::Received,
            "executing" => Self::Executing,
            _ => Self::Sent,
        }
    }
}

pub struct NewCommand<'a> {
    pub agent: AgentId,
    pub room: RoomId,
    /// UUID
    pub command_id: &'a str,
    pub kind: &'a str,
    /// JSON, exactly as it goes out.
    pub payload: &'a str,
    /// Whose words or wish it carries. In a direct chat it is its owner's in any case, since
    /// it names the chat.
    pub user: Option<UserId>,
    pub expires_at: Timestamp,
    pub now: Timestamp,
}

/// An unfinished command, without its payload.
#[derive(Debug, Clone)]
pub struct Unfinished {
    pub seq: u64,
    pub command_id: Arc<str>,
    pub room: RoomId,
    pub state: CommandState,
    pub attempts: u32,
    pub resends: u32,
    /// Its place in the agent's order of first hand-outs, from 1; 0: it had none.
    pub handed: u64,
    pub expires_at: Timestamp,
}

/// What goes out.
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

/// A command that ended before it was handed out.
#[derive(Debug, Clone)]
pub struct Withdrawn {
    pub agent: AgentId,
    pub seq: u64,
    /// JSON
    pub payload: String,
    pub user: Option<UserId>,
}

const UNFINISHED: &str = "('queued', 'sent', 'received', 'executing')";

impl Tx<'_> {
    /// Whether an agent may have so many more unfinished commands.
    pub fn has_room_for(&self, agent: AgentId, commands: usize) -> Result<bool> {
        Ok(self
            .conn
            .prepare_cached("SELECT unfinished + ?2 <= ?3 FROM agents WHERE id = ?1")?
            .query_row((agent.0, commands as i64, UNFINISHED_MAX), |row| row.get(0))?)
    }

    /// Queues a command behind the agent's others.
    pub fn insert_command(&self, new: &NewCommand<'_>) -> Result<Unfinished> {
        let seq = self.next_seq(new.agent)?;
        self.insert_row(new, seq, new.now)?;
        Ok(queued(new, seq))
    }

    fn next_seq(&self, agent: AgentId) -> Result<i64> {
        Ok(self
            .conn
            .prepare_cached(
                "UPDATE agents SET head_seq = head_seq + 1, unfinished = unfinished + 1
                 WHERE id = ?1 RETURNING head_seq",
            )?
            .query_row([agent.0], |row| row.get(0))?)
    }

    fn insert_row(&self, new: &NewCommand<'_>, seq: i64, created_at: Timestamp) -> Result<()> {
        self.execute(
            "INSERT INTO commands (agent_id, seq, command_id, room_id, kind, payload, state, created_at, expires_at, user_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'queued', ?7, ?8,
               coalesce((SELECT owner_id FROM rooms WHERE id = ?4 AND mode = 'direct'), ?9))",
            (
                new.agent.0,
                seq,
                new.command_id,
                new.room.0,
                new.kind,
                new.payload,
                created_at.0,
                new.expires_at.0,
                new.user.map(|user| user.0),
            ),
        )?;
        Ok(())
    }

    /// Marks an unfinished command as handed out and reads it; `None` when it has ended.
    /// `order` is its place among first hand-outs, if this is its first.
    pub fn hand_out(
        &self,
        agent: AgentId,
        seq: u64,
        attempts: u32,
        resends: u32,
        order: u64,
    ) -> Result<Option<Command>> {
        Ok(self
            .conn
            .prepare_cached(&format!(
                "UPDATE commands SET state = 'sent', attempts = ?3, resends = ?4,
                   handed = coalesce(handed, ?5)
                 WHERE agent_id = ?1 AND seq = ?2 AND state IN {UNFINISHED}
                 RETURNING seq, command_id, kind, payload, created_at, expires_at, attempts"
            ))?
            .query_row(
                (agent.0, seq as i64, attempts, resends, order as i64),
                command_from,
            )
            .optional()?)
    }

    /// Notes that the relay has it (`Received`) or works on it (`Executing`); false when that
    /// is no news, or it has ended.
    pub fn set_progress(&self, agent: AgentId, seq: u64, state: CommandState) -> Result<bool> {
        let rows = self.execute(
            "UPDATE commands SET state = ?3 WHERE agent_id = ?1 AND seq = ?2
               AND (state = 'sent' OR state = 'received' AND ?3 = 'executing')",
            (agent.0, seq as i64, state.as_str()),
        )?;
        Ok(rows > 0)
    }

    /// Notes that the relay failed and will take it again; false when it has ended.
    pub fn set_refused(&self, agent: AgentId, seq: u64, error: Option<&str>) -> Result<bool> {
        let rows = self.execute(
            "UPDATE commands SET state = 'sent', refused = 1, error = ?3
             WHERE agent_id = ?1 AND seq = ?2 AND state IN ('sent', 'received', 'executing')",
            (agent.0, seq as i64, error),
        )?;
        Ok(rows > 0)
    }

    /// Ends a command; false when it had ended before.
    pub fn finish_command(
        &self,
        agent: AgentId,
        seq: u64,
        state: CommandState,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<bool> {
        let rows = self.execute(
            &format!(
                "UPDATE commands SET state = ?3, error = coalesce(?4, error), finished_at = ?5
                 WHERE agent_id = ?1 AND seq = ?2 AND state IN {UNFINISHED}"
            ),
            (agent.0, seq as i64, state.as_str(), error, now.0),
        )?;
        self.count_finished(agent, rows)
    }

    /// Completes a command that was handed out, unless the relay reported that it failed;
    /// false when nothing changed.
    pub fn complete_unrefused(&self, agent: AgentId, seq: u64, now: Timestamp) -> Result<bool> {
        let rows = self.execute(
            "UPDATE commands SET state = 'completed', finished_at = ?3
             WHERE agent_id = ?1 AND seq = ?2 AND state IN ('sent', 'received', 'executing')
               AND refused = 0",
            (agent.0, seq as i64, now.0),
        )?;
        self.count_finished(agent, rows)
    }

    fn count_finished(&self, agent: AgentId, rows: usize) -> Result<bool> {
        if rows > 0 {
            self.execute(
                "UPDATE agents SET unfinished = unfinished - 1 WHERE id = ?1",
                [agent.0],
            )?;
        }
        Ok(rows > 0)
    }

    /// Where this agent's command stands: its seq, whether it was ever handed out, whether it
    /// has ended.
    pub fn command_seq(
        &self,
        agent: AgentId,
        command_id: &str,
    ) -> Result<Option<(u64, CommandState, u32)>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT seq, state, attempts FROM commands WHERE command_id = ?2 AND agent_id = ?1",
            )?
            .query_row((agent.0, command_id), |row| {
                let state: String = row.get(1)?;
                let state = match state.as_str() {
                    "completed" => CommandState::Completed,
                    "failed" => CommandState::Failed,
                    "expired" => CommandState::Expired,
                    "moved" => CommandState::Moved,
                    other => CommandState::unfinished(other),
                };
                Ok((row.get::<_, i64>(0)? as u64, state, row.get(2)?))
            })
            .optional()?)
    }

    /// Gives a room's commands that were never handed out to another agent: they end as
    /// moved at the old one and get seqs of their own at the new one, where a full outbox
    /// does not stop them. Old seqs, new commands.
    pub fn move_commands(
        &self,
        room: RoomId,
        from: AgentId,
        to: AgentId,
        now: Timestamp,
    ) -> Result<(Vec<u64>, Vec<Unfinished>)> {
        let waiting: Vec<(Command, Option<i64>)> = self
            .conn
            .prepare_cached(
                "SELECT seq, command_id, kind, payload, created_at, expires_at, attempts, user_id
                 FROM commands WHERE room_id = ?1 AND agent_id = ?2 AND state = 'queued' ORDER BY seq",
            )?
            .query_map((room.0, from.0), |row| Ok((command_from(row)?, row.get(7)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let mut moved = Vec::with_capacity(waiting.len());
        for (command, user) in &waiting {
            self.finish_command(from, command.seq, CommandState::Moved, None, now)?;
            let seq = self.next_seq(to)?;
            let new = NewCommand {
                agent: to,
                room,
                command_id: &command.command_id,
                kind: &command.kind,
                payload: &command.payload,
                user: user.map(UserId),
                expires_at: command.expires_at,
                now,
            };
            self.insert_again(&new, seq, command.created_at)?;
            moved.push(queued(&new, seq));
        }
        Ok((waiting.iter().map(|(c, _)| c.seq).collect(), moved))
    }

    /// A command may come back to an agent that had it before: its old row gives way.
    fn insert_again(&self, new: &NewCommand<'_>, seq: i64, created_at: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE commands SET command_id = command_id || '/moved/' || seq
             WHERE command_id = ?1 AND agent_id = ?2 AND state = 'moved'",
            (new.command_id, new.agent.0),
        )?;
        self.insert_row(new, seq, created_at)
    }

    /// Ends a room's commands that were never handed out.
    pub fn end_waiting_commands(&self, room: RoomId, now: Timestamp) -> Result<Vec<Withdrawn>> {
        let waiting: Vec<Withdrawn> = self
            .conn
            .prepare_cached(
                "SELECT agent_id, seq, payload, user_id FROM commands
                 WHERE room_id = ?1 AND state = 'queued' ORDER BY id",
            )?
            .query_map([room.0], |row| {
                Ok(Withdrawn {
                    agent: AgentId(row.get(0)?),
                    seq: row.get::<_, i64>(1)? as u64,
                    payload: row.get(2)?,
                    user: row.get::<_, Option<i64>>(3)?.map(UserId),
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        for command in &waiting {
            self.finish_command(command.agent, command.seq, CommandState::Expired, None, now)?;
        }
        Ok(waiting)
    }

    /// Ends commands whose time is over, of any agent; at most `limit`. Agent and seq of each.
    pub fn expire_commands(&self, now: Timestamp, limit: usize) -> Result<Vec<(AgentId, u64)>> {
        let over: Vec<(i64, i64)> = self
            .conn
            .prepare_cached(&format!(
                "SELECT agent_id, seq FROM commands INDEXED BY commands_unfinished
                 WHERE state IN {UNFINISHED} AND expires_at <= ?1 LIMIT ?2"
            ))?
            .query_map((now.0, limit as i64), |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let mut ended = Vec::with_capacity(over.len());
        for (agent, seq) in over {
            let (agent, seq) = (AgentId(agent), seq as u64);
            self.finish_command(agent, seq, CommandState::Expired, None, now)?;
            ended.push((agent, seq));
        }
        Ok(ended)
    }
}

impl View<'_> {
    /// Every command of an agent as it stands: seq, id, state.
    #[cfg(test)]
    pub(crate) fn command_ends(&self, agent: AgentId) -> Result<Vec<(u64, String, String)>> {
        let mut statement = self.conn.prepare(
            "SELECT seq, command_id, state FROM commands WHERE agent_id = ?1 ORDER BY seq",
        )?;
        let rows = statement.query_map([agent.0], |row| {
            Ok((row.get::<_, i64>(0)? as u64, row.get(1)?, row.get(2)?))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Unfinished commands up to `last_seq` that were handed out, by seq.
    pub fn handed_through(&self, agent: AgentId, last_seq: u64) -> Result<Vec<u64>> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT seq FROM commands WHERE agent_id = ?1 AND seq <= ?2
               AND state IN {UNFINISHED} AND state <> 'queued' ORDER BY seq"
        ))?;
        let seqs = statement.query_map((agent.0, last_seq as i64), |row| row.get::<_, i64>(0))?;
        let seqs = seqs.map(|seq| seq.map(|seq| seq as u64));
        Ok(seqs.collect::<rusqlite::Result<_>>()?)
    }

    /// An agent's unfinished commands, oldest first.
    pub fn unfinished_commands(&self, agent: AgentId) -> Result<Vec<Unfinished>> {
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT seq, command_id, room_id, state, attempts, resends, handed, expires_at
             FROM commands WHERE agent_id = ?1 AND state IN {UNFINISHED} ORDER BY seq"
        ))?;
        let rows = statement.query_map([agent.0], |row| {
            Ok(Unfinished {
                seq: row.get::<_, i64>(0)? as u64,
                command_id: row.get::<_, String>(1)?.into(),
                room: RoomId(row.get(2)?),
                state: CommandState::unfinished(row.get_ref(3)?.as_str()?),
                attempts: row.get(4)?,
                resends: row.get(5)?,
                handed: row.get::<_, Option<i64>>(6)?.unwrap_or(0) as u64,
                expires_at: Timestamp(row.get(7)?),
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn queued(new: &NewCommand<'_>, seq: i64) -> Unfinished {
    Unfinished {
        seq: seq as u64,
        command_id: new.command_id.into(),
        room: new.room,
        state: CommandState::Queued,
        attempts: 0,
        resends: 0,
        handed: 0,
        expires_at: new.expires_at,
    }
}

fn command_from(row: &Row<'_>) -> rusqlite::Result<Command> {
    Ok(Command {
        seq: row.get::<_, i64>(0)? as u64,
        command_id: row.get(1)?,
        kind: row.get(2)?,
        payload: row.get(3)?,
        created_at: Timestamp(row.get(4)?),
        expires_at: Timestamp(row.get(5)?),
        attempts: row.get(6)?,
    })
}
