//! Something planned, as superpowers tell each other of it.

use chrono::NaiveDate;

use super::{local_time, texts};
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
}

impl Plan {
    /// "Trip to Lisbon: Thursday, 26 November", with the time of day where it is known.
    pub fn display(&self, now: Timestamp, zone: Zone) -> String {
        let when = texts::time_text(self.day, self.minute, local_time::date(now, zone));
        format!("{}: {when}", texts::capital(&self.what))
    }

    /// Of a day.
    pub fn on(what: String, day: NaiveDate) -> Self {
        Self {
            what,
            place: String::new(),
            details: String::new(),
            day,
            minute: None,
            leave: None,
        }
    }

    /// Of a moment.
    pub fn at(what: &str, at: Timestamp, zone: Zone) -> Self {
        Self {
            what: what.to_owned(),
            place: String::new(),
            details: String::new(),
            day: local_time::date(at, zone),
            minute: Some(local_time::minute_of_day(at, zone)),
            leave: None,
        }
    }
}
