//! What a relay's reports do to its commands. A late or repeated report changes nothing.

use std::sync::Arc;

use super::hub::{Hub, Relay};
use super::outbox::ATTEMPTS_MAX;
use super::wire::{Ack, Event, Report};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;
use crate::store::{CommandState, Tx};

impl Hub {
    /// Commits a report; false when the agent has no such command.
    pub(super) async fn ack(self: &Arc<Self>, relay: &Arc<Relay>, ack: Ack) -> Result<bool> {
        let (hub, relay, now) = (self.clone(), relay.clone(), self.clock.now());
        self.store
            .write(move |tx| apply(tx, &hub, &relay, &ack, now))
            .await
    }

    /// The relay has finished everything up to `last_seq`. False when that can't be: another
    /// epoch, or a seq that was never given; then nothing is completed.
    pub(super) async fn resume(
        self: &Arc<Self>,
        relay: &Arc<Relay>,
        epoch: Option<String>,
        last_seq: u64,
    ) -> Result<bool> {
        if epoch.is_some_and(|epoch| epoch != self.terms.epoch) {
            return Ok(false);
        }
        let (hub, relay, now) = (self.clone(), relay.clone(), self.clock.now());
        self.store
            .write(move |tx| {
                if last_seq > tx.view().head_seq(relay.id)? {
                    return Ok(false);
                }
                complete_through(tx, &hub, &relay, last_seq, now)?;
                Ok(true)
            })
            .await
    }

    /// Records an event, once.
    pub(super) async fn record(&self, relay: &Relay, event: Event) -> Result<()> {
        let (agent, now) = (relay.id, self.clock.now());
        self.store
            .write(move |tx| record(tx, agent, &event, now))
            .await
    }

    /// Keeps what the relay says of itself, for the operator.
    pub(super) async fn set_status(&self, relay: &Relay, status: String) -> Result<()> {
        let (agent, now) = (relay.id, self.clock.now());
        self.store
            .write(move |tx| tx.set_agent_status(agent, &status, now))
            .await
    }
}

pub(super) fn record(
    tx: &Tx<'_>,
    agent: crate::store::AgentId,
    event: &Event,
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

/// One report in the transaction; false when the agent has no such command.
pub(super) fn apply(
    tx: &mut Tx<'_>,
    hub: &Arc<Hub>,
    relay: &Arc<Relay>,
    ack: &Ack,
    now: Timestamp,
) -> Result<bool> {
    let agent = relay.id;
    let Some((seq, state, attempts)) = tx.command_seq(agent, &ack.command_id)? else {
        return Ok(false);
    };
    if state == CommandState::Queued {
        return Ok(true); // it was never handed out: the report can't be of it
    }
    let error = ack.error.as_deref();
    let (hub, relay) = (hub.clone(), relay.clone());
    match ack.report {
        Report::Received | Report::Executing => {
            let state = match ack.report {
                Report::Received => CommandState::Received,
                _ => CommandState::Executing,
            };
            if tx.set_progress(agent, seq, state)? {
                tx.after_commit(move || hub.change(relay.id, |o| o.progress(seq, state)));
            }
        }
        Report::Failed { retryable: true } if attempts < ATTEMPTS_MAX => {
            if tx.set_refused(agent, seq, error)? {
                tx.after_commit(move || {
                    let mono = hub.clock.monotonic();
                    hub.change(relay.id, |o| o.refused(seq, mono, random::unit()));
                });
            }
        }
        Report::Completed | Report::Failed { .. } => {
            let state = match ack.report {
                Report::Completed => CommandState::Completed,
                _ => CommandState::Failed,
            };
            if tx.finish_command(agent, seq, state, error, now)? {
                tx.after_commit(move || hub.command_ended(relay.id, seq));
            }
        }
    }
    Ok(true)
}

pub(super) fn complete_through(
    tx: &mut Tx<'_>,
    hub: &Arc<Hub>,
    relay: &Arc<Relay>,
    last_seq: u64,
    now: Timestamp,
) -> Result<()> {
    let ended = tx.complete_through(relay.id, last_seq, now)?;
    let (hub, agent) = (hub.clone(), relay.id);
    tx.after_commit(move || {
        for seq in ended {
            hub.command_ended(agent, seq);
        }
    });
    Ok(())
}
