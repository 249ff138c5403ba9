//! Splits a message into words, without the assistant's name and courtesies.

use std::cell::Cell;

use super::{MessageContext, ParsedMessage, crisis};
use crate::assistant::addresses;
use crate::assistant::text::clauses::reason_after_comma;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::word_set::{HashedWord, WordSet};
use crate::assistant::text::words::Words;

/// Most words of a fixed phrase.
const PHRASE_WORDS_MAX: usize = 14;

pub(in crate::assistant) fn read_message<'a>(context: &'a MessageContext<'a>) -> ParsedMessage<'a> {
    let mut words = Words::new(context.text);
    let is_addressed = !context.group || addresses(context.text, context.persona);
    let mut end = words.len();
    if is_addressed && !context.persona.is_empty() {
        end = drop_name(&mut words, context.persona);
    }
    let mut start = after_courtesies(&words);
    if is_addressed && let Some(request) = without_reason(&words, start) {
        (words, start) = (Words::new(request), 0);
        end = words.len();
    }
    let end = before_courtesies(&words, start, end);
    let (mut phrase, mut phrase_start) = (String::new(), 0);
    if end <= PHRASE_WORDS_MAX {
        phrase = words.phrase(0..end);
        phrase_start = match words.phrase(0..start.min(end)).len() {
            0 => 0,
            before => (before + 1).min(phrase.len()),
        };
    }
    ParsedMessage {
        context,
        words,
        start,
        is_addressed,
        phrase,
        phrase_start,
        depends_on_zone: Cell::new(false),
    }
}

/// A request without the reason for it: "cancel the gym" for "cancel the gym, i'm injured". `None` for
/// most messages, and where the reason tells of a crisis.
fn without_reason<'a>(words: &Words<'a>, start: usize) -> Option<&'a str> {
    let may_have_reason = matches!(
        words.get(start),
        "cancel"
            | "delete"
            | "remove"
            | "stop"
            | "add"
            | "put"
            | "cross"
            | "tick"
            | "got"
            | "bought"
            | "done"
            | "skip"
    );
    if !may_have_reason || words.len() > PHRASE_WORDS_MAX {
        return None;
    }
    let reason = reason_after_comma(words, start + 1..words.len())?;
    if crisis::kind(words).is_some() {
        return None;
    }
    let request = words.original(start..reason);
    Some(request.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '"' | '”')))
}

/// Removes the name at the start ("hey Juno, …"), and at the end if punctuation separates it.
/// Without punctuation ("call Juno") it may be part of the text: then the number of words without
/// it is returned, for fixed phrases.
pub(super) fn drop_name(words: &mut Words, persona: &str) -> usize {
    if !may_have_name(words, persona) {
        return words.len(); // most messages
    }
    let name = Words::new(persona);
    let name: Vec<&str> = name.iter().collect();
    let count = name.len();
    if count == 0 {
        return words.len();
    }
    let is_name = |words: &Words, at: usize| {
        name.iter().enumerate().all(|(n, part)| {
            let word = words.get(at + n);
            word == *part
        })
    };
    let mut at = 0;
    while !is_name(words, at) && is_courtesy(words.hashed(at)) {
        at += 1;
    }
    if is_name(words, at) {
        words.drop_words(at..at + count);
    }
    let Some(before) = words.len().checked_sub(count) else {
        return words.len();
    };
    if !is_name(words, before) {
        return words.len();
    }
    if before == 0 || words.is_set_off(before - 1) {
        words.drop_words(before..before + count);
    }
    before
}

/// Whether a word begins like the name. Only letters stay as they are typed.
fn may_have_name(words: &Words, persona: &str) -> bool {
    match persona.as_bytes().first() {
        Some(first) if first.is_ascii_alphabetic() => {
            let first = first.to_ascii_lowercase();
            words
                .iter()
                .any(|word| word.as_bytes().first() == Some(&first))
        }
        _ => true,
    }
}

/// A word of courtesy before a request.
fn is_courtesy(word: HashedWord) -> bool {
    COURTESIES.contains(word)
}

static COURTESIES: WordSet = WordSet::new(&[
    "afternoon", "alright", "also", "and", "bruh", "btw", "damn", "dang", "dear", "er", "erm",
    "evening", "fyi", "good", "haha", "hallo", "hello", "hey", "hi", "hiya", "hm", "hmm", "just",
    "kindly", "lmao", "lol", "morning", "now", "oh", "ok", "okay", "omg", "please", "pls", "plz",
    "so", "thanks", "there", "ugh", "uh", "um", "well", "yo",
]);

fn after_courtesies(words: &Words) -> usize {
    static PHRASES: Phrases = Phrases::new(&[
        "good morning", "good afternoon", "good evening", "by the way", "hey there", "hi there",
        "hello there", "thank you", "can you", "can u", "could you", "would you", "will you",
        "can ya", "could u", "could ya", "cud u", "cud you", "cld u", "would u", "wld u", "will u",
        "cn u", "can yu", "can yo", "are you able to", "are u able to", "r u able to",
        "id want you to", "i need u to", "i want u to", "i want you to", "i need you to",
        "i would like you to", "id like you to", "i want to", "i would like to", "id like to",
        "i should like to", "would you mind", "be so kind and", "be so kind as to", "you should",
        "is it possible to", "would it be possible to", "would it be possible for you to",
        "i was wondering if you could", "i wonder if you could", "might i ask you to",
        "may i ask you to", "can i ask you to", "id appreciate it if you could",
        "i would appreciate it if you could", "id be grateful if you could",
        "i would be grateful if you could", "if you dont mind", "if its no trouble", "if possible",
        "when you have a moment",
    ]);
    let mut at = 0;
    while at < words.len() {
        if let Some(next) = words.after(at, &PHRASES) {
            at = next;
        } else if is_courtesy(words.hashed(at))
            && !matches!(
                words.get(at),
                "good" | "morning" | "afternoon" | "evening" | "there"
            )
        {
            at += 1;
        } else {
            break;
        }
    }
    asked_again(words, at).unwrap_or(at)
}

/// The question of "remind me what i have tomorrow": nothing is to be remembered later. "when i get
/// home" tells a time, and "what to buy" may be a text.
fn asked_again(words: &Words, at: usize) -> Option<usize> {
    if words.get(at) != "remind" {
        return None; // most messages
    }
    let from = words.after(at, phrases!["remind me again", "remind me", "remind us"])?;
    let is_question = match words.get(from) {
        "what" | "where" | "who" | "how" | "which" => words.get(from + 1) != "to",
        "whats" | "whos" | "wheres" | "whens" | "hows" | "whose" => true,
        "when" => {
            let last = words.get(words.len() - 1);
            matches!(last, "is" | "are" | "was" | "were" | "expires" | "due")
        }
        _ => false,
    };
    is_question.then_some(from)
}

fn before_courtesies(words: &Words, start: usize, end: usize) -> usize {
    let mut end = end;
    while end > start + 1
        && matches!(
            words.get(end - 1),
            "please" | "pls" | "plz" | "now" | "then"
        )
    {
        end -= 1;
    }
    end
}
