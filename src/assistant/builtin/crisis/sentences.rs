//! The sentences of a message, as the patterns of a crisis are compared with them.

use std::borrow::Cow;

use super::{classes, spelling};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// Longer sentences are read in parts, which overlap.
const SENTENCE_WORDS_MAX: usize = 64;
const OVERLAP_WORDS: usize = 20;

/// A word in plain spelling.
pub(super) struct PlainWord<'a> {
    pub(super) word: Cow<'a, str>,
    pub(super) classes: u64,
    /// The classes of this word and the next together.
    pub(super) pair_classes: u64,
    pub(super) sign: u64,
    /// The place of the typed word in the message.
    pub(super) source: usize,
    pub(super) boundary_after: Boundary,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Boundary {
    None,
    Clause,
    Sentence,
}

pub(super) struct Sentence<'t> {
    pub(super) plain_words: &'t [PlainWord<'t>],
    /// The classes and the signs of all words.
    pub(super) classes: u64,
    pub(super) signs: u64,
    pub(super) is_first: bool,
    pub(super) is_last: bool,
}

impl<'a> PlainWord<'a> {
    fn new(word: Cow<'a, str>, source: usize) -> Self {
        Self {
            classes: classes::of(&word),
            pair_classes: 0,
            sign: classes::sign_of(&word),
            word,
            source,
            boundary_after: Boundary::None,
        }
    }

    /// Whether this may be somebody's name: no word that is in many messages or in crises.
    pub(super) fn may_be_name(&self) -> bool {
        self.classes == 0
            && classes::frequency(&self.word) == 1
            && self.word.chars().all(char::is_alphabetic)
            && !self.is_lead()
    }

    /// Whether this is a word at a clause's start that says nothing.
    pub(super) fn is_lead(&self) -> bool {
        phrases![
            "and", "but", "so", "then", "because", "hi", "hey", "hello", "help", "please", "omg",
            "oh", "god", "think", "that", "ok", "or", "now", "well", "guys", "maybe", "also", "if",
            "says", "said"
        ]
        .contains(&self.word)
    }
}

pub(super) fn sentences<'t>(
    plain_words: &'t [PlainWord<'t>],
) -> impl Iterator<Item = Sentence<'t>> {
    let whole =
        plain_words.split_inclusive(|plain_word| plain_word.boundary_after == Boundary::Sentence);
    let parts = whole.flat_map(|sentence| {
        let step = SENTENCE_WORDS_MAX - OVERLAP_WORDS;
        let starts = (0..sentence.len().saturating_sub(OVERLAP_WORDS).max(1)).step_by(step);
        starts.map(|at| &sentence[at..(at + SENTENCE_WORDS_MAX).min(sentence.len())])
    });
    let (first, last) = (
        plain_words.as_ptr_range().start,
        plain_words.as_ptr_range().end,
    );
    parts.map(move |part| Sentence {
        plain_words: part,
        classes: part.iter().fold(0, |all, plain_word| {
            all | plain_word.classes | plain_word.pair_classes
        }),
        signs: part.iter().fold(0, |all, plain_word| all | plain_word.sign),
        is_first: part.as_ptr_range().start == first,
        is_last: part.as_ptr_range().end == last,
    })
}

/// The words of a message in plain spelling: short forms written out, misspelled words corrected,
/// without words that only stress others.
pub(super) fn plain_words<'a>(words: &'a Words<'a>) -> Vec<PlainWord<'a>> {
    let mut plain_words: Vec<PlainWord<'a>> = Vec::with_capacity(words.len() + 8);
    for source in 0..words.len() {
        let typed = words.original(source..source + 1);
        let boundary_after = boundary_after(words, source, typed);
        let before = plain_words
            .last()
            .map_or("", |plain_word| &*plain_word.word);
        let plain = spelling::plain(words.get(source), typed, before);
        match plain {
            Cow::Borrowed(plain) => {
                for word in plain.split(' ') {
                    push(&mut plain_words, Cow::Borrowed(word), source);
                }
            }
            Cow::Owned(word) => push(&mut plain_words, Cow::Owned(word), source),
        }
        if let Some(last) = plain_words.last_mut() {
            last.boundary_after = last.boundary_after.max(boundary_after);
        }
    }
    plain_words
}

fn push<'a>(plain_words: &mut Vec<PlainWord<'a>>, word: Cow<'a, str>, source: usize) {
    if spelling::is_stress(&word) {
        return;
    }
    let last = plain_words.last_mut();
    let last = last.filter(|last| last.boundary_after == Boundary::None);
    let Some(last) = last else {
        plain_words.push(PlainWord::new(word, source));
        return;
    };
    let is_pair = |(first, second, _): &&(&str, &str, &str)| last.word == *first && word == *second;
    if let Some((.., one)) = ONE_WORD.iter().find(is_pair) {
        *last = PlainWord::new(Cow::Borrowed(one), source);
    } else {
        last.pair_classes = classes::of_pair(&last.word, &word);
        plain_words.push(PlainWord::new(word, source));
    }
}

/// Two words, and what they mean.
const ONE_WORD: [(&str, &str, &str); 12] = [
    ("any", "longer", "anymore"),
    ("any", "more", "anymore"),
    ("her", "self", "herself"),
    ("him", "self", "himself"),
    ("my", "self", "myself"),
    ("no", "longer", "not"),
    ("no", "one", "nobody"),
    ("sewer", "slide", "suicide"),
    ("some", "body", "somebody"),
    ("some", "one", "someone"),
    ("want", "2", "want"),
    ("want", "too", "want"),
];

/// Whether a word stands for itself alone, whatever is before it.
pub(super) fn stands_alone(word: &str) -> bool {
    let is_second = |(_, second, _): &(&str, &str, &str)| *second == word;
    spelling::is_plain(word) && !ONE_WORD.iter().any(is_second)
}

fn boundary_after(words: &Words, at: usize, typed: &str) -> Boundary {
    let is_line = || words.original(at..at + 2).contains('\n');
    match typed.chars().next_back() {
        Some('.' | '!' | '?' | ';' | '…' | '。' | '！' | '？') => Boundary::Sentence,
        _ if is_line() => Boundary::Sentence,
        Some(',' | ':' | ')' | '"' | '-' | '–') => Boundary::Clause,
        _ => Boundary::None,
    }
}
