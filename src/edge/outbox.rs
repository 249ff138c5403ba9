//! The outbox of one agent: its unfinished commands and the rules for sending them. Commands of a
//! chat are sent in order, one at a time over a socket, those of apps after all others, with backoff
//! after failed attempts and refusals, resends after a reconnect, a limit of sends per minute,
//! expiry, and the list that a polling relay works through. Pure: both times are arguments, there
//! are no payloads and no I/O. The outbox mirrors committed rows: callers change it only after
//! the commit.

mod entry;
mod poll;
mod send_rate;
mod sender_queue;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::clock::{Monotonic, Timestamp};
use crate::store::{CommandState, RoomId, UnfinishedCommand};
use entry::{DeliveryStage, OutboxEntry};
use send_rate::SendRate;
use sender_queue::SenderQueue;

/// Time for one attempt after the relay reported `received` or `executing`.
const PROGRESS_MS: u64 = 120_000;
/// Attempts without an answer.
const ATTEMPTS_MAX: u32 = 5;
/// After this many refusals by its relay a command has failed.
pub const REFUSALS_MAX: u32 = 12;
/// Limit of resends, so that a command that crashes its relay each time ends.
const RESENDS_MAX: u32 = 32;
const BACKOFF_FIRST_MS: u64 = 1_000;
const BACKOFF_MAX_MS: u64 = 60_000;
const REFUSED_BACKOFF_MAX_MS: u64 = 600_000;
const BACKOFF_JITTER: f64 = 0.2;
/// Pause before retrying a change that could not be committed.
const WRITE_PAUSE_MS: u64 = 1_000;

/// The configured part of the rules.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    pub ack_timeout_ms: u64,
    pub max_in_flight: usize,
    pub per_minute: u64,
}

/// A change that must be committed before anything is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutboxStep {
    Send {
        seq: u64,
        attempts: u32,
        resends: u32,
        /// The number this hand-out gets in the order of first hand-outs, if it is the first.
        order: u64,
    },
    Fail {
        seq: u64,
        why: &'static str,
    },
    Expire {
        seq: u64,
    },
    /// The poll's answer leaves the command out, so a later `last_command_id` doesn't finish it.
    LeaveOut {
        seq: u64,
    },
}

impl OutboxStep {
    pub const fn seq(&self) -> u64 {
        match *self {
            Self::Send { seq, .. }
            | Self::Fail { seq, .. }
            | Self::Expire { seq }
            | Self::LeaveOut { seq } => seq,
        }
    }

    const fn is_send(&self) -> bool {
        matches!(self, Self::Send { .. })
    }
}

#[derive(Debug)]
pub struct Outbox {
    timing: Timing,
    entries: BTreeMap<u64, OutboxEntry>,
    seqs: HashMap<Arc<str>, u64>,
    rooms: HashMap<RoomId, BTreeSet<u64>>,
    /// First commands of their chats that may be sent now. Empty without a socket, like `timers`.
    ready: SenderQueue,
    timers: BTreeSet<(Monotonic, u64)>,
    /// Refused commands, and the time until which they and their chats wait.
    refused: BTreeMap<u64, Monotonic>,
    send_rate: SendRate,
    in_flight: usize,
    online: bool,
    /// The next number in the order of first hand-outs, by socket or poll.
    next_order: u64,
    /// The commands in the last poll's answer, in its order.
    answered: Vec<u64>,
}

impl Outbox {
    pub fn new(timing: Timing, unfinished: Vec<UnfinishedCommand>, now: Monotonic) -> Self {
        let mut outbox = Self {
            timing,
            entries: BTreeMap::new(),
            seqs: HashMap::new(),
            rooms: HashMap::new(),
            ready: SenderQueue::default(),
            timers: BTreeSet::new(),
            refused: BTreeMap::new(),
            send_rate: SendRate::new(timing.per_minute),
            in_flight: 0,
            online: false,
            next_order: 1,
            answered: Vec::new(),
        };
        for command in unfinished {
            let seq = command.seq;
            outbox.next_order = outbox.next_order.max(command.send_order + 1);
            outbox.insert(command);
            if let Some(entry) = outbox.entries.get_mut(&seq)
                && entry.was_handed()
            {
                // The previous process handed it out at an unknown time.
                entry.attempt_at = Some(now);
            }
        }
        outbox
    }

    /// Whether the command is unfinished.
    pub fn has(&self, seq: u64) -> bool {
        self.entries.contains_key(&seq)
    }

    /// Commands sent over the socket and not acked.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether the command was sent over this socket and the report changes its state. Such reports
    /// don't count as a flood.
    pub fn expects(&self, command_id: &str, state: CommandState) -> bool {
        let entry = self.seqs.get(command_id).and_then(|s| self.entries.get(s));
        entry.is_some_and(|entry| {
            matches!(entry.stage, DeliveryStage::UnderWay { .. }) && entry.changes_state(state)
        })
    }

    /// Adds a committed command.
    pub fn insert(&mut self, command: UnfinishedCommand) {
        let (seq, room) = (command.seq, command.room);
        self.seqs.insert(command.command_id.clone(), seq);
        self.rooms.entry(room).or_default().insert(seq);
        self.entries.insert(seq, OutboxEntry::new(command));
        self.mark_head_ready(room);
    }

    /// Removes a command that ended.
    pub fn remove(&mut self, seq: u64) {
        self.set_stage(seq, DeliveryStage::default());
        self.refused.remove(&seq);
        let Some(entry) = self.entries.remove(&seq) else {
            return;
        };
        self.ready.remove(entry.sender, seq);
        if let Some(at) = entry.timer {
            self.timers.remove(&(at, seq));
        }
        if self.seqs.get(&entry.command_id) == Some(&seq) {
            self.seqs.remove(&entry.command_id);
        }
        if let Some(queue) = self.rooms.get_mut(&entry.room) {
            queue.remove(&seq);
            if queue.is_empty() {
                self.rooms.remove(&entry.room);
            }
        }
        self.mark_head_ready(entry.room);
    }

    /// The relay received the command or works on it: the attempt now has `PROGRESS_MS`.
    pub fn progress(&mut self, seq: u64, state: CommandState) {
        if let Some(entry) = self.entries.get_mut(&seq) {
            entry.state = state;
            let stage = entry.stage;
            self.set_stage(seq, stage);
        }
    }

    /// The relay refused the command: it is sent again after a backoff. `unit` is a random number
    /// from 0 to 1.
    pub fn refused(&mut self, seq: u64, now: Monotonic, unit: f64) {
        let Some(entry) = self.entries.get_mut(&seq) else {
            return;
        };
        entry.state = CommandState::Sent;
        entry.refusals += 1;
        entry.handed_at = None; // it is no longer under way
        let ms = backoff_ms(entry.refusals, REFUSED_BACKOFF_MAX_MS, unit);
        let not_before = now.plus_ms(ms);
        let is_planned = entry.stage == DeliveryStage::Planned;
        self.refused.insert(seq, not_before);
        if !is_planned {
            self.ready.remove(entry.sender, seq);
            self.set_stage(seq, DeliveryStage::Idle { not_before });
        }
    }

    /// Whether the command's backoff is still running. A refusal may come after its step was
    /// planned.
    pub fn backs_off(&self, seq: u64, mono: Monotonic) -> bool {
        self.refused.get(&seq).is_some_and(|until| *until > mono)
    }

    /// Takes back a planned step of a command that backs off.
    pub fn put_back(&mut self, seq: u64) {
        if self.entries.get(&seq).map(|e| e.stage) == Some(DeliveryStage::Planned)
            && let Some(not_before) = self.refused.get(&seq).copied()
        {
            self.set_stage(seq, DeliveryStage::Idle { not_before });
        }
    }

    /// A socket was opened: all unfinished commands are sent again in order, at once. Resending
    /// what was handed out before doesn't count as an attempt.
    pub fn connected(&mut self) {
        self.disconnected();
        self.online = true;
        self.refused.clear();
        for entry in self.entries.values_mut() {
            entry.is_resend = entry.was_handed();
        }
        for head in self.rooms.values().filter_map(BTreeSet::first) {
            if let Some(entry) = self.entries.get(head) {
                self.ready.insert(entry.sender, *head);
            }
        }
    }

    /// The socket closed.
    pub fn disconnected(&mut self) {
        self.online = false;
        self.in_flight = 0;
        self.ready.clear();
        self.timers.clear();
        for entry in self.entries.values_mut() {
            entry.stage = DeliveryStage::default();
            entry.timer = None;
        }
    }

    /// The next time when `plan` may have a step because of time alone.
    pub fn next_timer(&self) -> Option<Monotonic> {
        let timer = self.timers.first().map(|(at, _)| *at);
        let has_place = self.in_flight < self.timing.max_in_flight;
        let paced = self
            .send_rate
            .free_at()
            .filter(|_| has_place && !self.ready.is_empty());
        timer.into_iter().chain(paced).min()
    }

    /// The steps to commit now for the socket. `unit` draws random numbers from 0 to 1.
    pub fn plan(
        &mut self,
        now: Timestamp,
        mono: Monotonic,
        mut unit: impl FnMut() -> f64,
    ) -> Vec<OutboxStep> {
        let mut steps = Vec::new();
        while let Some((at, seq)) = self.timers.first().copied().filter(|(at, _)| *at <= mono) {
            self.timers.remove(&(at, seq));
            steps.extend(self.timer_fired(seq, &mut unit));
        }
        while self.in_flight < self.timing.max_in_flight {
            let Some((sender, seq)) = self.ready.next() else {
                break;
            };
            if let Some(entry) = self.entries.get(&seq) {
                let step = entry.socket_step(seq, self.next_order, now);
                if step.is_send() && !self.send_rate.take(mono) {
                    break;
                }
                steps.push(step);
                self.next_order += 1;
                self.set_stage(seq, DeliveryStage::Planned);
            }
            self.ready.pop(sender, seq);
        }
        steps
    }

    fn timer_fired(&mut self, seq: u64, unit: &mut impl FnMut() -> f64) -> Option<OutboxStep> {
        let timing = self.timing;
        let entry = self.entries.get_mut(&seq)?;
        entry.timer = None;
        match entry.stage {
            DeliveryStage::Planned => None,
            DeliveryStage::Idle { .. } => {
                self.ready.insert(entry.sender, seq);
                None
            }
            DeliveryStage::UnderWay { .. } if entry.unanswered() >= ATTEMPTS_MAX => {
                self.set_stage(seq, DeliveryStage::Planned);
                Some(entry::too_many_attempts(seq))
            }
            DeliveryStage::UnderWay { since } => {
                let late = since.plus_ms(entry.allowed_ms(timing));
                let ms = backoff_ms(entry.attempts, BACKOFF_MAX_MS, unit());
                let not_before = late.plus_ms(ms);
                self.set_stage(seq, DeliveryStage::Idle { not_before });
                None
            }
        }
    }

    /// The hand-out of a `Send` step was committed.
    pub fn note_handed_out(&mut self, step: OutboxStep, mono: Monotonic) {
        let OutboxStep::Send {
            seq,
            attempts,
            resends,
            order,
        } = step
        else {
            return;
        };
        let online = self.online;
        let Some(entry) = self.entries.get_mut(&seq) else {
            return;
        };
        if !entry.is_listed() {
            entry.order = order;
        }
        entry.state = CommandState::Sent;
        entry.handed_at = Some(mono);
        self.refused.remove(&seq);
        if attempts != entry.attempts {
            entry.attempt_at = Some(mono);
        }
        entry.attempts = attempts;
        entry.resends = resends;
        if online && entry.stage.is_out() {
            entry.is_resend = false;
            self.set_stage(seq, DeliveryStage::UnderWay { since: mono });
        }
    }

    /// A step could not be committed: it is planned again later.
    pub fn commit_failed(&mut self, seq: u64, mono: Monotonic) {
        if self.entries.get(&seq).map(|e| e.stage) == Some(DeliveryStage::Planned) {
            let not_before = mono.plus_ms(WRITE_PAUSE_MS);
            self.set_stage(seq, DeliveryStage::Idle { not_before });
        }
    }

    /// Marks a chat's first command as ready unless something holds it back; `plan` checks the
    /// time.
    fn mark_head_ready(&mut self, room: RoomId) {
        if let Some(head) = self
            .rooms
            .get(&room)
            .and_then(|queue| queue.first().copied())
            && let Some(entry) = self.entries.get(&head)
            && matches!(entry.stage, DeliveryStage::Idle { .. })
            && !self.ready.contains(entry.sender, head)
        {
            let stage = entry.stage;
            self.set_stage(head, stage);
        }
    }

    /// Moves a command to another stage. All moves use this function, so that the timer and the
    /// number in flight stay correct.
    fn set_stage(&mut self, seq: u64, stage: DeliveryStage) {
        let Some(entry) = self.entries.get_mut(&seq) else {
            return;
        };
        self.in_flight -= usize::from(entry.stage.is_out());
        self.in_flight += usize::from(stage.is_out());
        entry.stage = stage;
        if let Some(at) = entry.timer.take() {
            self.timers.remove(&(at, seq));
        }
        let is_head = self.rooms.get(&entry.room).and_then(|queue| queue.first()) == Some(&seq);
        entry.timer = match stage {
            DeliveryStage::Idle { not_before } if is_head => Some(not_before),
            DeliveryStage::UnderWay { since } => Some(since.plus_ms(entry.allowed_ms(self.timing))),
            _ => None,
        }
        .filter(|_| self.online);
        self.timers.extend(entry.timer.map(|at| (at, seq)));
    }
}

/// Backoff after `count` attempts or refusals: 1, 2, 4 … `most_ms`, plus or minus 20 %.
fn backoff_ms(count: u32, most_ms: u64, unit: f64) -> u64 {
    let doubled = BACKOFF_FIRST_MS << count.saturating_sub(1).min(16);
    let jitter = 1.0 - BACKOFF_JITTER + 2.0 * BACKOFF_JITTER * unit;
    (doubled.min(most_ms) as f64 * jitter) as u64
}
