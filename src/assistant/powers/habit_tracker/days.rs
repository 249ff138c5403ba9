//! Which day a habit was done on: "ran yesterday", "gym on monday", "swam 2 days ago".

use chrono::{Datelike, NaiveDate, Weekday};

use crate::assistant::builtin::when;
use crate::assistant::builtin::words::Words;

/// Longer ago nobody tells.
const DAYS_AGO_MAX: u32 = 31;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DoneDay {
    Ago(u32),
    /// The last one, today included.
    Weekday(Weekday),
    Several,
}

/// The day that ends the words, and where it begins. Today is not always said.
pub(super) fn read(words: &Words<'_>, at: usize, end: usize) -> (usize, DoneDay) {
    match words.get(end - 1) {
        "today" => return (end - 1, DoneDay::Ago(0)),
        "yesterday" => return (end - 1, DoneDay::Ago(1)),
        "ago" if end >= at + 3 && matches!(words.get(end - 2), "day" | "days") => {
            let count = words.get(end - 3).parse().ok();
            if let Some(days) = count.filter(|days| (1..=DAYS_AGO_MAX).contains(days)) {
                return (end - 3, DoneDay::Ago(days));
            }
        }
        _ => {}
    }
    let (mut from, mut weekdays) = (end, Vec::new());
    while from > at {
        match words.get(from - 1) {
            "and" | "&" | "on" | "last" | "this" | "yesterday" | "today" if from < end => {}
            word => match when::weekday_name(word) {
                Some(weekday) => weekdays.push(weekday),
                None => break,
            },
        }
        from -= 1;
    }
    match weekdays.as_slice() {
        [] => (end, DoneDay::Ago(0)),
        [only] => (from, DoneDay::Weekday(*only)),
        _ => (from, DoneDay::Several),
    }
}

/// Days from the last such weekday to today.
pub(super) fn since(weekday: Weekday, today: NaiveDate) -> u32 {
    let days = today.weekday().num_days_from_monday() + 7 - weekday.num_days_from_monday();
    days % 7
}
