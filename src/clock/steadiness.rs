//! Whether the wall clock is trusted for permanent deletion: it must advance in step with the time
//! since boot. Pure; both times are arguments.

use super::Timestamp;

/// Smaller corrections are normal.
const JUMP_MS_MIN: i64 = 5 * 60_000;
/// After a jump the clock is trusted again when it was steady for this time.
const STEADY_MS_MIN: i64 = 6 * 3_600_000;

#[derive(Debug, Default)]
pub(super) struct ClockCheck {
    /// The boot time according to the wall clock.
    started_at: Option<i64>,
    /// When the last jump was seen, as time since boot; `None` while the clock is trusted.
    jumped_at: Option<i64>,
}

/// The result of checking the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockReading {
    Steady,
    /// The clock jumped by this many milliseconds just now.
    Jumped(i64),
    /// The clock jumped before and hasn't been steady long enough.
    Waiting,
    /// The clock has now been steady long enough.
    Recovered,
}

impl ClockCheck {
    /// `since_start_ms`: time since boot, including sleep.
    pub(super) fn check(&mut self, now: Timestamp, since_start_ms: i64) -> ClockReading {
        let started_at = now.0.saturating_sub(since_start_ms);
        let before = *self.started_at.get_or_insert(started_at);
        let by_ms = started_at.saturating_sub(before);
        if by_ms.saturating_abs() > JUMP_MS_MIN {
            self.started_at = Some(started_at);
            self.jumped_at = Some(since_start_ms);
            return ClockReading::Jumped(by_ms);
        }
        match self.jumped_at {
            None => ClockReading::Steady,
            Some(at) if since_start_ms.saturating_sub(at) >= STEADY_MS_MIN => {
                self.jumped_at = None;
                ClockReading::Recovered
            }
            Some(_) => ClockReading::Waiting,
        }
    }

    /// An earlier run saw a jump: the waiting time begins again.
    pub(super) fn wait(&mut self, since_start_ms: i64) {
        self.jumped_at = Some(since_start_ms);
    }

    /// The operator confirms the clock.
    pub(super) fn confirm(&mut self, now: Timestamp, since_start_ms: i64) {
        self.started_at = Some(now.0.saturating_sub(since_start_ms));
        self.jumped_at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;

    #[test]
    fn a_clock_that_jumped_is_trusted_after_it_was_steady() {
        use ClockReading::{Jumped, Recovered, Steady, Waiting};
        // Wall time, time since boot.
        let cases = [
            (0, 0, Steady),
            (10_000, 10_000, Steady),
            // A correction, and one day's drift.
            (10_000 + JUMP_MS_MIN, 10_000, Steady),
            (2 * DAY, 2 * DAY, Steady),
            // Three seconds in another month, and back.
            (33 * DAY, 2 * DAY + 1_000, Jumped(31 * DAY - 1_000)),
            (33 * DAY + 2_000, 2 * DAY + 3_000, Waiting),
            (2 * DAY + 4_000, 2 * DAY + 4_000, Jumped(-31 * DAY + 1_000)),
            (
                2 * DAY + 4_000 + 6 * HOUR - 1,
                2 * DAY + 4_000 + 6 * HOUR - 1,
                Waiting,
            ),
            (
                2 * DAY + 4_000 + 6 * HOUR,
                2 * DAY + 4_000 + 6 * HOUR,
                Recovered,
            ),
            (4 * DAY, 4 * DAY, Steady),
            // Steps that are too small to be noticed one by one.
            (4 * DAY + 200_000, 4 * DAY, Steady),
            (4 * DAY + 400_000, 4 * DAY, Jumped(400_000)),
        ];
        let mut steadiness = ClockCheck::default();
        for (wall, since_start, expected) in cases {
            let reading = steadiness.check(Timestamp(wall), since_start);
            assert_eq!(reading, expected, "{wall} {since_start}");
        }
    }

    #[test]
    fn a_clock_is_trusted_when_an_operator_confirms_it() {
        let mut steadiness = ClockCheck::default();
        steadiness.wait(0);
        assert_eq!(steadiness.check(Timestamp(5), 0), ClockReading::Waiting);
        steadiness.confirm(Timestamp(31 * DAY), 0);
        assert_eq!(
            steadiness.check(Timestamp(31 * DAY), 0),
            ClockReading::Steady
        );
        steadiness.wait(0);
        assert_eq!(
            steadiness.check(Timestamp(31 * DAY), 6 * HOUR - 1),
            ClockReading::Jumped(1 - 6 * HOUR)
        );
    }
}
