//! Arguments of a call as Python writes them: `text="run", in_minutes=5`.

use serde_json::{Map, Number, Value};

/// Values within values.
const DEPTH_MAX: usize = 8;

/// Parses the arguments after an opening parenthesis; also returns the bytes up to and with the
/// closing one. `None`: they are invalid, or not all have a name.
pub(super) fn keyword_arguments(text: &str) -> Option<(Map<String, Value>, usize)> {
    let mut reader = ArgumentReader { rest: text };
    let mut arguments = Map::new();
    while !reader.takes(")") {
        let name = reader.name()?;
        reader.takes("=").then_some(())?;
        arguments.insert(name.to_owned(), reader.value(0)?);
        if !reader.takes(",") {
            reader.takes(")").then_some(())?;
            break;
        }
    }
    Some((arguments, text.len() - reader.rest.len()))
}

struct ArgumentReader<'t> {
    rest: &'t str,
}

impl<'t> ArgumentReader<'t> {
    /// Reads it, if it comes next.
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let after = rest.strip_prefix(token);
        self.rest = after.unwrap_or(rest);
        after.is_some()
    }

    fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        if self.takes("[") {
            return self.list(depth);
        }
        if self.takes("{") {
            return self.map(depth);
        }
        for quote in ['"', '\''] {
            if self.takes(quote.encode_utf8(&mut [0; 4])) {
                return self.text(quote).map(Value::String);
            }
        }
        let rest = self.rest.trim_start();
        let end = rest.find([',', ')', ']', '}']).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        Some(match word.trim() {
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            "None" | "null" => Value::Null,
            word => Value::Number(word.parse::<Number>().ok()?),
        })
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        let mut values = Vec::new();
        while !self.takes("]") {
            values.push(self.value(depth + 1)?);
            if !self.takes(",") {
                self.takes("]").then_some(())?;
                break;
            }
        }
        Some(values.into())
    }

    fn map(&mut self, depth: usize) -> Option<Value> {
        let mut values = Map::new();
        while !self.takes("}") {
            let Value::String(key) = self.value(depth + 1)? else {
                return None;
            };
            self.takes(":").then_some(())?;
            values.insert(key, self.value(depth + 1)?);
            if !self.takes(",") {
                self.takes("}").then_some(())?;
                break;
            }
        }
        Some(values.into())
    }

    /// Up to the closing quote.
    fn text(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => text.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                }),
                c if c == quote => {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return Some(text);
                }
                c => text.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_with_names_are_read() {
        for (text, arguments, rest) in [
            (")", json!({}), ""),
            ("a=1)", json!({"a": 1}), ""),
            (
                " a = \"x, (y)\" , b='it\\'s', c=-2.5,\n) end",
                json!({"a": "x, (y)", "b": "it's", "c": -2.5}),
                " end",
            ),
            (
                "a=[1, \"b\"], c={\"d\": True, 'e': None}, f=[])x",
                json!({"a": [1, "b"], "c": {"d": true, "e": null}, "f": []}),
                "x",
            ),
        ] {
            let (read, bytes) = keyword_arguments(text).unwrap();
            assert_eq!(
                (Value::Object(read), &text[bytes..]),
                (arguments, rest),
                "{text}"
            );
        }
        let deep = format!("a={}", "[".repeat(100));
        for text in [
            "", "a", "a=", "\"x\")", "a=1", "a=b)", "a=\"x)", "a=1 b=2)", &deep,
        ] {
            assert_eq!(keyword_arguments(text), None, "{text}");
        }
    }
}
