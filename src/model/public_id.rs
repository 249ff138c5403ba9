//! Public ids: UUIDs, parsed in either case and always written in lower case. It must not generate
//! any.

use std::fmt;

/// Positions of the hyphens in a UUID.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
const TEXT_BYTES: usize = 36;

/// A UUID (RFC 9562), of any version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicId(u128);

impl PublicId {
    /// `None` for anything but 32 hex digits with the usual hyphens.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != TEXT_BYTES {
            return None;
        }
        let mut value = 0;
        for (at, byte) in text.bytes().enumerate() {
            if HYPHENS.contains(&at) {
                if byte != b'-' {
                    return None;
                }
                continue;
            }
            value = value << 4 | u128::from(char::from(byte).to_digit(16)?);
        }
        Some(Self(value))
    }
}

/// In lower case.
impl fmt::Display for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = |from_bit: u32, digits: u32| (self.0 >> from_bit) & ((1 << (digits * 4)) - 1);
        write!(
            f,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            group(96, 8),
            group(80, 4),
            group(64, 4),
            group(48, 4),
            group(0, 12),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_uuids_are_read() {
        let id = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
        let cases = [
            (id, true),
            ("0B0E7A3C-54D2-4A1E-9A52-5D5F3C3A2B11", true),
            ("00000000-0000-0000-0000-000000000000", true),
            ("0b0e7a3c54d24a1e9a525d5f3c3a2b11", false),
            ("{0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b1}", false),
            ("0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b1", false),
            ("0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b1g", false),
            ("0b0e7a3c-54d2-4a1e-9a525-d5f3c3a2b11", false),
            ("+b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11", false),
            ("é0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11", false),
            ("", false),
        ];
        for (text, is_id) in cases {
            let read = PublicId::parse(text).map(|id| id.to_string());
            assert_eq!(read, is_id.then(|| text.to_lowercase()), "{text}");
        }
    }
}
