//! Whether the wall clock can be believed when something is to be deleted for good: it must go
//! in step with the time since the machine was started. Pure; both times are arguments.

use super::Timestamp;

/// Corrections of up to this are usual.
const JUMP_MS_MIN: i64 = 5 * 60_000;
/// After a jump the clock is believed again when it has stood for this time.
const STANDS_MS: i64 = 6 * 3_600_000;

#[derive(Debug, Default)]
pub(super) struct ClockCheck {
    /// The wall time at which the machine was started, as the clock had it.
    started_at: Option<i64>,
    /// When a jump was last seen, since the start of the machine; `None`: it is believed.
    jumped_at: Option<i64>,
}

/// What a look at the clock found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockReading {
    Steady,
    /// By so many milliseconds, just now.
    Jumped(i64),
    /// It has jumped before, and not stood since.
    Waiting,
    /// It has stood long enough, as of now.
    Stood,
}

impl ClockCheck {
    /// `since_start_ms`: since the machine was started, sleep included.
    pub(super) fn look(&mut self, now: Timestamp, since_start_ms: i64) -> ClockReading {
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
            Some(at) if since_start_ms.saturating_sub(at) >= STANDS_MS => {
                self.jumped_at = None;
                ClockReading::Stood
            }
            Some(_) => ClockReading::Waiting,
        }
    }

    /// A jump is known of from before; its waiting begins anew.
    pub(super) fn wait(&mut self, since_start_ms: i64) {
        self.jumped_at = Some(since_start_ms);
    }

    /// Somebody vouches for the clock as it is.
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
    fn a_clock_that_jumps_is_believed_after_it_has_stood() {
        use ClockReading::{Jumped, Steady, Stood, Waiting};
        // wall, since the start of the machine
        let cases = [
            (0, 0, Steady),
            (10_000, 10_000, Steady),
            // A correction, and what a day of drift comes to.
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
                Stood,
            ),
            (4 * DAY, 4 * DAY, Steady),
            // Steps that are too small to be seen one by one.
            (4 * DAY + 200_000, 4 * DAY, Steady),
            (4 * DAY + 400_000, 4 * DAY, Jumped(400_000)),
        ];
        let mut steadiness = ClockCheck::default();
        for (wall, since_start, expected) in cases {
            let found = steadiness.look(Timestamp(wall), since_start);
            assert_eq!(found, expected, "{wall} {since_start}");
        }
    }

    #[test]
    fn it_is_believed_when_somebody_vouches_for_it() {
        let mut steadiness = ClockCheck::default();
        steadiness.wait(0);
        assert_eq!(steadiness.look(Timestamp(5), 0), ClockReading::Waiting);
        steadiness.confirm(Timestamp(31 * DAY), 0);
        assert_eq!(
            steadiness.look(Timestamp(31 * DAY), 0),
            ClockReading::Steady
        );
        steadiness.wait(0);
        assert_eq!(
            steadiness.look(Timestamp(31 * DAY), 6 * HOUR - 1),
            ClockReading::Jumped(1 - 6 * HOUR)
        );
    }
}
