//! What is counted of a model: calls, failures, time and tokens.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Made;
use crate::metrics::{Counter, Counters, Histogram};

#[derive(Debug)]
pub struct Numbers {
    /// Requests sent, repeated ones too.
    pub calls: Counter,
    /// Asked in vain, by what went wrong.
    pub failures: Counters,
    /// From the first request to the end.
    pub took: Histogram,
    pub prompt_tokens: Counter,
    pub completion_tokens: Counter,
    waiting: AtomicUsize,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            calls: Counter::default(),
            failures: Counters::default(),
            took: Histogram::of_durations(),
            prompt_tokens: Counter::default(),
            completion_tokens: Counter::default(),
            waiting: AtomicUsize::new(0),
        }
    }
}

/// Somebody waits for as long as it lives.
pub(super) struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Numbers {
    /// Who waits for a place among the calls.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    pub(super) fn waits(&self) -> Waits<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Waits(&self.waiting)
    }

    pub(super) fn count(&self, made: &Made) {
        self.calls.add(u64::from(made.calls));
        self.took.observe(made.took_ms * 1000);
        self.prompt_tokens.add(made.usage.prompt_tokens);
        self.completion_tokens.add(made.usage.completion_tokens);
        if let Err(failure) = &made.said {
            self.failures.inc(failure.code());
        }
    }
}
