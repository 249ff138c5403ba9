//! One agent as the running service knows it: its outbox, its limits, and the socket that it
//! has now. Only places to keep things; `hub` and `presence` say what happens to them.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::hub::{Close, Hub};
use super::outbox::Outbox;
use crate::clock::{Monotonic, Timestamp};
use crate::limits::Window;
use crate::store::AgentId;

/// Typing signs waiting for a socket that is busy; more are dropped.
const TYPING_MAX: usize = 4;

pub struct Relay {
    pub(super) id: AgentId,
    pub(super) name: String,
    state: Mutex<State>,
    /// Something may be due for a poll, or a poll is no longer to wait.
    pub(super) poll_wake: Notify,
}

#[derive(Default)]
pub(super) struct State {
    /// `None` until a socket or a poll needs it.
    pub(super) outbox: Option<Outbox>,
    pub(super) socket: Option<Socket>,
    pub(super) sockets: u64,
    /// The newest poll; an older one ends.
    pub(super) polls: u64,
    pub(super) syncs: Window,
    pub(super) upgrades: Window,
    pub(super) swaps: Window,
    pub(super) seen_at: Option<Timestamp>,
    pub(super) seen_written_at: Option<Timestamp>,
}

/// The agent's newest socket.
pub(super) struct Socket {
    pub(super) line: Arc<SocketMailbox>,
    pub(super) heard_at: Monotonic,
    /// It takes no more commands and says goodbye.
    pub(super) closing: bool,
    /// Its `resume` named the capability `typing`.
    pub(super) wants_typing: bool,
}

/// How a socket's task is told something.
pub(super) struct SocketMailbox {
    pub(super) number: u64,
    /// There may be commands to send, or something was told.
    pub(super) wake: Notify,
    told: Mutex<PendingNotices>,
}

#[derive(Default)]
pub(super) struct PendingNotices {
    pub(super) close: Option<Close>,
    /// Frames, each with the time when it is of no use any more.
    pub(super) typing: VecDeque<(String, Timestamp)>,
}

/// A socket's place as its agent's newest, given up when dropped.
pub(super) struct SocketGuard {
    pub(super) hub: Arc<Hub>,
    pub(super) relay: Arc<Relay>,
    pub(super) line: Arc<SocketMailbox>,
}

impl Relay {
    pub(super) fn new(id: AgentId, name: &str) -> Self {
        Self {
            id,
            name: name.to_owned(),
            state: Mutex::default(),
            poll_wake: Notify::new(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    pub(super) fn is_current(&self, line: &SocketMailbox) -> bool {
        let socket = self.socket.as_ref();
        socket.is_some_and(|socket| socket.line.number == line.number)
    }
}

impl SocketMailbox {
    pub(super) fn new(number: u64) -> Self {
        Self {
            number,
            wake: Notify::new(),
            told: Mutex::default(),
        }
    }

    pub(super) fn tell_close(&self, close: Close) {
        self.told.lock().close.get_or_insert(close);
        self.wake.notify_one();
    }

    pub(super) fn tell_typing(&self, frame: String, until: Timestamp) {
        let typing = &mut self.told.lock().typing;
        if typing.len() < TYPING_MAX {
            typing.push_back((frame, until));
            self.wake.notify_one();
        }
    }

    pub(super) fn take_told(&self) -> PendingNotices {
        std::mem::take(&mut self.told.lock())
    }
}

impl Drop for SocketGuard {
    fn drop(&mut self) {
        self.hub.leave(&self.relay, &self.line);
    }
}
