//! Reads what is said of tickets.

use std::ops::Range;

use super::TicketAction;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::entries::removed_number;
use crate::assistant::powers::planned_time::{self, PlannedTime};
use crate::assistant::powers::reservation_prep::asked_detail;
use crate::assistant::powers::{RequestStrength, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Most words of a seat: "row 3, seats 12 and 13".
const SEAT_WORDS_MAX: usize = 6;

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, TicketAction)> {
    use RequestStrength::{Clear, InSession, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if lists(message.request()) {
        return Some((Clear, TicketAction::Show(None)));
    }
    if let Some(from) = note_start(words, at) {
        return Some((Clear, keep(message, from, end)));
    }
    if let Some(from) = words.after(
        at,
        phrases!["its on", "it is on", "its", "it is", "that is on"],
    ) && let Some(action) = set_time(message, from.saturating_sub(1), end)
    {
        return Some((InSession, action));
    }
    let verbs = ["delete", "remove", "forget", "drop", "discard", "cancel"];
    if let Some(number) = removed_number(words, at, end, &verbs) {
        return Some((InSession, TicketAction::RemoveNumber(number)));
    }
    if let Some(from) = words.after(at, phrases!["my ticket is on", "the ticket is on"])
        && let Some(action) = set_time(message, from - 1, end)
    {
        return Some((Soft, action));
    }
    if let Some(words) = asked_detail(message.request()) {
        return Some((Soft, TicketAction::Detail(words)));
    }
    let ticket = (at..end).find(|n| is_ticket(words.get(*n)))?;
    static VERBS: Phrases = Phrases::new(&[
        "delete", "remove", "forget", "throw away", "drop", "discard",
    ]);
    if let Some(from) = words.after(at, &VERBS) {
        let about = about(words, from, ticket, end).unwrap_or_default();
        return Some((Clear, TicketAction::Remove(about)));
    }
    let from = words.after(
        at,
        phrases![
            "show me", "show", "find", "where is", "wheres", "where are", "open", "give me",
        ],
    );
    match from {
        Some(from) => {
            let about = about(words, from, ticket, end);
            Some((Clear, TicketAction::Show(about)))
        }
        None if words.get(at) == "my" || ticket == at => {
            let about = about(words, at, ticket, end)?;
            Some((Soft, TicketAction::Show(Some(about))))
        }
        None => None,
    }
}

fn lists(request: &str) -> bool {
    phrases![
        "tickets", "my tickets", "show my tickets", "show me my tickets", "list my tickets",
        "show tickets", "show my ticket", "my ticket", "which tickets do i have",
        "what tickets do i have", "do i have any tickets", "do i have tickets",
        "where are my tickets", "where is my ticket", "wheres my ticket"
    ]
    .contains(request)
}

fn is_ticket(word: &str) -> bool {
    matches!(word, "ticket" | "tickets")
}

/// The index after "keep this ticket".
fn note_start(words: &Words, at: usize) -> Option<usize> {
    let thing = |at| {
        let at = words.skip(at, phrases!["this", "my", "the", "these", "our", "a"]);
        words.after(
            at,
            phrases!["tickets", "ticket", "boarding pass", "boarding passes"],
        )
    };
    let verbs = phrases![
        "keep", "save", "store", "hold", "note", "heres", "here is", "here are", "this is",
    ];
    let stated = words.after(at, verbs).and_then(thing);
    stated.or_else(|| thing(at).filter(|next| words.is_set_off(next - 1) && *next < words.len()))
}

/// The day of the ticket that has none: "saturday at 8", "saturday 19:30, row 3".
fn set_time(message: &ParsedMessage, from: usize, end: usize) -> Option<TicketAction> {
    let words = &message.words;
    let in_the_evening = planned_time::find(message, from, end, true)?.time;
    let found = planned_time::find(message, from, end, false)?;
    let to = found.range().1;
    // "saturday 8:00" is as it is printed, and nothing begins at 23:00.
    let is_late = |n: usize| matches!(words.get(n), "10" | "11" | "12");
    let is_printed = |n: usize| words.get(n).contains(':');
    let in_the_evening = match (from..to).any(|n| is_late(n) || is_printed(n)) {
        true => found.time.clone(),
        false => in_the_evening,
    };
    if to != end && (!is_seat(words.get(to)) || end - to > SEAT_WORDS_MAX) {
        return None;
    }
    let details = parsers::original(words, to, end);
    Some(with_time(found.time, |time| TicketAction::SetTime {
        time,
        in_the_evening: in_the_evening.unwrap_or(time),
        details,
    }))
}

/// "ticket for Coldplay", "Coldplay ticket".
fn about(words: &Words, from: usize, ticket: usize, end: usize) -> Option<String> {
    let from = words.skip_article(from);
    let after = words.after(
        ticket + 1,
        phrases!["for the", "for", "to the", "to", "number", "no"],
    );
    let text = match after {
        Some(next) => parsers::original(words, next, end),
        None if ticket > from => parsers::original(words, from, ticket),
        None => parsers::original(words, ticket + 1, end),
    };
    (!text.is_empty()).then_some(text)
}

fn keep(message: &ParsedMessage, from: usize, end: usize) -> TicketAction {
    let words = &message.words;
    let evening = is_in_the_evening(words, message.start..end);
    let text = match words.phrase(from..end).as_str() {
        "safe" | "for me" | "for later" | "somewhere" | "somewhere safe" => String::new(),
        _ => parsers::original(words, from, end),
    };
    let has_photo = message.context.has_photos;
    match planned_time::find(message, from, end, evening) {
        Some(found) => {
            // "tomorrow" would be another day each time it is shown.
            let (first, last) = found.range();
            let is_relative = (first..last).any(|n| is_of_now(words.get(n)));
            let rest = found.rest(words, from, end).join(", ");
            let text = match is_relative && !rest.is_empty() {
                true => rest,
                false => text,
            };
            with_time(found.time, |time| TicketAction::Keep {
                text,
                time: Some(time),
                has_photo,
            })
        }
        None => TicketAction::Keep {
            text,
            time: None,
            has_photo,
        },
    }
}

/// Whether a bare hour of a ticket with these words is in the evening: "friday at 8". "friday 7:40" is
/// as it is printed.
pub(super) fn is_in_the_evening(words: &Words, range: Range<usize>) -> bool {
    let has = |is: fn(&str) -> bool| range.clone().any(|n| is(words.get(n)));
    has(planned_time::is_evening) || !has(is_of_the_day) && !has(|word| word.contains(':'))
}

/// Whether a word begins what a ticket says of the seat.
fn is_seat(word: &str) -> bool {
    phrases![
        "row", "seat", "seats", "block", "section", "gate", "platform", "coach", "carriage",
        "balcony", "stalls", "stand"
    ]
    .contains(word)
}

/// Whether a word of a day goes by the day on which it is said.
fn is_of_now(word: &str) -> bool {
    matches!(
        word,
        "tomorrow" | "today" | "tonight" | "next" | "this" | "in"
    )
}

fn with_time(
    time: Result<PlannedTime, String>,
    action: impl FnOnce(PlannedTime) -> TicketAction,
) -> TicketAction {
    match time {
        Ok(time) => action(time),
        Err(problem) => TicketAction::UnclearTime(problem),
    }
}

/// Whether a word names no evening show: "at 8" may be in the morning.
fn is_of_the_day(word: &str) -> bool {
    phrases![
        "train", "flight", "bus", "ferry", "boat", "tram", "boarding", "museum", "zoo",
        "exhibition", "tour", "morning", "parking", "match", "fair", "marathon", "race", "run",
        "brunch", "breakfast", "cruise", "hike", "swim", "triathlon", "matinee", "conference",
        "festival", "spa", "workshop"
    ]
    .contains(word)
}
