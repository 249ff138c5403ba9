//! What the builtin, offline assistant understands of a message. The same message at the
//! same time always means the same. It decides only: it must not remember, remind or read
//! anything, which is the work of whoever applies the intent.

mod account;
mod memory;
mod reminder;
mod settings;
mod small_talk;
mod when;
mod words;
mod zone;

use chrono_tz::Tz;

use super::{addresses, wording};
use crate::clock::Timestamp;
pub use memory::MEMORY_CHARS_MAX;
pub use memory::matching::{memory_matches, memory_overlap};
pub use reminder::REMINDER_CHARS_MAX;
pub use settings::NAME_CHARS_MAX;
use words::Words;

/// Words in the longest fixed phrase that is looked up.
const PHRASE_WORDS_MAX: usize = 14;

/// What a message comes with.
#[derive(Debug, Clone, Copy)]
pub struct Heard<'a> {
    pub text: &'a str,
    pub now: Timestamp,
    /// `None`: not known, UTC is used and said.
    pub timezone: Option<Tz>,
    pub persona: &'a str,
    pub group: bool,
    pub has_photos: bool,
}

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Small talk: the complete reply.
    Say(String),
    /// A question about the assistant's abilities: the complete reply.
    Help(String),
    /// A command that can't be carried out as it was said: the complete reply says why.
    Unclear(String),
    Status,
    Usage,
    /// At most `MEMORY_CHARS_MAX` characters, as typed.
    Remember {
        text: String,
    },
    /// `None`: everything.
    Recall {
        about: Option<String>,
    },
    Forget {
        about: String,
    },
    ForgetEverything,
    /// `text` at most `REMINDER_CHARS_MAX` characters; `send_at` after now.
    Remind {
        text: String,
        send_at: Timestamp,
    },
    ListReminders,
    /// `None`: all of them.
    CancelReminders {
        about: Option<String>,
    },
    SetTimezone(Tz),
    SetName(String),
    /// Nothing it can do: said in a direct chat, or when asked by name.
    Unknown,
}

impl Intent {
    /// Whether it counts against the commands a person may give in a minute.
    pub fn is_command(&self) -> bool {
        !matches!(self, Self::Say(_) | Self::Unknown)
    }

    /// Whether it is worth saying in a group unasked.
    pub fn has_something_to_say(&self) -> bool {
        !matches!(self, Self::Unknown)
    }
}

/// A message while it is being understood.
struct Talk<'a> {
    heard: &'a Heard<'a>,
    /// Without the assistant's name.
    words: Words<'a>,
    /// Where the request starts, after "hey, could you please".
    start: usize,
    /// In a group, nobody may have meant the assistant.
    spoken_to: bool,
    /// All words in lower case, for fixed phrases; "" when there are too many.
    phrase: String,
    /// Where `start` is in `phrase`.
    phrase_start: usize,
}

impl Talk<'_> {
    fn request(&self) -> &str {
        &self.phrase[self.phrase_start..]
    }

    fn zone(&self) -> Tz {
        self.heard.timezone.unwrap_or(Tz::UTC)
    }

    /// A stable choice among wordings.
    fn pick<'c>(&self, choices: &[&'c str]) -> &'c str {
        let at = words::stable_hash(self.heard.text) as usize;
        choices
            .get(at % choices.len().max(1))
            .copied()
            .unwrap_or_default()
    }
}

pub fn understand(heard: &Heard) -> Intent {
    let talk = listen(heard);
    if talk.words.len() == 0 {
        return small_talk::wordless(&talk);
    }
    account::command(&talk)
        .or_else(|| reminder::command(&talk))
        .or_else(|| settings::command(&talk))
        .or_else(|| memory::command(&talk))
        .or_else(|| small_talk::reply(&talk))
        .unwrap_or_else(|| small_talk::lost(&talk))
}

fn listen<'a>(heard: &'a Heard<'a>) -> Talk<'a> {
    let mut words = Words::new(heard.text);
    let spoken_to = !heard.group || addresses(heard.text, heard.persona);
    let mut end = words.len();
    if spoken_to && !heard.persona.is_empty() {
        end = drop_name(&mut words, heard.persona);
    }
    let start = after_courtesies(&words);
    let end = before_courtesies(&words, start, end);
    let (mut phrase, mut phrase_start) = (String::new(), 0);
    if end <= PHRASE_WORDS_MAX {
        phrase = words.phrase(0..end);
        phrase_start = match words.phrase(0..start.min(end)).len() {
            0 => 0,
            before => (before + 1).min(phrase.len()),
        };
    }
    Talk {
        heard,
        words,
        start,
        spoken_to,
        phrase,
        phrase_start,
    }
}

/// Takes the name off the front ("hey Juno, …"), and off the end where it stands apart.
/// Where it doesn't ("call Juno"), it may be part of what is said: then the number of words
/// without it is answered, for fixed phrases.
fn drop_name(words: &mut Words, persona: &str) -> usize {
    let name = Words::new(persona);
    let name: Vec<&str> = name.iter().collect();
    let count = name.len();
    if count == 0 {
        return words.len();
    }
    let is_name = |words: &Words, at: usize| {
        name.iter().enumerate().all(|(n, part)| {
            let word = words.get(at + n);
            word == *part
        })
    };
    let mut at = 0;
    while !is_name(words, at) && is_courtesy(words.get(at)) {
        at += 1;
    }
    if is_name(words, at) {
        words.drop_words(at..at + count);
    }
    let Some(before) = words.len().checked_sub(count) else {
        return words.len();
    };
    if !is_name(words, before) {
        return words.len();
    }
    if before == 0 || words.is_set_off(before - 1) {
        words.drop_words(before..before + count);
    }
    before
}

/// One word of what people say before they say what they want.
fn is_courtesy(word: &str) -> bool {
    matches!(
        word,
        "hey"
            | "hi"
            | "hello"
            | "hallo"
            | "hiya"
            | "yo"
            | "dear"
            | "ok"
            | "okay"
            | "so"
            | "well"
            | "please"
            | "pls"
            | "plz"
            | "kindly"
            | "um"
            | "uh"
            | "oh"
            | "and"
            | "also"
            | "now"
            | "just"
            | "alright"
            | "thanks"
            | "good"
            | "morning"
            | "afternoon"
            | "evening"
            | "there"
    )
}

fn after_courtesies(words: &Words) -> usize {
    const PHRASES: [&str; 22] = [
        "good morning",
        "good afternoon",
        "good evening",
        "hey there",
        "hi there",
        "hello there",
        "thank you",
        "can you",
        "can u",
        "could you",
        "would you",
        "will you",
        "i want you to",
        "i need you to",
        "i would like you to",
        "id like you to",
        "i want to",
        "i would like to",
        "id like to",
        "would you mind",
        "be so kind and",
        "you should",
    ];
    let mut at = 0;
    while at < words.len() {
        if let Some(next) = words.after(at, &PHRASES) {
            at = next;
        } else if is_courtesy(words.get(at))
            && !matches!(
                words.get(at),
                "good" | "morning" | "afternoon" | "evening" | "there"
            )
        {
            at += 1;
        } else {
            break;
        }
    }
    // What can you do, and who are you, begin like courtesies but end there.
    at.min(words.len())
}

fn before_courtesies(words: &Words, start: usize, end: usize) -> usize {
    let mut end = end;
    while end > start + 1
        && matches!(
            words.get(end - 1),
            "please" | "pls" | "plz" | "now" | "then"
        )
    {
        end -= 1;
    }
    end
}

/// What a person tells about, without what merely surrounds it.
fn tidied(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '–' | '—' | '-'))
        .to_owned()
}

/// What is asked about: also without closing punctuation and quotes.
fn subject(text: &str) -> String {
    text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '"' | '“' | '”' | '…')
    })
    .to_owned()
}

#[cfg(test)]
mod tests;
