//! Reads JSON payloads of outside services and keeps only the requested values. Of duplicate keys
//! the last one counts. More than 127 levels, unpaired surrogates and out-of-range numbers are
//! refused anywhere in the payload. Pure.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The body isn't valid JSON. The text names the position only.
#[derive(Debug, PartialEq, Eq)]
pub struct NotJson(pub String);

/// The values at `paths`, in their order. The whole body is checked.
pub fn pick(body: &[u8], paths: &[Vec<String>]) -> Result<Vec<Option<Value>>, NotJson> {
    let text = std::str::from_utf8(body).map_err(|_| NotJson("is not UTF-8".to_owned()))?;
    extract(text, paths).map_err(|e| {
        NotJson(format!(
            "is invalid at line {}, column {}",
            e.line(),
            e.column()
        ))
    })
}

/// The literal text of the values at `paths`, such as 12.50 for the number 12.5. `body` must be
/// valid JSON; otherwise there are no values.
pub fn literals(body: &[u8], paths: &[Vec<String>]) -> Vec<Option<String>> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let values = extract(text, paths).unwrap_or_else(|_| vec![None; paths.len()]);
    let text = |literal: Literal| literal.0;
    values.into_iter().map(|values| values.map(text)).collect()
}

fn extract<T: FieldValue>(text: &str, paths: &[Vec<String>]) -> serde_json::Result<Vec<Option<T>>> {
    let mut values = vec![None; paths.len()];
    let requested = paths.iter().enumerate();
    let extract = RequestedValues {
        requested: requested
            .map(|(at, path)| RequestedPath { path, at })
            .collect(),
        values: &mut values,
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    extract
        .deserialize(&mut reader)
        .and_then(|()| reader.end())?;
    Ok(values)
}

/// The value at a path: keys of objects, digits for array indices.
pub fn at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match value {
        Value::Object(fields) => fields.get(step),
        Value::Array(items) => items.get(array_index(step)?),
        _ => None,
    })
}

/// A decimal index without sign or leading zeros.
fn array_index(step: &str) -> Option<usize> {
    let number: usize = step.parse().ok()?;
    (number.to_string() == step).then_some(number)
}

#[derive(Clone, Copy)]
struct RequestedPath<'p> {
    /// The remaining path.
    path: &'p [String],
    /// The path's index among the requested paths.
    at: usize,
}

/// How a value is kept.
trait FieldValue: Clone {
    /// Reads the whole value.
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error>;

    /// The value at a path inside this one.
    fn at(&self, path: &[String]) -> Option<Self>;
}

impl FieldValue for Value {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        serde::Deserialize::deserialize(reader)
    }

    fn at(&self, path: &[String]) -> Option<Self> {
        at(self, path).cloned()
    }
}

/// The literal text of a value.
#[derive(Clone)]
struct Literal(String);

impl FieldValue for Literal {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw: &RawValue = serde::Deserialize::deserialize(reader)?;
        Ok(Self(raw.get().to_owned()))
    }

    fn at(&self, path: &[String]) -> Option<Self> {
        extract(&self.0, &[path.to_vec()]).ok()?.pop()?
    }
}

/// A deserializer that reads one value and collects the requested values inside it.
struct RequestedValues<'p, 'f, T> {
    requested: Vec<RequestedPath<'p>>,
    values: &'f mut [Option<T>],
}

impl<'p, T> RequestedValues<'p, '_, T> {
    /// The paths that continue with a step for which `leads` is true. Their earlier values are
    /// discarded.
    fn descend(&mut self, matches: impl Fn(&str) -> bool) -> Vec<RequestedPath<'p>> {
        let mut inside = Vec::new();
        for requested in &self.requested {
            if let Some((step, path)) = requested.path.split_first()
                && matches(step)
            {
                self.values[requested.at] = None;
                inside.push(RequestedPath { path, ..*requested });
            }
        }
        inside
    }
}

impl<'de, T: FieldValue> DeserializeSeed<'de> for RequestedValues<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        if !self
            .requested
            .iter()
            .any(|requested| requested.path.is_empty())
        {
            return reader.deserialize_any(self);
        }
        let value = T::read(reader)?;
        for requested in self.requested {
            self.values[requested.at] = match requested.path {
                [] => Some(value.clone()),
                path => value.at(path),
            };
        }
        Ok(())
    }
}

impl<'de, T: FieldValue> Visitor<'de> for RequestedValues<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        for at in 0.. {
            let requested = self.descend(|step| array_index(step) == Some(at));
            let values = &mut *self.values;
            if items
                .next_element_seed(RequestedValues { requested, values })?
                .is_none()
            {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        while let Some(requested) = entries.next_key_seed(Key(&mut self))? {
            let values = &mut *self.values;
            entries.next_value_seed(RequestedValues { requested, values })?;
        }
        Ok(())
    }
}

/// Reads a key and returns the paths that continue there.
struct Key<'s, 'p, 'f, T>(&'s mut RequestedValues<'p, 'f, T>);

impl<'de, 'p, T> DeserializeSeed<'de> for Key<'_, 'p, '_, T> {
    type Value = Vec<RequestedPath<'p>>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'p, T> Visitor<'_> for Key<'_, 'p, '_, T> {
    type Value = Vec<RequestedPath<'p>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.descend(|step| step == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every case gives the same result whether nothing or everything is requested.
    #[test]
    fn any_valid_json_and_nothing_else() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let objects = |levels: usize| "{\"a\":".repeat(levels) + "1" + &"}".repeat(levels);
        let cases: Vec<(Vec<u8>, bool)> = vec![
            (b"{}".to_vec(), true),
            (b" [1, \"x\", null] \n".to_vec(), true),
            (b"null".to_vec(), true),
            (b"-0.5e3".to_vec(), true),
            (b"\"\\u0000\\ud83d\\ude00\"".to_vec(), true),
            (b"{\"a\":1,\"a\":2}".to_vec(), true),
            (nested(127).into_bytes(), true),
            (objects(127).into_bytes(), true),
            (nested(128).into_bytes(), false),
            (objects(128).into_bytes(), false),
            (nested(100_000).into_bytes(), false),
            ("[".repeat(100_000).into_bytes(), false),
            (b"".to_vec(), false),
            (b" ".to_vec(), false),
            (b"{} {}".to_vec(), false),
            (b"{}x".to_vec(), false),
            (b"{\"a\":1,}".to_vec(), false),
            (b"{'a':1}".to_vec(), false),
            (b"\xef\xbb\xbf{}".to_vec(), false),
            (b"{\"a\":\"\xff\"}".to_vec(), false),
            (b"{\"a\":\"\\ud800\"}".to_vec(), false),
            (b"{\"\\udc00\":1}".to_vec(), false),
            (b"{\"a\":NaN}".to_vec(), false),
            (b"{\"a\":[{\"b\":1e400}]}".to_vec(), false),
            (b"{\"a\":01}".to_vec(), false),
            (b"{\"a\":\"x\0y\"}".to_vec(), false),
        ];
        for (body, valid) in cases {
            let excerpt = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            assert_eq!(pick(&body, &[]).is_ok(), valid, "{excerpt}");
            assert_eq!(pick(&body, &[vec![]]).is_ok(), valid, "all of {excerpt}");
            let path = vec!["a".to_owned(), "0".to_owned(), "b".to_owned()];
            assert_eq!(pick(&body, &[path]).is_ok(), valid, "a piece of {excerpt}");
        }
    }

    #[test]
    fn literals_are_unchanged() {
        let body = br#"{"a":{"price": 12.50 ,"b":[1e2]},"c":-0.0, "c":7.10}"#;
        // (path, value)
        let cases: [(&str, Option<&str>); 6] = [
            ("a.price", Some("12.50")),
            ("a.b.0", Some("1e2")),
            ("a", Some(r#"{"price": 12.50 ,"b":[1e2]}"#)),
            ("c", Some("7.10")),
            ("a.b.1", None),
            ("x", None),
        ];
        let steps = |path: &str| path.split('.').map(str::to_owned).collect();
        let paths: Vec<Vec<String>> = cases.iter().map(|(path, _)| steps(path)).collect();
        let all = literals(body, &paths);
        for (at, (path, expected)) in cases.into_iter().enumerate() {
            assert_eq!(all[at].as_deref(), expected, "{path} among others");
            let alone = literals(body, &paths[at..=at]);
            assert_eq!(alone[0].as_deref(), expected, "{path}");
        }
        assert_eq!(literals(b"{\"a\":", &paths[..1]), [None]);
    }

    #[test]
    fn the_reason_names_the_place_and_not_the_payload() {
        let NotJson(message) = pick(b"{\"secret\":\"text\" 1}", &[]).unwrap_err();
        assert_eq!(message, "is invalid at line 1, column 18");
    }
}
