//! Checks of every request's head, and the request id.

use std::fmt::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::Request;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};

use crate::error::{Error, ErrorKind};
use crate::random;

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Path and query.
const URI_BYTES_MAX: usize = 8 * 1024;
/// Stricter than hyper, which refuses more than 100 headers.
const HEADERS_MAX: usize = 64;
const REQUEST_ID_BYTES_MAX: usize = 64;

/// Refuses heads that are too large, don't have exactly one Host header, or have a body in a coding that
/// isn't decoded.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), Error> {
    let uri_bytes = request
        .uri()
        .path_and_query()
        .map_or(0, |uri| uri.as_str().len());
    if uri_bytes > URI_BYTES_MAX {
        return Err(Error::new(
            ErrorKind::UriTooLong,
            "uri_too_long",
            "The path and query are longer than 8 KiB.",
        ));
    }
    if request.headers().len() > HEADERS_MAX {
        return Err(Error::new(
            ErrorKind::HeadTooLarge,
            "headers_too_large",
            "The request has more than 64 headers.",
        ));
    }
    if request.headers().get_all(HOST).iter().count() != 1 {
        return Err(Error::bad_request(
            "The request needs exactly one Host header.",
        ));
    }
    let mut codings = request.headers().get_all(TRANSFER_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        return Err(Error::bad_request(
            "The only Transfer-Encoding that is understood is chunked.",
        ));
    }
    Ok(())
}

/// The id of one request, as text and as a header.
pub(super) struct RequestId {
    pub(super) text: String,
    pub(super) header: HeaderValue,
}

impl RequestId {
    /// The client's id if it is valid, else a new one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(X_REQUEST_ID).iter();
        if let (Some(header), None) = (values.next(), values.next())
            && let Ok(text) = header.to_str()
            && is_request_id(text)
        {
            return Self {
                text: text.to_owned(),
                header: header.clone(),
            };
        }
        let text = new_request_id();
        Self {
            header: HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("-")),
            text,
        }
    }
}

/// Unique, not secret: 16 random digits of the process and the request's number.
pub(super) fn new_request_id() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| u64::from_le_bytes(random::bytes()));
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut id = String::with_capacity(32);
    // Writing to a string can't fail.
    let _ = write!(id, "{process:016x}{number:08x}");
    id
}

fn is_request_id(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    (1..=REQUEST_ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(allowed)
}

/// A header that may be sent once. `None` when it is missing.
pub(super) fn single_header<'a>(
    headers: &'a HeaderMap,
    name: &str,
) -> Result<Option<&'a str>, Error> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Error::bad_request(format!(
            "The header {name} is repeated; send it once."
        )));
    }
    let text = value.to_str().map_err(|_| {
        Error::bad_request(format!(
            "The header {name} contains bytes outside visible ASCII."
        ))
    })?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_id_is_accepted_only_if_it_is_one_plain_word() {
        let long = "a".repeat(65);
        let longest = "a".repeat(64);
        let cases: [(&[&str], bool); 7] = [
            (&["abc-1._Z"], true),
            (&[&longest], true),
            (&[&long], false),
            (&[""], false),
            (&["a b"], false),
            (&["a", "b"], false),
            (&[], false),
        ];
        for (sent, accepted) in cases {
            let mut headers = HeaderMap::new();
            for value in sent {
                headers.append(X_REQUEST_ID, value.parse().unwrap());
            }
            let id = RequestId::of(&headers);
            assert_eq!(
                sent.first() == Some(&id.text.as_str()),
                accepted,
                "{sent:?}"
            );
            assert_eq!(id.header, id.text);
            assert!(is_request_id(&id.text));
        }
    }

    #[test]
    fn generated_request_ids_differ() {
        assert_ne!(new_request_id(), new_request_id());
    }
}
