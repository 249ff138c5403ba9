//! The answer to the question what to remind of: a text, or none.

use std::ops::Range;

use super::half_understood::has_time_left;
use super::parts::{after_link, text_of};
use super::spoken_of::is_past;
use super::{REMINDER_CHARS_MAX, Words, names_nothing, repeats};
use crate::assistant::builtin::settings::is_first_name;
use crate::assistant::text::function_words::is_question_word;
use crate::assistant::text::phrases::{Phrases, phrases};

/// The whole answer is the reminder's text, unless it is a question or no answer.
pub(in crate::assistant::builtin) fn answered_text(words: &Words) -> String {
    if !may_answer(words) || is_report(words) {
        return String::new();
    }
    let text = text_of(words, after_link(words, 0)..words.len());
    match text.chars().count() <= REMINDER_CHARS_MAX
        && !has_time_left(&text)
        && !names_nothing(&text)
    {
        true => text,
        false => String::new(),
    }
}

/// A text that is nothing else: no time, and not too long.
pub(in crate::assistant::builtin) fn text_alone(
    words: &Words,
    range: Range<usize>,
) -> Option<String> {
    let text = text_of(words, range);
    let left = Words::new(&text);
    let is_alone = !text.is_empty()
        && text.chars().count() <= REMINDER_CHARS_MAX
        && !names_nothing(&text)
        && !has_time_left(&text)
        && !repeats::repeats(&left, 0..left.len());
    is_alone.then_some(text)
}

/// Whether it may tell what was asked for: no question, no "whatever", and nothing that is over.
pub(in crate::assistant::builtin) fn may_answer(words: &Words) -> bool {
    !(words.is_question() || begins_question(words) || is_shrug(words) || is_over(words))
}

/// "i had a great day", "we went home".
fn is_over(words: &Words) -> bool {
    let is_person = matches!(words.get(0), "i" | "we" | "he" | "she" | "it" | "they");
    is_person && (matches!(words.get(1), "was" | "were" | "had") || is_past(words.get(1)))
}

/// "bo is late", "i'm home", "did no wine": it tells what is so, not what to remind of. "the rent is
/// due" may be either.
fn is_report(words: &Words) -> bool {
    let is_state = |at: usize| {
        matches!(
            words.get(at),
            "is" | "was" | "has" | "had" | "are" | "were" | "isnt" | "wasnt" | "am"
        )
    };
    let is_person = is_first_name(words.get(0))
        || matches!(
            words.get(0),
            "i" | "we" | "he" | "she" | "it" | "they" | "you"
        );
    let is_short = matches!(
        words.get(0),
        "im" | "its" | "hes" | "shes" | "were" | "theyre" | "youre" | "did" | "ive" | "weve"
    );
    // "my mom is sick", unlike "my parcel is at the post office"
    let is_relative =
        || matches!(words.get(0), "my" | "our") && is_relative(words.get(1)) && is_state(2);
    is_short || is_person && is_state(1) || is_relative()
}

fn is_relative(word: &str) -> bool {
    phrases![
        "mom", "mum", "mother", "dad", "father", "parents", "sister", "brother", "son", "daughter",
        "kid", "kids", "wife", "husband", "partner", "boyfriend", "girlfriend", "friend",
        "friends", "boss", "colleague", "neighbor", "neighbour", "grandma", "grandpa", "aunt",
        "uncle", "cousin", "roommate", "flatmate", "cat", "dog"
    ]
    .contains(word)
}

/// "can you remind bob", but not "how to fix the sink".
fn begins_question(words: &Words) -> bool {
    match words.get(0) {
        word if is_question_word(word) => words.get(1) != "to",
        "can" | "could" | "would" | "will" | "should" | "shall" | "may" | "do" | "does" | "did"
        | "is" | "are" | "was" | "were" | "am" | "have" => matches!(
            words.get(1),
            "you" | "u" | "i" | "we" | "he" | "she" | "it" | "they" | "that" | "this" | "there"
        ),
        _ => false,
    }
}

/// "I don't know", "nothing".
fn is_shrug(words: &Words) -> bool {
    static SHRUGS: Phrases = Phrases::new(&[
        "i dont know", "i do not know", "dont know", "i dunno", "dunno", "idk", "i forgot",
        "i forget", "i cant remember", "i dont remember", "im not sure", "i am not sure",
        "not sure", "no idea", "i have no idea", "no clue", "nothing", "anything", "whatever",
        "something", "good question", "let me think", "wait", "hold on", "one moment", "one sec",
        "hm", "hmm", "um", "uh",
    ]);
    /// Before another shrug.
    static HEMMING: Phrases = Phrases::new(&["hm", "hmm", "hmmm", "um", "uh", "well", "ok", "oh"]);
    static MORE: Phrases = Phrases::new(&[
        "yet", "really", "now", "sorry", "actually", "anymore", "please",
    ]);
    let from = words.after(0, &HEMMING).filter(|from| *from < words.len());
    let end = words.after(from.unwrap_or(0), &SHRUGS);
    end.is_some_and(|end| end == words.len() || words.after(end, &MORE) == Some(words.len()))
}
