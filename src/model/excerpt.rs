//! Shortens long texts.

use unicode_segmentation::UnicodeSegmentation;

const ELLIPSIS: char = '…';

/// The text if it has at most `chars_max` characters; otherwise its beginning with an ellipsis,
/// without splitting a grapheme.
pub fn at_most(text: String, chars_max: usize) -> String {
    // Bytes first: most texts are short, and a character has at least one byte.
    if text.len() <= chars_max || text.chars().count() <= chars_max {
        return text;
    }
    let (mut end, mut chars) = (0, 1);
    for grapheme in text.graphemes(true) {
        chars += grapheme.chars().count();
        if chars > chars_max {
            break;
        }
        end += grapheme.len();
    }
    let mut cut = text;
    cut.truncate(end);
    cut.push(ELLIPSIS);
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_ends_with_an_ellipsis_at_a_grapheme() {
        let cases = [
            ("", 3, ""),
            ("abc", 3, "abc"),
            ("äöü", 3, "äöü"),
            ("abcd", 3, "ab…"),
            ("äöüß", 3, "äö…"),
            ("ae\u{301}x", 3, "a…"), // "é" of two characters doesn't fit beside the ellipsis
            ("👩‍👩‍👧 and", 3, "…"),
        ];
        for (text, chars_max, expected) in cases {
            assert_eq!(at_most(text.to_owned(), chars_max), expected, "{text}");
        }
        let long = at_most("x".repeat(5_000), 4_000);
        assert_eq!(long.chars().count(), 4_000);
    }
}
