//! Makes untrusted text safe for a terminal: no line breaks, control sequences, direction changes
//! or invisible characters.

use std::fmt::Write as _;

/// Replaces a character that is not printed.
const REPLACEMENT: char = '\u{fffd}';

/// One line of text.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(replace_hidden).collect()
}

/// Several lines, separated by line feeds; tabs stay.
pub(super) fn plain_lines(text: &str) -> String {
    let replace = |c| match c {
        '\n' | '\t' => c,
        c => replace_hidden(c),
    };
    text.chars().map(replace).collect()
}

/// JSON with escapes for all characters that `plain` would replace.
pub(super) fn plain_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_printable(c) {
            out.push(c);
        } else {
            push_utf16(&mut out, c);
        }
    }
    out
}

/// Appends a character as JSON escapes.
pub(super) fn push_utf16(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}"); // writing to a string can't fail
    }
}

fn replace_hidden(c: char) -> char {
    if is_printable(c) { c } else { REPLACEMENT }
}

/// False for control characters (C0, C1), line separators, and format characters that change the
/// direction or are invisible. Joiners and variation selectors are allowed: scripts and emoji need
/// them.
pub(super) fn is_printable(c: char) -> bool {
    !c.is_control() && !is_hidden_format(c)
}

#[rustfmt::skip] // one range per line
fn is_hidden_format(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'                       // soft hyphen
        | '\u{61c}'                    // Arabic letter mark
        | '\u{180e}'                   // Mongolian vowel separator
        | '\u{200b}'                   // zero width space
        | '\u{200e}' | '\u{200f}'      // left-to-right and right-to-left marks
        | '\u{2028}'..='\u{202e}'      // separators; embeddings and overrides of direction
        | '\u{2060}'..='\u{206f}'      // word joiner, invisible operators; isolates; deprecated
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{feff}'                   // byte order mark
        | '\u{fff9}'..='\u{fffb}'      // interlinear annotations
        | '\u{1bca0}'..='\u{1bca3}'    // shorthand controls
        | '\u{1d173}'..='\u{1d17a}'    // musical controls
        | '\u{e0000}'..='\u{e007f}'    // tags
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_replaced_and_others_stay() {
        for hidden in [
            '\0', '\u{7}', '\t', '\r', '\n', '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}', '\u{ad}',
            '\u{61c}', '\u{200b}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}',
            '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2060}', '\u{2066}', '\u{2067}',
            '\u{2068}', '\u{2069}', '\u{206a}', '\u{feff}', '\u{e0041}',
        ] {
            assert!(!is_printable(hidden), "{hidden:?}");
            assert_eq!(plain(&format!("a{hidden}b")), "a\u{fffd}b");
        }
        // A combined emoji, Persian with a joiner, a flag, a combining accent.
        for visible in [
            "👩\u{200d}🚀", "می\u{200c}خواهم", "🏳\u{fe0f}", "e\u{301}", "שלום", "\u{a0}",
        ] {
            assert_eq!(plain(visible), visible);
        }
        assert_eq!(plain_lines("a\n\t\u{202e}b\r"), "a\n\t\u{fffd}b\u{fffd}");
    }

    #[test]
    fn json_has_the_same_content() {
        let value = serde_json::json!({"a\u{202e}": "\u{9b}\u{e0041}\"\\é"});
        let printed = plain_json(&value.to_string());
        assert!(printed.chars().all(is_printable), "{printed:?}");
        let read: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(read, value);
    }
}
