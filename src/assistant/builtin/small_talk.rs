//! Small talk: greetings, thanks, questions about the assistant, jokes, the time. Only whole
//! phrases match, so that in a group only plain small talk is answered.

mod phrases;
mod reactions;

use std::borrow::Cow;

use super::{Intent, ParsedMessage, subject, wording};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::{self, Words};
use crate::assistant::text::zone;

/// A message without words.
pub(in crate::assistant) fn wordless(message: &ParsedMessage) -> Intent {
    if !message.is_addressed {
        return Intent::Unknown;
    }
    if message.context.has_photos {
        return Intent::Say(wording::photos_unseen(message.context.persona));
    }
    match message.context.text.trim() {
        "" => Intent::Unknown,
        "?" | "??" | "???" => Intent::Help(None),
        text if text.chars().any(char::is_alphabetic) => Intent::Say(phrases::hello(message)),
        _ => Intent::Unknown,
    }
}

/// Nothing was understood; photos still get an answer.
pub(super) fn lost(message: &ParsedMessage) -> Intent {
    if message.context.has_photos && message.is_addressed {
        return Intent::Say(wording::photos_unseen(message.context.persona));
    }
    Intent::Unknown
}

pub(super) fn reply(message: &ParsedMessage) -> Option<Intent> {
    if message.phrase.is_empty() {
        return None;
    }
    let of_request = || match message.phrase_start {
        0 => None,
        _ => fixed_reply(message, &spelled_out(message.request())),
    };
    let text = fixed_reply(message, &spelled_out(&message.phrase))
        .or_else(of_request)
        .or_else(|| time_elsewhere(message))
        .or_else(|| opening(message));
    text.map(Intent::Say)
}

/// "what can you do" for "what can u do".
pub(super) fn spelled_out(phrase: &str) -> Cow<'_, str> {
    let full = |word| match word {
        "u" => "you",
        "ur" => "your",
        "r" => "are",
        word => word,
    };
    let may_be_short = |(at, byte): (usize, u8)| {
        matches!(byte, b'u' | b'r') && (at == 0 || phrase.as_bytes()[at - 1] == b' ')
    };
    if !phrase.bytes().enumerate().any(may_be_short) {
        return Cow::Borrowed(phrase); // most messages
    }
    Cow::Owned(phrase.split(' ').map(full).collect::<Vec<_>>().join(" "))
}

/// A greeting, a farewell or thanks, which ask for nothing: "ok" may say yes to something.
pub(in crate::assistant) fn is_courtesy(message: &ParsedMessage) -> bool {
    let of = |phrase| phrases::greeting(message, phrase).is_some();
    of(&message.phrase) || of(message.request())
}

pub(in crate::assistant) use phrases::joke_after;

/// Whether a joke is asked for.
pub(super) fn asks_for_joke(words: &Words) -> bool {
    let from = words.skip_courtesy(0);
    let end = words.before_courtesy(from, words.len());
    phrases::asks_for_joke(&words.phrase(from..end))
}

/// The answer to how somebody is, where no diary is kept of it: "i'm so tired", and to what is often
/// asked in vain. The words are without the assistant's name.
pub(super) fn reply_to_talk(text: &str, words: &Words) -> Option<&'static str> {
    const TEXT_BYTES_MAX: usize = 200;
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let phrase = words.phrase(0..words.len());
    if phrases::asks_for_weather(&phrase) {
        return Some(
            "I can't look up the weather. I keep reminders, memories and lists; “help” shows more.",
        );
    }
    let choices = reactions::feeling(&phrase)?;
    choices
        .get(words::stable_hash(text) as usize % choices.len())
        .copied()
}

fn fixed_reply(message: &ParsedMessage, phrase: &str) -> Option<String> {
    phrases::greeting(message, phrase)
        .or_else(|| phrases::question(message, phrase))
        .or_else(|| reactions::reaction(message, phrase))
}

/// "what time is it in Tokyo?"
fn time_elsewhere(message: &ParsedMessage) -> Option<String> {
    let words = &message.words;
    let from = words.after(
        message.start,
        phrases![
            "what time is it in", "what time is it now in", "whats the time in",
            "what is the time in", "time in",
        ],
    )?;
    let place = subject(words.original(from..words.len()));
    zone::find(&place).map(|zone| wording::time_in(message.context.now, zone, &place))
}

/// A longer message that begins with thanks or a greeting, in a direct chat.
fn opening(message: &ParsedMessage) -> Option<String> {
    let words = &message.words;
    if !message.is_addressed || words.len() > 8 {
        return None;
    }
    if words
        .after(
            0,
            phrases![
                "thanks for", "thank you for", "thanks again", "thank you again",
                "many thanks for",
            ],
        )
        .is_some()
    {
        return Some(
            message
                .pick(&["You're welcome!", "Any time!", "Happy to help!"])
                .to_owned(),
        );
    }
    // Only courtesies: "hey there, good morning", "ok ok".
    let greets = |word: &str| {
        matches!(
            word,
            "hey"
                | "hi"
                | "hiya"
                | "hello"
                | "hallo"
                | "yo"
                | "good"
                | "morning"
                | "there"
                | "dear"
                | "thanks"
        )
    };
    let agrees = |word: &str| matches!(word, "ok" | "okay" | "alright");
    match message.start == words.len() {
        true if words.iter().any(greets) => Some(phrases::hello(message)),
        true if words.iter().all(agrees) => Some("👍".to_owned()),
        _ => None,
    }
}
