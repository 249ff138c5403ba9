//! One request from hyper to the handler and back: every answer gets its request id, every
//! error its log line, every panic a 500. It must not decide what is answered.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use hyper::Request;
use hyper::body::Incoming;

use super::body::BodyLimits;
use super::connection::Connection;
use super::exchange::Exchange;
use super::head::{self, RequestId};
use super::server::Gauge;
use super::{Handler, Method, Response, problem};
use crate::error::{Error, Kind};

pub(super) struct Boundary {
    handler: Handler,
    limits: BodyLimits,
    gauge: Gauge,
}

impl Boundary {
    pub(super) fn new(handler: Handler, limits: BodyLimits, gauge: Gauge) -> Self {
        Self {
            handler,
            limits,
            gauge,
        }
    }

    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: Connection,
    ) -> Response {
        let id = RequestId::of(request.headers());
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let outcome = AssertUnwindSafe(self.handle(request, connection, &id))
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                self.gauge.count_panic();
                Err(Error::internal(format!("panic: {}", said(&*panic))))
            });
        let mut response = outcome.unwrap_or_else(|error| {
            log_error(&error, &id, &method, uri.path());
            problem::response(&error, &id.text)
        });
        log::debug!(
            "{} {} {} {}",
            id.text,
            method,
            uri.path().escape_debug(),
            response.status().as_u16()
        );
        response.headers_mut().insert(head::X_REQUEST_ID, id.header);
        response
    }

    async fn handle(
        &self,
        request: Request<Incoming>,
        connection: Connection,
        id: &RequestId,
    ) -> Result<Response, Error> {
        head::check(&request)?;
        let exchange = Exchange::new(request, connection, id.text.clone(), self.limits);
        (self.handler)(exchange).await
    }
}

fn log_error(error: &Error, id: &RequestId, method: &Method, path: &str) {
    let Some(cause) = &error.cause else { return };
    let level = match error.kind {
        Kind::Internal => log::Level::Error,
        _ => log::Level::Debug,
    };
    log::log!(
        level,
        "{} {} {}: {}: {}",
        id.text,
        method,
        path.escape_debug(),
        error.code,
        cause.escape_debug()
    );
}

fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
