//! Sets of words for pre-filters: a quick check that a message can't be about something, because it
//! has none of the words. The words themselves are in the modules that use it.

use std::collections::BTreeMap;

/// A bit for each of some words, by a hash: most other words are none of them by that alone.
pub(super) struct WordFilter([u64; FILTER_WORDS]);

const FILTER_WORDS: usize = 128;

impl WordFilter {
    pub(super) const fn new() -> Self {
        Self([0; FILTER_WORDS])
    }

    pub(super) const fn add(&mut self, word: &str) {
        let bit = bit_of(word.as_bytes());
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    pub(super) const fn may_contain(&self, word: &str) -> bool {
        let bit = bit_of(word.as_bytes());
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }
}

/// The number of a word's bit.
const fn bit_of(word: &[u8]) -> usize {
    (hash(word) >> 51) as usize % (FILTER_WORDS * 64)
}

/// From a word's length and its first and last bytes. The high bits are the best.
pub(super) const fn hash(word: &[u8]) -> u64 {
    let (first, last) = match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) => (u32::from_le_bytes(*first), u32::from_le_bytes(*last)),
        _ => match word {
            [] => (0, 0),
            [a] => (*a as u32, 0),
            [a, b] => (*a as u32, *b as u32),
            [a, b, c, ..] => (*a as u32 | (*b as u32) << 8, *c as u32),
        },
    };
    let both = first as u64 | (last as u64) << 32;
    (both ^ word.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Words in lower case, none of them empty.
pub(in crate::assistant) struct WordSet {
    words: &'static [&'static str],
    filter: WordFilter,
}

impl WordSet {
    /// `words` must be sorted; else it isn't compiled.
    pub(in crate::assistant) const fn new(words: &'static [&'static str]) -> Self {
        let mut filter = WordFilter::new();
        let mut at = 0;
        while at < words.len() {
            assert!(at == 0 || is_before(words[at - 1].as_bytes(), words[at].as_bytes()));
            filter.add(words[at]);
            at += 1;
        }
        Self { words, filter }
    }

    pub(in crate::assistant) fn contains(&self, word: &str) -> bool {
        self.filter.may_contain(word) && self.words.binary_search(&word).is_ok()
    }
}

/// A value for each of some words in lower case.
pub(in crate::assistant) struct WordMap<T> {
    /// Sorted by the words' bits in the filter, then by the words.
    values: Vec<(usize, &'static str, T)>,
    filter: WordFilter,
}

impl<T: Copy> WordMap<T> {
    /// The values of a word that occurs more than once are put together.
    pub(in crate::assistant) fn merged(
        pairs: impl Iterator<Item = (&'static str, T)>,
        merge: fn(T, T) -> T,
    ) -> Self {
        let mut values = BTreeMap::new();
        let mut filter = WordFilter::new();
        for (word, value) in pairs {
            let all = values.get(word).map_or(value, |all| merge(*all, value));
            values.insert(word, all);
            filter.add(word);
        }
        let values = values.into_iter();
        let bit_of = |word: &str| bit_of(word.as_bytes());
        let mut values: Vec<_> = values
            .map(|(word, value)| (bit_of(word), word, value))
            .collect();
        values.sort_unstable_by_key(|(bit, word, _)| (*bit, *word));
        Self { values, filter }
    }

    pub(in crate::assistant) fn get(&self, word: &str) -> Option<T> {
        if !self.filter.may_contain(word) {
            return None; // most words
        }
        let key = (bit_of(word.as_bytes()), word);
        let found = self
            .values
            .binary_search_by_key(&key, |(bit, word, _)| (*bit, *word));
        found.ok().map(|at| self.values[at].2)
    }
}

/// `a < b`, at compile time.
const fn is_before(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at < b.len() && (at == a.len() || a[at] < b[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_words_are_in_a_set() {
        static SET: WordSet = WordSet::new(&["at", "by", "friday", "saturday"]);
        for word in ["at", "by", "friday", "saturday"] {
            assert!(SET.contains(word), "{word}");
        }
        for word in ["", "a", "an", "ate", "b", "sunday", "saturdays", "é"] {
            assert!(!SET.contains(word), "{word}");
        }
    }

    #[test]
    fn values_of_one_word_are_put_together() {
        let pairs = [("by", 1), ("at", 2), ("by", 4)];
        let map = WordMap::merged(pairs.into_iter(), |a, b| a + b);
        let found = ["at", "by", "", "a", "bye"].map(|word| map.get(word));
        assert_eq!(found, [Some(2), Some(5), None, None, None]);
    }
}
