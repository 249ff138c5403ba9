//! Replies that take longer than a request waits: they follow as a command, once, also after
//! a restart; a legacy relay is told at once.

use std::time::Duration;

use serde_json::json;

use chatkeep::account::erasure::PurgeRun;

use super::support::model_server::Mode;
use super::support::process::{self, Process};
use super::support::{self, Service, direct, group, post, token};
use super::{APOLOGY, count, legacy, reply, say, service, service_of, service_with};

const IMPATIENT: &[(&str, &str)] = &[("CHATKEEP_REPLY_DEADLINE_S", "1")];

#[tokio::test(flavor = "multi_thread")]
async fn a_late_reply_follows_as_a_command() {
    let (service, model) = service_with(IMPATIENT).await;
    model.usually(Mode::Held);
    let mut relay = service.relay("a").await;
    relay
        .say(&json!({"type": "resume", "data": {"capabilities": ["typing"]}}))
        .await;
    let request = post("/edge/message", &direct("ana", "hello"))
        .bearer(&token("a"))
        .header("Idempotency-Key", "k1");
    let answer = service.send(&request).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["should_respond"], false);
    assert_eq!(answer.json()["reply_bubbles"], json!([]));
    assert_eq!(count(&service, "pending_replies"), 1);
    let typing = relay.command().await;
    assert_eq!(typing["command_type"], "typing");
    assert_eq!(typing["payload"]["on"], true);
    // A retry gets what was answered, and at once.
    let again = service.send(&request).await;
    assert_eq!(again.text, answer.text);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    model.release();
    let command = loop {
        let command = relay.command().await;
        if command["command_type"] != "typing" {
            break command;
        }
    };
    assert_eq!(command["command_type"], "send_message_now");
    assert_eq!(command["payload"]["text"], "reply 1: hello");
    assert_eq!(command["payload"]["chat_guid"], "chat;ana");
    let id = answer.header("x-message-id").unwrap();
    assert_eq!(command["payload"]["in_reply_to"], id);
    relay.ack(&command, "completed").await;
    let again = service.send(&request).await;
    assert_eq!(again.text, answer.text, "the same bytes ever after");
    assert_eq!(model.requests().len(), 1);
    assert_eq!(count(&service, "pending_replies"), 0);
    assert_eq!(count(&service, "commands"), 1);
    // It is part of what was said.
    model.usually(Mode::Echo);
    reply(&service, "ana", "and then?").await;
    let said = model.last_request().messages();
    assert_eq!(said[1], ("assistant".to_owned(), "reply 1: hello".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_relay_gets_an_apology_and_nothing_more() {
    let (service, model) = service_with(IMPATIENT).await;
    model.usually(Mode::Held);
    let answer = legacy(&service, "ana", "hello").await;
    assert_eq!(answer.json()["reply_text"], APOLOGY);
    model.release();
    let (_, folder) = service.stop().await;
    let service = service_of(&model, folder, IMPATIENT).await;
    assert_eq!(count(&service, "commands"), 0);
    assert_eq!(count(&service, "pending_replies"), 0);
    let rows = service.rows("SELECT bubbles, late FROM messages");
    assert!(
        rows[0][0]
            .as_str()
            .unwrap()
            .contains("can't find the words")
    );
    assert!(rows[0][1].is_null());
}

/// What the builtin assistant understands for sure is done by it.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_model_keeps_nobody_from_their_reminder() {
    let (service, model) = service_with(IMPATIENT).await;
    model.usually(Mode::Held);
    let answer = legacy(&service, "ana", "remind me in 2 hours to stretch").await;
    let answer = answer.json();
    assert!(answer["schedule_message"].to_string().contains("stretch"));
    let text = answer["reply_text"].as_str().unwrap();
    assert!(text.contains("basic assistant"), "{text}");
    // Of a guess nothing is done.
    let answer = legacy(&service, "ana", "we have run out of milk again").await;
    assert_eq!(answer.json()["reply_text"], APOLOGY);
    model.release();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pending_reply_is_made_after_a_restart() {
    let (service, model) = service_with(IMPATIENT).await;
    model.usually(Mode::Held);
    assert_eq!(say(&service, "ana", "hello").await["should_respond"], false);
    model.calls(1).await;
    let (_, folder) = service.stop().await;
    model.usually(Mode::Echo);
    let service = service_of(&model, folder, IMPATIENT).await;
    let mut relay = service.relay("a").await;
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], "reply 2: hello");
    relay.ack(&command, "completed").await;
    support::eventually("done", async || count(&service, "pending_replies") == 0).await;
    assert_eq!(count(&service, "commands"), 1);
    model.release();
}

/// The request was cut off by the end of the service: its retry is answered, the reply comes
/// as a command, and both only once.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_cut_off_by_the_end_is_answered_once() {
    let settings = &[("CHATKEEP_SERVER_SHUTDOWN_GRACE_S", "0")];
    for key in [Some("k1"), None] {
        let (service, model) = service_with(settings).await;
        model.usually(Mode::Held);
        let mut request = post("/edge/message", &direct("ana", "hello")).bearer(&token("a"));
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let sending = send_and_forget(&service, &request).await;
        model.calls(1).await;
        let (_, folder) = service.stop().await;
        drop(sending);
        model.usually(Mode::Echo);
        let service = service_of(&model, folder, settings).await;
        let answer = service.send(&request).await;
        assert_eq!(answer.json()["should_respond"], false, "{key:?}");
        let mut relay = service.relay("a").await;
        let command = relay.command().await;
        assert_eq!(command["payload"]["text"], "reply 2: hello");
        assert_eq!(count(&service, "messages"), 1, "{key:?}");
        assert_eq!(count(&service, "commands"), 1);
        model.release();
    }
}

async fn send_and_forget(service: &Service, request: &support::Request) -> tokio::net::TcpStream {
    let mut stream = tokio::net::TcpStream::connect(service.address)
        .await
        .unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stream, &request.bytes())
        .await
        .unwrap();
    stream
}

/// A client that leaves while the model thinks: the answer is kept for its retry.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_gets_its_reply_with_the_retry() {
    let (service, model) = service_with(&[]).await;
    model.usually(Mode::Held);
    let request = post("/edge/message", &direct("ana", "hello")).bearer(&token("a"));
    let stream = send_and_forget(&service, &request).await;
    model.calls(1).await;
    stream.set_zero_linger().unwrap();
    drop(stream);
    model.release();
    support::eventually("kept", async || count(&service, "undelivered_answers") == 1).await;
    let answer = service.send(&request).await;
    assert_eq!(answer.json()["reply_text"], "reply 1: hello");
    assert_eq!(count(&service, "messages"), 1);
    assert_eq!(count(&service, "commands"), 0);
}

/// The longest call there is: a relay's chat is told in the end, too.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes the 30 seconds that a call may take"]
async fn a_model_that_hangs_is_apologized_for_in_the_end() {
    let (service, model) = service_with(IMPATIENT).await;
    model.usually(Mode::Held);
    assert_eq!(say(&service, "ana", "hello").await["should_respond"], false);
    tokio::time::sleep(Duration::from_secs(28)).await;
    let mut relay = service.relay("a").await;
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], APOLOGY);
    relay.ack(&command, "completed").await;
    assert_eq!(model.requests().len(), 1);
    model.release();
}

/// kill -9 while the model thinks, at every point of waiting: nothing is lost, nothing comes
/// twice, and a retry with its key is answered as the first request was, by silence.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_loses_no_reply() {
    let model = super::ModelServer::start().await;
    model.usually(Mode::Held);
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let own = model.settings();
    let settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let request = post("/edge/message", &direct("ana", "hello"))
        .bearer(&token("a"))
        .header("Idempotency-Key", "k1");
    let mut process = Process::start(&database, &settings).unwrap();
    let (address, sent) = (process.address, request.clone());
    let waiting = tokio::spawn(async move { process::ask(address, &sent).await });
    model.calls(1).await;
    process.kill();
    assert!(waiting.await.unwrap().is_none());
    let mut process = Process::start(&database, &settings).unwrap();
    model.calls(2).await;
    process.kill(); // once more, with nobody waiting
    model.usually(Mode::Echo);
    let process = Process::start(&database, &settings).unwrap();
    let answer = process.send(&request).await;
    assert_eq!(answer.json()["should_respond"], false);
    let poll = post("/edge/sync", &json!({"wait_seconds": 25})).bearer(&token("a"));
    let commands = process.send(&poll).await.json()["commands"].clone();
    assert_eq!(commands.as_array().unwrap().len(), 1);
    assert_eq!(commands[0]["payload"]["text"], "reply 3: hello");
    let counts = support::rows(
        &database,
        "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM commands),
                (SELECT count(*) FROM pending_replies), (SELECT sum(count) FROM usage_days)",
    );
    assert_eq!(counts, [[1, 1, 0, 1]]);
    model.release();
}

/// A member of the group is erased while the model reads what they said: nobody is told it
/// any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_may_quote_an_erased_member_is_made_again() {
    let (service, model) = service_with(IMPATIENT).await;
    let say = async |sender: &str, text: &str| {
        let answer = service.edge_message("a", &group("g", sender, text)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    say("bo", "I am quixotic").await;
    model.usually(Mode::Held);
    let before = model.requests().len();
    say("ana", "juno, what did Bo say?").await;
    model.calls(before + 1).await;
    assert!(format!("{:?}", model.last_request().messages()).contains("quixotic"));
    let path = service.folder.path().join("chatkeep.db");
    rusqlite::Connection::open(path)
        .unwrap()
        .execute(
            "UPDATE users SET deletion_scheduled_for = 2 WHERE phone = 'bo'",
            [],
        )
        .unwrap();
    service.app.eraser.run(PurgeRun::default()).await.unwrap();
    assert_eq!(count(&service, "erased_users"), 1);
    model.usually(Mode::Echo);
    model.release();
    let mut relay = service.relay("a").await;
    let command = relay.command().await;
    assert_eq!(
        command["payload"]["text"],
        "reply 2: Person 1: juno, what did Bo say?"
    );
    let said = format!("{:?}", model.last_request().messages());
    assert!(!said.contains("quixotic"), "{said}");
}

/// What is not done yet can't be taken back.
#[tokio::test(flavor = "multi_thread")]
async fn undo_waits_for_the_answer_before_it() {
    let (service, model) = service().await;
    model.usually(Mode::Held);
    let service = std::sync::Arc::new(service);
    let one = service.clone();
    let first = tokio::spawn(async move { reply(&one, "ana", "tell me of numbers").await });
    model.calls(1).await;
    let said = reply(&service, "ana", "undo").await;
    assert_eq!(
        said,
        "I'm still on your last message. Say “undo” once I've answered it."
    );
    model.release();
    first.await.unwrap();
    let said = reply(&service, "ana", "undo").await;
    assert!(said.starts_with("There's nothing"), "{said}");
}
