//! Telegram's text lengths and formatting. Pure.

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// Limit of one message, in UTF-16 units, without mark-up.
const UNITS_MAX: usize = 4096;

/// Splits a text into pieces that fit into one message each.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    crate::relay::pieces::pieces(text, UNITS_MAX, char::len_utf16)
}

/// The range of a text that an entity marks; entities count UTF-16 units.
pub(super) fn marked(text: &str, offset: u64, length: u64) -> Option<std::ops::Range<usize>> {
    let mut units = 0;
    let mut start = (offset == 0).then_some(0);
    for (at, c) in text.char_indices() {
        if start.is_none() && units == offset {
            start = Some(at);
        }
        if let Some(start) = start
            && units == offset + length
        {
            return Some(start..at);
        }
        units += c.len_utf16() as u64;
    }
    let start = start?;
    (units == offset + length).then_some(start..text.len())
}

/// Converts Markdown's bold, italics, strikethrough, code and links to Telegram's HTML. Everything
/// else is unchanged: Telegram shows no headings or lists.
pub(super) fn html(text: &str) -> String {
    let mut html = Html {
        text,
        at: 0,
        out: String::with_capacity(text.len() + 32),
    };
    // Whether the open links are rendered, and whether a block of code is open.
    let (mut links, mut in_code) = (Vec::new(), false);
    let marks = Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(text, marks).into_offset_iter() {
        match event {
            Event::Start(Tag::Strong) => html.open("<b>", range.start, 2),
            Event::End(TagEnd::Strong) => html.close("</b>", range.end - 2, range.end),
            Event::Start(Tag::Emphasis) => html.open("<i>", range.start, 1),
            Event::End(TagEnd::Emphasis) => html.close("</i>", range.end - 1, range.end),
            Event::Start(Tag::Strikethrough) => {
                html.open("<s>", range.start, tildes(&text[range]));
            }
            Event::End(TagEnd::Strikethrough) => {
                let end = range.end - tildes(&text[range.clone()]);
                html.close("</s>", end, range.end);
            }
            Event::Code(code) => {
                html.open("<code>", range.start, 0);
                escape(&code, &mut html.out);
                html.close("</code>", html.at, range.end);
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                html.open("<pre>", range.start, 0);
                in_code = true;
            }
            Event::Text(code) if in_code => escape(&code, &mut html.out),
            Event::End(TagEnd::CodeBlock) if in_code => {
                html.out.truncate(html.out.trim_end().len());
                html.close("</pre>", html.at, range.end);
                in_code = false;
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                let is_shown = link_type == LinkType::Inline && is_address(&dest_url);
                links.push(is_shown);
                if is_shown {
                    let mut tag = String::from("<a href=\"");
                    escape(&dest_url.replace('"', "%22"), &mut tag);
                    html.open(&(tag + "\">"), range.start, 1);
                }
            }
            Event::End(TagEnd::Link) if links.pop() == Some(true) => {
                let address = text[html.at..range.end].rfind("](");
                let end = address.map_or(range.end, |length| html.at + length);
                html.close("</a>", end, range.end);
            }
            _ => {}
        }
    }
    html.copy(text.len());
    html.out
}

/// HTML of a text up to a place in it.
struct Html<'t> {
    text: &'t str,
    at: usize,
    out: String,
}

impl Html<'_> {
    fn copy(&mut self, to: usize) {
        escape(
            self.text.get(self.at..to).unwrap_or_default(),
            &mut self.out,
        );
        self.at = self.at.max(to);
    }

    /// A tag in the place of a mark of that length.
    fn open(&mut self, tag: &str, start: usize, length: usize) {
        self.copy(start);
        self.out.push_str(tag);
        self.at = start + length;
    }

    /// A tag after the text up to `end`, in the place of the rest up to `after`.
    fn close(&mut self, tag: &str, end: usize, after: usize) {
        self.copy(end);
        self.out.push_str(tag);
        self.at = after;
    }
}

/// One or two of them enclose text that is struck through.
fn tildes(text: &str) -> usize {
    if text.starts_with("~~") { 2 } else { 1 }
}

/// Whether Telegram opens the link.
fn is_address(url: &str) -> bool {
    let known = ["http://", "https://", "mailto:", "tg://"];
    known.iter().any(|scheme| url.starts_with(scheme))
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_count_units_of_utf16() {
        let text = "😀 @bot hé";
        assert_eq!(&text[marked(text, 3, 4).unwrap()], "@bot");
        assert_eq!(&text[marked(text, 8, 2).unwrap()], "hé");
        assert_eq!(&text[marked(text, 0, 2).unwrap()], "😀");
        assert_eq!(marked(text, 1, 2), None);
        assert_eq!(marked(text, 3, 40), None);
    }

    #[test]
    fn mark_up_becomes_html() {
        let cases = [
            ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
            (
                "**Bold** and `x < y`", "<b>Bold</b> and <code>x &lt; y</code>",
            ),
            ("```rust\nlet x;\n```", "<pre>let x;</pre>"),
            ("```a **b** c```", "<code>a **b** c</code>"),
            (
                "see:\n```\n1 < 2\n```\n*then*", "see:\n<pre>1 &lt; 2</pre>\n<i>then</i>",
            ),
            (
                "***all*** of ~~it~~ _now_, snake_case_name, 2 * 3 * 4",
                "<i><b>all</b></i> of <s>it</s> <i>now</i>, snake_case_name, 2 * 3 * 4",
            ),
            (
                "[a & **b**](https://example.com/?a=1&b=\"2)",
                "<a href=\"https://example.com/?a=1&amp;b=%222\">a &amp; <b>b</b></a>",
            ),
            ("[no](javascript:x)", "[no](javascript:x)"),
            ("# head\n- one\n- two", "# head\n- one\n- two"),
            ("    indented **code**", "    indented **code**"),
            ("\\*plain\\*", "\\*plain\\*"),
            ("2 ** 3 ** 4", "2 ** 3 ** 4"),
            ("unclosed **bold and `code", "unclosed **bold and `code"),
            ("<b>not mine</b>", "&lt;b&gt;not mine&lt;/b&gt;"),
            ("*", "*"),
        ];
        for (text, expected) in cases {
            assert_eq!(html(text), expected, "{text}");
        }
    }
}
