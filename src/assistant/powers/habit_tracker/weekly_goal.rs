//! How often a habit is to be done: "run 3 times a week", "make running 4x a week".

use super::HabitAction;
use crate::assistant::powers::parsers;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, amount};
use crate::assistant::text::words::Words;

/// "change run to 5 times a week", "make running 4x a week": only of a habit that is tracked.
pub(super) fn changed(words: &Words, at: usize, end: usize) -> Option<HabitAction> {
    static VERBS: Phrases = Phrases::new(&[
        "change my", "change", "make", "set", "update my", "update", "increase", "reduce",
    ]);
    let Some(from) = words.after(at, &VERBS) else {
        return said_so_often(words, at, end);
    };
    let to = (from + 1..end).find(|n| {
        let is_count = times(words.get(*n)).is_some() || words.get(*n).ends_with("/week");
        is_count
            || matches!(
                words.get(*n),
                "to" | "daily" | "every" | "once" | "twice" | "weekly"
            )
    })?;
    let name = parsers::original(words, from, to);
    let to = to + usize::from(words.get(to) == "to");
    let per_week = read_times_per_week(words, to, end)?;
    Some(HabitAction::Often { name, per_week })
}

/// "run 4 times a week now", "i run 3 times a week": how often from now on, which reports nothing done.
fn said_so_often(words: &Words, at: usize, end: usize) -> Option<HabitAction> {
    const NAME_WORDS_MAX: usize = 4;
    static FROM_NOW: Phrases = Phrases::new(&["from now on", "now", "instead"]);
    let until = (at + 1..end).find(|n| words.after(*n, &FROM_NOW) == Some(end));
    let from = words.skip(at, phrases!["i do my", "i do", "i", "my"]);
    let names_end = end.min(from + 1 + NAME_WORDS_MAX);
    let (to, per_week) = (from + 1..names_end)
        .find_map(|n| Some((n, read_times_per_week(words, n, until.unwrap_or(end))?)))?;
    // "water plants every day" may be something else.
    let is_counted = times(words.get(to)).is_some() || words.get(to).contains("/week");
    let name = parsers::original(words, from, to);
    (until.is_some() || is_counted).then_some(HabitAction::Often { name, per_week })
}

/// A habit after "track" alone: only if it is said how often.
pub(super) fn tracked_so_often(words: &Words, from: usize, end: usize) -> Option<HabitAction> {
    let from = words.skip_article(from);
    let is_other = |at: usize| {
        phrases![
            "mood", "moods", "spending", "expenses", "budget", "parcel", "parcels", "package",
            "packages", "order", "orders", "flight", "this", "that", "it"
        ]
        .contains(words.get(at))
    };
    match tracked(words, from, end) {
        HabitAction::Track { name, per_week } if !(from..end).any(is_other) => {
            let is_often = name.split_whitespace().count() < end - from;
            is_often.then_some(HabitAction::Track { name, per_week })
        }
        _ => None,
    }
}

/// "run 3 times a week", "meditate daily", "water plants every day".
pub(super) fn tracked(words: &Words, from: usize, end: usize) -> HabitAction {
    let found = (from + 1..end).find_map(|at| Some((at, read_times_per_week(words, at, end)?)));
    let (to, per_week) = found.unwrap_or((end, 7));
    // "I'm tired", "my cat is ill", "wow"
    let is_subject = matches!(
        words.get(from),
        "my" | "our" | "his" | "her" | "the" | "it" | "he" | "she" | "they" | "that" | "this"
    );
    let is_verb = |at| matches!(words.get(at), "is" | "are" | "was" | "were");
    let is_told = words.get(from) == "im" || words.after(from, phrases!["i am", "i was"]).is_some();
    let interjections = phrases!["wow", "damn", "haha", "lol", "omg", "great", "ok", "okay"];
    let is_talk = is_told || from + 1 == to && interjections.contains(words.get(from));
    if is_talk || is_subject && (from..to).any(is_verb) {
        return HabitAction::Nothing;
    }
    if names_days(words, from, to) || (from..to).any(|n| is_often(words.get(n))) {
        return HabitAction::OftenUnclear;
    }
    named(words, (from, to), per_week)
}

/// How often a week, where nothing else is said from `at` on: "3 times a week", "daily".
pub(super) fn read_times_per_week(words: &Words, at: usize, end: usize) -> Option<u32> {
    static DAILY: Phrases = Phrases::new(&[
        "every day", "each day", "daily", "everyday", "a day", "every night", "every morning",
        "every evening", "nightly", "each morning", "each night",
    ]);
    static WEEKLY: Phrases = Phrases::new(&[
        "once a week", "once weekly", "weekly", "every week", "once per week",
    ]);
    let is_all = |phrases: &Phrases| words.after(at, phrases) == Some(end);
    if is_all(&DAILY) {
        return Some(7);
    }
    if is_all(&WEEKLY) {
        return Some(1);
    }
    if is_all(phrases!["twice a week", "twice per week"]) {
        return Some(2);
    }
    if let Some(times) = words.get(at).strip_suffix("/week").and_then(times) {
        return (at + 1 == end).then_some(times);
    }
    static UNITS: Phrases = Phrases::new(&[
        "times a week", "times per week", "days a week", "times every week", "x a week",
        "x per week", "time a week", "days per week", "times weekly", "times week", "x week",
        "x weekly", "a week", "per week", "week",
    ]);
    let times = times(words.get(at))?;
    (words.after(at + 1, &UNITS) == Some(end)).then_some(times)
}

fn named(words: &Words, (from, to): (usize, usize), per_week: u32) -> HabitAction {
    let name = parsers::original(words, from, to);
    if name.is_empty() {
        HabitAction::Nothing
    } else if when::trailing_time(words, from..to).is_some() {
        HabitAction::HourUnclear
    } else if parsers::things(&name).len() > 1 {
        HabitAction::Several
    } else {
        HabitAction::Track { name, per_week }
    }
}

/// "gym mon wed fri"
fn names_days(words: &Words, from: usize, to: usize) -> bool {
    to > from + 1 && when::weekday_name(words.get(to - 1)).is_some()
}

/// Whether a word is part of a frequency and not of a habit's name.
fn is_often(word: &str) -> bool {
    phrases![
        "every", "each", "daily", "weekly", "monthly", "per", "times", "twice", "once", "weekdays",
        "weekends", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays",
        "sundays", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        "week", "month"
    ]
    .contains(word)
        || word.contains("/week")
}

fn times(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(['x', '×']);
    amount::number_word(word)
        .or_else(|| digits.parse().ok())
        .filter(|n| (1..=7).contains(n))
}
