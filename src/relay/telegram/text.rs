//! Telegram's text lengths and formatting. Pure.

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

/// Converts Markdown's code and bold to Telegram's HTML. Everything else is unchanged.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    const MARKS: [(&str, &str); 3] = [("```", "pre"), ("`", "code"), ("**", "b")];
    while !rest.is_empty() {
        let next = MARKS
            .iter()
            .filter_map(|(mark, tag)| {
                let (before, after) = rest.split_once(mark)?;
                let (inside, behind) = after.split_once(mark)?;
                let is_mark_up = !inside.trim().is_empty()
                    && (*tag == "pre" || !inside.contains('\n'))
                    && (*tag != "b" || inside.trim() == inside);
                is_mark_up.then_some((before, inside, behind, *tag))
            })
            // The first mark; of several in one place the longest, which is listed first.
            .min_by_key(|(before, ..)| before.len());
        let Some((before, inside, behind, tag)) = next else {
            break;
        };
        escape(before, &mut out);
        out.push_str(&format!("<{tag}>"));
        escape(without_language(inside, tag), &mut out);
        out.push_str(&format!("</{tag}>"));
        rest = behind;
    }
    escape(rest, &mut out);
    out
}

/// A block of code may begin with the name of its language.
fn without_language<'t>(inside: &'t str, tag: &str) -> &'t str {
    if tag != "pre" {
        return inside;
    }
    let is_name = |line: &str| line.chars().all(|c| c.is_ascii_alphanumeric() || c == '+');
    match inside.split_once('\n') {
        Some((first, code)) if is_name(first.trim()) => code.trim_end(),
        _ => inside.trim(),
    }
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
                "**Bold** and `x < y`",
                "<b>Bold</b> and <code>x &lt; y</code>",
            ),
            ("```rust\nlet x;\n```", "<pre>let x;</pre>"),
            ("```a **b** c```", "<pre>a **b** c</pre>"),
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
