//! The HTTP server's metrics: connections, and requests by route and status with their durations.
//! Labels come from the route table, never from the client, so the number of series is bounded.

use std::sync::Arc;
use std::time::Duration;

use super::{Method, StatusCode};
use crate::metrics::{self, HistogramVec, IntCounter, IntCounterVec, IntGauge, MetricsRegistry};

/// The metric labels of one route.
#[derive(Debug, Clone, Copy)]
pub struct RouteLabels {
    method: &'static str,
    pub(super) route: &'static str,
}

impl RouteLabels {
    /// A request that matched no route.
    pub(super) const UNMATCHED: Self = Self {
        method: "any",
        route: "unmatched",
    };

    pub fn of(method: &Method, route: &'static str) -> Self {
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

/// The metrics of a running server; clones share the same numbers.
#[derive(Debug, Clone)]
pub struct ServerMetrics(Arc<Families>);

#[derive(Debug)]
struct Families {
    connections: IntGauge,
    refused_connections: IntCounter,
    in_progress: IntGauge,
    requests: IntCounterVec,
    durations: HistogramVec,
    panics: IntCounter,
    limited: IntCounterVec,
}

impl Default for ServerMetrics {
    fn default() -> Self {
        Self::new(metrics::refusals())
    }
}

impl ServerMetrics {
    /// `limited` counts refusals by a rate limit.
    pub fn new(limited: IntCounterVec) -> Self {
        Self(Arc::new(Families {
            connections: metrics::gauge(
                "chatkeep_http_connections",
                "Open connections, including relay sockets.",
            ),
            refused_connections: metrics::counter(
                "chatkeep_http_connections_refused_total",
                "Connections beyond server.max_connections or max_connections_per_address.",
            ),
            in_progress: metrics::gauge(
                "chatkeep_http_requests_in_progress", "Requests being handled.",
            ),
            requests: metrics::counters(
                "chatkeep_http_requests_total",
                "Answered requests, by route and status; 499: the client disconnected first.",
                &["method", "route", "status"],
            ),
            durations: metrics::durations_by(
                "chatkeep_http_request_duration_seconds",
                "Time from a request's head to its answer.",
                &["method", "route"],
            ),
            panics: metrics::counter(
                "chatkeep_panics_total",
                "Requests that panicked; each was answered 500.",
            ),
            limited,
        }))
    }

    /// Open connections, including upgraded ones.
    pub fn connections(&self) -> usize {
        usize::try_from(self.0.connections.get()).unwrap_or_default()
    }

    /// Requests that panicked since the start.
    pub fn panics(&self) -> u64 {
        self.0.panics.get()
    }

    pub fn register(&self, registry: &MetricsRegistry) -> metrics::MetricsResult {
        let families = &self.0;
        registry.add(&families.connections)?;
        registry.add(&families.refused_connections)?;
        registry.add(&families.in_progress)?;
        registry.add(&families.requests)?;
        registry.add(&families.durations)?;
        registry.add(&families.panics)?;
        registry.add(&families.limited)
    }

    pub(super) fn connection_opened(&self) {
        self.0.connections.inc();
    }

    pub(super) fn connection_closed(&self) {
        self.0.connections.dec();
    }

    pub(super) fn count_refused_connection(&self) {
        self.0.refused_connections.inc();
    }

    pub(super) fn request_started(&self) {
        self.0.in_progress.inc();
    }

    pub(super) fn request_ended(
        &self,
        labels: RouteLabels,
        status: StatusCode,
        duration: Duration,
    ) {
        let RouteLabels { method, route } = labels;
        let requests = [method, route, status.as_str()];
        self.0.requests.with_label_values(&requests).inc();
        let histogram = self.0.durations.with_label_values(&[method, route]);
        histogram.observe(duration.as_secs_f64());
        self.0.in_progress.dec();
    }

    pub(super) fn count_rate_limited(&self, limit: &'static str) {
        self.0.limited.with_label_values(&[limit]).inc();
    }

    pub(super) fn count_panic(&self) {
        self.0.panics.inc();
    }
}
