//! The token budget of a prompt: estimates, and what is left out.

use unicode_segmentation::UnicodeSegmentation;

use serde_json::{Value, json};

use super::{PromptMessage, ToolExchange};
use crate::assistant::tokens::estimated_tokens;

/// Characters accepted in a reply; no flag allows tokens for more.
pub const REPLY_CHARS_MAX: usize = 32_000;
/// Estimated tokens of what tools returned for one message.
const RESULTS_TOKENS_MAX: usize = 8_000;
/// Estimated tokens of a photo of any size.
const PHOTO_TOKENS: usize = 1_000;
/// Estimated tokens of a message without its text.
const MESSAGE_TOKENS: usize = 4;

/// The newest messages that fit. The last one is always included, cut if necessary.
pub(super) fn fit(mut messages: Vec<PromptMessage>, tokens_max: usize) -> Vec<PromptMessage> {
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

/// Results of tools that are too long together: the oldest ones are left out, but for whether
/// they were successes.
pub(super) fn fit_results(exchanges: &mut [ToolExchange]) {
    let mut tokens = 0;
    let newest_first = exchanges.iter_mut().rev();
    for call in newest_first.flat_map(|exchange| exchange.calls.iter_mut().rev()) {
        tokens += estimated_tokens(&call.result);
        if tokens > RESULTS_TOKENS_MAX {
            let result: Value = serde_json::from_str(&call.result).unwrap_or_default();
            let left_out = json!({ "ok": result["ok"], "left_out": "This was too long." });
            call.result = left_out.to_string();
        }
    }
}

/// At most this many characters, ending with an ellipsis if cut.
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
