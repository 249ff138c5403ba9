//! Errors as HTTP answers: the one place that maps an error's kind to a status and writes
//! application/problem+json (RFC 9457). An error's private cause is never sent.

use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, SEC_WEBSOCKET_VERSION,
    UPGRADE, WWW_AUTHENTICATE,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Bytes, Method, Response, StatusCode, response};
use crate::error::{Error, ErrorKind, FieldError};

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// 405: the path exists, but not for this method. `allow` lists the methods it has.
pub fn method_not_allowed(allow: &[Method]) -> Error {
    let allow: Vec<&str> = allow.iter().map(Method::as_str).collect();
    let allow = allow.join(", ");
    Error {
        allow: Some(allow.as_str().into()),
        ..Error::new(
            ErrorKind::MethodNotAllowed,
            "method_not_allowed",
            format!("This path supports {allow}."),
        )
    }
}

pub(super) fn response(error: &Error, request_id: &str) -> Response {
    let status = status_of(error.kind);
    let mut response = response::with_status(status, body_of(error, request_id));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, PROBLEM_JSON);
    for (name, value) in extra_headers(error) {
        headers.insert(name, value);
    }
    if let Some(quota) = &error.quota {
        response::append_quota(headers, quota);
    }
    response
}

/// The whole answer as bytes, for a refused connection that hyper never handles.
pub(super) fn raw(error: &Error, request_id: &str) -> Vec<u8> {
    let status = status_of(error.kind);
    let body = body_of(error, request_id);
    let mut head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\n\
         x-request-id: {request_id}\r\nconnection: close\r\n",
        body.len()
    );
    if let Some(seconds) = retry_after_s(error) {
        head.push_str(&format!("retry-after: {seconds}\r\n"));
    }
    head.push_str("\r\n");
    [head.as_bytes(), &body].concat()
}

/// An error (RFC 9457).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct ProblemDetails<'a> {
    #[schemars(extend("const" = "about:blank"))]
    r#type: &'static str,
    #[schemars(example = &"Not Found")]
    title: &'static str,
    #[schemars(range(min = 400, max = 599), example = 404)]
    status: u16,
    /// A sentence for people.
    detail: &'a str,
    /// A stable code for programs.
    #[schemars(example = &"not_found")]
    code: &'a str,
    request_id: &'a str,
    /// The invalid fields; only with 422.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
}

fn body_of(error: &Error, request_id: &str) -> Bytes {
    let status = status_of(error.kind);
    let problem = ProblemDetails {
        r#type: "about:blank",
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: &error.detail,
        code: error.code,
        request_id,
        errors: &error.fields,
    };
    // Strings and numbers always serialize.
    serde_json::to_vec(&problem).unwrap_or_default().into()
}

fn status_of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::BadRequest => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::Timeout => StatusCode::REQUEST_TIMEOUT,
        ErrorKind::Gone => StatusCode::GONE,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UriTooLong => StatusCode::URI_TOO_LONG,
        ErrorKind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::UpgradeRequired => StatusCode::UPGRADE_REQUIRED,
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Every answer that asks the client to come later has a Retry-After.
fn retry_after_s(error: &Error) -> Option<u32> {
    let is_temporary = matches!(error.kind, ErrorKind::RateLimited | ErrorKind::Unavailable);
    error.retry_after_s.or(is_temporary.then_some(1))
}

fn extra_headers(error: &Error) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers = Vec::new();
    if let Some(seconds) = retry_after_s(error) {
        headers.push((RETRY_AFTER, HeaderValue::from(seconds)));
    }
    if let Some(Ok(allow)) = error.allow.as_deref().map(HeaderValue::from_str) {
        headers.push((ALLOW, allow));
    }
    match error.kind {
        ErrorKind::Unauthorized => {
            headers.push((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        ErrorKind::UpgradeRequired => {
            headers.push((SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13")));
            headers.push((UPGRADE, HeaderValue::from_static("websocket")));
            headers.push((CONNECTION, HeaderValue::from_static("upgrade")));
        }
        // The rest of the request won't be read.
        ErrorKind::Timeout | ErrorKind::TooLarge => {
            headers.push((CONNECTION, HeaderValue::from_static("close")));
        }
        _ => {}
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Quota;
    use serde_json::{Value, json};

    #[test]
    fn an_error_shows_its_public_parts_only() {
        let error = Error::invalid_field("/name", "must be a string.").because("SELECT secret");
        let body: Value = serde_json::from_slice(&body_of(&error, "r-1")).unwrap();
        let expected = json!({
            "type": "about:blank", "title": "Unprocessable Entity", "status": 422,
            "detail": "/name: must be a string.", "code": "validation_failed",
            "request_id": "r-1", "errors": [{"field": "/name", "message": "must be a string."}],
        });
        assert_eq!(body, expected);
    }

    fn rate_limited() -> Error {
        Error::rate_limited(Quota {
            name: "x",
            limit: 3,
            window_s: 60,
            left: 0,
            more_in_s: 7,
        })
    }

    #[test]
    fn kinds_have_their_headers() {
        let cases = [
            (
                Error::unauthorized("why"),
                401,
                "www-authenticate",
                "Bearer",
            ),
            (rate_limited(), 429, "retry-after", "7"),
            (rate_limited(), 429, "ratelimit", "\"x\";r=0;t=7"),
            (rate_limited(), 429, "ratelimit-policy", "\"x\";q=3;w=60"),
            (Error::unavailable("Later."), 503, "retry-after", "1"),
            (
                Error::new(ErrorKind::Unavailable, "x", "Without a time."),
                503,
                "retry-after",
                "1",
            ),
            (
                method_not_allowed(&[Method::GET, Method::HEAD]),
                405,
                "allow",
                "GET, HEAD",
            ),
        ];
        for (error, status, name, value) in cases {
            let response = response(&error, "r");
            assert_eq!(response.status(), status);
            assert_eq!(response.headers()[name], value);
            assert_eq!(response.headers()[CONTENT_TYPE], PROBLEM_JSON);
        }
    }

    #[test]
    fn only_validation_lists_fields() {
        let body: Value = serde_json::from_slice(&body_of(&Error::not_found(), "r")).unwrap();
        assert!(body.get("errors").is_none());
    }
}
