//! A span of days, or of hours, about which is asked.

use chrono::NaiveDate;

/// From a minute of a day to the minute before another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpan {
    from: (NaiveDate, u32),
    /// The last day, and the minute of it that is not in the span.
    to: (NaiveDate, u32),
}

impl DaySpan {
    /// Minutes are after midnight.
    pub const fn between(from: (NaiveDate, u32), to: (NaiveDate, u32)) -> Self {
        Self { from, to }
    }

    /// Whole days, first and last included.
    pub const fn of_days(from: NaiveDate, to: NaiveDate) -> Self {
        const DAY_MINUTES: u32 = 24 * 60;
        Self {
            from: (from, 0),
            to: (to, DAY_MINUTES),
        }
    }

    /// The first and the last day.
    pub(super) const fn days(self) -> (NaiveDate, NaiveDate) {
        (self.from.0, self.to.0)
    }

    /// Whether something of one of its days is in it: without a time of day it is.
    pub(super) fn has(self, day: NaiveDate, minute: Option<u32>) -> bool {
        let is_on = (self.from.0..=self.to.0).contains(&day);
        is_on && minute.is_none_or(|minute| (self.from..self.to).contains(&(day, minute)))
    }
}
