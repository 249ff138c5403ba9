//! Whether a sentence states what may be kept: a question, a doubt, hearsay or a condition doesn't.
//! Also what a thing and a person can be called. It knows no superpower.

use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::words::Words;

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

/// Words that ask, before what is asked about.
const ASKING: [&str; 30] = [
    "is it true that",
    "is it true",
    "is it right that",
    "is it correct that",
    "do you know if",
    "do you know whether",
    "do you know that",
    "tell me if",
    "tell me whether",
    "i wonder if",
    "any idea if",
    "are you sure that",
    "are you sure",
    "is it",
    "isnt it",
    "was it",
    "is",
    "isnt",
    "are",
    "arent",
    "was",
    "wasnt",
    "were",
    "has",
    "hasnt",
    "does",
    "doesnt",
    "didnt",
    "do",
    "so is",
];
/// Words that begin other questions.
const QUESTIONS: [&str; 22] = [
    "who",
    "whos",
    "whose",
    "what",
    "whats",
    "where",
    "wheres",
    "which",
    "why",
    "how",
    "hows",
    "when is",
    "when was",
    "when does",
    "when do",
    "when will",
    "when did",
    "whens",
    "could",
    "would",
    "should",
    "shall",
];
/// Words that begin a condition, or what is only supposed.
const CONDITIONS: [&str; 27] = [
    "if",
    "when",
    "whenever",
    "unless",
    "once",
    "until",
    "till",
    "while",
    "whether",
    "because",
    "in case",
    "as soon as",
    "suppose",
    "supposing",
    "imagine",
    "assuming",
    "maybe",
    "perhaps",
    "possibly",
    "im not sure",
    "i am not sure",
    "i doubt",
    "i hope",
    "i wish",
    "not sure",
    "unsure",
    "no idea",
];
/// Words in which somebody tells what they believe or have heard, before it.
const HEDGES: [&str; 25] = [
    "i think that",
    "i think",
    "i believe that",
    "i believe",
    "i guess",
    "i suppose",
    "i heard that",
    "i heard",
    "i was told that",
    "i was told",
    "im pretty sure that",
    "im pretty sure",
    "im fairly sure",
    "im sure that",
    "im sure",
    "apparently",
    "probably",
    "supposedly",
    "pretty sure",
    "fairly sure",
    "actually",
    "btw",
    "fyi",
    "by the way",
    "no actually",
];
const SAYING: [&str; 14] = [
    "said that",
    "said",
    "says that",
    "says",
    "told me that",
    "told me",
    "tells me that",
    "tells me",
    "thinks that",
    "thinks",
    "mentioned that",
    "mentioned",
    "claims that",
    "claims",
];

/// Whether it is asked for in the form of a question: "can you note …?"
fn is_request(message: &ParsedMessage<'_>) -> bool {
    let asked = ["can you", "can u", "could you", "would you", "will you"];
    (0..message.start).any(|at| message.words.after(at, &asked).is_some())
}

/// Whether it is only wished for: "I want to run today".
fn is_wished(message: &ParsedMessage<'_>) -> bool {
    let wished = ["i want to", "i would like to", "id like to"];
    (0..message.start).any(|at| message.words.after(at, &wished).is_some())
}

pub(super) fn sentence_kind(message: &ParsedMessage<'_>) -> SentenceKind {
    let (words, at) = (&message.words, message.start);
    let begins = |phrases: &[&str]| words.after(at, phrases).is_some();
    if words.is_question() && !is_request(message) || begins(&ASKING) || begins(&QUESTIONS) {
        SentenceKind::Question
    } else if begins(&CONDITIONS) || is_wished(message) || after_hedge(message).is_some() {
        SentenceKind::Doubt
    } else {
        SentenceKind::Statement
    }
}

/// Where that begins which is asked about: after "is it true that".
pub(super) fn after_question(message: &ParsedMessage<'_>) -> Option<usize> {
    message.words.after(message.start, &ASKING)
}

/// Where that begins which somebody believes or has heard: after "I think" and "Bo said that".
pub(super) fn after_hedge(message: &ParsedMessage<'_>) -> Option<usize> {
    let (words, at) = (&message.words, message.start);
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
    !Words::new(name)
        .iter()
        .any(|word| CLAUSE_WORDS.contains(&word))
}

/// Whether a person may be called so: "Ana", "my best friend Eva", "Will".
pub(super) fn is_person(name: &str) -> bool {
    let words = Words::new(name);
    let from = words
        .after(0, &["my", "our", "the", "your", "his", "her", "their"])
        .unwrap_or(0);
    let count = words.len().saturating_sub(from);
    let is_name = |at: usize| {
        let word = words.get(at);
        matches!(word, "will" | "may" | "an" | "can" | "do") && count == 1
            || !(CLAUSE_WORDS.contains(&word)
                || OTHER_WORDS.contains(&word)
                || word.starts_with(|c: char| c.is_ascii_digit()))
    };
    (1..=NAME_WORDS_MAX).contains(&count) && (from..words.len()).all(is_name)
}

/// Words of a clause, a doubt or a negation.
const CLAUSE_WORDS: [&str; 80] = [
    "i",
    "im",
    "ive",
    "he",
    "hes",
    "she",
    "shes",
    "they",
    "theyre",
    "we",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "does",
    "did",
    "should",
    "would",
    "could",
    "might",
    "must",
    "not",
    "never",
    "nobody",
    "noone",
    "none",
    "neither",
    "isnt",
    "arent",
    "wasnt",
    "werent",
    "hasnt",
    "havent",
    "hadnt",
    "doesnt",
    "dont",
    "didnt",
    "wont",
    "cant",
    "couldnt",
    "wouldnt",
    "shouldnt",
    "longer",
    "maybe",
    "perhaps",
    "probably",
    "possibly",
    "supposedly",
    "apparently",
    "hopefully",
    "almost",
    "nearly",
    "if",
    "when",
    "whenever",
    "unless",
    "whether",
    "because",
    "but",
    "although",
    "think",
    "thinks",
    "thought",
    "believe",
    "believes",
    "guess",
    "heard",
    "said",
    "says",
    "told",
    "claims",
    "claimed",
    "knows",
    "wonder",
    "remind",
    "owe",
    "owes",
];

/// Other words that no person is called: pronouns, prepositions, times.
const OTHER_WORDS: [&str; 101] = [
    "it",
    "its",
    "him",
    "her",
    "them",
    "you",
    "me",
    "us",
    "my",
    "your",
    "his",
    "their",
    "this",
    "that",
    "these",
    "those",
    "a",
    "an",
    "the",
    "to",
    "for",
    "from",
    "at",
    "on",
    "in",
    "with",
    "by",
    "about",
    "than",
    "what",
    "who",
    "whose",
    "which",
    "where",
    "why",
    "how",
    "somebody",
    "someone",
    "anybody",
    "anyone",
    "no",
    "can",
    "will",
    "may",
    "do",
    "be",
    "been",
    "just",
    "already",
    "still",
    "always",
    "also",
    "only",
    "yet",
    "ever",
    "so",
    "too",
    "then",
    "now",
    "today",
    "yesterday",
    "tomorrow",
    "tonight",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "last",
    "next",
    "paid",
    "pays",
    "pay",
    "spent",
    "add",
    "sure",
    "actually",
    "btw",
    "fyi",
    "anyway",
    "oh",
    "ok",
    "okay",
    "yes",
    "yeah",
    "hey",
    "hi",
    "sorry",
    "please",
    "thanks",
    "every",
    "each",
    "all",
    "any",
    "both",
    "another",
    "more",
    "most",
    "well",
];

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
            let context = MessageContext {
                text,
                now: Timestamp(0),
                timezone: None,
                persona: "Juno",
                group: false,
                has_photos: false,
            };
            assert_eq!(sentence_kind(&read_message(&context)), expected, "{text}");
        }
    }

    #[test]
    fn names_are_told_from_parts_of_sentences() {
        let people = [
            "Ana",
            "my mom",
            "my best friend Eva",
            "Anna-Lena",
            "Will",
            "May",
            "April",
            "the twins",
            "Zoë",
            "uncle Bob",
            "李雷",
            "mom and dad",
        ];
        for name in people {
            assert!(is_person(name), "{name}");
        }
        let others = [
            "",
            "my",
            "he",
            "i think ana",
            "ana never",
            "ana should",
            "bo hasn't",
            "bo no longer",
            "bo might",
            "nobody",
            "yesterday ana",
            "if ana",
            "bo thinks ana",
            "ana says she",
            "is bo",
            "room 5",
            "will ana",
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
        ] {
            assert_eq!(is_thing(name), expected, "{name}");
        }
    }
}
