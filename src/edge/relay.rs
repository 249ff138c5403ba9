//! The state of one agent in the running service: its outbox, limits and current socket. This file
//! only stores it; `hub` and `presence` change it.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::outbox::Outbox;
use crate::clock::{Monotonic, Timestamp};
use crate::limits::Window;
use crate::store::AgentId;

/// Typing frames waiting for a busy socket; further ones are dropped.
const TYPING_MAX: usize = 4;

pub struct Relay {
    pub(super) id: AgentId,
    pub(super) name: String,
    state: Mutex<RelayState>,
    /// Wakes a waiting poll: a command may be due, or the poll must end.
    pub(super) poll_wake: Notify,
}

#[derive(Default)]
pub(super) struct RelayState {
    /// `None` until a socket or a poll needs it.
    pub(super) outbox: Option<Outbox>,
    pub(super) socket: Option<Socket>,
    pub(super) sockets: u64,
    /// Number of the newest poll. An older poll ends.
    pub(super) polls: u64,
    pub(super) syncs: Window,
    pub(super) upgrades: Window,
    pub(super) replacements: Window,
    pub(super) seen_at: Option<Timestamp>,
    pub(super) seen_written_at: Option<Timestamp>,
}

/// An agent's current socket.
pub(super) struct Socket {
    pub(super) mailbox: Arc<SocketMailbox>,
    pub(super) heard_at: Monotonic,
    /// The socket takes no more commands; it is being closed.
    pub(super) closing: bool,
    /// The socket's `resume` named the capability `typing`.
    pub(super) wants_typing: bool,
}

/// Close code and reason of a socket that the service closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close {
    pub code: u16,
    pub reason: &'static str,
}

impl Close {
    pub const fn new(code: u16, reason: &'static str) -> Self {
        Self { code, reason }
    }
}

/// Notices for the task of one socket.
pub(super) struct SocketMailbox {
    pub(super) number: u64,
    /// Wakes the task: there may be commands to send, or a notice.
    pub(super) wake: Notify,
    notices: Mutex<PendingNotices>,
}

#[derive(Default)]
pub(super) struct PendingNotices {
    pub(super) close: Option<Close>,
    /// Typing frames with their expiry.
    pub(super) typing: VecDeque<(String, Timestamp)>,
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

    pub(super) fn state(&self) -> MutexGuard<'_, RelayState> {
        self.state.lock()
    }

    /// Begins a poll, whose number it returns, and ends an older one that still waits.
    pub(super) fn begin_poll(&self) -> u64 {
        let number = {
            let mut state = self.state();
            state.polls += 1;
            state.polls
        };
        self.poll_wake.notify_waiters();
        number
    }

    /// Closes the socket, and ends a poll that waits: their credential may be revoked.
    pub(super) fn close(&self, close: Close) {
        self.begin_poll();
        if let Some(socket) = &self.state().socket {
            socket.mailbox.post_close(close);
        }
    }
}

impl RelayState {
    pub(super) fn is_current(&self, mailbox: &SocketMailbox) -> bool {
        let socket = self.socket.as_ref();
        socket.is_some_and(|socket| socket.mailbox.number == mailbox.number)
    }
}

impl SocketMailbox {
    pub(super) fn new(number: u64) -> Self {
        Self {
            number,
            wake: Notify::new(),
            notices: Mutex::default(),
        }
    }

    pub(super) fn post_close(&self, close: Close) {
        self.notices.lock().close.get_or_insert(close);
        self.wake.notify_one();
    }

    pub(super) fn post_typing(&self, frame: String, until: Timestamp) {
        let typing = &mut self.notices.lock().typing;
        if typing.len() < TYPING_MAX {
            typing.push_back((frame, until));
            self.wake.notify_one();
        }
    }

    pub(super) fn take_notices(&self) -> PendingNotices {
        std::mem::take(&mut self.notices.lock())
    }
}
