//! Replies about memories.

use super::{LISTED_MAX, QUOTE_CHARS_MAX, list, quoted, quoted_to, thousands};
use crate::assistant::text::function_words::without_article;

/// Characters of a list in which each memory stands whole.
const LIST_CHARS_MAX: usize = 8_000;

/// The memory is stored already.
pub fn already_remembered(text: &str) -> String {
    format!("I remember that already: {}", quoted(text))
}

pub fn remembered(text: &str) -> String {
    format!("I'll remember that: {}", quoted(text))
}

/// Added where it was not asked for.
pub fn with_undo(reply: &str) -> String {
    format!("{reply}\nIf I shouldn't, say “undo”.")
}

/// After "forget what tom owes me"
pub const DEBT_IS_NO_MEMORY: &str =
    "Is that paid back? Then say “… paid me back”, or “i paid … back”. I've changed nothing.";

/// After "no, it's abd"
pub fn memory_corrected(text: &str) -> String {
    format!("Okay, I've corrected that: {}", quoted(text))
}

pub const MEMORY_EMPTY: &str =
    "What should I remember? For example: “remember that my bike lock code is 4321”.";

/// `text` ends before what is to be remembered: "my pin is".
pub fn memory_unfinished(text: &str) -> String {
    format!(
        "“{text}” ends too early, so I've remembered nothing. Please say it once more with the rest."
    )
}

pub const MEMORY_UNCLEAR: &str = "You changed something in that, so I've remembered nothing. Please say it once more, only as you mean it.";

pub fn memory_too_long(chars_max: usize) -> String {
    format!(
        "That's too long for me to remember. Please keep it to {} characters.",
        thousands(chars_max)
    )
}

/// `memories`: newest first; `about`: the subject asked about, if any.
pub fn recalled<S: AsRef<str>>(memories: &[S], about: Option<&str>) -> String {
    let listed = memories.iter().take(LISTED_MAX);
    let chars: usize = listed.map(|memory| memory.as_ref().chars().count()).sum();
    // All of many long ones would be dozens of bubbles.
    let quote_max = match chars > LIST_CHARS_MAX {
        true => QUOTE_CHARS_MAX * 2,
        false => QUOTE_CHARS_MAX * 10,
    };
    let lines = memories
        .iter()
        .map(|memory| quoted_to(memory.as_ref(), quote_max));
    match (memories, about) {
        ([], Some(about)) => format!("I don't remember anything about “{}”.", quoted(about)),
        ([], None) => {
            "I don't remember anything about you yet. Say “remember that …” to change that."
                .to_owned()
        }
        ([one], Some(_)) => format!(
            "You told me: {}",
            quoted_to(one.as_ref(), QUOTE_CHARS_MAX * 10)
        ),
        (many, Some(about)) => list(
            &format!("What I remember about “{}”:", quoted(about)),
            lines,
            many.len(),
        ),
        (many, None) => list("What I remember:", lines, many.len()),
    }
}

/// No memory answers it. `near`: memories with some of its words.
pub fn recalled_near(near: &[&str], about: &str) -> String {
    let nothing = recalled::<&str>(&[], Some(about));
    let near = near
        .iter()
        .map(|memory| quoted_to(memory, QUOTE_CHARS_MAX * 10));
    let near: Vec<String> = near.collect();
    match near.as_slice() {
        [] => nothing,
        near => list(
            &format!("{nothing} What comes near:"),
            near.iter().cloned(),
            near.len(),
        ),
    }
}

pub fn forgotten(count: usize, about: &str) -> String {
    match count {
        0 => format!(
            "I don't remember anything about “{}”, so there's nothing to forget.",
            quoted(about)
        ),
        1 => "Okay, I've forgotten that.".to_owned(),
        n => format!("Okay, I've forgotten {n} things about “{}”.", quoted(about)),
    }
}

pub fn everything_forgotten(count: usize) -> String {
    match count {
        0 => "I don't remember anything about you, so there's nothing to forget.".to_owned(),
        1 => "Okay, I've forgotten the one thing I remembered.".to_owned(),
        n => format!("Okay, I've forgotten all {n} things I remembered."),
    }
}

/// Added to the answer when a memory service can't be reached.
pub fn with_memories_cut_off(reply: &str) -> String {
    format!("{reply}\n\nI can't reach all of my memory right now, so ask me again later.")
}

/// The answer where the deletion is done later.
pub fn everything_will_be_forgotten() -> String {
    "Okay, I've forgotten everything here. I can't reach the rest of my memory right now; it \
     goes as soon as I can."
        .to_owned()
}

pub const NEVER_MIND: &str =
    "Okay, never mind. To take a memory away, say “forget” and what it's about.";

/// After "forget the meeting", about which nothing is remembered.
pub fn only_a_reminder(about: &str) -> String {
    format!(
        " A reminder is about it, and stays: “cancel my {} reminder” ends it.",
        quoted(without_article(about))
    )
}

/// `memories` would be deleted.
pub fn forget_these(memories: &[&str]) -> String {
    let lines = memories.iter().map(|text| quoted(text));
    let title = match memories.len() {
        1 => "Shall I forget this? Say “yes”.".to_owned(),
        n => format!("Shall I forget these {n} things? Say “yes”, or name fewer."),
    };
    list(&title, lines, memories.len())
}

pub fn forget_everything(count: usize) -> String {
    match count {
        1 => "Shall I forget the one thing I remember? Say “yes”.".to_owned(),
        n => format!("Shall I forget all {n} things I remember? Say “yes”."),
    }
}
