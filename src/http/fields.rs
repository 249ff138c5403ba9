//! Typed fields from a JSON object. All invalid fields are collected, so that one answer reports
//! all of them.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::json::pointer_step;
use crate::error::{Error, FieldError};

/// Errors in one answer: a long list of invalid items must not make a longer answer.
const ERRORS_MAX: usize = 100;

/// Reads fields one after the other. An invalid field yields a placeholder, and `finish` returns
/// the errors. Null counts as absent.
///
/// ```
/// # use chatkeep::{error::Result, http::Fields};
/// # use serde_json::{Map, Value};
/// # fn read(body: &Map<String, Value>) -> Result<(String, i64)> {
/// let mut fields = Fields::of(body);
/// let chat = fields.required_string("chat_guid", 1..=512);
/// let at = fields.required_integer("timestamp", 0..=i64::MAX);
/// fields.finish()?;
/// # Ok((chat, at))
/// # }
/// ```
#[must_use = "finish() returns the errors"]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// The JSON pointer of the object.
    pointer: String,
    errors: Vec<FieldError>,
}

impl<'a> Fields<'a> {
    pub fn of(object: &'a Map<String, Value>) -> Self {
        Self {
            object,
            pointer: String::new(),
            errors: Vec::new(),
        }
    }

    /// 422 with every invalid field.
    pub fn finish(self) -> Result<(), Error> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(Error::invalid(self.errors))
        }
    }

    /// Adds an error for the field `name` of this object, for the caller's own rules.
    pub fn refuse(&mut self, name: &str, message: impl Into<String>) {
        self.add_error(self.pointer_to(name), message.into());
    }

    /// Adds an error for one item of the list `name`.
    pub fn refuse_item(&mut self, name: &str, at: usize, message: impl Into<String>) {
        self.add_error(format!("{}/{at}", self.pointer_to(name)), message.into());
    }

    fn add_error(&mut self, field: String, message: String) {
        if self.errors.len() < ERRORS_MAX {
            self.errors.push(FieldError { field, message });
        }
    }

    fn pointer_to(&self, name: &str) -> String {
        format!("{}/{}", self.pointer, pointer_step(name))
    }

    /// The value as sent; `None` when it is absent or null.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// `bytes` limits the length in bytes of UTF-8.
    pub fn required_string(&mut self, name: &str, bytes: RangeInclusive<usize>) -> String {
        self.require(name, |fields| fields.optional_string(name, bytes))
    }

    pub fn optional_string(&mut self, name: &str, bytes: RangeInclusive<usize>) -> Option<String> {
        let value = self.value(name)?;
        self.accept(name, text_in(value, &bytes)).map(str::to_owned)
    }

    pub fn required_integer(&mut self, name: &str, range: RangeInclusive<i64>) -> i64 {
        self.require(name, |fields| fields.optional_integer(name, range))
    }

    /// Accepts integers only: 1.0, 1e3 and "1" are refused.
    pub fn optional_integer(&mut self, name: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let number = self.value(name)?.as_i64();
        let number = number.filter(|number| range.contains(number));
        self.accept(name, number.ok_or_else(|| expected_integer(&range)))
    }

    pub fn required_bool(&mut self, name: &str) -> bool {
        self.require(name, |fields| fields.optional_bool(name))
    }

    pub fn optional_bool(&mut self, name: &str) -> Option<bool> {
        let value = self.value(name)?.as_bool();
        self.accept(name, value.ok_or_else(|| "must be true or false.".into()))
    }

    /// Each invalid item gets its own error.
    pub fn optional_string_list(
        &mut self,
        name: &str,
        items_max: usize,
        item_bytes: RangeInclusive<usize>,
    ) -> Option<Vec<String>> {
        let items = self.value(name)?.as_array();
        let items = items.filter(|items| items.len() <= items_max);
        let expected = || format!("must be a list of at most {items_max} strings.");
        let items = self.accept(name, items.ok_or_else(expected))?;
        let mut list = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match text_in(item, &item_bytes) {
                Ok(text) => list.push(text.to_owned()),
                Err(message) => self.refuse_item(name, at, message),
            }
        }
        (list.len() == items.len()).then_some(list)
    }

    pub fn optional_object(&mut self, name: &str) -> Option<&'a Map<String, Value>> {
        let object = self.value(name)?.as_object();
        self.accept(name, object.ok_or_else(|| "must be an object.".into()))
    }

    /// The names of the fields that are present.
    pub fn names(&self) -> impl Iterator<Item = &'a String> + use<'a> {
        self.object.keys()
    }

    pub fn required_objects<R>(
        &mut self,
        name: &str,
        items_max: usize,
        read: impl Fn(&mut Fields<'a>) -> R,
    ) -> Vec<R> {
        self.require(name, |fields| {
            fields.optional_objects(name, items_max, read)
        })
    }

    /// Reads a list of objects with `read`. Errors of the items are collected with the others; an
    /// item that isn't an object is an error too.
    pub fn optional_objects<R>(
        &mut self,
        name: &str,
        items_max: usize,
        read: impl Fn(&mut Fields<'a>) -> R,
    ) -> Option<Vec<R>> {
        let items = self.value(name)?.as_array();
        let items = items.filter(|items| items.len() <= items_max);
        let expected = || format!("must be a list of at most {items_max} objects.");
        let items = self.accept(name, items.ok_or_else(expected))?;
        let mut list = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match item.as_object() {
                Some(object) => {
                    let pointer = format!("{}/{at}", self.pointer_to(name));
                    list.push(self.read_inner(object, pointer, &read));
                }
                None => self.refuse_item(name, at, "must be an object."),
            }
        }
        Some(list)
    }

    /// Reads an object inside this one. Its errors are collected with the others.
    pub fn nested<R>(&mut self, name: &str, read: impl FnOnce(&mut Fields<'a>) -> R) -> Option<R> {
        let object = self.optional_object(name)?;
        Some(self.read_inner(object, self.pointer_to(name), read))
    }

    fn read_inner<R>(
        &mut self,
        object: &'a Map<String, Value>,
        pointer: String,
        read: impl FnOnce(&mut Fields<'a>) -> R,
    ) -> R {
        let mut inner = Fields {
            object,
            pointer,
            errors: std::mem::take(&mut self.errors),
        };
        let result = read(&mut inner);
        self.errors = inner.errors;
        result
    }

    /// One of the `values`. An invalid value yields the first one as a placeholder.
    pub fn one_of(&mut self, name: &str, values: &[&'static str]) -> &'static str {
        let before = self.errors.len();
        let value = self.optional_one_of(name, values);
        if value.is_none() && self.errors.len() == before {
            self.refuse(name, "is required.");
        }
        value.or(values.first().copied()).unwrap_or_default()
    }

    pub fn optional_one_of(&mut self, name: &str, values: &[&'static str]) -> Option<&'static str> {
        let text = self.value(name)?.as_str();
        let value = values.iter().copied().find(|value| Some(*value) == text);
        let expected = || {
            let named = values.iter().filter(|value| !value.is_empty());
            let named: Vec<&str> = named.copied().collect();
            format!("must be one of: {}.", named.join(", "))
        };
        self.accept(name, value.ok_or_else(expected))
    }

    fn require<T: Default>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> T {
        if self.value(name).is_none() {
            self.refuse(name, "is required.");
        }
        read(self).unwrap_or_default()
    }

    fn accept<T>(&mut self, name: &str, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|message| self.refuse(name, message)).ok()
    }
}

fn text_in<'v>(value: &'v Value, bytes: &RangeInclusive<usize>) -> Result<&'v str, String> {
    let text = value.as_str().filter(|text| bytes.contains(&text.len()));
    text.ok_or_else(|| {
        let (min, max) = (bytes.start(), bytes.end());
        match min {
            0 => format!("must be a string of at most {max} bytes."),
            _ => format!("must be a string of {min} to {max} bytes."),
        }
    })
}

fn expected_integer(range: &RangeInclusive<i64>) -> String {
    let (min, max) = (range.start(), range.end());
    match (*min, *max) {
        (i64::MIN, i64::MAX) => "must be an integer of 64 bits, without a fraction.".into(),
        (_, i64::MAX) => format!("must be an integer, {min} or more, without a fraction."),
        _ => format!("must be an integer from {min} to {max}, without a fraction."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn errors(fields: Fields) -> Vec<(String, String)> {
        let errors = fields.finish().map_err(|error| error.fields);
        let errors = errors.err().unwrap_or_default().into_iter();
        errors.map(|error| (error.field, error.message)).collect()
    }

    #[test]
    fn valid_fields_are_read() {
        let body = object(json!({
            "s": "é", "n": 7, "b": true, "l": ["a", "b"], "mode": "group",
            "o": {"x": 1}, "null": null,
        }));
        let mut f = Fields::of(&body);
        assert_eq!(f.required_string("s", 2..=2), "é");
        assert_eq!(f.required_integer("n", 0..=7), 7);
        assert!(f.required_bool("b"));
        assert_eq!(
            f.optional_string_list("l", 2, 1..=1),
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(f.one_of("mode", &["direct", "group"]), "group");
        assert_eq!(f.nested("o", |o| o.required_integer("x", 1..=1)), Some(1));
        assert_eq!(f.optional_object("o"), body["o"].as_object());
        assert_eq!(f.optional_string("null", 1..=1), None);
        assert_eq!(f.optional_integer("null", 1..=1), None);
        assert_eq!(f.optional_bool("absent"), None);
        assert_eq!(f.optional_string_list("null", 1, 1..=1), None);
        assert_eq!(f.optional_one_of("null", &["a"]), None);
        assert!(f.finish().is_ok());
    }

    #[test]
    fn lists_of_objects_are_read_one_by_one() {
        let body = object(json!({"l": [{"n": 1}, 2, {"n": "x"}], "wide": [{}, {}], "no": {}}));
        let mut f = Fields::of(&body);
        let numbers = f.required_objects("l", 3, |inner| {
            assert_eq!(inner.names().collect::<Vec<_>>(), ["n"]);
            inner.required_integer("n", 0..=9)
        });
        assert_eq!(numbers, [1, 0]);
        for name in ["wide", "no", "absent"] {
            assert!(f.required_objects(name, 1, |_| ()).is_empty());
        }
        let invalid: Vec<String> = errors(f).into_iter().map(|(field, _)| field).collect();
        assert_eq!(invalid, ["/l/1", "/l/2/n", "/wide", "/no", "/absent"]);
    }

    #[test]
    fn every_invalid_field_is_reported_with_its_pointer() {
        let body = object(json!({
            "s": "", "a/b": 1, "l": ["ok", 5], "o": {"x": "1"}, "mode": "c", "null": null,
        }));
        let mut f = Fields::of(&body);
        f.required_string("s", 1..=9);
        f.required_string("a/b", 0..=9);
        f.required_string("null", 0..=9);
        f.optional_string_list("l", 2, 1..=9);
        f.nested("o", |o| o.required_integer("x", 0..=5));
        f.one_of("mode", &["a", "b"]);
        f.one_of("none", &["a", "b"]);
        f.refuse("s", "must be nicer.");
        let expected = [
            ("/s", "must be a string of 1 to 9 bytes."),
            ("/a~1b", "must be a string of at most 9 bytes."),
            ("/null", "is required."),
            ("/l/1", "must be a string of 1 to 9 bytes."),
            (
                "/o/x",
                "must be an integer from 0 to 5, without a fraction.",
            ),
            ("/mode", "must be one of: a, b."),
            ("/none", "is required."),
            ("/s", "must be nicer."),
        ];
        let expected = expected.map(|(field, message)| (field.to_owned(), message.to_owned()));
        assert_eq!(errors(f), expected);
    }

    #[test]
    fn an_answer_has_at_most_100_errors() {
        let body = object(json!({"l": vec![0; 150]}));
        let mut f = Fields::of(&body);
        assert_eq!(f.optional_string_list("l", 150, 1..=9), None);
        let errors = errors(f);
        assert_eq!(errors.len(), 100);
        assert_eq!(errors[99].0, "/l/99");
    }

    #[test]
    fn integers_are_integers() {
        let cases = [
            "1.0", "1e3", "\"1\"", "9223372036854775808", "-1", "true", "1e0",
        ];
        for text in cases {
            let body = format!("{{\"n\":{text}}}");
            let body = super::super::parse_json(body.as_bytes()).unwrap();
            let mut f = Fields::of(&body);
            f.required_integer("n", 0..=i64::MAX);
            assert_eq!(errors(f).len(), 1, "{text}");
        }
    }
}
