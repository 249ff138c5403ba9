//! The client of the service's HTTP routes, with the relay's token.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::call::{Body, HttpCall};
use super::{RelaySettings, StopReason};
use crate::outbound::{Authorities, Method, Response};

/// The time for posting a message: longer than a reply may take.
const MESSAGE_MAX: Duration = Duration::from_secs(40);
/// The time for posting a photo, and for a poll, which waits less.
const SLOW_MAX: Duration = Duration::from_secs(60);

/// A relay's credentials.
#[derive(Clone)]
pub struct Credentials {
    pub agent_id: String,
    /// Never printed.
    pub token: String,
}

impl Credentials {
    /// `None` when the token names no agent. Accepts any base64 variant.
    pub fn of_token(token: String) -> Option<Self> {
        let plain = token
            .trim_end_matches('=')
            .replace('+', "-")
            .replace('/', "_");
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(plain).ok()?).ok()?;
        let agent_id = text.split_once(':')?.0.to_owned();
        Some(Self { agent_id, token })
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Credentials({})", self.agent_id)
    }
}

pub(super) struct Service {
    pub(super) url: String,
    pub(super) credentials: Credentials,
    pub(super) authorities: Option<Authorities>,
}

/// The outcome of a call.
pub(super) enum CallResult {
    /// 200 with JSON.
    Taken(Value),
    /// Retrying is useless; the reason.
    Refused(String),
    /// Retry after the wait.
    Later { wait: Duration, why: String },
    /// The service fails: perhaps because of this very call, so retry only so often.
    Broken(String),
    /// The service rejects this relay.
    Stop(StopReason),
}

impl Service {
    pub(super) fn new(settings: &RelaySettings) -> Self {
        Self {
            url: settings.url.trim_end_matches('/').to_owned(),
            credentials: settings.credentials.clone(),
            authorities: settings.authorities.clone(),
        }
    }

    pub(super) async fn message(&self, key: &str, message: &Value) -> CallResult {
        let body = Body::Json(message.clone());
        self.call("/edge/message", Some(key), body, MESSAGE_MAX)
            .await
    }

    pub(super) async fn photo(&self, content_type: &str, form: &[u8]) -> CallResult {
        let body = Body::Form {
            content_type: content_type.to_owned(),
            bytes: form.to_vec(),
        };
        self.call("/photo/upload", None, body, SLOW_MAX).await
    }

    pub(super) async fn sync(&self, report: Value) -> CallResult {
        self.call("/edge/sync", None, Body::Json(report), SLOW_MAX)
            .await
    }

    pub(super) async fn check(&self) -> Result<(), String> {
        match self.sync(serde_json::json!({})).await {
            CallResult::Taken(_) => Ok(()),
            CallResult::Refused(why)
            | CallResult::Broken(why)
            | CallResult::Later { why, .. }
            | CallResult::Stop(StopReason(why)) => Err(why),
        }
    }

    async fn call(
        &self,
        path: &str,
        key: Option<&str>,
        body: Body,
        timeout: Duration,
    ) -> CallResult {
        let url = format!("{}{path}", self.url);
        let mut call = HttpCall::new(Method::Post, url, timeout).bearer(&self.credentials.token);
        let key = key.map(|key| ("idempotency-key", key.to_owned()));
        call.headers.extend(key);
        call.body = Some(body);
        call.authorities = self.authorities.clone();
        match call.send().await {
            Ok(answer) => self.outcome(&answer),
            Err(why) => CallResult::Later {
                wait: Duration::ZERO,
                why: format!("the service at {} does not answer: {why}", self.url),
            },
        }
    }

    fn outcome(&self, answer: &Response) -> CallResult {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let detail = body["detail"].as_str().unwrap_or("no reason given");
        match answer.status {
            200 if body.is_object() => CallResult::Taken(body),
            401 => CallResult::Stop(StopReason(self.not_known())),
            // A 200 with HTML comes from a proxy, not from the service.
            200 | 408 | 429 | 502..=504 => CallResult::Later {
                wait: Duration::from_secs(answer.retry_after_s.unwrap_or(0)),
                why: format!("the service answers {}: {detail}", answer.status),
            },
            500.. => CallResult::Broken(format!("the service answers {}: {detail}", answer.status)),
            status => CallResult::Refused(format!("the service answers {status}: {detail}")),
        }
    }

    pub(super) fn not_known(&self) -> String {
        format!(
            "the service at {} does not take this relay's token; make one where it runs: \
             chatkeep token edge --agent-id {} --phone {}, and set it as CHATKEEP_EDGE_TOKEN",
            self.url, self.credentials.agent_id, self.credentials.agent_id
        )
    }
}
