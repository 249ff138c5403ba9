//! Takes a person's handle out of what others' messages carry beside their text.

use serde_json::Value;

/// What stands in its place.
const ERASED: &str = "erased";

/// The JSON text without the handle, wherever a string or a key holds it as a word of its
/// own; `None` when it doesn't.
pub fn without_handle(json: &str, handle: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    let redacted = redact(value.clone(), handle);
    (redacted != value).then(|| redacted.to_string())
}

fn redact(value: Value, handle: &str) -> Value {
    match value {
        Value::String(text) => Value::String(redact_text(&text, handle)),
        Value::Array(items) => items.into_iter().map(|item| redact(item, handle)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (redact_text(&key, handle), redact(value, handle)))
            .collect(),
        other => other,
    }
}

/// A handle may be a name, and stand within other words: those are left alone.
fn redact_text(text: &str, handle: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find(handle).filter(|_| !handle.is_empty()) {
        let (ahead, found) = rest.split_at(at);
        let after = &found[handle.len()..];
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inside = joined(ahead.chars().next_back().or(before)) || joined(after.chars().next());
        redacted += ahead;
        redacted += if inside { handle } else { ERASED };
        before = handle.chars().next_back();
        rest = after;
    }
    redacted + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_taken_out_as_words() {
        for (json, handle, expected) in [
            (
                r#"{"owner":"+15550100"}"#,
                "+15550100",
                Some(r#"{"owner":"erased"}"#),
            ),
            (
                r#"{"a":["x",{"b":"tel:+15550100;x"}]}"#,
                "+15550100",
                Some(r#"{"a":["x",{"b":"tel:erased;x"}]}"#),
            ),
            (r#"{"+15550100":1}"#, "+15550100", Some(r#"{"erased":1}"#)),
            (r#"{"owner":"+155501001"}"#, "+15550100", None),
            (
                r#"{"note":"banana ana"}"#,
                "ana",
                Some(r#"{"note":"banana erased"}"#),
            ),
            (r#"{"note":"banana"}"#, "ana", None),
            (
                r#"{"note":"ana ana"}"#,
                "ana",
                Some(r#"{"note":"erased erased"}"#),
            ),
            (r#"{"note":"a\"b"}"#, "a\"b", Some(r#"{"note":"erased"}"#)),
            (r#"{"note":"x"}"#, "", None),
            ("no JSON", "JSON", None),
        ] {
            assert_eq!(without_handle(json, handle).as_deref(), expected, "{json}");
        }
    }
}
