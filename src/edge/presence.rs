//! Which socket of an agent is current (the newest), which sockets may open, and whether a socket
//! still answers.

use std::sync::Arc;

use super::hub::{Close, Hub};
use super::relay::{Relay, RelayState, Socket, SocketMailbox};
use super::wire;
use crate::clock::{Monotonic, Timestamp};
use crate::error::{Error, Result};
use crate::limits::{LimitState, MINUTE_MS};
use crate::model::masking::masked;
use crate::store::AgentId;

/// Accepted upgrades per agent and minute.
const UPGRADES_MAX: u64 = 10;
const UPGRADES: &str = "relay_connections";
/// Replacements of a socket that was still answering, per minute.
const SWAPS_MAX: u64 = 3;
const REPLACEMENTS: &str = "relay_swaps";
/// A socket counts as answering if a frame arrived within the heartbeat plus this time.
const GRACE_S: u64 = 5;
/// Shortest time between two writes of an agent's last-seen time.
const SEEN_EVERY_MS: i64 = 60_000;
/// Lifetime of a typing frame.
const TYPING_S: i64 = 10;

/// Marks a socket as its agent's newest. Dropping it ends that.
pub(super) struct SocketGuard {
    pub(super) hub: Arc<Hub>,
    pub(super) relay: Arc<Relay>,
    pub(super) mailbox: Arc<SocketMailbox>,
}

impl Drop for SocketGuard {
    fn drop(&mut self) {
        self.hub.leave(&self.relay, &self.mailbox);
    }
}

impl Hub {
    /// Refuses a socket when the agent connects too often, or replaces a working socket too often.
    pub(super) fn admit(&self, relay: &Relay) -> Result<()> {
        let now = self.clock.monotonic();
        let state = &mut *relay.state();
        let limited = |left: LimitState| Error::rate_limited(left.quota(UPGRADES));
        if self.answering(state, now) {
            state
                .replacements
                .check(SWAPS_MAX, MINUTE_MS, 1, now)
                .map_err(|left| {
                    log::warn!(
                        "agent {}: its sockets replace each other; are two relays using one agent id?",
                        masked(&relay.name)
                    );
                    Error::rate_limited(left.quota(REPLACEMENTS))
                })?;
        }
        state
            .upgrades
            .take(UPGRADES_MAX, MINUTE_MS, 1, now)
            .map(drop)
            .map_err(limited)
    }

    /// Makes the socket the agent's current one. The previous socket is closed, and a waiting poll
    /// ends.
    pub(super) fn enter(self: &Arc<Self>, relay: &Arc<Relay>) -> SocketGuard {
        let now = self.clock.monotonic();
        let state = &mut *relay.state();
        if self.answering(state, now) {
            state.replacements.add(1, now);
        }
        state.sockets += 1;
        let mailbox = Arc::new(SocketMailbox::new(state.sockets));
        let socket = Socket {
            mailbox: mailbox.clone(),
            heard_at: now,
            closing: false,
            wants_typing: false,
        };
        if let Some(old) = state.socket.replace(socket) {
            old.mailbox.post_close(Close::new(4409, "replaced"));
        }
        if let Some(outbox) = &mut state.outbox {
            outbox.disconnected();
        }
        relay.poll_wake.notify_waiters();
        SocketGuard {
            hub: self.clone(),
            relay: relay.clone(),
            mailbox,
        }
    }

    /// Whether the relay named the capability `typing` on this socket.
    pub(super) fn set_typing(&self, guard: &SocketGuard, wanted: bool) {
        let state = &mut *guard.relay.state();
        if state.is_current(&guard.mailbox)
            && let Some(socket) = &mut state.socket
        {
            socket.wants_typing = wanted;
        }
    }

    /// Allows commands on the socket.
    pub(super) fn start(&self, guard: &SocketGuard) {
        let state = &mut *guard.relay.state();
        if state.is_current(&guard.mailbox)
            && let Some(outbox) = &mut state.outbox
        {
            outbox.connected();
        }
    }

    /// Stops commands on a socket that has ended or is being closed.
    pub(super) fn stop_commands(&self, relay: &Relay, mailbox: &SocketMailbox) {
        let state = &mut *relay.state();
        if !state.is_current(mailbox) {
            return;
        }
        if let Some(socket) = &mut state.socket {
            socket.closing = true;
        }
        if let Some(outbox) = &mut state.outbox {
            outbox.disconnected();
        }
        relay.poll_wake.notify_waiters();
    }

    /// Removes a closed socket.
    pub(super) fn leave(&self, relay: &Relay, mailbox: &SocketMailbox) {
        self.stop_commands(relay, mailbox);
        let state = &mut *relay.state();
        if state.is_current(mailbox) {
            state.socket = None;
        }
    }

    pub(super) fn note_frame(&self, guard: &SocketGuard) {
        let now = self.clock.monotonic();
        let state = &mut *guard.relay.state();
        state.seen_at = Some(self.clock.now());
        if state.is_current(&guard.mailbox)
            && let Some(socket) = &mut state.socket
        {
            socket.heard_at = now;
        }
    }

    /// Notes that the agent was active on another way than its socket. Returns true when the time
    /// is due to be written.
    pub fn note_activity(&self, id: AgentId, name: &str, now: Timestamp) -> bool {
        let relay = self.relay_of_row(id, name);
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

    /// Writes when the agent was last active.
    pub(super) async fn write_last_seen(&self, relay: &Relay) {
        let (agent, seen_at) = (relay.id, relay.state().seen_at);
        if let Some(at) = seen_at {
            // One attempt is enough; the time is written again later.
            let _ = self
                .store
                .write(move |tx| tx.set_agent_seen(agent, at))
                .await;
        }
    }

    fn answering(&self, state: &RelayState, now: Monotonic) -> bool {
        let recent_ms = (self.settings.heartbeat_s + GRACE_S) * 1000;
        let socket = state.socket.as_ref();
        socket.is_some_and(|socket| !socket.closing && now.since(socket.heard_at) <= recent_ms)
    }

    /// Whether the agent has a socket that answers. One that doesn't is closed.
    pub(super) fn has_live_socket(&self, relay: &Relay) -> bool {
        let now = self.clock.monotonic();
        let state = &mut *relay.state();
        if self.answering(state, now) {
            return true;
        }
        if state.socket.as_ref().is_some_and(|socket| !socket.closing)
            && let Some(socket) = state.socket.take()
        {
            socket.mailbox.post_close(Close::new(4408, "silent"));
            if let Some(outbox) = &mut state.outbox {
                outbox.disconnected();
            }
        }
        false
    }

    /// Closes the agent's socket, and ends its poll that waits, if it has one.
    pub fn close(&self, agent: AgentId, close: Close) {
        if let Some(relay) = self.find(agent) {
            relay.close(close);
        }
    }

    /// Closes every socket, and ends every poll that waits.
    pub fn close_all(&self, close: Close) {
        for relay in self.all() {
            relay.close(close);
        }
    }

    /// Sends a typing frame, if the relay supports it.
    pub fn show_typing(&self, agent: AgentId, chat_guid: &str, on: bool, ttl_ms: u64) {
        if let Some(relay) = self.find(agent)
            && let Some(socket) = &relay.state().socket
            && socket.wants_typing
        {
            let now = self.clock.now();
            let until = now.plus_s(TYPING_S);
            let frame = wire::typing(chat_guid, on, ttl_ms, now, until);
            socket.mailbox.post_typing(frame, until);
        }
    }

    /// Agents with a socket now.
    pub fn connected(&self) -> usize {
        self.count(|state| usize::from(state.socket.is_some()))
    }

    /// Whether the agent has a socket, and when it was last active in this process.
    pub fn presence(&self, agent: AgentId) -> (bool, Option<Timestamp>) {
        self.find(agent).map_or((false, None), |relay| {
            let state = relay.state();
            let socket = state.socket.as_ref();
            (socket.is_some_and(|s| !s.closing), state.seen_at)
        })
    }
}
