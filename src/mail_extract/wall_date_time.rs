//! A date, or a date and time, as a mail states it. Without an offset, or with one, it is what a
//! clock at the place shows; a time in UTC says nothing about that clock.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use serde::{Serialize, Serializer};

use crate::clock::Timestamp;
use crate::model::calendar::{DAY_MS, EventClock, EventTime};

const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;

/// Written as `2026-12-01`, `2026-12-01T09:00:00`, `2026-12-01T09:00:00+01:00` or, of UTC,
/// `2026-12-01T09:00:00Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WallDateTime {
    pub(super) date: NaiveDate,
    pub(super) time: Option<NaiveTime>,
    /// Only with a time.
    pub(super) offset: Option<FixedOffset>,
    /// Stated as `Z`, so that the offset is not that of the place.
    pub(super) is_utc: bool,
}

impl WallDateTime {
    pub(super) fn on(date: NaiveDate) -> Self {
        Self {
            date,
            time: None,
            offset: None,
            is_utc: false,
        }
    }

    /// ISO 8601 in the forms that mails use: `T` or a space, with or without seconds,
    /// fractions, separators and an offset.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > 40 || !text.is_ascii() {
            return None;
        }
        let found = Self::parse_date(text).or_else(|| Self::parse_time(text))?;
        YEARS.contains(&found.date.year()).then_some(found)
    }

    /// The span from here to `end`, which is read in the way of the begin. A day ends with it.
    pub(super) fn until(self, end: Option<Self>) -> EventTime {
        let (clock, starts_at) = self.moment();
        let ends_at = end.map(|end| match clock {
            EventClock::AllDay => Self::on(end.date).moment().1,
            EventClock::Floating | EventClock::Zoned => {
                let zoned = (clock == EventClock::Zoned).then(|| end.offset.or(self.offset));
                let end = Self {
                    time: Some(end.time.unwrap_or_default()),
                    offset: zoned.flatten(),
                    ..end
                };
                end.moment().1
            }
        });
        let day_ms = if clock == EventClock::AllDay {
            DAY_MS
        } else {
            0
        };
        EventTime {
            clock,
            starts_at: Timestamp(starts_at),
            ends_at: Timestamp(ends_at.unwrap_or(starts_at).max(starts_at) + day_ms),
        }
    }

    /// Milliseconds, of the wall's time where the clock is not zoned.
    fn moment(self) -> (EventClock, i64) {
        let at = self.date.and_time(self.time.unwrap_or_default());
        let wall_ms = at.and_utc().timestamp_millis();
        match (self.time, self.offset) {
            (None, _) => (EventClock::AllDay, wall_ms),
            (Some(_), None) => (EventClock::Floating, wall_ms),
            (Some(_), Some(offset)) => {
                let east_ms = i64::from(offset.local_minus_utc()) * 1_000;
                (EventClock::Zoned, wall_ms - east_ms)
            }
        }
    }

    fn parse_date(text: &str) -> Option<Self> {
        let formats = ["%Y-%m-%d", "%Y%m%d"];
        let date = formats
            .iter()
            .find_map(|format| NaiveDate::parse_from_str(text, format).ok())?;
        Some(Self::on(date))
    }

    fn parse_time(text: &str) -> Option<Self> {
        let text = match text.contains('T') {
            true => text.replace(' ', ""),
            false => text.replacen(' ', "T", 1).replace(' ', ""),
        };
        let utc = text.strip_suffix(['Z', 'z']);
        let is_utc = utc.is_some();
        let text = utc.map_or_else(|| text.clone(), |utc| format!("{utc}+00:00"));
        const DATES: [&str; 2] = ["%Y-%m-%d", "%Y%m%d"];
        const TIMES: [&str; 3] = ["%H:%M:%S%.f", "%H:%M", "%H%M%S"];
        for date in DATES {
            for time in TIMES.into_iter().chain(["%H%M"]) {
                let format = format!("{date}T{time}");
                if let Ok(at) = DateTime::parse_from_str(&text, &format!("{format}%z")) {
                    return Some(Self {
                        date: at.date_naive(),
                        time: Some(at.time()),
                        offset: Some(*at.offset()),
                        is_utc,
                    });
                }
                if let Ok(at) = NaiveDateTime::parse_from_str(&text, &format) {
                    return Some(Self {
                        date: at.date(),
                        time: Some(at.time()),
                        offset: None,
                        is_utc: false,
                    });
                }
            }
        }
        None
    }
}

impl std::fmt::Display for WallDateTime {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.date)?;
        if let Some(time) = self.time {
            write!(f, "T{}", time.format("%H:%M:%S"))?;
        }
        match self.offset {
            Some(_) if self.time.is_some() && self.is_utc => write!(f, "Z"),
            Some(offset) if self.time.is_some() => write!(f, "{offset}"),
            _ => Ok(()),
        }
    }
}

impl Serialize for WallDateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_read() {
        for (text, expected) in [
            ("2026-12-01", "2026-12-01"),
            ("20261201", "2026-12-01"),
            ("2026-12-01T09:00", "2026-12-01T09:00:00"),
            ("2026-12-01 09:00", "2026-12-01T09:00:00"),
            ("2026-12-01T09:00:30.250", "2026-12-01T09:00:30"),
            ("2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z"),
            ("2026-12-01T09:00:00+00:00", "2026-12-01T09:00:00+00:00"),
            ("2026-12-01T09:00:00+01:00", "2026-12-01T09:00:00+01:00"),
            ("2026-12-01T09:00:00 +0100", "2026-12-01T09:00:00+01:00"),
            ("2026-12-01T09:00-05:00", "2026-12-01T09:00:00-05:00"),
            ("20261201T090000Z", "2026-12-01T09:00:00Z"),
        ] {
            let found = WallDateTime::parse(text).map(|at| at.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
        for text in [
            "", "soon", "9999-01-01", "2026-13-01", "2026-02-30", "2026-12-01T25:00",
            "0001-01-01T00:00:00Z", "2026-12-01T09:00:00+99:00", "12/01/2026", "２０２６-12-01",
        ] {
            assert_eq!(WallDateTime::parse(text), None, "{text}");
        }
    }

    #[test]
    fn spans_are_read_in_the_way_of_their_begin() {
        let hour = 3_600_000;
        for (start, end, clock, hours) in [
            ("2026-12-01", "", EventClock::AllDay, 24),
            ("2026-12-01", "2026-12-03", EventClock::AllDay, 72),
            ("2026-12-01T10:00", "", EventClock::Floating, 0),
            (
                "2026-12-01T10:00",
                "2026-12-01T12:00+05:00",
                EventClock::Floating,
                2,
            ),
            (
                "2026-12-01T10:00+01:00",
                "2026-12-01T12:00Z",
                EventClock::Zoned,
                3,
            ),
            (
                "2026-12-01T10:00+01:00",
                "2026-12-01T12:00",
                EventClock::Zoned,
                2,
            ),
            (
                "2026-12-01T10:00+01:00",
                "2026-12-02",
                EventClock::Zoned,
                14,
            ),
            ("2026-12-01T10:00+01:00", "2026-11-02", EventClock::Zoned, 0),
        ] {
            let at = WallDateTime::parse(start).expect("a date");
            let time = at.until(WallDateTime::parse(end));
            let found = (time.clock, (time.ends_at.0 - time.starts_at.0) / hour);
            assert_eq!(found, (clock, hours), "{start} {end}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "2026-12-01", "2026-12-01T09:00:00", "2026-12-01T09:00:00-05:00",
        ] {
            let at = WallDateTime::parse(text).expect("a date");
            assert_eq!(WallDateTime::parse(&at.to_string()), Some(at));
        }
    }
}
