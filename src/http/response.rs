//! Building answers. Error answers are built in `problem`.

use http_body_util::{BodyExt, Either, Full};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use serde::Serialize;

use super::{Body, Bytes, Response, StatusCode};
use crate::error::Quota;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// 200 with `value` as JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Response {
    json_with(StatusCode::OK, value)
}

/// `value` as JSON with another status.
pub fn json_with<T: Serialize + ?Sized>(status: StatusCode, value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => typed(status, JSON, bytes.into()),
        Err(error) => {
            // Serializing fails only for a map whose keys aren't strings, which is a bug.
            log::error!("an answer can't be written as JSON: {error}");
            empty(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

/// 200 with bytes that are already JSON.
pub fn json_bytes(bytes: impl Into<Bytes>) -> Response {
    typed(StatusCode::OK, JSON, bytes.into())
}

/// 200 with plain text.
pub fn text(text: impl Into<Bytes>) -> Response {
    without_sniffing(TEXT, text.into())
}

/// 200 with an HTML page.
pub fn html(page: impl Into<Bytes>) -> Response {
    without_sniffing(HTML, page.into())
}

/// Forbids browsers to guess another content type.
fn without_sniffing(content_type: HeaderValue, bytes: Bytes) -> Response {
    let mut response = typed(StatusCode::OK, content_type, bytes);
    let nosniff = HeaderValue::from_static("nosniff");
    response
        .headers_mut()
        .insert(X_CONTENT_TYPE_OPTIONS, nosniff);
    response
}

pub fn empty(status: StatusCode) -> Response {
    with_status(status, Bytes::new())
}

/// 200 with a streamed body.
pub fn stream<B>(body: B) -> Response
where
    B: hyper::body::Body<Data = Bytes, Error = std::io::Error> + Send + 'static,
{
    Response::new(Either::Right(body.boxed_unsync()))
}

/// The response with one more header. A value that isn't valid in a header is a bug: it is
/// logged and left out.
pub fn with_header(mut response: Response, name: HeaderName, value: &str) -> Response {
    match HeaderValue::from_str(value) {
        Ok(value) => {
            response.headers_mut().insert(name, value);
        }
        Err(_) => log::error!("a value of the header {name} can't be sent"),
    }
    response
}

/// The response with the caller's rate limit headers.
pub fn with_quota(mut response: Response, quota: &Quota) -> Response {
    append_quota(response.headers_mut(), quota);
    response
}

/// `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers: lists of items
/// (RFC 9651). Each limit appends its item.
pub(super) fn append_quota(headers: &mut HeaderMap, quota: &Quota) {
    let Quota {
        name,
        limit,
        window_s,
        left,
        more_in_s,
    } = quota;
    let policy = format!("\"{name}\";q={limit};w={window_s}");
    let state = format!("\"{name}\";r={left};t={more_in_s}");
    for (field, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, state)] {
        // Limit names are words in the code, so the value is a valid header.
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.append(field, value);
        }
    }
}

pub(super) fn with_status(status: StatusCode, bytes: Bytes) -> Response {
    let mut response = Response::new(complete(bytes));
    *response.status_mut() = status;
    response
}

fn typed(status: StatusCode, content_type: HeaderValue, bytes: Bytes) -> Response {
    let mut response = with_status(status, bytes);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

fn complete(bytes: Bytes) -> Body {
    Either::Left(Full::new(bytes))
}
