//! How names, lists, days and times of day are written, for superpowers and plans.

use chrono::{Datelike, NaiveDate};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// After a time of a place whose clock shows another time than the person's.
pub(in crate::assistant) const LOCAL_TIME: &str = " local time";

/// Whether two names are equal, ignoring case.
pub(in crate::assistant) fn same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// With a capital letter at the start.
pub(in crate::assistant) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

pub(in crate::assistant) fn counted(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// "a", "a and b", "a, b and c".
pub(in crate::assistant) fn joined<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// The first of `texts` that is longer than `chars_max`.
pub(in crate::assistant) fn too_long<S: AsRef<str>>(
    texts: &[S],
    chars_max: usize,
) -> Option<String> {
    texts
        .iter()
        .any(|text| text.as_ref().chars().count() > chars_max)
        .then(|| format!("That's too long. Please keep each to {chars_max} characters."))
}

/// "07:30"
pub(in crate::assistant) fn clock_text(minute: u32) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// "Friday, 27 November at 20:00", with the year when it is another than today's.
pub(in crate::assistant) fn time_text(
    date: NaiveDate,
    minute: Option<u32>,
    today: NaiveDate,
) -> String {
    let day = display(date, today);
    match minute {
        Some(minute) => format!("{day} at {}", clock_text(minute)),
        None => day,
    }
}

/// Day and time at a place whose clock is `ahead_s` seconds ahead of the person's: "… at 20:00
/// local time".
pub(in crate::assistant) fn place_time_text(
    date: NaiveDate,
    (minute, ahead_s): (Option<u32>, i64),
    today: NaiveDate,
) -> String {
    let mut text = time_text(date, minute, today);
    if minute.is_some() && ahead_s != 0 {
        text.push_str(LOCAL_TIME);
    }
    text
}

/// "Friday, 5 June", with the year if it isn't the current one.
pub(in crate::assistant) fn display(date: NaiveDate, today: NaiveDate) -> String {
    let pattern = if date.year() == today.year() {
        "%A, %-d %B"
    } else {
        "%A, %-d %B %Y"
    };
    date.format(pattern).to_string()
}

/// A search on a public map, which needs no key.
pub(in crate::assistant) fn map_link(place: &str) -> String {
    let place = utf8_percent_encode(place, NON_ALPHANUMERIC);
    format!("https://www.openstreetmap.org/search?query={place}")
}
