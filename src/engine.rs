//! A language model behind an OpenAI-compatible chat-completions server: how many calls are
//! under way at once, how long they may take, when one is tried again. What the model is
//! told is decided elsewhere; it must not know messages, rooms or users, and what a server
//! says beside its reply never leaves this part.

mod numbers;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::clock::{Clock, Monotonic};
use crate::config::MaxTokensField;
use crate::outbound::{self, Method, Request};
use crate::reply::prompt::Prompt;
pub use numbers::Numbers;
pub use wire::{Failure, Said, Usage};

/// One call, from connecting to the last byte.
pub const CALL_MS_MAX: u64 = 30_000;
const ANSWER_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Before a call is made anew after a broken connection or a 5xx.
const RETRY_PAUSE_MS: u64 = 250;

/// How the server is reached.
pub struct Settings {
    /// What `/chat/completions` is appended to.
    pub base_url: String,
    pub api_key: Option<String>,
    pub model: String,
    /// For photos.
    pub vision_model: String,
    pub max_tokens_field: MaxTokensField,
    /// Calls under way at once; each takes a blocking thread.
    pub concurrency: usize,
}

/// What a model is asked.
pub struct Ask {
    pub prompt: Prompt,
    pub vision: bool,
    pub tokens_max: i64,
    /// A call that failed is tried again until then.
    pub retry_until: Monotonic,
    /// Nobody waits for a reply after that; `None`: as long as a call may take.
    pub wanted_until: Option<Monotonic>,
}

/// What came of it.
pub struct Made {
    /// Requests sent, repeated ones too.
    pub calls: u32,
    /// From the first request to the end, the pauses included.
    pub took_ms: u64,
    pub said: Result<Said, Failure>,
}

/// A place among the calls under way, given back when dropped.
pub struct Place<'a>(#[expect(dead_code, reason = "held, not read")] Option<SemaphorePermit<'a>>);

pub struct Model {
    settings: Settings,
    url: String,
    permits: Semaphore,
    clock: Clock,
    numbers: Numbers,
}

impl Model {
    pub fn new(settings: Settings, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            url: format!("{}/chat/completions", settings.base_url),
            permits: Semaphore::new(settings.concurrency),
            settings,
            clock,
            numbers: Numbers::default(),
        })
    }

    /// The model that is asked, by name.
    pub fn name(&self, vision: bool) -> &str {
        match vision {
            true => &self.settings.vision_model,
            false => &self.settings.model,
        }
    }

    /// Waits for a place; to be had before anything is made ready, so that what waits is small.
    pub async fn place(&self) -> Place<'_> {
        let _waiting = self.numbers.waits();
        Place(self.permits.acquire().await.ok()) // never closed
    }

    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Calls under way.
    pub fn busy(&self) -> usize {
        self.settings.concurrency - self.permits.available_permits()
    }

    /// Asks; once more after a broken connection, a 5xx, or a 429 whose `Retry-After` is soon
    /// enough.
    pub async fn ask(self: &Arc<Self>, _place: &Place<'_>, ask: Ask) -> Made {
        let begun = self.clock.monotonic();
        let body = Arc::new(wire::request(
            &ask.prompt,
            self.name(ask.vision),
            self.settings.max_tokens_field,
            ask.tokens_max,
        ));
        let mut calls = 0;
        let said = loop {
            calls += 1;
            let Some(timeout) = self.call_timeout(&ask) else {
                calls -= 1;
                break Err(Failure::TimedOut);
            };
            let failure = match self.call(body.clone(), timeout).await {
                Ok(said) => break Ok(said),
                Err(failure) => failure,
            };
            let Some(pause_ms) = failure.retry_after_ms(RETRY_PAUSE_MS) else {
                break Err(failure);
            };
            let soon = self.clock.monotonic().plus_ms(pause_ms) < ask.retry_until;
            if calls > 1 || !soon {
                break Err(failure);
            }
            log::debug!("the model's server is asked again: {failure}");
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        };
        let made = Made {
            calls,
            took_ms: self.clock.monotonic().since(begun),
            said,
        };
        self.numbers.count(&made);
        made
    }

    fn call_timeout(&self, ask: &Ask) -> Option<Duration> {
        let wanted_ms = match ask.wanted_until {
            Some(until) => until.since(self.clock.monotonic()),
            None => CALL_MS_MAX,
        };
        (wanted_ms > 0).then(|| Duration::from_millis(wanted_ms.min(CALL_MS_MAX)))
    }

    async fn call(self: &Arc<Self>, body: Arc<Value>, timeout: Duration) -> Result<Said, Failure> {
        let model = self.clone();
        let called = tokio::task::spawn_blocking(move || model.call_blocking(&body, timeout));
        called.await.unwrap_or(Err(Failure::Internal))
    }

    fn call_blocking(&self, body: &Value, timeout: Duration) -> Result<Said, Failure> {
        let key = self.settings.api_key.as_ref();
        let bearer = key.map(|key| format!("Bearer {key}"));
        let headers: Vec<(&str, &str)> = bearer
            .iter()
            .map(|bearer| ("authorization", bearer.as_str()))
            .collect();
        let answer = outbound::send(&Request {
            headers: &headers,
            body: Some(body),
            timeout,
            answer_bytes_max: ANSWER_BYTES_MAX,
            ..Request::new(Method::Post, &self.url)
        })
        .map_err(|none| {
            log::debug!("the model's server: {none}");
            if none.timed_out {
                Failure::TimedOut
            } else {
                Failure::Unreachable
            }
        })?;
        match answer.status {
            200 => wire::reply(&answer.body, body),
            429 => Err(Failure::Busy {
                retry_after_s: answer.retry_after_s,
            }),
            status => Err(Failure::Status(status)),
        }
    }
}
