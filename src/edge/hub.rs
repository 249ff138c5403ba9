//! Who is connected, and each agent's outbox in memory. Memory follows the database: it is
//! changed on the writing thread right after the commit of the change, in the order of
//! commits, so that it is a copy of what is kept and never ahead of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc, watch};

use super::outbox::{Outbox, Step, Timing};
use super::wire::{self, Terms};
use crate::clock::{Clock, Monotonic, Timestamp};
use crate::error::{Error, Kind, Result};
use crate::limits::{MINUTE_MS, Window, whole_seconds};
use crate::random;
use crate::store::{AgentId, Command, CommandState, SharedStore, Tx, Unfinished};

/// Upgrades of an agent accepted in a minute.
const UPGRADES_MAX: u64 = 10;
/// Swaps of sockets that were still answering, in a minute.
const SWAPS_MAX: u64 = 3;
/// A socket that was heard within the heartbeat and this much is answering.
const GRACE_S: u64 = 5;
/// How often a last-seen time is written at most.
const SEEN_EVERY_MS: i64 = 60_000;

/// The configured part of the protocol, all in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub heartbeat_s: u64,
    pub silence_s: u64,
    pub ack_timeout_s: u64,
    pub max_in_flight: usize,
    pub command_ttl_s: u64,
}

/// How far the service's end has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Running,
    /// `bye` goes out, no new commands, acks are taken.
    Draining,
    /// Sockets close.
    Closing,
}

/// Why the service closes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close {
    pub code: u16,
    pub reason: &'static str,
    pub retry_after_ms: Option<u64>,
}

impl Close {
    pub const fn new(code: u16, reason: &'static str) -> Self {
        Self {
            code,
            reason,
            retry_after_ms: None,
        }
    }
}

pub struct Hub {
    pub(super) store: SharedStore,
    pub(super) clock: Clock,
    pub(super) settings: Settings,
    pub(super) terms: Terms,
    relays: Mutex<HashMap<AgentId, Arc<Relay>>>,
    phase: watch::Sender<Phase>,
}

/// One agent as the running service knows it.
pub struct Relay {
    pub(super) id: AgentId,
    pub(super) name: String,
    state: Mutex<State>,
    /// Something may have to go out over the socket, or to a poll.
    pub(super) socket_wake: Notify,
    pub(super) poll_wake: watch::Sender<()>,
}

#[derive(Default)]
pub(super) struct State {
    /// `None` until a socket or a poll needs it.
    pub(super) outbox: Option<Outbox>,
    pub(super) socket: Option<Socket>,
    sockets: u64,
    /// The newest poll; an older one ends.
    pub(super) polls: u64,
    pub(super) syncs: Window,
    upgrades: Window,
    swaps: Window,
    seen_at: Option<Timestamp>,
    seen_written_at: Option<Timestamp>,
}

/// A live socket, to be told to close.
pub(super) struct Socket {
    number: u64,
    close: mpsc::Sender<Close>,
    heard_at: Monotonic,
    pub(super) typing: Option<mpsc::Sender<String>>,
}

impl Relay {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // A panic while it was held left it consistent enough: every change is one step.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an accepted upgrade holds: the socket's number, and where it is told to close.
pub(super) struct Admitted {
    pub(super) number: u64,
    pub(super) close: mpsc::Receiver<Close>,
    pub(super) typing: mpsc::Receiver<String>,
    typing_sender: mpsc::Sender<String>,
}

impl Hub {
    pub fn new(store: SharedStore, clock: Clock, settings: Settings, epoch: String) -> Arc<Self> {
        Arc::new(Self {
            store,
            clock,
            terms: Terms {
                epoch,
                heartbeat_s: settings.heartbeat_s,
                silence_s: settings.silence_s,
                ack_timeout_s: settings.ack_timeout_s,
                max_in_flight: settings.max_in_flight,
            },
            settings,
            relays: Mutex::default(),
            phase: watch::channel(Phase::Running).0,
        })
    }

    /// The agent's place in memory, made at its first contact.
    pub async fn relay(&self, name: &str) -> Result<Arc<Relay>> {
        let now = self.clock.now();
        let owned = name.to_owned();
        let id = self
            .store
            .write(move |tx| Ok(tx.agent(&owned, now)?.id))
            .await?;
        Ok(self.known(id, name))
    }

    /// As `relay`, when the row's id is known.
    pub fn known(&self, id: AgentId, name: &str) -> Arc<Relay> {
        let mut relays = self.relays();
        let relay = relays.entry(id).or_insert_with(|| {
            Arc::new(Relay {
                id,
                name: name.to_owned(),
                state: Mutex::default(),
                socket_wake: Notify::new(),
                poll_wake: watch::channel(()).0,
            })
        });
        relay.clone()
    }

    fn relays(&self) -> MutexGuard<'_, HashMap<AgentId, Arc<Relay>>> {
        self.relays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, agent: AgentId) -> Option<Arc<Relay>> {
        self.relays().get(&agent).cloned()
    }

    /// Reads the agent's unfinished commands into memory, if they are not there.
    pub(super) async fn load(self: &Arc<Self>, relay: &Arc<Relay>) -> Result<()> {
        if relay.state().outbox.is_some() {
            return Ok(());
        }
        let (relay, timing) = (relay.clone(), self.timing());
        // Read on the writing thread, so that no commit lies between reading and showing.
        self.store
            .write(move |tx| {
                let unfinished = tx.view().unfinished_commands(relay.id)?;
                tx.after_commit(move || {
                    let mut state = relay.state();
                    if state.outbox.is_none() {
                        state.outbox = Some(Outbox::new(timing, unfinished));
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
        }
    }

    /// To be called after the commit that queued a command.
    pub fn command_queued(&self, agent: AgentId, command: Unfinished) {
        self.change(agent, |outbox| outbox.insert(command));
    }

    /// To be called after the commit that ended a command.
    pub fn command_ended(&self, agent: AgentId, seq: u64) {
        self.change(agent, |outbox| outbox.remove(seq));
    }

    pub(super) fn change(&self, agent: AgentId, change: impl FnOnce(&mut Outbox)) {
        let Some(relay) = self.find(agent) else {
            return;
        };
        if let Some(outbox) = relay.state().outbox.as_mut() {
            change(outbox);
        }
        relay.socket_wake.notify_one();
        relay.poll_wake.send_replace(());
    }

    /// Whether one more socket of this agent may come: not too often, and not by turns with
    /// another that works.
    pub(super) fn admit(&self, relay: &Relay) -> Result<()> {
        let now = self.clock.monotonic();
        let state = &mut *relay.state();
        let limited = |ms| Error::rate_limited(whole_seconds(ms));
        if self.answering(state, now) {
            state
                .swaps
                .check(SWAPS_MAX, MINUTE_MS, 1, now)
                .map_err(|ms| {
                    log::warn!(
                        "agent {}: its sockets replace each other; are two relays using one agent id?",
                        relay.name
                    );
                    limited(ms)
                })?;
        }
        state
            .upgrades
            .take(UPGRADES_MAX, MINUTE_MS, 1, now)
            .map_err(limited)
    }

    /// The newest socket wins; the one before it is told to go.
    pub(super) fn enter(&self, relay: &Relay) -> Admitted {
        let now = self.clock.monotonic();
        let (close, closed) = mpsc::channel(1);
        let (typing_sender, typing) = mpsc::channel(4);
        let state = &mut *relay.state();
        if self.answering(state, now) {
            state.swaps.add(1, now);
        }
        state.sockets += 1;
        let number = state.sockets;
        let socket = Socket {
            number,
            close,
            heard_at: now,
            typing: None,
        };
        if let Some(old) = state.socket.replace(socket) {
            let _ = old.close.try_send(Close::new(4409, "replaced"));
        }
        Admitted {
            number,
            close: closed,
            typing,
            typing_sender,
        }
    }

    /// The relay named the capability `typing` on this socket.
    pub(super) fn wants_typing(&self, relay: &Relay, admitted: &Admitted) {
        if let Some(socket) = &mut relay.state().socket
            && socket.number == admitted.number
        {
            socket.typing = Some(admitted.typing_sender.clone());
        }
    }

    /// The socket's commands may start.
    pub(super) fn start(&self, relay: &Relay, number: u64) {
        let state = &mut *relay.state();
        if is_current(state, number)
            && let Some(outbox) = &mut state.outbox
        {
            outbox.connected();
        }
    }

    /// The socket is gone.
    pub(super) fn leave(&self, relay: &Relay, number: u64) {
        let state = &mut *relay.state();
        if is_current(state, number) {
            state.socket = None;
            if let Some(outbox) = &mut state.outbox {
                outbox.disconnected();
            }
            relay.poll_wake.send_replace(());
        }
    }

    pub(super) fn heard(&self, relay: &Relay, number: u64) {
        let now = self.clock.monotonic();
        let state = &mut *relay.state();
        state.seen_at = Some(self.clock.now());
        if let Some(socket) = &mut state.socket
            && socket.number == number
        {
            socket.heard_at = now;
        }
    }

    /// The agent was heard by another way than its socket.
    pub fn seen(&self, id: AgentId, name: &str, now: Timestamp) -> bool {
        let relay = self.known(id, name);
        let mut state = relay.state();
        state.seen_at = Some(now);
        let due = state
            .seen_written_at
            .is_none_or(|at| now.0.saturating_sub(at.0) >= SEEN_EVERY_MS);
        if due {
            state.seen_written_at = Some(now);
        }
        due
    }

    fn answering(&self, state: &State, now: Monotonic) -> bool {
        let recent_ms = (self.settings.heartbeat_s + GRACE_S) * 1000;
        state
            .socket
            .as_ref()
            .is_some_and(|socket| now.since(socket.heard_at) <= recent_ms)
    }

    /// Whether the agent has a socket that answers; one that does not is closed.
    pub(super) fn has_live_socket(&self, relay: &Relay) -> bool {
        let now = self.clock.monotonic();
        let state = &mut *relay.state();
        if self.answering(state, now) {
            return true;
        }
        if let Some(socket) = state.socket.take() {
            let _ = socket.close.try_send(Close::new(4408, "silent"));
            if let Some(outbox) = &mut state.outbox {
                outbox.disconnected();
            }
        }
        false
    }

    /// Closes the agent's socket, if it has one.
    pub fn close(&self, agent: AgentId, close: Close) {
        if let Some(relay) = self.find(agent)
            && let Some(socket) = &relay.state().socket
        {
            let _ = socket.close.try_send(close);
        }
    }

    /// Shows that an answer is being written, where a relay can show it.
    pub fn show_typing(&self, agent: AgentId, chat_guid: &str, on: bool, ttl_ms: u64) {
        if let Some(relay) = self.find(agent)
            && let Some(typing) = relay
                .state()
                .socket
                .as_ref()
                .and_then(|s| s.typing.as_ref())
        {
            let _ = typing.try_send(wire::typing(chat_guid, on, ttl_ms));
        }
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

    /// Agents with a socket now.
    pub fn connected(&self) -> usize {
        self.relays()
            .values()
            .filter(|relay| relay.state().socket.is_some())
            .count()
    }

    /// Commands on sockets, not acked.
    pub fn in_flight(&self) -> usize {
        self.relays()
            .values()
            .filter_map(|relay| relay.state().outbox.as_ref().map(Outbox::in_flight))
            .sum()
    }

    /// Whether the agent has a socket, and when it was last heard in this process's life.
    pub fn presence(&self, agent: AgentId) -> (bool, Option<Timestamp>) {
        self.find(agent).map_or((false, None), |relay| {
            let state = relay.state();
            (state.socket.is_some(), state.seen_at)
        })
    }

    /// Commits what the outbox plans for the socket; the frames to send.
    pub(super) async fn pump(self: Arc<Self>, relay: Arc<Relay>) -> Vec<String> {
        let (now, mono) = (self.clock.now(), self.clock.monotonic());
        let steps = match &mut relay.state().outbox {
            Some(outbox) => outbox.plan(now, mono, random::unit),
            None => Vec::new(),
        };
        let commands = self.commit(&relay, steps, now).await.unwrap_or_default();
        commands.iter().map(wire::command).collect()
    }

    /// Commits steps; the commands that may go out now. An error is a write that failed: the
    /// steps are planned again later.
    pub(super) async fn commit(
        self: &Arc<Self>,
        relay: &Arc<Relay>,
        steps: Vec<Step>,
        now: Timestamp,
    ) -> Result<Vec<Command>> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let seqs: Vec<u64> = steps.iter().map(Step::seq).collect();
        let (hub, target) = (self.clone(), relay.clone());
        let result = self
            .store
            .write(move |tx| {
                let mut out = Vec::new();
                for step in steps {
                    out.extend(apply(tx, &hub, &target, step, now)?);
                }
                Ok(out)
            })
            .await;
        if let Err(error) = &result {
            if error.kind != Kind::Unavailable {
                log::error!("agent {}: {error}", relay.name);
            }
            let mono = self.clock.monotonic();
            if let Some(outbox) = &mut relay.state().outbox {
                seqs.iter().for_each(|seq| outbox.release(*seq, mono));
            }
        }
        result
    }
}

fn is_current(state: &State, number: u64) -> bool {
    state.socket.as_ref().is_some_and(|s| s.number == number)
}

/// One step in the transaction; memory follows after the commit.
fn apply(
    tx: &mut Tx<'_>,
    hub: &Arc<Hub>,
    relay: &Arc<Relay>,
    step: Step,
    now: Timestamp,
) -> Result<Option<Command>> {
    let (agent, seq) = (relay.id, step.seq());
    let command = match step {
        Step::Send {
            attempts, resends, ..
        } => tx.hand_out(agent, seq, attempts, resends)?,
        Step::Fail { why, .. } => {
            log::warn!("agent {}: command {seq} failed: {why}", relay.name);
            tx.finish_command(agent, seq, CommandState::Failed, Some(why), now)?;
            None
        }
        Step::Expire { .. } => {
            tx.finish_command(agent, seq, CommandState::Expired, None, now)?;
            None
        }
    };
    let (hub, relay) = (hub.clone(), relay.clone());
    match (&command, step) {
        (
            Some(_),
            Step::Send {
                attempts, resends, ..
            },
        ) => tx.after_commit(move || {
            let mono = hub.clock.monotonic();
            if let Some(outbox) = &mut relay.state().outbox {
                outbox.handed(seq, attempts, resends, mono);
            }
        }),
        _ => tx.after_commit(move || hub.command_ended(relay.id, seq)),
    }
    Ok(command)
}
