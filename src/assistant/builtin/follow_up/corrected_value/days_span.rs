//! A first and a last day in a message: "from 3 to 7 december".

use std::ops::Range;

use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Whether a message names a first and a last day.
pub fn names_days_span(message: &str) -> bool {
    days_span(&Words::new(message), 0).is_some()
}

/// "3 to 7 december", "dec 3 to dec 7", "3-7 dec": the words of a first and a last day.
pub(super) fn days_span(words: &Words, from: usize) -> Option<Range<usize>> {
    let is_month = |at: usize| when::month(words.get(at)).is_some();
    (from..words.len()).find_map(|at| {
        if when::is_dashed_span(words.get(at)) {
            let before = at > from && is_month(at - 1);
            let start = at - usize::from(before);
            return (before || is_month(at + 1)).then(|| start..at + 1 + usize::from(!before));
        }
        let is_link = matches!(words.get(at), "to" | "until" | "till" | "through");
        if !is_link || at == from {
            return None;
        }
        let day = |at: usize| {
            let (spec, end) = when::read(words, at)?;
            (spec.day.is_some() && spec.clock.is_none()).then_some(end)
        };
        let number = |at: usize| {
            words
                .get(at)
                .parse::<u32>()
                .is_ok_and(|day| (1..=31).contains(&day))
        };
        let begun = (from..at).find(|start| day(*start) == Some(at));
        let last = day(at + 1);
        match (begun, last) {
            (Some(start), Some(end)) => Some(start..end),
            // "dec 3 to 7"
            (Some(start), None) if number(at + 1) => Some(start..at + 2),
            // "3 to 7 december"
            (None, Some(end)) if number(at - 1) => Some(at - 1..end),
            _ => None,
        }
    })
}

/// The message with other days in place of the span, if `new` is only these. `Some(None)`: it is not clear
/// of which month they are.
pub(super) fn with_other_days(
    words: &Words,
    span: Range<usize>,
    new: &Words,
) -> Option<Option<String>> {
    let from = new.skip(0, phrases!["from", "between"]);
    if days_span(new, from).is_some_and(|found| found == (from..new.len())) {
        let before = words.original(0..span.start);
        let after = words.original(span.end..words.len());
        let days = new.original(from..new.len());
        return Some(Some(format!("{before} {days} {after}").trim().to_owned()));
    }
    let days = numbers_span(new, from)?;
    Some(with_days(words, span, days))
}

/// "5 to 9", "5-9", and nothing else.
fn numbers_span(words: &Words, from: usize) -> Option<(u32, u32)> {
    let day = |text: &str| text.parse().ok().filter(|day| (1..=31).contains(day));
    let (first, last) = match words.len().checked_sub(from)? {
        1 => words.get(from).split_once(['-', '–'])?,
        3 if matches!(words.get(from + 1), "to" | "until" | "till" | "and" | "-") => {
            (words.get(from), words.get(from + 2))
        }
        _ => return None,
    };
    Some((day(first)?, day(last)?))
}

/// Other days of the same month in place of the span. `None`: it has two months.
fn with_days(words: &Words, span: Range<usize>, (first, last): (u32, u32)) -> Option<String> {
    let mut months = span
        .clone()
        .filter(|at| when::month(words.get(*at)).is_some());
    let (Some(month), None) = (months.next(), months.next()) else {
        return None;
    };
    let month = words.original(month..month + 1);
    let month = month.trim_end_matches([',', '.']);
    let before = words.original(0..span.start);
    let after = words.original(span.end..words.len());
    let text = format!("{before} {first} to {last} {month} {after}");
    Some(text.trim().to_owned())
}
