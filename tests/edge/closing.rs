//! How the service itself ends a socket: silence, and its own end.

use serde_json::json;

use crate::commands::{chat_with, states};
use crate::raw::{FIN, RawSocket, TEXT, frame};
use crate::support::{self, Service, post, token};
use chatkeep::server::RunEnd;
use tokio_tungstenite::tungstenite::Message;

const IMPATIENT: [(&str, &str); 2] = [
    ("CHATKEEP_EDGE_HEARTBEAT_S", "1"),
    ("CHATKEEP_EDGE_SILENCE_S", "4"),
];
/// A relay that answers isn't closed because the machine stood still for a while.
const PATIENT: [(&str, &str); 2] = [
    ("CHATKEEP_EDGE_HEARTBEAT_S", "1"),
    ("CHATKEEP_EDGE_SILENCE_S", "6"),
];
/// Pings that take longer than that silence.
const PINGS: usize = 7;

#[tokio::test]
async fn silence_closes_with_4408() {
    let service = Service::with(&IMPATIENT).await;
    // Fragments of a message that never ends are no life.
    let mut socket = RawSocket::open(&service, "a").await;
    socket.write(&frame(TEXT, b"{")).await;
    let pinged = socket.next().await;
    assert_eq!(pinged, Some((0x89, Vec::new())));
    socket.ends_with(4408).await;
}

#[tokio::test]
async fn a_relay_that_answers_pings_stays() {
    let service = Service::with(&PATIENT).await;
    let mut socket = RawSocket::open(&service, "a").await;
    for _ in 0..PINGS {
        assert_eq!(socket.next().await, Some((0x89, Vec::new())));
        socket.frame(FIN | 0xa, b"").await;
    }
    socket.frame(FIN | TEXT, br#"{"type":"ping"}"#).await;
    assert_eq!(socket.next_text().await, r#"{"type":"pong"}"#);
}

#[tokio::test]
async fn a_drain_says_goodbye_takes_acks_and_closes() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    relay
        .say(&json!({"type": "resume", "data": {"capabilities": ["typing"]}}))
        .await;
    let command = relay.command().await;
    let (hub, now) = (service.app.hub.clone(), service.app.clock.now());
    let agent = service.app.store.write(move |tx| tx.agent("a", now)).await;
    let agent = agent.unwrap().id;
    let stopping = tokio::spawn(service.stop());
    let bye = relay.next().await;
    assert_eq!(bye["type"], "bye");
    assert_eq!(bye["data"]["code"], 1012);
    assert!((500..=3_000).contains(&bye["data"]["retry_after_ms"].as_u64().unwrap()));
    relay.ack(&command, "completed").await;
    hub.show_typing(agent, "x", true, 5_000);
    // No more commands, no typing, no second goodbye.
    let Message::Close(Some(close)) = relay.next_message().await else {
        panic!("something before the close");
    };
    assert_eq!(u16::from(close.code), 1012);
    let (ended, folder) = stopping.await.unwrap();
    assert_eq!(ended, RunEnd::Clean);
    let path = folder.path().join("chatkeep.db");
    let rows = support::rows(&path, "SELECT state FROM commands ORDER BY seq");
    assert_eq!(rows, [["completed"], ["queued"]]);
}

#[tokio::test]
async fn a_drain_ends_a_poll() {
    let service = Service::start().await;
    let body = json!({"wait_seconds": 25});
    let request = post("/edge/sync", &body).bearer(&token("a"));
    let mut stream = tokio::net::TcpStream::connect(service.address)
        .await
        .unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stream, &request.bytes())
        .await
        .unwrap();
    support::eventually("the agent", async || {
        service.rows("SELECT agent_id FROM agents").len() == 1
    })
    .await;
    assert!(states(&service).is_empty());
    let stopping = tokio::spawn(service.stop());
    let answer = support::read_answer(&mut stream).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(stopping.await.unwrap().0, RunEnd::Clean);
}
