//! A message as words: lower case for comparing, with their positions in the original text.
//! Punctuation around words and apostrophes inside are removed for comparing ("What's" is "whats"),
//! but "friday's" is not the plural "fridays".

use std::ops::Range;

use super::abbreviations::ends_with_abbreviation;
use super::misspelled::written_out;
use super::phrases::{Candidates, PhraseList};
use super::time_cache::TimeCache;
use super::word_set::{HashedWord, hash};

/// A text as words.
pub struct Words<'a> {
    text: &'a str,
    /// The words in lower case, single spaces between.
    lower: String,
    words: Vec<Word>,
    /// No word was dropped.
    is_whole: bool,
    /// The times at these words, as far as they were read.
    pub(super) time_cache: TimeCache,
}

/// One word.
struct Word {
    /// In lower case: a copy of its part of `lower`, because rules ask for single words most often.
    low_word: Box<str>,
    hash: u64,
    /// Its range in the text, with punctuation.
    raw: Range<usize>,
    /// Its range in `lower`.
    low: Range<usize>,
}

impl Word {
    fn hashed(&self) -> HashedWord<'_> {
        HashedWord {
            word: &self.low_word,
            hash: self.hash,
        }
    }
}

impl<'a> Words<'a> {
    pub(in crate::assistant) fn new(text: &'a str) -> Self {
        let mut words = Self {
            text,
            lower: String::with_capacity(text.len()),
            words: Vec::with_capacity(text.len() / 4),
            is_whole: true,
            time_cache: TimeCache::default(),
        };
        for chunk in text.split_whitespace() {
            let start = chunk.as_ptr() as usize - text.as_ptr() as usize;
            let mut before = words.lower.len();
            if before > 0 {
                words.lower.push(' ');
            }
            let low = words.lower.len();
            let after_at = chunk.strip_prefix('@');
            let (chunk, start) = match after_at {
                // "@5", "@ 5": an hour, unlike "@ana".
                Some(rest) if rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()) => {
                    words.lower.push_str("at");
                    words.push(start..start + 1, low..words.lower.len());
                    if rest.is_empty() {
                        continue;
                    }
                    before = words.lower.len();
                    words.lower.push(' ');
                    (rest, start + 1)
                }
                _ => (chunk, start),
            };
            let low = words.lower.len();
            let core = core(chunk);
            if core.is_ascii() && !core.contains('\'') {
                words.lower.push_str(core);
                words.lower[low..].make_ascii_lowercase();
            } else {
                let letters = core.chars().filter(|c| !is_dropped(*c));
                words.lower.extend(letters.flat_map(char::to_lowercase));
                if has_apostrophe_s(core) && is_weekday(&words.lower[low..words.lower.len() - 1]) {
                    words.lower.truncate(words.lower.len() - 1);
                    words.lower.push_str("'s");
                }
            }
            let mut low = low;
            if let Some(slash) = slash_of_hours(&words.lower[low..])
                && !words.ends_with_article()
            {
                words.push_hours(start..start + chunk.len(), low, slash);
                continue;
            }
            if let Some(full) = written_out(&words.lower[low..]) {
                words.lower.truncate(low);
                words.lower.push_str(full);
                // "remindme" is two words.
                if let Some(first) = full.find(' ') {
                    words.push(start..start + chunk.len(), low..low + first);
                    low += first + 1;
                }
            }
            if words.lower.len() > low {
                words.push(start..start + chunk.len(), low..words.lower.len());
            } else {
                words.lower.truncate(before);
            }
        }
        words
    }

    /// "the 8am/9am bus"
    fn ends_with_article(&self) -> bool {
        self.words
            .last()
            .is_some_and(|word| matches!(&*word.low_word, "the" | "a" | "an" | "my" | "our"))
    }

    /// "8am/8pm" as three words, "and" for the slash. `low`: where they begin in `lower`,
    /// `slash`: where the slash is in them.
    fn push_hours(&mut self, raw: Range<usize>, low: usize, slash: usize) {
        let chunk = &self.text[raw.clone()];
        let at = raw.start + chunk.find('/').unwrap_or(chunk.len());
        let second = self.lower.split_off(low + slash + 1);
        self.lower.truncate(low + slash);
        self.push(raw.start..at, low..low + slash);
        self.lower.push_str(" and");
        self.push(at..at + 1, low + slash + 1..self.lower.len());
        self.lower.push(' ');
        let low = self.lower.len();
        self.lower.push_str(&second);
        self.push(at + 1..raw.end, low..self.lower.len());
    }

    fn push(&mut self, raw: Range<usize>, low: Range<usize>) {
        let low_word: Box<str> = self.lower[low.clone()].into();
        self.words.push(Word {
            hash: hash(low_word.as_bytes()),
            low_word,
            raw,
            low,
        });
    }

    pub(in crate::assistant) fn len(&self) -> usize {
        self.words.len()
    }

    /// The word at `at` in lower case; empty beyond the end.
    pub(in crate::assistant) fn get(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &word.low_word)
    }

    /// Whether the text begins with one of these phrases.
    pub fn begins_with(&self, phrases: &[&str]) -> bool {
        self.after(0, phrases).is_some()
    }

    /// Whether one of these words is anywhere in the text.
    pub fn has_any(&self, words: &[&str]) -> bool {
        self.iter().any(|word| words.contains(&word))
    }

    pub(in crate::assistant) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &*word.low_word)
    }

    /// The word at `at` as sets of words look for it; empty beyond the end.
    pub(in crate::assistant) fn hashed(&self, at: usize) -> HashedWord<'_> {
        self.words.get(at).map_or("".into(), Word::hashed)
    }

    pub(in crate::assistant) fn iter_hashed(&self) -> impl Iterator<Item = HashedWord<'_>> {
        self.words.iter().map(Word::hashed)
    }

    /// The index after the longest of `phrases` that matches at `at`.
    #[inline]
    pub(in crate::assistant) fn after(
        &self,
        at: usize,
        phrases: &(impl PhraseList + ?Sized),
    ) -> Option<usize> {
        let candidates = phrases.candidates(self.words.get(at)?.hash);
        match candidates.is_empty() {
            true => None, // most words
            false => self.after_any(at, candidates, phrases.phrases()),
        }
    }

    /// The index after the longest of `phrases` that matches at `at`; `at` where none does.
    pub(in crate::assistant) fn skip(
        &self,
        at: usize,
        phrases: &(impl PhraseList + ?Sized),
    ) -> usize {
        self.after(at, phrases).unwrap_or(at)
    }

    fn after_any(&self, at: usize, candidates: Candidates, phrases: &[&str]) -> Option<usize> {
        let rest = &self.lower.as_bytes()[self.words.get(at)?.low.start..];
        let first = rest.first();
        let mut end = None;
        candidates.each(phrases, |phrase| {
            let phrase = phrase.as_bytes();
            let is_end = || matches!(rest.get(phrase.len()), None | Some(b' '));
            if phrase.first() != first || !is_end() {
                return; // most phrases
            }
            if rest.starts_with(phrase) {
                let words = 1 + phrase.iter().filter(|byte| **byte == b' ').count();
                end = end.max(Some(at + words));
            }
        });
        end
    }

    /// The original text of these words, with punctuation.
    pub(in crate::assistant) fn original(&self, range: Range<usize>) -> &'a str {
        match (
            self.words.get(range.start),
            range
                .end
                .checked_sub(1)
                .and_then(|last| self.words.get(last)),
        ) {
            (Some(first), Some(last)) if range.start < range.end => {
                &self.text[first.raw.start..last.raw.end]
            }
            _ => "",
        }
    }

    /// These words in lower case, single spaces between.
    pub(in crate::assistant) fn phrase(&self, range: Range<usize>) -> String {
        let words = &self.words[range.start.min(self.len())..range.end.min(self.len())];
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => self.lower[first.low.start..last.low.end].to_owned(),
            _ => String::new(),
        }
    }

    /// Whether punctuation follows the word at `at` and separates the next one.
    pub(in crate::assistant) fn is_set_off(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|t| {
            let next = self
                .words
                .get(at + 1)
                .map_or(self.text.len(), |n| n.raw.start);
            let bytes = &self.text.as_bytes()[..next];
            if matches!(bytes, [.., last, b' '] if last.is_ascii_alphanumeric()) {
                return false; // most words
            }
            let word = self.text[t.raw.start..next].trim_end();
            word.ends_with([',', '.', '!', '?', ';', ':', '-', '–', '—'])
                && !ends_with_abbreviation(word, &self.text[next..])
        })
    }

    pub(in crate::assistant) fn is_question(&self) -> bool {
        self.words
            .last()
            .is_some_and(|t| self.text[t.raw.start..].contains('?'))
    }

    /// Whether these are all words of the text.
    pub(in crate::assistant) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(in crate::assistant) fn drop_words(&mut self, range: Range<usize>) {
        self.is_whole = false;
        self.time_cache = TimeCache::default();
        self.words.drain(range);
        let mut lower = String::with_capacity(self.lower.len());
        for word in &mut self.words {
            if !lower.is_empty() {
                lower.push(' ');
            }
            let start = lower.len();
            lower.push_str(&self.lower[word.low.clone()]);
            word.low = start..lower.len();
        }
        self.lower = lower;
    }
}

/// Whether a digit is anywhere in it.
pub(in crate::assistant) fn has_digit(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

pub(in crate::assistant) fn begins_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Where the slash is in two times of day, "8am/8pm" or "8:00/20:00". "8/20" is a date.
fn slash_of_hours(word: &str) -> Option<usize> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None; // most words
    }
    let (first, second) = word.split_once('/')?;
    let is_hour = |part: &str| {
        let number = part
            .strip_suffix("am")
            .or_else(|| part.strip_suffix("pm"))
            .unwrap_or(part);
        let is_marked = number.len() < part.len() || number.contains(':');
        let is_number = |c: char| c.is_ascii_digit() || c == ':';
        is_marked && (1..=5).contains(&number.len()) && number.chars().all(is_number)
    };
    (is_hour(first) && is_hour(second)).then_some(first.len())
}

fn has_apostrophe_s(core: &str) -> bool {
    ["'s", "’s", "'S", "’S"]
        .iter()
        .any(|end| core.ends_with(end))
}

fn is_weekday(word: &str) -> bool {
    matches!(
        word,
        "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"
    )
}

/// A word without the punctuation around it; a sign before a digit stays.
fn core(chunk: &str) -> &str {
    let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if is_plain(chunk.as_bytes().first()) && is_plain(chunk.as_bytes().last()) {
        return chunk; // most of them
    }
    let chunk = chunk.trim_end_matches(is_punctuation);
    let mut rest = chunk;
    while let Some(first) = rest.chars().next() {
        let tail = &rest[first.len_utf8()..];
        let is_sign = first == '-' && tail.starts_with(|c: char| c.is_ascii_digit());
        if !is_punctuation(first) || is_sign {
            break;
        }
        rest = tail;
    }
    rest
}

fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | '!'
            | '?'
            | ':'
            | ';'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '"'
            | '\''
            | '“'
            | '”'
            | '„'
            | '‘'
            | '’'
            | '«'
            | '»'
            | '…'
            | '¿'
            | '¡'
            | '-'
            | '–'
            | '—'
            | '*'
            | '_'
            | '~'
            | '`'
            | '/'
            | '\\'
            | '@'
            | '>'
            | '。'
            | '、'
            | '，'
            | '！'
            | '？'
    )
}

/// Apostrophes, and what only changes how an emoji is drawn.
fn is_dropped(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// The same number for the same text (any case), on every machine: FNV-1a.
pub(in crate::assistant) fn stable_hash(text: &str) -> u64 {
    text.trim()
        .chars()
        .flat_map(char::to_lowercase)
        .fold(0xcbf2_9ce4_8422_2325, |hash, c| {
            (hash ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_bare_and_shown_as_typed() {
        let words = Words::new("  “What’s up,  DOC?!” – at -5 or 7:30 👍🏽 ");
        let bare: Vec<&str> = words.iter().collect();
        assert_eq!(bare, ["whats", "up", "doc", "at", "-5", "or", "7:30", "👍"]);
        assert_eq!(words.original(1..3), "up,  DOC?!”");
        assert_eq!(words.original(3..3), "");
        assert_eq!(words.original(7..9), "");
        assert_eq!(words.phrase(0..3), "whats up doc");
        assert_eq!(words.after(0, &["whats that", "whats up"]), Some(2));
        assert_eq!(words.after(0, &["whats", "whats up"]), Some(2));
        assert_eq!(words.after(0, &["what", "whats u", "whats up dock"]), None);
        assert_eq!(words.after(6, &["7:30 👍"]), Some(8));
        assert_eq!(words.after(8, &["at"]), None);
        assert!(words.is_set_off(1) && !words.is_set_off(0));
        let hours = Words::new("take (8am/8PM), 1/2 pill");
        let bare: Vec<&str> = hours.iter().collect();
        assert_eq!(bare, ["take", "8am", "and", "8pm", "1/2", "pill"]);
        assert_eq!(hours.original(0..4), "take (8am/8PM),");
        assert_eq!(hours.after(1, &["8am and 8pm"]), Some(4));
        assert_eq!(Words::new("the 8am/9am bus").len(), 3);
        let joined = Words::new("Remindme, at 5");
        assert_eq!(joined.after(0, &["remind me at"]), Some(3));
        assert_eq!(
            (joined.get(1), joined.original(1..4)),
            ("me", "Remindme, at 5")
        );
        let mut words = words;
        words.drop_words(1..3);
        words.drop_words(4..6);
        assert_eq!(words.phrase(0..4), "whats at -5 or");
        assert_eq!(words.after(0, &["whats up", "whats at -5"]), Some(3));
        assert_eq!(words.after(3, &["or 7:30", "or"]), Some(4));
    }
}
