//! The HTTP/1.1 transport: accept loop, heads, bodies, JSON, routing, problem+json, upgrades and
//! draining. It turns sockets into `Exchange`s and `Error`s into answers. It is the only user of
//! hyper, and must not know any domain, route or product word.

mod access_log;
mod body;
mod boundary;
mod connection;
mod exchange;
mod fields;
mod file;
mod head;
mod json;
mod metrics;
mod multipart;
mod percent;
mod problem;
mod response;
mod router;
mod server;
mod slots;
mod websocket;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{Either, Full};

pub use hyper::body::Bytes;
pub use hyper::{HeaderMap, Method, StatusCode, header};

pub use access_log::RequestTrace;
pub use connection::{Connection, DeliveryOutcome, Peer};
pub use exchange::Exchange;
pub use fields::Fields;
pub use file::file;
pub use json::{Json, parse_json};
pub use metrics::{RouteLabels, ServerMetrics};
pub use multipart::{Form, FormLimits};
pub use percent::decode_form;
pub use problem::{ProblemDetails, method_not_allowed};
pub use response::{
    empty, html, json, json_bytes, json_with, stream, text, with_header, with_quota,
};
pub use router::{Match, Params, Router};
pub use server::{DrainEnd, ServerSettings, serve};
pub use slots::AddressGroup;
pub use websocket::{Handshake, Socket};

use crate::error::Error;

/// A complete answer needs no box, only a stream does. If a stream fails, the connection is closed,
/// so that no incomplete answer looks complete.
pub type Body = Either<Full<Bytes>, UnsyncBoxBody<Bytes, std::io::Error>>;
pub type Response = hyper::Response<Body>;
pub type Handler =
    Arc<dyn Fn(Exchange) -> BoxFuture<'static, Result<Response, Error>> + Send + Sync>;
