//! All relays of the running service, each with its outbox in memory. Memory is changed on the
//! writer thread right after each commit, in the order of commits, so it is a copy of the database
//! and never ahead of it.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::outbox::{Outbox, Timing};
use super::relay::RelayState;
pub use super::relay::{Close, Relay};
use super::wire::HelloSettings;
use crate::clock::Clock;
use crate::error::Result;
use crate::metrics::{self, IntCounterVec};
use crate::store::{AgentId, CommandState, SharedStore, UnfinishedCommand};

/// The configured part of the protocol.
#[derive(Debug, Clone, Copy)]
pub struct HubSettings {
    pub heartbeat_s: u64,
    pub silence_s: u64,
    pub ack_timeout_s: u64,
    pub max_in_flight: usize,
    /// Sends to one agent per minute.
    pub commands_per_minute: u64,
    pub command_ttl_s: u64,
}

/// The service's phase between running and closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Running,
    /// `bye` is sent, no new commands are sent, acks are accepted.
    Draining,
    /// Sockets are closed.
    Closing,
}

pub struct Hub {
    pub(super) store: SharedStore,
    pub(super) clock: Clock,
    pub(super) settings: HubSettings,
    pub(super) hello_settings: HelloSettings,
    pub(super) ended_commands: IntCounterVec,
    relays: Mutex<HashMap<AgentId, Arc<Relay>>>,
    phase: watch::Sender<Phase>,
}

impl Hub {
    pub fn new(
        store: SharedStore,
        clock: Clock,
        settings: HubSettings,
        epoch: String,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            hello_settings: HelloSettings {
                epoch,
                heartbeat_s: settings.heartbeat_s,
                silence_s: settings.silence_s,
                ack_timeout_s: settings.ack_timeout_s,
                max_in_flight: settings.max_in_flight,
            },
            settings,
            ended_commands: ended_commands_counter(),
            relays: Mutex::default(),
            phase: watch::channel(Phase::Running).0,
        })
    }

    /// The agent's state in memory, created at its first contact.
    pub async fn relay(&self, name: &str) -> Result<Arc<Relay>> {
        let now = self.clock.now();
        let owned = name.to_owned();
        let id = self
            .store
            .write(move |tx| Ok(tx.agent(&owned, now)?.id))
            .await?;
        Ok(self.relay_of_row(id, name))
    }

    /// Like `relay`, when the row's id is known.
    pub fn relay_of_row(&self, id: AgentId, name: &str) -> Arc<Relay> {
        let mut relays = self.relays.lock();
        let relay = relays
            .entry(id)
            .or_insert_with(|| Arc::new(Relay::new(id, name)));
        relay.clone()
    }

    pub(super) fn find(&self, agent: AgentId) -> Option<Arc<Relay>> {
        self.relays.lock().get(&agent).cloned()
    }

    /// Loads the agent's unfinished commands into memory, if they aren't there.
    pub(super) async fn load(self: &Arc<Self>, relay: &Arc<Relay>) -> Result<()> {
        if relay.state().outbox.is_some() {
            return Ok(());
        }
        let (hub, relay) = (self.clone(), relay.clone());
        // Reads on the writer thread, so that no commit falls between the read and the outbox.
        self.store
            .write(move |tx| {
                let unfinished = tx.unfinished_commands(relay.id)?;
                tx.after_commit(move || {
                    let (timing, mono) = (hub.timing(), hub.clock.monotonic());
                    let mut state = relay.state();
                    if state.outbox.is_none() {
                        state.outbox = Some(Outbox::new(timing, unfinished, mono));
                    }
                });
                Ok(())
            })
            .await
    }

    fn timing(&self) -> Timing {
        Timing {
            ack_timeout_ms: self.settings.ack_timeout_s * 1000,
            max_in_flight: self.settings.max_in_flight,
            per_minute: self.settings.commands_per_minute,
        }
    }

    /// Call this after the commit that queued a command.
    pub fn command_queued(&self, agent: AgentId, command: UnfinishedCommand) {
        self.change(agent, |outbox| outbox.insert(command));
    }

    /// Call this after the commit that ended a command.
    pub fn command_ended(&self, agent: AgentId, seq: u64) {
        self.change(agent, |outbox| outbox.remove(seq));
    }

    pub(super) fn change(&self, agent: AgentId, change: impl FnOnce(&mut Outbox)) {
        let Some(relay) = self.find(agent) else {
            return;
        };
        let mut state = relay.state();
        if let Some(outbox) = &mut state.outbox {
            change(outbox);
        }
        if let Some(socket) = &state.socket {
            socket.mailbox.wake.notify_one();
        }
        relay.poll_wake.notify_waiters();
    }

    /// How long a command waits for its relay, in seconds.
    pub fn command_ttl_s(&self) -> u64 {
        self.settings.command_ttl_s
    }

    pub fn set_phase(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    pub(super) fn phase(&self) -> watch::Receiver<Phase> {
        self.phase.subscribe()
    }

    pub fn is_running(&self) -> bool {
        *self.phase.borrow() == Phase::Running
    }

    /// Commands that ended, by state.
    pub fn ended_commands(&self) -> &IntCounterVec {
        &self.ended_commands
    }

    /// Commands sent over sockets and not acked.
    pub fn in_flight(&self) -> usize {
        self.count(|state| state.outbox.as_ref().map_or(0, Outbox::in_flight))
    }

    pub(super) fn all(&self) -> Vec<Arc<Relay>> {
        self.relays.lock().values().cloned().collect()
    }

    pub(super) fn count(&self, of: impl Fn(&RelayState) -> usize) -> usize {
        self.all().iter().map(|relay| of(&relay.state())).sum()
    }
}

/// Every final state has a count from the start.
fn ended_commands_counter() -> IntCounterVec {
    let ended_commands = metrics::counters(
        "chatkeep_commands_ended_total",
        "Commands that ended, by final state.",
        &["state"],
    );
    for state in [
        CommandState::Completed,
        CommandState::Failed,
        CommandState::Expired,
    ] {
        ended_commands.with_label_values(&[state.as_str()]);
    }
    ended_commands
}
