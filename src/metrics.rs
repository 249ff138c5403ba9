//! Numbers that the parts of the service keep of themselves: plain atomics, so that counting
//! costs a request nothing that can be felt and never makes it wait. It must not know what is
//! counted, nor who asks; each part owns its numbers, and `page` writes them down.

pub mod page;
pub mod process;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Labels of one family of counters; they all stand in the code.
const LABELS_MAX: usize = 32;

/// Only ever goes up.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn inc(&self) {
        self.add(1);
    }

    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters told apart by a word. One is made when its word is first counted, without a lock.
#[derive(Debug)]
pub struct Counters([(OnceLock<&'static str>, Counter); LABELS_MAX]);

impl Default for Counters {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Default::default()))
    }
}

impl Counters {
    /// A word beyond the most there may be is not counted: that is a mistake in the code.
    pub fn inc(&self, label: &'static str) {
        let mut slots = self.0.iter();
        if let Some((_, counter)) = slots.find(|(name, _)| *name.get_or_init(|| label) == label) {
            counter.inc();
        }
    }

    /// Those that were counted.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let known = self.0.iter();
        known.map_while(|(name, counter)| Some((*name.get()?, counter.get())))
    }
}

/// How values spread: how many are at most each of the bounds.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [u64],
    /// How many of what is observed make one of what is shown.
    per_unit: u64,
    /// One more than there are bounds: what is above them all.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

/// Of answers, in µs: half a millisecond to half a minute.
const ANSWER_BOUNDS_US: &[u64] = &[
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 30_000_000,
];
const US_PER_S: u64 = 1_000_000;

impl Histogram {
    /// Of durations: observed in µs, shown in seconds.
    pub fn of_durations() -> Self {
        Self::new(ANSWER_BOUNDS_US, US_PER_S)
    }

    /// Of plain numbers.
    pub fn of_numbers(bounds: &'static [u64]) -> Self {
        Self::new(bounds, 1)
    }

    fn new(bounds: &'static [u64], per_unit: u64) -> Self {
        Self {
            bounds,
            per_unit,
            counts: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            sum: AtomicU64::new(0),
        }
    }

    pub fn observe(&self, value: u64) {
        let at = self.bounds.partition_point(|bound| *bound < value);
        self.counts[at].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    pub fn observe_duration(&self, duration: std::time::Duration) {
        self.observe(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX / 2));
    }

    /// Each bound with how many are at most that, as they are shown.
    fn cumulated(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.bounds.iter().map(|bound| self.shown(*bound));
        let mut sum = 0;
        let counts = self.counts.iter().map(move |count| {
            sum += count.load(Ordering::Relaxed);
            sum
        });
        bounds.chain([f64::INFINITY]).zip(counts)
    }

    fn sum(&self) -> f64 {
        self.shown(self.sum.load(Ordering::Relaxed))
    }

    fn shown(&self, value: u64) -> f64 {
        value as f64 / self.per_unit as f64
    }
}

/// Calls to somebody outside.
#[derive(Debug, Default)]
pub struct Calls {
    pub made: Counter,
    pub failed: Counter,
}

impl Calls {
    pub fn ended<T, E>(&self, outcome: &Result<T, E>) {
        self.made.inc();
        if outcome.is_err() {
            self.failed.inc();
        }
    }
}

/// Looks into something that is kept for a while.
#[derive(Debug, Default)]
pub struct Looks {
    pub hits: Counter,
    pub misses: Counter,
}

impl Looks {
    pub fn found(&self, any: bool) {
        if any {
            self.hits.inc();
        } else {
            self.misses.inc();
        }
    }
}

/// A job that runs by itself, again and again.
#[derive(Debug)]
pub struct Job {
    pub name: &'static str,
    pub runs: Counter,
    pub failures: Counter,
    /// ms since the epoch; 0: never.
    succeeded_at: AtomicI64,
}

impl Job {
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            runs: Counter::default(),
            failures: Counter::default(),
            succeeded_at: AtomicI64::new(0),
        }
    }

    /// A run has ended at `now_ms`, since the epoch.
    pub fn ran<T, E>(&self, outcome: &Result<T, E>, now_ms: i64) {
        self.runs.inc();
        match outcome {
            Ok(_) => self.succeeded_at.store(now_ms, Ordering::Relaxed),
            Err(_) => self.failures.inc(),
        }
    }

    /// In seconds since the epoch.
    pub fn succeeded_at_s(&self) -> Option<f64> {
        let ms = self.succeeded_at.load(Ordering::Relaxed);
        (ms > 0).then_some(ms as f64 / 1000.0)
    }
}

/// All jobs of the service.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<Vec<Arc<Job>>>);

impl Jobs {
    /// A place for a job's numbers; to be asked for once, at its start.
    pub fn add(&self, name: &'static str) -> Arc<Job> {
        let job = Arc::new(Job::new(name));
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.push(job.clone());
        job
    }

    pub fn all(&self) -> Vec<Arc<Job>> {
        let jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_on_a_bound_is_within_it() {
        let histogram = Histogram::of_numbers(&[1, 10, 100]);
        for value in [0, 1, 2, 10, 11, 100, 101, 5_000] {
            histogram.observe(value);
        }
        let expected = [(1.0, 2), (10.0, 4), (100.0, 6), (f64::INFINITY, 8)];
        assert_eq!(histogram.cumulated().collect::<Vec<_>>(), expected);
        assert_eq!(histogram.sum(), 5_225.0);
    }

    #[test]
    fn durations_are_shown_in_seconds() {
        let histogram = Histogram::of_durations();
        histogram.observe_duration(std::time::Duration::from_micros(1_500));
        assert_eq!(histogram.sum(), 0.0015);
        let within: Vec<_> = histogram.cumulated().take(3).collect();
        assert_eq!(within, [(0.0005, 0), (0.001, 0), (0.0025, 1)]);
    }

    #[test]
    fn labels_are_counted_apart_and_bounded() {
        let counters = Counters::default();
        for label in ["a", "b", "a"] {
            counters.inc(label);
        }
        assert_eq!(counters.all().collect::<Vec<_>>(), [("a", 2), ("b", 1)]);
        for n in 0..LABELS_MAX {
            counters.inc(Box::leak(n.to_string().into_boxed_str()));
        }
        assert_eq!(counters.all().count(), LABELS_MAX);
        counters.inc("a");
        assert_eq!(counters.all().next(), Some(("a", 3)));
    }
}
