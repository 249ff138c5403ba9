//! Parses messages about trips: "plan a trip to Lisbon from 3 to 7 June", "add day 2: museum",
//! "pack a hat".

use super::days::dates;
use super::{DAYS_MAX, TripAction, moves, packing_requests, questions};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength::{self, Clear, InSession, Soft};
use crate::assistant::powers::{local_time, parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, TripAction)> {
    if let Some(action) = fixed(message.request()) {
        return Some((Clear, action));
    }
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if let Some(from) = words.after(
        at,
        phrases![
            "plan a trip to", "plan a trip", "plan my trip to", "plan our trip to",
            "plan a holiday in", "plan a vacation in", "plan a weekend in", "plan trip to",
            "new trip to", "start a trip to", "lets plan a trip to", "add a trip to",
            "create a trip to", "help me plan a trip to", "plan a holiday to",
        ],
    ) {
        // "plan a trip with Bo to Rome", "from Berlin to Rome"
        let before = words.after(from, phrases!["with", "for", "from"]);
        let place = before.and_then(|name| {
            let to = (name + 1..end).find(|at| words.get(*at) == "to")?;
            statement::is_person(&words.phrase(name..to)).then_some(to + 1)
        });
        let with = match (place, words.get(from)) {
            (Some(to), "with" | "for") => parsers::original(words, from + 1, to - 1),
            _ => String::new(),
        };
        return Some((Clear, plan(message, place.unwrap_or(from), end, with)));
    }
    // "trip to Lisbon 3-8 dec"
    if let Some(from) = words.after(at, &BARE)
        && !words.is_question()
        && let action @ TripAction::Plan { from: Some(_), .. } =
            plan(message, from, end, String::new())
    {
        return Some((Clear, action));
    }
    if let Some(found) = questions::parse(message, at, end) {
        return Some(found);
    }
    if let Some(place) = cancelled(words, at, end) {
        return Some((Clear, TripAction::Cancel(place)));
    }
    if let Some(action) = moves::extended(message, at, end) {
        return Some((Soft, action));
    }
    if let Some(action) = moves::parse(message, at, end, |at| dates(message, at)) {
        return Some((Soft, action));
    }
    if let Some(from) = words.after(
        at,
        phrases![
            "my trip is now from", "our trip is now from", "the trip is now from",
            "my trip is from", "our trip is from", "the trip is from", "trip dates",
            "change my trip to", "change our trip to", "change the trip to", "move my trip to",
            "move our trip to", "move the trip to", "my trip is now", "the trip is now",
            "change the trip dates to", "change the dates of my trip to",
        ],
    ) {
        let (from, to, next) = dates(message, from)?;
        return (next == end).then_some((Clear, TripAction::Dates { from, to }));
    }
    packing_requests::parse(message, at, end)
        .or_else(|| on_day(message, at, end))
        .or_else(|| {
            let (is_of_trip, action) = moves::unplanned(words, at, end)?;
            Some((if is_of_trip { Clear } else { InSession }, action))
        })
}

/// Phrases before a place that count as a trip only with days.
static BARE: Phrases = Phrases::new(&[
    "trip to", "a trip to", "our trip to", "my trip to", "holiday in", "vacation in", "weekend in",
    "going on a trip to", "im going on a trip to", "were going on a trip to", "weekend trip to",
    "i have a trip to", "city trip to",
]);

/// "cancel my trip to Lisbon", "cancel my Lisbon trip": the place.
fn cancelled(words: &Words, at: usize, end: usize) -> Option<String> {
    if let Some(from) = words.after(
        at,
        phrases![
            "cancel my trip to", "delete my trip to", "cancel the trip to", "delete the trip to",
            "cancel our trip to", "remove my trip to", "cancel trip to", "delete trip to",
            "remove the trip to",
        ],
    ) {
        return Some(parsers::original(words, from, end));
    }
    // "cancel my Lisbon trip"
    let named = words.after(
        at,
        phrases![
            "cancel my", "delete my", "cancel our", "cancel the", "delete the",
        ],
    );
    if let Some(from) = named
        && end > from + 1
        && words.get(end - 1) == "trip"
    {
        return Some(parsers::original(words, from, end - 1));
    }
    None
}

static SHOW: Phrases = Phrases::new(&[
    "show my trip", "my trip", "show our trip", "our trip", "show the trip", "the trip",
    "show me my trip", "whats the plan for my trip", "trip plan", "my itinerary",
    "show my itinerary", "itinerary", "show trip", "trip planner", "show our itinerary",
]);
static PACKING_LIST: Phrases = Phrases::new(&[
    "packing list", "my packing list", "show my packing list", "our packing list",
    "show the packing list", "show our packing list", "whats on my packing list",
    "show packing list", "show me my packing list", "show me the packing list",
    "whats on the packing list", "what is on my packing list", "what is on the packing list",
    "whats on our packing list",
]);

/// "show my trip to Lisbon", "when is my trip?".
fn fixed(request: &str) -> Option<TripAction> {
    Some(match request {
        _ if SHOW.contains(request) => TripAction::Show(String::new()),
        "my trips" | "trips" | "show my trips" | "our trips" | "show our trips"
        | "list my trips" | "list trips" => TripAction::List,
        _ if PACKING_LIST.contains(request) => TripAction::IfAny(Box::new(TripAction::PackingList)),
        "cancel trip" | "delete trip" | "remove my trip" | "remove the trip" | "cancel my trip"
        | "delete my trip" | "cancel the trip" | "cancel our trip" | "delete the trip"
        | "delete our trip" => TripAction::Cancel(String::new()),
        "plan a trip" | "plan a holiday" | "plan a vacation" | "lets plan a trip" | "new trip" => {
            TripAction::Unclear
        }
        _ => return None,
    })
}

/// Times of which the days of a trip are still open.
static SPANS: Phrases = Phrases::new(&[
    "for christmas", "at christmas", "over christmas", "next week", "this week",
    "the week after next", "next month", "this month", "next year", "this year", "for the weekend",
    "for a weekend", "over the weekend", "at the weekend", "on the weekend", "the weekend",
    "this summer", "next summer", "in summer", "in winter", "in spring", "in autumn", "soon",
    "sometime",
]);

/// "Lisbon from 3 to 7 June", "Lisbon for 5 days", "Lisbon". `with`: who was named before it.
fn plan(message: &ParsedMessage, from: usize, end: usize, with: String) -> TripAction {
    let words = &message.words;
    // "with Bo"
    let after = (from + 1..end).find_map(|at| {
        let names = words.after(at, phrases!["with", "w"])?;
        let names = parsers::original(words, names, end);
        are_companions(&names).then_some((at, names))
    });
    let (end, with) = after.unwrap_or((end, with));
    let found = (from + 1..end).find_map(|at| {
        let link = words.skip(
            at,
            phrases![
                "is from", "is on", "is", "from", "on", "between", "starting"
            ],
        );
        // "until 7 december": from today on.
        let until = words.after(link, phrases!["until", "till"]);
        let (first, last, next) = dates(message, until.unwrap_or(link))?;
        let first = match until {
            Some(_) => local_time::date(message.context.now, message.zone()),
            None => first,
        };
        let is_too_long = until.is_some() && (last - first).num_days() >= DAYS_MAX;
        let is_linked = matches!(words.get(at - 1), "until" | "till");
        (next == end && !is_too_long && !is_linked).then_some((at, first, last))
    });
    let (to, first, last) = match found {
        Some((at, first, last)) => (at, Some(first), Some(last)),
        None => (end, None, None),
    };
    let is_span = (from + 1..end).any(|at| words.after(at, &SPANS) == Some(end));
    // "5 days from 5 january"
    let counts_from = |at: usize| {
        // "for 5 days from 5 january"
        let is_linked = at > from + 1 && words.get(at - 2) == "for";
        !is_linked
            && matches!(words.get(at), "days" | "nights" | "weeks")
            && matches!(words.get(at + 1), "from" | "starting")
    };
    let is_span = is_span || (from + 1..end).any(counts_from);
    // "Rome is from 5 to 8 january"
    let is_verb = to > from + 1 && matches!(words.get(to - 1), "is" | "will");
    let to = to - usize::from(is_verb);
    match parsers::original(words, from, to) {
        _ if is_span => TripAction::DatesUnclear,
        place if place.is_empty() => TripAction::Unclear,
        place if has_date(&place) => TripAction::DatesUnclear,
        place if is_changed(&place) => TripAction::Unclear,
        place => {
            let (place, others) = without_companions(place);
            TripAction::Plan {
                place,
                from: first,
                to: last,
                with: if with.is_empty() { others } else { with },
            }
        }
    }
}

/// "Rome for Bo", "Rome with Ana and me": the place, and who comes along.
fn without_companions(place: String) -> (String, String) {
    let mut links = [" for ", " with "].into_iter();
    let found = links.find_map(|link| {
        let (alone, names) = place.split_once(link)?;
        are_companions(names).then(|| (alone.to_owned(), names.to_owned()))
    });
    found.unwrap_or((place, String::new()))
}

fn are_companions(names: &str) -> bool {
    let names = parsers::things(names);
    !names.is_empty() && names.iter().all(|name| is_companion(name))
}

fn is_companion(name: &str) -> bool {
    matches!(name.to_lowercase().as_str(), "me" | "us") || statement::is_person(name)
}

/// Whether something is taken back in it: "Rome no Paris".
fn is_changed(place: &str) -> bool {
    let words = Words::new(place);
    words.iter().any(|word| {
        matches!(
            word,
            "no" | "not" | "wait" | "sorry" | "actually" | "instead" | "or"
        )
    })
}

/// Whether part of the dates was not understood.
fn has_date(place: &str) -> bool {
    let is_date = |word: &str| {
        let word = word.to_lowercase();
        word.starts_with(|c: char| c.is_ascii_digit())
            || [
                "days", "weeks", "nights", "week", "weekend", "weekends", "every", "christmas",
                "xmas", "easter", "holidays", "summer", "winter", "autumn",
            ]
            .contains(&word.as_str())
    };
    let month = |(link, word): (&str, &str)| {
        link.eq_ignore_ascii_case("in") && parsers::read_month(&word.to_lowercase()).is_some()
    };
    let words = place.split_whitespace();
    parsers::has_day(place)
        || words.clone().any(is_date)
        || words.clone().zip(words.skip(1)).any(month)
}

/// "add day 2: museum", "day 2: museum", "on day 2 we visit the museum", "add museum to day 2".
fn on_day(message: &ParsedMessage, at: usize, end: usize) -> Option<(RequestStrength, TripAction)> {
    let words = &message.words;
    let number = |n: usize| words.get(n).parse::<u32>().ok();
    let add = words.after(
        at,
        phrases![
            "add to day", "add on day", "add day", "add for day", "plan day", "on day", "day",
        ],
    );
    if let Some(from) = add {
        let day = number(from)?;
        let what = parsers::original(words, from + 1, end);
        let is_second = statement::has_second_request(&Words::new(&what));
        let days = days(words, from - 1, end);
        let strength = if matches!(words.get(at), "add" | "plan") {
            Clear
        } else {
            Soft
        };
        let action = match is_second {
            true => TripAction::IfAny(Box::new(TripAction::TwoRequests)),
            false if days.len() > 1 => TripAction::AddDays(days),
            false => TripAction::AddDay { day, what },
        };
        return (from + 1 < end).then_some((strength, action));
    }
    if let Some(found) = on_first_day(words, at, end) {
        return Some(found);
    }
    if words.get(at) == "add" {
        // "add colosseum to day 2", "add colosseum to day 2 in rome"
        let (to, day) = (at + 2..end).find_map(|to| {
            let from = words.after(to, phrases!["to day", "on day", "for day"])?;
            let is_last = matches!(words.get(from + 1), "in" | "of" | "for") || from + 1 == end;
            Some((to, from)).filter(|_| is_last && number(from).is_some())
        })?;
        let what = parsers::original(words, at + 1, to);
        let place = parsers::original(words, day + 1, end);
        let what = format!("{what} {place}").trim_end().to_owned();
        let day = number(day)?;
        return Some((Clear, TripAction::AddDay { day, what }));
    }
    None
}

/// "first day: arrive at 2", while there is a trip.
fn on_first_day(words: &Words, at: usize, end: usize) -> Option<(RequestStrength, TripAction)> {
    let at = words.skip(at, phrases!["on the", "the"]);
    let day = when::ordinal(words.get(at)).filter(|_| words.get(at + 1) == "day")?;
    let is_label = words.original(at + 1..at + 2).ends_with(':');
    let what = parsers::original(words, at + 2, end);
    let plan = TripAction::IfAny(Box::new(TripAction::AddDay { day, what }));
    (is_label && at + 2 < end).then_some((Soft, plan))
}

/// "day 1 louvre, day 2 eiffel tower": the plan of each.
fn days(words: &Words, at: usize, end: usize) -> Vec<(u32, String)> {
    let begins = |n: &usize| {
        let is_apart = *n == at || words.is_set_off(n - 1) || words.get(n - 1) == "and";
        words.get(*n) == "day" && words.get(n + 1).parse::<u32>().is_ok() && is_apart
    };
    let mut starts: Vec<usize> = (at..end).filter(begins).collect();
    starts.push(end);
    let plan = |from: usize, next: usize| {
        let to = next - usize::from(next < end && words.get(next - 1) == "and");
        let what = parsers::original(words, from + 2, to);
        Some((words.get(from + 1).parse().ok()?, what)).filter(|(_, what)| !what.is_empty())
    };
    let plans: Option<Vec<(u32, String)>> =
        starts.windows(2).map(|two| plan(two[0], two[1])).collect();
    plans.unwrap_or_default()
}
