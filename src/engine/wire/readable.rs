//! The text of a reply as people read it: without what models think before they answer, and without
//! the marks that belong to their servers.

use crate::assistant::prompt::REPLY_CHARS_MAX;

/// Around what a model thinks before it answers.
const THOUGHTS: [(&str, &str); 11] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("Here is my thought process:", "Here is my response:"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis", "<|channel|>final<|message|>"),
];
/// A call that follows thoughts without an answer.
const CALL_AFTER_THOUGHTS: &str = "to=functions.";
/// Words round the thoughts where the server has dropped the marks: "analysisThey
/// greet.assistantfinalHi!".
const BARE_THOUGHTS: (&str, &str) = ("analysis", "assistantfinal");
/// Tokens of servers in other forms than `<|name|>`.
const TOKENS: [&str; 2] = ["<end_of_turn>", "<start_of_turn>"];
/// Before and after the names of tokens.
const TOKEN_EDGES: [(&str, &str); 2] = [("<|", "|>"), ("<｜", "｜>")];
/// Bytes of a token's name.
const TOKEN_BYTES_MAX: usize = 48;
/// The header of a message of some models: the channel it is for.
const HEADER: (&str, &str) = ("<|channel|>", "<|message|>");
/// Bytes of what stands in a header.
const HEADER_BYTES_MAX: usize = 64;

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
    let (begin, end) = BARE_THOUGHTS;
    if text.starts_with(begin)
        && let Some((_, said)) = text.rsplit_once(end)
    {
        return said;
    }
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

/// Removes tokens of servers that are no words, except in programs.
pub(super) fn without_tokens(text: String) -> String {
    /// A mark of HTML, too, except at the end.
    const END: &str = "</s>";
    const ANSWER: (&str, &str) = ("<answer>", "</answer>");
    let mut rest = text;
    if rest.ends_with(END) && !rest.contains("<s>") {
        rest.truncate(rest.len() - END.len());
    }
    if let Some(inner) = rest.trim().strip_prefix(ANSWER.0) {
        rest = inner.strip_suffix(ANSWER.1).unwrap_or(inner).to_owned();
    }
    if ![TOKEN_EDGES[0].0, TOKEN_EDGES[1].0]
        .iter()
        .chain(&TOKENS)
        .any(|token| rest.contains(token))
    {
        return rest.trim().to_owned();
    }
    let parts = rest.split("```").enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        0 => plain(part),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("```").trim().to_owned()
}

/// Without headers and tokens.
fn plain(text: &str) -> String {
    let mut text = text.replace("<|start|>assistant", "<|start|>");
    for token in TOKENS {
        text = text.replace(token, "");
    }
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = TOKEN_EDGES
        .iter()
        .filter_map(|(open, _)| rest.find(open))
        .min()
    {
        let (before, token) = rest.split_at(at);
        plain.push_str(before);
        // What stands between ` is spoken of.
        let bytes = match before.ends_with('`') {
            true => 0,
            false => header_bytes(token).max(token_bytes(token)),
        };
        let length = if bytes == 0 { 1 } else { 0 };
        plain.push_str(&token[..length]);
        rest = &token[bytes.max(length)..];
    }
    plain.push_str(rest);
    plain
}

/// The bytes of the header with which a text begins, or 0.
fn header_bytes(text: &str) -> usize {
    let (open, close) = HEADER;
    let inner = text.strip_prefix(open);
    let end = inner
        .and_then(|inner| inner.find(close))
        .filter(|end| *end <= HEADER_BYTES_MAX);
    end.map_or(0, |end| open.len() + end + close.len())
}

/// The bytes of the token with which a text begins, or 0.
fn token_bytes(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_▁:-".contains(c);
    let edges = TOKEN_EDGES.iter().filter_map(|(open, close)| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(close)?;
        let is_token = (1..=TOKEN_BYTES_MAX).contains(&end) && inner[..end].chars().all(is_part);
        is_token.then_some(open.len() + end + close.len())
    });
    edges.max().unwrap_or(0)
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
            ("<thought>a</thought>Hi!", "Hi!"),
            ("<reasoning>\na\n</reasoning>\nHi!", "Hi!"),
            ("<reasoning>endless", ""),
            ("<seed:think>a</seed:think>Hi!", "Hi!"),
            (
                "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Hi!<|END_RESPONSE|>",
                "Hi!",
            ),
            ("<think>a</think><answer>Hi!</answer>", "Hi!"),
            ("analysisThey greet me.assistantfinalHi!", "Hi!"),
            (
                "analysis is a field of mathematics", "analysis is a field of mathematics",
            ),
            ("<|channel|>final<|message|>Hi!<|return|>", "Hi!"),
            (
                "<|start|>assistant<|channel|>commentary<|message|>Hi!<|end|>",
                "Hi!",
            ),
            ("Hi!<|eot|><|header_start|>", "Hi!"),
            ("Hi!<｜end▁of▁sentence｜>", "Hi!"),
            ("`<|im_end|>` ends a turn", "`<|im_end|>` ends a turn"),
            ("```\n<|im_start|>user\n```", "```\n<|im_start|>user\n```"),
            ("let f x = x <| 1 |> 2", "let f x = x <| 1 |> 2"),
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
