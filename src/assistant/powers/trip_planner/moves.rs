//! Trips that are moved to other days: "move paris to 6 december".

use chrono::{Datelike, Days, NaiveDate};

use super::{NO_TRIP, TripAction, TripEnd, TripRef, TripState, span};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{PowerContext, RequestChoice, local_time, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, amount};
use crate::assistant::text::words::Words;
use crate::assistant::wording::texts::same;

/// Words of a place.
const PLACE_WORDS_MAX: usize = 3;

/// `dates`: reads the first and the last day, and the index after them.
pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
    dates: impl Fn(usize) -> Option<(NaiveDate, NaiveDate, usize)>,
) -> Option<TripAction> {
    let words = &message.words;
    static VERBS: Phrases =
        Phrases::new(&["move", "shift", "reschedule", "postpone", "push", "change"]);
    let from = words.after(at, &VERBS)?;
    let from = words.skip_article(from);
    let from = words.skip(from, phrases!["trip to"]);
    if let Some(to) = (from + 1..end).find(|n| words.after(*n, phrases!["to day"]).is_some())
        && let Ok(day) = words.get(to + 2).parse()
    {
        // "colosseum from day 2"
        let from_day =
            (from + 1..to).find(|n| words.after(*n, phrases!["from day", "on day"]).is_some());
        let what = parsers::original(words, from, from_day.unwrap_or(to));
        return (to + 3 == end).then_some(TripAction::Replan { what, day });
    }
    let link = (from + 1..end.min(from + 2 + PLACE_WORDS_MAX)).find(|n| words.get(*n) == "to")?;
    let days = words.skip(link + 1, phrases!["from"]);
    let (first, last, next) = dates(days)?;
    // "change my trip to 21 to 23 december"
    if words.get(from).starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let name_end = link - usize::from(words.get(link - 1) == "trip" && link > from + 1);
    let name = parsers::original(words, from, name_end);
    let number = name
        .strip_prefix("trip ")
        .and_then(|number| number.parse().ok());
    let which = number.map_or(TripRef::To(name), TripRef::Number);
    (next == end).then(|| TripAction::Move {
        which,
        from: first,
        to: (last > first).then_some(last),
        said: parsers::original(words, days, end),
    })
}

/// "extend my trip until 9 december", "extend the rome trip by 2 days".
pub(super) fn extended(message: &ParsedMessage, at: usize, end: usize) -> Option<TripAction> {
    let words = &message.words;
    if let Some(day) = ends_on(words, at) {
        let place = String::new();
        let (to, next) = last_day(message, day)?;
        return (next == end).then_some(TripAction::Extend { place, to });
    }
    let from = words.after(at, phrases!["extend", "prolong", "lengthen"])?;
    let from = words.skip_article(from);
    let is_link = |n: &usize| matches!(words.get(*n), "until" | "till" | "til" | "by");
    let to = || (from + 1..end).rev().find(|n| words.get(*n) == "to");
    let link = (from + 1..end).find(is_link).or_else(to)?;
    let place = match words.after(from, phrases!["trip to", "stay in", "trip"]) {
        Some(place) if place <= link => parsers::original(words, place, link),
        _ if words.get(link - 1) == "trip" => parsers::original(words, from, link - 1),
        _ => return None,
    };
    let is_short = place.split_whitespace().count() <= PLACE_WORDS_MAX;
    let (to, next) = match words.get(link) {
        "by" => {
            let (count, next) = match words.get(link + 1) {
                "a" | "another" => (1, link + 2),
                _ => amount::count(words, link + 1)?,
            };
            let unit_days = match words.get(next) {
                "day" | "days" => 1,
                "week" | "weeks" => 7,
                _ => return None,
            };
            (TripEnd::Later(u64::from(count) * unit_days), next + 1)
        }
        _ => last_day(message, link + 1)?,
    };
    (is_short && next == end).then_some(TripAction::Extend { place, to })
}

/// "the trip is now until", "my trip ends on": the word after it.
fn ends_on(words: &Words, at: usize) -> Option<usize> {
    static TRIPS: Phrases = Phrases::new(&["my trip", "our trip", "the trip"]);
    static ENDS: Phrases = Phrases::new(&[
        "is now until", "is now till", "now is until", "is until", "is till", "goes until",
        "goes till", "now goes until", "lasts until", "now lasts until", "runs until",
        "is extended until", "is extended to", "got extended until", "got extended to", "ends",
        "now ends", "ends now",
    ]);
    let verb = words.after(at, &TRIPS)?;
    words.after(verb, &ENDS)
}

/// The day at `at`, "the 15th" too, and the index after it.
fn last_day(message: &ParsedMessage, at: usize) -> Option<(TripEnd, usize)> {
    let words = &message.words;
    let day = words.skip(at, phrases!["on"]);
    if let Some((date, next)) = parsers::read_day(words, day, message.context.now, message.zone()) {
        let is_weekday = when::weekday_name(words.get(day)).is_some();
        return Some((TripEnd::On { date, is_weekday }, next));
    }
    let day = words.skip(day, phrases!["the"]);
    let number = when::ordinal(words.get(day))?;
    Some((TripEnd::OfMonth(number), day + 1))
}

/// "remove vatican", "remove vatican from day 2": with whether a trip is named.
pub(super) fn unplanned(words: &Words, at: usize, end: usize) -> Option<(bool, TripAction)> {
    let from = words.after(at, phrases!["remove", "delete", "drop", "take"])?;
    let link = (from + 1..end)
        .find(|n| matches!(words.get(*n), "from" | "off" | "on") && words.get(*n + 1) != "list");
    let what = |to: usize| {
        let from = words.skip_article(from);
        parsers::original(words, from, to)
    };
    let Some(link) = link else {
        let action = TripAction::Unplan {
            what: what(end),
            day: None,
        };
        return (from < end && words.get(at) != "take").then_some((false, action));
    };
    let number = |n: usize| words.get(n).parse::<u32>().ok().filter(|_| n + 1 == end);
    let day = words.after(link + 1, phrases!["day"]).and_then(number);
    static TRIPS: Phrases = Phrases::new(&[
        "my trip", "the trip", "our trip", "my itinerary", "the itinerary", "the plan",
        "the trip plan",
    ]);
    let of_trip = words.after(link + 1, &TRIPS) == Some(end);
    (day.is_some() || of_trip).then(|| {
        (
            true,
            TripAction::Unplan {
                what: what(link),
                day,
            },
        )
    })
}

impl TripState {
    /// A later last day. `None`: there is no trip.
    pub(super) fn extend(
        &mut self,
        place: &str,
        to: TripEnd,
        context: &PowerContext,
    ) -> Option<String> {
        let trips = self.trips.iter().enumerate();
        let mut meant = trips.filter(|(_, trip)| place.is_empty() || same(&trip.place, place));
        let Some((at, trip)) = meant.next() else {
            return place.is_empty().then(|| NO_TRIP.to_owned());
        };
        if meant.next().is_some() {
            return Some(
                "Which trip do you mean? I've changed nothing. Say “extend my trip to … until …” with its place."
                    .to_owned(),
            );
        }
        let (Some(first), Some(last)) = (trip.from, trip.to) else {
            return Some(trip.display(context));
        };
        let (first, last) = (local_time::day(first), local_time::day(last));
        let new = match to {
            TripEnd::Later(days) => last.checked_add_days(Days::new(days))?,
            // The next sunday after the trip's end.
            TripEnd::On { date, is_weekday } if is_weekday && date <= last => {
                let weeks = u64::try_from((last - date).num_days()).ok()? / 7 + 1;
                date.checked_add_days(Days::new(7 * weeks))?
            }
            TripEnd::On { date, .. } => date,
            TripEnd::OfMonth(day) => last.with_day(day)?,
        };
        if new <= last {
            return Some(format!(
                "It goes on until then already, so I've changed nothing: {}.",
                trip.title(context)
            ));
        }
        self.relocate(&TripRef::Number(at + 1), (first, Some(new)), "", context)
    }

    /// `None`: there is no such trip.
    pub(super) fn relocate(
        &mut self,
        which: &TripRef,
        (from, to): (NaiveDate, Option<NaiveDate>),
        said: &str,
        context: &PowerContext,
    ) -> Option<String> {
        let meant: Vec<usize> = match which {
            TripRef::Number(number) => {
                let at = number.checked_sub(1).filter(|at| *at < self.trips.len());
                at.into_iter().collect()
            }
            TripRef::To(place) => {
                let trips = self.trips.iter().enumerate();
                let meant = trips.filter(|(_, trip)| same(&trip.place, place));
                meant.map(|(at, _)| at).collect()
            }
        };
        let at = match meant.as_slice() {
            [] => return None,
            [only] => *only,
            several => {
                let choice = |at: &usize| RequestChoice {
                    name: self.trips[*at].title(context),
                    request: format!("move trip {} to {said}", at + 1),
                };
                self.choices = several.iter().map(choice).collect();
                return Some(RequestChoice::question(&self.choices));
            }
        };
        let days = self.trips[at]
            .days()
            .and_then(|days| u64::try_from(days).ok());
        let last = to.or_else(|| from.checked_add_days(Days::new(days?.checked_sub(1)?)));
        let last = last.unwrap_or(from);
        if let Err(why) = span(from, last, context) {
            return Some(why);
        }
        let trip = &mut self.trips[at];
        let before = trip.title(context);
        trip.from = Some(local_time::number(from));
        trip.to = Some(local_time::number(last));
        Some(format!(
            "Okay: {}. Before it was: {before}. “undo” brings that back.",
            trip.title(context)
        ))
    }
}
