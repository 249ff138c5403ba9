//! Sets of words for pre-filters: a quick check that a message can't be about something, because it
//! has none of the words. The words themselves are in the modules that use it.

use std::collections::BTreeMap;

/// A word in lower case with its `hash`.
#[derive(Debug, Clone, Copy)]
pub(in crate::assistant) struct HashedWord<'a> {
    pub(in crate::assistant) word: &'a str,
    pub(super) hash: u64,
}

impl<'a> From<&'a str> for HashedWord<'a> {
    fn from(word: &'a str) -> Self {
        Self {
            word,
            hash: hash(word.as_bytes()),
        }
    }
}

impl<'a> From<&&'a str> for HashedWord<'a> {
    fn from(word: &&'a str) -> Self {
        (*word).into()
    }
}

/// From a word's length and its first and last bytes. The high bits are the best.
pub(in crate::assistant) const fn hash(word: &[u8]) -> u64 {
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

/// A slot of a hash table with open addressing: a part of a word's hash, and the word's index counted
/// from 1. (0, 0) is empty. A word is in the slot of its hash or, where others are, in the next empty
/// one.
type Slot = (u16, u16);

const fn add_to_slots(slots: &mut [Slot], hash: u64, index: usize) {
    let mut slot = slot_of(hash, slots.len());
    while slots[slot].1 != 0 {
        slot = (slot + 1) % slots.len();
    }
    slots[slot] = (part_of(hash), index as u16 + 1);
}

/// The index of the word with this hash for which `is_word` holds. At least half of the slots are
/// empty, so most other words meet an empty one first.
fn find_in_slots(slots: &[Slot], hash: u64, is_word: impl Fn(usize) -> bool) -> Option<usize> {
    let mut slot = slot_of(hash, slots.len());
    loop {
        match slots[slot] {
            (_, 0) => return None,
            (part, index) => {
                let index = usize::from(index) - 1;
                if part == part_of(hash) && is_word(index) {
                    return Some(index);
                }
            }
        }
        slot = (slot + 1) % slots.len();
    }
}

/// `slots`: a power of two.
const fn slot_of(hash: u64, slots: usize) -> usize {
    (hash >> 48) as usize & (slots - 1)
}

/// The part of a hash that tells most words of one slot apart.
const fn part_of(hash: u64) -> u16 {
    (hash >> 32) as u16
}

/// Words in lower case, none of them empty. `SLOTS`: a power of two, at least twice their number.
pub(in crate::assistant) struct WordSet<const SLOTS: usize = 256> {
    words: &'static [&'static str],
    slots: [Slot; SLOTS],
}

impl<const SLOTS: usize> WordSet<SLOTS> {
    /// `words` must be sorted; else it isn't compiled.
    pub(in crate::assistant) const fn new(words: &'static [&'static str]) -> Self {
        assert!(SLOTS.is_power_of_two() && words.len() <= SLOTS / 2);
        let (mut slots, mut at) = ([(0, 0); SLOTS], 0);
        while at < words.len() {
            assert!(at == 0 || is_before(words[at - 1].as_bytes(), words[at].as_bytes()));
            add_to_slots(&mut slots, hash(words[at].as_bytes()), at);
            at += 1;
        }
        Self { words, slots }
    }

    pub(in crate::assistant) fn contains<'a>(&self, word: impl Into<HashedWord<'a>>) -> bool {
        let HashedWord { word, hash } = word.into();
        find_in_slots(&self.slots, hash, |index| self.words[index] == word).is_some()
    }
}

/// A value for each of some words in lower case, fewer than 2^15.
pub(in crate::assistant) struct WordMap<T> {
    values: Vec<(&'static str, T)>,
    slots: Box<[Slot]>,
}

impl<T: Copy> WordMap<T> {
    /// The values of a word that occurs more than once are put together.
    pub(in crate::assistant) fn merged(
        pairs: impl Iterator<Item = (&'static str, T)>,
        merge: fn(T, T) -> T,
    ) -> Self {
        let mut values = BTreeMap::new();
        for (word, value) in pairs {
            let all = values.get(word).map_or(value, |all| merge(*all, value));
            values.insert(word, all);
        }
        let values: Vec<_> = values.into_iter().collect();
        let mut slots = vec![(0, 0); (2 * values.len()).next_power_of_two()].into_boxed_slice();
        for (index, (word, _)) in values.iter().enumerate() {
            add_to_slots(&mut slots, hash(word.as_bytes()), index);
        }
        Self { values, slots }
    }

    pub(in crate::assistant) fn get<'a>(&self, word: impl Into<HashedWord<'a>>) -> Option<T> {
        let HashedWord { word, hash } = word.into();
        let found = find_in_slots(&self.slots, hash, |index| self.values[index].0 == word);
        found.map(|index| self.values[index].1)
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
