//! Dates and times as a calendar writes them: in a zone, without a zone, or a whole day.

use calcard::common::PartialDateTime;
use calcard::icalendar::{
    ICalendarComponent, ICalendarEntry, ICalendarParameterName, ICalendarParameterValue,
    ICalendarProperty, ICalendarValue, ICalendarValueType,
};
use chrono::{Datelike, Duration, NaiveDate, NaiveDateTime, NaiveTime, TimeZone};

use super::zones::Zones;
use crate::clock::{Timestamp, Zone, at_wall_time};
use crate::model::calendar::EventClock;

const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;

/// A date, or a local time as a wall clock shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WallTime {
    pub(super) local: NaiveDateTime,
    pub(super) clock: EventClock,
    /// UTC where there is none.
    pub(super) zone: Zone,
}

/// How long an event lasts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    /// Added to the local time: days of it may have 23 or 25 hours.
    pub(super) local: Duration,
    /// Added to the moment after that.
    pub(super) exact: Duration,
}

pub(super) fn start_of(event: &ICalendarComponent, zones: &Zones) -> Option<WallTime> {
    let start = event.property(&ICalendarProperty::Dtstart)?;
    wall_times(start, zones).into_iter().next()
}

pub(super) fn length_of(event: &ICalendarComponent, start: &WallTime, zones: &Zones) -> Length {
    let end = event.property(&ICalendarProperty::Dtend);
    if let Some(end) = end.and_then(|end| wall_times(end, zones).into_iter().next()) {
        return match end.zone == start.zone {
            true => Length::local(end.local - start.local),
            false => Length::exact(end.instant().0 - start.instant().0),
        };
    }
    let duration = event.property(&ICalendarProperty::Duration);
    if let Some(ICalendarValue::Duration(duration)) =
        duration.and_then(|entry| entry.values.first())
        && !duration.neg
    {
        let days = i64::from(duration.weeks) * 7 + i64::from(duration.days);
        let days = days.min(10_000);
        let rest = duration.as_seconds()
            - (i64::from(duration.weeks) * 7 + i64::from(duration.days)) * 86_400;
        return Length {
            local: Duration::days(days),
            exact: Duration::seconds(rest.clamp(0, 10_000 * 86_400)),
        };
    }
    match start.clock {
        EventClock::AllDay => Length::local(Duration::days(1)),
        _ => Length::exact(0),
    }
}

/// The end of a rule on the wall of its event: a date is that whole day, a moment in UTC is
/// turned into the event's time.
pub(super) fn until_on_wall(until: &PartialDateTime, start: &WallTime) -> Option<NaiveDateTime> {
    let read = until.to_date_time()?;
    if until.hour.is_none() || start.clock == EventClock::AllDay {
        return read.date_time.date().and_hms_opt(23, 59, 59);
    }
    match (read.offset, start.clock) {
        (Some(offset), EventClock::Zoned) => {
            let utc = read.date_time - Duration::seconds(i64::from(offset.local_minus_utc()));
            Some(start.zone.from_utc_datetime(&utc).naive_local())
        }
        _ => Some(read.date_time),
    }
}

/// The dates and times of a property.
pub(super) fn wall_times(entry: &ICalendarEntry, zones: &Zones) -> Vec<WallTime> {
    let values = entry.values.iter();
    values
        .filter_map(|value| wall_time(value.as_partial_date_time()?, entry, zones))
        .collect()
}

pub(super) fn wall_time(
    at: &PartialDateTime,
    entry: &ICalendarEntry,
    zones: &Zones,
) -> Option<WallTime> {
    let read = at.to_date_time()?;
    if !YEARS.contains(&read.date_time.year()) {
        return None;
    }
    let is_date = at.hour.is_none()
        || entry
            .parameters(&ICalendarParameterName::Value)
            .any(|value| {
                matches!(
                    value,
                    ICalendarParameterValue::Value(ICalendarValueType::Date)
                )
            });
    if is_date {
        return Some(WallTime::midnight(read.date_time.date()));
    }
    if let Some(offset) = read.offset {
        let utc = read.date_time - Duration::seconds(i64::from(offset.local_minus_utc()));
        return Some(WallTime {
            local: utc,
            clock: EventClock::Zoned,
            zone: Zone::UTC,
        });
    }
    Some(match entry.tz_id() {
        Some(name) => WallTime {
            local: read.date_time,
            clock: EventClock::Zoned,
            zone: zones.named(name),
        },
        None => WallTime {
            local: read.date_time,
            clock: EventClock::Floating,
            zone: Zone::UTC,
        },
    })
}

impl WallTime {
    fn midnight(date: NaiveDate) -> Self {
        Self {
            local: date.and_time(NaiveTime::MIN),
            clock: EventClock::AllDay,
            zone: Zone::UTC,
        }
    }

    /// The moment; a date or a time without a zone is read as UTC.
    pub(super) fn instant(&self) -> Timestamp {
        match self.clock {
            EventClock::Zoned => at_wall_time(self.local, self.zone),
            _ => None,
        }
        .unwrap_or(Timestamp(self.local.and_utc().timestamp_millis()))
    }

    /// This time, written as a series with this start writes its instances: dates are written as
    /// times and times as dates, and each in any zone.
    pub(super) fn as_in(&self, start: &Self) -> Self {
        let local = match (self.clock, start.clock) {
            (EventClock::AllDay, EventClock::AllDay) => self.local,
            (EventClock::AllDay, _) => self.local.date().and_time(start.local.time()),
            (EventClock::Zoned, EventClock::Zoned) => {
                let utc = self.instant().utc().naive_utc();
                start.zone.from_utc_datetime(&utc).naive_local()
            }
            (_, EventClock::AllDay) => self.local.date().and_time(NaiveTime::MIN),
            _ => self.local,
        };
        let written = Self { local, ..*start };
        // A local time that occurs twice, when clocks go back, stays as it was written.
        match self.clock == EventClock::Zoned && start.clock == EventClock::Zoned {
            true if written.instant() != self.instant() => *self,
            _ => written,
        }
    }

    pub(super) fn after(&self, length: Length) -> Option<Timestamp> {
        let local = self.local.checked_add_signed(length.local)?;
        let ends = Self { local, ..*self };
        Some(ends.instant().plus_ms(length.exact.num_milliseconds()))
    }

    /// The start as text, as in `EventFacts::instance`.
    pub(super) fn key(&self) -> String {
        let at = self.instant().utc();
        match self.clock {
            EventClock::Zoned => at.format("%Y%m%dT%H%M%SZ").to_string(),
            EventClock::Floating => at.format("%Y%m%dT%H%M%S").to_string(),
            EventClock::AllDay => at.format("%Y%m%d").to_string(),
        }
    }
}

impl Length {
    fn local(local: Duration) -> Self {
        Self {
            local: local.max(Duration::zero()),
            exact: Duration::zero(),
        }
    }

    pub(super) fn exact(ms: i64) -> Self {
        Self {
            local: Duration::zero(),
            exact: Duration::milliseconds(ms.max(0)),
        }
    }
}
