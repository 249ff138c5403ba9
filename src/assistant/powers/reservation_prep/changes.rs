//! Reads what a person wants done about bookings: to book something, which can't be done, a new
//! time, and what they cancelled.

use super::kinds::{is_kind, is_ordered, is_stay};
use super::{NEW_TIME_UNCLEAR, ReservationAction};
use crate::assistant::builtin::{ParsedMessage, follow_up};
use crate::assistant::powers::entry_ref::EntryRef;
use crate::assistant::powers::{local_time, parsers, planned_time, trip_planner};
use crate::assistant::text::phrases::{Phrases, phrases};

/// Words after the verb at the start of what is to be booked.
static ORDERED: Phrases = Phrases::new(&[
    "a", "an", "another", "me", "us", "my", "our", "the", "some", "it", "this", "that", "two",
    "three", "four", "flight", "flights", "train", "tickets", "taxi", "uber", "court", "for",
]);
/// Characters of the requested booking that the reply repeats.
const ORDER_CHARS_MAX: usize = 60;
/// Words that state a cancelled booking.
static CANCELLED: Phrases = Phrases::new(&[
    "i cancelled", "i canceled", "ive cancelled", "ive canceled", "i have cancelled",
    "i have canceled", "we cancelled", "we canceled", "weve cancelled", "weve canceled",
    "they cancelled", "they canceled",
]);

pub(super) fn parse(message: &ParsedMessage, at: usize, end: usize) -> Option<ReservationAction> {
    if let Some(what) = parse_order(message, at, end) {
        return Some(ReservationAction::Order(what));
    }
    parse_moved(message, at, end)
        .or_else(|| parse_move(message, at, end))
        .or_else(|| parse_cancelled(message, at, end))
}

/// What is named between those words.
pub(super) fn named(message: &ParsedMessage, from: usize, kind: usize, end: usize) -> EntryRef {
    let words = &message.words;
    // "booking 2"
    if kind + 2 == end && words.get(kind + 1).parse::<u32>().is_ok() {
        return EntryRef::of_name(words.get(kind + 1).to_owned());
    }
    EntryRef::read(message, words.skip_article(from)..end)
}

/// "I cancelled my dinner at Luigi".
fn parse_cancelled(message: &ParsedMessage, at: usize, end: usize) -> Option<ReservationAction> {
    let words = &message.words;
    let is_off = end > at + 1
        && words.get(end - 1) == "off"
        && matches!(words.get(end - 2), "is" | "are" | "was" | "called");
    let is_over = is_off || end > at && matches!(words.get(end - 1), "cancelled" | "canceled");
    let (from, end) = match words.after(at, &CANCELLED) {
        Some(from) => (from, end),
        // "my dinner with Bo is cancelled"
        None => {
            let verbs = ["is", "was", "has", "got"];
            let verb = (at..end).find(|n| verbs.contains(&words.get(*n)))?;
            is_over.then_some((at, verb))?
        }
    };
    let from = words.skip_article(from);
    let kind = (from..end).find(|n| is_kind(words.get(*n)))?;
    let which = named(message, from, kind, end);
    Some(ReservationAction::Cancelled(which))
}

/// "book a table for two at 7": a request to book "a table for two"; it states no booking.
fn parse_order(message: &ParsedMessage, at: usize, end: usize) -> Option<String> {
    let words = &message.words;
    let at = words.skip(at, phrases!["lets"]);
    let whom = |at: usize| words.after(at, phrases!["me in for", "us in for", "me", "us"]);
    let from = match words.get(at) {
        "book" | "rebook" | "reserve" => {
            let thing = at + 1;
            let is_verb = words.after(thing, &ORDERED).is_some()
                || is_kind(words.get(thing))
                || words.get(thing).starts_with(|c: char| c.is_ascii_digit());
            is_verb.then(|| whom(thing).unwrap_or(thing))?
        }
        "make" | "get" | "find" | "arrange" | "schedule" | "organise" | "organize" => {
            let from = whom(at + 1).unwrap_or(at + 1);
            let thing = words.after(
                from,
                phrases!["a", "an", "another", "some", "two", "2", "3", "4"],
            )?;
            (thing..end.min(thing + 3)).find(|n| is_ordered(words.get(*n)))?;
            from
        }
        _ => return None,
    };
    let what = match planned_time::find(message, from, end, false) {
        Some(found) => found.rest(words, from, end).into_iter().next(),
        None => Some(parsers::original(words, from, end)),
    };
    Some(what.unwrap_or_default())
}

/// "move my dinner at Luigi to 9", "my table is now at 8": which, and the new time.
fn parse_move(message: &ParsedMessage, at: usize, end: usize) -> Option<ReservationAction> {
    let words = &message.words;
    static VERBS: Phrases = Phrases::new(&[
        "move", "rebook", "reschedule", "change", "push", "postpone", "shift", "update",
        "they moved", "they rescheduled", "they changed", "they postponed", "i moved",
        "i rescheduled", "i changed", "ive moved", "ive rescheduled", "ive changed", "we moved",
        "we rescheduled",
    ]);
    let from = words.after(at, &VERBS)?;
    let from = words.skip_article(from);
    let kind = (from..end).find(|n| is_kind(words.get(*n)))?;
    if let Some(stay) = parse_moved_stay(message, from, kind, end) {
        return Some(stay);
    }
    let (link, to) = (kind + 1..end)
        .filter(|n| matches!(words.get(*n), "to" | "by" | "back" | "forward" | "from"))
        .find_map(|n| Some((n, follow_up::read_new_time(words, n..end)?)))?;
    // "from 7 to 8"
    let name_end = (kind + 1..link)
        .find(|n| words.get(*n) == "from")
        .unwrap_or(link);
    if (link..end).any(|n| planned_time::is_open_span(words, n)) {
        return Some(ReservationAction::UnclearTime(NEW_TIME_UNCLEAR.to_owned()));
    }
    let which = named(message, from, kind, name_end);
    let said = parsers::original(words, link, end);
    Some(ReservationAction::Move { which, to, said })
}

/// "move the hotel to 4 to 6 dec": both days of a stay.
fn parse_moved_stay(
    message: &ParsedMessage,
    from: usize,
    kind: usize,
    end: usize,
) -> Option<ReservationAction> {
    let words = &message.words;
    if !is_stay(words.get(kind)) {
        return None;
    }
    let (link, first, last) = (kind + 1..end)
        .filter(|n| matches!(words.get(*n), "to" | "from" | "is"))
        .find_map(|link| {
            let at = words.skip(link + 1, phrases!["now from", "now", "from"]);
            let (first, last, next) = trip_planner::dates(message, at)?;
            (next == end && first < last).then_some((link, first, last))
        })?;
    if first < local_time::date(message.context.now, message.zone()) {
        return Some(ReservationAction::UnclearTime(NEW_TIME_UNCLEAR.to_owned()));
    }
    let which = named(message, from, kind, link);
    let said = parsers::original(words, link, end);
    Some(ReservationAction::MoveStay {
        which,
        first,
        last,
        said,
    })
}

/// "my haircut is now on saturday at 6", "dinner at Luigi got moved to 9".
fn parse_moved(message: &ParsedMessage, at: usize, end: usize) -> Option<ReservationAction> {
    let words = &message.words;
    let from = words.skip_article(at);
    // "the dentist moved to friday": a booking may be called so.
    let is_named = |n: &usize| {
        matches!(words.get(n + 1), "moved" | "got" | "was" | "is" | "has")
            && !matches!(
                words.get(*n),
                "it" | "that"
                    | "this"
                    | "he"
                    | "she"
                    | "they"
                    | "i"
                    | "we"
                    | "trip"
                    | "got"
                    | "was"
                    | "is"
                    | "has"
                    | "been"
                    | "just"
            )
    };
    let near = from..end.min(from + 4);
    let kind = near.clone().find(|n| is_kind(words.get(*n)));
    let kind = kind.or_else(|| near.clone().find(is_named))?;
    let verbs = phrases!["is now", "is", "was", "got", "has been"];
    static MOVED: Phrases = Phrases::new(&[
        "moved to", "changed to", "rescheduled to", "postponed to", "pushed to", "pushed back to",
        "delayed to", "delayed until", "delayed till", "postponed until", "brought forward to",
        "moved up to", "put back to",
    ]);
    let ends_in_now = end > kind + 2 && matches!(words.get(end - 1), "now" | "instead");
    static DELAYED: Phrases = Phrases::new(&[
        "delayed by", "delayed", "postponed by", "pushed back by", "moved back by",
        "running late by",
    ]);
    let delayed = (kind + 1..end).find_map(|n| {
        let from = words.after(words.skip(n, verbs), &DELAYED)?;
        Some((n, from, follow_up::read_shift(words, from..end)?))
    });
    if let Some((link, shift, to)) = delayed {
        let which = named(message, from, kind, link);
        let said = format!("by {}", parsers::original(words, shift, end));
        return Some(ReservationAction::Move { which, to, said });
    }
    let (link, next) = (kind + 1..end).find_map(|n| {
        let verb = words.skip(n, verbs);
        let is_now = words.after(n, phrases!["is now"]);
        // "dinner is at 9 now"
        let is_so = words.after(n, phrases!["is"]).filter(|_| ends_in_now);
        Some((n, words.after(verb, &MOVED).or(is_now).or(is_so)?))
    })?;
    let next = words.skip(next, phrases!["to"]);
    let is_now_last = words.get(end - 1) == "now" && end - 1 > next;
    let end = end - usize::from(is_now_last);
    let to = follow_up::read_new_time(words, next..end)?;
    if (next..end).any(|n| planned_time::is_open_span(words, n)) {
        return Some(ReservationAction::UnclearTime(NEW_TIME_UNCLEAR.to_owned()));
    }
    let which = named(message, from, kind, link);
    let said = format!("to {}", parsers::original(words, next, end));
    Some(ReservationAction::Move { which, to, said })
}

/// Nothing can be booked from here.
pub(super) fn order_refused(what: &str) -> String {
    let (what, booked) = match what.chars().count() {
        1..=ORDER_CHARS_MAX => (what, what),
        _ => ("it", "a table at Luigi"),
    };
    format!(
        "I can't book or reserve anything, so nothing is booked. I can remind you to do it: “remind me in an hour to book {what}”. Once it is booked, tell me with its day, like “I booked {booked} on friday at 19:00”, and I keep it."
    )
}
