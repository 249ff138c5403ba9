//! Public ids: UUIDs, parsed in either case and always written in lower case.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use uuid::Uuid;

/// Bytes of a UUID with hyphens. Other notations that `uuid` reads are longer or shorter.
const TEXT_BYTES: usize = 36;

/// A UUID (RFC 9562), of any version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicId(Uuid);

impl PublicId {
    /// `None` for anything but 32 hex digits with the usual hyphens.
    pub fn parse(text: &str) -> Option<Self> {
        let uuid = (text.len() == TEXT_BYTES).then(|| Uuid::try_parse(text));
        uuid?.ok().map(Self)
    }
}

/// In lower case.
impl fmt::Display for PublicId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(&self.0.hyphenated(), f)
    }
}

impl JsonSchema for PublicId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PublicId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "uuid",
            "examples": ["0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11"],
        })
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
