//! Trips put together of flights, trains, buses and hotels that mails and calendars state:
//! check-in a day before, when to leave, a gate that becomes known, the hotel's address on
//! arrival, and answers about them. It books nothing and asks no airline.

mod operations;
mod read;
mod stops;
mod trips;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::bookings;
use super::events;
use super::facts::Booking;
use super::local_time;
use super::notice::{self, Notice, SentNotices};
use super::{Plan, PowerContext, StoredState, Superpower};
use crate::clock::Timestamp;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;
pub(super) use read::parse;
use stops::Stop;
pub(super) use stops::StopKind;
pub use stops::is_travel;
use trips::Trip;

/// Airlines usually let people check in from then on.
const CHECK_IN_BEFORE_S: i64 = 24 * 3_600;
/// Check-in ends so long before the departure; no notice of it is sent later.
const CHECK_IN_ENDS_S: i64 = 60 * 60;
/// How long before the time to leave the notice goes out.
const AHEAD_S: i64 = 10 * 60;
/// A gate that becomes known is reported within this time of the departure.
const GATE_BEFORE_MS: i64 = 24 * 60 * 60_000;
/// The hotel's address is sent at most so long after the arrival.
const ARRIVED_S: i64 = 6 * 3_600;
/// Trips of one answer.
const TRIPS_MAX: usize = 5;

#[derive(Debug, Clone, PartialEq)]
pub enum TravelAction {
    /// The next of a kind; `to`: a part of the destination, "" for any.
    Next {
        kind: StopKind,
        to: String,
    },
    /// When to check in for the next flight.
    CheckIn,
    /// When to leave for the next journey.
    Leave,
    /// The gate, the seat and the like of the next journey.
    Details,
    Trips,
    /// Hidden: neither shown nor in notices.
    Remove {
        kind: StopKind,
        to: String,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TravelState {
    sent: SentNotices,
    /// Marks of what the person removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<String>,
}

/// Removed stops whose marks are stored.
const DROPPED_MAX: usize = 200;

/// The stops that the person removed.
pub fn dropped_stops(stored: &StoredState) -> Vec<String> {
    let state: TravelState = serde_json::from_str(&stored.state).unwrap_or_default();
    state.dropped
}

/// Flights, rides and stays that begin on one of some days, first and last included.
pub(super) fn lines_between(
    (first, last): (NaiveDate, NaiveDate),
    context: &PowerContext,
) -> Vec<String> {
    let all = stops::all(context, &context.facts.dropped_stops);
    let days = first..=last;
    let begins = |stop: &&Stop| days.contains(&local_time::date(stop.starts, context.zone()));
    all.iter()
        .filter(begins)
        .map(|stop| stop.display(context))
        .collect()
}

/// Whether the address of a booked hotel is sent on arrival only.
pub(super) fn sends_hotel_on_arrival(booking: &Booking, context: &PowerContext) -> bool {
    if !context.facts.is_travel_told || booking.kind != FactKind::Hotel {
        return false;
    }
    let mark = booking.mark();
    let trips = trips::of(&stops::all(context, &context.facts.dropped_stops));
    trips
        .iter()
        .any(|trip| trip.arrivals().any(|(hotel, _)| hotel.mark == mark))
}

impl TravelState {
    fn trips(&self, context: &PowerContext) -> Vec<Trip> {
        trips::of(&stops::all(context, &self.dropped))
    }

    /// The next stop of a kind that isn't over.
    fn next(&self, kind: StopKind, to: &str, context: &PowerContext) -> Option<Stop> {
        let stops = stops::all(context, &self.dropped);
        let matches = |stop: &Stop| {
            stop.kind == kind || kind == StopKind::Journey && stop.kind != StopKind::Hotel
        };
        stops.into_iter().find(|stop| {
            matches(stop)
                && stop.until() > context.now
                && (to.is_empty() || bookings::overlap(&stop.to, to) || stop.names(to))
        })
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let stops = stops::all(context, &self.dropped);
        let mut notices = Vec::new();
        for stop in stops.iter().filter(|stop| stop.kind != StopKind::Hotel) {
            notices.extend(check_in(stop, context));
            notices.push(leaving(stop, context));
            notices.extend(gate(stop, context));
        }
        for trip in trips::of(&stops) {
            let arrivals = trip.arrivals();
            notices.extend(arrivals.map(|(hotel, at)| arrival(hotel, at, context)));
        }
        notices
    }

    fn display(&self, trip: &Trip, context: &PowerContext) -> String {
        let mut text = format!("🧳 {}:", trip.name());
        for stop in &trip.stops {
            text.push_str(&format!("\n• {}", stop.display(context)));
        }
        for line in trip.planned(context) {
            text.push_str(&format!("\n• {line}"));
        }
        text
    }

    fn remove(&mut self, kind: StopKind, to: &str, context: &PowerContext) -> Option<String> {
        match self.next(kind, to, context) {
            Some(stop) => {
                if self.dropped.len() >= DROPPED_MAX {
                    self.dropped.remove(0);
                }
                let line = stop.display(context);
                self.dropped.push(stop.mark);
                Some(format!(
                    "Okay, I leave this out: {line}. I can't cancel it with them; please do that yourself. “undo” brings it back."
                ))
            }
            None => context.sure.then(|| none_of(kind, to, context)),
        }
    }
}

/// The stop was looked for and isn't there.
fn none_of(kind: StopKind, to: &str, context: &PowerContext) -> String {
    if !context.facts.has_calendar && !context.facts.has_mailbox {
        return NOT_CONNECTED.to_owned();
    }
    let to = match to {
        "" => String::new(),
        to => format!(" to {to}"),
    };
    format!("I see no {}{to} in your mail and calendars.", kind.named())
}

const NOT_CONNECTED: &str = "With your mailbox or calendar I put your trips together: check-in, when to leave, gates, your hotel's address. Say “connect my mail” or “connect my calendar” to connect one.";

fn check_in(stop: &Stop, context: &PowerContext) -> Option<Notice> {
    if stop.kind != StopKind::Flight {
        return None;
    }
    let mut text = format!(
        "🧳 You can usually check in from now on: {}",
        stop.display(context)
    );
    if !stop.check_in_url.is_empty() {
        text.push_str(&format!("\n{}", events::one_line(&stop.check_in_url)));
    }
    Some(Notice {
        key: stop.key("check-in"),
        planned: stop.starts.plus_s(-CHECK_IN_BEFORE_S),
        over: stop.starts.plus_s(-CHECK_IN_ENDS_S),
        text,
    })
}

fn leaving(stop: &Stop, context: &PowerContext) -> Notice {
    let leave = stop.leave_at(context);
    Notice {
        key: stop.key("leave"),
        planned: leave.plus_s(-AHEAD_S),
        over: notice::leave_until(leave, stop.starts, context),
        text: format!("🚪 {}: {}", stop.leave_text(context), stop.display(context)),
    }
}

/// A gate that became known after the booking.
fn gate(stop: &Stop, context: &PowerContext) -> Option<Notice> {
    let is_news = !stop.gate.is_empty() && stop.changed_at > stop.first_seen_at;
    let is_near = stop.starts.0 - stop.changed_at.0 <= GATE_BEFORE_MS;
    (is_news && is_near).then(|| Notice {
        key: stop.key(&format!("gate {}", stop.gate)),
        planned: stop.changed_at,
        over: stop.starts,
        text: format!("🚪 {}", stop.display(context)),
    })
}

fn arrival(hotel: &Stop, at: Timestamp, context: &PowerContext) -> Notice {
    Notice {
        key: hotel.key("arrival"),
        planned: at,
        over: at.plus_s(ARRIVED_S),
        text: format!("🏨 {}", hotel.display(context)),
    }
}

impl Superpower for TravelState {
    type Action = TravelAction;

    fn apply(&mut self, action: TravelAction, context: &PowerContext) -> Option<String> {
        let (kind, to) = match action {
            TravelAction::Trips => return Some(self.overview(context)),
            TravelAction::Remove { kind, to } => return self.remove(kind, &to, context),
            TravelAction::Next { kind, ref to } => (kind, to.clone()),
            TravelAction::CheckIn => (StopKind::Flight, String::new()),
            TravelAction::Leave | TravelAction::Details => (StopKind::Journey, String::new()),
        };
        let Some(stop) = self.next(kind, &to, context) else {
            return context.sure.then(|| none_of(kind, &to, context));
        };
        let line = stop.display(context);
        Some(match action {
            TravelAction::CheckIn => {
                let from = stop.starts.plus_s(-CHECK_IN_BEFORE_S);
                let mut text = match from > context.now {
                    true => format!(
                        "You can usually check in from {}: {line}",
                        events::moment_text(from, false, context)
                    ),
                    false => format!("You can usually check in now: {line}"),
                };
                if !stop.check_in_url.is_empty() {
                    text.push_str(&format!("\n{}", events::one_line(&stop.check_in_url)));
                }
                text
            }
            TravelAction::Leave => format!("🚪 {}: {line}", stop.leave_text(context)),
            TravelAction::Details if stop.gate.is_empty() && stop.platform.is_empty() => {
                format!("The mails name no gate or platform yet: {line}")
            }
            _ => format!("🧳 {line}"),
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        let mut trips = self.trips(context);
        trips.retain(|trip| trip.until() > context.now);
        if trips.is_empty() {
            return none_of(StopKind::Journey, "", context);
        }
        let listed = trips.iter().take(TRIPS_MAX);
        let lines: Vec<String> = listed.map(|trip| self.display(trip, context)).collect();
        lines.join("\n")
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let stops = stops::all(context, &self.dropped);
        let today = stops
            .iter()
            .filter(|stop| stop.kind != StopKind::Hotel)
            .filter(|stop| local_time::date(stop.starts, context.zone()) == context.today());
        let lines: Vec<String> = today.map(|stop| stop.display(context)).collect();
        (!lines.is_empty()).then(|| format!("On the way: {}", lines.join("; ")))
    }

    fn plans(&self, context: &PowerContext) -> Vec<Plan> {
        let stops = stops::all(context, &self.dropped).into_iter();
        let journeys = stops.filter(|stop| stop.kind != StopKind::Hotel);
        journeys.map(|stop| stop.plan(context)).collect()
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        self.sent.next(&self.notices(context), context)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        notice::joined(&self.sent.take_due(self.notices(context), context))
    }
}
