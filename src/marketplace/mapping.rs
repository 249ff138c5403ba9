//! Maps a payload to the fields of an action. A mapping gives each field a dotted path, whose
//! digits index arrays. Without a mapping, the payload's top-level scalars are the fields. Pure.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::payload::{self, NotJson};

/// Fields in a mapping.
pub const FIELDS_MAX: usize = 50;
pub const PATH_BYTES_MAX: usize = 256;
const STEPS_MAX: usize = 32;

/// Fields with their dotted paths in the payload; digits index arrays.
// No path is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, example = json!({"title": "items.0.title"}))]
pub struct Mapping(BTreeMap<String, String>);

impl Mapping {
    pub fn insert(&mut self, field: &str, path: &str) {
        self.0.insert(field.to_owned(), path.to_owned());
    }

    /// An empty mapping counts as none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(field, path)| (field.as_str(), path.as_str()))
    }
}

/// Whether a text is a valid path: non-empty steps separated by dots.
pub fn is_path(text: &str) -> bool {
    text.len() <= PATH_BYTES_MAX
        && text.split('.').count() <= STEPS_MAX
        && text.split('.').all(|step| !step.is_empty())
}

/// Where the needed fields are; prepared once per webhook.
#[derive(Debug, Clone, Default)]
pub struct Lookup {
    names: Vec<String>,
    paths: Vec<Vec<String>>,
    scalars_only: bool,
}

impl Lookup {
    pub fn of<'n>(mapping: &Mapping, needed: impl IntoIterator<Item = &'n str>) -> Self {
        let mut lookup = Self {
            scalars_only: mapping.is_empty(),
            ..Self::default()
        };
        for name in needed {
            if lookup.names.iter().any(|existing| existing == name) {
                continue;
            }
            let path = match mapping.0.get(name) {
                Some(path) => path.split('.').map(str::to_owned).collect(),
                None if mapping.is_empty() => vec![name.to_owned()],
                None => continue, // an unmapped field never has a value
            };
            lookup.names.push(name.to_owned());
            lookup.paths.push(path);
        }
        lookup
    }

    /// Reads the whole payload, which must be valid, and returns the requested values.
    pub fn read(&self, body: &[u8]) -> Result<Values<'_>, NotJson> {
        let mut values = payload::pick(body, &self.paths)?;
        for value in &mut values {
            // Null counts as missing.
            let is_value = |value: &Value| match value {
                Value::Null => false,
                Value::Array(_) | Value::Object(_) => !self.scalars_only,
                _ => true,
            };
            *value = value.take().filter(is_value);
        }
        self.restore_fractions(body, &mut values);
        Ok(Values {
            names: &self.names,
            values,
        })
    }

    /// Replaces fractions by their literal text: a price of 12.50 must not become 12.5. Reads the
    /// body again, if it contains any.
    fn restore_fractions(&self, body: &[u8], values: &mut [Option<Value>]) {
        let is_fraction = |value: &Option<Value>| value.as_ref().is_some_and(Value::is_f64);
        let indices: Vec<usize> = (0..values.len())
            .filter(|at| is_fraction(&values[*at]))
            .collect();
        if indices.is_empty() {
            return;
        }
        let paths: Vec<Vec<String>> = indices.iter().map(|at| self.paths[*at].clone()).collect();
        for (at, literal) in indices.into_iter().zip(payload::literals(body, &paths)) {
            values[at] = literal.map(Value::String).or(values[at].take());
        }
    }
}

/// The values of a payload.
#[derive(Debug)]
pub struct Values<'l> {
    names: &'l [String],
    values: Vec<Option<Value>>,
}

impl Values<'_> {
    pub fn get(&self, field: &str) -> Option<&Value> {
        let at = self.names.iter().position(|name| name == field)?;
        self.values[at].as_ref()
    }
}

/// All fields of a payload, for display: their values, and the paths without a value.
pub fn survey(mapping: &Mapping, payload: &Value) -> (Map<String, Value>, Vec<String>) {
    let (mut fields, mut paths_without_value) = (Map::new(), Vec::new());
    if mapping.is_empty() {
        let top = payload.as_object().cloned().unwrap_or_default();
        let scalars = top.into_iter();
        fields.extend(scalars.filter(|(_, value)| {
            !matches!(value, Value::Null | Value::Array(_) | Value::Object(_))
        }));
        return (fields, paths_without_value);
    }
    for (field, path) in mapping.iter() {
        let steps: Vec<String> = path.split('.').map(str::to_owned).collect();
        match payload::at(payload, &steps).filter(|value| !value.is_null()) {
            Some(value) => {
                fields.insert(field.to_owned(), value.clone());
            }
            None => paths_without_value.push(path.to_owned()),
        }
    }
    (fields, paths_without_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mapping(pairs: &[(&str, &str)]) -> Mapping {
        let mut mapping = Mapping::default();
        for (field, path) in pairs {
            mapping.insert(field, path);
        }
        mapping
    }

    #[test]
    fn paths_lead_through_objects_and_arrays() {
        let body = json!({
            "a": {"b": {"c": 1}, "0": "digit as a key"},
            "items": [{"title": "first"}, [10, 11]],
            "n": null, "s": "x", "": "empty",
        });
        // (path, value)
        let cases = [
            ("s", json!("x")),
            ("a.b.c", json!(1)),
            ("a.b", json!({"c": 1})),
            ("a.0", json!("digit as a key")),
            ("items.0.title", json!("first")),
            ("items.1.1", json!(11)),
            ("items.1", json!([10, 11])),
            ("items.2", Value::Null),
            ("items.-1", Value::Null),
            ("items.01", Value::Null),
            ("items.title", Value::Null),
            ("a.b.c.d", Value::Null),
            ("s.0", Value::Null),
            ("n", Value::Null),
            ("nothing", Value::Null),
        ];
        for (path, expected) in cases {
            let mapping = mapping(&[("f", path)]);
            let lookup = Lookup::of(&mapping, ["f", "unmapped", "f"]);
            let values = lookup.read(body.to_string().as_bytes()).unwrap();
            let values = values.get("f").cloned().unwrap_or_default();
            assert_eq!(values, expected, "{path}");
            assert_eq!(values.get("unmapped"), None);
            let (fields, paths_without_value) = survey(&mapping, &body);
            assert_eq!(fields.get("f").cloned().unwrap_or_default(), expected);
            assert_eq!(
                paths_without_value.is_empty(),
                !expected.is_null(),
                "{path}"
            );
        }
    }

    #[test]
    fn without_a_mapping_the_top_level_scalars_are_the_fields() {
        let body = json!({"s": "x", "n": 1.5, "b": false, "o": {"x": 1}, "l": [1], "z": null});
        let lookup = Lookup::of(&Mapping::default(), ["s", "n", "b", "o", "l", "z", "o.x"]);
        let values = lookup.read(body.to_string().as_bytes()).unwrap();
        let values = ["s", "n", "b", "o", "l", "z", "o.x"].map(|f| values.get(f).is_some());
        assert_eq!(values, [true, true, true, false, false, false, false]);
        let (fields, paths_without_value) = survey(&Mapping::default(), &body);
        assert_eq!(Value::from(fields), json!({"s": "x", "n": 1.5, "b": false}));
        assert!(paths_without_value.is_empty());
        for scalar in ["1", "\"text\"", "[1]", "null"] {
            assert!(lookup.read(scalar.as_bytes()).unwrap().get("s").is_none());
        }
    }

    #[test]
    fn the_last_of_duplicate_keys_counts() {
        let overlapping = mapping(&[("x", "a.x"), ("all", "a"), ("y", "a.y")]);
        let lookup = Lookup::of(&overlapping, ["x", "y", "all"]);
        let values = lookup
            .read(br#"{"a":{"x":1,"y":2},"b":0,"a":{"x":3,"x":4}}"#)
            .unwrap();
        assert_eq!(values.get("x"), Some(&json!(4)));
        assert_eq!(values.get("y"), None);
        assert_eq!(values.get("all"), Some(&json!({"x": 4})));
        let apart = mapping(&[("x", "a.x"), ("y", "a.y")]);
        let lookup = Lookup::of(&apart, ["x", "y"]);
        let values = lookup.read(br#"{"a":{"x":1,"y":2},"a":{"x":3}}"#).unwrap();
        assert_eq!(values.get("x"), Some(&json!(3)));
        assert_eq!(values.get("y"), None);
    }

    #[test]
    fn paths_are_steps_with_dots_between() {
        for (text, valid) in [
            ("a", true),
            ("a.b.0", true),
            ("a b.ü", true),
            ("", false),
            (".", false),
            ("a.", false),
            (".a", false),
            ("a..b", false),
        ] {
            assert_eq!(is_path(text), valid, "{text}");
        }
        assert!(is_path(&["a"; 32].join(".")) && !is_path(&["a"; 33].join(".")));
        assert!(is_path(&"a".repeat(256)) && !is_path(&"a".repeat(257)));
    }
}
