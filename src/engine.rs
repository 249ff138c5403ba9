//! A language model behind an OpenAI-compatible chat-completions server: limits of concurrency and
//! time, and retries. Other modules write the prompt. This module must not know messages, rooms or
//! users, and never passes on a server's error text.

mod model_metrics;
mod stream;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::assistant::prompt::Prompt;
use crate::clock::{Clock, Monotonic};
use crate::config::MaxTokensField;
use crate::metrics::{self, MetricsRegistry};
use crate::outbound::{self, Method, Request};
use crate::setting::Setting;
use model_metrics::ModelMetrics;
use stream::PartialCompletion;
pub use wire::{ModelFailure, ModelReply, ToolCall, UNREADABLE_CALL, Usage};

/// Time limit of one call, from connecting to the last byte.
pub const CALL_MS_MAX: u64 = 30_000;
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Pause before a retry after a broken connection or a 5xx.
const RETRY_PAUSE_MS: u64 = 250;
/// After this many consecutive failures with tools that succeeded without them, no tools are
/// offered for some time. A single one may be due to what one message contains.
const TOOLS_FAILED_MAX: u32 = 3;
/// How long no tools are offered after the last such failure.
const TOOLS_PAUSE_MS: u64 = 10 * 60_000;

/// The server's settings.
pub struct ModelSettings {
    /// `/chat/completions` is appended to this.
    pub base_url: String,
    pub api_key: Setting<Option<String>>,
    pub model: String,
    /// The model for photos.
    pub vision_model: String,
    pub max_tokens_field: MaxTokensField,
    /// Whether the operator wants tools to be offered.
    pub tools: bool,
    /// Concurrent calls; each takes a thread.
    pub concurrency: usize,
}

/// A request to the model.
pub struct ModelRequest {
    pub prompt: Prompt,
    /// The prompt without tools, for a server that doesn't support them; `None` when `prompt` has
    /// no tools.
    pub without_tools: Option<Prompt>,
    pub vision: bool,
    pub tokens_max: i64,
    /// A failed call is retried until this time.
    pub retry_until: Monotonic,
    /// The reply is useless after this time; `None` for no limit besides the call's own.
    pub wanted_until: Option<Monotonic>,
    /// Where the paragraphs that are complete go while the rest is still to come: each time all
    /// of them. Then a failure is not retried.
    pub paragraphs: Option<UnboundedSender<String>>,
}

/// The outcome of a request.
pub struct ModelOutcome {
    /// Calls made, including retries.
    pub calls: u32,
    /// The time from the first call to the end, including pauses.
    pub took_ms: u64,
    /// The total of all calls.
    pub usage: Usage,
    /// The reply was made without tools, as the request with them failed.
    pub without_tools: bool,
    pub reply: Result<ModelReply, ModelFailure>,
}

/// Consecutive failures with tools that succeeded without them.
#[derive(Default)]
struct ToolFailures {
    count: u32,
    last: Monotonic,
}

/// A permit for one of the concurrent calls; dropping it frees the slot.
pub struct CallPermit<'a>(
    #[expect(dead_code, reason = "held, not read")] Option<SemaphorePermit<'a>>,
);

pub struct Model {
    settings: ModelSettings,
    url: String,
    permits: Semaphore,
    tool_failures: Mutex<ToolFailures>,
    clock: Clock,
    metrics: ModelMetrics,
}

impl Model {
    pub fn new(settings: ModelSettings, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            url: format!("{}/chat/completions", settings.base_url),
            permits: Semaphore::new(settings.concurrency),
            tool_failures: Mutex::default(),
            settings,
            clock,
            metrics: ModelMetrics::default(),
        })
    }

    /// Replaces the server's key; takes effect immediately.
    pub fn set_api_key(&self, key: Option<String>) {
        self.settings.api_key.set(key);
    }

    /// The model's name.
    pub fn name(&self, vision: bool) -> &str {
        match vision {
            true => &self.settings.vision_model,
            false => &self.settings.model,
        }
    }

    /// False also for some time after the server has failed with tools repeatedly.
    pub fn takes_tools(&self) -> bool {
        let failures = self.tool_failures.lock();
        let paused_ms = self.clock.monotonic().since(failures.last);
        self.settings.tools && (failures.count < TOOLS_FAILED_MAX || paused_ms >= TOOLS_PAUSE_MS)
    }

    /// Waits for a permit. Get it before preparing the prompt, so that waiting uses little memory.
    pub async fn acquire_permit(&self) -> CallPermit<'_> {
        let _waiting = self.metrics.waits();
        CallPermit(self.permits.acquire().await.ok()) // the semaphore is never closed
    }

    pub fn show(&self, page: &MetricsRegistry) -> metrics::MetricsResult {
        let busy = self.settings.concurrency - self.permits.available_permits();
        page.gauge(
            "chatkeep_model_calls_in_progress", "Calls under way.", busy as f64,
        )?;
        self.metrics.show(page)
    }

    /// Whether a new request has to wait for a permit.
    pub fn is_busy(&self) -> bool {
        self.permits.available_permits() == 0
    }

    /// A permit, if one is free.
    pub fn try_acquire_permit(&self) -> Option<CallPermit<'_>> {
        let permit = self.permits.try_acquire().ok()?;
        Some(CallPermit(Some(permit)))
    }

    /// Calls the model. Retries once after a broken connection, a 5xx, or a 429 with a short
    /// `Retry-After`. A server that may not support tools is asked again without them.
    pub async fn ask(self: &Arc<Self>, _place: &CallPermit<'_>, ask: ModelRequest) -> ModelOutcome {
        let begun = self.clock.monotonic();
        let mut paragraphs = ask.paragraphs.clone();
        let mut body = Arc::new(self.body(&ask, &ask.prompt, paragraphs.is_some()));
        let mut without = ask.without_tools.as_ref();
        let (mut calls, mut tried_again) = (0, false);
        let (mut usage, mut minds_tools) = (Usage::default(), false);
        let reply = loop {
            let Some(timeout) = self.call_timeout(&ask) else {
                break Err(ModelFailure::TimedOut);
            };
            calls += 1;
            let called = self.call(body.clone(), timeout, paragraphs.clone()).await;
            let (cost, reply) = (called.cost, called.reply);
            usage += cost;
            let failure = match reply {
                Ok(reply) => break Ok(reply),
                Err(failure) => failure,
            };
            if called.has_sent {
                break Err(failure);
            }
            if paragraphs.is_some() && matches!(failure, ModelFailure::Status(400 | 404 | 422)) {
                // It may be a server that doesn't stream.
                paragraphs = None;
                body = Arc::new(self.body(&ask, &ask.prompt, false));
                continue;
            }
            if failure.may_mean_no_tool_support()
                && let Some(prompt) = without.take()
            {
                body = Arc::new(self.body(&ask, prompt, paragraphs.is_some()));
                minds_tools = true;
                if matches!(failure, ModelFailure::Status(..500)) {
                    continue;
                }
            }
            let pause_ms = failure.retry_after_ms(RETRY_PAUSE_MS);
            let soon = |ms| self.clock.monotonic().plus_ms(ms) < ask.retry_until;
            let Some(pause_ms) = pause_ms.filter(|ms| !tried_again && soon(*ms)) else {
                break Err(failure);
            };
            tried_again = true;
            log::debug!("the call to the model's server is repeated: {failure}");
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        };
        if reply.is_ok() && ask.without_tools.is_some() {
            self.note_tools(minds_tools);
        }
        let made = ModelOutcome {
            calls,
            took_ms: self.clock.monotonic().since(begun),
            usage,
            without_tools: minds_tools && reply.is_ok(),
            reply,
        };
        self.metrics.count(&made);
        made
    }

    fn body(&self, ask: &ModelRequest, prompt: &Prompt, in_parts: bool) -> Value {
        let field = self.settings.max_tokens_field;
        let mut body = wire::request(prompt, self.name(ask.vision), field, ask.tokens_max);
        if in_parts {
            body["stream"] = true.into();
            body["stream_options"] = json!({ "include_usage": true });
        }
        body
    }

    /// `failed`: the call with tools failed, and the one without them succeeded.
    fn note_tools(&self, failed: bool) {
        let mut failures = self.tool_failures.lock();
        if !failed {
            if failures.count >= TOOLS_FAILED_MAX {
                log::info!("the model's server takes tools again");
            }
            *failures = ToolFailures::default();
            return;
        }
        failures.count = failures.count.saturating_add(1);
        failures.last = self.clock.monotonic();
        if failures.count == TOOLS_FAILED_MAX {
            log::warn!(
                "the model's server failed {TOOLS_FAILED_MAX} times with tools and not without; \
                 it is offered them again in {} minutes",
                TOOLS_PAUSE_MS / 60_000
            );
        }
    }

    fn call_timeout(&self, ask: &ModelRequest) -> Option<Duration> {
        let wanted_ms = match ask.wanted_until {
            Some(until) => until.since(self.clock.monotonic()),
            None => CALL_MS_MAX,
        };
        (wanted_ms > 0).then(|| Duration::from_millis(wanted_ms.min(CALL_MS_MAX)))
    }

    async fn call(
        self: &Arc<Self>,
        body: Arc<Value>,
        timeout: Duration,
        paragraphs: Option<UnboundedSender<String>>,
    ) -> ModelCall {
        let model = self.clone();
        let called = tokio::task::spawn_blocking(move || {
            let (mut has_sent, mut sent_bytes) = (false, 0);
            let mut send = |part: String| {
                if let Some(paragraphs) = &paragraphs
                    && part.len() > sent_bytes
                {
                    sent_bytes = part.len();
                    has_sent |= paragraphs.send(part).is_ok();
                }
            };
            let answer = model.call_blocking(&body, timeout, &mut send);
            let answered = answer.map(|answer| wire::reply(&answer, &body));
            let (cost, reply) = match answered {
                Ok((cost, reply)) => (cost, reply),
                Err(failure) => (Usage::default(), Err(failure)),
            };
            ModelCall {
                cost,
                reply,
                has_sent,
            }
        });
        called.await.unwrap_or(ModelCall {
            cost: Usage::default(),
            reply: Err(ModelFailure::Internal),
            has_sent: true,
        })
    }

    /// The body of a 200, put together where it came in parts.
    fn call_blocking(
        &self,
        body: &Value,
        timeout: Duration,
        send: &mut dyn FnMut(String),
    ) -> Result<Vec<u8>, ModelFailure> {
        let key = self.settings.api_key.get();
        let bearer = key.as_ref().as_ref().map(|key| format!("Bearer {key}"));
        let headers: Vec<(&str, &str)> = bearer
            .iter()
            .map(|bearer| ("authorization", bearer.as_str()))
            .collect();
        let request = Request {
            headers: &headers,
            body: Some(body),
            timeout,
            answer_bytes_max: ANSWER_BYTES_MAX,
            ..Request::new(Method::Post, &self.url)
        };
        let in_parts = body.get("stream").is_some();
        let mut partial = PartialCompletion::default();
        let mut is_done = |so_far: &[u8]| {
            let is_done = in_parts && partial.read(so_far);
            if let Some(part) = partial.complete_paragraphs().filter(|_| in_parts) {
                send(part);
            }
            is_done
        };
        let answer = outbound::send_until(&request, &mut is_done).map_err(|none| {
            log::debug!("the model's server: {none}");
            if none.timed_out {
                ModelFailure::TimedOut
            } else {
                ModelFailure::Unreachable
            }
        })?;
        match answer.status {
            200 if partial.has_begun() => {
                let whole = partial.whole().ok_or(ModelFailure::Unreachable)?;
                Ok(whole.to_string().into_bytes())
            }
            200 => Ok(answer.body),
            429 => Err(ModelFailure::Busy {
                retry_after_s: answer.retry_after_s,
            }),
            status => Err(ModelFailure::Status(status)),
        }
    }
}

/// The result of one call.
struct ModelCall {
    cost: Usage,
    reply: Result<ModelReply, ModelFailure>,
    /// Paragraphs were passed on before the end.
    has_sent: bool,
}
