//! What is answered before an upgrade, and in which order it is checked.

use crate::raw::RawSocket;
use crate::support::{Request, Service, request, token};

pub(crate) fn upgrading(request: Request) -> Request {
    request
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("Sec-WebSocket-Version", "13")
}

fn handshake(query: &str) -> Request {
    let path = format!("/edge/ws{query}");
    // `Connection: close` beside the upgrade would be a contradiction.
    upgrading(request("GET", &path))
}

type Case = (&'static str, Request, u16, &'static str);

fn named() -> Request {
    handshake("?edge_agent_id=a")
}

fn version_8() -> Request {
    request("GET", "/edge/ws?edge_agent_id=a")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("Sec-WebSocket-Version", "8")
}

#[rustfmt::skip] // a table: one case, one line
fn refusals() -> Vec<Case> {
    let valid = &token("a");
    let evil = |request: Request| request.header("Origin", "https://evil.example.com");
    let in_query = format!("?edge_agent_id=a&token={valid}&access_token={valid}");
    let plain = request("GET", "/edge/ws?edge_agent_id=a");
    vec![
        ("no agent id",            handshake("").bearer("bad"),                         400, "bad_request"),
        ("an empty one",           handshake("?edge_agent_id=").bearer(valid),           400, "bad_request"),
        ("no handshake",           plain.bearer(valid),                                  400, "bad_request"),
        ("version 8",              version_8().bearer("bad"),                           426, "upgrade_required"),
        ("no token",               evil(named()),                                       401, "unauthorized"),
        ("a bad one",              named().bearer("bad"),                               401, "unauthorized"),
        ("another agent's",        handshake("?edge_agent_id=b").bearer(valid),          401, "unauthorized"),
        ("another agent's header", named().bearer(valid).header("X-Edge-Agent-Id", "b"), 401, "unauthorized"),
        ("token in the query",     handshake(&in_query),                                401, "unauthorized"),
        ("a foreign origin",       evil(named().bearer(valid)),                          403, "origin_not_allowed"),
    ]
}

async fn allowing() -> Service {
    Service::with(&[("CHATKEEP_EDGE_ALLOWED_ORIGINS", "https://app.example.com")]).await
}

#[tokio::test]
async fn checked_in_this_order() {
    let service = allowing().await;
    let mut unauthorized = Vec::new();
    for (what, request, status, code) in refusals() {
        let answer = service.send(&request).await;
        let refused = (answer.status, answer.code());
        assert_eq!(refused, (status, code.to_owned()), "{what}");
        unauthorized.extend((status == 401).then(|| answer.json()));
    }
    for body in &mut unauthorized {
        body["request_id"].take();
    }
    unauthorized.dedup();
    assert_eq!(unauthorized.len(), 1, "every 401 is the same");
}

#[tokio::test]
async fn a_listed_origin_may_connect() {
    let service = allowing().await;
    for origin in ["https://app.example.com", "https://APP.example.com"] {
        let request = named().bearer(&token("a")).header("Origin", origin);
        let mut socket = RawSocket::send(service.address, &request).await;
        assert_eq!(socket.status, 101, "{origin}");
        assert!(socket.next_text().await.contains("hello"));
    }
}
