//! The text format of Matrix clients. Pure.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};
use serde_json::{Value, json};

/// Limit of one message. The homeserver accepts events of 65,536 bytes; JSON may need 6 bytes for
/// one.
const BYTES_MAX: usize = 8_000;
/// Limit of an event's content including HTML.
const CONTENT_BYTES_MAX: usize = 60_000;

/// Splits a text into pieces that fit into one message each.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    crate::relay::pieces::pieces(text, BYTES_MAX, char::len_utf8)
}

/// A message's content. HTML is left out when it would be too long.
pub(super) fn content(text: &str, is_notice: bool) -> Value {
    let kind = if is_notice { "m.notice" } else { "m.text" };
    // An empty list of mentions, whatever the text contains.
    let plain = json!({"msgtype": kind, "body": text, "m.mentions": {}});
    let Some(html) = formatted(text) else {
        return plain;
    };
    let mut content = plain.clone();
    content["format"] = "org.matrix.custom.html".into();
    content["formatted_body"] = html.into();
    match content.to_string().len() <= CONTENT_BYTES_MAX {
        true => content,
        false => plain,
    }
}

/// Converts Markdown to HTML; `None` without Markdown. HTML in the text is escaped.
fn formatted(text: &str) -> Option<String> {
    let mut is_marked_up = false;
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH)
        .map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            Event::SoftBreak => Event::HardBreak, // a chat keeps its line breaks
            other => other,
        })
        .inspect(|event| {
            is_marked_up |= match event {
                Event::Start(tag) => !matches!(tag, Tag::Paragraph | Tag::HtmlBlock),
                Event::End(tag) => !matches!(tag, TagEnd::Paragraph | TagEnd::HtmlBlock),
                Event::Text(_) | Event::HardBreak => false,
                _ => true,
            };
        })
        .collect();
    if !is_marked_up {
        return None;
    }
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, events.into_iter());
    Some(out.trim_end().to_owned())
}

/// A reply's text without the quoted lines that older clients prepend.
pub(super) fn without_quotation(body: &str) -> &str {
    let mut rest = body;
    while let Some(line) = rest.strip_prefix("> ") {
        rest = line.split_once('\n').map_or("", |(_, after)| after);
    }
    rest.trim_start_matches('\n')
}

/// The text without the bot's name at its start, and whether there was one: "@juno …", "Juno: …",
/// and, if the message mentions the bot, "Juno …".
pub(super) fn without_name<'t>(
    text: &'t str,
    names: &[String],
    is_mentioned: bool,
) -> (&'t str, bool) {
    let text = text.trim();
    let (has_at, bare) = match text.strip_prefix('@') {
        Some(bare) => (true, bare),
        None => (is_mentioned, text),
    };
    let after_name = |name: &String| {
        let name = name.trim_start_matches('@');
        let (start, rest) = bare.split_at_checked(name.len())?;
        let is_whole = match rest.chars().next() {
            None | Some(',' | ':') => true,
            Some(c) => has_at && c.is_whitespace(),
        };
        let is_name = !name.is_empty() && start.eq_ignore_ascii_case(name);
        (is_name && is_whole).then_some(rest)
    };
    // "@juno:server" before "@juno".
    let shortest = names
        .iter()
        .filter_map(after_name)
        .min_by_key(|rest| rest.len());
    shortest.map_or((text, false), |rest| {
        (rest.trim_start_matches([',', ':']).trim_start(), true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_up_becomes_html() {
        let cases = [
            ("just\ntwo lines", None),
            ("a < b & c > d", None),
            (
                "**Bold** and `x < y`",
                Some("<p><strong>Bold</strong> and <code>x &lt; y</code></p>"),
            ),
            (
                "~~no~~ *yes*\nthen",
                Some("<p><del>no</del> <em>yes</em><br />\nthen</p>"),
            ),
            (
                "```rust\nlet x;\n```",
                Some("<pre><code class=\"language-rust\">let x;\n</code></pre>"),
            ),
            ("<b>not mine</b>", None),
            (
                "a <script>x</script> **b**",
                Some("<p>a &lt;script&gt;x&lt;/script&gt; <strong>b</strong></p>"),
            ),
            ("- a\n- b", Some("<ul>\n<li>a</li>\n<li>b</li>\n</ul>")),
        ];
        for (text, expected) in cases {
            assert_eq!(formatted(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_largest_piece_fits_into_an_event() {
        for text in ["\u{1}", ">", "\"", "😀"] {
            let text = text.repeat(BYTES_MAX) + " **b**";
            for piece in pieces(&text) {
                assert!(content(piece, false).to_string().len() <= CONTENT_BYTES_MAX);
            }
        }
    }

    #[test]
    fn quotations_and_names_are_left_out() {
        assert_eq!(without_quotation("> <@a:b> hi\n> there\n\nyes"), "yes");
        assert_eq!(without_quotation("yes\n> no"), "yes\n> no");
        let names = [
            "@juno:server".to_owned(),
            "juno".to_owned(),
            "Juno Bot".to_owned(),
        ];
        let cases = [
            ("juno: status", false, ("status", true)),
            ("@juno:server, status", false, ("status", true)),
            ("@juno status", false, ("status", true)),
            ("Juno Bot status", true, ("status", true)),
            ("Juno Bot status", false, ("Juno Bot status", false)),
            ("juno likes tea", false, ("juno likes tea", false)),
            ("junot: status", true, ("junot: status", false)),
            ("tell juno: status", true, ("tell juno: status", false)),
            ("juno", false, ("", true)),
        ];
        for (text, is_mentioned, expected) in cases {
            assert_eq!(without_name(text, &names, is_mentioned), expected, "{text}");
        }
    }
}
