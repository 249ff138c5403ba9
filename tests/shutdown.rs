//! SIGTERM: what is under way is finished, relays are told, and the exit status says how it
//! went; a second one ends at once.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::Duration;

use rusqlite::Connection;
use support::process::Process;
use support::{ADMIN_TOKEN, RelaySocket, direct, get, post, read_answer, token};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// A service with a relay's socket and a message under way, which waits for the lock.
struct Busy {
    service: Process,
    holder: Connection,
    client: TcpStream,
    relay: RelaySocket,
    folder: tempfile::TempDir,
}

impl Busy {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("chatkeep.db");
        let service = Process::start(&database, &[]).unwrap();
        let relay = RelaySocket::open(service.address, "a", &token("a"))
            .await
            .unwrap();
        let holder = Connection::open(&database).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        let others = requests_in_progress(&service).await;
        let mut client = TcpStream::connect(service.address).await.unwrap();
        let message = post("/edge/message", &direct("+15550101", "hello")).bearer(&token("a"));
        client.write_all(&message.bytes()).await.unwrap();
        support::eventually("it is under way", async || {
            requests_in_progress(&service).await > others
        })
        .await;
        service.signal("TERM");
        Self {
            service,
            holder,
            client,
            relay,
            folder,
        }
    }
}

async fn requests_in_progress(service: &Process) -> u64 {
    let page = service.send(&get("/metrics").bearer(ADMIN_TOKEN)).await;
    let mut lines = page.text.lines();
    let value = lines.find_map(|line| line.strip_prefix("chatkeep_http_requests_in_progress "));
    value.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_under_way_is_answered_and_relays_are_told() {
    let mut busy = Busy::start().await;
    let bye = busy.relay.next().await;
    assert_eq!(
        (bye["type"].as_str(), bye["data"]["code"].as_u64()),
        (Some("bye"), Some(1012))
    );
    support::eventually("new connections are refused", async || {
        TcpStream::connect(busy.service.address).await.is_err()
    })
    .await;
    drop(busy.holder);
    let answer = read_answer(&mut busy.client).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let close = busy.relay.closed().await.expect("a close frame");
    assert_eq!(u16::from(close.code), 1012);
    assert_eq!(busy.service.ended(Duration::from_secs(5)).code(), Some(0));
    let database = busy.folder.path().join("chatkeep.db");
    assert!(
        !database.with_extension("db-wal").exists(),
        "the log was moved"
    );
    assert_eq!(
        support::rows(&database, "SELECT text FROM messages"),
        [["hello"]]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_at_once() {
    let mut busy = Busy::start().await;
    assert_eq!(
        busy.relay.next().await["type"],
        "bye",
        "the first was noticed"
    );
    busy.service.signal("TERM");
    // The writer is held for longer.
    assert_eq!(busy.service.ended(Duration::from_secs(4)).code(), Some(1));
    drop(busy.holder);
    // Nobody was told anything, and the next start finds everything in order.
    let database = busy.folder.path().join("chatkeep.db");
    let service = Process::start(&database, &[]).unwrap();
    assert_eq!(service.send(&get("/health")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_service_with_many_connections_stops_quickly() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let mut relays = Vec::new();
    let mut idle = Vec::new();
    for n in 0..50 {
        let agent = format!("agent-{n}");
        relays.push(
            RelaySocket::open(service.address, &agent, &token(&agent))
                .await
                .unwrap(),
        );
        idle.push(TcpStream::connect(service.address).await.unwrap());
    }
    service.signal("TERM");
    let closing = async {
        for relay in &mut relays {
            let close = relay.closed().await.expect("a close frame");
            assert_eq!(u16::from(close.code), 1012);
        }
    };
    tokio::time::timeout(Duration::from_secs(5), closing)
        .await
        .expect("closed in time");
    assert_eq!(service.ended(Duration::from_secs(5)).code(), Some(0));
}
