//! The circuit breaker for a flag provider: three failures in a row open it; after a minute, one
//! attempt decides whether it closes. Pure: `now` is an argument.

use crate::clock::Monotonic;

/// Failures in a row that open it.
const FAILURES_MAX: u32 = 3;
/// How long no call is made after it opened.
pub(super) const PAUSE_MS: u64 = 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Breaker(BreakerState);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BreakerState {
    Closed {
        failures: u32,
    },
    Open {
        since: Monotonic,
    },
    /// One attempt is running.
    HalfOpen,
}

/// The effect of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureEffect {
    /// The n-th failure in a row; earlier values are still used.
    Counted(u32),
    /// Earlier values are no longer used.
    Opened,
    /// The attempt failed; another minute begins.
    StillOpen,
}

impl Default for Breaker {
    fn default() -> Self {
        Self(BreakerState::Closed { failures: 0 })
    }
}

impl Breaker {
    /// Whether a call may be made now. When the pause is over, only the first caller may.
    pub(super) fn may_call(&mut self, now: Monotonic) -> bool {
        match self.0 {
            BreakerState::Closed { .. } => true,
            BreakerState::Open { since } if now.since(since) >= PAUSE_MS => {
                self.0 = BreakerState::HalfOpen;
                true
            }
            BreakerState::Open { .. } | BreakerState::HalfOpen => false,
        }
    }

    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }

    pub(super) fn failed(&mut self, now: Monotonic) -> FailureEffect {
        let (state, outcome) = match self.0 {
            BreakerState::Closed { failures } if failures + 1 < FAILURES_MAX => {
                let failures = failures + 1;
                (
                    BreakerState::Closed { failures },
                    FailureEffect::Counted(failures),
                )
            }
            BreakerState::Closed { .. } => {
                (BreakerState::Open { since: now }, FailureEffect::Opened)
            }
            BreakerState::Open { .. } | BreakerState::HalfOpen => {
                (BreakerState::Open { since: now }, FailureEffect::StillOpen)
            }
        };
        self.0 = state;
        outcome
    }

    pub(super) fn is_open(&self) -> bool {
        !matches!(self.0, BreakerState::Closed { .. })
    }

    /// Milliseconds until an attempt is allowed; 0 when calls are allowed.
    pub(super) fn pause_remaining_ms(&self, now: Monotonic) -> u64 {
        match self.0 {
            BreakerState::Open { since } => PAUSE_MS.saturating_sub(now.since(since)),
            BreakerState::Closed { .. } | BreakerState::HalfOpen => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Step {
        /// Asks whether a call may be made.
        Ask(bool),
        Succeed,
        Fail(FailureEffect),
    }
    use Step::{Ask, Fail, Succeed};

    #[test]
    fn it_opens_probes_and_closes() {
        // (ms, event, whether it is open afterwards)
        let steps = [
            (0, Ask(true), false),
            (0, Fail(FailureEffect::Counted(1)), false),
            (5_000, Ask(true), false),
            (5_000, Fail(FailureEffect::Counted(2)), false),
            // A success resets the count.
            (10_000, Succeed, false),
            (15_000, Fail(FailureEffect::Counted(1)), false),
            (20_000, Fail(FailureEffect::Counted(2)), false),
            (25_000, Ask(true), false),
            (25_000, Fail(FailureEffect::Opened), true),
            (25_001, Ask(false), true),
            (84_999, Ask(false), true),
            // Only one attempt is allowed.
            (85_000, Ask(true), true),
            (85_000, Ask(false), true),
            (200_000, Ask(false), true),
            (200_000, Fail(FailureEffect::StillOpen), true),
            (259_999, Ask(false), true),
            (260_000, Ask(true), true),
            (260_100, Succeed, false),
            (260_100, Ask(true), false),
            (260_200, Fail(FailureEffect::Counted(1)), false),
        ];
        let mut breaker = Breaker::default();
        for (at, step, open) in steps {
            let now = Monotonic(at);
            match step {
                Ask(expected) => assert_eq!(breaker.may_call(now), expected, "at {at}"),
                Succeed => breaker.succeeded(),
                Fail(expected) => assert_eq!(breaker.failed(now), expected, "at {at}"),
            }
            assert_eq!(breaker.is_open(), open, "at {at}");
        }
    }

    #[test]
    fn the_pause_runs_down() {
        let mut breaker = Breaker::default();
        assert_eq!(breaker.pause_remaining_ms(Monotonic(0)), 0);
        for _ in 0..FAILURES_MAX {
            breaker.failed(Monotonic(1_000));
        }
        for (at, expected) in [(1_000, 60_000), (31_000, 30_000), (61_000, 0), (99_000, 0)] {
            assert_eq!(
                breaker.pause_remaining_ms(Monotonic(at)),
                expected,
                "at {at}"
            );
        }
    }
}
