//! A client of the payment provider's API: one call with headers, timeouts, bounded retries and
//! bounded concurrency. `objects` parses the answers. This file must not know what a call is for,
//! and never puts a secret into an error.

mod failure;
mod form;
pub(super) mod objects;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

use crate::config::Secret;
use crate::metrics::CallMetrics;
use crate::outbound::{self, Method, Request, Response};
use crate::random;
pub(super) use failure::StripeFailure;
pub(super) use form::{Form, query};

const BASE: &str = "https://api.stripe.com";
const VERSION: &str = "2026-10-28.endive";
const CALL_MAX: Duration = Duration::from_secs(10);
/// A call needs at least this much time.
const CALL_MIN: Duration = Duration::from_millis(50);
const ATTEMPTS_MAX: u32 = 3;
const FIRST_PAUSE_MS: u64 = 250;
/// Longest pause when the provider sends a Retry-After.
const PAUSE_MS_MAX: u64 = 2_000;
/// Concurrent calls; each uses a thread.
const CALLS_MAX: usize = 16;
/// Lists of invoices are long.
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;

pub(super) struct Stripe {
    base: String,
    calls: Arc<Semaphore>,
    pub(super) metrics: CallMetrics,
}

/// One API call.
#[derive(Clone)]
pub(super) struct StripeCall {
    method: Method,
    /// The path with its query.
    path: String,
    form: Option<String>,
    idempotency_key: Option<String>,
}

impl StripeCall {
    pub(super) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            path: path.into(),
            form: None,
            idempotency_key: None,
        }
    }

    pub(super) fn delete(path: impl Into<String>) -> Self {
        Self {
            method: Method::Delete,
            ..Self::get(path)
        }
    }

    /// A retried operation must use the key of its first try.
    pub(super) fn post(path: impl Into<String>, form: &Form, idempotency_key: String) -> Self {
        Self {
            method: Method::Post,
            form: Some(form.encoded()),
            idempotency_key: Some(idempotency_key),
            ..Self::get(path)
        }
    }
}

impl Stripe {
    pub(super) fn new(base: Option<&str>) -> Self {
        Self {
            base: base.unwrap_or(BASE).to_owned(),
            calls: Arc::new(Semaphore::new(CALLS_MAX)),
            metrics: CallMetrics::of("payment"),
        }
    }

    /// Makes a call, with retries. Returns the answer's JSON object. Ends at `until` at the latest.
    pub(super) async fn call(
        &self,
        secret: &Secret,
        call: &StripeCall,
        until: Instant,
    ) -> Result<Value, StripeFailure> {
        let mut attempt = 1;
        loop {
            let result = self.attempt(secret, call, until).await;
            self.metrics.made.inc();
            let (failure, pause_ms) = match result {
                Ok(response) => match failure::judge(&response) {
                    Ok(value) => return Ok(value),
                    Err((failure, false)) => return Err(failure),
                    Err((failure, true)) => {
                        self.metrics.failed.inc();
                        let retry_after_ms = response.retry_after_s.map(|s| s.saturating_mul(1000));
                        (failure, retry_after_ms)
                    }
                },
                Err(failure) => {
                    self.metrics.failed.inc();
                    (failure, None)
                }
            };
            let jitter = 0.5 + random::unit() / 2.0;
            let backoff_ms = (FIRST_PAUSE_MS << (attempt - 1)) as f64 * jitter;
            let pause =
                Duration::from_millis(pause_ms.unwrap_or(backoff_ms as u64).min(PAUSE_MS_MAX));
            if attempt >= ATTEMPTS_MAX || Instant::now() + pause + CALL_MIN >= until {
                return Err(failure);
            }
            sleep(pause).await;
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        secret: &Secret,
        call: &StripeCall,
        until: Instant,
    ) -> Result<Response, StripeFailure> {
        let acquired = timeout_at(until, self.calls.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = acquired else {
            return Err(StripeFailure::Unreachable(
                "too many concurrent calls".into(),
            ));
        };
        let timeout = until.duration_since(Instant::now()).min(CALL_MAX);
        if timeout < CALL_MIN {
            return Err(StripeFailure::Unreachable("there is no time left".into()));
        }
        let (url, call) = (format!("{}{}", self.base, call.path), call.clone());
        let bearer = format!("Bearer {}", secret.expose());
        let sending = tokio::task::spawn_blocking(move || {
            let result = send(&url, &bearer, &call, timeout);
            drop(permit);
            result
        });
        // Connecting may exceed the remaining time; the thread ends later by itself.
        match timeout_at(until, sending).await {
            Ok(Ok(Ok(response))) => Ok(response),
            Ok(Ok(Err(error))) => Err(StripeFailure::Unreachable(error.to_string())),
            Ok(Err(error)) => Err(StripeFailure::Unreachable(error.to_string())),
            Err(_) => Err(StripeFailure::Unreachable(
                "it did not answer in time".into(),
            )),
        }
    }
}

fn send(
    url: &str,
    bearer: &str,
    call: &StripeCall,
    timeout: Duration,
) -> Result<Response, outbound::NoAnswer> {
    let mut headers = vec![("authorization", bearer), ("stripe-version", VERSION)];
    if let Some(key) = &call.idempotency_key {
        headers.push(("idempotency-key", key));
    }
    outbound::send(&Request {
        headers: &headers,
        form: call.form.as_deref(),
        timeout,
        answer_bytes_max: ANSWER_BYTES_MAX,
        ..Request::new(call.method, url)
    })
}
