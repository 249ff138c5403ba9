//! Relays that repeat a request without a key because the connection broke: the answer that
//! could not be written is given to the retry, once, and nothing is counted twice.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::Duration;

use chatkeep::clock::{Clock, Timestamp};
use serde_json::Value;
use support::{Answer, HeldWriter, Request, Service, direct, eventually, post, read_answer, token};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const MINUTE_MS: i64 = 60_000;

fn hello() -> Request {
    let body = direct("+15550101", "hello");
    post("/edge/message", &body).bearer(&token("a"))
}

fn legacy(text: &str) -> Request {
    post("/orchestrator/message", &direct("+15550101", text))
}

/// Messages, and what was counted of the day.
fn counts(service: &Service) -> Vec<Vec<Value>> {
    service.rows("SELECT (SELECT count(*) FROM messages), (SELECT sum(count) FROM usage_days)")
}

fn stored_answers(service: &Service) -> Vec<Vec<Value>> {
    service.rows("SELECT count(*) FROM undelivered_answers")
}

/// Sends a request and does not wait for the answer; it is being worked on, while the writer is
/// held.
async fn sent(service: &Service, request: &Request) -> TcpStream {
    let waiting = service.app.store.queued();
    let client = sent_retry(service, request).await;
    eventually("it is queued", async || {
        service.app.store.queued() > waiting
    })
    .await;
    client
}

/// The same with a retry, which waits for the first request and leaves no trace of it.
async fn sent_retry(service: &Service, request: &Request) -> TcpStream {
    let mut client = TcpStream::connect(service.address).await.unwrap();
    client.write_all(&request.bytes()).await.unwrap();
    client
}

/// A message whose client closes its socket before the answer can be written.
async fn lose_an_answer(service: &Service, request: &Request) {
    let writer = service.hold_writer().await;
    drop(sent(service, request).await);
    drop(writer);
    eventually("the answer is kept", async || {
        stored_answers(service) == [[1]]
    })
    .await;
}

fn replies(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.text.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_nobody_read_is_given_to_the_retry_once() {
    let service = Service::start().await;
    for (n, request) in [hello(), legacy("hello")].into_iter().enumerate() {
        let n = n as i64;
        lose_an_answer(&service, &request).await;
        assert_eq!(counts(&service), [[2 * n + 1, 2 * n + 1]]);
        let retried = service.send(&request).await;
        assert_eq!(retried.status, 200, "{}", retried.text);
        assert_eq!(
            counts(&service),
            [[2 * n + 1, 2 * n + 1]],
            "the retry is no message"
        );
        assert_eq!(stored_answers(&service), [[0]]);
        let third = service.send(&request).await;
        assert_eq!(third.status, 200);
        assert_eq!(
            counts(&service),
            [[2 * n + 2, 2 * n + 2]],
            "a third one is a message"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_gets_the_very_answer_of_the_first() {
    let service = Service::start().await;
    let body = direct("+15550101", "remind me in 2 hours to stretch");
    let request = post("/edge/message", &body).bearer(&token("a"));
    lose_an_answer(&service, &request).await;
    let retried = service.send(&request).await;
    let promised = service.rows("SELECT schedule_id FROM reminders");
    assert_eq!(promised.len(), 1);
    assert_eq!(
        retried.json()["schedule_message"]["schedule_id"],
        promised[0][0]
    );
    // Another relay, another endpoint or another body is no retry.
    lose_an_answer(&service, &hello()).await;
    let others = [
        post("/edge/message", &direct("+15550101", "hello")).bearer(&token("b")),
        post("/edge/message", &direct("+15550101", "hello ")).bearer(&token("a")),
        legacy("hello"),
    ];
    for (n, other) in others.iter().enumerate() {
        assert_eq!(service.send(other).await.status, 200);
        assert_eq!(counts(&service)[0][0], n as i64 + 3);
    }
    assert_eq!(stored_answers(&service), [[1]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_during_the_work_waits_for_it() {
    let service = Service::start().await;
    let writer = service.hold_writer().await;
    drop(sent(&service, &hello()).await);
    let mut retry = sent_retry(&service, &hello()).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(writer);
    let answer = read_answer(&mut retry).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(counts(&service), [[1, 1]]);
    assert_eq!(stored_answers(&service), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_that_is_lost_too_is_kept_again() {
    let service = Service::start().await;
    lose_an_answer(&service, &hello()).await;
    let writer = service.hold_writer().await;
    drop(sent_retry(&service, &hello()).await);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut third = sent_retry(&service, &hello()).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(writer);
    let answer = read_answer(&mut third).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(counts(&service), [[1, 1]]);
    assert_eq!(stored_answers(&service), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_words_of_clients_that_are_there_are_messages() {
    let service = Service::start().await;
    let writer = service.hold_writer().await;
    let mut clients = Vec::new();
    for _ in 0..5 {
        clients.push(sent(&service, &hello()).await);
    }
    drop(writer);
    for client in &mut clients {
        assert_eq!(read_answer(client).await.status, 200);
    }
    assert_eq!(counts(&service), [[5, 5]]);
    assert_eq!(stored_answers(&service), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_only_stopped_sending_gets_its_answer() {
    let service = Service::start().await;
    let writer = service.hold_writer().await;
    let mut client = sent(&service, &hello()).await;
    client.shutdown().await.unwrap();
    drop(writer);
    assert_eq!(read_answer(&mut client).await.status, 200);
    // It is known to be delivered when the client has had time to refuse it.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(stored_answers(&service), [[0]]);
    assert_eq!(service.send(&hello()).await.status, 200);
    assert_eq!(counts(&service), [[2, 2]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn undelivered_answers_survive_a_restart_and_end_after_ten_minutes() {
    let clock = Clock::fixed(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::in_folder(folder, &[], clock.clone()).await;
    for (away_ms, messages) in [(10 * MINUTE_MS, 1), (10 * MINUTE_MS + 1, 3)] {
        lose_an_answer(&service, &legacy("hello")).await;
        let (_, folder) = service.stop().await;
        clock.advance(away_ms);
        service = Service::in_folder(folder, &[], clock.clone()).await;
        let answer = service.send(&legacy("hello")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(counts(&service)[0][0], messages, "after {away_ms} ms");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_over_does_not_stand_before_one_that_is_not() {
    let clock = Clock::fixed(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    lose_an_answer(&service, &legacy("hello")).await;
    clock.advance(11 * MINUTE_MS);
    let writer = service.hold_writer().await;
    drop(sent(&service, &legacy("hello")).await);
    drop(writer);
    eventually("the second is kept", async || {
        stored_answers(&service) == [[2]]
    })
    .await;
    let newest = service.rows("SELECT max(id) FROM messages");
    let answer = service.send(&legacy("hello")).await;
    assert_eq!(replies(&answer).0, 200);
    assert_eq!(service.rows("SELECT max(id) FROM messages"), newest);
}

/// Kills a service that has committed a message whose answer it has not written: the next
/// one finds a file in which the message is there and nothing says that it was answered.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_a_kill_left_unwritten_is_given_to_the_retry() {
    let service = Service::start().await;
    for n in 0..20 {
        let other = post(
            "/edge/message",
            &direct("+15550102", &format!("number {n}")),
        );
        assert_eq!(service.send(&other.bearer(&token("a"))).await.status, 200);
    }
    // The client holds its connection open and the file is copied right after the commit.
    let writer = service.hold_writer().await;
    let mut client = sent(&service, &hello()).await;
    let copy = tempfile::tempdir().unwrap();
    let copied = copy_at_commit(&service, writer, copy.path()).await;
    let first = read_answer(&mut client).await;
    assert_eq!(copied, 21, "the message is in the copy");

    let restarted = Service::in_folder(copy, &[], Clock::system()).await;
    let answered_before = post("/edge/message", &direct("+15550102", "number 3"));
    let retried = restarted.send(&hello()).await;
    assert_eq!(replies(&retried), replies(&first));
    assert_eq!(counts(&restarted), [[21, 21]]);
    // Those whose answers were written are no retries, nor is a second one of this.
    assert_eq!(
        restarted
            .send(&answered_before.bearer(&token("a")))
            .await
            .status,
        200
    );
    assert_eq!(counts(&restarted), [[22, 22]]);
    assert_eq!(restarted.send(&hello()).await.status, 200);
    assert_eq!(counts(&restarted), [[23, 23]]);
    let (_, folder) = restarted.stop().await;
    let later = Service::in_folder(folder, &[], Clock::system()).await;
    assert_eq!(
        stored_answers(&later),
        [[0]],
        "after a clean end nothing is in doubt"
    );
}

/// Lets the writer commit what waits and copies the file before the answer can be written:
/// a job of the same batch does it. The number of messages in the copy.
async fn copy_at_commit(service: &Service, writer: HeldWriter, to: &std::path::Path) -> i64 {
    let waiting = service.app.store.queued();
    let from = service.app.store.path().to_owned();
    let target = to.join("chatkeep.db");
    let copying = service.app.store.write(move |tx| {
        tx.after_commit(move || {
            for suffix in ["", "-wal"] {
                let name = |path: &std::path::Path| format!("{}{suffix}", path.display());
                let _ = std::fs::copy(name(&from), name(&target));
            }
        });
        Ok(())
    });
    let (copied, ()) = tokio::join!(copying, async move {
        eventually("it is queued", async || {
            service.app.store.queued() > waiting
        })
        .await;
        drop(writer);
    });
    copied.unwrap();
    let rows = support::rows(&to.join("chatkeep.db"), "SELECT count(*) FROM messages");
    rows[0][0].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_is_known_soon_also_without_another_message() {
    let service = Service::start().await;
    assert_eq!(service.send(&hello()).await.status, 200);
    eventually("it is noted", async || {
        service.rows("SELECT unwritten FROM messages") == [[-1]]
    })
    .await;
}
