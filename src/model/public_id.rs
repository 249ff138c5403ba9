//! Ids as others name them: UUIDs in their one canonical spelling.

/// Where the hyphens stand.
const HYPHENS_AT: [usize; 4] = [8, 13, 18, 23];
const CHARS: usize = 36;

/// The UUID in lower case with its four hyphens; `None` for anything else, a UUID in another
/// notation included. Which version it is does not matter.
pub fn canonical_uuid(text: &str) -> Option<String> {
    let is_right = |(at, byte): (usize, u8)| {
        if HYPHENS_AT.contains(&at) {
            byte == b'-'
        } else {
            byte.is_ascii_hexdigit()
        }
    };
    let is_uuid = text.len() == CHARS && text.bytes().enumerate().all(is_right);
    is_uuid.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_for_each() {
        let canonical = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
        for text in [canonical, "0B0E7A3C-54D2-4A1E-9A52-5D5F3C3A2B11"] {
            assert_eq!(canonical_uuid(text).as_deref(), Some(canonical), "{text}");
        }
        for text in [
            "",
            "0b0e7a3c54d24a1e9a525d5f3c3a2b11",
            "{0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11}",
            "urn:uuid:0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11",
            "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b1",
            "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b111",
            "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b1g",
            "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2bé",
            "0b0e7a3-c54d2-4a1e-9a52-5d5f3c3a2b11",
        ] {
            assert_eq!(canonical_uuid(text), None, "{text}");
        }
    }
}
