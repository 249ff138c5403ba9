//! One unfinished command in the outbox, and the rules for its next hand-out.

use std::sync::Arc;

use super::sender_queue::Sender;
use super::{ATTEMPTS_MAX, OutboxStep, PROGRESS_MS, RESENDS_MAX, Timing};
use crate::clock::{Monotonic, Timestamp};
use crate::store::{CommandState, RoomId, UnfinishedCommand};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryStage {
    /// May be sent from `not_before` on, when it is first in its chat.
    Idle { not_before: Monotonic },
    /// A step for it is being committed.
    Planned,
    /// Sent over the socket, not acked.
    UnderWay { since: Monotonic },
}

impl Default for DeliveryStage {
    fn default() -> Self {
        Self::Idle {
            not_before: Monotonic::default(),
        }
    }
}

impl DeliveryStage {
    pub(super) fn is_out(self) -> bool {
        !matches!(self, Self::Idle { .. })
    }
}

#[derive(Debug)]
pub(super) struct OutboxEntry {
    pub(super) command_id: Arc<str>,
    pub(super) room: RoomId,
    pub(super) sender: Sender,
    pub(super) expires_at: Timestamp,
    pub(super) state: CommandState,
    pub(super) attempts: u32,
    pub(super) resends: u32,
    pub(super) refusals: u32,
    pub(super) stage: DeliveryStage,
    /// The command's key in the outbox's timers.
    pub(super) timer: Option<Monotonic>,
    /// Handed out before this socket opened: sending it again is not an attempt.
    pub(super) is_resend: bool,
    /// The command's number in the order of first hand-outs; 0 when it has none or was left out
    /// of a list since.
    pub(super) order: u64,
    /// When it was last handed out, and last counted as an attempt, by this process.
    pub(super) handed_at: Option<Monotonic>,
    pub(super) attempt_at: Option<Monotonic>,
}

impl OutboxEntry {
    pub(super) fn new(command: UnfinishedCommand) -> Self {
        Self {
            command_id: command.command_id,
            room: command.room,
            sender: command.app_creator,
            expires_at: command.expires_at,
            state: command.state,
            attempts: command.attempts,
            resends: command.resends,
            refusals: command.refusals,
            stage: DeliveryStage::default(),
            timer: None,
            is_resend: false,
            order: command.send_order,
            handed_at: None,
            attempt_at: None,
        }
    }

    pub(super) fn was_handed(&self) -> bool {
        self.state != CommandState::Queued
    }

    /// Attempts without a report from the relay. A refusal is a report.
    pub(super) fn unanswered(&self) -> u32 {
        self.attempts.saturating_sub(self.refusals)
    }

    pub(super) fn in_progress(&self) -> bool {
        matches!(self.state, CommandState::Received | CommandState::Executing)
    }

    /// Whether a report changes its state.
    pub(super) fn changes_state(&self, reported: CommandState) -> bool {
        match reported {
            CommandState::Received => self.state == CommandState::Sent,
            CommandState::Executing => self.state != CommandState::Executing,
            _ => true,
        }
    }

    /// How long one attempt may take.
    pub(super) fn allowed_ms(&self, timing: Timing) -> u64 {
        if self.in_progress() {
            PROGRESS_MS.max(timing.ack_timeout_ms)
        } else {
            timing.ack_timeout_ms
        }
    }

    /// When the last hand-out by this process counts as lost.
    fn overdue_at(&self, timing: Timing) -> Option<Monotonic> {
        self.handed_at.map(|at| at.plus_ms(self.allowed_ms(timing)))
    }

    pub(super) fn is_overdue(&self, timing: Timing, now: Monotonic) -> bool {
        self.overdue_at(timing).is_none_or(|at| at <= now)
    }

    /// Whether it is in the list of a polling relay.
    pub(super) fn is_listed(&self) -> bool {
        self.order > 0
    }

    /// When a poll must be answered because of it.
    pub(super) fn poll_due_at(&self, timing: Timing, now: Monotonic) -> Monotonic {
        let listed = Some(self).filter(|entry| entry.is_listed());
        listed.and_then(|e| e.overdue_at(timing)).unwrap_or(now)
    }

    /// The step for it when it is first in its chat, over the socket.
    pub(super) fn socket_step(&self, seq: u64, order: u64, now: Timestamp) -> OutboxStep {
        if self.expires_at <= now {
            return OutboxStep::Expire { seq };
        }
        if !self.is_resend {
            return OutboxStep::Send {
                seq,
                attempts: self.attempts + 1,
                resends: self.resends,
                order,
            };
        }
        if self.resends >= RESENDS_MAX {
            return OutboxStep::Fail {
                seq,
                why: "sent again after 32 reconnects and never finished",
            };
        }
        OutboxStep::Send {
            seq,
            attempts: self.attempts,
            resends: self.resends + 1,
            order,
        }
    }

    /// The step for it in a poll's answer. `counts`: it is first in its chat, so the hand-out may
    /// count as an attempt, at most once per ack timeout.
    pub(super) fn poll_step(
        &self,
        seq: u64,
        order: u64,
        counts: bool,
        timing: Timing,
        now: Timestamp,
        mono: Monotonic,
    ) -> OutboxStep {
        if self.expires_at <= now {
            return OutboxStep::Expire { seq };
        }
        let last_is_over = self
            .attempt_at
            .is_none_or(|at| at.plus_ms(timing.ack_timeout_ms) <= mono);
        let is_attempt = self.attempts == 0 || counts && last_is_over;
        if is_attempt && self.unanswered() >= ATTEMPTS_MAX {
            return too_many_attempts(seq);
        }
        OutboxStep::Send {
            seq,
            attempts: self.attempts + u32::from(is_attempt),
            resends: self.resends,
            order,
        }
    }
}

pub(super) fn too_many_attempts(seq: u64) -> OutboxStep {
    OutboxStep::Fail {
        seq,
        why: "not finished after 5 attempts",
    }
}
