//! Reads what an outside service sends: any valid JSON, of which only what is asked for is
//! kept. Of duplicate keys the last counts; more than 127 levels, halves of surrogate pairs and
//! numbers beyond every range are refused, wherever they stand. Pure.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The body is no JSON; what is wrong with it goes no further than where.
#[derive(Debug, PartialEq, Eq)]
pub struct NotJson(pub String);

/// The values at `paths`, in their order. The whole body is checked, whatever is asked for.
pub fn pick(body: &[u8], paths: &[Vec<String>]) -> Result<Vec<Option<Value>>, NotJson> {
    let text = std::str::from_utf8(body).map_err(|_| NotJson("is not UTF-8".to_owned()))?;
    let mut found = vec![None; paths.len()];
    let wanted = paths.iter().enumerate();
    let seek = Seek {
        wanted: wanted.map(|(at, path)| Wanted { path, at }).collect(),
        found: &mut found,
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    seek.deserialize(&mut reader)
        .and_then(|()| reader.end())
        .map_err(|e| {
            NotJson(format!(
                "breaks at line {}, column {}",
                e.line(),
                e.column()
            ))
        })?;
    Ok(found)
}

/// What stands at a path: keys of objects, digits for places in arrays.
pub fn at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match value {
        Value::Object(fields) => fields.get(step),
        Value::Array(items) => items.get(place(step)?),
        _ => None,
    })
}

/// Written as one writes a number: no sign, no zero before it.
fn place(step: &str) -> Option<usize> {
    let number: usize = step.parse().ok()?;
    (number.to_string() == step).then_some(number)
}

#[derive(Clone, Copy)]
struct Wanted<'p> {
    /// From here on.
    path: &'p [String],
    /// Its place among those asked for.
    at: usize,
}

/// Reads one value and what is wanted inside it.
struct Seek<'p, 'f> {
    wanted: Vec<Wanted<'p>>,
    found: &'f mut [Option<Value>],
}

impl<'p> Seek<'p, '_> {
    /// Those whose next step `leads` on, one step further; an earlier value of theirs is void.
    fn inside(&mut self, leads: impl Fn(&str) -> bool) -> Vec<Wanted<'p>> {
        let mut inside = Vec::new();
        for wanted in &self.wanted {
            if let Some((step, path)) = wanted.path.split_first()
                && leads(step)
            {
                self.found[wanted.at] = None;
                inside.push(Wanted { path, ..*wanted });
            }
        }
        inside
    }
}

impl<'de> DeserializeSeed<'de> for Seek<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        if !self.wanted.iter().any(|wanted| wanted.path.is_empty()) {
            return reader.deserialize_any(self);
        }
        let value: Value = serde::Deserialize::deserialize(reader)?;
        for wanted in self.wanted {
            self.found[wanted.at] = at(&value, wanted.path).cloned();
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Seek<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            let wanted = self.inside(|step| place(step) == Some(at));
            let found = &mut *self.found;
            if items.next_element_seed(Seek { wanted, found })?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        while let Some(wanted) = entries.next_key_seed(Key(&mut self))? {
            let found = &mut *self.found;
            entries.next_value_seed(Seek { wanted, found })?;
        }
        Ok(())
    }
}

/// Reads a key without keeping it: what is wanted behind it.
struct Key<'s, 'p, 'f>(&'s mut Seek<'p, 'f>);

impl<'de, 'p> DeserializeSeed<'de> for Key<'_, 'p, '_> {
    type Value = Vec<Wanted<'p>>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'p> Visitor<'_> for Key<'_, 'p, '_> {
    type Value = Vec<Wanted<'p>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.inside(|step| step == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is the same to whoever wants nothing and to whoever wants all of it.
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
            let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            assert_eq!(pick(&body, &[]).is_ok(), valid, "{shown}");
            assert_eq!(pick(&body, &[vec![]]).is_ok(), valid, "all of {shown}");
            let path = vec!["a".to_owned(), "0".to_owned(), "b".to_owned()];
            assert_eq!(pick(&body, &[path]).is_ok(), valid, "a piece of {shown}");
        }
    }

    #[test]
    fn the_reason_names_the_place_and_not_the_payload() {
        let NotJson(why) = pick(b"{\"secret\":\"text\" 1}", &[]).unwrap_err();
        assert_eq!(why, "breaks at line 1, column 18");
    }
}
