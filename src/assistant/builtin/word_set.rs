//! Sets of words for pre-filters: a quick check that a message can't be about something, because it
//! has none of the words. The words themselves are in the modules that use it.

use std::collections::BTreeMap;

/// Words in lower case, none of them empty, with the lengths and the second bytes of those with the
/// same first byte as bits: most words are none of them by that alone.
pub(in crate::assistant) struct WordSet {
    words: &'static [&'static str],
    signs: [u64; 256],
}

impl WordSet {
    /// `words` must be sorted; else it isn't compiled.
    pub(in crate::assistant) const fn new(words: &'static [&'static str]) -> Self {
        let mut signs = [0; 256];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            assert!(at == 0 || is_before(words[at - 1].as_bytes(), word));
            signs[word[0] as usize] |= signs_of(word);
            at += 1;
        }
        Self { words, signs }
    }

    pub(in crate::assistant) fn contains(&self, word: &str) -> bool {
        let Some(first) = word.as_bytes().first() else {
            return false;
        };
        let signs = signs_of(word.as_bytes());
        self.signs[usize::from(*first)] & signs == signs && self.words.binary_search(&word).is_ok()
    }
}

/// A value for each of some words in lower case.
pub(in crate::assistant) struct WordMap<T> {
    /// Sorted by the words.
    values: Vec<(&'static str, T)>,
    signs: [u64; 256],
}

impl<T: Copy> WordMap<T> {
    /// The values of a word that occurs more than once are put together.
    pub(in crate::assistant) fn merged(
        pairs: impl Iterator<Item = (&'static str, T)>,
        merge: fn(T, T) -> T,
    ) -> Self {
        let mut values = BTreeMap::new();
        let mut signs = [0; 256];
        for (word, value) in pairs {
            let all = values.get(word).map_or(value, |all| merge(*all, value));
            values.insert(word, all);
            signs[usize::from(word.as_bytes()[0])] |= signs_of(word.as_bytes());
        }
        Self {
            values: values.into_iter().collect(),
            signs,
        }
    }

    pub(in crate::assistant) fn get(&self, word: &str) -> Option<T> {
        let first = word.as_bytes().first()?;
        let signs = signs_of(word.as_bytes());
        if self.signs[usize::from(*first)] & signs != signs {
            return None; // most words
        }
        let found = self.values.binary_search_by_key(&word, |(word, _)| word);
        found.ok().map(|at| self.values[at].1)
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

/// A bit for the length, and one for the second byte.
pub(super) const fn signs_of(word: &[u8]) -> u64 {
    let length = if word.len() < 31 { word.len() } else { 31 };
    let second = if word.len() > 1 { word[1] % 32 } else { 0 };
    1 << length | 1 << (32 + second)
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
