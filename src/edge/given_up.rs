//! Commands that ended without being done: each is a line of the log and a count, for the
//! operator, who may have them sent again. Nothing of what they say or to whom is logged.

use std::sync::Arc;

use super::hub::{Hub, Relay};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::metrics::{self, IntCounterVec};
use crate::model::masking::masked;
use crate::store::{AgentId, CommandState, GivenUpCommand, Tx};

/// How a command ends that is not done.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommandEnd<'a> {
    /// Failed or expired.
    pub(super) state: CommandState,
    /// In our words, for the log.
    pub(super) why: &'a str,
    /// What is kept with it, perhaps in the relay's words.
    pub(super) error: Option<&'a str>,
}

impl<'a> CommandEnd<'a> {
    pub(super) const EXPIRED: Self = Self {
        state: CommandState::Expired,
        why: "its time was over",
        error: None,
    };

    const WITHDRAWN: Self = Self {
        state: CommandState::Expired,
        why: "its chat is a group now, and it was for one person",
        error: None,
    };

    pub(super) const fn failed(why: &'a str, error: Option<&'a str>) -> Self {
        Self {
            state: CommandState::Failed,
            why,
            error,
        }
    }
}

pub(super) fn counter() -> IntCounterVec {
    let ended = metrics::counters(
        "chatkeep_commands_ended_total",
        "Commands that ended, by how.",
        &["state"],
    );
    for state in [
        CommandState::Completed,
        CommandState::Failed,
        CommandState::Expired,
    ] {
        ended.with_label_values(&[state.as_str()]);
    }
    ended
}

impl Hub {
    /// Commands that ended, by state.
    pub fn ended(&self) -> &IntCounterVec {
        &self.ended
    }

    /// To be called after the commit that completed a command.
    pub(super) fn completed(&self, agent: AgentId, seq: u64) {
        self.count_ended(CommandState::Completed);
        self.command_ended(agent, seq);
    }

    fn count_ended(&self, state: CommandState) {
        self.ended.with_label_values(&[state.as_str()]).inc();
    }

    /// Ends commands whose time is over, of any agent, at most `limit`; how many that were.
    pub fn expire_commands(
        self: &Arc<Self>,
        tx: &mut Tx<'_>,
        now: Timestamp,
        limit: usize,
    ) -> Result<usize> {
        let ended = tx.expire_commands(now, limit)?;
        let count = ended.len();
        for command in ended {
            let name = tx.agent_name(command.agent)?;
            self.gave_up(tx, command, &name, &CommandEnd::EXPIRED);
        }
        Ok(count)
    }

    /// A command has ended because its chat was about to show it to others.
    pub(super) fn withdrew(
        self: &Arc<Self>,
        tx: &mut Tx<'_>,
        command: GivenUpCommand,
    ) -> Result<()> {
        let name = tx.agent_name(command.agent)?;
        self.gave_up(tx, command, &name, &CommandEnd::WITHDRAWN);
        Ok(())
    }

    /// Ends a command that will not be done; false when it had ended before.
    pub(super) fn give_up(
        self: &Arc<Self>,
        tx: &mut Tx<'_>,
        relay: &Relay,
        seq: u64,
        ending: &CommandEnd<'_>,
        now: Timestamp,
    ) -> Result<bool> {
        let (agent, state) = (relay.id, ending.state);
        if !tx.finish_command(agent, seq, state, ending.error, now)? {
            return Ok(false);
        }
        let command = GivenUpCommand {
            agent,
            seq,
            command_id: tx.command_id(agent, seq)?,
        };
        self.gave_up(tx, command, &relay.name, ending);
        Ok(true)
    }

    fn gave_up(
        self: &Arc<Self>,
        tx: &mut Tx<'_>,
        command: GivenUpCommand,
        name: &str,
        ending: &CommandEnd<'_>,
    ) {
        let (hub, state) = (self.clone(), ending.state);
        let (name, why) = (masked(name).into_owned(), ending.why.to_owned());
        tx.after_commit(move || {
            log::warn!(
                "agent {name}: command {} {}: {why}",
                command.command_id,
                state.as_str()
            );
            hub.count_ended(state);
            hub.command_ended(command.agent, command.seq);
        });
    }
}
