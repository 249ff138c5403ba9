//! The day on which a habit was done: "ran yesterday", "gym on monday", "swam 2 days ago".

use chrono::{Datelike, NaiveDate, Weekday};

use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// The most days ago that a habit may have been done.
const DAYS_AGO_MAX: u32 = 31;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompletionDay {
    Ago(u32),
    /// The last one, today included.
    Weekday(Weekday),
    Several,
}

/// The day that ends the words, and where it begins. Today is not always said.
pub(super) fn read(words: &Words, at: usize, end: usize) -> (usize, CompletionDay) {
    match words.get(end - 1) {
        "today" => return (end - 1, CompletionDay::Ago(0)),
        "yesterday" => return (end - 1, CompletionDay::Ago(1)),
        "ago" if end >= at + 3 && matches!(words.get(end - 2), "day" | "days") => {
            let count = words.get(end - 3).parse().ok();
            if let Some(days) = count.filter(|days| (1..=DAYS_AGO_MAX).contains(days)) {
                return (end - 3, CompletionDay::Ago(days));
            }
        }
        _ => {}
    }
    let (mut from, mut weekdays, mut is_also_near) = (end, Vec::new(), false);
    while from > at {
        match words.get(from - 1) {
            "and" | "&" | "on" | "last" | "this" if from < end => {}
            "yesterday" | "today" if from < end => is_also_near = true,
            word => match when::weekday_name(word) {
                Some(weekday) => weekdays.push(weekday),
                None => break,
            },
        }
        from -= 1;
    }
    match weekdays.as_slice() {
        [] => (end, CompletionDay::Ago(0)),
        [only] if !is_also_near => (from, CompletionDay::Weekday(*only)),
        _ => (from, CompletionDay::Several),
    }
}

/// Several things that were done, or one on several days.
pub(super) struct CompletedHabits {
    /// The words of each, and how many days ago it was.
    pub(super) done: Vec<(usize, usize, u32)>,
    /// A day is named.
    pub(super) is_dated: bool,
}

/// The most words of a text that is read as several habits.
const EACH_WORDS_MAX: usize = 16;

/// "ran and read 20 pages yesterday", "ran yesterday and on friday"; `None` for one thing on one day.
/// `today`: only of what is done already a weekday is the last one.
pub(super) fn read_several(
    words: &Words,
    (start, end): (usize, usize),
    today: Option<&dyn Fn() -> NaiveDate>,
) -> Option<CompletedHabits> {
    let is_link = |at: usize| matches!(words.get(at), "and" | "&");
    // "meditated this morning, ran too"
    let is_verb = |word: &str| is_past(word) && when::weekday_name(word).is_none();
    let is_next = |at: usize| at + 1 < end && words.is_set_off(at) && is_verb(words.get(at + 1));
    let is_listed = (start..end).any(|at| is_link(at) || is_next(at));
    if end.saturating_sub(start) > EACH_WORDS_MAX || !is_listed {
        return None; // most messages
    }
    let mut parts: Vec<(usize, usize, Option<u32>)> = Vec::new();
    let mut begin = start;
    for at in start..end {
        if !is_link(at) && !words.is_set_off(at) && at + 1 < end {
            continue;
        }
        let until = at + usize::from(!is_link(at));
        static BEGINS: Phrases =
            Phrases::new(&["i did my", "i did", "did my", "did", "i have", "i"]);
        let own = words.skip(begin, &BEGINS).min(until);
        if own < until {
            parts.push(match read(words, own, until) {
                (to, CompletionDay::Ago(days)) if to < until => (own, to, Some(days)),
                (to, CompletionDay::Ago(_)) => (own, to, None),
                (to, CompletionDay::Weekday(weekday)) => (own, to, Some(since(weekday, today?()))),
                (_, CompletionDay::Several) => return None,
            });
        }
        begin = at + 1;
    }
    let is_dated = parts.iter().any(|(.., days)| days.is_some());
    let mut last = *parts.first().filter(|(from, to, _)| from < to)?;
    let mut done = Vec::new();
    for (at, (from, to, days)) in parts.iter().enumerate() {
        let later = parts[at..].iter().find_map(|(.., days)| *days);
        let days = days.or(later).or(last.2).unwrap_or(0);
        // "yesterday" alone is one more day of the same.
        last = match from < to {
            true => (*from, *to, Some(days)),
            false => (last.0, last.1, Some(days)),
        };
        done.push((last.0, last.1, days));
    }
    (done.len() > 1).then_some(CompletedHabits { done, is_dated })
}

/// Days from the last such weekday to today.
pub(super) fn since(weekday: Weekday, today: NaiveDate) -> u32 {
    let days = today.weekday().num_days_from_monday() + 7 - weekday.num_days_from_monday();
    days % 7
}

/// How what is done already begins: "ran on monday".
pub(super) fn is_past(word: &str) -> bool {
    let is_other = matches!(
        word,
        "need" | "feed" | "weed" | "bed" | "red" | "seed" | "speed"
    );
    word.ends_with("ed") && !is_other
        || matches!(
            word,
            "went" | "ran" | "swam" | "wrote" | "slept" | "ate" | "drank" | "rode" | "drew"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_things_and_days_are_told_apart() {
        let cases: [(&str, &[(&str, u32)]); 10] = [
            ("ran today and yesterday", &[("ran", 0), ("ran", 1)]),
            ("ran and read yesterday", &[("ran", 1), ("read", 1)]),
            (
                "run today and read 20 pages",
                &[("run", 0), ("read 20 pages", 0)],
            ),
            (
                "ran yesterday and did yoga today",
                &[("ran", 1), ("yoga", 0)],
            ),
            (
                "meditated this morning, ran",
                &[("meditated this morning", 0), ("ran", 0)],
            ),
            (
                "ran, swam and read",
                &[("ran", 0), ("swam", 0), ("read", 0)],
            ),
            ("ran yesterday", &[]),
            ("ran on monday and tuesday", &[("ran", 0), ("ran", 6)]),
            ("ran yesterday and on friday", &[("ran", 1), ("ran", 3)]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let words = Words::new(text);
            let monday = || NaiveDate::from_ymd_opt(2026, 11, 23).unwrap();
            let today: Option<&dyn Fn() -> NaiveDate> = Some(&monday);
            let found = read_several(&words, (0, words.len()), today).map(|found| found.done);
            let found = found.unwrap_or_default().into_iter();
            let found: Vec<(String, u32)> = found
                .map(|(from, to, days)| (words.phrase(from..to), days))
                .collect();
            let expected = expected
                .iter()
                .map(|(what, days)| (what.to_string(), *days));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{text}");
        }
    }
}
