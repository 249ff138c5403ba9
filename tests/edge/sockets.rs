//! Which socket of an agent counts, and who may come.

use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::commands::{chat, chat_with, clock, queue, service_at, until_states};
use crate::support::{
    ADMIN_TOKEN, RelaySocket, Service, eventually, post, read_answer, request, token,
};

/// `bye` with its code, then the close frame with the same.
pub(crate) async fn ends_with(relay: &mut RelaySocket, code: u16) {
    loop {
        let frame = relay.next().await;
        if frame["type"] == "bye" {
            assert_eq!(frame["data"]["code"], code, "{frame}");
            break;
        }
    }
    let close = relay.closed().await.expect("a code");
    assert_eq!(u16::from(close.code), code);
}

#[tokio::test]
async fn the_newest_socket_wins() {
    let service = Service::start().await;
    let mut old = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let first = old.command().await;
    let mut new = service.relay("a").await;
    ends_with(&mut old, 4409).await;
    let repeated = new.command().await;
    assert_eq!(repeated, first, "the same, and no attempt");
    new.ack(&repeated, "completed").await;
    assert_eq!(new.command().await["seq"], 2);
    until_states(&service, &[(1, "completed"), (2, "sent")]).await;
}

#[tokio::test]
async fn sockets_that_replace_each_other_are_stopped() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    let mut sockets = Vec::new();
    for _ in 0..4 {
        sockets.push(service.relay("a").await);
    }
    let refused = RelaySocket::open(service.address, "a", &token("a")).await;
    assert_eq!(refused.err(), Some(429));
    sockets[3].settle().await; // the one that is there stays
    // One that has gone silent may be replaced.
    clock.advance(35_001);
    let replaced = RelaySocket::open(service.address, "a", &token("a")).await;
    assert!(replaced.is_ok());
}

#[tokio::test]
async fn ten_upgrades_a_minute() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    for _ in 0..10 {
        drop(service.relay("a").await);
        eventually("gone", async || service.app.hub.connected() == 0).await;
    }
    let handshake = request("GET", "/edge/ws?edge_agent_id=a").bearer(&token("a"));
    let answer = service.send(&crate::upgrades::upgrading(handshake)).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (429, "rate_limited")
    );
    assert_eq!(answer.header("retry-after"), Some("60"));
    clock.advance(60_000);
    service.relay("a").await;
}

#[tokio::test]
async fn a_revoked_agent_is_closed_and_stays_out() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    let old_token = token("a");
    let revoke = request("POST", "/admin/edge-agents/a/revoke").bearer(ADMIN_TOKEN);
    let answer = service.send(&revoke).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    ends_with(&mut relay, 4401).await;
    let refused = RelaySocket::open(service.address, "a", &old_token).await;
    assert_eq!(refused.err(), Some(401));
    let relays = service.admin("GET", "/admin/edge-agents", &json!({})).await;
    assert_eq!(relays.json()["agents"][0]["connected"], false);
}

#[tokio::test]
async fn a_socket_ends_with_its_token() {
    const DAY_MS: i64 = 86_400_000;
    let clock = clock();
    let service = service_at(&clock, &[("CHATKEEP_EDGE_TOKEN_TTL_DAYS", "1")]).await;
    let mut relay = service.relay("a").await;
    clock.advance(DAY_MS - 60_000);
    relay.settle().await;
    clock.advance(120_000);
    relay.say(&json!({"type": "ping"})).await;
    ends_with(&mut relay, 4401).await;
}

/// It might else hand out what falls due after the revocation.
#[tokio::test]
async fn a_revocation_ends_a_poll_that_waits() {
    let service = Service::start().await;
    chat(&service, "a", "x").await;
    let body = json!({"wait_seconds": 25, "status": {"uptime_seconds": 7}});
    let waiting = post("/edge/sync", &body).bearer(&token("a"));
    let mut stream = tokio::net::TcpStream::connect(service.address)
        .await
        .unwrap();
    stream.write_all(&waiting.bytes()).await.unwrap();
    let reported = "SELECT 1 FROM agents WHERE status LIKE '%7%'";
    eventually("the poll", async || service.rows(reported).len() == 1).await;
    let revoke = request("POST", "/admin/edge-agents/a/revoke").bearer(ADMIN_TOKEN);
    assert_eq!(service.send(&revoke).await.status, 200);
    queue(&service, "a", "x", "secret").await;
    let answer = read_answer(&mut stream).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["commands"], json!([]));
}
