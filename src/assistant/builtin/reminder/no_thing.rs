//! Texts that name no thing to be reminded of: "it", "also", "the last one", "9". What is meant is asked.

use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::amount;
use crate::assistant::text::words::Words;

/// A longer text names something.
const WORDS_MAX: usize = 6;

/// What was spoken of before; the longer phrases first.
static REFERRING: Phrases = Phrases::new(&[
    "a note to my reminder", "a note to the reminder", "note to my reminder",
    "note to the reminder", "all of it", "all of them", "all of these", "all of this",
    "both of them", "both of these", "the first one", "the last one", "the next one",
    "the other one", "the other thing", "the same thing", "the second one", "the third one",
    "all five", "all four", "all three", "another one", "first one", "last one", "my reminder",
    "second one", "that one", "that reminder", "the one", "the other", "the reminder", "the same",
    "this one", "this reminder", "all", "another", "both", "everything", "it", "one", "same",
    "that", "them", "these", "this", "those",
]);

/// Words beside it.
static ADVERBS: Phrases = Phrases::new(&[
    "also", "back", "too", "as well", "again", "instead", "then", "though", "please", "so",
    "sorry", "now", "pls", "once more", "and", "just", "of", "about", "at", "twice",
]);

/// Words by which a pronoun and a time are no thing: "them two days earlier", "that next shift".
static COUNTED: Phrases = Phrases::new(&["next", "earlier", "later", "before", "every", "each"]);

pub(super) fn names_nothing(text: &str) -> bool {
    let words = Words::new(text);
    if words.len() == 0 || words.len() > WORDS_MAX {
        return false;
    }
    let mut from = 0;
    while let Some(next) = words.after(from, &ADVERBS) {
        from = next;
    }
    let hour = words.skip(from, phrases!["at", "on", "by"]);
    if from == words.len() || is_number(&words, hour) {
        return true;
    }
    let Some(mut end) = words.after(from, &REFERRING) else {
        return false;
    };
    let is_pronoun = matches!(words.get(from), "it" | "them" | "that" | "this" | "these");
    if is_pronoun && end == from + 1 && is_counted(&words, end) {
        return true;
    }
    while let Some(next) = words.after(end, &ADVERBS) {
        end = next;
    }
    end == words.len()
}

/// "9", "nine": more likely an hour.
fn is_number(words: &Words, at: usize) -> bool {
    let word = words.get(at);
    let is_digits = word.bytes().all(|byte| byte.is_ascii_digit());
    at + 1 == words.len() && (is_digits || amount::is_number(word))
}

fn is_counted(words: &Words, at: usize) -> bool {
    words.after(at, &COUNTED).is_some()
        || words.len() > at && words.after(words.len() - 1, &COUNTED).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refers_to_something_names_nothing() {
        for (text, expected) in [
            ("it", true),
            ("also", true),
            ("as well", true),
            ("it too", true),
            ("the last one", true),
            ("all three", true),
            ("9", true),
            ("nine", true),
            ("on 19", true),
            ("them two days earlier", true),
            ("that next shift", true),
            ("", false),
            ("the one ring", false),
            ("all the plants", false),
            ("both dogs", false),
            ("it support", false),
            ("this week's shopping", false),
            ("9 eggs", false),
            ("nine lives", false),
            ("also call bo", false),
            ("that book", false),
        ] {
            assert_eq!(names_nothing(text), expected, "{text}");
        }
    }
}
