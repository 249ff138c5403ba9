//! Metrics of external services (model, payments, flags, memories, identities, mail) and of the
//! caches of their answers.

use super::rows::age_s;
use crate::app::App;
use crate::metrics::{self, CallMetrics, MetricsRegistry};

pub(super) fn write(page: &MetricsRegistry, app: &App) -> metrics::MetricsResult {
    let providers: [Option<&CallMetrics>; 5] = [
        Some(&app.flags.calls),
        app.jwks.as_ref().map(|jwks| &jwks.calls),
        app.deletion_mailer.as_ref().map(|mailer| &mailer.calls),
        app.memories.service_calls(),
        app.billing.provider_calls(),
    ];
    for calls in providers.into_iter().flatten() {
        page.add_calls(calls)?;
    }
    flags(page, app)?;
    let replies = &app.ingest.replies;
    for cache in [
        app.memories.cache_metrics(),
        replies.cached(),
        app.identity.token_cache_metrics(),
    ] {
        page.add_cache(cache)?;
    }
    page.gauge(
        "chatkeep_replies_pending",
        "Messages waiting for a model's answer.",
        replies.pending() as f64,
    )?;
    page.add(replies.late())?;
    match replies.model() {
        Some(model) => model.show(page),
        None => Ok(()),
    }
}

fn flags(page: &MetricsRegistry, app: &App) -> metrics::MetricsResult {
    let status = app.flags.status();
    if !status.configured {
        return Ok(());
    }
    if let Some(age_s) = age_s(status.answered_at, app.clock.now()) {
        page.gauge(
            "chatkeep_flags_age_seconds",
            "Seconds since the flag provider last answered.",
            age_s,
        )?;
    }
    page.gauge(
        "chatkeep_flags_breaker_open",
        "1 while defaults are used because the provider failed.",
        f64::from(u8::from(status.circuit_breaker_open)),
    )
}
