//! OFREP, OpenFeature's protocol for remote evaluation: the request and the parsing of the answer.
//! Pure.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::registry;

/// The request for all flags, for the service.
pub(super) fn request_body() -> Value {
    json!({ "context": { "targetingKey": "chatkeep" } })
}

/// The values of flags in our table. A flag that the server could not evaluate has none and uses
/// its default.
pub(super) fn values(body: &[u8]) -> Result<HashMap<&'static str, Value>, String> {
    let body: Value = serde_json::from_slice(body).map_err(|_| "its answer is not JSON")?;
    let flags = body.get("flags").and_then(Value::as_array);
    let flags = flags.ok_or("its answer has no list \"flags\"")?;
    let mut values = HashMap::new();
    let named = |entry| Some((Value::get(entry, "key")?.as_str()?, entry));
    let mut named = flags.iter().filter_map(named).peekable();
    // One entry without a key is left out.
    if named.peek().is_none() && !flags.is_empty() {
        return Err("its answer has no flag with a key".to_owned());
    }
    for (key, entry) in named {
        let value = entry
            .get("value")
            .filter(|_| entry.get("errorCode").is_none());
        if let (Some(flag), Some(value)) = (registry::find(key), value) {
            values.insert(flag.key, value.clone());
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_evaluated_flags() {
        let body = json!({ "flags": [
            { "key": "context.max_messages", "value": 7, "reason": "STATIC", "variant": "a" },
            { "key": "llm.force_basic_mode", "errorCode": "PARSE_ERROR" },
            { "key": "payment.topup_enabled", "value": true, "errorCode": "GENERAL" },
            { "key": "somebody.elses", "value": 1 },
            { "value": 1 },
            7,
        ]});
        let parsed = values(body.to_string().as_bytes()).unwrap();
        assert_eq!(parsed, HashMap::from([("context.max_messages", 7.into())]));
    }

    #[test]
    fn refuses_another_structure() {
        for body in [
            "", "hello", "[]", "{}", r#"{"flags":{}}"#, r#"{"flags":[{"value":1}]}"#,
        ] {
            assert!(values(body.as_bytes()).is_err(), "{body}");
        }
    }
}
