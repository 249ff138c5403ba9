//! JSON values of a body in its usual form: bounded texts, and objects of plain values. Nothing is
//! nested further. Names and values are borrowed from the body where they can be.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A string of MIN to MAX bytes without U+0000.
pub(super) struct BoundedText<const MIN: usize, const MAX: usize>(pub(super) String);

/// An object of plain values, sorted by name, without duplicates.
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Text(Cow<'a, str>),
    Texts(Vec<Cow<'a, str>>),
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
    pub(super) fn texts(&self, name: &str, items_max: usize) -> Option<&[Cow<'a, str>]> {
        match self.get(name) {
            Value::Null => Some(&[]),
            Value::Texts(texts) if texts.len() <= items_max => Some(texts),
            _ => None,
        }
    }

    /// The object as JSON; `None` when it is empty.
    pub(super) fn to_json(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| serde_json::to_string(self).ok())?
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

/// The error isn't shown to anybody: the body is parsed again field by field.
pub(super) fn not_accepted<E: de::Error>() -> E {
    E::custom("not of the usual form")
}

struct TextVisitor<const MIN: usize, const MAX: usize>;

impl<const MIN: usize, const MAX: usize> Visitor<'_> for TextVisitor<MIN, MAX> {
    type Value = BoundedText<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let is_usual = (MIN..=MAX).contains(&text.len()) && !text.contains('\0');
        is_usual
            .then(|| BoundedText(text.to_owned()))
            .ok_or_else(not_accepted)
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for BoundedText<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_str(TextVisitor)
    }
}

/// A string of any length, borrowed from the body where it has no escapes.
struct BorrowedText<'a>(Cow<'a, str>);

struct BorrowedVisitor;

impl<'de> Visitor<'de> for BorrowedVisitor {
    type Value = BorrowedText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<BorrowedText<'de>, E> {
        let is_usual = !text.contains('\0');
        is_usual
            .then_some(BorrowedText(text.into()))
            .ok_or_else(not_accepted)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<BorrowedText<'de>, E> {
        let is_usual = !text.contains('\0');
        let owned = || BorrowedText(text.to_owned().into());
        is_usual.then(owned).ok_or_else(not_accepted)
    }
}

impl<'de> Deserialize<'de> for BorrowedText<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_str(BorrowedVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        i64::try_from(value)
            .map(Value::Integer)
            .map_err(|_| not_accepted())
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Value<'de>, E> {
        let text = BorrowedVisitor.visit_borrowed_str(text)?;
        Ok(Value::Text(text.0))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value<'de>, E> {
        let text = BorrowedVisitor.visit_str(text)?;
        Ok(Value::Text(text.0))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        let mut texts = Vec::new();
        while let Some(BorrowedText(text)) = items.next_element()? {
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

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of plain values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Object<'de>, A::Error> {
        let mut object = Vec::with_capacity(8);
        while let Some((BorrowedText(key), value)) = entries.next_entry()? {
            object.push((key, value));
        }
        object.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        if object.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(not_accepted());
        }
        Ok(Object(object))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(ObjectVisitor)
    }
}
