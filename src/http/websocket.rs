//! The WebSocket handshake (RFC 6455 section 4.2) and the socket it produces.

use std::future::Future;

use hyper::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::head::single_header;
use super::{Method, Response, StatusCode, response};
use crate::error::{Error, ErrorKind};

/// A valid handshake that is not answered yet. It may still be refused with another answer.
pub struct Handshake {
    accept: String,
    upgrade: OnUpgrade,
}

impl Handshake {
    pub(super) fn new(key: String, upgrade: OnUpgrade) -> Self {
        Self {
            accept: derive_accept_key(key.as_bytes()),
            upgrade,
        }
    }

    /// The 101 answer, and a future of the socket, which resolves after the answer is written.
    /// Await it in another task: the handler has to return first.
    pub fn accept(self) -> (Response, impl Future<Output = Result<Socket, Error>> + Send) {
        let mut answer = response::empty(StatusCode::SWITCHING_PROTOCOLS);
        let headers = answer.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        // Base64 is always a valid header value.
        if let Ok(accept) = HeaderValue::from_str(&self.accept) {
            headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        }
        let socket = async move {
            let upgraded = self.upgrade.await;
            upgraded.map(TokioIo::new).map_err(|cause| {
                Error::bad_request("The handshake was interrupted.").because(cause)
            })
        };
        (answer, socket)
    }
}

/// An upgraded connection. It keeps its slot of `max_connections` until dropped.
pub type Socket = TokioIo<Upgraded>;

/// The key of a handshake. 400 when the request is no handshake, 426 for another protocol version.
pub(super) fn check(method: &Method, headers: &HeaderMap) -> Result<String, Error> {
    let is_upgrade = method == Method::GET
        && has_value(headers, CONNECTION, "upgrade")
        && has_value(headers, UPGRADE, "websocket");
    let key = single_header(headers, SEC_WEBSOCKET_KEY.as_str())?.unwrap_or_default();
    let version = single_header(headers, SEC_WEBSOCKET_VERSION.as_str())?;
    match version {
        Some("13") if is_upgrade && is_key(key) => Ok(key.to_owned()),
        Some(version) if is_upgrade && version != "13" => Err(Error::new(
            ErrorKind::UpgradeRequired,
            "upgrade_required",
            "Only version 13 of the WebSocket protocol is supported.",
        )),
        _ => Err(no_handshake()),
    }
}

pub(super) fn no_handshake() -> Error {
    Error::bad_request("This path accepts WebSocket handshakes only.")
}

fn has_value(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let lines = headers.get_all(name);
    let lines = lines.iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(','))
        .any(|entry| entry.trim().eq_ignore_ascii_case(word))
}

/// 16 bytes in base64.
fn is_key(key: &str) -> bool {
    use base64::Engine;
    let decoded = base64::engine::general_purpose::STANDARD.decode(key);
    decoded.is_ok_and(|bytes| bytes.len() == 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: [(&str, &str); 4] = [
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "WebSocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];

    fn outcome(change: &str, value: Option<&str>) -> Result<String, ErrorKind> {
        let mut headers = HeaderMap::new();
        for (name, valid) in VALID {
            let value = if name == change { value } else { Some(valid) };
            if let Some(value) = value {
                headers.insert(HeaderName::from_static(name), value.parse().unwrap());
            }
        }
        check(&Method::GET, &headers).map_err(|error| error.kind)
    }

    #[test]
    fn only_complete_handshakes_of_version_13_pass() {
        assert_eq!(outcome("", None).as_deref(), Ok("dGhlIHNhbXBsZSBub25jZQ=="));
        let cases = [
            ("connection", None, ErrorKind::BadRequest),
            ("connection", Some("close"), ErrorKind::BadRequest),
            ("upgrade", None, ErrorKind::BadRequest),
            ("upgrade", Some("h2c"), ErrorKind::BadRequest),
            ("sec-websocket-version", None, ErrorKind::BadRequest),
            (
                "sec-websocket-version",
                Some("8"),
                ErrorKind::UpgradeRequired,
            ),
            ("sec-websocket-key", None, ErrorKind::BadRequest),
            ("sec-websocket-key", Some("c2hvcnQ="), ErrorKind::BadRequest),
        ];
        for (name, value, kind) in cases {
            assert_eq!(outcome(name, value), Err(kind), "{name}: {value:?}");
        }
        let post = check(&Method::POST, &HeaderMap::new());
        assert_eq!(post.map_err(|error| error.kind), Err(ErrorKind::BadRequest));
    }
}
