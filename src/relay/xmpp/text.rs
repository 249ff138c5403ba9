//! Text as XMPP carries it and its clients show it. Pure.

/// Bytes of one message. A server takes stanzas of 10,000 bytes at least (RFC 6120).
const BYTES_MAX: usize = 8_000;

/// The text in pieces that fit into one message each.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let text = styled(&without_controls(text));
    let pieces = crate::relay::pieces::pieces(&text, BYTES_MAX, bytes_in_xml);
    pieces.into_iter().map(str::to_owned).collect()
}

const fn bytes_in_xml(c: char) -> usize {
    match c {
        '<' | '>' => 4,
        '&' => 5,
        c => c.len_utf8(),
    }
}

/// XML has no place for other control characters.
fn without_controls(text: &str) -> String {
    let is_text = |c: &char| {
        matches!(c, '\t' | '\n') || !(c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'))
    };
    text.chars().filter(is_text).collect()
}

/// Markdown's bold as clients show it (XEP-0393); code is written the same way.
fn styled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_block = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        match in_block || line.contains('`') {
            true => out.push_str(line),
            false => out.push_str(&with_single_stars(line)),
        }
    }
    out
}

fn with_single_stars(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("**") {
        let Some((inside, behind)) = after.split_once("**") else {
            break;
        };
        out.push_str(before);
        if inside.is_empty() || inside.trim() != inside {
            out.push_str("**");
            rest = after;
            continue;
        }
        out.push_str(&format!("*{inside}*"));
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_up_as_clients_show_it() {
        let cases = [
            ("plain", "plain"),
            ("**Bold** and `x ** y`", "**Bold** and `x ** y`"),
            ("**Bold** and **more**\nthen", "*Bold* and *more*\nthen"),
            ("2 ** 3 ** 4", "2 ** 3 ** 4"),
            ("**open", "**open"),
            ("```\na **b** c\n```\n**d**", "```\na **b** c\n```\n*d*"),
        ];
        for (text, expected) in cases {
            assert_eq!(styled(text), expected, "{text}");
        }
    }

    #[test]
    fn a_piece_fits_into_a_stanza() {
        assert_eq!(pieces("a\u{0}b\u{b}\n\u{ffff}c"), ["ab\nc"]);
        let cut = pieces(&"<".repeat(4_000));
        assert_eq!(cut.len(), 2);
        assert!(cut.iter().all(|piece| piece.len() * 4 <= BYTES_MAX));
    }
}
