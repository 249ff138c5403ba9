//! Request bodies: reading a body within a size and a time limit.

use std::time::Duration;

use futures_util::{Stream, stream};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use tokio::time::{Instant, timeout_at};

use super::Bytes;
use super::connection::Connection;
use super::head::single_header;
use crate::error::{Error, ErrorKind};

/// Time limits for a body: between two pieces, and in total.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimits {
    pub(super) idle: Duration,
    pub(super) total: Duration,
}

pub(super) struct RequestBody {
    incoming: Option<Incoming>,
    limits: BodyLimits,
    connection: Connection,
}

impl RequestBody {
    pub(super) fn new(incoming: Incoming, limits: BodyLimits, connection: Connection) -> Self {
        Self {
            incoming: Some(incoming),
            limits,
            connection,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.incoming.as_ref().is_none_or(Body::is_end_stream)
    }

    /// 413 when Content-Length is larger than `bytes_max`.
    pub(super) fn check_length(&self, bytes_max: usize) -> Result<(), Error> {
        let declared = self.incoming.as_ref().and_then(|i| i.size_hint().exact());
        if declared.is_some_and(|bytes| bytes > bytes_max as u64) {
            return Err(too_large(bytes_max));
        }
        Ok(())
    }

    /// The body as a stream of pieces, within the limits. The stream ends after its first error.
    pub(super) fn chunks(
        &mut self,
        bytes_max: usize,
    ) -> Result<impl Stream<Item = Result<Bytes, Error>> + Send + use<>, Error> {
        self.check_length(bytes_max)?;
        let incoming = self.incoming.take().ok_or_else(already_read)?;
        let reading = BodyReader {
            // If the reader stops early, the rest of the body stays unread on the connection.
            body: Self {
                incoming: Some(incoming),
                limits: self.limits,
                connection: self.connection.clone(),
            },
            deadline: Instant::now() + self.limits.total,
            bytes_left: bytes_max,
            bytes_max,
        };
        Ok(stream::try_unfold(reading, BodyReader::next))
    }

    pub(super) async fn read(&mut self, bytes_max: usize) -> Result<Bytes, Error> {
        self.check_length(bytes_max)?;
        let incoming = self.incoming.as_mut().ok_or_else(already_read)?;
        let body = collect(incoming, bytes_max, self.limits).await?;
        self.incoming = None;
        Ok(body)
    }
}

/// The state of a body stream.
struct BodyReader {
    body: RequestBody,
    deadline: Instant,
    bytes_left: usize,
    bytes_max: usize,
}

impl BodyReader {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, Error> {
        let incoming = self.body.incoming.as_mut().ok_or_else(already_read)?;
        let wait = self.deadline.min(Instant::now() + self.body.limits.idle);
        let Some(chunk) = next_chunk(incoming, wait).await? else {
            return Ok(None);
        };
        let remaining = self.bytes_left.checked_sub(chunk.len());
        self.bytes_left = remaining.ok_or_else(|| too_large(self.bytes_max))?;
        Ok(Some((chunk, self)))
    }
}

/// The next bytes of the body; `None` at its end.
async fn next_chunk(incoming: &mut Incoming, wait: Instant) -> Result<Option<Bytes>, Error> {
    match timeout_at(wait, incoming.frame()).await {
        Err(_) => Err(too_slow()),
        Ok(None) => Ok(None),
        Ok(Some(Err(error))) => Err(invalid_body(&error)),
        Ok(Some(Ok(frame))) => Ok(Some(frame.into_data().unwrap_or_default())),
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !self.is_empty() {
            self.connection.mark_unread();
        }
    }
}

/// 415 when Content-Type names something other than JSON. A body without Content-Type is read as
/// JSON.
pub(super) fn check_json_headers(headers: &HeaderMap) -> Result<(), Error> {
    check_encoding(headers)?;
    match single_header(headers, CONTENT_TYPE.as_str()) {
        Ok(None) => Ok(()),
        Ok(Some(value)) if is_json(value) => Ok(()),
        _ => Err(unsupported(
            "Send the body as JSON, with Content-Type: application/json.",
        )),
    }
}

/// 415 for a compressed body: the service doesn't decompress.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), Error> {
    match single_header(headers, CONTENT_ENCODING.as_str()) {
        Ok(None) => Ok(()),
        Ok(Some(value)) if value.eq_ignore_ascii_case("identity") => Ok(()),
        _ => Err(unsupported(
            "Send the body as it is, without a Content-Encoding.",
        )),
    }
}

async fn collect(
    incoming: &mut Incoming,
    bytes_max: usize,
    limits: BodyLimits,
) -> Result<Bytes, Error> {
    let deadline = Instant::now() + limits.total;
    let mut first = Bytes::new();
    let mut joined = Vec::new();
    while !incoming.is_end_stream() {
        let wait = deadline.min(Instant::now() + limits.idle);
        let Some(chunk) = next_chunk(incoming, wait).await? else {
            break;
        };
        if first.len() + joined.len() + chunk.len() > bytes_max {
            return Err(too_large(bytes_max));
        }
        // Most bodies arrive in one piece, which is returned without a copy.
        if first.is_empty() && joined.is_empty() {
            first = chunk;
        } else {
            if joined.is_empty() {
                joined.extend_from_slice(&std::mem::take(&mut first));
            }
            joined.extend_from_slice(&chunk);
        }
    }
    Ok(if joined.is_empty() {
        first
    } else {
        joined.into()
    })
}

/// `application/json` and its relatives (`application/merge-patch+json`), with any
/// parameters.
fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence
        .to_ascii_lowercase()
        .strip_prefix("application/")
        .is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

fn too_large(bytes_max: usize) -> Error {
    Error::new(
        ErrorKind::TooLarge,
        "payload_too_large",
        format!("The body is larger than {bytes_max} bytes."),
    )
}

fn already_read() -> Error {
    Error::internal("a body was read twice")
}

fn too_slow() -> Error {
    Error::new(
        ErrorKind::Timeout,
        "request_timeout",
        "The body did not arrive in time.",
    )
}

fn invalid_body(cause: &hyper::Error) -> Error {
    Error::bad_request("The body is incomplete or its framing is not valid HTTP.").because(cause)
}

fn unsupported(detail: &str) -> Error {
    Error::new(
        ErrorKind::UnsupportedMediaType,
        "unsupported_media_type",
        detail,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_is_accepted() {
        let cases = [
            (None, None, true),
            (Some("application/json"), None, true),
            (Some("Application/JSON; charset=utf-8"), None, true),
            (Some("application/merge-patch+json"), None, true),
            (Some("text/plain"), None, false),
            (Some("application/jsonx"), None, false),
            (Some(""), None, false),
            (None, Some("identity"), true),
            (None, Some("gzip"), false),
            (None, Some("br, identity"), false),
        ];
        for (content_type, encoding, expected) in cases {
            let mut headers = HeaderMap::new();
            for (name, value) in [(CONTENT_TYPE, content_type), (CONTENT_ENCODING, encoding)] {
                if let Some(value) = value {
                    headers.insert(name, value.parse().unwrap());
                }
            }
            let accepted = check_json_headers(&headers).is_ok();
            assert_eq!(accepted, expected, "{content_type:?} {encoding:?}");
        }
    }
}
