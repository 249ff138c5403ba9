//! Something planned: superpowers tell each other of it, and reminders can be set before it.

use chrono::NaiveDate;

use super::local_time;
use super::wording::texts;
use crate::clock::{Timestamp, Zone};

/// Something planned: a reminder, a booking, an event of a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub what: String,
    /// "": not known.
    pub place: String,
    /// "": nothing else is known.
    pub details: String,
    pub day: NaiveDate,
    /// After midnight; `None`: no time is known.
    pub minute: Option<u32>,
    /// When one has to leave for it, where that is known, in minutes after midnight.
    pub leave: Option<u32>,
    /// By how many seconds the clock of these times is ahead of the person's: that of a place in
    /// another time zone.
    pub ahead_s: i64,
}

impl Plan {
    /// "Trip to Lisbon: Thursday, 26 November", with the time of day where it is known.
    pub fn display(&self, now: Timestamp, zone: Zone) -> String {
        let today = local_time::date(now, zone);
        let when = texts::place_time_text(self.day, (self.minute, self.ahead_s), today);
        format!("{}: {when}", texts::capital(&self.what))
    }

    /// The same with what else is known of it.
    pub fn full(&self, now: Timestamp, zone: Zone) -> String {
        let line = self.display(now, zone);
        match self.details.as_str() {
            "" => line,
            details => format!("{line}, {details}"),
        }
    }

    /// A plan for a whole day.
    pub fn on(what: String, day: NaiveDate) -> Self {
        Self {
            what,
            place: String::new(),
            details: String::new(),
            day,
            minute: None,
            leave: None,
            ahead_s: 0,
        }
    }

    /// A plan with a time of day.
    pub fn at(what: &str, at: Timestamp, zone: Zone) -> Self {
        Self {
            what: what.to_owned(),
            place: String::new(),
            details: String::new(),
            day: local_time::date(at, zone),
            minute: Some(local_time::minute_of_day(at, zone)),
            leave: None,
            ahead_s: 0,
        }
    }

    /// The day and the minute on the person's clock.
    pub(in crate::assistant) fn own_time(&self, zone: Zone) -> (NaiveDate, Option<u32>) {
        match self.begins(zone) {
            Some(at) => (
                local_time::date(at, zone),
                Some(local_time::minute_of_day(at, zone)),
            ),
            None => (self.day, None),
        }
    }

    /// The moment at which it begins; `None`: no time is known.
    pub fn begins(&self, zone: Zone) -> Option<Timestamp> {
        let begins = local_time::moment(self.day, self.minute?, zone)?;
        Some(begins.plus_s(-self.ahead_s))
    }
}
