//! Applies a relay's reports to its commands. A late or repeated report changes nothing.

use std::sync::Arc;

use super::failed_commands::FailureReport;
use super::hub::{Hub, Relay};
use super::outbox::REFUSALS_MAX;
use super::queue;
use super::wire::{self, Ack, CommandReport, RelayEvent};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;
use crate::store::{CommandState, CommandStatus, Tx};

impl Hub {
    /// Commits a report; false when the agent has no such command.
    pub async fn ack(self: &Arc<Self>, relay: &Arc<Relay>, ack: Ack) -> Result<bool> {
        let (hub, relay, now) = (self.clone(), relay.clone(), self.clock.now());
        self.store
            .write(move |tx| apply(tx, &hub, &relay, &ack, now))
            .await
    }

    /// Completes everything up to `last_seq`. Returns false, without completing anything, for
    /// another epoch or a seq that was never given.
    pub(super) async fn resume(
        self: &Arc<Self>,
        relay: &Arc<Relay>,
        epoch: Option<String>,
        last_seq: u64,
    ) -> Result<bool> {
        let is_known = match &epoch {
            Some(epoch) => *epoch == self.hello_settings.epoch,
            // A seq without its epoch means nothing.
            None => last_seq == 0,
        };
        if !is_known {
            return Ok(false);
        }
        let (hub, relay, now) = (self.clone(), relay.clone(), self.clock.now());
        self.store
            .write(move |tx| {
                if last_seq > tx.head_seq(relay.id)? {
                    return Ok(false);
                }
                let handed = tx.handed_through(relay.id, last_seq)?;
                complete(tx, &hub, &relay, &handed, now)?;
                Ok(true)
            })
            .await
    }

    /// The `hello` frame with the agent's position.
    pub(super) async fn hello(self: &Arc<Self>, relay: &Arc<Relay>) -> Result<String> {
        let agent = relay.id;
        let head_seq = self.store.write(move |tx| tx.head_seq(agent)).await?;
        let now = self.clock.now();
        Ok(wire::hello(
            &relay.name, head_seq, &self.hello_settings, now,
        ))
    }

    /// Records an event once.
    pub(super) async fn record(&self, relay: &Relay, event: RelayEvent) -> Result<()> {
        let (agent, now) = (relay.id, self.clock.now());
        self.store
            .write(move |tx| record(tx, agent, &event, now))
            .await
    }

    /// Stores the relay's status for the operator.
    pub(super) async fn set_status(&self, relay: &Relay, status: String) -> Result<()> {
        let (agent, now) = (relay.id, self.clock.now());
        self.store
            .write(move |tx| tx.set_agent_status(agent, &status, now))
            .await
    }
}

pub(super) fn record(
    tx: &Tx,
    agent: crate::store::AgentId,
    event: &RelayEvent,
    now: Timestamp,
) -> Result<()> {
    tx.insert_edge_event(
        agent,
        &event.event_id,
        &event.event_type,
        event.thread_id.as_deref(),
        event.details.as_deref(),
        now,
    )
    .map(drop)
}

/// Applies one report in the transaction; false when the agent has no such command.
pub(super) fn apply(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    relay: &Arc<Relay>,
    ack: &Ack,
    now: Timestamp,
) -> Result<bool> {
    let agent = relay.id;
    let Some(command) = tx.command_status(agent, &ack.command_id)? else {
        return Ok(false);
    };
    if command.state == CommandState::Queued {
        return Ok(true); // never handed out, so the report can't be about it
    }
    let seq = command.seq;
    let error = ack.error.as_deref();
    let (hub, relay) = (hub.clone(), relay.clone());
    match ack.report {
        CommandReport::Received | CommandReport::Executing => {
            let state = ack.report.state();
            if tx.set_progress(agent, seq, state)? {
                tx.after_commit(move || hub.change(relay.id, |o| o.progress(seq, state)));
            }
        }
        CommandReport::Failed { retryable: true } => {
            set_refused(tx, (&hub, &relay), &command, error, now)?;
        }
        CommandReport::NotPrivate => match tx.direct_chat_of(agent, seq)? {
            Some((room, chat_guid)) => {
                queue::end_direct_chat(tx, &hub, (&chat_guid, room), now)?;
            }
            // The chat is a group, which the relay will know at the next attempt.
            None => set_refused(tx, (&hub, &relay), &command, error, now)?,
        },
        CommandReport::Failed { retryable: false } => {
            let report = FailureReport::failed("the relay refused it for good", error);
            hub.fail(tx, &relay, seq, &report, now)?;
        }
        CommandReport::Completed => {
            if tx.finish_command(agent, seq, CommandState::Completed, error, now)? {
                tx.after_commit(move || hub.completed(relay.id, seq));
            }
        }
    }
    Ok(true)
}

/// The relay gets the command again later, unless it has refused it too often.
fn set_refused(
    tx: &mut Tx,
    (hub, relay): (&Arc<Hub>, &Arc<Relay>),
    command: &CommandStatus,
    error: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let seq = command.seq;
    if !tx.set_refused(relay.id, seq, error)? {
        return Ok(());
    }
    if command.refusals + 1 >= REFUSALS_MAX {
        let report = FailureReport::failed("the relay refused it 12 times", error);
        return hub.fail(tx, relay, seq, &report, now).map(drop);
    }
    let (hub, agent, mono) = (hub.clone(), relay.id, hub.clock.monotonic());
    tx.after_commit(move || hub.change(agent, |o| o.refused(seq, mono, random::unit())));
    Ok(())
}

/// Completes those of `seqs` that were handed out. A command once reported as failed is completed
/// only by its own ack.
pub(super) fn complete(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    relay: &Arc<Relay>,
    seqs: &[u64],
    now: Timestamp,
) -> Result<()> {
    for &seq in seqs {
        if tx.complete_unrefused(relay.id, seq, now)? {
            let (hub, agent) = (hub.clone(), relay.id);
            tx.after_commit(move || hub.completed(agent, seq));
        }
    }
    Ok(())
}
