//! The strict reader of JSON bodies: one object, no duplicate names, no value that storage or
//! comparison could change.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::Error;

/// The body's own object is level 1.
const NESTING_MAX: usize = 64;

/// The object of a JSON body.
pub type Json = Map<String, Value>;

/// Reads a body.
pub fn parse_json(raw: &[u8]) -> Result<Json, Error> {
    let body_error = |message: &str| Error::invalid_field("", message);
    let text = std::str::from_utf8(raw).map_err(|_| body_error("must be UTF-8."))?;
    if text.starts_with('\u{feff}') {
        return Err(body_error("must not start with a byte order mark."));
    }
    let is_space = |c| matches!(c, ' ' | '\t' | '\n' | '\r');
    if !text.trim_start_matches(is_space).starts_with('{') {
        return Err(body_error("must be one JSON object."));
    }
    let mut reason = RefusalReason::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let strict = StrictValue {
        reason: &mut reason,
        depth: 0,
    };
    let value = strict.deserialize(&mut reader);
    match value.and_then(|value| reader.end().map(|()| value)) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(body_error("must be one JSON object.")),
        Err(error) => Err(reason.into_error(&error)),
    }
}

/// Where and why parsing stopped. serde's own error can't carry a path.
#[derive(Default)]
struct RefusalReason {
    /// Innermost first.
    path: Vec<String>,
    message: Option<&'static str>,
}

impl RefusalReason {
    fn refuse<E: de::Error>(&mut self, message: &'static str) -> E {
        self.message = Some(message);
        E::custom(message)
    }

    fn into_error(self, error: &serde_json::Error) -> Error {
        let path = self.path.iter().rev();
        let pointer: String = path.flat_map(|step| ["/", step]).collect();
        match self.message {
            Some(message) => Error::invalid_field(pointer, message),
            None => Error::invalid_field(
                pointer,
                format!(
                    "is not valid JSON (line {}, column {}); send one well-formed object.",
                    error.line(),
                    error.column()
                ),
            ),
        }
    }
}

/// One step of a JSON pointer (RFC 6901).
pub(super) fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Deserializes any value at nesting level `depth`.
struct StrictValue<'f> {
    reason: &'f mut RefusalReason,
    depth: usize,
}

impl StrictValue<'_> {
    fn next_depth<E: de::Error>(&mut self) -> Result<usize, E> {
        if self.depth == NESTING_MAX {
            return Err(self.reason.refuse("is nested deeper than 64 levels."));
        }
        Ok(self.depth + 1)
    }

    fn check_text<E: de::Error>(&mut self, text: &str) -> Result<(), E> {
        if text.contains('\0') {
            return Err(self.reason.refuse("must not contain the character U+0000."));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for StrictValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        let number = number.ok_or_else(|| self.reason.refuse("is out of range for a number."))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E: de::Error>(mut self, value: &str) -> Result<Value, E> {
        self.check_text(value)?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: de::Error>(mut self, value: String) -> Result<Value, E> {
        self.check_text(&value)?;
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let depth = self.next_depth()?;
        let mut list = Vec::new();
        loop {
            let reason = &mut *self.reason;
            match items.next_element_seed(StrictValue { reason, depth }) {
                Ok(Some(item)) => list.push(item),
                Ok(None) => return Ok(Value::Array(list)),
                Err(error) => {
                    self.reason.path.push(list.len().to_string());
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let depth = self.next_depth()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.check_text(&key)?;
            if map.contains_key(&key) {
                self.reason.path.push(pointer_step(&key));
                return Err(self.reason.refuse("is a duplicate name; send it once."));
            }
            let reason = &mut *self.reason;
            match entries.next_value_seed(StrictValue { reason, depth }) {
                Ok(value) => map.insert(key, value),
                Err(error) => {
                    self.reason.path.push(pointer_step(&key));
                    return Err(error);
                }
            };
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(body: &[u8]) -> (String, String) {
        let error = parse_json(body).expect_err(&String::from_utf8_lossy(body));
        assert_eq!(error.code, "validation_failed");
        let [field] = error.fields.as_slice() else {
            panic!("{:?}", error.fields);
        };
        (field.field.clone(), field.message.clone())
    }

    fn nested(levels: usize) -> String {
        let inner = levels - 1;
        format!("{{\"a\":{}1{}}}", "[".repeat(inner), "]".repeat(inner))
    }

    #[test]
    fn reads_an_object_as_it_is() {
        let body = br#" {"z":1,"a":[true,null,-2,1.5,"\u00e9\ud83d\ude00"],"o":{"":""}} "#;
        let value = parse_json(body).unwrap();
        let expected: Value = serde_json::from_slice(body).unwrap();
        assert_eq!(Value::Object(value), expected);
    }

    #[test]
    fn refusals_name_the_place_and_the_reason() {
        let cases: [(&[u8], &str, &str); 25] = [
            (b"", "", "one JSON object"),
            (b"[1]", "", "one JSON object"),
            (b"[\"positional\"]", "", "one JSON object"),
            (b"null", "", "one JSON object"),
            (b"{} {}", "", "not valid JSON"),
            (b"{}x", "", "not valid JSON"),
            (b"{\"a\":1,}", "", "not valid JSON"),
            (b"{\"a\":", "/a", "not valid JSON"),
            (b"{'a':1}", "", "not valid JSON"),
            (b"\xef\xbb\xbf{}", "", "byte order mark"),
            (b"{\"a\":\"\xff\"}", "", "UTF-8"),
            (b"{\"ignored\":{\"x\":\"\xc3\"}}", "", "UTF-8"),
            (b"{\"a\":\"\\ud800\"}", "/a", "not valid JSON"),
            (b"{\"a\":\"\\udc00x\"}", "/a", "not valid JSON"),
            (b"{\"a\":NaN}", "/a", "not valid JSON"),
            (b"{\"a\":1e400}", "/a", "not valid JSON"),
            (b"{\"a\":01}", "/a", "not valid JSON"),
            (b"{\"a\":\"x\\u0000y\"}", "/a", "U+0000"),
            (b"{\"a\":\"x\0y\"}", "/a", "not valid JSON"),
            (b"{\"\\u0000\":1}", "", "U+0000"),
            (b"{\"a\":1,\"a\":2}", "/a", "duplicate name"),
            (b"{\"a\":1,\"\\u0061\":2}", "/a", "duplicate name"),
            (
                b"{\"l\":[0,{\"x/y\":{\"~\":1,\"~\":2}}]}",
                "/l/1/x~1y/~0",
                "duplicate name",
            ),
            (b"{\"a\":{\"b\":\"\\u0000\"}}", "/a/b", "U+0000"),
            (b"{\"a\":[1 2]}", "/a/1", "not valid JSON"),
        ];
        for (body, field, message) in cases {
            let (at, detail) = refusal(body);
            let body = String::from_utf8_lossy(body);
            assert!(
                at == field && detail.contains(message),
                "{body}: {at:?} {detail}"
            );
        }
    }

    #[test]
    fn nests_64_levels_and_no_more() {
        assert!(parse_json(nested(64).as_bytes()).is_ok());
        for levels in [65, 128, 100_000] {
            let (field, message) = refusal(nested(levels).as_bytes());
            assert!(field.starts_with("/a/0"), "{field}");
            assert!(message.contains("64 levels"), "{message}");
        }
        let unclosed = format!("{{\"a\":{}", "{\"b\":".repeat(100_000));
        assert!(refusal(unclosed.as_bytes()).1.contains("64 levels"));
    }
}
