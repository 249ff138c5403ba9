//! The day and the minute of a moment on the clock of a person's time zone.

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};

use crate::assistant::text::when;
use crate::clock::{Timestamp, Zone};

/// The day of a number beyond the calendar, as only a damaged state has. The other days of such a
/// state stay readable.
const DAMAGED_DAY: NaiveDate = match NaiveDate::from_ymd_opt(1970, 1, 1) {
    Some(day) => day,
    None => NaiveDate::MIN,
};

/// The moment of a reply, and the person's time zone.
#[derive(Debug, Clone, Copy)]
pub struct LocalNow {
    pub at: Timestamp,
    /// `None` when unknown: UTC is used and mentioned.
    pub zone: Option<Zone>,
}

impl LocalNow {
    pub fn new(at: Timestamp, zone: impl Into<Option<Zone>>) -> Self {
        let zone = zone.into();
        Self { at, zone }
    }
}

pub(in crate::assistant) fn date(at: Timestamp, zone: Zone) -> NaiveDate {
    at.utc().with_timezone(&zone).date_naive()
}

pub fn minute_of_day(at: Timestamp, zone: Zone) -> u32 {
    let local = at.utc().with_timezone(&zone);
    local.hour() * 60 + local.minute()
}

/// That minute of a day. A time that the clocks jump over is the first after the gap.
pub(in crate::assistant) fn moment(date: NaiveDate, minute: u32, zone: Zone) -> Option<Timestamp> {
    when::at_hour(date, minute / 60, minute % 60, zone)
}

/// By how many seconds a clock that shows `wall` at that moment is ahead of the zone's.
pub(in crate::assistant) fn ahead_s(wall: NaiveDateTime, at: Timestamp, zone: Zone) -> i64 {
    (wall - at.utc().with_timezone(&zone).naive_local()).num_seconds()
}

/// Days are kept as numbers.
pub(in crate::assistant) fn number(date: NaiveDate) -> i32 {
    date.num_days_from_ce()
}

pub(in crate::assistant) fn day(number: i32) -> NaiveDate {
    NaiveDate::from_num_days_from_ce_opt(number).unwrap_or(DAMAGED_DAY)
}
