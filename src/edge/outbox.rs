//! One agent's unfinished commands and the rules of what goes out when: in order per chat,
//! one of a chat under way over a socket, attempts and refusals with backoff, resends after a
//! reconnect, so many sends a minute, expiry, and the list a polling relay works through. Pure: it takes both times as
//! arguments, holds no payloads and does no I/O. It mirrors committed rows: callers change
//! it only after the commit of the change.

mod entry;
mod pace;
mod poll;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::clock::{Monotonic, Timestamp};
use crate::store::{CommandState, RoomId, Unfinished};
use entry::{DeliveryStage, Entry};
use pace::Pace;

/// A relay that said `received` or `executing` has this long for the attempt.
const PROGRESS_MS: u64 = 120_000;
/// Attempts without an answer.
const ATTEMPTS_MAX: u32 = 5;
/// A command that its relay refused so often has failed.
pub const REFUSALS_MAX: u32 = 12;
/// A command that breaks its relay each time must end.
const RESENDS_MAX: u32 = 32;
const BACKOFF_FIRST_MS: u64 = 1_000;
const BACKOFF_MAX_MS: u64 = 60_000;
const REFUSED_BACKOFF_MAX_MS: u64 = 600_000;
const BACKOFF_JITTER: f64 = 0.2;
/// Pause before another try when a change could not be written.
const WRITE_PAUSE_MS: u64 = 1_000;

/// What is configured of the rules.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    pub ack_timeout_ms: u64,
    pub max_in_flight: usize,
    pub per_minute: u64,
}

/// A change to commit; nothing is sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Send {
        seq: u64,
        attempts: u32,
        resends: u32,
        /// Its place among first hand-outs, should this be its first.
        order: u64,
    },
    Fail {
        seq: u64,
        why: &'static str,
    },
    Expire {
        seq: u64,
    },
    /// A poll's answer is without it, so what is finished after it says nothing of it.
    LeaveOut {
        seq: u64,
    },
}

impl Step {
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
    entries: BTreeMap<u64, Entry>,
    seqs: HashMap<Arc<str>, u64>,
    lanes: HashMap<RoomId, BTreeSet<u64>>,
    /// Heads of lanes that may go out now. Empty without a socket, as `timers`.
    ready: BTreeSet<u64>,
    timers: BTreeSet<(Monotonic, u64)>,
    /// Refused commands, until when each of them and its chat wait; over when that is past.
    refused: BTreeMap<u64, Monotonic>,
    pace: Pace,
    in_flight: usize,
    online: bool,
    /// The next place in the order in which commands are first handed out, by socket or poll.
    next_order: u64,
    /// What the last answer to a poll handed out, in its order.
    answered: Vec<u64>,
}

impl Outbox {
    pub fn new(timing: Timing, unfinished: Vec<Unfinished>, now: Monotonic) -> Self {
        let mut outbox = Self {
            timing,
            entries: BTreeMap::new(),
            seqs: HashMap::new(),
            lanes: HashMap::new(),
            ready: BTreeSet::new(),
            timers: BTreeSet::new(),
            refused: BTreeMap::new(),
            pace: Pace::new(timing.per_minute),
            in_flight: 0,
            online: false,
            next_order: 1,
            answered: Vec::new(),
        };
        for command in unfinished {
            let seq = command.seq;
            outbox.next_order = outbox.next_order.max(command.handed + 1);
            outbox.insert(command);
            if let Some(entry) = outbox.entries.get_mut(&seq)
                && entry.was_handed()
            {
                // The process before handed it out, nobody knows when.
                entry.attempt_at = Some(now);
            }
        }
        outbox
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the command is unfinished.
    pub fn has(&self, seq: u64) -> bool {
        self.entries.contains_key(&seq)
    }

    /// Commands on the socket, not acked.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether the command is on the socket now and a report of this state says something
    /// new of it: such reports are no flood.
    pub fn expects(&self, command_id: &str, state: CommandState) -> bool {
        let entry = self.seqs.get(command_id).and_then(|s| self.entries.get(s));
        entry.is_some_and(|entry| {
            matches!(entry.place, DeliveryStage::UnderWay { .. }) && entry.is_news(state)
        })
    }

    /// A command was committed.
    pub fn insert(&mut self, command: Unfinished) {
        let (seq, room) = (command.seq, command.room);
        self.seqs.insert(command.command_id.clone(), seq);
        self.lanes.entry(room).or_default().insert(seq);
        self.entries.insert(seq, Entry::new(command));
        self.head_changed(room);
    }

    /// A command ended, however.
    pub fn remove(&mut self, seq: u64) {
        self.put(seq, DeliveryStage::default());
        self.ready.remove(&seq);
        self.refused.remove(&seq);
        let Some(entry) = self.entries.remove(&seq) else {
            return;
        };
        if let Some(at) = entry.timer {
            self.timers.remove(&(at, seq));
        }
        if self.seqs.get(&entry.command_id) == Some(&seq) {
            self.seqs.remove(&entry.command_id);
        }
        if let Some(lane) = self.lanes.get_mut(&entry.room) {
            lane.remove(&seq);
            if lane.is_empty() {
                self.lanes.remove(&entry.room);
            }
        }
        self.head_changed(entry.room);
    }

    /// The relay has it, or works on it: the attempt has `PROGRESS_MS` in all.
    pub fn progress(&mut self, seq: u64, state: CommandState) {
        if let Some(entry) = self.entries.get_mut(&seq) {
            entry.state = state;
            let place = entry.place;
            self.put(seq, place);
        }
    }

    /// The relay refused it: it goes out again after a backoff.
    /// `unit` is from 0 to 1.
    pub fn refused(&mut self, seq: u64, now: Monotonic, unit: f64) {
        let Some(entry) = self.entries.get_mut(&seq) else {
            return;
        };
        entry.state = CommandState::Sent;
        entry.refusals += 1;
        entry.handed_at = None; // nothing of it is waited for
        let ms = backoff_ms(entry.refusals, REFUSED_BACKOFF_MAX_MS, unit);
        let not_before = now.plus_ms(ms);
        let is_planned = entry.place == DeliveryStage::Planned;
        self.refused.insert(seq, not_before);
        if !is_planned {
            self.ready.remove(&seq);
            self.put(seq, DeliveryStage::Idle { not_before });
        }
    }

    /// Whether it was refused and its backoff is not over, perhaps since a step was planned.
    pub fn backs_off(&self, seq: u64, mono: Monotonic) -> bool {
        self.refused.get(&seq).is_some_and(|until| *until > mono)
    }

    /// A planned step was not taken, because the command backs off.
    pub fn put_back(&mut self, seq: u64) {
        if self.entries.get(&seq).map(|e| e.place) == Some(DeliveryStage::Planned)
            && let Some(not_before) = self.refused.get(&seq).copied()
        {
            self.put(seq, DeliveryStage::Idle { not_before });
        }
    }

    /// A socket came: everything unfinished goes out again in order, without waiting, and
    /// what was handed out before does not count as an attempt.
    pub fn connected(&mut self) {
        self.disconnected();
        self.online = true;
        self.refused.clear();
        for entry in self.entries.values_mut() {
            entry.again = entry.was_handed();
        }
        let heads = self.lanes.values().filter_map(|lane| lane.first().copied());
        self.ready = heads.collect();
    }

    /// The socket is gone.
    pub fn disconnected(&mut self) {
        self.online = false;
        self.in_flight = 0;
        self.ready.clear();
        self.timers.clear();
        for entry in self.entries.values_mut() {
            entry.place = DeliveryStage::default();
            entry.timer = None;
        }
    }

    /// When `plan` may have something to do, if nothing else happens.
    pub fn next_timer(&self) -> Option<Monotonic> {
        let timer = self.timers.first().map(|(at, _)| *at);
        let has_place = self.in_flight < self.timing.max_in_flight;
        let paced = self
            .pace
            .free_at()
            .filter(|_| has_place && !self.ready.is_empty());
        timer.into_iter().chain(paced).min()
    }

    /// What is to be committed now for the socket. `unit` draws from 0 to 1.
    pub fn plan(
        &mut self,
        now: Timestamp,
        mono: Monotonic,
        mut unit: impl FnMut() -> f64,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some((at, seq)) = self.timers.first().copied().filter(|(at, _)| *at <= mono) {
            self.timers.remove(&(at, seq));
            steps.extend(self.timer_fired(seq, &mut unit));
        }
        while self.in_flight < self.timing.max_in_flight {
            let Some(seq) = self.ready.first().copied() else {
                break;
            };
            if let Some(entry) = self.entries.get(&seq) {
                let step = entry.socket_step(seq, self.next_order, now);
                if step.is_send() && !self.pace.take(mono) {
                    break;
                }
                steps.push(step);
                self.next_order += 1;
                self.put(seq, DeliveryStage::Planned);
            }
            self.ready.remove(&seq);
        }
        steps
    }

    fn timer_fired(&mut self, seq: u64, unit: &mut impl FnMut() -> f64) -> Option<Step> {
        let timing = self.timing;
        let entry = self.entries.get_mut(&seq)?;
        entry.timer = None;
        match entry.place {
            DeliveryStage::Planned => None,
            DeliveryStage::Idle { .. } => {
                self.ready.insert(seq);
                None
            }
            DeliveryStage::UnderWay { .. } if entry.unanswered() >= ATTEMPTS_MAX => {
                self.put(seq, DeliveryStage::Planned);
                Some(entry::too_many_attempts(seq))
            }
            DeliveryStage::UnderWay { since } => {
                let late = since.plus_ms(entry.allowed_ms(timing));
                let ms = backoff_ms(entry.attempts, BACKOFF_MAX_MS, unit());
                let not_before = late.plus_ms(ms);
                self.put(seq, DeliveryStage::Idle { not_before });
                None
            }
        }
    }

    /// The hand-out of a `Send` step was committed.
    pub fn handed(&mut self, step: Step, mono: Monotonic) {
        let Step::Send {
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
        if online && entry.place.is_out() {
            entry.again = false;
            self.put(seq, DeliveryStage::UnderWay { since: mono });
        }
    }

    /// A step could not be committed: it is tried again a little later.
    pub fn release(&mut self, seq: u64, mono: Monotonic) {
        if self.entries.get(&seq).map(|e| e.place) == Some(DeliveryStage::Planned) {
            let not_before = mono.plus_ms(WRITE_PAUSE_MS);
            self.put(seq, DeliveryStage::Idle { not_before });
        }
    }

    /// The head of a lane may go out when nothing holds it back; `plan` finds out by the
    /// clock whether its time has come.
    fn head_changed(&mut self, room: RoomId) {
        if let Some(head) = self.lanes.get(&room).and_then(|lane| lane.first().copied())
            && let Some(entry) = self.entries.get(&head)
            && matches!(entry.place, DeliveryStage::Idle { .. })
            && !self.ready.contains(&head)
        {
            let place = entry.place;
            self.put(head, place);
        }
    }

    /// Every move of a command goes through here, so that its timer and the count of those
    /// in flight go with it.
    fn put(&mut self, seq: u64, place: DeliveryStage) {
        let Some(entry) = self.entries.get_mut(&seq) else {
            return;
        };
        self.in_flight -= usize::from(entry.place.is_out());
        self.in_flight += usize::from(place.is_out());
        entry.place = place;
        if let Some(at) = entry.timer.take() {
            self.timers.remove(&(at, seq));
        }
        let is_head = self.lanes.get(&entry.room).and_then(|lane| lane.first()) == Some(&seq);
        entry.timer = match place {
            DeliveryStage::Idle { not_before } if is_head => Some(not_before),
            DeliveryStage::UnderWay { since } => Some(since.plus_ms(entry.allowed_ms(self.timing))),
            _ => None,
        }
        .filter(|_| self.online);
        self.timers.extend(entry.timer.map(|at| (at, seq)));
    }
}

/// 1, 2, 4 … `most_ms` after so many attempts or refusals, give or take 20 %.
fn backoff_ms(count: u32, most_ms: u64, unit: f64) -> u64 {
    let doubled = BACKOFF_FIRST_MS << count.saturating_sub(1).min(16);
    let jitter = 1.0 - BACKOFF_JITTER + 2.0 * BACKOFF_JITTER * unit;
    (doubled.min(most_ms) as f64 * jitter) as u64
}
