//! Commands that were never handed out: they move when a room changes its agent, and end when a
//! direct chat becomes a group.

use super::commands::queued;
use super::query::from_row;
use super::{
    AgentId, Command, CommandState, FailedCommand, NewCommand, RoomId, Tx, UnfinishedCommand,
    UserId,
};
use crate::clock::Timestamp;
use crate::error::Result;

/// A command that ended before it was handed out.
#[derive(Debug, Clone)]
pub struct WithdrawnCommand {
    pub failed: FailedCommand,
    /// JSON
    pub payload: String,
    pub user: Option<UserId>,
    /// The creator of the app that sent it, if an app did.
    pub app_creator: Option<UserId>,
}

impl Tx<'_> {
    /// Moves a room's commands that were never handed out to another agent. They end as moved at
    /// the old agent and get new seqs at the new one, even if its outbox is full. Returns old seqs
    /// and new commands.
    pub fn move_commands(
        &mut self,
        room: RoomId,
        from: AgentId,
        to: AgentId,
        now: Timestamp,
    ) -> Result<(Vec<u64>, Vec<UnfinishedCommand>)> {
        let waiting: Vec<(Command, Option<UserId>, Option<UserId>)> = self.all(
            "SELECT seq, command_id, kind, payload, created_at, expires_at, attempts, user_id,
               app_creator_id
             FROM commands WHERE room_id = ?1 AND agent_id = ?2 AND state = 'queued'
               AND (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing') ORDER BY seq",
            (room, from),
        )?;
        let mut moved = Vec::with_capacity(waiting.len());
        for (command, user, app_creator) in &waiting {
            self.finish_command(from, command.seq, CommandState::Moved, None, now)?;
            let new = NewCommand {
                agent: to,
                room,
                command_id: &command.command_id,
                kind: &command.kind,
                payload: &command.payload,
                user: *user,
                app_creator: *app_creator,
                expires_at: command.expires_at,
                now,
            };
            moved.push(self.insert_command_again(&new, command.created_at)?);
        }
        Ok((waiting.iter().map(|(c, ..)| c.seq).collect(), moved))
    }

    /// Queues a moved command again.
    pub(super) fn insert_command_again(
        &mut self,
        new: &NewCommand,
        created_at: Timestamp,
    ) -> Result<UnfinishedCommand> {
        let seq = self.next_seq(new.agent, new.app_creator)?;
        self.insert_again(new, seq, created_at)?;
        Ok(queued(new, seq))
    }

    /// A command may return to an earlier agent: its old row is replaced.
    fn insert_again(&mut self, new: &NewCommand, seq: i64, created_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE commands SET command_id = command_id || '/moved/' || seq
             WHERE command_id = ?1 AND agent_id = ?2 AND state = 'moved'",
            (new.command_id, new.agent),
        )?;
        self.insert_row(new, seq, created_at)
    }

    /// Ends a room's commands that were never handed out.
    pub fn end_waiting_commands(
        &mut self,
        room: RoomId,
        now: Timestamp,
    ) -> Result<Vec<WithdrawnCommand>> {
        let waiting: Vec<WithdrawnCommand> = self.all(
            "SELECT agent_id, seq, command_id, payload, user_id, app_creator_id
             FROM commands INDEXED BY commands_unfinished
             WHERE room_id = ?1 AND state = 'queued'
               AND (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing') ORDER BY id",
            [room],
        )?;
        for command in &waiting {
            let FailedCommand { agent, seq, .. } = command.failed;
            self.finish_command(agent, seq, CommandState::Expired, None, now)?;
        }
        Ok(waiting)
    }
}

from_row!(WithdrawnCommand: failed, payload, user, app_creator);
