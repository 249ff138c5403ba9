//! Parses messages about bookings: "dinner at Luigi on friday at 8", "when is my dinner?".

use std::ops::Range;

use super::kinds::{is_booking, is_in_the_evening, is_kind, is_no_name, is_ride, is_stay};
use super::{ReservationAction, changes};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::entries::{EntryMention, removed_number};
use crate::assistant::powers::entry_ref::EntryRef;
use crate::assistant::powers::planned_time::{self, PlannedTime};
use crate::assistant::powers::{RequestStrength, trip_planner};
use crate::assistant::powers::{local_time, parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;
use crate::assistant::wording;

/// Words before "on friday" that are looked at.
const WORDS_MAX: usize = 30;

/// Words that certainly begin a booking.
static BOOKED: Phrases = Phrases::new(&[
    "i booked", "i have booked", "ive booked", "booked", "we booked", "weve booked",
    "we have booked", "i reserved", "ive reserved", "reserved", "we reserved", "note my booking",
    "note this booking", "keep this booking", "keep this reservation", "note my reservation",
    "keep my reservation", "reservation", "booking", "my reservation is", "my booking is",
]);
/// Words that may begin a booking.
static HAVING: Phrases = Phrases::new(&[
    "i have a", "i have an", "i have", "ive got a", "ive got an", "ive got", "i got a",
    "we have a", "we have", "weve got a", "weve got", "im having", "were having", "theres",
]);

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, ReservationAction)> {
    use RequestStrength::{Clear, InSession, Soft};
    let words = &message.words;
    let (at, end) = (statement::start(message), parsers::end(words));
    if lists(message.request()) {
        return Some((Clear, ReservationAction::List));
    }
    let verbs = ["delete", "remove", "forget", "drop", "cancel"];
    if let Some(number) = removed_number(words, at, end, &verbs) {
        return Some((InSession, ReservationAction::RemoveNumber(number)));
    }
    if let Some(action) = changes::parse(message, at, end) {
        return Some((Soft, action));
    }
    // "cancel dentist and haircut": each by itself.
    let is_cancelled = words
        .after(at, phrases!["cancel", "delete", "remove"])
        .is_some();
    let first = (at..end).find(|n| matches!(words.get(*n), "and" | "&" | "with"));
    if is_cancelled && first.is_some_and(|n| words.get(n) != "with") {
        return None;
    }
    let booking = (at..end).find(|n| is_booking(words.get(*n)));
    if let (Some(booking), Some(from)) = (
        booking,
        words.after(at, phrases!["cancel", "delete", "remove", "forget", "drop"]),
    ) {
        let from = words.skip_article(from);
        let which = changes::named(message, from, booking, end);
        return Some((Clear, ReservationAction::Remove(which)));
    }
    if let Some(from) = words.after(at, phrases!["cancel", "delete", "remove"])
        && let Some(kind) = (from..end).find(|n| is_kind(words.get(*n)))
    {
        let from = words.skip_article(from);
        let which = changes::named(message, from, kind, end);
        return Some((Soft, ReservationAction::Remove(which)));
    }
    if let Some(words) = asked_detail(message.request()) {
        return Some((Soft, ReservationAction::Detail(words)));
    }
    let asked = parse_question(message, at, end);
    if let Some(action) = asked.or_else(|| asked_number(message, at, end)) {
        return Some((Soft, action));
    }
    parse_booking(message, at, end)
}

/// "hotel Astoria from 3 to 5 dec": the day on which a stay begins, and that on which it ends.
fn parse_stay(
    message: &ParsedMessage,
    (start, kind, end): (usize, usize, usize),
    is_moved: bool,
) -> Option<ReservationAction> {
    let words = &message.words;
    let (name_end, (first, last, next)) = (kind + 1..end).find_map(|at| {
        let from = words.skip(at, phrases!["from", "between"]);
        let dates = trip_planner::dates(message, from).filter(|(first, last, _)| first < last)?;
        Some((at, dates))
    })?;
    let today = local_time::date(message.context.now, message.zone());
    if first < today || next > end {
        return None;
    }
    let (is_instead, end) = instead(words, next, end);
    let details = without_instead(&parsers::original(words, next, end));
    // "hotel is Astoria"
    let named = match words.get(kind + 1) {
        "is" | "booked" => kind + 2,
        _ => kind + 1,
    };
    let name = parsers::original(words, named, name_end);
    Some(ReservationAction::Keep {
        what: format!("{} {name}", parsers::original(words, start, kind + 1))
            .trim_end()
            .to_owned(),
        details,
        time: PlannedTime {
            day: first,
            minute: None,
        },
        part: None,
        last: Some(last),
        mention: EntryMention::moved_if(is_moved || is_instead),
    })
}

/// "when is my dinner?"
fn parse_question(message: &ParsedMessage, at: usize, end: usize) -> Option<ReservationAction> {
    let words = &message.words;
    if matches!(
        message.request(),
        "when do i fly" | "when am i flying" | "when do we fly" | "when are we flying"
    ) {
        return Some(ReservationAction::Show(EntryRef::of_name(
            "flight".to_owned(),
        )));
    }
    let from = words.after(
        at,
        phrases![
            "when is", "whens", "where is", "wheres", "show me", "show", "whats the number of",
            "what is the number of", "what time is", "whats the address of", "when does",
            "what time does", "when do i have", "what time do i have",
        ],
    )?;
    let kind = (from..end).find(|n| is_kind(words.get(*n)))?;
    // "when does my flight leave?"
    let is_verb = |at: usize| {
        let verbs = [
            "leave", "leaves", "depart", "departs", "go", "start", "starts", "begin", "begins",
            "board", "arrive",
        ];
        verbs.contains(&words.get(at))
    };
    let end = if end > kind + 1 && is_verb(end - 1) {
        end - 1
    } else {
        end
    };
    Some(ReservationAction::Show(changes::named(
        message, from, kind, end,
    )))
}

/// "whats my hotel conf number?": it is among the details.
fn asked_number(message: &ParsedMessage, at: usize, end: usize) -> Option<ReservationAction> {
    let words = &message.words;
    let from = words.after(
        at,
        phrases!["whats my", "what is my", "whats the", "what is the"],
    )?;
    let kind = (from..end).find(|n| is_kind(words.get(*n)))?;
    static NUMBERS: Phrases = Phrases::new(&[
        "conf number", "confirmation number", "booking number", "reservation number", "conf",
        "confirmation", "number", "booking code", "confirmation code", "code", "reference",
        "booking reference", "address",
    ]);
    let number = (kind + 1..end).find(|n| words.after(*n, &NUMBERS) == Some(end))?;
    Some(ReservationAction::Show(changes::named(
        message, from, kind, number,
    )))
}

/// Whether a sentence about a dinner or the like states a booking: "dinner was great" doesn't.
fn is_told(message: &ParsedMessage, start: usize, kind: usize, end: usize) -> bool {
    let words = &message.words;
    let links: &[&str] = match is_ride(words.get(kind)) {
        true => &["to", "from"],
        false => &["at", "in", "with", "for"],
    };
    let is_day = |at| when::read(words, at).is_some_and(|(spec, _)| spec.day.is_some());
    let after = words.skip(kind + 1, phrases!["back", "home", "there"]);
    let verb = words.after(after, phrases!["is", "leaves", "departs"]);
    // "my train leaves at 18:05"
    let is_hour = |at| {
        let found = when::read(words, words.skip(at, phrases!["at"]));
        found.is_some_and(|(spec, next)| spec.clock.is_some() && next == end)
    };
    let is_ride = is_ride(words.get(kind));
    // "flight LH123 on friday at 7am"
    let number = words.get(kind + 1);
    let has_number = is_ride
        && number.starts_with(|c: char| c.is_ascii_alphabetic())
        && number.ends_with(|c: char| c.is_ascii_digit());
    let is_linked = words.after(kind + 1, links).is_some()
        || verb.is_some_and(is_day)
        || verb.is_some_and(|at| is_ride && is_hour(at))
        || has_number && (is_day(kind + 2) || words.after(kind + 2, links).is_some())
        || is_day(kind + 1) && !is_ride;
    let is_stay =
        || is_stay(words.get(kind)) && parse_stay(message, (start, kind, end), false).is_some();
    let is_over = (kind..end).any(|n| {
        matches!(
            words.get(n),
            "was" | "were" | "cancelled" | "canceled" | "isnt" | "wont" | "not"
        )
    });
    // "dinner at Luigi would be nice on friday"
    let time = (kind + 1..end).find(|n| when::read(words, *n).is_some());
    let is_open = (kind..time.unwrap_or(end)).any(|n| {
        matches!(
            words.get(n),
            "never" | "longer" | "would" | "could" | "might" | "should"
        )
    });
    !is_open && !is_over && (is_linked || is_booking(words.get(kind)) || is_stay())
}

/// "my dinner at Luigi is", "lunch with Lindt is" before the time: the known one.
fn mention(
    words: &Words,
    (from, start): (usize, usize),
    time: usize,
    is_moved: bool,
) -> EntryMention {
    let is_own = start > from && matches!(words.get(start - 1), "my" | "our" | "the");
    // "lunch with Lindt is at 2"
    let has_name = (start..time).any(|n| matches!(words.get(n), "with" | "w/"));
    match (is_own || has_name) && (start..time).any(|n| matches!(words.get(n), "is" | "are")) {
        _ if is_moved => EntryMention::Moved,
        true => EntryMention::Known,
        false => EntryMention::New,
    }
}

/// The name and the details of the words around the time. `is_timed_first`: "dinner on friday at 8
/// with Bo", where the words after the time may be of the name.
fn name_and_details(rest: Vec<String>, is_timed_first: bool) -> Option<(String, String)> {
    let mut rest = rest.into_iter();
    let mut what = rest.next()?;
    let mut details: Vec<String> = rest.collect();
    details.retain(|one| !matches!(one.to_lowercase().as_str(), "too" | "as well" | "also"));
    let is_where = |text: &String| {
        let first = text.split(' ').next().unwrap_or_default();
        matches!(first.to_lowercase().as_str(), "at" | "with" | "w/" | "in")
    };
    if is_timed_first && details.first().is_some_and(is_where) {
        what = format!("{what} {}", details.remove(0));
    }
    Some((what, details.join(", ")))
}

/// "us a table": the index of the thing that is booked.
fn after_whom(words: &Words, from: usize) -> usize {
    let whom = phrases!["us into", "me into", "us in at", "me in at", "us", "me"];
    let start = words.skip(from, whom);
    words.skip_article(start)
}

/// "bloods at 7, rounds at 9 - remind me of both": what else is asked for is no detail.
fn asks_more(words: &Words, range: Range<usize>) -> bool {
    range.into_iter().any(|n| words.get(n) == "remind")
}

/// "dinner at Luigi on friday at 8", "I booked a table at Luigi".
fn parse_booking(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, ReservationAction)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    let booked = words.after(at, &BOOKED);
    if words.is_question()
        || asks_more(words, at..end)
        || booked.is_some_and(|from| names_detail(words, from))
    {
        return None;
    }
    let having = words.after(at, &HAVING);
    let from = booked.or(having).unwrap_or(at);
    let start = after_whom(words, from);
    let kind = (start..end.min(start + 4)).find(|n| is_kind(words.get(*n)));
    if booked.is_none() {
        let kind = kind?;
        // "lets skip dinner", "no table"
        let is_named = !(start..kind).any(|n| is_no_name(words.get(n)));
        if !is_named || !is_told(message, start, kind, end) {
            return None;
        }
    }
    let strength = if booked.is_some() { Clear } else { Soft };
    if let Some(kind) = kind.filter(|kind| is_stay(words.get(*kind)))
        && let Some(stay) = parse_stay(message, (start, kind, end), at > message.start)
    {
        return Some((strength, stay));
    }
    let evening = is_in_the_evening(words, at..end);
    let Some(found) = planned_time::find(message, from, end, evening) else {
        let what = parsers::original(words, start, end);
        let is_stated = booked.is_some() && !what.is_empty() && end - start <= WORDS_MAX;
        return is_stated.then_some((strength, ReservationAction::AskTime(what)));
    };
    let (first, last) = found.range();
    let (is_instead, end) = instead(words, last, end);
    let is_timed_first = kind.is_some_and(|kind| first == kind + 1);
    let (what, details) = name_and_details(found.rest(words, start, end), is_timed_first)?;
    let details = without_instead(&details);
    // "actually dinner at Luigi on friday", "haircut now at 11"
    let is_now = first > start && words.get(first - 1) == "now";
    let is_moved = is_instead || is_now || at > message.start;
    let mention = mention(words, (from, start), first, is_moved);
    let clock = found.clock_text(words);
    let clock = clock.map_or_else(String::new, |clock| format!(" {clock}"));
    let time = match is_second(message) && !names_day(words, from, end) {
        true => Err(wording::DAY_NEEDED.to_owned()),
        false => found.time,
    };
    let action = match time {
        Ok(time) => ReservationAction::Keep {
            what,
            details,
            time,
            part: found.part,
            last: None,
            mention,
        },
        Err(reply) => ReservationAction::AskDay {
            before: format!("I booked {what} "),
            clock,
            reply,
        },
    };
    Some((strength, action))
}

/// Whether "instead" follows the time or is the last word, and where the words end without it.
fn instead(words: &Words, time_end: usize, end: usize) -> (bool, usize) {
    let is_last = words.get(end - 1) == "instead" && time_end < end;
    let is_instead = is_last || words.get(time_end) == "instead";
    (is_instead, end - usize::from(is_last))
}

/// "bring the cake" of "at 9 instead, bring the cake".
fn without_instead(details: &str) -> String {
    let rest = details.strip_prefix("instead").unwrap_or(details);
    rest.trim_start_matches([',', ';', '.', ' ']).to_owned()
}

/// "and a haircut at 3" may be on the day of what was told before.
fn is_second(message: &ParsedMessage) -> bool {
    message.start > 0 && message.words.get(0) == "and"
}

/// "booking number 77123": a detail of one. "booked and busy" is talk.
fn names_detail(words: &Words, from: usize) -> bool {
    matches!(
        words.get(from),
        "and" | "number" | "no" | "code" | "reference" | "ref" | "confirmation"
    )
}

fn names_day(words: &Words, from: usize, end: usize) -> bool {
    let mut times = (from..end).filter_map(|at| when::read(words, at));
    times.any(|(spec, _)| spec.day.is_some() || spec.delay.is_some())
}

fn lists(request: &str) -> bool {
    [
        "reservations", "my reservations", "show my reservations", "list my reservations",
        "what reservations do i have", "my bookings", "bookings", "show my bookings",
        "list my bookings", "what bookings do i have", "which bookings do i have",
        "what did i book", "what have i booked", "my appointments", "show my appointments",
    ]
    .contains(&request)
}

/// "what's my seat?": the words of the detail that is asked for.
pub(in crate::assistant::powers) fn asked_detail(request: &str) -> Option<&'static [&'static str]> {
    let begins = [
        "whats my", "what is my", "whats the", "what is the", "which", "what", "wheres my",
        "where is my", "do i have a",
    ];
    let detail = begins
        .iter()
        .find_map(|begin| request.strip_prefix(begin)?.strip_prefix(' '))?;
    let detail = detail.strip_suffix(" number").unwrap_or(detail);
    let detail = [
        "do i have", "am i in", "is my flight", "do i need", "am i on",
    ]
    .iter()
    .find_map(|end| detail.strip_suffix(end))
    .unwrap_or(detail);
    Some(match detail.trim() {
        "seat" | "seats" => &["seat", "seats"],
        "row" => &["row"],
        "gate" => &["gate"],
        "platform" => &["platform"],
        "terminal" => &["terminal"],
        "coach" | "carriage" => &["coach", "carriage"],
        _ => return None,
    })
}
