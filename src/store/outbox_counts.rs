//! The numbers of each agent's outbox: its last seq and its unfinished commands. They are in the
//! writer's memory, because every command needs and changes them. They are counted again at an
//! agent's first command and after a rollback.

use std::collections::HashMap;

use super::{AgentId, Tx, UserId};
use crate::error::Result;

/// Limit of unfinished commands per agent; more are refused.
const UNFINISHED_MAX: i64 = 10_000;
/// Limit of unfinished commands sent by apps; the rest is for replies and reminders.
const UNFINISHED_OF_APPS_MAX: i64 = UNFINISHED_MAX / 2;
/// Limit of unfinished commands sent by the apps of one creator.
const UNFINISHED_OF_CREATOR_MAX: i64 = 500;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OutboxCounts {
    /// The last seq given to a command.
    head_seq: i64,
    unfinished: i64,
    /// The unfinished commands that apps sent.
    of_apps: i64,
    /// Their number by the apps' creator; without any there is no entry.
    of_creators: HashMap<UserId, i64>,
}

impl OutboxCounts {
    /// Counts a new command and returns its seq.
    fn add(&mut self, app_creator: Option<UserId>) -> i64 {
        self.head_seq += 1;
        self.add_unfinished(app_creator);
        self.head_seq
    }

    /// Counts a command that is unfinished.
    fn add_unfinished(&mut self, app_creator: Option<UserId>) {
        self.unfinished += 1;
        if let Some(creator) = app_creator {
            self.of_apps += 1;
            *self.of_creators.entry(creator).or_default() += 1;
        }
    }

    fn remove(&mut self, app_creator: Option<UserId>) {
        self.unfinished -= 1;
        if let Some(creator) = app_creator {
            self.of_apps -= 1;
            if let Some(count) = self.of_creators.get_mut(&creator) {
                *count -= 1;
                if *count <= 0 {
                    self.of_creators.remove(&creator);
                }
            }
        }
    }
}

impl Tx<'_> {
    /// Whether the agent may have this many more unfinished commands, sent by an app of this
    /// creator, if any.
    pub fn has_room_for(
        &mut self,
        agent: AgentId,
        commands: usize,
        app_creator: Option<UserId>,
    ) -> Result<bool> {
        let (counts, more) = (self.outbox_counts(agent)?, commands as i64);
        let has_room_for_app = app_creator.is_none_or(|creator| {
            let of_creator = counts.of_creators.get(&creator).copied().unwrap_or(0);
            counts.of_apps + more <= UNFINISHED_OF_APPS_MAX
                && of_creator + more <= UNFINISHED_OF_CREATOR_MAX
        });
        Ok(has_room_for_app && counts.unfinished + more <= UNFINISHED_MAX)
    }

    /// Counts a command that is about to be inserted and returns its seq.
    pub(super) fn next_seq(&mut self, agent: AgentId, app_creator: Option<UserId>) -> Result<i64> {
        let seq = self.outbox_counts(agent)?.add(app_creator);
        self.cache.touched = true;
        Ok(seq)
    }

    /// Counts a command that ended. The agent's row keeps its seq, because the command's may be
    /// removed.
    pub(super) fn count_ended(&mut self, agent: AgentId, seq: u64) -> Result<()> {
        self.run(
            "UPDATE agents SET ended_seq = ?2 WHERE id = ?1 AND ended_seq < ?2",
            (agent, seq as i64),
        )?;
        let ended = self.cache.unfinished.remove(agent, seq);
        if let Some(counts) = self.cache.outboxes.get_mut(&agent) {
            counts.remove(ended.and_then(|command| command.app_creator));
            self.cache.touched = true;
        }
        Ok(())
    }

    fn outbox_counts(&mut self, agent: AgentId) -> Result<&mut OutboxCounts> {
        if !self.cache.outboxes.contains_key(&agent) {
            let counts = self.count_outbox(agent)?;
            let has_written = self.has_written();
            self.cache.put_outbox(agent, counts, has_written);
        }
        Ok(self.cache.outboxes.entry(agent).or_default())
    }

    /// The last seq given to a command of this agent.
    pub fn head_seq(&self, agent: AgentId) -> Result<u64> {
        let ended: u64 = self.one("SELECT ended_seq FROM agents WHERE id = ?1", [agent])?;
        let newest = self.cache.unfinished.of(agent).next_back();
        Ok(newest.map_or(ended, |(seq, _)| ended.max(seq)))
    }

    fn count_outbox(&self, agent: AgentId) -> Result<OutboxCounts> {
        let mut counts = OutboxCounts {
            head_seq: self.head_seq(agent)? as i64,
            ..OutboxCounts::default()
        };
        for (_, command) in self.cache.unfinished.of(agent) {
            counts.add_unfinished(command.app_creator);
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests;
