//! Percent-decoding (RFC 3986) of path segments and query parts. `+` stays a plus, so that
//! a phone number survives.

use std::borrow::Cow;

/// None for broken escapes, for bytes that are no UTF-8 and for NUL, which databases and
/// C libraries take for an end.
pub(super) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if text.contains('\0') {
        return None;
    }
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => hex_digit(rest.next()?)? << 4 | hex_digit(rest.next()?)?,
            other => other,
        };
        if byte == 0 {
            return None;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_is_text_and_nothing_else() {
        let cases = [
            ("plain+1", Some("plain+1")),
            ("a%20b%2Fc", Some("a b/c")),
            ("%e2%82%ac", Some("€")),
            ("%25", Some("%")),
            ("%", None),
            ("%2", None),
            ("%zz", None),
            ("%ff", None),
            ("a%00", None),
        ];
        for (text, expected) in cases {
            assert_eq!(decode(text).as_deref(), expected, "{text}");
        }
    }
}
