//! Lists of phrases that a message's words are compared with. Of a list that is known when it is
//! compiled, filters tell without comparing its phrases that none begins with a given word, which
//! few may begin with it, and that none is equal to a given text.

use super::word_set::hash;

/// Phrases in lower case with single spaces between words.
pub(in crate::assistant) trait PhraseList {
    fn phrases(&self) -> &[&str];

    /// The phrases to be compared with words of which the first has this hash.
    fn candidates(&self, first_word: u64) -> Candidates;
}

impl PhraseList for [&str] {
    fn phrases(&self) -> &[&str] {
        self
    }

    fn candidates(&self, _: u64) -> Candidates {
        Candidates(u32::MAX)
    }
}

impl<const N: usize> PhraseList for [&str; N] {
    fn phrases(&self) -> &[&str] {
        self
    }

    fn candidates(&self, _: u64) -> Candidates {
        Candidates(u32::MAX)
    }
}

/// Some phrases of a list: bit n stands for the phrases n, n + 32 and so on.
#[derive(Clone, Copy)]
pub(in crate::assistant) struct Candidates(u32);

impl Candidates {
    pub(in crate::assistant) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Calls `look` with each of them.
    #[inline]
    pub(in crate::assistant) fn each<'p>(self, phrases: &[&'p str], mut look: impl FnMut(&'p str)) {
        for chunk in phrases.chunks(u32::BITS as usize) {
            let mut left = self.0;
            while let Some(phrase) = chunk.get(left.trailing_zeros() as usize) {
                look(phrase);
                left &= left - 1;
            }
        }
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
    /// The phrases by the hashes of their first words.
    groups: [u32; GROUPS],
}

const GROUPS: usize = 16;

const FILTER_WORDS: usize = 4;
type HashFilter = [u64; FILTER_WORDS];

impl Phrases {
    pub(in crate::assistant) const fn new(phrases: &'static [&'static str]) -> Self {
        let (mut first_words, mut whole, mut at) = ([0; FILTER_WORDS], [0; FILTER_WORDS], 0);
        let mut groups = [0; GROUPS];
        while at < phrases.len() {
            let phrase = phrases[at].as_bytes();
            let first = hash(first_word(phrase));
            groups[group_of(first)] |= 1 << (at % u32::BITS as usize);
            let (word, bit) = place_of(first);
            first_words[word] |= bit;
            let (word, bit) = place_of(hash(phrase));
            whole[word] |= bit;
            at += 1;
        }
        Self {
            phrases,
            first_words,
            whole,
            groups,
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
    fn phrases(&self) -> &[&str] {
        self.phrases
    }

    #[inline]
    fn candidates(&self, first_word: u64) -> Candidates {
        let (word, bit) = place_of(first_word);
        Candidates(match self.first_words[word] & bit {
            0 => 0, // most words
            _ => self.groups[group_of(first_word)],
        })
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

/// By other bits of the hash than its place in the filter.
const fn group_of(hash: u64) -> usize {
    (hash >> 52) as usize % GROUPS
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

    fn found<'p>(candidates: Candidates, phrases: &[&'p str]) -> Vec<&'p str> {
        let mut all = Vec::new();
        candidates.each(phrases, |phrase| all.push(phrase));
        all
    }

    #[test]
    fn only_words_that_may_begin_a_phrase_have_candidates() {
        static PHRASES: Phrases = Phrases::new(&["how much", "what", "i need to", "é"]);
        let candidates = |word: &str| PHRASES.candidates(hash(word.as_bytes()));
        for phrase in PHRASES.phrases {
            let word = phrase.split(' ').next().unwrap();
            assert!(
                found(candidates(word), PHRASES.phrases).contains(phrase),
                "{word}"
            );
        }
        for word in ["", "note", "about", "terrace"] {
            assert!(candidates(word).is_empty(), "{word}");
        }
        let all: Vec<String> = (0..70).map(|n| format!("{n} a")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(found(all.candidates(hash(b"c")), &all), all);
        assert_eq!(found(Candidates(1 << 3), &all), ["3 a", "35 a", "67 a"]);
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
