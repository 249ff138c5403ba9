//! Plain text of mails: flowed lines (RFC 3676), quoted mails, signatures.

/// An HTML part whose text is this many times the plain part's is the one that was written.
const STUB_FACTOR: usize = 10;

/// Joins lines that were broken for transport: they end in a space.
pub(super) fn unflow(text: &str, delsp: bool) -> String {
    let mut written = String::with_capacity(text.len());
    // Of the paragraph that is not finished.
    let mut open_depth = None;
    for line in text.lines() {
        let depth = line.bytes().take_while(|byte| *byte == b'>').count();
        let line = &line[depth..];
        let line = line.strip_prefix(' ').unwrap_or(line);
        if open_depth != Some(depth) {
            if open_depth.is_some() {
                written.push('\n');
            }
            written.extend(std::iter::repeat_n('>', depth));
            if depth > 0 {
                written.push(' ');
            }
        }
        let is_soft = line.ends_with(' ') && line != "-- ";
        let shown = match is_soft && delsp {
            true => &line[..line.len() - 1],
            false => line,
        };
        written.push_str(shown);
        open_depth = is_soft.then_some(depth);
        if !is_soft {
            written.push('\n');
        }
    }
    written
}

/// The text without quoted mails, the line that announces each, and the signature.
pub(super) fn without_quotes(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut in_quote = false;
    for line in text.lines() {
        let line = line.trim_end_matches('\r');
        if line == "-- " {
            break;
        }
        if line.starts_with('>') {
            if !in_quote {
                drop_announcement(&mut lines);
            }
            in_quote = true;
            continue;
        }
        in_quote = false;
        let is_second_blank =
            line.trim().is_empty() && lines.last().is_none_or(|last| last.is_empty());
        if !is_second_blank {
            lines.push(line.trim_end());
        }
    }
    lines.join("\n").trim().to_owned()
}

/// `On Monday, Ana wrote:`, which may have been broken into two lines.
fn drop_announcement(kept: &mut Vec<&str>) {
    while kept.last().is_some_and(|line| line.is_empty()) {
        kept.pop();
    }
    if kept.last().is_some_and(|line| line.ends_with(':')) {
        let last = kept.pop().unwrap_or_default();
        let is_broken = !last.contains([',', '@', '<']) && last.split(' ').count() < 3;
        if is_broken && kept.last().is_some_and(|line| !line.is_empty()) {
            kept.pop();
        }
    }
}

/// Whether a mail of `own` is quoted: the line before the quotation names its address.
pub(super) fn quotes(text: &str, own: &str) -> bool {
    let own = own.to_lowercase();
    let mut announcement = String::new();
    for line in text.lines() {
        if line.starts_with('>') && announcement.trim_end().ends_with(':') && own.contains('@') {
            return announcement.to_lowercase().contains(&own);
        }
        // It may be broken into two lines.
        if !line.trim().is_empty() {
            let before = announcement.lines().last().unwrap_or_default();
            announcement = format!("{before}\n{line}");
        }
    }
    false
}

/// The plain part, or the HTML part's text where the plain one is missing or a stub.
pub(super) fn better<'a>(plain: &'a str, html: &'a str) -> &'a str {
    let is_stub = plain.len() * STUB_FACTOR < html.len();
    if plain.trim().is_empty() || is_stub {
        return html;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flowed_lines_are_joined() {
        for (text, delsp, expected) in [
            ("One \ntwo\nthree\n", false, "One two\nthree\n"),
            ("One \ntwo\n", true, "Onetwo\n"),
            (" >not a quote\n", false, ">not a quote\n"),
            (">> deep \n>> er\n> less\n", false, ">> deep er\n> less\n"),
            ("a \n> b\n", false, "a \n> b\n"),
            ("text\n-- \nAna\n", false, "text\n-- \nAna\n"),
        ] {
            assert_eq!(unflow(text, delsp), expected, "{text:?}");
        }
    }

    #[test]
    fn quotes_and_signatures_are_left_out() {
        for (text, expected) in [
            ("Yes.\n\nOn Mon, Ana wrote:\n> Tomorrow?\n", "Yes."),
            (
                "Yes.\r\n\r\nOn Mon, 3 Nov 2026, Ana <ana@example.com>\r\nwrote:\r\n> Tomorrow?\r\n",
                "Yes.",
            ),
            ("> Tomorrow?\n\nYes.\n> At 9?\nNo.", "Yes.\nNo."),
            (
                "Hello\n\n\n\nthere\n-- \nAna\nExample Inc",
                "Hello\n\nthere",
            ),
        ] {
            assert_eq!(without_quotes(text), expected, "{text:?}");
        }
    }
}
