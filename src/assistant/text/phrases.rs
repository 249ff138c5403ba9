//! Lists of phrases that a message's words are compared with. Of a list that is known when it is
//! compiled, filters tell without comparing its phrases that none begins with a given word, and
//! that none is equal to a given text.

use super::word_set::hash;

/// Phrases in lower case with single spaces between words.
pub(in crate::assistant) trait PhraseList {
    /// Those that are to be compared where the first word has this `hash`: all, or none.
    fn candidates(&self, first_word: u64) -> &[&str];
}

impl PhraseList for [&str] {
    fn candidates(&self, _: u64) -> &[&str] {
        self
    }
}

impl<const N: usize> PhraseList for [&str; N] {
    fn candidates(&self, _: u64) -> &[&str] {
        self
    }
}

/// A list of phrases that is known when it is compiled: `phrases!["at", "at about"]`.
macro_rules! phrases {
    ($($phrase:expr),+ $(,)?) => {{
        static PHRASES: $crate::assistant::text::phrases::Phrases =
            $crate::assistant::text::phrases::Phrases::new(&[$($phrase),+]);
        &PHRASES
    }};
}
pub(in crate::assistant) use phrases;

/// A list with a bit for each first word and for each phrase, by their hashes.
pub(in crate::assistant) struct Phrases {
    phrases: &'static [&'static str],
    first_words: HashFilter,
    whole: HashFilter,
}

const FILTER_WORDS: usize = 4;
type HashFilter = [u64; FILTER_WORDS];

impl Phrases {
    pub(in crate::assistant) const fn new(phrases: &'static [&'static str]) -> Self {
        let (mut first_words, mut whole, mut at) = ([0; FILTER_WORDS], [0; FILTER_WORDS], 0);
        while at < phrases.len() {
            let phrase = phrases[at].as_bytes();
            let (word, bit) = place_of(hash(first_word(phrase)));
            first_words[word] |= bit;
            let (word, bit) = place_of(hash(phrase));
            whole[word] |= bit;
            at += 1;
        }
        Self {
            phrases,
            first_words,
            whole,
        }
    }

    /// Whether `text` is one of the phrases.
    #[inline]
    pub(in crate::assistant) fn contains(&self, text: &str) -> bool {
        let (word, bit) = place_of(hash(text.as_bytes()));
        self.whole[word] & bit != 0 && self.phrases.contains(&text)
    }
}

impl PhraseList for Phrases {
    #[inline]
    fn candidates(&self, first_word: u64) -> &[&str] {
        let (word, bit) = place_of(first_word);
        match self.first_words[word] & bit {
            0 => &[], // most words
            _ => self.phrases,
        }
    }
}

/// The bit of a word's hash in the filter: which of its numbers has it, and the bit in that.
const fn place_of(hash: u64) -> (usize, u64) {
    let high = hash >> 56;
    (
        high as usize % FILTER_WORDS,
        1 << (high / FILTER_WORDS as u64),
    )
}

const fn first_word(phrase: &[u8]) -> &[u8] {
    let mut end = 0;
    while end < phrase.len() && phrase[end] != b' ' {
        end += 1;
    }
    phrase.split_at(end).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_may_begin_a_phrase_have_candidates() {
        static PHRASES: Phrases = Phrases::new(&["how much", "what", "i need to", "é"]);
        let candidates = |word: &str| PHRASES.candidates(hash(word.as_bytes()));
        for word in ["how", "what", "i", "é"] {
            assert_eq!(candidates(word), PHRASES.phrases, "{word}");
        }
        for word in ["", "note", "about", "terrace"] {
            assert!(candidates(word).is_empty(), "{word}");
        }
        assert_eq!(["a", "b"].candidates(hash(b"c")), ["a", "b"]);
    }

    #[test]
    fn a_list_contains_only_its_whole_phrases() {
        let phrases = phrases!["how much", "what", "é"];
        for phrase in ["how much", "what", "é"] {
            assert!(phrases.contains(phrase), "{phrase}");
        }
        for text in ["", "how", "how much is it", "whats", "e"] {
            assert!(!phrases.contains(text), "{text}");
        }
    }
}
