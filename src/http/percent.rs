//! Percent-decoding (RFC 3986) of path segments and query parts. `+` stays a plus sign, because
//! phone numbers contain it.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// `None` for broken escapes, for bytes that aren't UTF-8, and for NUL, which databases and C
/// libraries treat as the end of a string.
pub(super) fn decode(text: &str) -> Option<Cow<'_, str>> {
    let is_escape = |after: &str| {
        let digits = after.bytes().take(2).filter(u8::is_ascii_hexdigit);
        digits.count() == 2
    };
    // The decoder would pass a broken escape through unchanged.
    let is_valid = text.split('%').skip(1).all(is_escape);
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    (is_valid && !decoded.contains('\0')).then_some(decoded)
}

/// A value of a form as browsers send it (application/x-www-form-urlencoded), where `+` is a
/// space.
pub fn decode_form(text: &str) -> Option<String> {
    decode(&text.replace('+', " ")).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_text_and_nothing_else() {
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
