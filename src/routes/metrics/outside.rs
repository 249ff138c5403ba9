//! Everybody that the service asks: the model, those who take payments, keep flags, memories
//! and identities, send mails; and what is kept of their answers.

use super::rows::age_s;
use crate::app::App;
use crate::engine::Model;
use crate::metrics::page::Page;
use crate::metrics::{Calls, Looks};

pub(super) fn write(page: &mut Page, app: &App) {
    providers(page, app);
    flags(page, app);
    caches(page, app);
    let replies = &app.ingest.replies;
    page.gauge(
        "chatkeep_replies_pending",
        "Messages that a model is still to answer.",
        replies.pending() as f64,
    );
    page.counter(
        "chatkeep_replies_late_total",
        "Replies that were not ready in time, and follow as commands.",
        replies.late(),
    );
    if let Some(asked) = replies.model() {
        model(page, asked);
    }
}

fn providers(page: &mut Page, app: &App) {
    let providers: [(&str, Option<&Calls>); 5] = [
        ("flags", Some(&app.flags.calls)),
        ("identity", app.jwks.as_ref().map(|jwks| &jwks.calls)),
        ("mail", app.post.as_ref().map(|post| &post.calls)),
        ("memory", app.memories.service_calls()),
        ("payment", app.billing.provider_calls()),
    ];
    let used = || {
        providers
            .iter()
            .filter_map(|(name, calls)| Some(([("provider", *name)], (*calls)?)))
    };
    page.counters(
        "chatkeep_provider_calls_total",
        "Calls to those outside, repeated ones too.",
        used().map(|(labels, calls)| (labels, calls.made.get())),
    );
    page.counters(
        "chatkeep_provider_failures_total",
        "Calls that came to nothing.",
        used().map(|(labels, calls)| (labels, calls.failed.get())),
    );
}

fn flags(page: &mut Page, app: &App) {
    let status = app.flags.status();
    if !status.configured {
        return;
    }
    if let Some(age_s) = age_s(status.heard_at, app.clock.now()) {
        page.gauge(
            "chatkeep_flags_age_seconds",
            "How long ago the provider of flags last answered.",
            age_s,
        );
    }
    page.gauge(
        "chatkeep_flags_breaker_open",
        "1 while defaults hold because the provider failed.",
        f64::from(u8::from(status.circuit_breaker_open)),
    );
}

fn caches(page: &mut Page, app: &App) {
    let caches: [(&str, (&Looks, usize)); 3] = [
        ("memories", app.memories.cached()),
        ("replies", app.ingest.replies.cached()),
        ("tokens", app.identity.cached()),
    ];
    let all = || {
        caches
            .iter()
            .map(|(name, cached)| ([("cache", *name)], cached))
    };
    page.counters(
        "chatkeep_cache_hits_total",
        "Looks that found something.",
        all().map(|(labels, (looks, _))| (labels, looks.hits.get())),
    );
    page.counters(
        "chatkeep_cache_misses_total",
        "Looks that found nothing, or nothing fresh.",
        all().map(|(labels, (looks, _))| (labels, looks.misses.get())),
    );
    page.gauges(
        "chatkeep_cache_entries",
        "What is kept.",
        all().map(|(labels, (_, entries))| (labels, *entries as f64)),
    );
}

fn model(page: &mut Page, model: &Model) {
    let numbers = model.numbers();
    page.counter(
        "chatkeep_model_calls_total",
        "Requests to the model's server, repeated ones too.",
        numbers.calls.get(),
    );
    page.counters(
        "chatkeep_model_failures_total",
        "Replies that could not be had, by what went wrong.",
        numbers
            .failures
            .all()
            .map(|(failure, count)| ([("failure", failure)], count)),
    );
    page.histograms(
        "chatkeep_model_duration_seconds",
        "What asking took, repeated calls included.",
        [([], &numbers.took)],
    );
    page.counters(
        "chatkeep_model_tokens_total",
        "Tokens as the server counts them.",
        [
            ([("kind", "prompt")], numbers.prompt_tokens.get()),
            ([("kind", "completion")], numbers.completion_tokens.get()),
        ],
    );
    page.gauge(
        "chatkeep_model_calls_in_progress",
        "Calls under way.",
        model.busy() as f64,
    );
    page.gauge(
        "chatkeep_model_calls_waiting",
        "Replies that wait for a place among them.",
        numbers.waiting() as f64,
    );
}
