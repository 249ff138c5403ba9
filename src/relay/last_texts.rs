//! The last texts of messages, to notice edits that change no word. Pure.

use std::collections::VecDeque;

use sha2::{Digest as _, Sha256};

/// Messages whose texts are known.
const TEXTS_MAX: usize = 1_000;

type TextDigest = [u8; 32];

/// Digests of the newest messages' texts, by the messages' keys.
#[derive(Default)]
pub(super) struct LastTexts(VecDeque<(String, TextDigest)>);

impl LastTexts {
    /// Notes the text of a message. False: it had the same text before.
    pub(super) fn note(&mut self, key: &str, text: &str) -> bool {
        let digest: TextDigest = Sha256::digest(text).into();
        let known = self.0.iter_mut().find(|(one, _)| one == key);
        if let Some((_, before)) = known {
            let is_new = *before != digest;
            *before = digest;
            return is_new;
        }
        if self.0.len() >= TEXTS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((key.to_owned(), digest));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_new_once() {
        let mut texts = LastTexts::default();
        assert!(texts.note("1", "a") && !texts.note("1", "a"));
        assert!(texts.note("1", "b") && texts.note("1", "a"));
        assert!(texts.note("2", "a"));
        for n in 0..TEXTS_MAX {
            texts.note(&format!("other {n}"), "a");
        }
        assert!(texts.note("1", "a"));
        assert_eq!(texts.0.len(), TEXTS_MAX);
    }
}
