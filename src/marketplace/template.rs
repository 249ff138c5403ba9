//! Templates of an action's text, with `{field}` for values. `{{` and `}}` are literal braces; a
//! brace that starts no field stays. Values are inserted as plain text and not parsed for fields.
//! Pure.

use serde_json::Value;

use crate::model::excerpt;

/// Characters in a rendered text; a longer text is cut with an ellipsis.
pub const TEXT_CHARS_MAX: usize = 4_000;
/// Characters in a field's name.
pub const FIELD_CHARS_MAX: usize = 64;
/// The largest size of `TEXT_CHARS_MAX` characters.
const TEXT_BYTES_MAX: usize = TEXT_CHARS_MAX * 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(String),
}

impl Template {
    pub fn parse(source: &str) -> Self {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(name) = field_at(rest) {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Field(name.to_owned()));
                rest = &rest[name.len() + 2..];
            } else {
                text.push_str(&rest[..1]);
                let doubled = rest.starts_with("{{") || rest.starts_with("}}");
                rest = &rest[1 + usize::from(doubled)..];
            }
        }
        text.push_str(rest);
        pieces.push(Piece::Text(text));
        pieces.retain(|piece| *piece != Piece::Text(String::new()));
        Self(pieces)
    }

    /// The template's fields, perhaps repeatedly.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Field(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// Inserts the values. A field without a value becomes empty.
    pub fn render<'v>(&self, value: impl Fn(&str) -> Option<&'v Value>) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(literal) => text.push_str(literal),
                Piece::Field(name) => text.extend(value(name).map(value_text)),
            }
            if text.len() > TEXT_BYTES_MAX {
                break; // the remainder is cut anyway
            }
        }
        text.retain(|c| c != '\0'); // databases may treat it as the end
        excerpt::at_most(text, TEXT_CHARS_MAX)
    }
}

/// The field's name, if `text` begins with one in braces.
fn field_at(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let is_name = !name.is_empty()
        && name.chars().count() <= FIELD_CHARS_MAX
        && !name.contains(|c: char| c == '{' || c.is_control());
    is_name.then_some(name)
}

/// Strings as they are, other values as JSON.
fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_become_their_values() {
        let values = json!({
            "who": "Ada", "n": 3, "f": 1.5, "yes": true, "none": null, "tricky": "{who}",
            "o": {"a": [1, "x"]}, "two words": "2", "nul": "a\u{0}b",
        });
        let cases = [
            ("Hi {who}!", "Hi Ada!"),
            ("{who}{n}", "Ada3"),
            ("{n} {f} {yes} [{none}] [{unknown}]", "3 1.5 true [] []"),
            ("{o}", r#"{"a":[1,"x"]}"#),
            ("{two words}", "2"),
            ("{tricky}", "{who}"),
            ("{nul}", "ab"),
            ("{{who}}", "{who}"),
            ("{{{who}}}", "{Ada}"),
            ("{} { who {\n} }", "{} { who {\n} }"),
            ("a } b { c", "a } b { c"),
            ("{wh{who}", "{whAda"),
            ("{who", "{who"),
            ("", ""),
        ];
        for (template, expected) in cases {
            let rendered = Template::parse(template).render(|name| values.get(name));
            assert_eq!(rendered, expected, "{template}");
        }
        let names: Vec<String> = Template::parse("{b} {{c}} {a} {b}")
            .fields()
            .map(str::to_owned)
            .collect();
        assert_eq!(names, ["b", "a", "b"]);
    }

    #[test]
    fn a_long_text_is_cut() {
        let value = json!("é".repeat(3_000));
        let rendered = Template::parse("{a} {a} {a}").render(|_| Some(&value));
        assert_eq!(rendered.chars().count(), TEXT_CHARS_MAX);
        assert!(rendered.ends_with("é…"));
        let many = "{a}".repeat(2_000);
        let rendered = Template::parse(&many).render(|_| Some(&value));
        assert_eq!(rendered.chars().count(), TEXT_CHARS_MAX);
    }
}
