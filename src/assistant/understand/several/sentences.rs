//! The sentences and lines of a message, without those dots that are of a date,
//! an hour or an abbreviation.

use crate::assistant::text::abbreviations::ends_with_abbreviation;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        let ends = |pair: &[u8]| matches!(pair, [b'.' | b'!' | b'?' | b';', b' ']);
        let mut from = 0;
        while let Some(at) = rest.as_bytes()[from..].windows(2).position(ends) {
            let at = from + at;
            let (before, after) = (&rest[..=at], &rest[at + 2..]);
            if is_dot_of_time(before, after) || ends_with_abbreviation(before, after) {
                from = at + 1;
                continue;
            }
            parts.push(rest[..=at].trim());
            (rest, from) = (&rest[at + 2..], 0);
        }
        parts.push(rest.trim());
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether the dot at the end of `before` belongs to "5.12." or "8 p.m." and ends no sentence.
fn is_dot_of_time(before: &str, after: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next();
    let last = last.unwrap_or_default().trim_end_matches('.');
    // "see you at 8 p.m. remind me at 7 to go", unlike "at 8 p.m. remind me to go"
    let is_request = || after.starts_with("remind") && !is_time(before);
    let is_half = ["p.m", "a.m", "P.M", "A.M"]
        .iter()
        .any(|half| last.ends_with(half));
    let is_number = |part: &str, max: u8| {
        let is_short = (1..=2).contains(&part.len());
        is_short
            && part
                .parse::<u8>()
                .is_ok_and(|number| (1..=max).contains(&number))
    };
    let is_date = || {
        let parts = last.split_once('.');
        parts.is_some_and(|(day, month)| is_number(day, 31) && is_number(month, 12))
    };
    let is_new = || after.starts_with(char::is_uppercase) || is_request();
    (is_half || is_date()) && !is_new()
}

/// Whether all words are those of a time: "on friday at 5".
pub(super) fn is_time(text: &str) -> bool {
    let words = Words::new(text);
    when::read(&words, 0).is_some_and(|(_, end)| end == words.len())
}
