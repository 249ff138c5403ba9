//! The types of the facts that superpowers get from outside: events, mails, bookings, plans. Only
//! types: `ingest::powers::facts` reads them from the database.

use std::ops::Range;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use crate::clock::Timestamp;
use crate::model::mail_item::{FactKind, FactStatus};

/// Facts from outside a superpower's own state. Each superpower gets only what it needs.
#[derive(Debug, Default)]
pub struct Facts {
    /// The lines about the day, for the daily summary.
    pub day: String,
    /// Something of `day` is on this day itself, not only soon.
    pub is_day_filled: bool,
    /// The plans of these days.
    pub plans: Vec<Plan>,
    /// A calendar is connected, or there are invitations in mails.
    pub has_calendar: bool,
    /// No calendar is connected: the events come from invitations in mails.
    pub is_calendar_of_mail: bool,
    /// Events around now, in order, also what was declined or cancelled.
    pub events: Vec<EventFact>,
    pub calendars: Vec<CalendarName>,
    /// The person's memories, newest first.
    pub memories: Vec<String>,
    /// A mailbox is connected.
    pub has_mailbox: bool,
    /// Extracts of the last 30 days, newest first.
    pub mails: Vec<Mail>,
    /// First names, in lower case, of people in the person's calendars.
    pub people: Vec<String>,
    /// A language model judges new mail.
    pub is_mail_judged: bool,
    /// The person gets messages about urgent mail.
    pub is_urgent_mail_told: bool,
    /// Briefings use the second layout.
    pub is_second_briefing: bool,
    /// Bookings, parcels and the like from mails, in order of time.
    pub bookings: Vec<Booking>,
    /// `travel_brain` sends its own messages.
    pub is_travel_told: bool,
    /// Marks of flights, rides and stays that the person removed.
    pub dropped_stops: Vec<String>,
    /// Trips of the trip planner.
    pub trips: Vec<PlannedTrip>,
    /// How long the person takes to get to places.
    pub travel_times: TravelTimes,
}

/// An event of a calendar that is switched on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFact {
    pub id: i64,
    /// The number of its calendar.
    pub calendar: i64,
    /// The calendar's name for it.
    pub uid: String,
    /// Which instance of a series; empty for a single event.
    pub instance: String,
    pub title: String,
    /// "": none is known; so with link and phone.
    pub place: String,
    pub link: String,
    pub phone: String,
    pub is_call: bool,
    /// Names or addresses of the others who take part.
    pub people: Vec<String>,
    pub starts_at: Timestamp,
    /// Exclusive.
    pub ends_at: Timestamp,
    pub is_all_day: bool,
    pub is_busy: bool,
    /// The event is one of a series.
    pub is_recurring: bool,
    /// The person declined.
    pub is_declined: bool,
    pub is_cancelled: bool,
    pub first_seen_at: Timestamp,
    pub changed_at: Timestamp,
    /// Before it was moved.
    pub was_starts_at: Option<Timestamp>,
}

/// A calendar of a connected service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarName {
    pub id: i64,
    pub name: String,
    pub is_enabled: bool,
    /// Events can be added, moved and deleted.
    pub is_writable: bool,
}

/// The extract of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    pub id: i64,
    pub from_name: String,
    pub from_email: String,
    pub subject: String,
    pub text: String,
    pub received_at: Timestamp,
    /// Newsletters, lists and what programs send.
    pub is_mass_mail: bool,
    pub is_to_self: bool,
    /// The mail answers one that the person sent.
    pub answers_own: bool,
    /// Why it may be urgent, as the rules are called.
    pub urgency: Vec<String>,
    /// Whether a language model took it for urgent; `None`: there is no verdict.
    pub judged: Option<bool>,
    pub first_seen_at: Timestamp,
}

/// A booking, parcel or the like that a mail states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booking {
    pub kind: FactKind,
    /// Identifies the thing: every mail about it has this key.
    pub key: String,
    pub status: FactStatus,
    /// Begin, and end (exclusive); `None`: not known.
    pub time: Option<Range<Timestamp>>,
    pub is_all_day: bool,
    pub details: BookingDetails,
    /// The subject of the last mail about it; "" when that mail was removed.
    pub subject: String,
    /// When the last mail about it arrived.
    pub received_at: Timestamp,
    pub first_seen_at: Timestamp,
    /// When something that matters was last seen to change.
    pub changed_at: Timestamp,
}

/// The fields that a mail states; the others are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct BookingDetails {
    pub title: String,
    pub reference: String,
    pub provider: String,
    /// The number of the flight, the train or the parcel.
    pub number: String,
    pub origin: BookedPlace,
    pub destination: BookedPlace,
    pub place: BookedPlace,
    /// The time as the mail writes it: what a clock at the place shows, maybe with its offset.
    pub starts: String,
    pub ends: String,
    pub gate: String,
    pub terminal: String,
    pub platform: String,
    pub seat: String,
    pub ticket_number: String,
    pub check_in_url: String,
    pub tracking_url: String,
    pub cancel_url: String,
    pub delivered: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct BookedPlace {
    pub name: String,
    /// An airport's code.
    pub code: String,
    pub address: String,
    pub telephone: String,
}

/// A trip for others: where, from when to when, and a line for each plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTrip {
    pub place: String,
    pub days: Option<(NaiveDate, NaiveDate)>,
    pub lines: Vec<String>,
}

/// Travel times of the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TravelTimes {
    pub usual_minutes: Option<i64>,
    /// A part of the address, and the minutes to get there.
    pub places: Vec<(String, i64)>,
}
