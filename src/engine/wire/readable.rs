//! The text of a reply as people read it: without what models think before they answer, and without
//! the marks that belong to their servers.

use crate::assistant::prompt::REPLY_CHARS_MAX;

/// Around what a model thinks before it answers.
const THOUGHTS: [(&str, &str); 5] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis", "<|channel|>final<|message|>"),
];
/// A call that follows thoughts without an answer.
const CALL_AFTER_THOUGHTS: &str = "to=functions.";
/// Where a server forgets that it had ended a text with them.
const TOKENS: [&str; 11] = [
    "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>",
    "<|end|>", "<|return|>", "<|start|>", "<end_of_turn>", "<｜end▁of▁sentence｜>",
];

/// Makes a reply readable: removes the reasoning that some models prepend and control characters,
/// and limits its length.
pub(in crate::engine) fn readable(text: &str) -> String {
    let visible = without_thoughts(text.trim_start())
        .chars()
        .filter(|c| !c.is_control() || *c == '\n');
    let short: String = visible.take(REPLY_CHARS_MAX).collect();
    short.trim().to_owned()
}

/// The opening mark is often part of the prompt, so that only the closing one is written.
fn without_thoughts(text: &str) -> &str {
    // Marks between words are spoken of.
    let ends = THOUGHTS.iter().filter_map(|(begin, end)| {
        let at = text.rfind(end)?;
        let is_thought = text.starts_with(begin) || !text[..at].contains(begin);
        is_thought.then_some((at, end.len()))
    });
    if let Some((at, bytes)) = ends.max() {
        return &text[at + bytes..];
    }
    let is_thought = THOUGHTS.iter().any(|(begin, _)| text.starts_with(begin));
    match is_thought && !text.contains(CALL_AFTER_THOUGHTS) {
        true => "",
        false => text,
    }
}

/// Removes tokens of servers that are no words.
pub(super) fn without_tokens(text: String) -> String {
    /// A mark of HTML, too, except at the end.
    const END: &str = "</s>";
    let is_ended = text.ends_with(END) && !text.contains("<s>");
    if !is_ended && !TOKENS.iter().any(|token| text.contains(token)) {
        return text;
    }
    let mut rest = text;
    if is_ended {
        rest.truncate(rest.len() - END.len());
    }
    for token in TOKENS {
        rest = rest.replace(token, "");
    }
    rest.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_and_tokens_are_no_words() {
        for (text, expected) in [
            ("Hi!", "Hi!"),
            ("<think>a\nb</think>\n\nHi!", "Hi!"),
            ("They want a greeting.\n</think>\n\nHi!", "Hi!"),
            ("[THINK]a[/THINK]Hi!", "Hi!"),
            ("<thinking>a</thinking> Hi!", "Hi!"),
            ("<think>endless", ""),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Hi!<|return|>",
                "Hi!",
            ),
            ("Hi!<|im_end|>\n", "Hi!"),
            ("Hi!</s>", "Hi!"),
            ("I think <3 of you", "I think <3 of you"),
            (
                "Models write <think> and </think> around thoughts.",
                "Models write <think> and </think> around thoughts.",
            ),
            ("<s>old</s> is struck", "<s>old</s> is struck"),
        ] {
            assert_eq!(without_tokens(readable(text)), expected, "{text}");
        }
    }
}
