//! What superpowers are told of what others know: events, mails, plans. It reads nothing itself.

use chrono::NaiveDate;

use super::{Booking, CalendarName, Event, Mail, PlannedTrip, Ways, entries, pieces};
use crate::clock::{Timestamp, Zone};

/// What a superpower is told of what others know. Only those that need it are told.
#[derive(Debug, Default)]
pub struct Facts {
    /// What there is to say of the day, for the daily summary.
    pub day: String,
    /// What is planned for these days.
    pub plans: Vec<Plan>,
    /// A calendar is connected.
    pub has_calendar: bool,
    /// Events around now, in order, also what was declined or cancelled.
    pub events: Vec<Event>,
    pub calendars: Vec<CalendarName>,
    /// What the person wants remembered, newest first.
    pub memories: Vec<String>,
    /// A mailbox is connected.
    pub has_mailbox: bool,
    /// Extracts of the last 30 days, newest first.
    pub mails: Vec<Mail>,
    /// First names, in lower case, of people in the person's calendars.
    pub people: Vec<String>,
    /// A language model judges new mail.
    pub is_mail_judged: bool,
    /// Urgent mail is told.
    pub is_urgent_mail_told: bool,
    /// The second way of composing briefings.
    pub is_second_briefing: bool,
    /// What mails say of bookings, parcels and the like, in order of time.
    pub bookings: Vec<Booking>,
    /// `travel_brain` writes by itself.
    pub is_travel_told: bool,
    /// Marks of flights, rides and stays that the person removed.
    pub dropped_stops: Vec<String>,
    /// Trips of the trip planner.
    pub trips: Vec<PlannedTrip>,
    /// How long the person is on the way to places.
    pub ways: Ways,
}

impl Plan {
    /// "Trip to Lisbon: Thursday, 26 November", with the time of day where it is known.
    pub fn display(&self, now: Timestamp, zone: Zone) -> String {
        let when = entries::time_text(self.day, self.minute, pieces::date(now, zone));
        format!("{}: {when}", pieces::capital(&self.what))
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
            day: pieces::date(at, zone),
            minute: Some(pieces::minute_of_day(at, zone)),
            leave: None,
        }
    }
}

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
