//! Days that are named by their place in a month: "the last friday of the month", "the end of next
//! month".

use super::names::{month, ordinal, weekday};
use super::{Day, NamedMonth};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// "the last friday of the month", "first monday in december": one day.
pub(super) fn nth_weekday(words: &Words, at: usize) -> Option<(Day, usize)> {
    let from = words.skip(at, phrases!["the"]);
    let nth = match words.get(from) {
        "last" => -1,
        word => i32::try_from(ordinal(word)?)
            .ok()
            .filter(|nth| (1..=5).contains(nth))?,
    };
    let weekday = weekday(words.get(from + 1), true)?;
    let link = words.after(from + 2, phrases!["of", "in"])?;
    let (month, end) = match words.after(
        link,
        phrases!["the month", "this month", "the coming month"],
    ) {
        Some(end) => (NamedMonth::Coming, end),
        None => match words.after(link, phrases!["next month", "the next month"]) {
            Some(end) => (NamedMonth::Next, end),
            None => (NamedMonth::OfYear(month(words.get(link))?), link + 1),
        },
    };
    Some((
        Day::NthWeekday {
            nth,
            weekday,
            month,
        },
        end,
    ))
}

/// "the end of the month", "end of next month", "the last day of november".
pub(super) fn month_end(words: &Words, at: usize) -> Option<(Day, usize)> {
    let from = words.skip(at, phrases!["the"]);
    let of = words.after(from, phrases!["end of", "last day of"])?;
    if let Some(end) = words.after(of, phrases!["the year", "this year", "year"]) {
        let (month, day) = (12, 31);
        return Some((Day::OfYear { month, day }, end));
    }
    let (month, end) = match words.after(of, phrases!["the month", "this month", "month"]) {
        Some(end) => (NamedMonth::Coming, end),
        None => match words.after(of, phrases!["next month", "the next month"]) {
            Some(end) => (NamedMonth::Next, end),
            None => (NamedMonth::OfYear(month(words.get(of))?), of + 1),
        },
    };
    Some((Day::LastOfMonth(month), end))
}
