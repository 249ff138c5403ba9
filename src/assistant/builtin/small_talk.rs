//! Small talk: greetings, thanks, questions about the assistant, jokes, the time. Only whole
//! phrases match, so that in a group only plain small talk is answered. It must not know anything
//! about the person.

mod phrases;
mod reactions;

use super::{Intent, Talk, subject, wording, zone};

/// A message without words.
pub(in crate::assistant) fn wordless(talk: &Talk) -> Intent {
    if !talk.spoken_to {
        return Intent::Unknown;
    }
    if talk.context.has_photos {
        return Intent::Say(wording::photos_unseen(talk.context.persona));
    }
    match talk.context.text.trim() {
        "" => Intent::Unknown,
        "?" | "??" | "???" => Intent::Help(None),
        text if text.chars().any(char::is_alphabetic) => Intent::Say(phrases::hello(talk)),
        _ => Intent::Unknown,
    }
}

/// Nothing was understood; photos still get an answer.
pub(super) fn lost(talk: &Talk) -> Intent {
    if talk.context.has_photos && talk.spoken_to {
        return Intent::Say(wording::photos_unseen(talk.context.persona));
    }
    Intent::Unknown
}

pub(super) fn reply(talk: &Talk) -> Option<Intent> {
    if talk.phrase.is_empty() {
        return None;
    }
    let text = fixed_reply(talk, &talk.phrase)
        .or_else(|| fixed_reply(talk, talk.request()))
        .or_else(|| time_elsewhere(talk))
        .or_else(|| opening(talk));
    text.map(Intent::Say)
}

fn fixed_reply(talk: &Talk, phrase: &str) -> Option<String> {
    phrases::greeting(talk, phrase)
        .or_else(|| phrases::question(talk, phrase))
        .or_else(|| reactions::reaction(talk, phrase))
}

/// "what time is it in Tokyo?"
fn time_elsewhere(talk: &Talk) -> Option<String> {
    let words = &talk.words;
    let from = words.after(
        talk.start,
        &[
            "what time is it in",
            "what time is it now in",
            "whats the time in",
            "what is the time in",
            "time in",
        ],
    )?;
    let place = subject(words.original(from..words.len()));
    zone::find(&place).map(|zone| wording::time_in(talk.context.now, zone, &place))
}

/// A longer message that begins with thanks or a greeting, in a direct chat.
fn opening(talk: &Talk) -> Option<String> {
    let words = &talk.words;
    if !talk.spoken_to || words.len() > 8 {
        return None;
    }
    if words
        .after(
            0,
            &[
                "thanks for",
                "thank you for",
                "thanks again",
                "thank you again",
                "many thanks for",
            ],
        )
        .is_some()
    {
        return Some(
            talk.pick(&["You're welcome!", "Any time!", "Happy to help!"])
                .to_owned(),
        );
    }
    // Only courtesies: "hey there, good morning".
    (talk.start == words.len()).then(|| phrases::hello(talk))
}
