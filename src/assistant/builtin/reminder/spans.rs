//! Detects words of a span that limits a reminder: "of my trip", "during the holidays". When such a
//! span begins and ends is not known here.

use std::ops::Range;

use super::task_words::is_task_word;
use crate::assistant::builtin::phrases::phrases;
use crate::assistant::builtin::when;
use crate::assistant::builtin::word_set::WordSet;
use crate::assistant::builtin::words::Words;

/// Words before the noun: "of our next summer holidays".
const WORDS_BEFORE_MAX: usize = 3;

/// Sorted.
static SPANS: WordSet<256> = WordSet::new(&[
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
    let noun = (at..=at + WORDS_BEFORE_MAX)
        .take_while(|at| !matches!(words.get(*at), "" | "to" | "at"))
        .find(|at| is_span(words.get(*at)))?;
    let next = words.get(noun + 1);
    let ends = words.is_set_off(noun)
        || matches!(
            next,
            "" | "to" | "at" | "in" | "on" | "from" | "with" | "and" | "when" | "by"
        );
    ends.then_some(noun + 1)
}

/// Whether the words after a recurrence are a span in which it comes: "of my trip", or other words
/// before the time of the text: "of the fair at 9 to sell". "of my pills" is what it is about.
pub(super) fn names_span(words: &Words, range: Range<usize>) -> bool {
    let at = range.start;
    if words.get(at) != "of" {
        return false; // most words
    }
    let is_before_text = |to: usize| {
        words.get(to) == "to"
            && (at + 1..to).any(|time| when::read(words, time).is_some_and(|(_, end)| end == to))
    };
    after_span(words, at + 1).is_some() || (at + 2..range.end).any(is_before_text)
}

/// The index of "to" after "of my trip" at `at`, before what is to be done.
pub(super) fn before_task(words: &Words, at: usize) -> Option<usize> {
    let is_task = |to: &usize| words.get(*to) == "to" && is_task_word(words.get(to + 1));
    after_span(words, at + 1).filter(is_task)
}

/// "during my trip", "through the holidays".
pub(super) fn is_through_span(words: &Words, at: usize) -> bool {
    after_span(words, at + 1).is_some()
}

/// Whether words without a link tell when something is done, before "to": "the kids have school to
/// pack lunch", "my trip lasts to run". `tail`: the words after a time within them.
pub(super) fn tells_when(words: &Words, tail: &Range<usize>) -> bool {
    let is_noun = words
        .after(0, phrases!["my", "the", "our", "his", "her", "their", "your"])
        .is_some();
    let is_after_time = !tail.is_empty() && words.get(tail.start) == "to";
    let is_task = |to: usize| words.get(to) == "to" && is_task_word(words.get(to + 1));
    is_noun && (is_after_time || (2..words.len()).any(is_task))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_from_what_it_is_about() {
        for (text, expected) in [
            ("of my trip at 9 to run", true),
            ("of december to run", true),
            ("of our next summer holidays", true),
            ("of the fair at 9 to sell", true),
            ("of my pills", false),
            ("of the trip report", false),
            ("of my flight to rome", false),
            ("at 9 of my trip", false),
            ("", false),
        ] {
            let words = Words::new(text);
            assert_eq!(names_span(&words, 0..words.len()), expected, "{text}");
        }
    }
}
