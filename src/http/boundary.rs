//! The boundary between hyper and the handler. Every answer gets its request id and its access log
//! line, every error's private cause is logged here, and every panic becomes a 500. This file must
//! not decide what is answered.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use hyper::Request;
use hyper::body::Incoming;

use super::access_log::{RequestLog, RequestTrace};
use super::body::BodyLimits;
use super::connection::Connection;
use super::exchange::Exchange;
use super::head::{self, RequestId};
use super::metrics::ServerMetrics;
use super::{Handler, Response, problem};
use crate::error::{Error, ErrorKind};

pub(super) struct Boundary {
    handler: Handler,
    limits: BodyLimits,
    metrics: ServerMetrics,
}

impl Boundary {
    pub(super) fn new(handler: Handler, limits: BodyLimits, metrics: ServerMetrics) -> Self {
        Self {
            handler,
            limits,
            metrics,
        }
    }

    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: Connection,
    ) -> Response {
        let RequestId { text, header } = RequestId::of(request.headers());
        let request_log = RequestLog::begin(text, request.method().clone(), self.metrics.clone());
        let trace = &request_log.trace;
        let outcome = AssertUnwindSafe(self.handle(request, connection, trace))
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                self.metrics.count_panic();
                Err(Error::internal(format!(
                    "panic: {}",
                    panic_message(&*panic)
                )))
            });
        let mut response = outcome.unwrap_or_else(|error| {
            log_error(&error, trace);
            if error.kind == ErrorKind::RateLimited {
                self.metrics
                    .count_rate_limited(error.quota.as_ref().map_or("other", |quota| quota.name));
            }
            problem::response(&error, &trace.id)
        });
        response.headers_mut().insert(head::X_REQUEST_ID, header);
        request_log.end(response.status());
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
        ErrorKind::Internal => log::Level::Error,
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

/// The panic's message if it is a literal of the code. A formatted message may hold personal data,
/// so it is not logged. The panic hook logs the place of the panic.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> &'static str {
    let literal = panic.downcast_ref::<&'static str>().copied();
    literal.unwrap_or("its message may contain personal data and is not logged")
}
