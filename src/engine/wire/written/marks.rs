//! The marks between which language models write calls of tools, where their server doesn't read
//! them: tags and brackets of many spellings, as `<tool_call>`, `[TOOL_CALLS]`, `<|python_tag|>`,
//! `<function=…>`.

use std::ops::Range;

/// Bytes of a tag.
const TAG_BYTES_MAX: usize = 96;
/// Parts of the names of tags, in lower case and without anything but letters.
const TAG_WORDS: [&str; 6] = [
    "toolcall", "functioncall", "pythontag", "tooluse", "usetool", "toolcode",
];
/// Parts of the names of tags that are written like `<|name|>`.
const TOKEN_WORDS: [&str; 8] = [
    "pythonstart", "pythonend", "startaction", "endaction", "actionstart", "actionend",
    "toolsprefix", "toolssuffix",
];
/// Beginnings of tags that contain the tool's name.
const TAG_BEGINNINGS: [&str; 3] = ["function=", "function name=", "invoke name="];
/// Marks that are no tags, and whether a call may begin there.
const PHRASES: [(&str, bool); 5] = [
    ("functools[", true),
    ("to=functions.", true),
    ("```tool_call", true),
    ("```tool_code", true),
    ("\nAction Input:", false),
];

/// A mark, and whether a call may begin there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallMark {
    pub(super) at: Range<usize>,
    pub(super) is_opening: bool,
}

/// All marks, in order.
pub(super) fn marks(text: &str) -> Vec<CallMark> {
    let mut found: Vec<CallMark> = tags(text).filter_map(|at| mark(text, at)).collect();
    for (phrase, is_opening) in PHRASES {
        found.extend(text.match_indices(phrase).map(|(at, _)| CallMark {
            at: at..at + phrase.len(),
            is_opening,
        }));
    }
    found.sort_by_key(|mark| mark.at.start);
    found
}

/// The tags of a text: what stands between `<` and `>`, or `[` and `]`, on a line, with them.
pub(super) fn tags(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(['<', '['])
        .filter_map(|(start, opening)| {
            let closing = if opening == "<" { '>' } else { ']' };
            let rest = &text[start + 1..];
            let end = rest.find([closing, '\n', '<', '['])?;
            let is_tag = end <= TAG_BYTES_MAX && rest[end..].starts_with(closing);
            is_tag.then(|| start..start + 1 + end + closing.len_utf8())
        })
}

fn mark(text: &str, at: Range<usize>) -> Option<CallMark> {
    let tag = &text[at.clone()];
    let inner = &tag[1..tag.len() - 1];
    let letters: String = inner.chars().filter(|c| c.is_alphabetic()).collect();
    let letters = letters.to_lowercase();
    // "[Tool calling]" may be the text of a link.
    let is_name = tag.starts_with('<') || !inner.contains(' ');
    let is_named = is_name && TAG_WORDS.iter().any(|word| letters.contains(word))
        || tag.starts_with("<|") && TOKEN_WORDS.contains(&letters.as_str());
    let begins = |beginning: &&str| inner.trim_start_matches('/').starts_with(*beginning);
    let is_mark = is_named || TAG_BEGINNINGS.iter().any(begins);
    let is_inner =
        letters.contains("argument") || letters.ends_with("end") || letters.contains("callend");
    is_mark.then(|| CallMark {
        is_opening: !is_inner && !inner.contains('/') && !letters.starts_with("end"),
        at,
    })
}
