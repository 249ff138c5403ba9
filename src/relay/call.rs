//! HTTP calls of a relay, to its service and its network, and the pause before the next try of one
//! that failed. Calls run on the blocking pool.

use std::time::Duration;

use serde_json::Value;

use crate::outbound::{self, Authorities, Method, Request, Response};
use crate::random;

const BACKOFF_S_MAX: u64 = 60;

pub(super) struct HttpCall {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Body>,
    pub(super) timeout: Duration,
    /// `None`: as `outbound` limits it.
    pub(super) answer_bytes_max: Option<u64>,
    /// `None` for the web's authorities.
    pub(super) authorities: Option<Authorities>,
}

/// The body of a call.
pub(super) enum Body {
    Json(Value),
    Form {
        content_type: String,
        bytes: Vec<u8>,
    },
}

impl HttpCall {
    pub(super) fn new(method: Method, url: String, timeout: Duration) -> Self {
        Self {
            method,
            url,
            headers: Vec::new(),
            body: None,
            timeout,
            answer_bytes_max: None,
            authorities: None,
        }
    }

    pub(super) fn json(mut self, body: Option<Value>) -> Self {
        self.body = body.map(Body::Json);
        self
    }

    pub(super) fn bearer(mut self, token: &str) -> Self {
        self.headers
            .push(("authorization", format!("Bearer {token}")));
        self
    }

    /// The answer with any status. The error says why there is none; it may hold the URL.
    pub(super) async fn send(self) -> Result<Response, String> {
        let calling = tokio::task::spawn_blocking(move || self.send_blocking());
        match calling.await {
            Ok(answered) => answered.map_err(|error| error.to_string()),
            Err(_) => Err("the call was broken off".to_owned()),
        }
    }

    fn send_blocking(&self) -> Result<Response, outbound::NoAnswer> {
        let headers: Vec<(&str, &str)> = self
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let mut request = Request {
            headers: &headers,
            timeout: self.timeout,
            authorities: self.authorities.as_ref(),
            ..Request::new(self.method, &self.url)
        };
        if let Some(bytes_max) = self.answer_bytes_max {
            request.answer_bytes_max = bytes_max;
        }
        match &self.body {
            Some(Body::Json(json)) => request.body = Some(json),
            Some(Body::Form {
                content_type,
                bytes,
            }) => request.raw = Some((content_type, bytes)),
            None => {}
        }
        outbound::send(&request)
    }
}

/// The pause before the next try, by the number of failed ones: 1, 2, 4 … 60 s, minus a random
/// part of up to half, so that relays don't reconnect at the same time.
pub(super) fn backoff(attempt: u32) -> Duration {
    let full = Duration::from_secs((1 << attempt.min(6)).min(BACKOFF_S_MAX));
    full.mul_f64(0.5 + random::unit() / 2.0)
}
