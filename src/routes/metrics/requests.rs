//! Requests, connections and limits.

use crate::http::Gauge;
use crate::metrics::Counters;
use crate::metrics::page::Page;

/// `in_words`: limits whose refusals were answered 200.
pub(super) fn write(page: &mut Page, gauge: &Gauge, in_words: &Counters) {
    let traffic = gauge.traffic();
    let ended = traffic.iter().flat_map(|row| {
        let by_status = row.by_status();
        by_status.map(move |(status, count)| (row, status.to_string(), count))
    });
    let ended: Vec<_> = ended.collect();
    let ended = ended.iter().map(|(row, status, count)| {
        let labels = [
            ("method", row.method),
            ("route", row.route),
            ("status", status.as_str()),
        ];
        (labels, *count)
    });
    page.counters(
        "chatkeep_http_requests_total",
        "Requests that ended, by row of the table and status; 499: the client was gone before.",
        ended,
    );
    let used = traffic
        .iter()
        .filter(|row| row.by_status().next().is_some());
    page.histograms(
        "chatkeep_http_request_duration_seconds",
        "From the head of a request to its answer.",
        used.map(|row| ([("method", row.method), ("route", row.route)], &row.took)),
    );
    page.gauge(
        "chatkeep_http_requests_in_progress",
        "Requests that are being worked on.",
        gauge.requests() as f64,
    );
    page.gauge(
        "chatkeep_http_connections",
        "Open connections, relays' sockets too.",
        gauge.connections() as f64,
    );
    page.counter(
        "chatkeep_http_connections_refused_total",
        "Connections beyond server.max_connections.",
        gauge.turned_away(),
    );
    page.counter(
        "chatkeep_panics_total",
        "Requests that panicked; each was answered 500.",
        gauge.panics(),
    );
    page.counters(
        "chatkeep_rate_limited_total",
        "What a limit refused: with 429, commands and turns in words.",
        gauge
            .limited()
            .chain(in_words.all())
            .map(|(limit, count)| ([("limit", limit)], count)),
    );
}
