//! Parses messages about what to pack: "pack a hat", "add socks to my packing list".

use super::TripAction;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength::{self, Clear, InSession, Soft};
use crate::assistant::powers::{parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Words of a place.
const PLACE_WORDS_MAX: usize = 3;

/// Where a packing list is named that ends the words, and its place; "" where it is of no trip that
/// is named: "to my packing list", "to the rome packing list", "to my packing list for rome".
fn packing_list(
    words: &Words,
    range: std::ops::Range<usize>,
    links: &[&str],
) -> Option<(usize, String)> {
    let end = range.end;
    range.clone().find_map(|at| {
        let from = words.after(at, links)?;
        let from = words.skip_article(from);
        let is_list = |n: &usize| words.after(*n, phrases!["packing list"]).is_some();
        let list = (from..=from + PLACE_WORDS_MAX).find(is_list)?;
        let place = words.after(list + 2, phrases!["for my", "for the", "for"]);
        let place = match place.filter(|_| list == from) {
            Some(place) => parsers::original(words, place, end),
            None if list + 2 == end => parsers::original(words, from, list),
            None => return None,
        };
        Some((at, place))
    })
}

/// The action on the current trip or the one to that place, where there is one.
fn on_trip(place: String, action: TripAction) -> TripAction {
    match place.is_empty() {
        true => TripAction::IfAny(Box::new(action)),
        false => TripAction::OfTrip(place, Box::new(action)),
    }
}

/// "my packing list" at the end.
fn names_packing_list(words: &Words, from: usize, end: usize) -> bool {
    let from = words.skip_article(from);
    words.after(from, phrases!["packing list"]) == Some(end)
}

/// "clear the list", "add socks to the list", where that may be the packing list.
fn of_list_in_use(words: &Words, at: usize, end: usize) -> Option<TripAction> {
    let is_list = |from: usize| {
        words.after(from, phrases!["the list", "this list", "that list"]) == Some(end)
    };
    let things = |links: &[&str]| {
        let link = (at + 2..end).find(|n| links.contains(&words.get(*n)) && is_list(n + 1))?;
        let things = parsers::things(words.original(at + 1..link));
        (!things.is_empty()).then_some(things)
    };
    match words.get(at) {
        "clear" | "empty" | "wipe" if is_list(at + 1) => Some(TripAction::ClearPacking),
        "add" | "put" => things(&["to", "on", "onto"]).map(TripAction::Pack),
        "remove" | "delete" | "take" => things(&["from", "off"]).map(TripAction::Unpack),
        _ => {
            static SHOW: Phrases =
                Phrases::new(&["show me", "show", "whats on", "what is on", "see", "read"]);
            let from = words.skip(at, &SHOW);
            is_list(from).then_some(TripAction::PackingList)
        }
    }
}

/// "add passport", "also socks": no list and no day is named. The index of the thing.
fn one_more(words: &Words, at: usize, end: usize) -> Option<usize> {
    let is_linked = at > 0 && words.get(at - 1) == "also";
    let from = words.after(at, phrases!["add also", "also add", "add", "also"]);
    let from = from.or(is_linked.then_some(at))?;
    let names_other = (from..end).any(|n| {
        matches!(
            words.get(n),
            "list" | "day" | "days" | "todo" | "groceries" | "calendar" | "bill"
        ) || words.get(n).starts_with(|c: char| c.is_ascii_digit())
    });
    let text = Words::new(words.original(from..end.max(from)));
    let is_request = statement::has_second_request(&text) || statement::begins_request(&text);
    (from < end && !names_other && !is_request).then_some(from)
}

/// "pack a hat and sunscreen", "add socks to my packing list", "packed the hat".
pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TripAction)> {
    let words = &message.words;
    let things = |from: usize, to: usize| {
        let things = parsers::things(words.original(from..to.max(from)));
        (!things.is_empty()).then_some(things)
    };
    if let Some(from) = one_more(words, at, end) {
        let pack = TripAction::Pack(things(from, end)?);
        return Some((InSession, TripAction::OfListInUse(Box::new(pack))));
    }
    if let Some(action) = of_list_in_use(words, at, end) {
        return Some((InSession, TripAction::OfListInUse(Box::new(action))));
    }
    match words.get(at) {
        "clear" | "empty" | "wipe" | "delete" if names_packing_list(words, at + 1, end) => {
            Some((Clear, TripAction::IfAny(Box::new(TripAction::ClearPacking))))
        }
        "add" | "put" => {
            let (to, place) = packing_list(words, at + 1..end, &["to", "on", "onto"])?;
            let pack = TripAction::Pack(things(at + 1, to)?);
            Some((Clear, on_trip(place, pack)))
        }
        "remove" | "delete" | "take" => {
            let (to, place) = packing_list(words, at + 1..end, &["from", "off"])?;
            let unpack = TripAction::Unpack(things(at + 1, to)?);
            Some((Clear, on_trip(place, unpack)))
        }
        "pack" if statement::has_second_request(&Words::new(words.original(at..end))) => {
            Some((Soft, TripAction::IfAny(Box::new(TripAction::TwoRequests))))
        }
        "pack" if end > at + 1 => Some((Soft, TripAction::Pack(things(at + 1, end)?))),
        "packed" => Some((InSession, TripAction::Packed(things(at + 1, end)?))),
        "i" | "ive" => {
            let from = words.after(at, phrases!["i packed", "ive packed", "i have packed"])?;
            Some((Soft, TripAction::Packed(things(from, end)?)))
        }
        _ => None,
    }
}
