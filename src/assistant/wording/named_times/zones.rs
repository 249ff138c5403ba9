//! Hours that a text names in another zone: "3pm New York time".

use chrono::Timelike;

use super::NamedHour;
use super::tokens::TextToken;
use crate::assistant::text::zone;
use crate::clock::{Timestamp, Zone};

/// Between an hour and its zone.
const BETWEEN: [&str; 7] = ["am", "pm", "uhr", "h", "o", "clock", "the"];
/// Abbreviations that are no words of other languages.
const ABBREVIATIONS: [&str; 11] = [
    "utc", "gmt", "cet", "cest", "pst", "pdt", "edt", "cdt", "mdt", "bst", "jst",
];
/// Words of a place before "time".
const PLACE_WORDS_MAX: usize = 3;

/// The zone that stands after an hour; `at`: its place.
pub(super) fn zone_after(tokens: &[TextToken], at: usize) -> Option<Zone> {
    let is_of_hour =
        |token: &&TextToken<'_>| token.number(1..=2).is_some() || BETWEEN.contains(&token.text);
    let is_beside = |token: &TextToken<'_>| {
        token.gap.trim().is_empty() || matches!(token.gap, " (" | ":" | ".")
    };
    let rest = &tokens[at..];
    let count = rest.iter().take_while(is_of_hour).count();
    if count == 0 || !rest[..count].iter().all(is_beside) {
        return None;
    }
    let rest = &rest[count..];
    let first = rest.first()?;
    if ABBREVIATIONS.contains(&first.text) {
        let has_offset = matches!(first.gap, "+" | "-");
        return zone::find(first.text).filter(|_| !has_offset);
    }
    let words: Vec<&str> = rest
        .iter()
        .take(PLACE_WORDS_MAX + 1)
        .map(|one| one.text)
        .collect();
    let place = words
        .iter()
        .position(|word| *word == "time")
        .filter(|end| *end > 0)?;
    zone::find(&words[..place].join(" "))
}

/// The hour on the clock of the second zone, as it is now.
pub(super) fn hour_here(hour: NamedHour, (there, here): (Zone, Zone), now: Timestamp) -> NamedHour {
    let clock = |zone: Zone| {
        let local = now.utc().with_timezone(&zone).time();
        i64::from(local.hour() * 60 + local.minute())
    };
    let minutes = i64::from(hour.hour * 60 + hour.minute) + clock(here) - clock(there);
    let minutes = u32::try_from(minutes.rem_euclid(24 * 60)).unwrap_or_default();
    NamedHour {
        hour: minutes / 60,
        minute: minutes % 60,
        is_loose: hour.is_loose && there == here,
        ..hour
    }
}
