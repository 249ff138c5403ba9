//! The time limits of one fetch: one for all answers of the server, and one for parsing them, which
//! a slow server doesn't use up.

use std::cell::Cell;

use super::ServiceError;
use crate::clock::Clock;

/// Time in which a server may be asked.
const ASKING_MS_MAX: u64 = 60_000;
/// Time for reading and expanding the calendars of a service.
const READING_MS_MAX: u64 = 10_000;

pub(super) struct FetchTime<'a> {
    clock: &'a Clock,
    begun: u64,
    /// Time spent waiting for the server.
    asking_ms: Cell<u64>,
}

impl<'a> FetchTime<'a> {
    pub(super) fn new(clock: &'a Clock) -> Self {
        Self {
            clock,
            begun: clock.monotonic().0,
            asking_ms: Cell::default(),
        }
    }

    /// Asks the server of `host`, which has its own limit for each call.
    pub(super) fn ask<T>(
        &self,
        host: &str,
        ask: impl FnOnce() -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let before = self.spent_ms();
        if before > ASKING_MS_MAX {
            return Err(ServiceError::unreachable(format!(
                "{host} takes too long to answer."
            )));
        }
        let answer = ask();
        let asking_ms = self.spent_ms() - before;
        self.asking_ms.set(self.asking_ms.get() + asking_ms);
        answer
    }

    /// Whether the time for reading is up.
    pub(super) fn is_late(&self) -> bool {
        self.spent_ms() - self.asking_ms.get() > READING_MS_MAX
    }

    fn spent_ms(&self) -> u64 {
        self.clock.monotonic().0 - self.begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    #[test]
    fn a_slow_server_leaves_time_for_reading() {
        let clock = Clock::fixed(Timestamp(0));
        let time = FetchTime::new(&clock);
        let ask = |ms| {
            time.ask("example.com", || {
                clock.advance(ms);
                Ok(())
            })
        };
        assert_eq!(ask(20_000), Ok(()));
        assert!(!time.is_late());
        clock.advance(9_000);
        assert_eq!(ask(20_000), Ok(()));
        assert!(!time.is_late());
        clock.advance(1_001);
        assert!(time.is_late());
        assert_eq!(ask(10_000), Ok(()), "it is asked till its own time is up");
        let late = ask(1).expect_err("the time is up");
        assert_eq!(late.sentence, "example.com takes too long to answer.");
    }
}
