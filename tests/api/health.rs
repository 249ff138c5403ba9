//! `GET /health`: for everybody, in few words.

use crate::support::{Service, get, request};
use chatkeep::clock::Clock;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_works_says_so() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    clock.advance(61_999);
    let answer = service.send(&get("/health")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let expected = json!({
        "status": "ok", "version": env!("CARGO_PKG_VERSION"), "uptime_s": 61,
        "checks": {"database": "ok", "writer": "ok", "flags": "ok", "relays": 0},
    });
    assert_eq!(answer.json(), expected);
    let _relay = service.relay("a").await;
    let answer = service.send(&get("/health")).await;
    assert_eq!(answer.json()["checks"]["relays"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn head_gets_the_head_alone() {
    let service = Service::start().await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let request = request("HEAD", "/health").bytes();
    stream.write_all(&request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
}

/// A database that can't be written is said, and heals by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_cannot_write_says_so() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chatkeep.db");
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let other = rusqlite::Connection::open(&path).unwrap();
    // Stands for anything that keeps the writer from writing.
    other
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON meta BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .unwrap();
    clock.advance(2_000);
    let answer = service.send(&get("/health")).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(answer.json()["status"], "unavailable");
    assert_eq!(answer.json()["checks"]["writer"], "failing");
    assert_eq!(answer.json()["checks"]["database"], "ok");
    other.execute_batch("DROP TRIGGER full").unwrap();
    let answer = service.send(&get("/health")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}
