//! The job that polls the provider: when to poll, and what follows from an answer or failure. The
//! blocking call runs on the blocking pool; requests never wait for it.

use std::sync::Arc;
use std::time::Duration;

use super::Flags;
use super::breaker::{Breaker, FailureEffect};
use super::provider::{Provider, ProviderAnswer};
use crate::clock::{Clock, Monotonic};

/// Longest pause that a provider's Retry-After can cause, in seconds.
const LATER_S_MAX: u64 = 60;

/// How often the provider is polled.
#[derive(Debug, Clone, Copy)]
pub struct PollIntervals {
    /// Interval of polls for changes, in seconds. A change takes effect within this time.
    pub changes_s: u64,
    /// Interval of polls for everything, in seconds.
    pub all_s: u64,
}

/// Polls until it is dropped.
pub async fn run(
    flags: Arc<Flags>,
    provider: Arc<Provider>,
    clock: Clock,
    intervals: PollIntervals,
) {
    flags.set_status(|status| status.configured = true);
    let mut poller = Poller {
        flags,
        provider,
        clock,
        intervals,
        breaker: Breaker::default(),
        etag: None,
        all_at: None,
    };
    loop {
        let started = poller.clock.monotonic();
        let pause = poller.poll_once().await;
        let elapsed_ms = poller.clock.monotonic().since(started);
        tokio::time::sleep(pause.saturating_sub(Duration::from_millis(elapsed_ms))).await;
    }
}

struct Poller {
    flags: Arc<Flags>,
    provider: Arc<Provider>,
    clock: Clock,
    intervals: PollIntervals,
    breaker: Breaker,
    /// The ETag of the answer whose values are in use.
    etag: Option<String>,
    /// When everything was last polled.
    all_at: Option<Monotonic>,
}

impl Poller {
    /// Makes one call if allowed. Returns the time until the next call, counted from the start of
    /// this one.
    async fn poll_once(&mut self) -> Duration {
        let now = self.clock.monotonic();
        if !self.breaker.may_call(now) {
            return self.pause(now);
        }
        let all_ms = self.intervals.all_s * 1000;
        let is_full = self.all_at.is_none_or(|at| now.since(at) >= all_ms);
        let etag = self.etag.clone().filter(|_| !is_full);
        let provider = self.provider.clone();
        let call = tokio::task::spawn_blocking(move || provider.poll(etag.as_deref()));
        // A panic while parsing an answer counts as a failure.
        let outcome = call.await.unwrap_or_else(|e| Err(e.to_string()));
        self.flags.calls.record(&outcome);
        let now = self.clock.monotonic();
        if is_full && outcome.is_ok() {
            self.all_at = Some(now);
        }
        match outcome {
            Ok(ProviderAnswer::Later { .. }) if self.breaker.is_open() => {
                self.record_failure("it asks for later requests", now);
            }
            Ok(ProviderAnswer::Later { after_s }) => {
                log::info!("flags: the provider asks for fewer requests");
                let after = Duration::from_secs(after_s.unwrap_or(0).min(LATER_S_MAX));
                return after.max(self.pause(now));
            }
            Ok(ProviderAnswer::Unchanged) => self.record_answer(),
            Ok(ProviderAnswer::Changed { provided, etag }) => {
                self.etag = etag;
                self.flags.set_provided(provided);
                self.record_answer();
            }
            Err(why) => self.record_failure(&why, now),
        }
        self.pause(now)
    }

    fn record_answer(&mut self) {
        let before = self.flags.status();
        if !before.is_connected {
            log::info!("flags: the provider answers; its values are used");
        }
        self.breaker.succeeded();
        let now = self.clock.now();
        self.flags.set_status(|status| {
            status.has_answered = true;
            status.answered_at = Some(now);
            status.is_connected = true;
            status.circuit_breaker_open = false;
        });
    }

    fn record_failure(&mut self, why: &str, now: Monotonic) {
        match self.breaker.failed(now) {
            FailureEffect::Counted(n) => {
                log::info!(
                    "flags: the provider failed ({n} in a row; its last values are used): {why}"
                );
            }
            FailureEffect::Opened => {
                log::warn!("flags: the provider failed three times, so defaults are used: {why}");
                // The values are discarded, so the next answer must contain everything.
                self.etag = None;
                self.flags.set_provided(Arc::default());
            }
            FailureEffect::StillOpen => log::info!("flags: the provider still fails: {why}"),
        }
        let open = self.breaker.is_open();
        self.flags.set_status(|status| {
            status.is_connected = false;
            status.circuit_breaker_open = open;
        });
    }

    /// Slightly less than the interval, so that the answer arrives within it. While the breaker is
    /// open, the clock is checked as often.
    fn pause(&self, now: Monotonic) -> Duration {
        let interval =
            Duration::from_millis(self.intervals.changes_s.min(self.intervals.all_s) * 900);
        if !self.breaker.is_open() {
            return interval;
        }
        let remaining_ms = self.breaker.pause_remaining_ms(now).max(1);
        interval.min(Duration::from_millis(remaining_ms))
    }
}
