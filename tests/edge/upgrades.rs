//! What is answered before an upgrade, and in which order it is checked.

use crate::support::{Answer, Request, Service, request, token};

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

#[tokio::test]
async fn checked_in_this_order() {
    let service =
        Service::with(&[("CHATKEEP_EDGE_ALLOWED_ORIGINS", "https://app.example.com")]).await;
    let good = token("a");
    let version_8 = request("GET", "/edge/ws?edge_agent_id=a")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("Sec-WebSocket-Version", "8");
    let foreign = ("Origin", "https://evil.example.com");
    let cases: Vec<(&str, Request, u16, &str)> = vec![
        (
            "no agent id",
            handshake("").bearer("bad"),
            400,
            "bad_request",
        ),
        (
            "an empty one",
            handshake("?edge_agent_id=").bearer(&good),
            400,
            "bad_request",
        ),
        (
            "no handshake",
            request("GET", "/edge/ws?edge_agent_id=a").bearer(&good),
            400,
            "bad_request",
        ),
        (
            "version 8",
            version_8.bearer("bad"),
            426,
            "upgrade_required",
        ),
        (
            "no token",
            handshake("?edge_agent_id=a").header(foreign.0, foreign.1),
            401,
            "unauthorized",
        ),
        (
            "a bad one",
            handshake("?edge_agent_id=a").bearer("bad"),
            401,
            "unauthorized",
        ),
        (
            "another agent's",
            handshake("?edge_agent_id=b").bearer(&good),
            401,
            "unauthorized",
        ),
        (
            "another agent's header",
            handshake("?edge_agent_id=a")
                .bearer(&good)
                .header("X-Edge-Agent-Id", "b"),
            401,
            "unauthorized",
        ),
        (
            "token in the query",
            handshake(&format!(
                "?edge_agent_id=a&token={good}&access_token={good}"
            )),
            401,
            "unauthorized",
        ),
        (
            "a foreign origin",
            handshake("?edge_agent_id=a")
                .bearer(&good)
                .header(foreign.0, foreign.1),
            403,
            "origin_not_allowed",
        ),
    ];
    let mut refusals: Vec<Answer> = Vec::new();
    for (what, request, status, code) in cases {
        let answer = service.send(&request).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{what}"
        );
        refusals.extend((status == 401).then_some(answer));
    }
    let first = &refusals[0].json();
    for other in &refusals {
        let mut shown = other.json();
        shown["request_id"] = first["request_id"].clone();
        assert_eq!(shown, *first, "every 401 is the same");
    }
    for origin in ["https://app.example.com", "https://APP.example.com"] {
        let request = handshake("?edge_agent_id=a")
            .bearer(&good)
            .header("Origin", origin);
        let mut socket = crate::raw::RawSocket::send(service.address, &request).await;
        assert_eq!(socket.status, 101, "{origin}");
        assert!(socket.next_text().await.contains("hello"));
    }
}
