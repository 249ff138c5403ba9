//! Calls of the Bot API. Every URL contains the token, so URLs never appear in errors or logs.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::outbound::Method;
use crate::relay::call::HttpCall;
use crate::relay::download::{self, Download};

const CALL_MAX: Duration = Duration::from_secs(20);
/// Extra time for a long poll.
const POLL_MARGIN: Duration = Duration::from_secs(15);
/// A wait without a number.
const WAIT: Duration = Duration::from_secs(1);

pub(super) struct Api {
    base_url: String,
    token: String,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// 401, and 404 for a malformed token.
    Unauthorized,
    /// 403: blocked or removed.
    Forbidden(String),
    /// Another 4xx: retrying is useless.
    Refused(String),
    /// The group has a new id.
    Moved(i64),
    /// 409: another program uses the same token.
    Conflict(String),
    /// 429: how long to wait.
    TooMany(Duration),
    /// No answer, 5xx, or an invalid answer.
    Broken(String),
}

impl Failure {
    /// How long Telegram asks to wait.
    pub(super) const fn wait(&self) -> Option<Duration> {
        match self {
            Self::TooMany(wait) => Some(*wait),
            _ => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unauthorized => f.write_str("Telegram does not know the bot's token"),
            Self::Forbidden(why) | Self::Refused(why) | Self::Conflict(why) | Self::Broken(why) => {
                write!(f, "Telegram: {why}")
            }
            Self::Moved(to) => write!(f, "Telegram: the group is {to} now"),
            Self::TooMany(wait) => {
                write!(f, "Telegram asks to wait {} s", wait.as_secs())
            }
        }
    }
}

impl Api {
    pub(super) fn new(base_url: &str, token: &str) -> Self {
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
        }
    }

    pub(super) async fn call(&self, method: &str, arguments: Value) -> Result<Value, Failure> {
        self.send(method, arguments, CALL_MAX).await
    }

    /// A call that waits as long as Telegram asks.
    pub(super) async fn call_with_retries(
        &self,
        method: &str,
        arguments: Value,
    ) -> Result<Value, Failure> {
        loop {
            match self.call(method, arguments.clone()).await {
                Err(Failure::TooMany(wait)) => tokio::time::sleep(wait).await,
                answered => return answered,
            }
        }
    }

    /// A call whose answer Telegram may delay by this many seconds.
    pub(super) async fn poll(
        &self,
        method: &str,
        arguments: Value,
        wait_s: u64,
    ) -> Result<Value, Failure> {
        let most = Duration::from_secs(wait_s) + POLL_MARGIN;
        self.send(method, arguments, most).await
    }

    /// A file's content, at most 20 MiB.
    pub(super) async fn file(&self, file_id: &str) -> Result<Vec<u8>, Failure> {
        let found = self
            .call("getFile", serde_json::json!({ "file_id": file_id }))
            .await?;
        let path = found["file_path"].as_str().unwrap_or_default();
        if path.is_empty() || path.contains("..") {
            return Err(Failure::Broken("getFile names no file".to_owned()));
        }
        let url = format!("{}/file/bot{}/{path}", self.base_url, self.token);
        let download = Download {
            url,
            ..Download::default()
        };
        let answer = download.get().await.map_err(|failure| match failure {
            download::Failure::Final(why) => Failure::Refused(why),
            download::Failure::Passing(why) => self.unanswered(&why),
        })?;
        match answer.status {
            200 => Ok(answer.body),
            429 => Err(Failure::TooMany(wait(answer.retry_after_s))),
            status => Err(Failure::Broken(format!(
                "the file was answered with {status}"
            ))),
        }
    }

    async fn send(
        &self,
        method: &str,
        arguments: Value,
        timeout: Duration,
    ) -> Result<Value, Failure> {
        let url = format!("{}/bot{}/{method}", self.base_url, self.token);
        let call = HttpCall::new(Method::Post, url, timeout).json(Some(arguments));
        let answer = call.send().await.map_err(|why| self.unanswered(&why))?;
        read(answer.status, answer.retry_after_s, &answer.body)
    }

    /// Some errors contain the URL.
    fn unanswered(&self, why: &str) -> Failure {
        let why = why.replace(&self.token, "…");
        Failure::Broken(format!("no answer: {why}"))
    }
}

fn wait(seconds: Option<u64>) -> Duration {
    seconds.map_or(WAIT, |seconds| Duration::from_secs(seconds.max(1)))
}

/// `{"ok", "result" | "error_code", "description", "parameters"}`.
fn read(status: u16, retry_after_s: Option<u64>, body: &[u8]) -> Result<Value, Failure> {
    let mut answer: Value = serde_json::from_slice(body).unwrap_or_default();
    if status == 200 && answer["ok"] == true {
        return Ok(answer["result"].take());
    }
    let parameters = &answer["parameters"];
    if let Some(to) = parameters["migrate_to_chat_id"].as_i64() {
        return Err(Failure::Moved(to));
    }
    let code = answer["error_code"].as_u64().unwrap_or(status.into());
    let description = answer["description"]
        .as_str()
        .unwrap_or("no reason given")
        .to_owned();
    Err(match code {
        401 => Failure::Unauthorized,
        404 if description.eq_ignore_ascii_case("not found") => Failure::Unauthorized,
        403 => Failure::Forbidden(description),
        409 => Failure::Conflict(description),
        429 => Failure::TooMany(wait(parameters["retry_after"].as_u64().or(retry_after_s))),
        400..=499 => Failure::Refused(description),
        _ => Failure::Broken(format!("answered with {code}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_became_of_a_call() {
        let refused = |code: u64, description: &str| json!({"ok": false, "error_code": code, "description": description});
        let too_many = json!({"ok": false, "error_code": 429, "description": "Too Many Requests",
                              "parameters": {"retry_after": 7}});
        let moved = json!({"ok": false, "error_code": 400, "description": "upgraded",
                           "parameters": {"migrate_to_chat_id": -1001}});
        let says = |text: &str| text.to_owned();
        let cases = [
            (200, None, json!({"ok": true, "result": 5}), Ok(json!(5))),
            (
                401,
                None,
                refused(401, "Unauthorized"),
                Err(Failure::Unauthorized),
            ),
            (
                404,
                None,
                refused(404, "Not Found"),
                Err(Failure::Unauthorized),
            ),
            (
                403,
                None,
                refused(403, "blocked"),
                Err(Failure::Forbidden(says("blocked"))),
            ),
            (
                400,
                None,
                refused(400, "chat not found"),
                Err(Failure::Refused(says("chat not found"))),
            ),
            (400, None, moved, Err(Failure::Moved(-1001))),
            (
                409,
                None,
                refused(409, "Conflict"),
                Err(Failure::Conflict(says("Conflict"))),
            ),
            (
                429,
                None,
                too_many,
                Err(Failure::TooMany(Duration::from_secs(7))),
            ),
            (
                429,
                Some(3),
                Value::Null,
                Err(Failure::TooMany(Duration::from_secs(3))),
            ),
            (
                502,
                None,
                Value::Null,
                Err(Failure::Broken(says("answered with 502"))),
            ),
            (
                500,
                None,
                json!({"message": "x"}),
                Err(Failure::Broken(says("answered with 500"))),
            ),
            (
                200,
                None,
                Value::Null,
                Err(Failure::Broken(says("answered with 200"))),
            ),
        ];
        for (status, retry_after_s, body, expected) in cases {
            let read = read(status, retry_after_s, body.to_string().as_bytes());
            assert_eq!(read, expected, "{status} {body}");
        }
    }
}
