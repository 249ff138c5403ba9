//! Detects words of a span that limits a reminder: "of my trip", "during the holidays". When such a
//! span begins and ends is not known here.

use std::ops::Range;

use super::task_words::is_task_word;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// Words before the noun: "the rest of my holidays".
const WORDS_BEFORE_MAX: usize = 4;

/// Sorted.
static SPANS: WordSet = WordSet::new(&[
    "advent", "autumn", "break", "challenge", "conference", "course", "cruise", "days", "diet",
    "exams", "festival", "holiday", "holidays", "internship", "journey", "leave", "lent", "life",
    "month", "months", "pregnancy", "ramadan", "season", "semester", "spring", "stay", "summer",
    "term", "treatment", "trip", "trips", "vacation", "vacations", "visit", "week", "weekend",
    "weekends", "weeks", "winter", "year",
]);

/// The index after a span at `at`, which is no part of another noun: "my trip", "december", unlike
/// "the trip report".
fn after_span(words: &Words, at: usize) -> Option<usize> {
    let is_span = |word: &str| SPANS.contains(word) || when::month(word).is_some();
    let ends = |noun: usize| {
        words.is_set_off(noun)
            || matches!(
                words.get(noun + 1),
                "" | "to" | "at" | "in" | "on" | "from" | "with" | "and" | "when" | "by"
            )
    };
    (at..=at + WORDS_BEFORE_MAX)
        .take_while(|at| !matches!(words.get(*at), "" | "to" | "at"))
        .find(|at| is_span(words.get(*at)) && ends(*at))
        .map(|noun| noun + 1)
}

/// Whether the words after a recurrence are a span in which it comes: "of december", "of my trip"
/// before the text or after it (`has_text`), or other words before a time and the text: "of the
/// fair at 9 to sell". "of my pills" and "of my trip to rome" are what it is about.
pub(super) fn names_span(words: &Words, range: Range<usize>, has_text: bool) -> bool {
    let at = range.start;
    if !matches!(words.get(at), "of" | "for") {
        return false; // most words
    }
    let is_after_time = |to: usize| {
        words.get(to) == "to"
            && (at + 1..to).any(|time| when::read(words, time).is_some_and(|(_, end)| end == to))
    };
    let Some(end) = after_span(words, at + 1) else {
        return (at + 2..range.end).any(is_after_time);
    };
    let is_month = when::month(words.get(end - 1)).is_some();
    let is_task = |to: usize| words.get(to) == "to" && is_task_word(words.get(to + 1));
    let mut tos = end..range.end;
    is_month || has_text || tos.any(|to| is_task(to) || is_after_time(to))
}

/// The index of "to" after "of my trip" at `at`, before what is to be done.
pub(super) fn before_task(words: &Words, at: usize) -> Option<usize> {
    let is_task = |to: &usize| words.get(*to) == "to" && is_task_word(words.get(to + 1));
    after_span(words, at + 1).filter(is_task)
}

/// "my trip", "december".
pub(super) fn is_span(words: &Words, at: usize) -> bool {
    after_span(words, at).is_some()
}

/// Whether words without a link tell when something is done, before "to": "the kids have school to
/// pack lunch", "my trip lasts". `tail`: the words after a time within them.
pub(super) fn tells_when(words: &Words, tail: &Range<usize>) -> bool {
    let is_noun = words
        .after(
            0,
            phrases!["my", "the", "our", "his", "her", "their", "your"],
        )
        .is_some();
    let is_after_time = !tail.is_empty() && words.get(tail.start) == "to";
    let is_task = |to: usize| words.get(to) == "to" && is_task_word(words.get(to + 1));
    let lasts = words.get(words.len().saturating_sub(1)) == "lasts";
    is_noun && (lasts || is_after_time || (2..words.len()).any(is_task))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_from_what_it_is_about() {
        for (text, expected) in [
            ("of my trip at 9 to run", true),
            ("of my trip to pack", true),
            ("of december", true),
            ("of our next summer holidays to call", true),
            ("of the fair at 9 to sell", true),
            ("of my trip", false),
            ("of my trip to rome", false),
            ("of my pills", false),
            ("for the rest of my trip at 9 to run", true),
            ("for my pills", false),
            ("of the trip report to send", false),
            ("of my flight to rome", false),
            ("at 9 of my trip", false),
            ("", false),
        ] {
            let words = Words::new(text);
            let found = names_span(&words, 0..words.len(), false);
            assert_eq!(found, expected, "{text}");
        }
        let words = Words::new("of my trip");
        assert!(names_span(&words, 0..words.len(), true));
    }

    #[test]
    fn words_that_tell_when_something_is_done() {
        for (text, tail, expected) in [
            ("the kids have school to pack lunch", "", true),
            ("my trip lasts", "", true),
            ("my trip goes on to x", "to x", true),
            ("the report", "", false),
            ("my flight to rome", "", false),
            ("call mom to say hi", "", false),
        ] {
            let words = Words::new(text);
            let tail = words.len() - Words::new(tail).len()..words.len();
            assert_eq!(tells_when(&words, &tail), expected, "{text}");
        }
    }
}
