//! The one HTTP client, and the only user of ureq: time-outs, a cap on what is read, no
//! redirects, no proxy from the environment. It blocks: callers are commands, or run it on
//! the blocking pool. It must not know whom it calls.

use std::time::Duration;

use serde_json::Value;
use ureq::http::{Method, Request};

const CONNECT_MAX: Duration = Duration::from_secs(2);
const CALL_MAX: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

/// One call that sends and reads JSON.
pub struct Call<'a> {
    pub url: &'a str,
    pub bearer: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a Value,
    pub timeout: Duration,
}

/// Whatever the server answered, an error's status included.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// `Null` when it is no JSON.
    pub body: Value,
}

/// Why there is no answer at all.
#[derive(Debug)]
pub struct NoAnswer(String);

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'a> Call<'a> {
    pub fn new(url: &'a str, bearer: &'a str, body: &'a Value) -> Self {
        Self {
            url,
            bearer,
            headers: &[],
            body,
            timeout: CALL_MAX,
        }
    }
}

pub fn post(call: &Call<'_>) -> Result<Answer, NoAnswer> {
    send(call, Method::POST)
}

pub fn put(call: &Call<'_>) -> Result<Answer, NoAnswer> {
    send(call, Method::PUT)
}

/// Without the call's body.
pub fn delete(call: &Call<'_>) -> Result<Answer, NoAnswer> {
    send(call, Method::DELETE)
}

fn send(call: &Call<'_>, method: Method) -> Result<Answer, NoAnswer> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_connect(Some(CONNECT_MAX))
        .timeout_global(Some(call.timeout))
        .http_status_as_error(false)
        .max_redirects(0)
        // What is called is a service on this machine or beside it; HTTP_PROXY isn't meant.
        .proxy(None)
        .build()
        .into();
    let has_body = method != Method::DELETE;
    let mut request = Request::builder()
        .method(method)
        .uri(call.url)
        .header("authorization", format!("Bearer {}", call.bearer));
    for (name, value) in call.headers {
        request = request.header(*name, *value);
    }
    let no_request = |error: ureq::http::Error| NoAnswer(error.to_string());
    let no_answer = |error: ureq::Error| NoAnswer(error.to_string());
    let answered = if has_body {
        let request = request.header("content-type", "application/json");
        agent.run(request.body(call.body.to_string()).map_err(no_request)?)
    } else {
        agent.run(request.body(()).map_err(no_request)?)
    };
    let mut response = answered.map_err(no_answer)?;
    let text = response
        .body_mut()
        .with_config()
        .limit(ANSWER_BYTES_MAX)
        .read_to_string()
        .map_err(no_answer)?;
    Ok(Answer {
        status: response.status().as_u16(),
        body: serde_json::from_str(&text).unwrap_or(Value::Null),
    })
}
