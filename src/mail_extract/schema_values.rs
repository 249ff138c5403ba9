//! Values of schema.org markup as senders write them: one or a list, a string or an object,
//! a reference to an object elsewhere.

use std::collections::HashMap;

use serde_json::Value;

use super::fact::Place;
use super::{WallDateTime, one_line};

const TEXT_CHARS_MAX: usize = 300;
const URL_BYTES_MAX: usize = 2_000;
/// References that lead to references.
const REFERENCES_MAX: usize = 4;
/// Objects that may be referred to.
const OBJECTS_MAX: usize = 500;

/// An object of the markup, and the objects that it may refer to by `@id`.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) value: &'a Value,
    by_id: &'a HashMap<&'a str, &'a Value>,
}

/// All objects that have an `@id` and something to say.
pub(super) fn by_id<'a>(value: &'a Value, found: &mut HashMap<&'a str, &'a Value>) {
    if found.len() >= OBJECTS_MAX {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| by_id(value, found)),
        Value::Object(fields) => {
            if let Some(Value::String(id)) = fields.get("@id")
                && fields.len() > 1
            {
                found.entry(id).or_insert(value);
            }
            fields.values().for_each(|value| by_id(value, found));
        }
        _ => {}
    }
}

impl<'a> Item<'a> {
    pub(super) fn new(value: &'a Value, by_id: &'a HashMap<&'a str, &'a Value>) -> Self {
        Self { value, by_id }
    }

    /// Another value of the same markup.
    pub(super) fn with(self, value: &'a Value) -> Self {
        self.resolved(value)
    }

    /// Where a parcel goes.
    pub(super) fn delivery_address(self) -> Option<Place> {
        let address = self.one(&["deliveryAddress"])?.address();
        address.map(|address| Place {
            address: Some(address),
            ..Place::default()
        })
    }

    /// The names of its types, without the vocabulary.
    pub(super) fn types(self) -> Vec<&'a str> {
        let all = match self.value.get("@type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let short = |name: &'a str| name.rsplit(['/', '#', ':']).next().unwrap_or(name).trim();
        all.into_iter().map(short).collect()
    }

    /// The first of these properties that is there, and each of its values.
    pub(super) fn all(self, names: &[&str]) -> Vec<Item<'a>> {
        let is_there = |value: &&Value| !matches!(value, Value::Null);
        let found = names
            .iter()
            .find_map(|name| self.value.get(*name).filter(is_there));
        let values = match found {
            Some(Value::Array(values)) => values.iter().collect(),
            Some(value) => vec![value],
            None => Vec::new(),
        };
        values
            .into_iter()
            .map(|value| self.resolved(value))
            .collect()
    }

    pub(super) fn one(self, names: &[&str]) -> Option<Item<'a>> {
        self.all(names).into_iter().next()
    }

    /// Follows properties, one in the other.
    pub(super) fn path(self, names: &[&str]) -> Option<Item<'a>> {
        names
            .iter()
            .try_fold(self, |item, name| item.one(std::slice::from_ref(name)))
    }

    fn resolved(self, mut value: &'a Value) -> Item<'a> {
        for _ in 0..REFERENCES_MAX {
            let id = value.get("@id").and_then(Value::as_str);
            let is_reference = value.as_object().is_some_and(|fields| fields.len() == 1);
            match id.and_then(|id| self.by_id.get(id)) {
                Some(object) if is_reference => value = object,
                _ => break,
            }
        }
        Self::new(value, self.by_id)
    }

    /// A string, a number, or an object's value or name.
    pub(super) fn text(self) -> Option<String> {
        let text = match self.value {
            Value::String(text) => one_line(text, TEXT_CHARS_MAX),
            Value::Number(number) => number.to_string(),
            Value::Object(_) => return self.one(&["@value", "name"])?.plain_text(),
            _ => return None,
        };
        Some(text).filter(|text| !text.is_empty())
    }

    fn plain_text(self) -> Option<String> {
        match self.value {
            Value::Object(_) => None,
            _ => self.text(),
        }
    }

    /// A property's text.
    pub(super) fn get(self, names: &[&str]) -> Option<String> {
        self.one(names)?.text()
    }

    pub(super) fn time(self, names: &[&str]) -> Option<WallDateTime> {
        WallDateTime::parse(&self.get(names)?)
    }

    /// Only of web pages.
    pub(super) fn url(self, names: &[&str]) -> Option<String> {
        let item = self.one(names)?;
        let url = match item.value {
            Value::Object(_) => item.one(&["url", "@id", "target", "urlTemplate"])?.value,
            value => value,
        };
        let url = url.as_str()?.trim();
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        let is_clean = url.len() <= URL_BYTES_MAX
            && !url.contains(|c: char| c.is_whitespace() || c.is_control());
        (is_web && is_clean).then(|| url.to_owned())
    }

    pub(super) fn place(self, names: &[&str]) -> Option<Place> {
        let item = self.one(names)?;
        let place = Place {
            name: item.text(),
            code: item.get(&["iataCode"]).map(|code| code.to_uppercase()),
            address: item.one(&["address"]).and_then(Item::address),
            telephone: item.get(&["telephone"]),
        };
        Some(place).filter(|place| *place != Place::default())
    }

    /// A string, or the lines of a PostalAddress in one.
    fn address(self) -> Option<String> {
        if !self.value.is_object() {
            return self.text();
        }
        let part = |name: &str| self.get(&[name]);
        let town = [part("postalCode"), part("addressLocality")];
        let town: Vec<String> = town.into_iter().flatten().collect();
        let lines = [
            part("name"),
            part("streetAddress"),
            Some(town.join(" ")).filter(|town| !town.is_empty()),
            part("addressRegion"),
            part("addressCountry"),
        ];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        Some(one_line(&lines.join(", "), TEXT_CHARS_MAX)).filter(|text| !text.is_empty())
    }
}
