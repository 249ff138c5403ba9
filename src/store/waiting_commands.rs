//! Commands that move: those never handed out, when a room changes its agent, and all unfinished
//! ones of a direct chat that ended. These wait where the person has no other direct chat.

use super::commands::queued;
use super::query::from_row;
use super::rooms::is_relay_name;
use super::{
    AgentId, Command, CommandState, FailedCommand, NewCommand, RoomId, Tx, UnfinishedCommand,
    UserId,
};
use crate::clock::Timestamp;
use crate::error::Result;

/// The stored error of a command that waits for the person's next direct chat, and the state after
/// its expiry. What is shown is made by `shown_error`.
const WAITS: &str = "direct_chat_ended";
const LOST: &str = "direct_chat_ended: lost";
/// What earlier builds stored: a sentence.
const WAITED: &str = "Its direct chat ended*";

/// The stored error as the operator reads it.
pub(super) fn shown_error(stored: String, expires_at: Timestamp) -> String {
    let ended = "Its direct chat ended";
    if stored == LOST {
        format!("{ended}, and the person had no other until {expires_at}: it is lost.")
    } else if stored == WAITS || stored.starts_with(ended) {
        format!(
            "{ended}. Until {expires_at} it waits for another direct chat of the person; then it is lost."
        )
    } else {
        stored
    }
}

/// A command of a former direct chat.
#[derive(Debug, Clone)]
pub struct WithdrawnCommand {
    pub command: FailedCommand,
    pub room: RoomId,
    /// JSON
    pub payload: String,
    /// On whose behalf it was sent: of an app its creator.
    pub user: Option<UserId>,
    /// The creator of the app that sent it, if an app did.
    pub app_creator: Option<UserId>,
    /// The person of the direct chat.
    pub person: UserId,
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
        let mut waiting: Vec<(Command, Option<UserId>, Option<UserId>)> = Vec::new();
        for id in self.unfinished_rows_in(from, room) {
            waiting.extend(self.find(
                "SELECT seq, command_id, kind, payload, created_at, expires_at, attempts, user_id,
                   app_creator_id
                 FROM commands WHERE id = ?1 AND state = 'queued'",
                [id],
            )?);
        }
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

    /// A room's unfinished commands, oldest first.
    pub fn unfinished_of(&self, room: RoomId) -> Result<Vec<WithdrawnCommand>> {
        let commands = self.unfinished_in(room).into_iter().map(|(_, _, id)| {
            self.one(
                "SELECT agent_id, seq, command_id, room_id, payload, user_id, app_creator_id,
                        (SELECT owner_id FROM rooms WHERE id = room_id)
                 FROM commands WHERE id = ?1",
                [id],
            )
        });
        commands.collect()
    }

    /// The direct chat that an unfinished command is for, while the agent brings its messages.
    pub fn direct_chat_of(&self, agent: AgentId, seq: u64) -> Result<Option<(RoomId, String)>> {
        let found = self.find(
            "SELECT rooms.id, chat_guid FROM commands JOIN rooms ON rooms.id = room_id
             WHERE commands.id = ?2 AND rooms.agent_id = ?1 AND mode = 'direct'",
            (agent, self.unfinished_row(agent, seq)),
        )?;
        Ok(found.filter(|(_, chat_guid): &(RoomId, String)| is_relay_name(chat_guid)))
    }

    /// Ends an unfinished command that is sent in another chat.
    pub fn end_as_moved(&mut self, command: &FailedCommand, now: Timestamp) -> Result<()> {
        let state = CommandState::Moved;
        self.finish_command(command.agent, command.seq, state, None, now)
            .map(drop)
    }

    /// Ends an unfinished command that waits for the person's next direct chat, until it expires.
    pub fn end_as_waiting(&mut self, command: &FailedCommand, now: Timestamp) -> Result<()> {
        let state = CommandState::Expired;
        self.finish_command(command.agent, command.seq, state, Some(WAITS), now)
            .map(drop)
    }

    /// The person's commands that wait for a direct chat, oldest first.
    pub fn waiting_for_direct_chat(
        &self,
        user: UserId,
        now: Timestamp,
    ) -> Result<Vec<WithdrawnCommand>> {
        // Nearly nobody has such a chat.
        if !self.has_former_direct_chat(user)? {
            return Ok(Vec::new());
        }
        self.all(
            "SELECT agent_id, seq, command_id, room_id, payload, user_id, app_creator_id,
                    (SELECT owner_id FROM rooms WHERE id = room_id)
             FROM commands INDEXED BY commands_given_up
             WHERE state IN ('failed', 'expired') AND state = 'expired'
               AND room_id IN (SELECT id FROM rooms WHERE owner_id = ?1)
               AND (error = ?2 OR error GLOB ?3) AND expires_at > ?4 ORDER BY id",
            (user, WAITS, WAITED, now),
        )
    }

    /// Notes that commands waited in vain until they expired, at most `limit`. Returns them.
    pub fn lose_waiting(&self, now: Timestamp, limit: usize) -> Result<Vec<FailedCommand>> {
        let lost: Vec<(i64, FailedCommand)> = self.all(
            "SELECT id, agent_id, seq, command_id FROM commands INDEXED BY commands_given_up
             WHERE state IN ('failed', 'expired') AND state = 'expired'
               AND (error = ?1 OR error GLOB ?2) AND expires_at <= ?3 LIMIT ?4",
            (WAITS, WAITED, now, limit as i64),
        )?;
        for (id, _) in &lost {
            self.run("UPDATE commands SET error = ?2 WHERE id = ?1", (id, LOST))?;
        }
        Ok(lost.into_iter().map(|(_, command)| command).collect())
    }

    /// A command that waited is sent in another chat.
    pub fn note_moved(&self, command: &FailedCommand) -> Result<()> {
        self.run(
            "UPDATE commands SET state = 'moved', error = NULL
             WHERE command_id = ?1 AND agent_id = ?2 AND state = 'expired'",
            (&command.command_id, command.agent),
        )
    }
}

from_row!(WithdrawnCommand: command, room, payload, user, app_creator, person);
