//! One agent's unfinished commands and the rules of what goes out when: in order per chat,
//! one of a chat under way over a socket, attempts with backoff, resends after a reconnect,
//! expiry, and the list a polling relay works through. Pure: it takes both times as
//! arguments, holds no payloads and does no I/O. It mirrors committed rows: callers change
//! it only after the commit of the change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::clock::{Monotonic, Timestamp};
use crate::store::{CommandState, RoomId, Unfinished};

/// A relay that said `received` or `executing` has this long for the attempt.
pub const PROGRESS_MS: u64 = 120_000;
pub const ATTEMPTS_MAX: u32 = 5;
/// A command that breaks its relay each time must end.
pub const RESENDS_MAX: u32 = 32;
const BACKOFF_FIRST_MS: u64 = 1_000;
const BACKOFF_MAX_MS: u64 = 60_000;
const BACKOFF_JITTER: f64 = 0.2;
/// Pause before another try when a change could not be written.
const WRITE_PAUSE_MS: u64 = 1_000;

/// What is configured of the rules.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    pub ack_timeout_ms: u64,
    pub max_in_flight: usize,
}

/// A change to commit; nothing is sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Send {
        seq: u64,
        attempts: u32,
        resends: u32,
    },
    Fail {
        seq: u64,
        why: &'static str,
    },
    Expire {
        seq: u64,
    },
}

impl Step {
    pub const fn seq(&self) -> u64 {
        match *self {
            Self::Send { seq, .. } | Self::Fail { seq, .. } | Self::Expire { seq } => seq,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It may go out from then on, when it is its chat's turn.
    Idle { not_before: Monotonic },
    /// A step for it is being committed.
    Planned,
    /// On the socket, not acked.
    UnderWay { since: Monotonic },
}

#[derive(Debug)]
struct Entry {
    command_id: Arc<str>,
    room: RoomId,
    expires_at: Timestamp,
    state: CommandState,
    attempts: u32,
    resends: u32,
    refused: bool,
    place: Place,
    /// It was handed out before this socket came: sending it again is no attempt.
    again: bool,
    /// Last handed out, and last counted as an attempt, in this process's life.
    handed_at: Option<Monotonic>,
    attempt_at: Option<Monotonic>,
}

impl Entry {
    fn handed(&self) -> bool {
        self.state != CommandState::Queued
    }

    fn in_progress(&self) -> bool {
        matches!(self.state, CommandState::Received | CommandState::Executing)
    }

    fn allowed_ms(&self, timing: Timing) -> u64 {
        if self.in_progress() {
            PROGRESS_MS
        } else {
            timing.ack_timeout_ms
        }
    }

    /// When a hand-out without an ack counts as lost.
    fn overdue_at(&self, timing: Timing) -> Option<Monotonic> {
        self.handed_at.map(|at| at.plus_ms(self.allowed_ms(timing)))
    }

    fn overdue(&self, timing: Timing, now: Monotonic) -> bool {
        self.overdue_at(timing).is_none_or(|at| at <= now)
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
    in_flight: usize,
    online: bool,
}

impl Outbox {
    pub fn new(timing: Timing, unfinished: Vec<Unfinished>) -> Self {
        let mut outbox = Self {
            timing,
            entries: BTreeMap::new(),
            seqs: HashMap::new(),
            lanes: HashMap::new(),
            ready: BTreeSet::new(),
            timers: BTreeSet::new(),
            in_flight: 0,
            online: false,
        };
        for command in unfinished {
            outbox.insert(command);
        }
        outbox
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Commands on the socket, not acked.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether the command is on the socket now: its acks are no flood.
    pub fn is_under_way(&self, command_id: &str) -> bool {
        self.seqs
            .get(command_id)
            .and_then(|seq| self.entries.get(seq))
            .is_some_and(|entry| matches!(entry.place, Place::UnderWay { .. }))
    }

    /// A command was committed.
    pub fn insert(&mut self, command: Unfinished) {
        let seq = command.seq;
        self.seqs.insert(command.command_id.clone(), seq);
        self.lanes.entry(command.room).or_default().insert(seq);
        let entry = Entry {
            command_id: command.command_id,
            room: command.room,
            expires_at: command.expires_at,
            state: command.state,
            attempts: command.attempts,
            resends: command.resends,
            refused: command.refused,
            place: Place::Idle {
                not_before: Monotonic::default(),
            },
            again: false,
            handed_at: None,
            attempt_at: None,
        };
        let room = entry.room;
        self.entries.insert(seq, entry);
        self.head_changed(room);
    }

    /// A command ended, however.
    pub fn remove(&mut self, seq: u64) {
        let Some(entry) = self.entries.remove(&seq) else {
            return;
        };
        if self.seqs.get(&entry.command_id) == Some(&seq) {
            self.seqs.remove(&entry.command_id);
        }
        self.leave_flight(entry.place);
        self.ready.remove(&seq);
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
            if let Place::UnderWay { since } = entry.place {
                self.timers
                    .insert((since.plus_ms(entry.allowed_ms(self.timing)), seq));
            }
        }
    }

    /// The relay failed and will take it again, after a backoff. `unit` is from 0 to 1.
    pub fn refused(&mut self, seq: u64, now: Monotonic, unit: f64) {
        let Some(entry) = self.entries.get_mut(&seq) else {
            return;
        };
        entry.refused = true;
        entry.state = CommandState::Sent;
        if matches!(entry.place, Place::UnderWay { .. }) {
            let not_before = now.plus_ms(backoff_ms(entry.attempts, unit));
            let place = std::mem::replace(&mut entry.place, Place::Idle { not_before });
            self.leave_flight(place);
            self.timers.insert((not_before, seq));
        }
    }

    /// A socket came: everything unfinished goes out again in order, without waiting, and
    /// what was handed out before does not count as an attempt.
    pub fn connected(&mut self) {
        self.disconnected();
        self.online = true;
        for entry in self.entries.values_mut() {
            entry.again = entry.handed();
        }
        self.ready = self
            .lanes
            .values()
            .filter_map(|lane| lane.first().copied())
            .collect();
    }

    pub fn disconnected(&mut self) {
        self.online = false;
        self.in_flight = 0;
        self.ready.clear();
        self.timers.clear();
        for entry in self.entries.values_mut() {
            entry.place = Place::Idle {
                not_before: Monotonic::default(),
            };
        }
    }

    /// When `plan` may have something to do, if nothing else happens.
    pub fn next_timer(&self) -> Option<Monotonic> {
        self.timers.first().map(|(at, _)| *at)
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
            steps.extend(self.timer_fired(seq, mono, &mut unit));
        }
        while self.in_flight < self.timing.max_in_flight {
            let Some(seq) = self.ready.pop_first() else {
                break;
            };
            if let Some(entry) = self.entries.get_mut(&seq) {
                entry.place = Place::Planned;
                self.in_flight += 1;
                steps.push(socket_step(seq, entry, now));
            }
        }
        steps
    }

    fn timer_fired(
        &mut self,
        seq: u64,
        mono: Monotonic,
        unit: &mut impl FnMut() -> f64,
    ) -> Option<Step> {
        let entry = self.entries.get_mut(&seq)?;
        match entry.place {
            Place::Planned => None,
            Place::Idle { not_before } if not_before > mono => {
                self.timers.insert((not_before, seq));
                None
            }
            Place::Idle { .. } => {
                let head = self.lanes.get(&entry.room).and_then(|lane| lane.first());
                if head == Some(&seq) {
                    self.ready.insert(seq);
                }
                None
            }
            Place::UnderWay { since } => {
                let deadline = since.plus_ms(entry.allowed_ms(self.timing));
                if deadline > mono {
                    self.timers.insert((deadline, seq));
                    return None;
                }
                if entry.attempts >= ATTEMPTS_MAX {
                    entry.place = Place::Planned;
                    return Some(Step::Fail {
                        seq,
                        why: "not acknowledged after 5 attempts",
                    });
                }
                let not_before = deadline.plus_ms(backoff_ms(entry.attempts, unit()));
                entry.place = Place::Idle { not_before };
                self.in_flight -= 1;
                self.timers.insert((not_before, seq));
                None
            }
        }
    }

    /// The hand-out of a `Send` step was committed.
    pub fn handed(&mut self, seq: u64, attempts: u32, resends: u32, mono: Monotonic) {
        let Some(entry) = self.entries.get_mut(&seq) else {
            return;
        };
        entry.state = CommandState::Sent;
        entry.handed_at = Some(mono);
        if attempts != entry.attempts {
            entry.attempt_at = Some(mono);
        }
        entry.attempts = attempts;
        entry.resends = resends;
        if self.online && entry.place == Place::Planned {
            entry.again = false;
            entry.place = Place::UnderWay { since: mono };
            self.timers
                .insert((mono.plus_ms(self.timing.ack_timeout_ms), seq));
        }
    }

    /// A step could not be committed: it is tried again a little later.
    pub fn release(&mut self, seq: u64, mono: Monotonic) {
        if let Some(entry) = self.entries.get_mut(&seq)
            && entry.place == Place::Planned
        {
            let not_before = mono.plus_ms(WRITE_PAUSE_MS);
            entry.place = Place::Idle { not_before };
            self.in_flight -= 1;
            self.timers.insert((not_before, seq));
        }
    }

    /// Whether a poll has an answer now.
    pub fn poll_due(&self, now: Timestamp, mono: Monotonic) -> bool {
        self.entries.values().any(|entry| {
            entry.expires_at > now && (!entry.handed() || entry.overdue(self.timing, mono))
        })
    }

    /// When a poll will have an answer if nothing else happens.
    pub fn poll_next(&self) -> Option<Monotonic> {
        self.entries
            .values()
            .filter_map(|entry| entry.overdue_at(self.timing))
            .min()
    }

    /// What a poll's answer hands out, oldest first: everything handed out before and not
    /// finished, save what the relay works on, then what is new. And whether there is more.
    pub fn poll_plan(&self, limit: usize, now: Timestamp, mono: Monotonic) -> (Vec<Step>, bool) {
        let (before, new): (Vec<_>, Vec<_>) = self
            .entries
            .iter()
            .filter(|(_, e)| !e.in_progress() || e.overdue(self.timing, mono))
            .partition(|(_, e)| e.handed());
        let mut steps = Vec::new();
        let mut sends = 0;
        for (seq, entry) in before.into_iter().chain(new) {
            if sends == limit {
                return (steps, true);
            }
            let step = self.poll_step(*seq, entry, now, mono);
            sends += usize::from(matches!(step, Step::Send { .. }));
            steps.push(step);
        }
        (steps, false)
    }

    /// Attempts are counted for the oldest of a chat only, at most one per ack time-out.
    fn poll_step(&self, seq: u64, entry: &Entry, now: Timestamp, mono: Monotonic) -> Step {
        if entry.expires_at <= now {
            return Step::Expire { seq };
        }
        let oldest = self.lanes.get(&entry.room).and_then(|l| l.first()) == Some(&seq);
        let counts = entry.attempts == 0
            || oldest
                && entry
                    .attempt_at
                    .is_none_or(|at| at.plus_ms(self.timing.ack_timeout_ms) <= mono);
        if counts && entry.attempts >= ATTEMPTS_MAX {
            return Step::Fail {
                seq,
                why: "not acknowledged after 5 attempts",
            };
        }
        Step::Send {
            seq,
            attempts: entry.attempts + u32::from(counts),
            resends: entry.resends,
        }
    }

    /// The head of a lane may go out when nothing holds it back.
    fn head_changed(&mut self, room: RoomId) {
        if !self.online {
            return;
        }
        let Some(head) = self.lanes.get(&room).and_then(|lane| lane.first()) else {
            return;
        };
        match self.entries.get(head).map(|entry| entry.place) {
            // `plan` finds out by the clock whether its time has come.
            Some(Place::Idle { not_before }) => {
                self.timers.insert((not_before, *head));
            }
            _ => {}
        }
    }

    fn leave_flight(&mut self, place: Place) {
        if !matches!(place, Place::Idle { .. }) {
            self.in_flight -= 1;
        }
    }
}

fn socket_step(seq: u64, entry: &Entry, now: Timestamp) -> Step {
    if entry.expires_at <= now {
        return Step::Expire { seq };
    }
    if entry.again {
        if entry.resends >= RESENDS_MAX {
            return Step::Fail {
                seq,
                why: "sent again after 32 reconnects",
            };
        }
        return Step::Send {
            seq,
            attempts: entry.attempts,
            resends: entry.resends + 1,
        };
    }
    Step::Send {
        seq,
        attempts: entry.attempts + 1,
        resends: entry.resends,
    }
}

/// 1, 2, 4 … 60 s after the given attempt, give or take 20 %.
fn backoff_ms(attempts: u32, unit: f64) -> u64 {
    let doubled = BACKOFF_FIRST_MS << attempts.saturating_sub(1).min(16);
    let jitter = 1.0 - BACKOFF_JITTER + 2.0 * BACKOFF_JITTER * unit;
    (doubled.min(BACKOFF_MAX_MS) as f64 * jitter) as u64
}
