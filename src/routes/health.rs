//! `GET /health`: whether the service can read and write its database.

use serde_json::json;

use super::Request;
use crate::error::Result;
use crate::http::{self, Response, StatusCode};

/// 200 while the database can be written, otherwise 503 with the same fields.
pub(super) async fn health(rq: Request) -> Result<Response> {
    let app = &rq.app;
    let now = app.clock.now();
    let is_readable = app.store.read(|view| view.edge_epoch()).await.is_ok();
    let probe = app.store.probe(now).await;
    let state = |is_ok: bool| if is_ok { "ok" } else { "failing" };
    let is_ok = is_readable && probe;
    let status = if is_ok {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let mut body = json!({
        "status": if is_ok { "ok" } else { "unavailable" },
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_s": app.clock.monotonic().since(app.started) / 1000,
        "checks": {
            "database": state(is_readable),
            "writer": state(probe),
            "flags": app.flags.status().health(),
            "relays": app.hub.connected(),
        },
    });
    if app.clock.steady_now().is_none() {
        body["checks"]["clock"] = json!("jumped");
    }
    for relay in app.relays.iter().filter(|relay| relay.is_configured()) {
        body["checks"][relay.name] = state(relay.status.problem().is_none()).into();
    }
    let response = http::json_with(status, &body);
    Ok(if is_ok {
        response
    } else {
        http::with_header(response, http::header::RETRY_AFTER, "1")
    })
}
