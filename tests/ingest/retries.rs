//! Relays repeat a request when the connection breaks. Without a key: an answer that could
//! not be written is kept and given once; everything else is a message of its own.

use std::sync::mpsc;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::support::{self, Answer, Request, Service, direct, post, read_answer, token};
use super::{EDGE, LEGACY, count, service_at, standing_clock};

/// Holds the writing thread until it is dropped, so that nothing is answered.
struct Held {
    _release: mpsc::Sender<()>,
}

async fn hold_writer(service: &Service) -> Held {
    let (release, released) = mpsc::channel::<()>();
    let (started, running) = tokio::sync::oneshot::channel();
    let store = service.app.store.clone();
    tokio::spawn(async move {
        let write = store.write(move |_| {
            let _ = started.send(());
            let _ = released.recv();
            Ok(())
        });
        write.await
    });
    running.await.unwrap();
    Held { _release: release }
}

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
    let held = hold_writer(&service).await;
    send_and_break(&service, &retry()).await;
    drop(held);
    support::eventually("kept", async || count(&service, "kept_answers") == 1).await;
    // Another relay, endpoint or body is another message.
    let other = post(EDGE, &direct("ben", "hello")).bearer(&token("a"));
    assert_eq!(service.send(&other).await.status, 200);
    assert_eq!(count(&service, "kept_answers"), 1);
    // Also after a restart, and it uses no limit.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 1)
        .await;
    assert_same_message(&service.send(&retry()).await, &service);
    assert_eq!(count(&service, "kept_answers"), 0);
    assert_eq!(count(&service, "messages"), 2);
    let again = service.send(&retry()).await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(count(&service, "messages"), 3, "given once");
    assert_eq!(service.send(&retry()).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_its_relays_and_endpoints_own() {
    let service = service_at(&standing_clock(), &[]).await;
    let held = hold_writer(&service).await;
    send_and_break(&service, &retry()).await;
    drop(held);
    support::eventually("kept", async || count(&service, "kept_answers") == 1).await;
    let spaced = retry().raw(format!("{} ", message()));
    for request in [
        post(EDGE, &message()).bearer(&token("b")),
        post(LEGACY, &message()),
        spaced,
    ] {
        assert_eq!(service.send(&request).await.status, 200);
    }
    assert_eq!(count(&service, "messages"), 4);
    assert_eq!(count(&service, "kept_answers"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_kept_for_ten_minutes() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    for (after_ms, messages) in [(600_000, 1), (600_001, 3)] {
        let held = hold_writer(&service).await;
        send_and_break(&service, &retry()).await;
        drop(held);
        support::eventually("kept", async || count(&service, "kept_answers") == 1).await;
        clock.advance(after_ms);
        assert_eq!(service.send(&retry()).await.status, 200);
        assert_eq!(count(&service, "messages"), messages, "after {after_ms} ms");
    }
}

/// A retry that comes while the first is still being worked on waits for its answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_waits_for_the_first_when_its_client_is_gone() {
    let service = service_at(&standing_clock(), &[]).await;
    let held = hold_writer(&service).await;
    send_and_break(&service, &retry()).await;
    let again = retry();
    let (answer, ()) = tokio::join!(service.send(&again), async {
        // Whether the retry comes before or after the answer is the same to it.
        tokio::task::yield_now().await;
        drop(held);
    });
    assert_same_message(&answer, &service);
    assert_eq!(count(&service, "messages"), 1);
    assert_eq!(service.rows("SELECT count FROM usage_days"), [[1]]);
}

/// A client that has said everything and still reads is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_half_closed_connection_is_not_gone() {
    let service = service_at(&standing_clock(), &[]).await;
    let held = hold_writer(&service).await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let waiting = service.app.store.queued();
    stream.write_all(&retry().bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    support::eventually("taken", async || service.app.store.queued() > waiting).await;
    drop(held);
    let first = read_answer(&mut stream).await;
    assert_same_message(&first, &service);
    let second = service.send(&retry()).await;
    assert_ne!(second.text, first.text, "another message");
    assert_eq!(count(&service, "messages"), 2);
    assert_eq!(count(&service, "kept_answers"), 0);
}

/// A plain close looks like a half-closed connection until the answer can't be delivered.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_closed_connection_is_lost_too() {
    let service = service_at(&standing_clock(), &[]).await;
    let held = hold_writer(&service).await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    stream.write_all(&retry().bytes()).await.unwrap();
    support::eventually("taken", async || service.app.store.queued() > 0).await;
    drop(stream);
    drop(held);
    support::eventually("kept", async || count(&service, "kept_answers") == 1).await;
    assert_same_message(&service.send(&retry()).await, &service);
    assert_eq!(count(&service, "messages"), 1);
}
