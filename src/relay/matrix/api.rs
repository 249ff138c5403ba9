//! Calls of Matrix's client-server API. The access token is sent in a header and never appears in
//! an error.

use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::Credential;
use super::percent_encoded;
use crate::outbound::{self, Method};
use crate::relay::call::HttpCall;
use crate::relay::download::{self, Download};

const CALL_MAX: Duration = Duration::from_secs(20);
/// Extra time for a long poll.
const POLL_MARGIN: Duration = Duration::from_secs(15);
/// Limit of a JSON answer: a long gap in a large room.
const ANSWER_BYTES_MAX: u64 = 16 * 1024 * 1024;
const CLIENT: &str = "/_matrix/client/v3";

pub(super) struct Api {
    homeserver: String,
    credential: Credential,
    /// The device of the transaction ids.
    device_id: OnceCell<String>,
    token: Mutex<Option<String>>,
    login: tokio::sync::Mutex<()>,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The token or password is invalid: a sentence.
    Unauthorized(String),
    /// Another Matrix 4xx: retrying is useless.
    Refused {
        status: u16,
        code: String,
        why: String,
    },
    /// 429: how long to wait.
    TooMany(Duration),
    /// No answer, 5xx, or an answer in another format.
    Broken(String),
}

impl Failure {
    /// How long the homeserver asks to wait.
    pub(super) const fn wait(&self) -> Option<Duration> {
        match self {
            Self::TooMany(wait) => Some(*wait),
            _ => None,
        }
    }

    pub(super) fn is_refusal(&self, refused: u16) -> bool {
        matches!(self, Self::Refused { status, .. } if *status == refused)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unauthorized(why) => f.write_str(why),
            Self::Refused { code, why, .. } => write!(f, "Matrix: {why} ({code})"),
            Self::TooMany(wait) => write!(f, "Matrix asks to wait {} ms", wait.as_millis()),
            Self::Broken(why) => write!(f, "Matrix: {why}"),
        }
    }
}

impl Api {
    pub(super) fn new(homeserver: &str, credential: Credential) -> Self {
        let token = match &credential {
            Credential::Token(token) => Some(token.clone()),
            Credential::Password { .. } => None,
        };
        Self {
            homeserver: homeserver.trim_end_matches('/').to_owned(),
            credential,
            device_id: OnceCell::new(),
            token: Mutex::new(token),
            login: tokio::sync::Mutex::default(),
        }
    }

    /// Sets the device for logging in, before the first call. Without it each login makes a new
    /// device.
    pub(super) fn set_device(&self, device_id: &str) {
        let _ = self.device_id.set(device_id.to_owned()); // it is the same each time
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.call(Method::Get, path, None, CALL_MAX).await
    }

    /// A call whose answer the homeserver may delay.
    pub(super) async fn poll(&self, path: &str, wait: Duration) -> Result<Value, Failure> {
        self.call(Method::Get, path, None, wait + POLL_MARGIN).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Result<Value, Failure> {
        self.call(Method::Post, path, Some(body), CALL_MAX).await
    }

    pub(super) async fn put(&self, path: &str, body: Value) -> Result<Value, Failure> {
        self.call(Method::Put, path, Some(body), CALL_MAX).await
    }

    /// The content of `mxc://server/id`, at most 20 MiB.
    pub(super) async fn file(&self, mxc: &str) -> Result<Vec<u8>, Failure> {
        let place = mxc
            .strip_prefix("mxc://")
            .and_then(|rest| rest.split_once('/'));
        let Some((server, id)) = place else {
            return Err(Failure::Refused {
                status: 404,
                code: "M_NOT_FOUND".to_owned(),
                why: "no address of a file".to_owned(),
            });
        };
        let (server, id) = (percent_encoded(server), percent_encoded(id));
        let path = format!("/_matrix/client/v1/media/download/{server}/{id}");
        let answer = self.downloaded(&path).await?;
        match answer.status {
            200 => Ok(answer.body),
            _ => Err(failure(&answer)),
        }
    }

    /// The file may be on another server, which is not shown the token.
    async fn downloaded(&self, path: &str) -> Result<outbound::Response, Failure> {
        let mut ended = None;
        loop {
            let token = self.valid_token(ended.as_deref()).await?;
            let download = Download {
                url: format!("{}{path}", self.homeserver),
                headers: vec![("authorization", format!("Bearer {token}"))],
                ..Download::default()
            };
            let answer = match download.get().await {
                Ok(answer) => answer,
                Err(download::Failure::Passing(why)) => return Err(Failure::Broken(why)),
                Err(download::Failure::Final(why)) => {
                    return Err(Failure::Refused {
                        status: 404,
                        code: "M_NOT_FOUND".to_owned(),
                        why,
                    });
                }
            };
            if answer.status == 401 && ended.is_none() {
                ended = Some(token);
                continue;
            }
            return Ok(answer);
        }
    }

    /// A token that is not the one that has ended.
    async fn valid_token(&self, ended: Option<&str>) -> Result<String, Failure> {
        match self.token() {
            Some(token) if Some(token.as_str()) != ended => Ok(token),
            _ => self.log_in(ended).await,
        }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        timeout: Duration,
    ) -> Result<Value, Failure> {
        let path = format!("{CLIENT}{path}");
        let answer = self.authorized(method, &path, body, timeout).await?;
        read(&answer)
    }

    /// Logs in if there is no token or it has expired.
    async fn authorized(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        timeout: Duration,
    ) -> Result<outbound::Response, Failure> {
        let mut ended = None;
        loop {
            let token = self.valid_token(ended.as_deref()).await?;
            let call = self.to(method, path, timeout).json(body.clone());
            let answer = call.bearer(&token).send().await.map_err(unanswered)?;
            if answer.status == 401 && ended.is_none() {
                ended = Some(token);
                continue;
            }
            return Ok(answer);
        }
    }

    /// Gets a new token for the same device; only one task does so at a time.
    async fn log_in(&self, ended: Option<&str>) -> Result<String, Failure> {
        let Credential::Password { user, password } = &self.credential else {
            return Err(Failure::Unauthorized(
                "the homeserver does not know the access token: set relay.matrix.token to a new one"
                    .to_owned(),
            ));
        };
        let _alone = self.login.lock().await;
        if let Some(token) = self.token().filter(|token| Some(token.as_str()) != ended) {
            return Ok(token);
        }
        let mut request = json!({
            "type": "m.login.password",
            "identifier": {"type": "m.id.user", "user": user},
            "password": password,
            "initial_device_display_name": "Chatkeep",
        });
        if let Some(device_id) = self.device_id.get() {
            request["device_id"] = device_id.as_str().into();
        }
        let path = format!("{CLIENT}/login");
        let call = self.to(Method::Post, &path, CALL_MAX).json(Some(request));
        let answer = call.send().await.map_err(unanswered)?;
        let answer = match read(&answer) {
            Err(Failure::Refused { status: 403, .. }) => {
                return Err(Failure::Unauthorized(
                    "the homeserver does not take the name or the password: look at relay.matrix.user and relay.matrix.password".to_owned(),
                ));
            }
            answer => answer?,
        };
        let token = answer["access_token"].as_str().map(str::to_owned);
        let token = token.ok_or_else(|| Failure::Broken("a login without a token".to_owned()))?;
        let mut stored = self.token.lock();
        *stored = Some(token.clone());
        Ok(token)
    }

    /// Ends the device that a login with the password has made. A configured token remains valid.
    pub(super) async fn log_out(&self) {
        let has_logged_in = matches!(self.credential, Credential::Password { .. });
        if !has_logged_in || self.token().is_none() {
            return;
        }
        if let Err(failure) = self.post("/logout", json!({})).await {
            log::debug!("matrix: the device of the check remains: {failure}");
        }
    }

    fn token(&self) -> Option<String> {
        let token = self.token.lock();
        token.clone()
    }

    /// A call without a token.
    fn to(&self, method: Method, path: &str, timeout: Duration) -> HttpCall {
        HttpCall {
            answer_bytes_max: Some(ANSWER_BYTES_MAX),
            ..HttpCall::new(method, format!("{}{path}", self.homeserver), timeout)
        }
    }
}

fn unanswered(why: String) -> Failure {
    Failure::Broken(format!("no answer: {why}"))
}

fn read(answer: &outbound::Response) -> Result<Value, Failure> {
    match serde_json::from_slice(&answer.body) {
        Ok(body) if answer.status == 200 => Ok(body),
        _ => Err(failure(answer)),
    }
}

fn failure(answer: &outbound::Response) -> Failure {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    failure_of(answer.status, answer.retry_after_s, &body)
}

/// `{"errcode", "error", "retry_after_ms"?}`
fn failure_of(status: u16, retry_after_s: Option<u64>, body: &Value) -> Failure {
    let code = body["errcode"].as_str();
    let why = body["error"].as_str().unwrap_or("no reason given");
    match (status, code) {
        (429, _) => {
            let wait_ms = body["retry_after_ms"].as_u64();
            let wait_ms = wait_ms.or(retry_after_s.map(|s| s.saturating_mul(1000)));
            Failure::TooMany(Duration::from_millis(wait_ms.unwrap_or(1000).max(1)))
        }
        (401, _) => Failure::Unauthorized(format!(
            "the homeserver does not take the relay's access token: {why}"
        )),
        (400..=499, Some(code)) => Failure::Refused {
            status,
            code: code.to_owned(),
            why: why.to_owned(),
        },
        _ => Failure::Broken(format!("answered with {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_call_failed() {
        let error = |code: &str| json!({"errcode": code, "error": "why"});
        let refused = |status, code: &str| Failure::Refused {
            status,
            code: code.to_owned(),
            why: "why".to_owned(),
        };
        let wait = |ms| Failure::TooMany(Duration::from_millis(ms));
        let limited = json!({"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 1500});
        let cases = [
            (429, Some(9), limited, wait(1500)),
            (429, Some(9), Value::Null, wait(9000)),
            (429, None, Value::Null, wait(1000)),
            (403, None, error("M_FORBIDDEN"), refused(403, "M_FORBIDDEN")),
            // A proxy's, not Matrix's: another try may do better.
            (
                404,
                None,
                Value::Null,
                Failure::Broken("answered with 404".to_owned()),
            ),
            (
                502,
                None,
                Value::Null,
                Failure::Broken("answered with 502".to_owned()),
            ),
            (
                200,
                None,
                Value::Null,
                Failure::Broken("answered with 200".to_owned()),
            ),
        ];
        for (status, retry_after_s, body, expected) in cases {
            let found = failure_of(status, retry_after_s, &body);
            assert_eq!(found, expected, "{status} {body}");
        }
        let ended = failure_of(401, None, &error("M_UNKNOWN_TOKEN"));
        assert!(matches!(ended, Failure::Unauthorized(_)));
    }
}
