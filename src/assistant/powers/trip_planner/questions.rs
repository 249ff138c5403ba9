//! Parses questions about trips: "when is my trip to Rome?", "what's on day 2?".

use super::TripAction;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength::{self, Clear, Soft};
use crate::assistant::powers::parsers;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Words of a place.
const PLACE_WORDS_MAX: usize = 3;

pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TripAction)> {
    let words = &message.words;
    if let Some(from) = words.after(
        at,
        phrases![
            "show my trip to", "show our trip to", "show the trip to", "show me my trip to",
        ],
    ) {
        return Some((Clear, TripAction::Show(parsers::original(words, from, end))));
    }
    static PACKING: Phrases = Phrases::new(&[
        "packing list for my trip to", "packing list for", "my packing list for",
        "show my packing list for", "what do i need to pack for",
    ]);
    if let Some(from) = words.after(at, &PACKING).filter(|from| *from < end) {
        let place = parsers::original(words, from, end);
        return Some((Soft, TripAction::PackingFor(place)));
    }
    static ON_DAY: Phrases = Phrases::new(&[
        "whats on day", "what is on day", "whats the plan for day", "what is the plan for day",
        "whats planned for day", "plan for day",
    ]);
    if let Some(day) = words.after(at, &ON_DAY)
        && words.get(day).parse::<u32>().is_ok()
        && day + 1 == end
    {
        return Some((Soft, TripAction::Show(String::new())));
    }
    static TO_PACK: Phrases = Phrases::new(&[
        "what do i need to pack", "what do we need to pack", "what do i still need to pack",
        "what do we still need to pack", "what do i have to pack", "what should i pack",
        "what should we pack",
    ]);
    if TO_PACK.contains(message.request()) {
        return Some((Soft, TripAction::IfAny(Box::new(TripAction::PackingList))));
    }
    if let Some(action) = next_trips(message, at, end) {
        return Some((Soft, action));
    }
    // "My trip to Lisbon was great" is ordinary talk.
    let questions = phrases![
        "when is my trip to", "whens my trip to", "when is our trip to", "when is the trip to",
        "my trip to", "our trip to", "itinerary for", "the itinerary for", "itinerary of",
    ];
    if let "when is my trip" | "whens my trip" | "when is our trip" | "when is the trip" =
        message.request()
    {
        return Some((Soft, TripAction::Show(String::new())));
    }
    if let Some(place) = waited_for(words, at, end) {
        let strength = if place.is_empty() { Clear } else { Soft };
        return Some((strength, TripAction::Wait(place)));
    }
    if let Some(place) = shown_place(words, at, end) {
        return Some((Soft, TripAction::Show(place)));
    }
    if let Some(from) = words.after(at, questions) {
        return Some((Soft, TripAction::Show(parsers::original(words, from, end))));
    }
    None
}

/// "do i have any trips", "when am i going to rome": only those that there are.
fn next_trips(message: &ParsedMessage, at: usize, end: usize) -> Option<TripAction> {
    static ANY_TRIPS: Phrases = Phrases::new(&[
        "do i have any trips", "do i have any trips planned", "do i have a trip planned",
        "any trips planned", "what trips do i have", "which trips do i have",
        "what trips are planned", "where am i going next", "whats my next trip",
        "when is my next trip", "whens my next trip", "upcoming trips", "my upcoming trips",
        "do we have any trips planned",
    ]);
    if ANY_TRIPS.contains(message.request()) {
        return Some(TripAction::IfAny(Box::new(TripAction::List)));
    }
    static GOING: Phrases = Phrases::new(&[
        "when do i fly to", "when am i going to", "when do we go to", "when are we going to",
        "when do i go to", "when am i flying to", "when do i leave for", "when am i off to",
        "when do we fly to", "when am i in", "when are we in",
    ]);
    let from = message.words.after(at, &GOING)?;
    let is_short = (1..=PLACE_WORDS_MAX).contains(&end.saturating_sub(from));
    let place = parsers::original(&message.words, from, end);
    let shown = Box::new(TripAction::Show(String::new()));
    is_short.then_some(TripAction::OfTrip(place, shown))
}

/// "how many days until my trip": the place; "" for the next trip.
fn waited_for(words: &Words, at: usize, end: usize) -> Option<String> {
    static ASKED: Phrases = Phrases::new(&[
        "how many days", "how many more days", "how many days are left", "how many days is it",
        "how many weeks", "how many sleeps", "how long", "how long is it",
    ]);
    let from = words.after(at, &ASKED)?;
    let from = words.after(from, phrases!["until", "till", "til", "before", "to"])?;
    static TRIPS: Phrases = Phrases::new(&[
        "my trip to", "our trip to", "the trip to", "my trip", "our trip", "the trip",
        "my holiday in", "my holiday", "our holiday", "my vacation", "our vacation", "we go to",
        "i go to", "we fly to", "i fly to",
    ]);
    let named = words.after(from, &TRIPS);
    let start = named.unwrap_or(from);
    let last = match words.get(end.saturating_sub(1)) {
        "trip" if start + 1 < end => end - 1, // "my rome trip"
        _ => end,
    };
    let start = match named {
        None => words.skip_article(start),
        Some(_) => start,
    };
    let is_short = last.saturating_sub(start) <= PLACE_WORDS_MAX;
    (is_short && (named.is_some() || start < last)).then(|| parsers::original(words, start, last))
}

/// The place of "rome itinerary", "show my rome trip".
fn shown_place(words: &Words, at: usize, end: usize) -> Option<String> {
    static SHOW: Phrases = Phrases::new(&[
        "show me my", "show me the", "show my", "show the", "show", "my",
    ]);
    let shown = words.after(at, &SHOW);
    let (from, last) = (shown.unwrap_or(at), end.saturating_sub(1));
    let is_plan = match words.get(last) {
        "itinerary" => true,
        "trip" => shown.is_some(),
        _ => false,
    };
    let is_short = from < last && last - from <= PLACE_WORDS_MAX;
    (is_plan && is_short).then(|| parsers::original(words, from, last))
}
