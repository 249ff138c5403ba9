//! The parts of a trip: flights, trains, buses and hotels of mails, and events of calendars
//! whose titles say that they are one.

use chrono::NaiveDateTime;

use super::super::{Booking, EventFact, Plan, PowerContext, bookings, events};
use crate::assistant::powers::{local_time, texts};
use crate::clock::Timestamp;
use crate::model::mail_item::FactKind;

/// Minutes before the departure at which one is there.
const AT_AIRPORT_MINUTES: i64 = 120;
const AT_STATION_MINUTES: i64 = 15;
/// A booking and an event of a calendar that begin so close to each other are one.
const SAME_MS: i64 = 60 * 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopKind {
    Flight,
    Train,
    Bus,
    Hotel,
    /// A flight, a train or a bus.
    Journey,
}

impl StopKind {
    pub(super) const fn named(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Train => "train",
            Self::Bus => "bus",
            Self::Hotel => "hotel",
            Self::Journey => "flight, train or bus",
        }
    }

    const fn of(kind: FactKind) -> Option<Self> {
        Some(match kind {
            FactKind::Flight => Self::Flight,
            FactKind::Train => Self::Train,
            FactKind::Bus => Self::Bus,
            FactKind::Hotel => Self::Hotel,
            _ => return None,
        })
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Flight => "✈️",
            Self::Train => "🚆",
            Self::Bus => "🚌",
            Self::Hotel => "🏨",
            Self::Journey => "🧳",
        }
    }
}

/// A flight, a ride or a stay.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stop {
    pub(super) mark: String,
    pub(super) kind: StopKind,
    /// The flight's or train's number, the hotel's name.
    pub(super) name: String,
    /// Where the journey begins and ends; "": not known.
    pub(super) from: String,
    pub(super) to: String,
    /// Airports' codes.
    from_code: String,
    to_code: String,
    /// The hotel's address.
    pub(super) address: String,
    telephone: String,
    pub(super) starts: Timestamp,
    ends: Timestamp,
    is_all_day: bool,
    /// The start as a clock at the place shows it.
    starts_wall: Option<NaiveDateTime>,
    ends_wall: Option<NaiveDateTime>,
    /// Only the day of the end is known.
    ends_some_time: bool,
    reference: String,
    pub(super) gate: String,
    terminal: String,
    pub(super) platform: String,
    seat: String,
    pub(super) check_in_url: String,
    pub(super) first_seen_at: Timestamp,
    pub(super) changed_at: Timestamp,
}

/// All that is known, soonest first, but for `dropped` marks.
pub(super) fn all(context: &PowerContext, dropped: &[String]) -> Vec<Stop> {
    let facts = context.facts;
    let mut stops: Vec<Stop> = facts.bookings.iter().filter_map(of_booking).collect();
    for stop in facts.events.iter().filter_map(of_event) {
        if !stops.iter().any(|known| known.is_also(&stop)) {
            stops.push(stop);
        }
    }
    stops.retain(|stop| !dropped.contains(&stop.mark));
    stops.sort_by_key(|stop| (stop.starts, stop.ends));
    stops
}

fn of_booking(booking: &Booking) -> Option<Stop> {
    let kind = StopKind::of(booking.kind)?;
    let time = booking.time.clone()?;
    let details = &booking.details;
    let name = match kind {
        StopKind::Hotel => booking.name(),
        _ => [&details.number, &details.title, &details.provider]
            .map(|text| events::one_line(text))
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
    };
    let text = |text: &str| events::one_line(text);
    Some(Stop {
        mark: booking.mark(),
        kind,
        name,
        from: details.origin.display(),
        to: details.destination.display(),
        from_code: details.origin.code.clone(),
        to_code: details.destination.code.clone(),
        address: text(&details.place.address),
        telephone: text(&details.place.telephone),
        starts: time.start,
        ends: time.end,
        is_all_day: booking.is_all_day,
        starts_wall: bookings::wall_time(&details.starts),
        ends_wall: bookings::wall_time(&details.ends),
        ends_some_time: bookings::is_day(&details.ends),
        reference: text(&details.reference),
        gate: text(&details.gate),
        terminal: text(&details.terminal),
        platform: text(&details.platform),
        seat: text(&details.seat),
        check_in_url: details.check_in_url.clone(),
        first_seen_at: booking.first_seen_at,
        changed_at: booking.changed_at,
    })
}

/// Whether a calendar's event is a part of a trip.
pub fn is_travel(event: &EventFact) -> bool {
    of_event(event).is_some()
}

/// "Flight to Lisbon (TP 531)", "Train to Hamburg", "Stay at Hotel Lux".
fn of_event(event: &EventFact) -> Option<Stop> {
    if !event.is_on() {
        return None;
    }
    let title = events::one_line(&event.title);
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let number = number_in(&title);
    let (kind, name) = match words.first()?.as_str() {
        "stay" | "hotel" | "hostel" | "airbnb" => (StopKind::Hotel, hotel_name(&title)),
        _ if event.is_all_day => return None,
        _ => {
            let ways = [
                ("flight", StopKind::Flight),
                ("train", StopKind::Train),
                ("bus", StopKind::Bus),
            ];
            let at = |way: &str| words.iter().position(|word| word == way);
            let (at, kind) = ways
                .iter()
                .find_map(|(way, kind)| Some((at(way)?, *kind)))?;
            let next = words.get(at + 1).map(String::as_str);
            let has_direction = matches!(next, Some("to" | "from"));
            if !has_direction && number.is_none() {
                return None;
            }
            (kind, number.unwrap_or_default())
        }
    };
    let after = |word: &str| {
        let lower = title.to_ascii_lowercase();
        let at = lower.find(&format!(" {word} "))? + word.len() + 2;
        let rest = title[at..].split(['(', ',', ';']).next()?;
        let rest = rest.split(" from ").next()?.split(" to ").next()?;
        Some(rest.trim().to_owned())
    };
    let journeys = kind != StopKind::Hotel;
    Some(Stop {
        mark: format!("event {}", event.id),
        kind,
        name,
        from: after("from").filter(|_| journeys).unwrap_or_default(),
        to: after("to").filter(|_| journeys).unwrap_or_default(),
        from_code: String::new(),
        to_code: String::new(),
        address: events::one_line(&event.place),
        telephone: events::one_line(&event.phone),
        starts: event.starts_at,
        ends: event.ends_at,
        is_all_day: event.is_all_day,
        starts_wall: None,
        ends_wall: None,
        ends_some_time: false,
        reference: String::new(),
        gate: String::new(),
        terminal: String::new(),
        platform: String::new(),
        seat: String::new(),
        check_in_url: String::new(),
        first_seen_at: event.first_seen_at,
        changed_at: event.first_seen_at,
    })
}

/// "Stay at Hotel Lux": "Hotel Lux".
fn hotel_name(title: &str) -> String {
    let lower = title.to_ascii_lowercase();
    let start = ["stay at ", "hotel: ", "airbnb: ", "hostel: "]
        .iter()
        .find(|start| lower.starts_with(**start));
    title[start.map_or(0, |start| start.len())..].to_owned()
}

/// "TP 531", "LH1234": a code of two or three characters and up to four digits.
fn number_in(title: &str) -> Option<String> {
    let words: Vec<&str> = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_digits = |word: &str| {
        (1..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_code = |word: &str| {
        (2..=3).contains(&word.len())
            && word
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_uppercase())
    };
    let joined = words
        .iter()
        .find(|word| word.len() > 2 && is_code(&word[..2]) && is_digits(&word[2..]));
    let apart = || {
        let pair = words
            .windows(2)
            .find(|pair| is_code(pair[0]) && is_digits(pair[1]))?;
        Some(format!("{}{}", pair[0], pair[1]))
    };
    joined.map(|word| (*word).to_owned()).or_else(apart)
}

impl Stop {
    /// When it is over.
    pub(super) fn until(&self) -> Timestamp {
        self.ends.max(self.starts)
    }

    /// Whether another source states the same stop.
    fn is_also(&self, other: &Stop) -> bool {
        let is_close = match self.kind {
            // A calendar's stay may have days where the mail has times.
            StopKind::Hotel => self.starts < other.until() && other.starts < self.until(),
            _ => (self.starts.0 - other.starts.0).abs() <= SAME_MS,
        };
        self.kind == other.kind && is_close
    }

    /// Whether it begins where `other` ends.
    pub(super) fn continues_from(&self, other: &Stop) -> bool {
        let is_same_code = !self.from_code.is_empty() && self.from_code == other.to_code;
        let is_same_name = !self.from.is_empty() && texts::same(&self.from, &other.to);
        is_same_code || is_same_name
    }

    /// Whether a name, a code or an address has `text` in it.
    pub(super) fn names(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let all = [&self.name, &self.to, &self.to_code, &self.address];
        all.iter().any(|known| known.to_lowercase().contains(&text))
    }

    /// One notice of each kind for one time.
    pub(super) fn key(&self, stage: &str) -> String {
        format!("travel {} {stage} {}", self.mark, self.starts.0)
    }

    pub(super) fn leave_at(&self, context: &PowerContext) -> Timestamp {
        let minutes = self.way_minutes(context) + self.minutes_there();
        self.starts.plus_s(-60 * minutes)
    }

    /// For others: the journey with the time at which one has to leave.
    pub(super) fn plan(&self, context: &PowerContext) -> Plan {
        let zone = context.zone();
        let ahead_s = self.ahead_s(context);
        let starts = self.starts.plus_s(ahead_s);
        let leave = self.leave_at(context).plus_s(ahead_s);
        let day = local_time::date(starts, zone);
        let is_same_day = local_time::date(leave, zone) == day;
        Plan {
            what: self.head(),
            place: String::new(),
            details: self.extras(),
            day,
            minute: Some(local_time::minute_of_day(starts, zone)),
            leave: is_same_day.then(|| local_time::minute_of_day(leave, zone)),
            ahead_s,
        }
    }

    /// By how many seconds the clock where it begins is ahead of the person's.
    fn ahead_s(&self, context: &PowerContext) -> i64 {
        self.starts_wall
            .filter(|_| !self.is_all_day)
            .map_or(0, |wall| {
                local_time::ahead_s(wall, self.starts, context.zone())
            })
    }

    fn minutes_there(&self) -> i64 {
        match self.kind {
            StopKind::Flight => AT_AIRPORT_MINUTES,
            _ => AT_STATION_MINUTES,
        }
    }

    fn way_minutes(&self, context: &PowerContext) -> i64 {
        let place = match self.kind {
            StopKind::Flight => format!("airport {} {}", self.from, self.from_code),
            _ => format!("station {}", self.from),
        };
        context.facts.travel_times.minutes_to(&place)
    }

    /// "Leave at 08:00 (30 min to the airport, 120 min there)"
    pub(super) fn leave_text(&self, context: &PowerContext) -> String {
        let leave = self.leave_at(context);
        let ahead_s = self.ahead_s(context);
        let there = leave.plus_s(ahead_s);
        let local = if ahead_s == 0 { "" } else { texts::LOCAL_TIME };
        let when = match leave > context.now {
            true if local_time::date(there, context.zone()) == context.today() => format!(
                "Leave at {}{local}",
                texts::clock_text(local_time::minute_of_day(there, context.zone()))
            ),
            true => format!(
                "Leave on {}{local}",
                events::moment_text(there, false, context)
            ),
            false => "Leave now".to_owned(),
        };
        let place = match self.kind {
            StopKind::Flight => "airport",
            _ => "station",
        };
        format!(
            "{when} ({} min to the {place}, {} min there)",
            self.way_minutes(context),
            self.minutes_there()
        )
    }

    /// "✈️ TP531, Berlin to Lisbon: Friday, 27 November at 10:25, …"
    pub(super) fn display(&self, context: &PowerContext) -> String {
        if self.kind == StopKind::Hotel {
            return self.stay_text(context);
        }
        let mut parts = vec![format!("{}: {}", self.head(), self.moment(true, context))];
        if self.ends > self.starts {
            parts.push(format!("arriving {}", self.moment(false, context)));
        }
        parts.push(self.extras());
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// "✈️ TP531, from Berlin to Lisbon"
    fn head(&self) -> String {
        let name = match self.name.as_str() {
            "" => self.kind.named(),
            name => name,
        };
        let mut head = vec![format!("{} {name}", self.kind.sign())];
        let way = [("from ", &self.from), ("to ", &self.to)];
        let way: Vec<String> = way
            .iter()
            .filter(|(_, place)| !place.is_empty())
            .map(|(word, place)| format!("{word}{place}"))
            .collect();
        if !way.is_empty() {
            head.push(way.join(" "));
        }
        head.join(", ")
    }

    fn extras(&self) -> String {
        Booking::labelled(&[
            ("terminal ", &self.terminal),
            ("gate ", &self.gate),
            ("platform ", &self.platform),
            ("seat ", &self.seat),
            ("booking ", &self.reference),
        ])
    }

    fn stay_text(&self, context: &PowerContext) -> String {
        let (from, to) = (self.moment(true, context), self.moment(false, context));
        let mut parts = vec![format!("{}: {from} to {to}", self.name)];
        parts.push(Booking::labelled(&[
            ("", &self.address),
            ("", &self.telephone),
            ("booking ", &self.reference),
        ]));
        parts.retain(|part| !part.is_empty());
        let mut text = parts.join(", ");
        if !self.address.is_empty() {
            text.push_str(&format!("\n{}", texts::map_link(&self.address)));
        }
        text
    }

    /// The moment as a clock at the place shows it, where that is known.
    fn moment(&self, is_start: bool, context: &PowerContext) -> String {
        let (at, wall) = match is_start {
            true => (self.starts, self.starts_wall),
            false => (self.ends, self.ends_wall),
        };
        if self.is_all_day || self.ends_some_time && !is_start {
            // The end of a day is exclusive.
            let is_exclusive = self.is_all_day && !is_start;
            let at = if is_exclusive { at.plus_s(-3_600) } else { at };
            return texts::display(local_time::date(at, context.zone()), context.today());
        }
        match wall {
            Some(wall) => format!(
                "{} at {}",
                texts::display(wall.date(), context.today()),
                wall.format("%H:%M")
            ),
            None => events::moment_text(at, false, context),
        }
    }
}
