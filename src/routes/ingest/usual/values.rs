//! JSON values of a body in its usual form: objects of plain values. Nothing is nested further.
//! Names and values are borrowed from the body where they can be.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// Most objects as JSON are shorter.
const JSON_BYTES: usize = 512;

/// A string of any length, borrowed from the body where it has no escapes.
#[derive(Serialize, Deserialize)]
pub(super) struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

/// An object of plain values, sorted by name, without duplicates.
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Text(Cow<'a, str>),
    Texts(Vec<BorrowedText<'a>>),
}

impl std::ops::Deref for BorrowedText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, name: &str) -> &Value<'a> {
        let entry = self.0.iter().find(|(key, _)| key == name);
        entry.map_or(&Value::Null, |(_, value)| value)
    }

    /// `None` when the value has another type.
    pub(super) fn text(&self, name: &str, min: usize, max: usize) -> Option<Option<String>> {
        match self.get(name) {
            Value::Null => Some(None),
            Value::Text(text) if (min..=max).contains(&text.len()) => Some(Some(text.to_string())),
            _ => None,
        }
    }

    /// `None` when the value has another type.
    pub(super) fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Value::Null => Some(false),
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// `None` when the value has another type.
    pub(super) fn texts(&self, name: &str, items_max: usize) -> Option<&[BorrowedText<'a>]> {
        match self.get(name) {
            Value::Null => Some(&[]),
            Value::Texts(texts) if texts.len() <= items_max => Some(texts),
            _ => None,
        }
    }

    /// The object as JSON; `None` when it is empty.
    pub(super) fn to_json(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let mut json = Vec::with_capacity(JSON_BYTES);
        serde_json::to_writer(&mut json, self).ok()?;
        String::from_utf8(json).ok()
    }

    pub(super) fn has_content(&self) -> bool {
        self.0.iter().any(|(_, value)| match value {
            Value::Null | Value::Bool(false) => false,
            Value::Text(text) => !text.is_empty(),
            Value::Texts(texts) => !texts.is_empty(),
            Value::Bool(true) | Value::Integer(_) => true,
        })
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// By hand: a derived reader of untagged values takes several times as long.
struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a plain value")
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'de>, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value<'de>, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value<'de>, E> {
        i64::try_from(value).map(Value::Integer).map_err(E::custom)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = items.next_element()? {
            texts.push(text);
        }
        Ok(Value::Texts(texts))
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(ValueVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of plain values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Object<'de>, A::Error> {
        let mut object = Vec::with_capacity(8);
        while let Some((BorrowedText(key), value)) = entries.next_entry()? {
            object.push((key, value));
        }
        object.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        // The body is parsed again field by field, which reports the name.
        match object.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            true => Err(de::Error::custom("a duplicate name")),
            false => Ok(Object(object)),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(ObjectVisitor)
    }
}
