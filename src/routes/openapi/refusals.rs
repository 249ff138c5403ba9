//! The error responses of a route: those that follow from its row and those that its description
//! adds, each with codes and headers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::http::{Method, StatusCode};
use crate::routes::{Caller, Route};

/// The code for a browser request from a page of another origin.
const ORIGIN_NOT_ALLOWED: &str = "origin_not_allowed";

/// Adds the error responses to an operation, and headers to every response. `errors` holds the
/// operation's own codes by status; `never` lists statuses that its row implies but it never
/// answers. Responses used by several operations go to `shared`, by name.
pub(super) fn add(
    row: &Route,
    operation: &mut Map<String, Value>,
    shared: &mut Map<String, Value>,
) {
    let mut codes = codes_of_row(row);
    if let Some(Value::Object(explicit)) = operation.remove("errors") {
        for (status, explicit) in explicit {
            let codes = codes.entry(status).or_default();
            for code in explicit.as_array().into_iter().flatten() {
                let code = code.as_str().expect("codes are strings").to_owned();
                if !codes.contains(&code) {
                    codes.push(code);
                }
            }
        }
    }
    if let Some(Value::Array(excluded)) = operation.remove("never") {
        codes.retain(|status, _| !excluded.iter().any(|n| n.as_str() == Some(status)));
    }
    let is_limited = codes.contains_key("429");
    // Origin checks happen before calls are counted, so those responses have no rate limit headers.
    let by_origin_only = codes
        .get("403")
        .is_some_and(|codes| codes == &[ORIGIN_NOT_ALLOWED]);
    let is_counted = |status: &str| match status {
        "414" | "431" => false,
        "403" => is_limited && !by_origin_only,
        _ => is_limited,
    };
    let responses = operation.entry("responses").or_insert_with(|| json!({}));
    for (status, explicit) in responses.as_object_mut().into_iter().flatten() {
        add_headers(status, is_counted(status), explicit);
        if let Some(codes) = codes.remove(status) {
            explicit["content"]["application/problem+json"] = json!({ "schema": schema(&codes) });
        }
    }
    for (status, codes) in codes {
        let (mut name, description) = shared_response(row, &status, &codes);
        if is_counted(&status) && status != "429" {
            name.push_str(".counted");
        }
        responses[&status] = json!({"$ref": format!("#/components/responses/{name}")});
        shared.entry(name).or_insert_with(|| {
            let content = json!({"application/problem+json": {"schema": schema(&codes)}});
            let mut response = json!({"description": description, "content": content});
            add_headers(&status, is_counted(&status), &mut response);
            response
        });
    }
}

fn codes_of_row(row: &Route) -> BTreeMap<String, Vec<String>> {
    let mut refusals = vec![
        (400, "bad_request"),
        (414, "uri_too_long"),
        (431, "headers_too_large"),
        (500, "internal_error"),
        (503, "unavailable"),
    ];
    if row.caller != Caller::Anyone {
        refusals.push((401, "unauthorized"));
    }
    if row.method != Method::GET {
        refusals.push((403, ORIGIN_NOT_ALLOWED));
    }
    if row.path.contains('{') {
        refusals.push((404, "not_found"));
    }
    if row.body_bytes_max > 0 {
        refusals.extend([
            (408, "request_timeout"),
            (413, "payload_too_large"),
            (415, "unsupported_media_type"),
            (422, "validation_failed"),
        ]);
    }
    if row.limit.is_some() {
        refusals.push((429, "rate_limited"));
    }
    let by_status = |(status, code): (u16, &str)| (status.to_string(), vec![code.to_owned()]);
    refusals.into_iter().map(by_status).collect()
}

fn schema(codes: &[String]) -> Value {
    json!({
        "allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"properties": {"code": {"enum": codes}}},
        ],
    })
}

/// The name of a shared response, and its description.
fn shared_response(row: &Route, status: &str, codes: &[String]) -> (String, String) {
    let name = codes.join(".");
    let limit = row.limit.map(|limit| limit.calls_and_window_ms());
    match (status, limit) {
        ("413", _) => {
            let bytes_max = row.body_bytes_max;
            let sentence = format!("The body has more than {bytes_max} bytes.");
            (format!("{name}.{bytes_max}"), sentence)
        }
        ("429", Some((calls, window_ms))) => {
            let window_s = window_ms / 1000;
            let sentence = format!("Each person may call {calls} times in any {window_s} s.");
            (format!("{name}.{calls}.{window_s}"), sentence)
        }
        _ => {
            let status: Option<StatusCode> = status.parse().ok();
            let reason = status.and_then(|status| status.canonical_reason());
            (name, format!("{}.", reason.unwrap_or("Error")))
        }
    }
}

/// `is_counted`: the response has rate limit headers.
fn add_headers(status: &str, is_counted: bool, response: &mut Value) {
    let mut headers = vec![("X-Request-Id", "RequestId")];
    match status {
        "401" => headers.push(("WWW-Authenticate", "Bearer")),
        "426" => headers.push(("Sec-WebSocket-Version", "WebSocketVersion")),
        "429" | "503" => headers.push(("Retry-After", "RetryAfter")),
        _ => {}
    }
    if is_counted {
        headers.extend([
            ("RateLimit-Policy", "RateLimitPolicy"),
            ("RateLimit", "RateLimit"),
        ]);
    }
    for (name, component) in headers {
        response["headers"][name] = json!({"$ref": format!("#/components/headers/{component}")});
    }
}
