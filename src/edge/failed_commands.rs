//! What happens when a command ends without being done: it is logged and counted for the operator,
//! who may retry it. Neither content nor recipient is logged.

use std::sync::Arc;

use super::hub::{Hub, Relay};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::masking::masked;
use crate::store::{AgentId, CommandState, FailedCommand, Tx};

/// How an undone command ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailureReport<'a> {
    /// `Failed` or `Expired`.
    pub(super) state: CommandState,
    /// The reason for the log, in the service's words.
    pub(super) reason: &'a str,
    /// The error stored with the command, perhaps in the relay's words.
    pub(super) error: Option<&'a str>,
}

impl<'a> FailureReport<'a> {
    pub(super) const EXPIRED: Self = Self {
        state: CommandState::Expired,
        reason: "its time was over",
        error: None,
    };

    const WITHDRAWN: Self = Self {
        state: CommandState::Expired,
        reason: "others read its chat now, and it was for one person; it waits for another direct chat",
        error: None,
    };

    pub(super) const fn failed(reason: &'a str, error: Option<&'a str>) -> Self {
        Self {
            state: CommandState::Failed,
            reason,
            error,
        }
    }
}

impl Hub {
    /// Call this after the commit that completed a command.
    pub(super) fn completed(&self, agent: AgentId, seq: u64) {
        self.count_ended(CommandState::Completed);
        self.command_ended(agent, seq);
    }

    fn count_ended(&self, state: CommandState) {
        self.ended_commands
            .with_label_values(&[state.as_str()])
            .inc();
    }

    /// Expires at most `limit` overdue commands of any agent. Returns how many.
    pub fn expire_commands(
        self: &Arc<Self>,
        tx: &mut Tx,
        now: Timestamp,
        limit: usize,
    ) -> Result<usize> {
        let ended_commands = tx.expire_commands(now, limit)?;
        let count = ended_commands.len();
        for command in ended_commands {
            let name = tx.agent_name(command.agent)?;
            self.log_undone(tx, command, &name, &FailureReport::EXPIRED);
        }
        Ok(count)
    }

    /// Logs at most `limit` commands that waited for another direct chat until they expired.
    pub fn report_lost(tx: &mut Tx, now: Timestamp, limit: usize) -> Result<()> {
        for command in tx.lose_waiting(now, limit)? {
            let name = masked(&tx.agent_name(command.agent)?).into_owned();
            tx.after_commit(move || {
                log::warn!(
                    "agent {name}: command {} is lost: its direct chat ended, and the person had no other until it expired",
                    command.command_id
                );
            });
        }
        Ok(())
    }

    /// Logs a command that can't be sent because other people would read it in its chat.
    pub(super) fn log_withdrawn(
        self: &Arc<Self>,
        tx: &mut Tx,
        command: FailedCommand,
    ) -> Result<()> {
        let name = tx.agent_name(command.agent)?;
        self.log_undone(tx, command, &name, &FailureReport::WITHDRAWN);
        Ok(())
    }

    /// Ends a command that will not be done; false when it had ended before.
    pub(super) fn fail(
        self: &Arc<Self>,
        tx: &mut Tx,
        relay: &Relay,
        seq: u64,
        report: &FailureReport,
        now: Timestamp,
    ) -> Result<bool> {
        let (agent, state) = (relay.id, report.state);
        let Some(command_id) = tx.command_id(agent, seq)? else {
            return Ok(false);
        };
        tx.finish_command(agent, seq, state, report.error, now)?;
        let command = FailedCommand {
            agent,
            seq,
            command_id,
        };
        self.log_undone(tx, command, &relay.name, report);
        Ok(true)
    }

    fn log_undone(
        self: &Arc<Self>,
        tx: &mut Tx,
        command: FailedCommand,
        name: &str,
        report: &FailureReport,
    ) {
        let (hub, state) = (self.clone(), report.state);
        let (name, reason) = (masked(name).into_owned(), report.reason.to_owned());
        tx.after_commit(move || {
            log::warn!(
                "agent {name}: command {} {}: {reason}",
                command.command_id,
                state.as_str()
            );
            hub.count_ended(state);
            hub.command_ended(command.agent, command.seq);
        });
    }
}
