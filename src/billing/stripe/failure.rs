//! Why a call to the provider failed, and whether to retry it. The provider's error text isn't
//! logged, because it may contain a key or personal data.

use std::fmt;

use serde_json::Value;

use crate::outbound::Response;

const WORD_CHARS_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StripeFailure {
    /// The provider refused the request.
    Refused {
        status: u16,
        /// The machine-readable error type.
        kind: String,
        code: String,
        param: String,
    },
    /// The provider failed or is overloaded.
    Failed(u16),
    /// The call may have had an effect, or not.
    Unreachable(String),
    /// The answer can't be parsed.
    InvalidAnswer(&'static str),
}

impl StripeFailure {
    /// The object of the call does not exist.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status, code, .. }
            if *status == 404 || code == "resource_missing")
    }

    /// The provider doesn't support this request; the credentials are valid.
    pub(crate) fn is_unsupported_request(&self) -> bool {
        matches!(self, Self::Refused { status, .. } if matches!(status, 400 | 404))
    }

    /// The call may have had an effect. A repetition needs the same key.
    pub(crate) fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Unreachable(_))
    }

    /// Whether the provider refused this field.
    pub(crate) fn is_for_field(&self, field: &str) -> bool {
        matches!(self, Self::Refused { param, .. } if param == field)
    }
}

impl fmt::Display for StripeFailure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the payment provider ")?;
        match self {
            Self::Refused {
                status,
                kind,
                code,
                param,
            } => write!(
                f,
                "refused with {status} (type {kind:?}, code {code:?}, param {param:?})"
            ),
            Self::Failed(status) => write!(f, "failed with {status}"),
            Self::Unreachable(why) => write!(f, "can't be reached: {why}"),
            Self::InvalidAnswer(what) => write!(f, "sent an invalid answer: {what}"),
        }
    }
}

/// The answer's object, else the failure and whether to retry.
pub(super) fn judge(response: &Response) -> Result<Value, (StripeFailure, bool)> {
    let body: Option<Value> = serde_json::from_slice(&response.body).ok();
    let advice = response.header("stripe-should-retry");
    judge_parts(response.status, advice, body)
}

fn judge_parts(
    status: u16,
    advice: Option<&str>,
    body: Option<Value>,
) -> Result<Value, (StripeFailure, bool)> {
    if (200..300).contains(&status) {
        let object = body.filter(Value::is_object);
        return object.ok_or((StripeFailure::InvalidAnswer("no JSON object"), false));
    }
    let retry = match advice {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 409 | 429) || status >= 500,
    };
    let failure = match status {
        409 | 429 | 500.. => StripeFailure::Failed(status),
        ..400 => StripeFailure::InvalidAnswer("neither success nor an error"),
        _ => {
            let plain_word = |name: &str| {
                let error = body.as_ref().and_then(|body| body.get("error"));
                plain_word(error.and_then(|error| error.get(name)))
            };
            StripeFailure::Refused {
                status,
                kind: plain_word("type"),
                code: plain_word("code"),
                param: plain_word("param"),
            }
        }
    };
    Err((failure, retry))
}

/// A machine-readable word of the provider; empty for any other text.
fn plain_word(value: Option<&Value>) -> String {
    let text = value.and_then(Value::as_str).unwrap_or_default();
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'[' | b']' | b'.');
    let is_key = text.starts_with("sk_") || text.starts_with("rk_");
    if text.len() <= WORD_CHARS_MAX && text.bytes().all(plain) && !is_key {
        text.to_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn retried_statuses() {
        let cases = [
            (400, None, false),
            (401, None, false),
            (404, None, false),
            (409, None, true),
            (429, None, true),
            (500, None, true),
            (503, None, true),
            (500, Some("false"), false),
            (429, Some("false"), false),
            (400, Some("true"), true),
            (302, None, false),
        ];
        for (status, advice, expected) in cases {
            let (_, retry) = judge_parts(status, advice, None).unwrap_err();
            assert_eq!(retry, expected, "{status} {advice:?}");
        }
        for body in [None, Some(json!([])), Some(json!("x")), Some(Value::Null)] {
            let (failure, retry) = judge_parts(200, None, body).unwrap_err();
            assert_eq!(
                (failure, retry),
                (StripeFailure::InvalidAnswer("no JSON object"), false)
            );
        }
        assert!(judge_parts(200, None, Some(json!({}))).is_ok());
    }

    #[test]
    fn errors_repeat_no_words_of_the_provider() {
        let body = json!({"error": {
            "type": "invalid_request_error", "code": "sk_live_1234", "param": "a b",
            "message": "Invalid API Key provided: sk_live_1234",
        }});
        let (failure, _) = judge_parts(401, None, Some(body)).unwrap_err();
        let text = failure.to_string();
        assert!(text.contains("invalid_request_error"), "{text}");
        assert!(!text.contains("sk_live") && !text.contains("a b"), "{text}");
    }

    #[test]
    fn missing_objects_are_recognized_by_status_or_code() {
        let refused = |status, code: &str| {
            let body = json!({"error": {"code": code, "param": "customer"}});
            judge_parts(status, None, Some(body)).unwrap_err().0
        };
        assert!(refused(404, "").is_missing());
        assert!(refused(400, "resource_missing").is_missing());
        assert!(!refused(400, "parameter_missing").is_missing());
        assert!(refused(400, "resource_missing").is_for_field("customer"));
        assert!(!StripeFailure::Failed(500).is_missing());
    }
}
