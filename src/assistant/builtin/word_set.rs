//! Sets of words by which a message is seen not to be about something, at little cost. It knows none
//! of the words.

/// Words in lower case, none of them empty, with the lengths of those with the same first byte as
/// bits: most words are none of them by that alone.
pub(in crate::assistant) struct WordSet {
    words: &'static [&'static str],
    lengths: [u32; 256],
}

impl WordSet {
    /// `words` must be sorted; else it isn't compiled.
    pub(in crate::assistant) const fn new(words: &'static [&'static str]) -> Self {
        let mut lengths = [0; 256];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            assert!(at == 0 || is_before(words[at - 1].as_bytes(), word));
            lengths[word[0] as usize] |= length_bit(word.len());
            at += 1;
        }
        Self { words, lengths }
    }

    pub(in crate::assistant) fn contains(&self, word: &str) -> bool {
        let Some(first) = word.as_bytes().first() else {
            return false;
        };
        let lengths = self.lengths[usize::from(*first)];
        lengths & length_bit(word.len()) != 0 && self.words.binary_search(&word).is_ok()
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

const fn length_bit(length: usize) -> u32 {
    1 << if length < 31 { length } else { 31 }
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
}
