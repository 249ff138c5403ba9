//! A JSON parser that refuses objects with duplicate names: two parsers may otherwise read
//! different values (RFC 7515 section 4, RFC 8725 section 2.4).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The object in `json`; `None` for anything else.
pub(super) fn object(json: &[u8]) -> Option<Map<String, Value>> {
    let UniqueFields(object) = serde_json::from_slice(json).ok()?;
    Some(object)
}

struct UniqueFields(Map<String, Value>);

impl<'de> Deserialize<'de> for UniqueFields {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(Names).map(Self)
    }
}

struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, value)) = entries.next_entry()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("duplicate name"));
            }
        }
        Ok(object)
    }
}
