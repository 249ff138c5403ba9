//! Whether a sentence states what may be kept: a question, a doubt, hearsay or a condition doesn't.
//! Also what a thing and a person can be called.

mod words;

use words::{
    ASKING, CLAUSE_WORDS, CONDITIONS, ERRANDS, FILLERS, HEDGES, OTHER_WORDS, QUESTIONS, RELATIONS,
    REQUESTS, SAYING, SECOND_REQUESTS,
};

use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Words of a person's name.
const NAME_WORDS_MAX: usize = 6;
/// Words before "said" in "my sister Eva said".
const SPEAKER_WORDS_MAX: usize = 3;

/// Whether a sentence states something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceKind {
    Statement,
    Question,
    Doubt,
}

/// Whether it is asked for in the form of a question: "can you note …?"
fn is_request(message: &ParsedMessage) -> bool {
    static ASKED: Phrases =
        Phrases::new(&["can you", "can u", "could you", "would you", "will you"]);
    (0..message.start).any(|at| message.words.after(at, &ASKED).is_some())
}

/// Whether it is only wished for: "I want to run today".
fn is_wished(message: &ParsedMessage) -> bool {
    let wished = phrases!["i want to", "i would like to", "id like to"];
    (0..message.start).any(|at| message.words.after(at, wished).is_some())
}

/// Where the sentence begins, after words like "actually".
pub(super) fn start(message: &ParsedMessage) -> usize {
    message.words.skip(message.start, &FILLERS)
}

pub(super) fn sentence_kind(message: &ParsedMessage) -> SentenceKind {
    let (words, at) = (&message.words, start(message));
    let begins = |phrases: &Phrases| words.after(at, phrases).is_some();
    // "didn't run today" is told, "do not forget …" asked for.
    let is_asked_not_to = words.after(at, phrases!["do not"]).is_some();
    let is_told = (words.get(at) == "didnt" || is_asked_not_to) && !words.is_question();
    if is_told {
        SentenceKind::Statement
    } else if words.is_question() && !is_request(message) || begins(&ASKING) || begins(&QUESTIONS) {
        SentenceKind::Question
    } else if begins(&CONDITIONS) || is_wished(message) || after_hedge(message).is_some() {
        SentenceKind::Doubt
    } else {
        SentenceKind::Statement
    }
}

/// The word at which the question's subject begins: after "is it true that".
pub(super) fn after_question(message: &ParsedMessage) -> Option<usize> {
    message.words.after(start(message), &ASKING)
}

/// The word after a hedge: after "I think" and "Bo said that".
pub(super) fn after_hedge(message: &ParsedMessage) -> Option<usize> {
    let (words, at) = (&message.words, start(message));
    let said = || {
        (at + 1..=at + SPEAKER_WORDS_MAX).find_map(|verb| {
            let next = words.after(verb, &SAYING)?;
            let is_speaker = matches!(words.get(at), "he" | "she" | "they")
                || is_person(&words.phrase(at..verb));
            is_speaker.then_some(next)
        })
    };
    words.after(at, &HEDGES).or_else(said)
}

/// Whether a thing may be called so: no doubt, negation, clause or second request is in it.
pub(super) fn is_thing(name: &str) -> bool {
    let words = Words::new(name);
    !words.iter().any(|word| CLAUSE_WORDS.contains(word)) && !has_second_request(&words)
}

/// Whether the word belongs to a clause, so that no name has it.
pub(super) fn is_clause_word(word: &str) -> bool {
    CLAUSE_WORDS.contains(word)
}

/// "lunch, undo", "lunch and bought milk": something else is asked for or told after it.
pub(super) fn has_second_request(words: &Words) -> bool {
    follows(words, &SECOND_REQUESTS)
}

/// "today, remind me at 5 to call ann", "today. add milk to my list": something is asked for after it.
pub(super) fn has_request(words: &Words) -> bool {
    follows(words, &REQUESTS)
}

/// "lunch and tell bo"
pub(super) fn has_errand(words: &Words) -> bool {
    follows(words, &ERRANDS)
}

/// Whether one of the beginnings follows a link, or punctuation.
fn follows(words: &Words, beginnings: &Phrases) -> bool {
    let is_linked = |at: usize| {
        words.is_set_off(at - 1) || matches!(words.get(at - 1), "and" | "then" | "also" | "plus")
    };
    (1..words.len()).any(|at| is_linked(at) && words.after(at, beginnings).is_some())
}

/// Whether the words begin another request, after a link such as "and".
pub(super) fn begins_request(words: &Words) -> bool {
    let from = words.skip(
        0,
        phrases!["and then", "and also", "and", "then", "also", "plus"],
    );
    words.after(from, &SECOND_REQUESTS).is_some() || words.after(from, &ERRANDS).is_some()
}

/// Whether a person may be called so: "Ana", "my best friend Eva", "Will".
pub(super) fn is_person(name: &str) -> bool {
    // "the trip bill: Kai"
    if name.contains(':') {
        return false;
    }
    let words = Words::new(name);
    let from = words.skip(
        0,
        phrases!["my", "our", "the", "your", "his", "her", "their"],
    );
    let count = words.len().saturating_sub(from);
    let is_name = |at: usize| {
        let word = words.get(at);
        matches!(word, "will" | "may" | "an" | "can" | "do") && count == 1
            || !(CLAUSE_WORDS.contains(word)
                || OTHER_WORDS.contains(word)
                || word.starts_with(|c: char| c.is_ascii_digit()))
    };
    (1..=NAME_WORDS_MAX).contains(&count) && (from..words.len()).all(is_name)
}

/// "uncle", "friend": with a name after it one person.
pub(super) fn is_relation(word: &str) -> bool {
    RELATIONS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::MessageContext;
    use crate::assistant::builtin::parsing::read_message;
    use crate::clock::Timestamp;

    #[test]
    fn statements_are_told_from_questions_and_doubts() {
        use SentenceKind::{Doubt, Question, Statement};
        let cases = [
            ("Bo's birthday is on 3 May", Statement),
            ("is bo's birthday on 3 may", Question),
            ("isn't bo's birthday tomorrow?", Question),
            ("bo's birthday is on 3 may?", Question),
            ("could you note bo's birthday on 3 may?", Statement),
            ("is it true that netflix renews on 5 dec?", Question),
            ("when my trial ends on 5 dec remind me", Doubt),
            ("when does netflix renew", Question),
            ("i think bo's birthday is on 3 may", Doubt),
            ("bo said eva's birthday is on 5 may", Doubt),
            ("my sister told me that ana paid 30", Doubt),
            ("if ana paid 30", Doubt),
            ("maybe ana paid 30", Doubt),
            ("ana paid 30 for pizza", Statement),
            ("did run", Statement),
            ("Will paid 30", Statement),
            ("i want to run today", Doubt),
            ("spent 20 on lunch", Statement),
        ];
        for (text, expected) in cases {
            let context = MessageContext::direct(text, Timestamp(0));
            assert_eq!(sentence_kind(&read_message(&context)), expected, "{text}");
        }
    }

    #[test]
    fn names_are_told_from_parts_of_sentences() {
        let people = [
            "Ana", "my mom", "my best friend Eva", "Anna-Lena", "Will", "May", "April",
            "the twins", "Zoë", "uncle Bob", "李雷", "mom and dad",
        ];
        for name in people {
            assert!(is_person(name), "{name}");
        }
        let others = [
            "", "my", "he", "i think ana", "ana never", "ana should", "bo hasn't", "bo no longer",
            "bo might", "nobody", "yesterday ana", "if ana", "bo thinks ana", "ana says she",
            "is bo", "room 5", "will ana", "the trip bill: Kai",
        ];
        for name in others {
            assert!(!is_person(name), "{name}");
        }
        for (name, expected) in [
            ("netflix", true),
            ("my gym in Berlin", true),
            ("dinner with bo", true),
            ("is it true that netflix", false),
            ("netflix no longer", false),
            ("lunch remind me at 5", false),
            ("food but got it back", false),
            ("lunch, undo", false),
            ("lunch and bought milk", false),
            ("lunch and show my list", false),
            ("dinner and show", true),
        ] {
            assert_eq!(is_thing(name), expected, "{name}");
        }
    }
}
