//! The sentences of a message, as the rules of a crisis are compared with them. It must not know the
//! rules.

use std::borrow::Cow;

use super::{classes, spelling};
use crate::assistant::builtin::words::Words;

/// Longer sentences are read in parts, which overlap.
const SENTENCE_WORDS_MAX: usize = 64;
const OVERLAP_WORDS: usize = 20;

/// A word in plain spelling.
pub(super) struct Token<'a> {
    pub(super) word: Cow<'a, str>,
    pub(super) classes: u64,
    /// Those of this word and the next together.
    pub(super) pair_classes: u64,
    pub(super) sign: u64,
    /// The word of the message that it stands for.
    pub(super) source: usize,
    pub(super) break_after: Break,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Break {
    None,
    Clause,
    Sentence,
}

pub(super) struct Sentence<'t> {
    pub(super) tokens: &'t [Token<'t>],
    /// The classes and the signs of all words.
    pub(super) classes: u64,
    pub(super) signs: u64,
    pub(super) is_first: bool,
    pub(super) is_last: bool,
}

impl<'a> Token<'a> {
    fn new(word: Cow<'a, str>, source: usize) -> Self {
        Self {
            classes: classes::of(&word),
            pair_classes: 0,
            sign: classes::sign_of(&word),
            word,
            source,
            break_after: Break::None,
        }
    }

    /// What a clause may begin with that says nothing.
    pub(super) fn is_lead(&self) -> bool {
        matches!(
            &*self.word,
            "and"
                | "but"
                | "so"
                | "then"
                | "because"
                | "hi"
                | "hey"
                | "hello"
                | "help"
                | "please"
                | "omg"
                | "oh"
                | "god"
                | "think"
                | "that"
                | "ok"
                | "or"
                | "now"
                | "well"
                | "guys"
                | "maybe"
                | "also"
                | "if"
                | "says"
                | "said"
        )
    }
}

pub(super) fn sentences<'t>(tokens: &'t [Token<'t>]) -> impl Iterator<Item = Sentence<'t>> {
    let whole = tokens.split_inclusive(|token| token.break_after == Break::Sentence);
    let parts = whole.flat_map(|sentence| {
        let step = SENTENCE_WORDS_MAX - OVERLAP_WORDS;
        let starts = (0..sentence.len().saturating_sub(OVERLAP_WORDS).max(1)).step_by(step);
        starts.map(|at| &sentence[at..(at + SENTENCE_WORDS_MAX).min(sentence.len())])
    });
    let (first, last) = (tokens.as_ptr_range().start, tokens.as_ptr_range().end);
    parts.map(move |part| Sentence {
        tokens: part,
        classes: part
            .iter()
            .fold(0, |all, token| all | token.classes | token.pair_classes),
        signs: part.iter().fold(0, |all, token| all | token.sign),
        is_first: part.as_ptr_range().start == first,
        is_last: part.as_ptr_range().end == last,
    })
}

/// The words of a message in plain spelling: short forms written out, misspelled words corrected,
/// without words that only stress others.
pub(super) fn tokens<'a>(words: &'a Words<'a>) -> Vec<Token<'a>> {
    let mut tokens: Vec<Token<'a>> = Vec::with_capacity(words.len() + 8);
    for source in 0..words.len() {
        let typed = words.original(source..source + 1);
        let break_after = break_after(words, source, typed);
        let before = tokens.last().map_or("", |token| &*token.word);
        let plain = spelling::plain(words.get(source), typed, before);
        match plain {
            Cow::Borrowed(plain) => {
                for word in plain.split(' ') {
                    push(&mut tokens, Cow::Borrowed(word), source);
                }
            }
            Cow::Owned(word) => push(&mut tokens, Cow::Owned(word), source),
        }
        if let Some(last) = tokens.last_mut() {
            last.break_after = last.break_after.max(break_after);
        }
    }
    tokens
}

fn push<'a>(tokens: &mut Vec<Token<'a>>, word: Cow<'a, str>, source: usize) {
    if spelling::is_stress(&word) {
        return;
    }
    let last = tokens.last_mut();
    let last = last.filter(|last| last.break_after == Break::None);
    let Some(last) = last else {
        tokens.push(Token::new(word, source));
        return;
    };
    let is_pair = |(first, second, _): &&(&str, &str, &str)| last.word == *first && word == *second;
    if let Some((.., one)) = ONE_WORD.iter().find(is_pair) {
        *last = Token::new(Cow::Borrowed(one), source);
    } else {
        last.pair_classes = classes::of_pair(&last.word, &word);
        tokens.push(Token::new(word, source));
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

fn break_after(words: &Words, at: usize, typed: &str) -> Break {
    let is_line = || words.original(at..at + 2).contains('\n');
    match typed.chars().next_back() {
        Some('.' | '!' | '?' | ';' | '…' | '。' | '！' | '？') => Break::Sentence,
        _ if is_line() => Break::Sentence,
        Some(',' | ':' | ')' | '"' | '-' | '–') => Break::Clause,
        _ => Break::None,
    }
}
