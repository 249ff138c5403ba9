//! Parses that something has another value now: "wifi password changed to xyz".

use std::ops::Range;

use super::{
    CLAUSE_WORDS, DOUBTS, NOUN_WORDS_MAX, STATES, VALUE_WORDS_MAX, WORDS_MAX, is_fact, is_one_of,
    tidied,
};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Something that has another value now: "wifi password changed to xyz".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactChange {
    /// "wifi password", without an article.
    pub subject: String,
    pub value: String,
    /// Whether it is worth a memory where none is of it.
    pub is_fact: bool,
}

pub(in crate::assistant::builtin) fn changed_fact(message: &ParsedMessage) -> Option<FactChange> {
    let (words, at) = (&message.words, message.start);
    let is_doubt = |word: &str| word != "was" && is_one_of(DOUBTS, word);
    let is_told = |word: &str| matches!(word, "changed" | "new");
    if words.len() > WORDS_MAX || !words.iter().any(is_told) || words.iter().any(is_doubt) {
        return None;
    }
    let (subject, value) = renewed(words, at).or_else(|| changed(words, at))?;
    let is_thing = (1..=NOUN_WORDS_MAX).contains(&subject.len())
        && !subject
            .clone()
            .any(|n| is_one_of(CLAUSE_WORDS, words.get(n)));
    let is_short = (1..=VALUE_WORDS_MAX).contains(&(words.len().saturating_sub(value)));
    if !is_thing || !is_short || is_one_of(STATES, words.get(value)) {
        return None;
    }
    let subject = words.original(subject).to_owned();
    let value = tidied(words.original(value..words.len()));
    let value = value.trim_end_matches(['.', '!']).trim_end().to_owned();
    let is_fact = is_fact(&Words::new(&format!("my {subject} is {value}")), 0);
    Some(FactChange {
        subject,
        value,
        is_fact,
    })
}

/// "the new wifi password is xyz": what, and where its value begins.
fn renewed(words: &Words, at: usize) -> Option<(Range<usize>, usize)> {
    let from = words.after(at, phrases!["the new", "my new", "our new", "new"])?;
    let verb = (from + 1..=from + NOUN_WORDS_MAX).find(|n| words.get(*n) == "is")?;
    Some((from..verb, verb + 1))
}

/// "wifi password was changed to xyz", "i changed my pin to 4321".
fn changed(words: &Words, at: usize) -> Option<(Range<usize>, usize)> {
    static BY_SOMEBODY: Phrases = Phrases::new(&[
        "i changed", "ive changed", "i just changed", "we changed", "weve changed", "they changed",
        "theyve changed", "changed", "just changed",
    ]);
    if let Some(from) = words.after(at, &BY_SOMEBODY) {
        let from = words.after_article(from)?;
        let to = (from + 1..=from + NOUN_WORDS_MAX).find(|n| words.get(*n) == "to")?;
        return Some((from..to, to + 1));
    }
    static CHANGED: Phrases = Phrases::new(&[
        "changed to", "has changed to", "was changed to", "got changed to", "is changed to",
        "has been changed to", "just changed to",
    ]);
    let from = words.skip_article(at);
    let verb = |n: usize| Some((n, words.after(n, &CHANGED)?));
    let (verb, value) = (from + 1..=from + NOUN_WORDS_MAX).find_map(verb)?;
    Some((from..verb, value))
}
