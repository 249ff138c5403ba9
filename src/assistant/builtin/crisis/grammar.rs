//! The notation in which a crisis is described, and how a sentence is compared with it.
//!
//! A pattern is a line of parts, in the order of the sentence:
//!
//! - `breathe`: this word; `breathe|breath`: one of them
//! - `NEAR`: a word of this class (`classes`); `NEAR|he|$`: one of them, or the end of the clause
//! - `NAME`: a word that may be somebody's name
//! - `my?`: may be missing
//! - `..`: at most four words of the same clause; `...`: at most eight words of the sentence
//! - `^`: the start of the clause; `<` and `>`: the start and the end of the message
//! - `wake_up`: these words, one after the other

use std::borrow::Cow;

use super::classes;
use super::sentences::{Boundary, PlainWord, Sentence};
use super::spelling;

pub(super) struct CrisisPattern {
    parts: Vec<PatternPart>,
}

enum PatternPart {
    Word(WordPattern),
    Gap {
        words_max: usize,
        leaves_clause: bool,
    },
    ClauseStart,
    MessageStart,
    MessageEnd,
}

struct WordPattern {
    classes: u64,
    words: Vec<Cow<'static, str>>,
    /// Several words, one after the other.
    phrases: Vec<Vec<Cow<'static, str>>>,
    /// A bit for each of the words.
    signs: u64,
    or_end: bool,
    is_optional: bool,
    or_name: bool,
}

impl CrisisPattern {
    pub(super) fn new(line: &'static str) -> Self {
        Self {
            parts: line.split(' ').map(PatternPart::new).collect(),
        }
    }

    /// The pattern, and where "I" comes first, the same without it: "wish i was dead".
    pub(super) fn with_dropped_subject(line: &'static str) -> impl Iterator<Item = Self> {
        let dropped = line.strip_prefix("I .. ").map(|rest| Self {
            parts: [PatternPart::ClauseStart]
                .into_iter()
                .chain(rest.split(' ').map(PatternPart::new))
                .collect(),
        });
        [Self::new(line)].into_iter().chain(dropped)
    }

    /// The words by which the sentence says this, each time: a bit for each, without gaps.
    pub(super) fn find<'s>(&'s self, sentence: &'s Sentence<'_>) -> impl Iterator<Item = u64> + 's {
        let all = match self.may_be_in(sentence.classes, sentence.signs) {
            true => 0..sentence.plain_words.len(),
            false => 0..0,
        };
        all.filter_map(|at| words_of(&self.parts, sentence, at))
    }

    pub(super) fn is_in(&self, sentence: &Sentence) -> bool {
        self.find(sentence).next().is_some()
    }

    /// A quick look: each part has a word of these classes and signs.
    pub(super) fn may_be_in(&self, classes: u64, signs: u64) -> bool {
        self.needed_parts()
            .all(|word| word.classes & classes != 0 || word.signs & signs != 0)
    }

    fn needed_parts(&self) -> impl Iterator<Item = &WordPattern> {
        self.parts.iter().filter_map(|part| match part {
            PatternPart::Word(word) if !word.is_optional && !word.or_end && !word.or_name => {
                Some(word)
            }
            _ => None,
        })
    }

    /// The words of the part that is in the fewest messages: one of them is in the message.
    pub(super) fn needed_words(&'static self) -> Vec<&'static str> {
        let parts = self.needed_parts().map(WordPattern::all);
        let cost = |words: &Vec<&str>| {
            words
                .iter()
                .map(|word| classes::frequency(word))
                .sum::<usize>()
        };
        parts.min_by_key(cost).unwrap_or_default()
    }
}

impl PatternPart {
    fn new(part: &'static str) -> Self {
        match part {
            ".." => Self::Gap {
                words_max: 4,
                leaves_clause: false,
            },
            "..." => Self::Gap {
                words_max: 8,
                leaves_clause: true,
            },
            "^" => Self::ClauseStart,
            "<" => Self::MessageStart,
            ">" => Self::MessageEnd,
            _ => Self::Word(WordPattern::new(part)),
        }
    }
}

impl WordPattern {
    fn new(part: &'static str) -> Self {
        let bare = part.strip_suffix('?');
        let mut word = Self {
            classes: 0,
            words: Vec::new(),
            phrases: Vec::new(),
            signs: 0,
            or_end: false,
            is_optional: bare.is_some(),
            or_name: false,
        };
        for one in bare.unwrap_or(part).split('|') {
            if one == "$" {
                word.or_end = true;
            } else if one == "NAME" {
                word.or_name = true;
            } else if one.bytes().all(|byte| byte.is_ascii_uppercase()) {
                word.classes |= classes::bit(one);
            } else {
                word.add(one.split('_').map(spelling::without_accents).collect());
            }
        }
        word
    }

    fn add(&mut self, mut phrase: Vec<Cow<'static, str>>) {
        for word in &phrase {
            debug_assert!(spelling::is_compared(word), "a sentence never has “{word}”");
        }
        self.signs |= phrase.first().map_or(0, |word| classes::sign_of(word));
        if phrase.len() > 1 {
            self.phrases.push(phrase);
        } else {
            self.words.append(&mut phrase);
        }
    }

    /// The words of the part; of a phrase the rarest.
    fn all(&'static self) -> Vec<&'static str> {
        let own = self.words.iter().map(|word| &**word);
        let classes = classes::words_of(self.classes);
        let classes = classes.filter_map(|word| rarest(word.split('_')));
        let phrases = self.phrases.iter();
        let phrases = phrases.filter_map(|phrase| rarest(phrase.iter().map(|word| &**word)));
        own.chain(classes).chain(phrases).collect()
    }

    /// The ends of the word at `at`, if it is there.
    fn ends(&self, plain_words: &[PlainWord], at: usize) -> impl Iterator<Item = usize> {
        let plain_word = plain_words.get(at);
        let is_signed = plain_word.is_some_and(|plain_word| self.signs & plain_word.sign != 0);
        let is_one = plain_word.is_some_and(|plain_word| {
            self.classes & plain_word.classes != 0
                || is_signed && self.words.contains(&plain_word.word)
                || self.or_name && plain_word.may_be_name()
        });
        let is_pair =
            plain_word.is_some_and(|plain_word| self.classes & plain_word.pair_classes != 0);
        let phrases = if is_signed { &*self.phrases } else { &[] };
        let is_phrase = move |phrase: &&Vec<Cow<'static, str>>| {
            let here = plain_words.get(at..at + phrase.len());
            here.is_some_and(|here| {
                here.iter()
                    .zip(*phrase)
                    .all(|(plain_word, word)| plain_word.word == *word)
            })
        };
        let phrases = phrases
            .iter()
            .filter(is_phrase)
            .map(move |phrase| at + phrase.len());
        let one = is_one.then_some(at + 1).into_iter();
        // The second word of a pair may stand beyond a sentence that is too long.
        let pair = (is_pair && at + 2 <= plain_words.len()).then_some(at + 2);
        one.chain(pair).chain(phrases)
    }
}

/// The words of the parts, if they are at `at`.
fn words_of(parts: &[PatternPart], sentence: &Sentence, at: usize) -> Option<u64> {
    let plain_words = sentence.plain_words;
    let Some((part, rest)) = parts.split_first() else {
        return Some(0);
    };
    let is_here = match part {
        PatternPart::Word(word) => {
            let own = |next| (at..next).fold(0, |all, at| all | 1 << at);
            let mut ends = word.ends(plain_words, at);
            let found = ends.find_map(|next| Some(own(next) | words_of(rest, sentence, next)?));
            if found.is_some() {
                return found;
            }
            word.is_optional || word.or_end && is_clause_start(sentence, at)
        }
        PatternPart::Gap {
            words_max,
            leaves_clause,
        } => {
            return gap_ends(sentence, at, *words_max, *leaves_clause)
                .find_map(|next| words_of(rest, sentence, next));
        }
        PatternPart::ClauseStart => is_clause_start(sentence, at) || plain_words[at - 1].is_lead(),
        PatternPart::MessageStart => sentence.is_first && at == 0,
        PatternPart::MessageEnd => sentence.is_last && at == plain_words.len(),
    };
    is_here.then(|| words_of(rest, sentence, at)).flatten()
}

/// Whether a clause begins here, or the sentence ends.
fn is_clause_start(sentence: &Sentence, at: usize) -> bool {
    at == 0
        || at >= sentence.plain_words.len()
        || sentence.plain_words[at - 1].boundary_after != Boundary::None
}

/// Where the words between two parts may end.
fn gap_ends(
    sentence: &Sentence,
    at: usize,
    words_max: usize,
    leaves_clause: bool,
) -> impl Iterator<Item = usize> {
    let last = (at + words_max).min(sentence.plain_words.len());
    let stop = move |next: &usize| {
        leaves_clause
            || *next == 0
            || sentence.plain_words[*next - 1].boundary_after == Boundary::None
    };
    (at..=last).take_while(stop)
}

/// The word of a phrase that is in the fewest messages.
fn rarest<'w>(phrase: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    phrase.min_by_key(|word| classes::frequency(word))
}
