//! One HTTP request as handlers see it: a checked head, and a body that is read on demand.

use std::net::IpAddr;
use std::sync::Arc;

use futures_util::Stream;
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::upgrade::OnUpgrade;

use super::access_log::RequestTrace;
use super::body::{self, BodyLimits, RequestBody};
use super::connection::Connection;
use super::head::single_header;
use super::json::{self, Json};
use super::websocket::{self, Handshake};
use super::{Bytes, Method, percent};
use crate::error::Error;

/// One request with its checked head and its unread body.
pub struct Exchange {
    pub method: Method,
    /// The path exactly as sent, not normalised, without the query.
    pub path: String,
    pub query: Option<String>,
    pub headers: HeaderMap,
    pub trace: Arc<RequestTrace>,
    pub peer: IpAddr,
    pub connection: Connection,
    body: RequestBody,
    upgrade: Option<OnUpgrade>,
}

impl Exchange {
    pub(super) fn new(
        request: Request<Incoming>,
        connection: Connection,
        trace: Arc<RequestTrace>,
        limits: BodyLimits,
    ) -> Self {
        let (mut head, incoming) = request.into_parts();
        Self {
            path: head.uri.path().to_owned(),
            query: head.uri.query().map(str::to_owned),
            method: head.method,
            headers: head.headers,
            trace,
            peer: connection.address(),
            body: RequestBody::new(incoming, limits, connection.clone()),
            connection,
            upgrade: head.extensions.remove(),
        }
    }

    /// The token of the one `Authorization: Bearer` header. `None` when there is no such header,
    /// another scheme, several headers, or bytes outside visible ASCII.
    pub fn bearer(&self) -> Option<&str> {
        let mut values = self.headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let (scheme, token) = std::str::from_utf8(value.as_bytes())
            .ok()?
            .split_once(' ')?;
        let token = token.trim_start_matches(' ');
        // Checks every byte without an early exit, which the compiler vectorises.
        let is_graphic = token
            .bytes()
            .fold(true, |all, b| all & b.is_ascii_graphic());
        let is_visible = !token.is_empty() && is_graphic;
        (scheme.eq_ignore_ascii_case("bearer") && is_visible).then_some(token)
    }

    /// The value of a header that may occur at most once. An error when it occurs more often or has
    /// bytes outside visible ASCII.
    pub fn header(&self, name: impl AsRef<str>) -> Result<Option<&str>, Error> {
        single_header(&self.headers, name.as_ref())
    }

    /// A query parameter, percent-decoded. The first of several is used. 422 for a value that
    /// isn't percent-encoded UTF-8.
    pub fn query_param(&self, name: &str) -> Result<Option<String>, Error> {
        let Some(value) = self.query_params(name).next() else {
            return Ok(None);
        };
        let expected = "must be percent-encoded UTF-8 without the character U+0000.";
        let value = value.ok_or_else(|| Error::invalid_field(format!("/{name}"), expected));
        value.map(Some)
    }

    /// All query parameters of that name, percent-decoded; `None` for each value that isn't
    /// percent-encoded UTF-8.
    pub fn query_params(&self, name: &str) -> impl Iterator<Item = Option<String>> {
        let pairs = self.query.as_deref().unwrap_or_default().split('&');
        pairs
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .filter(move |(key, _)| percent::decode(key).is_some_and(|key| key == name))
            .map(|(_, value)| percent::decode(value).map(|value| value.into_owned()))
    }

    /// Reads the whole body; possible once. 413 above `bytes_max`, 408 when it arrives too slowly,
    /// 400 when its framing is broken.
    pub async fn read_body(&mut self, bytes_max: usize) -> Result<Bytes, Error> {
        self.body.read(bytes_max).await
    }

    /// 413 when Content-Length is larger than `bytes_max`.
    pub(super) fn check_length(&self, bytes_max: usize) -> Result<(), Error> {
        self.body.check_length(bytes_max)
    }

    /// The body as a stream of pieces, with the limits of `read_body`; possible once.
    pub(super) fn body_chunks(
        &mut self,
        bytes_max: usize,
    ) -> Result<impl Stream<Item = Result<Bytes, Error>> + Send + use<>, Error> {
        self.body.chunks(bytes_max)
    }

    /// 415 for a compressed body. The Content-Type is not checked.
    pub fn check_encoding(&self) -> Result<(), Error> {
        body::check_encoding(&self.headers)
    }

    /// 415 for a compressed body and for a Content-Type other than JSON.
    pub fn check_json(&self) -> Result<(), Error> {
        body::check_json_headers(&self.headers)
    }

    /// Reads the body as a strict JSON object; 415 for another Content-Type.
    pub async fn read_json(&mut self, bytes_max: usize) -> Result<Json, Error> {
        self.check_json()?;
        json::parse_json(&self.read_body(bytes_max).await?)
    }

    /// Checks that this is a WebSocket handshake of version 13. Sends nothing yet.
    pub fn check_websocket(&self) -> Result<(), Error> {
        websocket::check(&self.method, &self.headers).map(drop)
    }

    /// The handshake of a request that passed `check_websocket`.
    pub fn websocket(&mut self) -> Result<Handshake, Error> {
        let key = websocket::check(&self.method, &self.headers)?;
        if !self.body.is_empty() {
            return Err(Error::bad_request("A WebSocket handshake has no body."));
        }
        let upgrade = self.upgrade.take().ok_or_else(websocket::no_handshake)?;
        Ok(Handshake::new(key, upgrade))
    }
}
