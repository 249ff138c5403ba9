//! The job that polls the provider: when to poll, and what follows from an answer or failure. The
//! blocking call runs on the blocking pool; requests never wait for it.

use std::sync::Arc;
use std::time::Duration;

use super::Flags;
use super::breaker::{Breaker, FailureEffect};
use super::provider::{Poll, Provider};
use crate::clock::{Clock, Monotonic};

/// Longest pause that a provider's Retry-After can cause, in seconds.
const LATER_S_MAX: u64 = 60;

/// How often the provider is polled.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Interval of polls for changes, in seconds. A change takes effect within this time.
    pub changes_s: u64,
    /// Interval of polls for everything, in seconds.
    pub all_s: u64,
}

/// Polls until it is dropped.
pub async fn run(flags: Arc<Flags>, provider: Arc<Provider>, clock: Clock, pace: Pace) {
    flags.set_status(|status| status.configured = true);
    let mut poller = Poller {
        flags,
        provider,
        clock,
        pace,
        breaker: Breaker::default(),
        etag: None,
        all_at: None,
    };
    loop {
        let started = poller.clock.monotonic();
        let pause = poller.turn().await;
        let gone = poller.clock.monotonic().since(started);
        tokio::time::sleep(pause.saturating_sub(Duration::from_millis(gone))).await;
    }
}

struct Poller {
    flags: Arc<Flags>,
    provider: Arc<Provider>,
    clock: Clock,
    pace: Pace,
    breaker: Breaker,
    /// The ETag of the answer whose values are in use.
    etag: Option<String>,
    /// When everything was last polled.
    all_at: Option<Monotonic>,
}

impl Poller {
    /// Makes one call if allowed. Returns the time until the next turn, counted from the start of
    /// this one.
    async fn turn(&mut self) -> Duration {
        let now = self.clock.monotonic();
        if !self.breaker.may_call(now) {
            return self.pause(now);
        }
        let all_ms = self.pace.all_s * 1000;
        let all = self.all_at.is_none_or(|at| now.since(at) >= all_ms);
        let etag = self.etag.clone().filter(|_| !all);
        let provider = self.provider.clone();
        let call = tokio::task::spawn_blocking(move || provider.poll(etag.as_deref()));
        // A panic while parsing an answer counts as a failure.
        let outcome = call.await.unwrap_or_else(|e| Err(e.to_string()));
        self.flags.calls.ended(&outcome);
        let now = self.clock.monotonic();
        if all && outcome.is_ok() {
            self.all_at = Some(now);
        }
        match outcome {
            Ok(Poll::Later { .. }) if self.breaker.is_open() => {
                self.failed("it wants to be asked later", now);
            }
            Ok(Poll::Later { after_s }) => {
                log::info!("flags: the provider wants to be asked less often");
                let after = Duration::from_secs(after_s.unwrap_or(0).min(LATER_S_MAX));
                return after.max(self.pause(now));
            }
            Ok(Poll::Unchanged) => self.answered(),
            Ok(Poll::Changed { provided, etag }) => {
                self.etag = etag;
                self.flags.set_provided(provided);
                self.answered();
            }
            Err(why) => self.failed(&why, now),
        }
        self.pause(now)
    }

    fn answered(&mut self) {
        let before = self.flags.status();
        if !before.is_connected {
            log::info!("flags: the provider answers; its values hold");
        }
        self.breaker.succeeded();
        let now = self.clock.now();
        self.flags.set_status(|status| {
            status.heard = true;
            status.heard_at = Some(now);
            status.is_connected = true;
            status.circuit_breaker_open = false;
        });
    }

    fn failed(&mut self, why: &str, now: Monotonic) {
        match self.breaker.failed(now) {
            FailureEffect::Counted(n) => {
                log::info!("flags: the provider failed ({n} in a row; what it said holds): {why}");
            }
            FailureEffect::Opened => {
                log::warn!("flags: the provider failed three times, defaults hold now: {why}");
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
        let between = Duration::from_millis(self.pace.changes_s.min(self.pace.all_s) * 900);
        if !self.breaker.is_open() {
            return between;
        }
        let left = self.breaker.pause_left_ms(now).max(1);
        between.min(Duration::from_millis(left))
    }
}
