//! The circuit breaker before a provider of flags: three failures in a row open it, one
//! attempt after a minute decides whether it closes. Pure: `now` is an argument.

use crate::clock::Monotonic;

/// Failures in a row that open it.
pub(super) const FAILURES_MAX: u32 = 3;
/// How long nobody calls once it is open.
pub(super) const PAUSE_MS: u64 = 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Breaker(State);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed {
        failures: u32,
    },
    Open {
        since: Monotonic,
    },
    /// The one attempt is under way.
    HalfOpen,
}

/// What a failure led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureEffect {
    /// It is the n-th in a row; what was known before still holds.
    Counted(u32),
    /// What was known before no longer holds.
    Opened,
    /// The attempt failed; another minute.
    StillOpen,
}

impl Default for Breaker {
    fn default() -> Self {
        Self(State::Closed { failures: 0 })
    }
}

impl Breaker {
    /// Whether the caller may call now. Of many who ask an open one when its pause is over,
    /// the first may.
    pub(super) fn may_call(&mut self, now: Monotonic) -> bool {
        match self.0 {
            State::Closed { .. } => true,
            State::Open { since } if now.since(since) >= PAUSE_MS => {
                self.0 = State::HalfOpen;
                true
            }
            State::Open { .. } | State::HalfOpen => false,
        }
    }

    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }

    pub(super) fn failed(&mut self, now: Monotonic) -> FailureEffect {
        let (state, outcome) = match self.0 {
            State::Closed { failures } if failures + 1 < FAILURES_MAX => {
                let failures = failures + 1;
                (State::Closed { failures }, FailureEffect::Counted(failures))
            }
            State::Closed { .. } => (State::Open { since: now }, FailureEffect::Opened),
            State::Open { .. } | State::HalfOpen => {
                (State::Open { since: now }, FailureEffect::StillOpen)
            }
        };
        self.0 = state;
        outcome
    }

    pub(super) fn is_open(&self) -> bool {
        !matches!(self.0, State::Closed { .. })
    }

    /// Until an attempt is due, in ms; 0 when calls are let through.
    pub(super) fn pause_left_ms(&self, now: Monotonic) -> u64 {
        match self.0 {
            State::Open { since } => PAUSE_MS.saturating_sub(now.since(since)),
            State::Closed { .. } | State::HalfOpen => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Step {
        /// May it be called?
        Ask(bool),
        Succeed,
        Fail(FailureEffect),
    }
    use Step::{Ask, Fail, Succeed};

    #[test]
    fn it_opens_probes_and_closes() {
        // (ms, what happens, whether it is open then)
        let steps = [
            (0, Ask(true), false),
            (0, Fail(FailureEffect::Counted(1)), false),
            (5_000, Ask(true), false),
            (5_000, Fail(FailureEffect::Counted(2)), false),
            // A success in between starts the count anew.
            (10_000, Succeed, false),
            (15_000, Fail(FailureEffect::Counted(1)), false),
            (20_000, Fail(FailureEffect::Counted(2)), false),
            (25_000, Ask(true), false),
            (25_000, Fail(FailureEffect::Opened), true),
            (25_001, Ask(false), true),
            (84_999, Ask(false), true),
            // One attempt, however many ask.
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
        assert_eq!(breaker.pause_left_ms(Monotonic(0)), 0);
        for _ in 0..FAILURES_MAX {
            breaker.failed(Monotonic(1_000));
        }
        for (at, left) in [(1_000, 60_000), (31_000, 30_000), (61_000, 0), (99_000, 0)] {
            assert_eq!(breaker.pause_left_ms(Monotonic(at)), left, "at {at}");
        }
    }
}
