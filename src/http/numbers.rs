//! What a server counts of itself: connections, and how many requests of which row of the
//! table ended with which status, and how long they took. Labels are patterns and methods of
//! the table, never what a client sent, so that there are as many series as there are rows.
//! It must not know the rows.

use std::sync::Arc;
use std::time::Duration;

use super::{Method, StatusCode};
use crate::metrics::{self, HistogramVec, IntCounter, IntCounterVec, IntGauge, MetricsRegistry};

/// A row of the table, as it is counted.
#[derive(Debug, Clone, Copy)]
pub struct RouteLabels {
    method: &'static str,
    pub(super) route: &'static str,
}

impl RouteLabels {
    /// What led to no row.
    pub(super) const UNMATCHED: Self = Self {
        method: "any",
        route: "unmatched",
    };

    pub fn row(method: &Method, route: &'static str) -> Self {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::PUT => "PUT",
            Method::PATCH => "PATCH",
            Method::DELETE => "DELETE",
            _ => "other",
        };
        Self { method, route }
    }
}

/// Numbers of a running server.
#[derive(Debug, Clone)]
pub struct ServerMetrics(Arc<Numbers>);

#[derive(Debug)]
struct Numbers {
    connections: IntGauge,
    turned_away: IntCounter,
    in_progress: IntGauge,
    ended: IntCounterVec,
    took: HistogramVec,
    panics: IntCounter,
    limited: IntCounterVec,
}

impl Default for ServerMetrics {
    fn default() -> Self {
        Self::new(metrics::refusals())
    }
}

impl ServerMetrics {
    /// `limited`: where refusals by a limit are counted.
    pub fn new(limited: IntCounterVec) -> Self {
        Self(Arc::new(Numbers {
            connections: metrics::gauge(
                "chatkeep_http_connections",
                "Open connections, relays' sockets too.",
            ),
            turned_away: metrics::counter(
                "chatkeep_http_connections_refused_total",
                "Connections beyond server.max_connections or max_connections_per_address.",
            ),
            in_progress: metrics::gauge(
                "chatkeep_http_requests_in_progress",
                "Requests that are being worked on.",
            ),
            ended: metrics::counters(
                "chatkeep_http_requests_total",
                "Requests that ended, by row of the table and status; 499: the client was gone before.",
                &["method", "route", "status"],
            ),
            took: metrics::durations_by(
                "chatkeep_http_request_duration_seconds",
                "From the head of a request to its answer.",
                &["method", "route"],
            ),
            panics: metrics::counter(
                "chatkeep_panics_total",
                "Requests that panicked; each was answered 500.",
            ),
            limited,
        }))
    }

    /// Open connections, upgraded ones too.
    pub fn connections(&self) -> usize {
        usize::try_from(self.0.connections.get()).unwrap_or_default()
    }

    /// Handlers that panicked since the start.
    pub fn panics(&self) -> u64 {
        self.0.panics.get()
    }

    pub fn show(&self, page: &MetricsRegistry) -> metrics::MetricsResult {
        let numbers = &self.0;
        page.add(&numbers.connections)?;
        page.add(&numbers.turned_away)?;
        page.add(&numbers.in_progress)?;
        page.add(&numbers.ended)?;
        page.add(&numbers.took)?;
        page.add(&numbers.panics)?;
        page.add(&numbers.limited)
    }

    pub(super) fn connection_began(&self) {
        self.0.connections.inc();
    }

    pub(super) fn connection_ended(&self) {
        self.0.connections.dec();
    }

    pub(super) fn turned_away(&self) {
        self.0.turned_away.inc();
    }

    pub(super) fn request_began(&self) {
        self.0.in_progress.inc();
    }

    pub(super) fn request_ended(&self, row: RouteLabels, status: StatusCode, took: Duration) {
        let RouteLabels { method, route } = row;
        let ended = [method, route, status.as_str()];
        self.0.ended.with_label_values(&ended).inc();
        let took_of = self.0.took.with_label_values(&[method, route]);
        took_of.observe(took.as_secs_f64());
        self.0.in_progress.dec();
    }

    pub(super) fn limited(&self, limit: &'static str) {
        self.0.limited.with_label_values(&[limit]).inc();
    }

    pub(super) fn panicked(&self) {
        self.0.panics.inc();
    }
}
