//! The day and the minute of a moment on the clock of a person's time zone.

use chrono::{Datelike, NaiveDate, Timelike};

use crate::clock::{Timestamp, Zone};

pub(super) fn date(at: Timestamp, zone: Zone) -> NaiveDate {
    at.utc().with_timezone(&zone).date_naive()
}

pub fn minute_of_day(at: Timestamp, zone: Zone) -> u32 {
    let local = at.utc().with_timezone(&zone);
    local.hour() * 60 + local.minute()
}

/// Days are kept as numbers.
pub(super) fn number(date: NaiveDate) -> i32 {
    date.num_days_from_ce()
}

pub(super) fn day(number: i32) -> NaiveDate {
    NaiveDate::from_num_days_from_ce_opt(number).unwrap_or_default()
}
