//! The one line of the log that every request gets, and its place among the numbers: what is
//! known of it gathers here until its answer is ready. The line names the row of the table
//! and not the path, which may hold anything; it must not hold more than its fields.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use log::kv::Value;
use tokio::time::Instant;

use super::numbers::{RouteLabels, ServerMetrics};
use super::{Method, StatusCode};

/// What becomes known of a request on its way.
#[derive(Debug)]
pub struct RequestTrace {
    pub id: String,
    row: OnceLock<RouteLabels>,
    who: OnceLock<Cow<'static, str>>,
    from: OnceLock<IpAddr>,
}

impl RequestTrace {
    pub(super) fn new(id: String) -> Self {
        Self {
            id,
            row: OnceLock::new(),
            who: OnceLock::new(),
            from: OnceLock::new(),
        }
    }

    /// It leads to this row of the table.
    pub fn set_row(&self, row: RouteLabels) {
        let _ = self.row.set(row); // only once
    }

    /// Who calls, in a word that may stand in a log.
    pub fn set_who(&self, who: impl Into<Cow<'static, str>>) {
        let _ = self.who.set(who.into()); // only once
    }

    /// From where, where the line is to tell.
    pub fn set_from(&self, address: IpAddr) {
        let _ = self.from.set(address); // only once
    }

    fn row(&self) -> RouteLabels {
        self.row.get().copied().unwrap_or(RouteLabels::UNMATCHED)
    }

    pub(super) fn route(&self) -> &'static str {
        self.row().route
    }
}

/// A request that is being worked on. Dropped before its end, its client was gone.
pub(super) struct RequestLog {
    pub(super) trace: Arc<RequestTrace>,
    method: Method,
    began: Instant,
    gauge: ServerMetrics,
    ended: bool,
}

impl RequestLog {
    pub(super) fn begin(id: String, method: Method, gauge: ServerMetrics) -> Self {
        gauge.request_began();
        Self {
            trace: Arc::new(RequestTrace::new(id)),
            method,
            began: Instant::now(),
            gauge,
            ended: false,
        }
    }

    pub(super) fn end(mut self, status: StatusCode) {
        self.ended = true;
        self.note(status);
    }

    fn note(&self, status: StatusCode) {
        let took = self.began.elapsed();
        let trace = &*self.trace;
        self.gauge.request_ended(trace.row(), status, took);
        if !log::log_enabled!(log::Level::Info) {
            return;
        }
        let who = trace.who.get().map_or("-", |who| who);
        let from = trace.from.get().map(IpAddr::to_string);
        let fields = [
            ("method", Value::from(shown(&self.method))),
            ("route", Value::from(trace.route())),
            ("status", Value::from(status.as_u16())),
            // Tenths are enough, and keep the line short.
            (
                "ms",
                Value::from((took.as_secs_f64() * 10_000.0).round() / 10.0),
            ),
            ("who", Value::from(who)),
            ("request_id", Value::from(trace.id.as_str())),
            ("from", Value::from(from.as_deref().unwrap_or_default())),
        ];
        let told = fields.len() - usize::from(from.is_none());
        log::logger().log(
            &log::Record::builder()
                .level(log::Level::Info)
                .target(module_path!())
                .module_path_static(Some(module_path!()))
                .args(format_args!("request"))
                .key_values(&&fields[..told])
                .build(),
        );
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        if !self.ended {
            self.note(gone());
        }
    }
}

/// Of a request whose client was gone before it was answered, as proxies call it.
fn gone() -> StatusCode {
    StatusCode::from_u16(499).unwrap_or_default()
}

/// A method that nobody knows is the client's own word.
fn shown(method: &Method) -> &str {
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
