//! What follows the time of something that was told: "… tomorrow at 10 with Bo and dinner at 7". A
//! detail is kept with it; what else is asked for or told is not, and is named.

use super::statement;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::{Words, has_digit};
use crate::assistant::wording;

/// The words after a time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordsAfterTime {
    /// "with Bo", "in room 5".
    pub(super) details: String,
    /// "dinner at 7": nothing is done for it.
    left: String,
}

/// What begins a detail.
static DETAILS: Phrases = Phrases::new(&[
    "with", "w/", "in", "at", "on", "near", "by", "from", "for", "to", "about", "via", "between",
    "opposite", "next to", "room", "hall", "platform", "over", "around",
]);
/// What stands between two things that are told.
static LINKS: Phrases =
    Phrases::new(&["and then", "and also", "and", "but", "then", "also", "plus"]);
/// What begins talk about it, which asks for nothing.
static TALK: Phrases = Phrases::new(&[
    "wish me", "im", "i am", "i feel", "i hope", "i cant wait", "i cant", "its", "it is", "hope",
    "cant wait", "ugh", "omg", "lol", "yay", "so", "very", "please", "pls", "thanks", "thank you",
    "thx", "help", "fingers crossed", "finally", "wow", "haha", "ok", "okay", "juno", "too",
    "as well", "btw", "again", "instead", "sharp", "probably", "hopefully", "oh",
]);

impl WordsAfterTime {
    pub(super) fn read(text: &str) -> Self {
        let words = Words::new(text);
        let is_new = |at: usize| words.after(at, &LINKS).is_some() || words.is_set_off(at - 1);
        let mut starts = (1..words.len()).filter(|at| is_new(*at));
        let is_plain = || {
            let is_other = words.after(0, &LINKS).or_else(|| words.after(0, &TALK));
            is_other.is_none() && !asks_or_tells(&words, 0)
        };
        let is_detail = words.after(0, &DETAILS).is_some() || is_plain();
        let end = match is_detail {
            true => starts.find(|at| asks_or_tells(&words, *at)),
            false => Some(0),
        };
        let end = end.unwrap_or(words.len());
        let from = words.skip(end, &LINKS);
        let is_talk = words.after(from, &TALK).is_some() && !asks_or_tells(&words, end);
        let left = match is_talk {
            true => "",
            false => words.original(from..words.len()),
        };
        Self {
            details: bare(words.original(0..end)).to_owned(),
            left: bare(left).to_owned(),
        }
    }

    /// After the answer: for which part nothing was done.
    pub(super) fn with_left(&self, reply: String) -> String {
        match self.left.as_str() {
            "" => reply,
            left => format!("{reply}\n{}", wording::part_not_done(left)),
        }
    }
}

/// Without the punctuation around it.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '!' | '-' | ':'))
}

/// Whether the words from `at` on ask for something else, or tell of something with a number or a
/// time.
fn asks_or_tells(words: &Words, at: usize) -> bool {
    let rest = Words::new(words.original(at..words.len()));
    rest.iter().any(has_digit)
        || (0..rest.len()).any(|at| when::read(&rest, at).is_some())
        || statement::begins_request(&rest)
        || rest.after(0, phrases!["if", "and if", "unless"]).is_some()
}
