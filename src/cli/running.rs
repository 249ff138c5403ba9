//! Requests to the running service. While it holds the database, commands change data through it.

use std::time::Duration;

use serde_json::Value;

use super::audit;
use crate::config::{Config, Secret};
use crate::outbound::{self, Method, Request};
use crate::store;

/// Whether a service or another command holds the database.
pub(super) fn is_there(config: &Config) -> bool {
    store::holder(&config.storage.path).is_some()
}

/// Whether a service holds the database and answers. A starting or stopping one doesn't.
pub(super) fn is_answering(config: &Config) -> bool {
    let address = store::holder(&config.storage.path).and_then(|holder| holder.address);
    let health = address.map(|address| format!("{address}/health"));
    health.is_some_and(|url| outbound::send(&Request::new(Method::Get, &url)).is_ok())
}

/// Sends a request to the service; `None` when no service runs on this database. Any answer other
/// than 200 is an error.
pub(super) fn ask(
    config: &Config,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<Option<Value>, String> {
    send(config, Request::new(method, path), body)
}

/// Like `ask`, for work that takes the service up to `timeout`.
pub(super) fn ask_for(
    config: &Config,
    method: Method,
    path: &str,
    body: Option<&Value>,
    timeout: Duration,
) -> Result<Option<Value>, String> {
    let request = Request {
        timeout,
        ..Request::new(method, path)
    };
    send(config, request, body)
}

/// `request` has the path in the place of a URL.
fn send(
    config: &Config,
    request: Request<'_>,
    body: Option<&Value>,
) -> Result<Option<Value>, String> {
    let Some(holder) = store::holder(&config.storage.path) else {
        return Ok(None);
    };
    let address = holder
        .address
        .ok_or("another command holds the database; try again when it is done")?;
    let token = config.admin.token.as_ref().map_or("", Secret::expose);
    let answer = outbound::send(&Request {
        headers: &[
            ("authorization", &format!("Bearer {token}")),
            ("x-operator", &operator_header()),
        ],
        body,
        url: &format!("{address}{}", request.url),
        ..request
    })
    .map_err(|e| format!("the running service at {address} does not answer: {e}"))?;
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match answer.status {
        200 => Ok(Some(body)),
        401 => Err(format!(
            "the running service at {address} has another admin.token; \
             use its configuration (--config and the same environment)"
        )),
        status => Err(match body.get("detail").and_then(Value::as_str) {
            Some(detail) => format!("the running service refused: {detail}"),
            None => format!("the running service refused with {status}"),
        }),
    }
}

/// The operator running this command, as a header value.
fn operator_header() -> String {
    const CHARS_MAX: usize = 64;
    let visible = |c: char| {
        if c.is_ascii_graphic() || c == ' ' {
            c
        } else {
            '?'
        }
    };
    audit::operator()
        .name
        .chars()
        .take(CHARS_MAX)
        .map(visible)
        .collect()
}
