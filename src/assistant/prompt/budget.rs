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
/// Estimated tokens of the note in the place of the middle of a message.
const CUT_NOTE_TOKENS: usize = 40;
/// Estimated tokens of a message without its text.
const MESSAGE_TOKENS: usize = 4;

/// The newest messages that fit, and whether the last one was cut: it is always included, without
/// its middle where it is too long.
pub(super) fn fit(
    mut messages: Vec<PromptMessage>,
    tokens_max: usize,
) -> (Vec<PromptMessage>, bool) {
    let Some(last) = messages.last_mut() else {
        return (messages, false);
    };
    let room = tokens_max.saturating_sub(MESSAGE_TOKENS + last.photos.len() * PHOTO_TOKENS);
    let is_cut = estimated_tokens(&last.text) > room;
    if is_cut {
        last.text = without_middle(&last.text, room);
    }
    let mut used = 0;
    let fitting = messages.iter().rev().take_while(|message| {
        used +=
            MESSAGE_TOKENS + estimated_tokens(&message.text) + message.photos.len() * PHOTO_TOKENS;
        used <= tokens_max
    });
    let count = fitting.count().max(1);
    messages.drain(..messages.len() - count);
    (messages, is_cut)
}

/// The beginning and the end of a text, with a note between them: what is asked for mostly stands
/// in one of them.
fn without_middle(text: &str, tokens_max: usize) -> String {
    let room = tokens_max.saturating_sub(CUT_NOTE_TOKENS);
    let end = {
        let mut end: Vec<&str> = fitting(text.graphemes(true).rev(), room / 3);
        end.reverse();
        end.concat()
    };
    let begin = fitting(text.graphemes(true), room - room / 3).concat();
    let left_out = text.chars().count() - begin.chars().count() - end.chars().count();
    format!(
        "{begin}\n[This message is too long: {left_out} characters of its middle are left out \
         here. Say so where it matters.]\n{end}"
    )
}

/// The first of these that are not more tokens than that.
fn fitting<'t>(parts: impl Iterator<Item = &'t str>, tokens_max: usize) -> Vec<&'t str> {
    let (mut ascii, mut others) = (0, 0);
    let fits = |part: &&str| {
        let of_part = part.bytes().filter(u8::is_ascii).count();
        ascii += of_part;
        others += part.chars().count() - of_part;
        ascii.div_ceil(4) + others <= tokens_max
    };
    parts.take_while(fits).collect()
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
