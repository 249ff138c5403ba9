//! Particles of verbs before a time: the "in" of "log in tomorrow" is no link of the time, unlike that
//! of "log in 10 minutes". It knows no times.

use std::ops::Range;

use super::weekday_name;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// Words of a verb with its thing: "turn the living room heating on".
const VERB_WORDS_MAX: usize = 5;

/// Verbs right before their particle.
const IN: [&str; 24] = [
    "log", "check", "sign", "clock", "drop", "pop", "dial", "tune", "opt", "stay", "come", "call",
    "move", "sleep", "ring", "phone", "chip", "plug", "hand", "turn", "get", "go", "badge", "fill",
];
const ON: [&str; 14] = [
    "sign", "clock", "log", "move", "carry", "get", "go", "press", "hold", "switch", "turn", "put",
    "try", "pass",
];
const BY: [&str; 6] = ["drop", "stop", "swing", "come", "pop", "pass"];

/// Verbs whose thing may stand before the particle.
const IN_AFTER_THING: [&str; 9] = [
    "bring", "take", "hand", "turn", "plug", "fill", "let", "tuck", "sign",
];
const ON_AFTER_THING: [&str; 5] = ["turn", "switch", "put", "leave", "have"];

/// Whether this word belongs to a verb before it, not to the time after it.
pub(in crate::assistant) fn is_particle(words: &Words, at: usize) -> bool {
    let (verbs, with_thing): (&[&str], &[&str]) = match words.get(at) {
        "in" if !takes_in(words, at + 1) => (&IN, &IN_AFTER_THING),
        "on" if !takes_on(words, at + 1) => (&ON, &ON_AFTER_THING),
        "by" => (&BY, &[]),
        _ => return false, // most words
    };
    let Some(before) = at.checked_sub(1) else {
        return false;
    };
    let first = at.saturating_sub(VERB_WORDS_MAX);
    let ends = |n: &usize| matches!(words.get(*n), "to" | "and" | "then") || words.is_set_off(*n);
    let mut verb = (first..before).rev().take_while(|n| !ends(n));
    !words.is_set_off(before)
        && (verbs.contains(&words.get(before))
            || !with_thing.is_empty()
                && !ends(&before)
                && verb.any(|n| with_thing.contains(&words.get(n))))
}

/// Whether a text lacks the "on" that stands before its time: "turn the heating on friday".
pub(in crate::assistant) fn lacks_particle(words: &Words, text: Range<usize>) -> bool {
    const PARTICLES: [&str; 13] = [
        "on", "off", "up", "down", "in", "out", "over", "around", "into", "back", "to", "left",
        "right",
    ];
    let is_verb = matches!(words.get(text.start), "turn" | "switch") && text.len() > 1;
    let mut words_of = text.clone().map(|at| words.get(at));
    is_verb && words.get(text.end) == "on" && !words_of.any(|word| PARTICLES.contains(&word))
}

/// Whether "in" before these words may be of a time, unlike "in tomorrow".
fn takes_in(words: &Words, at: usize) -> bool {
    let is_of_day = words.after(
        at,
        phrases!["the morning of", "the afternoon of", "the evening of"],
    );
    let is_day_before = words.after(at, phrases!["the day before", "the night before"]);
    let is_without = takes_none(words.get(at)) || weekday_name(words.get(at)).is_some();
    !(is_without || is_of_day.or(is_day_before).is_some() || is_counted(words, at))
}

fn takes_on(words: &Words, at: usize) -> bool {
    !(takes_none(words.get(at)) || is_counted(words, at) || is_of_next_week(words, at))
}

/// "the day after tomorrow", "two days before christmas", "end of the month".
fn is_counted(words: &Words, at: usize) -> bool {
    const COUNT_WORDS_MAX: usize = 3;
    let is_end = words.after(
        at,
        phrases!["end of", "the day after", "day after", "the day before"],
    );
    let mut ends = at + 1..=at + COUNT_WORDS_MAX;
    let is_from = |end: usize| {
        let is_unit = matches!(
            words.get(end - 1),
            "day" | "days" | "week" | "weeks" | "month"
        );
        is_unit && matches!(words.get(end), "before" | "after" | "from")
    };
    is_end.is_some() || ends.any(is_from)
}

fn is_of_next_week(words: &Words, at: usize) -> bool {
    weekday_name(words.get(at)).is_some() && words.after(at + 1, phrases!["next week"]).is_some()
}

/// Whether a time that begins so stands without "in" and "on".
fn takes_none(word: &str) -> bool {
    matches!(
        word,
        "tomorrow" | "today" | "tonight" | "next" | "this" | "later" | "every" | "at"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particle_is_no_link() {
        for (text, expected) in [
            ("log in tomorrow", true),
            ("check in next friday", true),
            ("check in friday", true),
            ("check in the morning of 5 december", true),
            ("turn the heating on tomorrow at 6", true),
            ("bring the laundry in tomorrow", true),
            ("drop by tomorrow", true),
            ("move on next week", true),
            ("check in 10 minutes", false),
            ("check in the morning", false),
            ("call bo in december", false),
            ("pay in tomorrow", false),
            ("turn the heating on friday", false),
            ("call bo on tomorrow", false),
            ("finish by tomorrow", false),
            ("drop it by friday", false),
            ("log the hours and call in tomorrow", true),
            ("turn it off and eat on tomorrow", false),
        ] {
            let words = Words::new(text);
            let found = (0..words.len()).any(|at| is_particle(&words, at));
            assert_eq!(found, expected, "{text}");
        }
    }
}
