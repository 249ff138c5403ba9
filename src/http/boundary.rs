//! One request from hyper to the handler and back: every answer gets its request id and its
//! line in the log, every error its cause there, every panic a 500. It must not decide what is answered.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use hyper::Request;
use hyper::body::Incoming;

use super::access::{RequestLog, RequestTrace};
use super::body::BodyLimits;
use super::connection::Connection;
use super::exchange::Exchange;
use super::head::{self, RequestId};
use super::numbers::ServerMetrics;
use super::{Handler, Response, problem};
use crate::error::{Error, Kind};

pub(super) struct Boundary {
    handler: Handler,
    limits: BodyLimits,
    gauge: ServerMetrics,
}

impl Boundary {
    pub(super) fn new(handler: Handler, limits: BodyLimits, gauge: ServerMetrics) -> Self {
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
        let RequestId { text, header } = RequestId::of(request.headers());
        let working = RequestLog::begin(text, request.method().clone(), self.gauge.clone());
        let trace = &working.trace;
        let outcome = AssertUnwindSafe(self.handle(request, connection, trace))
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                self.gauge.panicked();
                Err(Error::internal(format!(
                    "panic: {}",
                    panic_message(&*panic)
                )))
            });
        let mut response = outcome.unwrap_or_else(|error| {
            log_error(&error, trace);
            if error.kind == Kind::RateLimited {
                self.gauge
                    .limited(error.quota.as_ref().map_or("other", |quota| quota.name));
            }
            problem::response(&error, &trace.id)
        });
        response.headers_mut().insert(head::X_REQUEST_ID, header);
        working.end(response.status());
        response
    }

    async fn handle(
        &self,
        request: Request<Incoming>,
        connection: Connection,
        trace: &Arc<RequestTrace>,
    ) -> Result<Response, Error> {
        head::check(&request)?;
        let exchange = Exchange::new(request, connection, trace.clone(), self.limits);
        (self.handler)(exchange).await
    }
}

fn log_error(error: &Error, trace: &RequestTrace) {
    let Some(cause) = &error.cause else { return };
    let level = match error.kind {
        Kind::Internal => log::Level::Error,
        _ => log::Level::Debug,
    };
    log::log!(
        level,
        "{} {}: {}: {}",
        trace.id,
        trace.route(),
        error.code,
        cause.escape_debug()
    );
}

/// What was put together from values may hold somebody's words: only what stands in the code
/// is told. Where it happened stands in the log beside it.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> &'static str {
    let literal = panic.downcast_ref::<&'static str>().copied();
    literal.unwrap_or("its message holds values and is left out")
}
