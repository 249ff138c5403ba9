//! Answers lost to a connection that breaks at the last moment, with the answer all but
//! written: kept for the same relay, endpoint and body, and given without using a limit.

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::support::{self, Answer, Request, Service, direct, post, token};
use super::{EDGE, LEGACY, count, service_at, standing_clock};

fn message() -> Value {
    direct("ana", "remind me in 20 minutes to stretch")
}

fn retry() -> Request {
    post(EDGE, &message()).bearer(&token("a"))
}

/// Sends a request and breaks the connection while it is being worked on.
async fn send_and_break(service: &Service, request: &Request) {
    let waiting = service.app.store.queued();
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    stream.write_all(&request.bytes()).await.unwrap();
    support::eventually("taken", async || service.app.store.queued() > waiting).await;
    stream.set_zero_linger().unwrap();
}

fn assert_same_message(answer: &Answer, service: &Service) {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let id = answer.json()["schedule_message"]["schedule_id"].clone();
    let first = service.rows("SELECT schedule_id FROM reminders ORDER BY id LIMIT 1");
    assert_eq!(first, [[id]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_lost_is_given_once() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 2)
        .await;
    let writer_guard = service.hold_writer().await;
    send_and_break(&service, &retry()).await;
    drop(writer_guard);
    support::eventually("kept", async || count(&service, "undelivered_answers") == 1).await;
    // Another relay, endpoint or body is another message.
    let other = post(EDGE, &direct("ben", "hello")).bearer(&token("a"));
    assert_eq!(service.send(&other).await.status, 200);
    assert_eq!(count(&service, "undelivered_answers"), 1);
    // Also after a restart, and it uses no limit.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 1)
        .await;
    assert_same_message(&service.send(&retry()).await, &service);
    assert_eq!(count(&service, "undelivered_answers"), 0);
    assert_eq!(count(&service, "messages"), 2);
    let repeated = service.send(&retry()).await;
    assert_eq!(repeated.status, 200, "{}", repeated.text);
    assert_eq!(count(&service, "messages"), 3, "given once");
    assert_eq!(service.send(&retry()).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_its_relays_and_endpoints_own() {
    let service = service_at(&standing_clock(), &[]).await;
    let writer_guard = service.hold_writer().await;
    send_and_break(&service, &retry()).await;
    drop(writer_guard);
    support::eventually("kept", async || count(&service, "undelivered_answers") == 1).await;
    let spaced = retry().raw(format!("{} ", message()));
    for request in [
        post(EDGE, &message()).bearer(&token("b")),
        post(LEGACY, &message()),
        spaced,
    ] {
        assert_eq!(service.send(&request).await.status, 200);
    }
    assert_eq!(count(&service, "messages"), 4);
    assert_eq!(count(&service, "undelivered_answers"), 1);
}

/// A plain close looks like a half-closed connection until the answer can't be delivered.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_closed_connection_is_lost_too() {
    let service = service_at(&standing_clock(), &[]).await;
    let writer_guard = service.hold_writer().await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    stream.write_all(&retry().bytes()).await.unwrap();
    support::eventually("taken", async || service.app.store.queued() > 0).await;
    drop(stream);
    drop(writer_guard);
    support::eventually("kept", async || count(&service, "undelivered_answers") == 1).await;
    assert_same_message(&service.send(&retry()).await, &service);
    assert_eq!(count(&service, "messages"), 1);
}
