//! Exact sliding windows: N uses in any window; the N+1st is refused until the oldest leaves the
//! window. Pure; `now` is an argument. Callers store windows of an hour or more in the database and
//! use the same rule.

use core::net::{IpAddr, Ipv6Addr};
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use crate::clock::Monotonic;
use crate::error::Quota;

pub const MINUTE_MS: u64 = 60_000;
pub const HOUR_MS: u64 = 3_600_000;
pub const DAY_MS: u64 = 86_400_000;
/// Limit of subjects in memory. Beyond it, each new subject replaces another: that many strangers
/// in one window are a flood that limits per subject can't stop.
const SUBJECTS_MAX: usize = 200_000;
/// With fewer subjects, expired windows aren't removed.
const SWEEP_SUBJECTS_MIN: usize = 1_024;

const IPV6_NETWORK_BITS: u32 = 64;

/// The network that an address is counted as: an IPv6 client has a whole network of addresses.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => {
            let mask = u128::MAX << (128 - IPV6_NETWORK_BITS);
            Ipv6Addr::from_bits(v6.to_bits() & mask).into()
        }
    }
}

/// Decides about `count` more uses besides `uses` (time in ms and count, oldest first, all within
/// the window). Returns what is left if they are allowed, or now if they are refused.
pub fn check_window(
    uses: impl DoubleEndedIterator<Item = (u64, u64)> + Clone,
    limit: u64,
    window_ms: u64,
    count: u64,
    now_ms: u64,
) -> Result<LimitState, LimitState> {
    let used: u64 = uses.clone().map(|(_, n)| n).sum();
    let state = |left, more_in_ms| LimitState {
        limit,
        window_ms,
        left,
        more_in_ms,
    };
    let leaves_in = |at: u64| (at + window_ms).saturating_sub(now_ms).max(1);
    if used + count <= limit {
        let oldest = uses.clone().next();
        let more_in_ms = oldest.map_or(window_ms, |(at, _)| leaves_in(at));
        return Ok(state(limit - used - count, more_in_ms));
    }
    let unused = limit.saturating_sub(used);
    let mut must_leave = used + count - limit;
    for (at, n) in uses {
        if n >= must_leave {
            return Err(state(unused, leaves_in(at)));
        }
        must_leave -= n;
    }
    Err(state(unused, window_ms)) // more than the limit at once can never be allowed
}

/// The state of a limit for one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitState {
    limit: u64,
    window_ms: u64,
    left: u64,
    /// Time until more uses are allowed, or until the refused ones would be.
    more_in_ms: u64,
}

impl LimitState {
    /// The state as a quota with the limit's name.
    pub fn quota(self, name: &'static str) -> Quota {
        Quota {
            name,
            limit: self.limit,
            window_s: self.window_ms / 1000,
            left: self.left,
            more_in_s: whole_seconds(self.more_in_ms),
        }
    }
}

/// One subject's uses.
#[derive(Debug, Default)]
pub struct Window(VecDeque<(u64, u64)>);

impl Window {
    /// Uses the limit `count` times, or says when that would be allowed.
    pub fn take(
        &mut self,
        limit: u64,
        window_ms: u64,
        count: u64,
        now: Monotonic,
    ) -> Result<LimitState, LimitState> {
        let state = self.check(limit, window_ms, count, now)?;
        self.add(count, now);
        Ok(state)
    }

    /// Like `take`, without using anything.
    pub fn check(
        &mut self,
        limit: u64,
        window_ms: u64,
        count: u64,
        now: Monotonic,
    ) -> Result<LimitState, LimitState> {
        while self
            .0
            .front()
            .is_some_and(|(at, _)| at + window_ms <= now.0)
        {
            self.0.pop_front();
        }
        check_window(self.0.iter().copied(), limit, window_ms, count, now.0)
    }

    pub fn add(&mut self, count: u64, now: Monotonic) {
        match self.0.back_mut() {
            Some((at, n)) if *at == now.0 => *n += count,
            _ => self.0.push_back((now.0, count)),
        }
    }

    /// Takes uses at that time back.
    fn give_back(&mut self, count: u64, used_at: Monotonic) {
        let mut uses = self.0.iter_mut().rev();
        if let Some((_, n)) = uses.find(|(at, _)| *at == used_at.0) {
            *n = n.saturating_sub(count);
        }
    }

    fn is_expired(&self, window_ms: u64, now: Monotonic) -> bool {
        self.0.back().is_none_or(|(at, _)| at + window_ms <= now.0)
    }
}

/// Windows of one length, by subject.
#[derive(Debug)]
pub struct Windows<K> {
    window_ms: u64,
    subjects_max: usize,
    /// At this number of subjects, expired windows are removed.
    sweep_at: usize,
    by_subject: HashMap<K, Window>,
}

impl<K: Hash + Eq + Clone> Windows<K> {
    pub fn new(window_ms: u64) -> Self {
        Self::bounded(window_ms, SUBJECTS_MAX)
    }

    fn bounded(window_ms: u64, subjects_max: usize) -> Self {
        Self {
            window_ms,
            subjects_max,
            sweep_at: SWEEP_SUBJECTS_MIN.min(subjects_max),
            by_subject: HashMap::new(),
        }
    }

    /// Like `Window::take` with one use.
    pub fn take(
        &mut self,
        subject: K,
        limit: u64,
        now: Monotonic,
    ) -> Result<LimitState, LimitState> {
        self.take_several(subject, limit, 1, now)
    }

    /// Like `Window::take`: all uses or none.
    pub fn take_several(
        &mut self,
        subject: K,
        limit: u64,
        count: u64,
        now: Monotonic,
    ) -> Result<LimitState, LimitState> {
        let window_ms = self.window_ms;
        self.window(subject, now).take(limit, window_ms, count, now)
    }

    /// Takes back what the subject used at that time for nothing.
    pub fn give_back(&mut self, subject: &K, count: u64, used_at: Monotonic) {
        if let Some(window) = self.by_subject.get_mut(subject) {
            window.give_back(count, used_at);
        }
    }

    fn window(&mut self, subject: K, now: Monotonic) -> &mut Window {
        if self.by_subject.len() >= self.sweep_at && !self.by_subject.contains_key(&subject) {
            self.sweep(now);
        }
        self.by_subject.entry(subject).or_default()
    }

    /// Removes expired windows. The next sweep comes when there are twice as many subjects as now,
    /// so the cost per new subject is constant.
    fn sweep(&mut self, now: Monotonic) {
        let window_ms = self.window_ms;
        self.by_subject.retain(|_, w| !w.is_expired(window_ms, now));
        let remaining = self.by_subject.len();
        if remaining >= self.subjects_max
            && let Some(subject) = self.by_subject.keys().next().cloned()
        {
            self.by_subject.remove(&subject);
        }
        self.sweep_at =
            (remaining * 2).clamp(SWEEP_SUBJECTS_MIN.min(self.subjects_max), self.subjects_max);
    }
}

/// Rounded up, at least 1.
fn whole_seconds(ms: u64) -> u64 {
    ms.div_ceil(1000).max(1)
}

/// A token bucket: a burst, refilled evenly. Used against floods, where exactness isn't needed.
#[derive(Debug)]
pub struct Bucket {
    burst: f64,
    per_second: f64,
    level: f64,
    at: Monotonic,
}

impl Bucket {
    pub fn new(burst: u32, per_second: u32, now: Monotonic) -> Self {
        Self {
            burst: f64::from(burst),
            per_second: f64::from(per_second),
            level: f64::from(burst),
            at: now,
        }
    }

    /// False when it is empty.
    pub fn take(&mut self, now: Monotonic) -> bool {
        let refill = now.since(self.at) as f64 / 1000.0 * self.per_second;
        self.level = (self.level + refill).min(self.burst);
        self.at = now;
        if self.level < 1.0 {
            return false;
        }
        self.level -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_n_in_any_window() {
        let mut window = Window::default();
        // (at, count, what is left and until when, whether allowed)
        let cases = [
            (0, 1, Ok((2, 100))),
            (10, 1, Ok((1, 90))),
            (20, 1, Ok((0, 80))),
            (20, 1, Err((0, 80))),
            (99, 1, Err((0, 1))),
            (100, 1, Ok((0, 10))),
            (100, 1, Err((0, 10))),
            (100, 2, Err((0, 20))),
            (110, 1, Ok((0, 10))),
            (110, 4, Err((0, 100))),
            (500, 2, Ok((1, 100))),
            (500, 2, Err((1, 100))),
            (500, 1, Ok((0, 100))),
            (500, 1, Err((0, 100))),
        ];
        for (at, count, expected) in cases {
            let numbers = |left: LimitState| (left.left, left.more_in_ms);
            let result = window.take(3, 100, count, Monotonic(at));
            let result = result.map(numbers).map_err(numbers);
            assert_eq!(result, expected, "at {at} × {count}");
        }
    }

    #[test]
    fn a_refused_use_uses_nothing() {
        let mut windows = Windows::new(MINUTE_MS);
        assert!(windows.take("a", 1, Monotonic(0)).is_ok());
        for _ in 0..5 {
            let refused = windows.take("a", 1, Monotonic(1)).unwrap_err();
            let expected = Quota {
                name: "x",
                limit: 1,
                window_s: 60,
                left: 0,
                more_in_s: 60,
            };
            assert_eq!(refused.quota("x"), expected);
        }
        assert!(windows.take("b", 1, Monotonic(1)).is_ok());
        assert!(windows.take("a", 1, Monotonic(MINUTE_MS)).is_ok());
    }

    #[test]
    fn subjects_are_bounded_and_expired_ones_are_removed() {
        let mut windows = Windows::bounded(MINUTE_MS, 3_000);
        for subject in 0..10_000 {
            assert!(windows.take(subject, 1, Monotonic(0)).is_ok());
            assert!(windows.by_subject.len() <= 3_000);
        }
        assert!(windows.take(9_999, 1, Monotonic(1)).is_err());
        let later = Monotonic(MINUTE_MS);
        assert!(windows.take(10_000, 1, later).is_ok());
        assert_eq!(windows.by_subject.len(), 1);
    }

    #[test]
    fn a_bucket_refills_evenly() {
        let mut bucket = Bucket::new(2, 10, Monotonic(0));
        assert!(bucket.take(Monotonic(0)) && bucket.take(Monotonic(0)));
        assert!(!bucket.take(Monotonic(50)));
        assert!(bucket.take(Monotonic(150)));
    }
}
