//! How much is told: tokens by estimate, and what is left out when it is too much. It must
//! not know who said what.

use unicode_segmentation::UnicodeSegmentation;

use super::Message;

/// Characters of a reply that are taken; no flag allows tokens for more.
pub const REPLY_CHARS_MAX: usize = 32_000;
/// What a photo costs, whatever its size.
const PHOTO_TOKENS: usize = 1_000;
/// What a message costs beside its text.
const MESSAGE_TOKENS: usize = 4;

/// Tokens of a text, rather too many than too few: a quarter of one for each ASCII
/// character, a whole one for each other.
pub fn estimated_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}

/// The newest messages that fit, the last one in any case: cut, if it alone is too much.
pub(super) fn fit(mut messages: Vec<Message>, tokens_max: usize) -> Vec<Message> {
    let Some(last) = messages.last_mut() else {
        return messages;
    };
    let room = tokens_max.saturating_sub(MESSAGE_TOKENS + last.photos.len() * PHOTO_TOKENS);
    if estimated_tokens(&last.text) > room {
        last.text = cut(&last.text, room); // a character is one token at most
    }
    let mut used = 0;
    let fitting = messages.iter().rev().take_while(|message| {
        used +=
            MESSAGE_TOKENS + estimated_tokens(&message.text) + message.photos.len() * PHOTO_TOKENS;
        used <= tokens_max
    });
    let count = fitting.count().max(1);
    messages.drain(..messages.len() - count);
    messages
}

/// At most so many characters, the last one an ellipsis where something is missing.
pub(super) fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut chars = 1;
    for grapheme in text.graphemes(true) {
        chars += grapheme.chars().count();
        if chars > chars_max {
            break;
        }
        short.push_str(grapheme);
    }
    short.push('…');
    short
}
