//! The words that take back what was said before them: "no wait", "I mean", "oops". Each is here and
//! nowhere else.

use std::ops::Range;

use super::phrases::Phrases;
use super::words::Words;

/// How surely a mark corrects what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::assistant) enum MarkStrength {
    /// Only before a time: "better 5".
    BeforeTime,
    /// Before a value, or between other words after punctuation: "sorry 5".
    BeforeValue,
    /// Before all that may take the place of what was said: "I mean eggs".
    BeforeAny,
    /// Whatever follows: "no wait". An interjection and a denial together are this too.
    Sure,
}

static SURE: Phrases = Phrases::new(&["scratch that"]);
static MEANT: Phrases = Phrases::new(&["i mean", "i meant", "or rather"]);
static BEFORE_VALUE: Phrases = Phrases::new(&["correction", "make it", "make that"]);
static BEFORE_TIME: Phrases = Phrases::new(&[
    "or better", "better", "rather", "thats wrong", "wrong", "nvm", "nevermind", "never mind",
]);
/// Interjections come before a value; several may stand together.
static DENIALS: Phrases = Phrases::new(&["no", "nope", "nah", "oops", "whoops"]);
static INTERJECTIONS: Phrases = Phrases::new(&["sorry", "wait", "actually", "my bad"]);

/// Marks after the time or the value that is meant: "11 i mean", "it's 7:30 actually".
static LAST: Phrases = Phrases::new(&[
    "sorry", "actually", "actually sorry", "i meant", "i mean", "or rather", "not sorry",
    "sorry i meant", "my bad",
]);
const LAST_WORDS_MAX: usize = 3;

/// Words between a mark and what is meant.
static LINKS: Phrases = Phrases::new(&[
    "its", "it is", "it was", "thats", "that is", "that was", "make it", "make that", "i meant",
    "i mean",
]);

/// The first word after the mark at `at`, and its strength.
pub(in crate::assistant) fn after_mark(words: &Words, at: usize) -> Option<(usize, MarkStrength)> {
    let Some((mut end, is_denial)) = after_interjection(words, at) else {
        let after = |marks: &Phrases, strength| Some((words.after(at, marks)?, strength));
        return after(&MEANT, MarkStrength::BeforeAny)
            .or_else(|| after(&SURE, MarkStrength::Sure))
            .or_else(|| after(&BEFORE_VALUE, MarkStrength::BeforeValue))
            .or_else(|| after(&BEFORE_TIME, MarkStrength::BeforeTime));
    };
    let mut strength = MarkStrength::BeforeValue;
    while let Some((next, is_denial_too)) = after_interjection(words, end) {
        // "no no", "actually sorry"
        if words.get(end) != words.get(at) && (is_denial || is_denial_too) {
            strength = MarkStrength::Sure;
        }
        end = next;
    }
    Some(match words.after(end, &MEANT) {
        Some(end) => (end, MarkStrength::Sure),
        None => (end, strength),
    })
}

/// Where the mark begins that ends these words.
pub(in crate::assistant) fn last_mark(words: &Words, range: Range<usize>) -> Option<usize> {
    let first = range
        .end
        .saturating_sub(LAST_WORDS_MAX)
        .max(range.start + 1);
    (first..range.end).find(|at| words.after(*at, &LAST) == Some(range.end))
}

/// The first word after an interjection, and whether it denies.
fn after_interjection(words: &Words, at: usize) -> Option<(usize, bool)> {
    let denial = words.after(at, &DENIALS).map(|end| (end, true));
    denial.or_else(|| Some((words.after(at, &INTERJECTIONS)?, false)))
}

/// The first word after the mark at `at`; `at` where none is.
pub(in crate::assistant) fn skip_mark(words: &Words, at: usize) -> usize {
    after_mark(words, at).map_or(at, |(end, _)| end)
}

/// The first word of what is meant, after "it's", "make it" and the like.
pub(in crate::assistant) fn skip_links(words: &Words, mut at: usize) -> usize {
    while let Some(next) = words.after(at, &LINKS) {
        at = next;
    }
    at
}

/// Whether the word alone may correct something: "no", "oops".
pub(in crate::assistant) fn is_interjection(word: &str) -> bool {
    DENIALS.contains(word) || INTERJECTIONS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_a_strength_and_an_end() {
        use MarkStrength::{BeforeAny, BeforeTime, BeforeValue, Sure};
        for (text, expected) in [
            ("no wait 5", Some((2, Sure))),
            ("no, wait, I meant 5", Some((4, Sure))),
            ("sorry I mean 5", Some((3, Sure))),
            ("whoops no 5", Some((2, Sure))),
            ("scratch that 5", Some((2, Sure))),
            ("I mean 5", Some((2, BeforeAny))),
            ("no no 5", Some((2, BeforeValue))),
            ("actually wait 5", Some((2, BeforeValue))),
            ("no make it 5", Some((1, BeforeValue))),
            ("make it 5", Some((2, BeforeValue))),
            ("or rather 5", Some((2, BeforeAny))),
            ("rather 5", Some((1, BeforeTime))),
            ("never mind 5", Some((2, BeforeTime))),
            ("not 5", None),
            ("", None),
        ] {
            assert_eq!(after_mark(&Words::new(text), 0), expected, "{text}");
        }
        for (text, expected) in [
            ("it's 7:30 actually", Some(2)),
            ("9 sorry i meant", Some(1)),
            ("sorry", None),
            ("actually 9", None),
        ] {
            let words = Words::new(text);
            assert_eq!(last_mark(&words, 0..words.len()), expected, "{text}");
        }
        assert_eq!(skip_links(&Words::new("it's, I mean, 5"), 0), 3);
    }
}
