//! The length limit of replies, and shortening of longer ones.

use crate::assistant::prompt::{Message, Prompt, Role};
use crate::assistant::wording;
use crate::model::bubbles;

const BUBBLES_MAX: usize = 16;
const CHARS_MAX: usize = 8_000;
/// The prompt for a model whose reply is too long.
const SHORTEN: &str = "[Your answer is too long for this chat. Write it again, complete, in at \
                       most 8 short paragraphs and 3,000 characters, without a word about this.]";

pub(super) fn is_too_long(text: &str) -> bool {
    text.chars().count() > CHARS_MAX || bubbles::cut(text).len() > BUBBLES_MAX
}

/// Asks for a shorter version of `text`.
pub(super) fn shorter(mut prompt: Prompt, text: &str) -> Prompt {
    for (role, text) in [(Role::Assistant, text), (Role::User, SHORTEN)] {
        prompt.messages.push(Message {
            role,
            text: text.to_owned(),
            photos: Vec::new(),
        });
    }
    prompt
}

/// As many whole bubbles as allowed, with a sentence about the rest.
pub(super) fn cut_short(text: &str, language: Option<&str>) -> String {
    let ending = wording::cut_short(language);
    let mut chars = ending.chars().count();
    let all = bubbles::cut(text);
    let fitting = all.iter().take(BUBBLES_MAX - 1).take_while(|bubble| {
        chars += bubble.chars().count() + 2;
        chars <= CHARS_MAX
    });
    let mut parts: Vec<&str> = fitting.map(String::as_str).collect();
    parts.push(ending);
    parts.join("\n\n")
}
