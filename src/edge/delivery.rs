//! Executes the steps that an outbox planned: commits them and only then releases the commands for
//! sending.

use std::sync::Arc;

use super::failed_commands::FailureReport;
use super::hub::Hub;
use super::outbox::OutboxStep;
use super::relay::{Relay, SocketMailbox};
use crate::clock::Timestamp;
use crate::error::{ErrorKind, Result};
use crate::model::masking::masked;
use crate::random;
use crate::store::{Command, Tx};

impl Hub {
    /// Commits the steps planned for a socket. Returns the commands to send; `None` when the socket
    /// is no longer current.
    pub(super) async fn release_commands(
        self: Arc<Self>,
        relay: Arc<Relay>,
        mailbox: Arc<SocketMailbox>,
    ) -> Result<Vec<Command>> {
        let (now, mono) = (self.clock.now(), self.clock.monotonic());
        let steps = {
            let state = &mut *relay.state();
            match &mut state.socket {
                Some(socket) if socket.mailbox.number == mailbox.number && !socket.closing => state
                    .outbox
                    .as_mut()
                    .map(|outbox| outbox.plan(now, mono, random::unit)),
                _ => None,
            }
        };
        self.commit(&relay, steps.unwrap_or_default()).await
    }

    /// Whether a handed-out command must still be sent. It may have been finished, refused or
    /// expired while an earlier one was being sent.
    pub(super) fn is_wanted(&self, relay: &Relay, command: &Command) -> bool {
        let (state, mono) = (relay.state(), self.clock.monotonic());
        let wanted = state
            .outbox
            .as_ref()
            .is_some_and(|o| o.has(command.seq) && !o.backs_off(command.seq, mono));
        wanted && command.expires_at > self.clock.now()
    }

    /// Commits steps. Returns the commands that may be sent now. After a failed write the steps are
    /// planned again later.
    pub(super) async fn commit(
        self: &Arc<Self>,
        relay: &Arc<Relay>,
        steps: Vec<OutboxStep>,
    ) -> Result<Vec<Command>> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let seqs: Vec<u64> = steps.iter().map(OutboxStep::seq).collect();
        let (hub, target) = (self.clone(), relay.clone());
        let result = self
            .store
            .write(move |tx| {
                let now = hub.clock.now();
                let mut out = Vec::new();
                for step in steps {
                    out.extend(apply(tx, &hub, &target, step, now)?);
                }
                Ok(out)
            })
            .await;
        if let Err(error) = &result {
            if error.kind != ErrorKind::Unavailable {
                log::error!("agent {}: {error}", masked(&relay.name));
            }
            let mono = self.clock.monotonic();
            if let Some(outbox) = &mut relay.state().outbox {
                seqs.iter().for_each(|seq| outbox.commit_failed(*seq, mono));
            }
        }
        result
    }
}

/// Applies one step in the transaction; memory changes after the commit.
fn apply(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    relay: &Arc<Relay>,
    step: OutboxStep,
    now: Timestamp,
) -> Result<Option<Command>> {
    let (agent, seq) = (relay.id, step.seq());
    let backs_off = |relay: &Relay| {
        let mono = hub.clock.monotonic();
        let outbox = &relay.state().outbox;
        outbox.as_ref().is_some_and(|o| o.backs_off(seq, mono))
    };
    let handed = match step {
        // The relay refused it after the step was planned.
        OutboxStep::Send { .. } if backs_off(relay) => {
            let hub = hub.clone();
            tx.after_commit(move || hub.change(agent, |outbox| outbox.put_back(seq)));
            return Ok(None);
        }
        OutboxStep::Send {
            attempts,
            resends,
            order,
            ..
        } => {
            let command = tx.hand_out(agent, seq, attempts, resends, order)?;
            match command {
                // The command expired while the step waited to be committed.
                Some(command) if command.expires_at <= now => {
                    hub.fail(tx, relay, seq, &FailureReport::EXPIRED, now)?;
                    None
                }
                other => other,
            }
        }
        OutboxStep::Fail { why, .. } => {
            hub.fail(tx, relay, seq, &FailureReport::failed(why, Some(why)), now)?;
            None
        }
        OutboxStep::Expire { .. } => {
            hub.fail(tx, relay, seq, &FailureReport::EXPIRED, now)?;
            None
        }
        OutboxStep::LeaveOut { .. } => {
            tx.leave_out(agent, seq)?;
            let hub = hub.clone();
            tx.after_commit(move || hub.change(agent, |outbox| outbox.command_left_out(seq)));
            return Ok(None);
        }
    };
    let (hub, relay) = (hub.clone(), relay.clone());
    if handed.is_some() {
        tx.after_commit(move || {
            let mono = hub.clock.monotonic();
            if let Some(outbox) = &mut relay.state().outbox {
                outbox.note_handed_out(step, mono);
            }
        });
    } else {
        // The command ended now or had ended before.
        tx.after_commit(move || hub.command_ended(relay.id, seq));
    }
    Ok(handed)
}
