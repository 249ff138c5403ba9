//! WebSocket handshakes, and the sockets they leave.

use chatkeep::http::{DrainEnd, ServerSettings};

use crate::wire::{settings, start, start_with};

fn handshake(version: &str, extra: &str) -> String {
    format!(
        "GET /upgrade HTTP/1.1\r\nhost: t\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: {version}\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{extra}\r\n"
    )
}

#[tokio::test]
async fn a_handshake_leaves_a_socket_that_counts_and_outlives_the_drain() {
    let server = start_with(ServerSettings {
        max_connections: 1,
        ..settings()
    })
    .await;
    let mut client = server.connect().await;
    client.send(handshake("13", "")).await;
    let answer = client.until("\r\n\r\n").await;
    assert_eq!(answer.status(), 101);
    let accept = answer.header("sec-websocket-accept");
    assert_eq!(accept, Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    assert!(answer.header("x-request-id").is_some());
    client.send("echo").await;
    client.until("echo").await;

    assert_eq!(server.metrics.connections(), 1);
    server.get("/plain").await.problem(503, "unavailable");

    let metrics = server.metrics.clone();
    server.ask_to_stop();
    assert_eq!(server.drained().await, DrainEnd::Clean);
    client.send("still").await;
    client.until("still").await;
    drop(client);
    while metrics.connections() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_is_no_handshake_is_refused() {
    let server = start().await;
    server.get("/upgrade").await.problem(400, "bad_request");
    let mut client = server.connect().await;
    let body = handshake("13", "content-length: 2\r\n") + "hi";
    client.send(body).await;
    client.until("}").await.problem(400, "bad_request");

    let mut client = server.connect().await;
    client.send(handshake("8", "")).await;
    let answer = client.until("}").await;
    answer.problem(426, "upgrade_required");
    assert_eq!(answer.header("sec-websocket-version"), Some("13"));
    client.send(crate::wire::get("/plain")).await;
    assert_eq!(
        client.rest().await.body(),
        "plain",
        "the connection goes on"
    );
}
