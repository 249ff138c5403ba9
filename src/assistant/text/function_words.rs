//! Small words that mean the same wherever a message is read: articles, courtesies, question words,
//! yes and no.

use super::phrases::Phrases;
use super::words::Words;

/// Words before the name of a thing.
static ARTICLES: Phrases = Phrases::new(&["the", "my", "our", "a", "an"]);

static QUESTION_WORDS: Phrases = Phrases::new(&[
    "what", "whats", "who", "whos", "whose", "whom", "when", "whens", "where", "wheres", "which",
    "why", "how", "hows",
]);

/// Courtesies before a request.
static COURTESIES_BEFORE: Phrases = Phrases::new(&[
    "please", "pls", "plz", "plss", "kindly", "can you", "can u", "could you", "could u",
    "would you", "would u", "will you", "will u",
]);

/// Courtesies after a request.
static COURTESIES_AFTER: Phrases = Phrases::new(&[
    "please", "pls", "plz", "plss", "thanks", "thanks a lot", "thanks in advance", "thx", "tysm",
    "thank you", "thank you so much", "thank you very much", "thank u", "many thanks",
    "please and thank you", "please and thanks",
]);
const COURTESY_WORDS_MAX: usize = 4;

static YES: Phrases = Phrases::new(&["yes", "yeah", "yea", "ye", "yep", "yup", "sure", "y"]);
static NO: Phrases = Phrases::new(&["no", "nope", "nah", "n"]);

impl Words<'_> {
    /// The word after an article at `at`; `at` where none is.
    pub(in crate::assistant) fn skip_article(&self, at: usize) -> usize {
        self.skip(at, &ARTICLES)
    }

    pub(in crate::assistant) fn after_article(&self, at: usize) -> Option<usize> {
        self.after(at, &ARTICLES)
    }

    /// The word after the courtesies that begin at `at`: "please", "can you".
    pub(in crate::assistant) fn skip_courtesy(&self, mut at: usize) -> usize {
        while let Some(next) = self.after(at, &COURTESIES_BEFORE) {
            at = next;
        }
        at
    }

    /// Whether a courtesy, such as "please" or "thanks a lot", takes all words from `at` to `end`.
    pub(in crate::assistant) fn is_courtesy(&self, at: usize, end: usize) -> bool {
        self.after(at, &COURTESIES_AFTER) == Some(end)
    }

    /// The end of these words before the courtesies at it, but not before `start`.
    pub(in crate::assistant) fn before_courtesy(&self, start: usize, mut end: usize) -> usize {
        loop {
            let mut starts = end.saturating_sub(COURTESY_WORDS_MAX).max(start)..end;
            match starts.find(|at| self.is_courtesy(*at, end)) {
                Some(at) => end = at,
                None => return end,
            }
        }
    }
}

/// "door code" of "the door code", of a text in lower case.
pub fn without_article(text: &str) -> &str {
    let mut rests = ["the ", "my ", "our "].into_iter();
    let rest = rests.find_map(|article| text.strip_prefix(article));
    rest.unwrap_or(text)
}

pub(in crate::assistant) fn is_question_word(word: &str) -> bool {
    QUESTION_WORDS.contains(word)
}

/// "yes", "yep".
pub(in crate::assistant) fn is_yes(text: &str) -> bool {
    YES.contains(text)
}

/// "no", "nope".
pub(in crate::assistant) fn is_no(text: &str) -> bool {
    NO.contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courtesies_are_left_out_at_both_ends() {
        for (text, start, end) in [
            ("can you please call bo please, thanks a lot", 3, 5),
            ("pls thank you", 1, 1),
            ("call the bank", 0, 3),
            ("thanks", 0, 1),
        ] {
            let words = Words::new(text);
            assert_eq!(words.skip_courtesy(0), start, "{text}");
            assert_eq!(words.before_courtesy(1, words.len()), end, "{text}");
        }
        assert_eq!(Words::new("my list").skip_article(0), 1);
    }
}
