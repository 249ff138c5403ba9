//! The language model's metrics: calls, failures, time and tokens.

use super::ModelOutcome;
use crate::metrics::{self, Histogram, IntCounter, IntCounterVec, IntGauge, MetricsRegistry};

#[derive(Debug)]
pub(super) struct ModelMetrics {
    calls: IntCounter,
    failures: IntCounterVec,
    call_durations: Histogram,
    tokens: IntCounterVec,
    waiting: IntGauge,
}

impl Default for ModelMetrics {
    fn default() -> Self {
        let metrics = Self {
            calls: metrics::counter(
                "chatkeep_model_calls_total",
                "Requests to the model's server, repeated ones too.",
            ),
            failures: metrics::counters(
                "chatkeep_model_failures_total",
                "Replies that could not be had, by what went wrong.",
                &["failure"],
            ),
            call_durations: metrics::durations(
                "chatkeep_model_duration_seconds",
                "What asking took, repeated calls included.",
            ),
            tokens: metrics::counters(
                "chatkeep_model_tokens_total",
                "Tokens as the server counts them.",
                &["kind"],
            ),
            waiting: metrics::gauge(
                "chatkeep_model_calls_waiting",
                "Replies that wait for a place among them.",
            ),
        };
        // Both labels exist from the start, so that the first tokens show as an increase.
        metrics.tokens("prompt");
        metrics.tokens("completion");
        metrics
    }
}

/// Counts as a waiting request while it lives.
pub(super) struct WaitingGuard<'a>(&'a IntGauge);

impl Drop for WaitingGuard<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl ModelMetrics {
    pub(super) fn waits(&self) -> WaitingGuard<'_> {
        self.waiting.inc();
        WaitingGuard(&self.waiting)
    }

    fn tokens(&self, kind: &str) -> IntCounter {
        self.tokens.with_label_values(&[kind])
    }

    pub(super) fn show(&self, page: &MetricsRegistry) -> metrics::MetricsResult {
        page.add(&self.calls)?;
        page.add(&self.failures)?;
        page.add(&self.call_durations)?;
        page.add(&self.tokens)?;
        page.add(&self.waiting)
    }

    pub(super) fn count(&self, outcome: &ModelOutcome) {
        self.calls.inc_by(u64::from(outcome.calls));
        self.call_durations.observe(outcome.took_ms as f64 / 1000.0);
        self.tokens("prompt").inc_by(outcome.usage.prompt_tokens);
        self.tokens("completion")
            .inc_by(outcome.usage.completion_tokens);
        if let Err(failure) = &outcome.reply {
            self.failures.with_label_values(&[failure.code()]).inc();
        }
    }
}
