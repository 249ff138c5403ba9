//! The access log: one line per request, written when the request ends, and the metrics of that
//! request. `RequestTrace` collects the line's fields while the request is handled. The line names
//! the route's pattern, never the path, because a path may hold personal data.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use log::kv::Value;
use tokio::time::Instant;

use super::metrics::{RouteLabels, ServerMetrics};
use super::{Method, StatusCode};

/// The target of the lines, by which operators filter them.
const LOG_TARGET: &str = "chatkeep::http::access";

/// Facts about one request, set while it is handled and logged at its end. Each is set at most
/// once.
#[derive(Debug)]
pub struct RequestTrace {
    pub id: String,
    route_labels: OnceLock<RouteLabels>,
    caller: OnceLock<Cow<'static, str>>,
    from: OnceLock<IpAddr>,
}

impl RequestTrace {
    pub(super) fn new(id: String) -> Self {
        Self {
            id,
            route_labels: OnceLock::new(),
            caller: OnceLock::new(),
            from: OnceLock::new(),
        }
    }

    /// Sets the route that the request matched.
    pub fn set_route(&self, route_labels: RouteLabels) {
        let _ = self.route_labels.set(route_labels); // a later call changes nothing
    }

    /// Sets the caller, as a word that is safe to log.
    pub fn set_caller(&self, caller: impl Into<Cow<'static, str>>) {
        let _ = self.caller.set(caller.into()); // a later call changes nothing
    }

    /// Sets the client's address. Without it the log line has no `from`.
    pub fn set_from(&self, address: IpAddr) {
        let _ = self.from.set(address); // a later call changes nothing
    }

    fn route_labels(&self) -> RouteLabels {
        self.route_labels
            .get()
            .copied()
            .unwrap_or(RouteLabels::UNMATCHED)
    }

    pub(super) fn route(&self) -> &'static str {
        self.route_labels().route
    }
}

/// A request that is being handled. If it is dropped before `end`, the client has disconnected and
/// the request is logged with status 499.
pub(super) struct RequestLog {
    pub(super) trace: Arc<RequestTrace>,
    method: Method,
    started_at: Instant,
    metrics: ServerMetrics,
    ended: bool,
}

impl RequestLog {
    pub(super) fn begin(id: String, method: Method, metrics: ServerMetrics) -> Self {
        metrics.request_started();
        Self {
            trace: Arc::new(RequestTrace::new(id)),
            method,
            started_at: Instant::now(),
            metrics,
            ended: false,
        }
    }

    pub(super) fn end(mut self, status: StatusCode) {
        self.ended = true;
        self.record(status);
    }

    fn record(&self, status: StatusCode) {
        let duration = self.started_at.elapsed();
        let trace = &*self.trace;
        self.metrics
            .request_ended(trace.route_labels(), status, duration);
        if !log::log_enabled!(log::Level::Info) {
            return;
        }
        let caller = trace.caller.get().map_or("-", |caller| caller);
        let from = trace.from.get().map(IpAddr::to_string);
        let fields = [
            ("method", Value::from(method_label(&self.method))),
            ("route", Value::from(trace.route())),
            ("status", Value::from(status.as_u16())),
            // A tenth of a millisecond is precise enough and keeps the line short.
            (
                "ms",
                Value::from((duration.as_secs_f64() * 10_000.0).round() / 10.0),
            ),
            ("who", Value::from(caller)),
            ("request_id", Value::from(trace.id.as_str())),
            ("from", Value::from(from.as_deref().unwrap_or_default())),
        ];
        let field_count = fields.len() - usize::from(from.is_none());
        log::logger().log(
            &log::Record::builder()
                .level(log::Level::Info)
                .target(LOG_TARGET)
                .module_path_static(Some(LOG_TARGET))
                .args(format_args!("request"))
                .key_values(&&fields[..field_count])
                .build(),
        );
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        if !self.ended {
            self.record(client_closed_request());
        }
    }
}

/// The status of a request whose client disconnected before the answer. Proxies use the same
/// number.
fn client_closed_request() -> StatusCode {
    StatusCode::from_u16(499).unwrap_or_default()
}

/// The method as logged. An unknown method is text of the client, so it is logged as "other".
fn method_label(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS
        | Method::TRACE
        | Method::CONNECT => method.as_str(),
        _ => "other",
    }
}
