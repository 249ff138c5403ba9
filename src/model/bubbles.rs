//! Splits a reply into the bubbles of a chat: at blank lines; where a paragraph is too long, at
//! sentence ends or line ends, then between words, then between graphemes. A text of at most
//! `BUBBLE_CHARS_MAX` without a blank line is one bubble.
//!
//! Blocks of code, URLs and graphemes are never split: one that is longer than a bubble becomes its own bubble, and
//! is split only at `BUBBLE_CHARS_CAP`, the most that a queued command carries.

use unicode_segmentation::UnicodeSegmentation;

/// Characters (not bytes) in a bubble.
const BUBBLE_CHARS_MAX: usize = 600;

/// Characters in a bubble that is one unbreakable piece: what a command can carry.
const BUBBLE_CHARS_CAP: usize = 4_000;

/// Begins and ends a block of code.
const FENCE: &str = "```";
const URL_STARTS: [&str; 3] = ["https://", "http://", "www."];

/// Words whose full stop does not end a sentence (lower case, without the last stop).
const ABBREVIATIONS: [&str; 27] = [
    "e.g", "i.e", "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "no", "nr", "approx", "ca",
    "cf", "fig", "jr", "sr", "inc", "ltd", "dept", "est", "min", "max", "z.b", "d.h", "bzw",
];

/// The bubbles of `text`, in order: trimmed, none empty.
pub fn cut(text: &str) -> Vec<String> {
    if is_one_bubble(text) {
        return vec![text.to_owned()];
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut bubbles = Vec::new();
    for paragraph in paragraphs(&text) {
        let mut rest = trim(paragraph);
        while !rest.is_empty() {
            let end = first_cut(rest);
            let bubble = trim(&rest[..end]);
            if !bubble.is_empty() {
                bubbles.push(bubble.to_owned());
            }
            rest = trim(&rest[end..]);
        }
    }
    bubbles
}

/// Whether the text is a short line that begins and ends with a visible character: it is one
/// bubble without any further check. Most replies are.
fn is_one_bubble(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_visible = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    text.len() <= BUBBLE_CHARS_MAX
        && is_visible(bytes.first())
        && is_visible(bytes.last())
        && !bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Joins bubbles into one text.
pub fn join<S: AsRef<str>>(bubbles: &[S]) -> String {
    let mut text = String::new();
    for (i, bubble) in bubbles.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        text.push_str(bubble.as_ref());
    }
    text
}

/// The texts between blank lines that stand in no block of code; a line of white space is blank.
fn paragraphs(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at, mut code_end) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        if at >= code_end {
            code_end = at + code_block(&text[at..]).map_or(0, str::len);
        }
        if line.trim().is_empty() && at >= code_end {
            found.push(&text[start..at]);
            start = at + line.len();
        }
        at += line.len();
    }
    found.push(&text[start..]);
    found
}

/// The end of the first bubble of `text` (not empty, trimmed) in bytes; at least one grapheme.
fn first_cut(text: &str) -> usize {
    if text.chars().count() <= BUBBLE_CHARS_MAX {
        return text.len();
    }
    let (mut sentence, mut word, mut grapheme) = (0, 0, 0);
    let (mut at, mut chars) = (0, 0);
    while at < text.len() {
        let piece = piece_at(text, at);
        let piece_chars = piece.chars().count();
        if chars + piece_chars > BUBBLE_CHARS_MAX {
            return match (sentence, word, grapheme) {
                (0, 0, 0) => unbreakable(piece),
                (0, 0, cut) | (0, cut, _) | (cut, _, _) => cut,
            };
        }
        if breaks_words(piece) {
            word = at;
            if piece == "\n" || ends_sentence(&text[..at]) {
                sentence = at;
            }
        } else if at > 0 && ends_wide_sentence(&text[..at]) && !is_closing(piece) {
            sentence = at;
        }
        at += piece.len();
        chars += piece_chars;
        grapheme = at;
    }
    text.len()
}

/// A block of code at the beginning of `text`, from its fence to the closing one.
fn code_block(text: &str) -> Option<&str> {
    let is_fence = |line: &str| line.trim_start().starts_with(FENCE);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line))?;
    let mut end = first.len();
    for line in lines {
        end += line.len();
        if is_fence(line) {
            return Some(&text[..end]);
        }
    }
    None
}

/// The unit at `at` that must not be split: a block of code, a URL at the start of a word, or else
/// one grapheme.
fn piece_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let begins_line = at == 0 || text[..at].ends_with('\n');
    if let Some(block) = code_block(rest).filter(|_| begins_line) {
        return block.trim_end();
    }
    let after_word = text[..at]
        .chars()
        .next_back()
        .is_some_and(char::is_alphanumeric);
    if !after_word && starts_url(rest) {
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"'))
            .unwrap_or(rest.len());
        let url = rest[..end].trim_end_matches(['.', ',', '!', '?', ';', ':', ')', ']', '\'']);
        // Back to the end of a grapheme, in case a combining mark follows the removed punctuation.
        let mut whole = 0;
        for grapheme in rest[..end].graphemes(true) {
            if whole >= url.len() {
                break;
            }
            whole += grapheme.len();
        }
        return &rest[..whole];
    }
    rest.graphemes(true).next().unwrap_or(rest)
}

fn starts_url(rest: &str) -> bool {
    URL_STARTS.iter().any(|start| {
        rest.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    })
}

/// A unit longer than a bubble stays whole, up to the limit of a command.
fn unbreakable(piece: &str) -> usize {
    let Some((cap, _)) = piece.char_indices().nth(BUBBLE_CHARS_CAP) else {
        return piece.len();
    };
    let mut end = 0;
    for grapheme in piece.graphemes(true) {
        if end + grapheme.len() > cap {
            break;
        }
        end += grapheme.len();
    }
    // One grapheme beyond the limit: the only case of splitting a grapheme.
    if end == 0 { cap } else { end }
}

fn breaks_words(piece: &str) -> bool {
    piece
        .chars()
        .all(|c| c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{202f}'))
}

/// Whether a sentence ends with `before`, which is followed by white space.
fn ends_sentence(before: &str) -> bool {
    let body = before.trim_end_matches(is_closing_char);
    match body.chars().next_back() {
        Some('!' | '?' | '…' | '。' | '！' | '？') => true,
        Some('.') => !is_abbreviation(&body[..body.len() - 1]),
        _ => false,
    }
}

/// "e.g", "Dr", an initial, or the number of a list item.
fn is_abbreviation(before_stop: &str) -> bool {
    let word_start = before_stop
        .char_indices()
        .rev()
        .find(|(_, c)| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '['))
        .map_or(0, |(i, c)| i + c.len_utf8());
    let word = &before_stop[word_start..];
    if word.len() > 12 {
        return false;
    }
    let starts_line = before_stop[..word_start]
        .chars()
        .next_back()
        .is_none_or(|c| c == '\n');
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
        return starts_line;
    }
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    (initial && word != "I") || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// Full-width punctuation ends a sentence without a following space.
fn ends_wide_sentence(before: &str) -> bool {
    before
        .trim_end_matches(is_closing_char)
        .ends_with(['。', '！', '？'])
}

fn is_closing(piece: &str) -> bool {
    piece
        .chars()
        .all(|c| is_closing_char(c) || matches!(c, '。' | '！' | '？'))
}

fn is_closing_char(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」' | '』' | '）'
    )
}

/// Trims white space by whole graphemes, so that a combining mark keeps its base.
fn trim(text: &str) -> &str {
    let blank = |g: &&str| g.chars().all(char::is_whitespace);
    let front: usize = text.graphemes(true).take_while(blank).map(str::len).sum();
    let text = &text[front..];
    let back: usize = text
        .graphemes(true)
        .rev()
        .take_while(blank)
        .map(str::len)
        .sum();
    &text[..text.len() - back]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        cut(text).iter().map(|b| b.chars().count()).collect()
    }

    #[test]
    fn blank_lines_part_bubbles() {
        let cases: [(&str, &[&str]); 11] = [
            ("", &[]),
            (" \n\n \t ", &[]),
            ("hello", &["hello"]),
            ("one\ntwo", &["one\ntwo"]),
            ("one\n\ntwo", &["one", "two"]),
            ("one\r\n\r\ntwo\r\nthree", &["one", "two\nthree"]),
            ("\n\n one \n \n\n\n two\n", &["one", "two"]),
            ("First. Second.", &["First. Second."]),
            ("one\rtwo", &["one\ntwo"]),
            (" one ", &["one"]),
            ("\u{301}one\u{a0}", &["\u{301}one"]),
        ];
        for (text, bubbles) in cases {
            assert_eq!(cut(text), bubbles, "{text:?}");
        }
    }

    #[test]
    fn blocks_of_code_stay_whole() {
        let code = "```python\nprint(1)\n\nprint(2)\n```";
        assert_eq!(cut(code), [code]);
        assert_eq!(
            cut(&format!("So:\n\n{code}\n\nBye.")),
            ["So:", code, "Bye."]
        );
        assert_eq!(
            cut(&format!("So:\n{code}\nBye.")),
            [format!("So:\n{code}\nBye.")]
        );
        // One that isn't closed is text.
        assert_eq!(cut("```\na\n\nb"), ["```\na", "b"]);
        let long = format!("```\n{}```", "let a = 1;\n\n".repeat(60));
        assert_eq!(
            cut(&format!("So:\n{long}\nBye.")),
            ["So:", long.as_str(), "Bye."]
        );
        assert!(lengths(&format!("```\n{}\n```", "x".repeat(5_000))).len() > 1);
    }

    #[test]
    fn long_paragraphs_are_cut_at_sentence_ends() {
        let a = format!("{}end.", "word ".repeat(80));
        let b = format!("{}end?", "other ".repeat(60));
        assert_eq!(cut(&format!("{a} {b}")), [a.clone(), b.clone()]);
        assert_eq!(cut(&format!("{a}\n{b}")), [a, b]);
        assert_eq!(lengths(&"x".repeat(600)), [600]);
        assert_eq!(lengths(&"x".repeat(601)), [600, 1]);
        assert_eq!(lengths(&"ü".repeat(1_500)), [600, 600, 300]);
        let wide = format!("{}。{}。", "字".repeat(400), "文".repeat(400));
        assert_eq!(lengths(&wide), [401, 401]);
    }

    #[test]
    fn stops_that_end_no_sentence() {
        for middle in [
            "about 3.14 or", "fruit, e.g. Apples or", "with Dr. Who and", "by J. Doe and",
        ] {
            let first = format!("{}done.", "word ".repeat(70));
            let second = format!("Then {middle} {}over.", "more ".repeat(60));
            assert_eq!(
                cut(&format!("{first} {second}")),
                [first, second],
                "{middle}"
            );
        }
    }

    #[test]
    fn a_url_stays_whole() {
        let url = format!("https://example.com/{}", "a.b?c=".repeat(60));
        let url = url.trim_end_matches(['?', '=', '.']);
        let text = format!("{} see {url}, and that is it.", "word ".repeat(100));
        let bubbles = cut(&text);
        assert!(bubbles.iter().any(|b| b.contains(url)), "{bubbles:?}");
        let long = format!("https://example.com/{}", "x".repeat(1_000));
        assert_eq!(lengths(&format!("look: {long} end")), [5, 1_020, 3]);
        let endless = format!("https://example.com/{}", "x".repeat(8_000));
        assert!(lengths(&endless).iter().all(|n| *n <= BUBBLE_CHARS_CAP));
    }

    #[test]
    fn properties_hold_for_all_sorts_of_text() {
        let family = "👨‍👩‍👧‍👦";
        let texts = [
            family.repeat(500),
            format!("a{}", "\u{301}".repeat(5_000)),
            "e\u{301}".repeat(900),
            "🇩🇪".repeat(700),
            format!("{} {}", "long".repeat(400), "word ".repeat(400)),
            "A b. C d! E f? ".repeat(200),
            " \u{301}x".repeat(700),
            "a\u{a0}b ".repeat(500),
            "http://".repeat(300),
            "www.".repeat(300),
            "(see https://a.example/x). ".repeat(90),
            "1. one\n2. two\n".repeat(150),
        ];
        for text in texts {
            let bubbles = cut(&text);
            let boundaries: std::collections::HashSet<usize> =
                text.grapheme_indices(true).map(|(i, _)| i).collect();
            let mut from = 0;
            for bubble in &bubbles {
                assert!(!bubble.trim().is_empty());
                assert!(bubble.chars().count() <= BUBBLE_CHARS_CAP);
                let at = from
                    + text[from..]
                        .find(bubble.as_str())
                        .expect("in order, unchanged");
                from = at + bubble.len();
                if !text.starts_with("a\u{301}\u{301}") {
                    assert!(
                        boundaries.contains(&at)
                            && (from == text.len() || boundaries.contains(&from))
                    );
                }
            }
            let chars: usize = bubbles
                .iter()
                .map(|b| b.split_whitespace().map(str::len).sum::<usize>())
                .sum();
            assert_eq!(
                chars,
                text.split_whitespace().map(str::len).sum::<usize>(),
                "nothing is lost"
            );
        }
    }

    #[test]
    fn joined_with_line_ends() {
        assert_eq!(join(&["one", "two"]), "one\ntwo");
        assert_eq!(join::<String>(&[]), "");
    }
}
