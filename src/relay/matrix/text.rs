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
}
