//! The rows of unfinished commands, by agent and seq. They are in the writer's memory, so that their
//! index on disk can be in the order of expiry, in which commands are added: in the order of agents
//! each command would write a page of its own. The next start reads them by the index. A rollback
//! undoes the changes one by one.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;

use super::{AgentId, RoomId, Tx, UserId};

/// The unfinished commands of an agent by seq.
type CommandsOfAgent = BTreeMap<u64, CommandPlace>;

/// A command's row, and what is asked of many commands at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandPlace {
    pub(super) id: i64,
    pub(super) room: RoomId,
    /// The creator of the app that sent it, if an app did.
    pub(super) app_creator: Option<UserId>,
}

#[derive(Debug, Default)]
pub(super) struct UnfinishedCommands {
    of_agents: HashMap<AgentId, CommandsOfAgent>,
    /// What the changes of the running transaction replaced.
    undo_log: Vec<(AgentId, u64, Option<CommandPlace>)>,
}

impl UnfinishedCommands {
    pub(super) fn load(conn: &Connection) -> rusqlite::Result<Self> {
        let mut loaded = Self::default();
        let mut rows = conn.prepare(
            "SELECT agent_id, seq, id, room_id, app_creator_id
             FROM commands INDEXED BY commands_unfinished
             WHERE (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing')",
        )?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let place = CommandPlace {
                id: row.get(2)?,
                room: row.get(3)?,
                app_creator: row.get(4)?,
            };
            loaded.set(row.get(0)?, row.get(1)?, Some(place));
        }
        Ok(loaded)
    }

    pub(super) fn get(&self, agent: AgentId, seq: u64) -> Option<CommandPlace> {
        self.of_agents.get(&agent)?.get(&seq).copied()
    }

    /// The agent's commands, oldest first.
    pub(super) fn of(
        &self,
        agent: AgentId,
    ) -> impl DoubleEndedIterator<Item = (u64, CommandPlace)> {
        let commands = self.of_agents.get(&agent).into_iter().flatten();
        commands.map(|(seq, place)| (*seq, *place))
    }

    pub(super) fn insert(&mut self, agent: AgentId, seq: u64, place: CommandPlace) {
        let before = self.set(agent, seq, Some(place));
        self.undo_log.push((agent, seq, before));
    }

    pub(super) fn remove(&mut self, agent: AgentId, seq: u64) -> Option<CommandPlace> {
        let before = self.set(agent, seq, None);
        self.undo_log.push((agent, seq, before));
        before
    }

    fn set(
        &mut self,
        agent: AgentId,
        seq: u64,
        place: Option<CommandPlace>,
    ) -> Option<CommandPlace> {
        let commands = self.of_agents.entry(agent).or_default();
        match place {
            Some(place) => commands.insert(seq, place),
            None => commands.remove(&seq),
        }
    }

    /// A point in the running transaction, for `undo_to`.
    pub(super) fn savepoint(&self) -> usize {
        self.undo_log.len()
    }

    /// Undoes the changes since that point.
    pub(super) fn undo_to(&mut self, savepoint: usize) {
        while self.undo_log.len() > savepoint {
            if let Some((agent, seq, before)) = self.undo_log.pop() {
                self.set(agent, seq, before);
            }
        }
    }

    /// The transaction is committed.
    pub(super) fn keep_changes(&mut self) {
        self.undo_log.clear();
    }
}

impl Tx<'_> {
    /// The row of an unfinished command; `None` when it has ended.
    pub(super) fn unfinished_row(&self, agent: AgentId, seq: u64) -> Option<i64> {
        let place = self.cache.unfinished.get(agent, seq)?;
        Some(place.id)
    }

    /// A room's unfinished commands, oldest first: agent, seq and row.
    pub(super) fn unfinished_in(&self, room: RoomId) -> Vec<(AgentId, u64, i64)> {
        let all = self.cache.unfinished.of_agents.iter();
        let all = all.flat_map(|(agent, commands)| commands.iter().map(move |one| (*agent, one)));
        let in_room = all.filter(|(_, (_, place))| place.room == room);
        let mut found: Vec<_> = in_room
            .map(|(agent, (seq, place))| (agent, *seq, place.id))
            .collect();
        found.sort_unstable_by_key(|(_, _, id)| *id);
        found
    }

    /// The rows of an agent's unfinished commands for a room, oldest first.
    pub(super) fn unfinished_rows_in(&self, agent: AgentId, room: RoomId) -> Vec<i64> {
        let commands = self.cache.unfinished.of(agent);
        let in_room = commands.filter(|(_, place)| place.room == room);
        in_room.map(|(_, place)| place.id).collect()
    }
}

#[cfg(test)]
impl PartialEq for UnfinishedCommands {
    /// Whether the same commands are unfinished.
    fn eq(&self, other: &Self) -> bool {
        let has_all = |of: &Self, others: &Self| {
            let mut agents = of.of_agents.keys();
            agents.all(|agent| of.of(*agent).eq(others.of(*agent)))
        };
        has_all(self, other) && has_all(other, self)
    }
}
