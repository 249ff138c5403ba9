//! Replies by a language model, over the wire on both sides: what the person in the chat
//! gets, what the model is told, and the rows that are there afterwards.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod broken;
mod caches;
mod claims;
mod claims_in_words;
mod context;
mod counterpart;
mod crowd;
mod edited;
mod explain;
mod failures;
mod late;
mod mcp;
mod photos;
mod planned;
mod possible_requests;
mod private_answers;
mod series;
mod streaming;
mod surplus_claims;
mod tools;
mod undone;
mod untold_changes;
mod usage;
mod written_calls;

use chatkeep::clock::{Clock, Timestamp};
use serde_json::Value;
use support::model_server::{Mode, ModelServer, calling};
use support::{Answer, Service, direct, group, post, standing_clock, token};

const APOLOGY: &str = "Sorry, Juno can't find the words right now. Please try again in a moment.";

/// A service that asks a model, and the model's server.
async fn service() -> (Service, ModelServer) {
    service_with(&[]).await
}

async fn service_with(settings: &[(&str, &str)]) -> (Service, ModelServer) {
    let model = ModelServer::start().await;
    let service = service_of(&model, tempfile::tempdir().unwrap(), settings).await;
    (service, model)
}

async fn service_of(
    model: &ModelServer,
    folder: tempfile::TempDir,
    settings: &[(&str, &str)],
) -> Service {
    let own = model.settings();
    let mut all: Vec<(&str, &str)> = own.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    all.extend(settings);
    Service::in_folder(folder, &all, Clock::system()).await
}

/// A service at that time of a fixed clock.
async fn service_at(now: &str) -> (Service, ModelServer) {
    service_on(&Clock::fixed(Timestamp::parse(now).unwrap())).await
}

async fn service_on(clock: &Clock) -> (Service, ModelServer) {
    let model = ModelServer::start().await;
    let own = model.settings();
    let all: Vec<(&str, &str)> = own.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &all, clock.clone()).await;
    (service, model)
}

/// The zone of everybody is known, so no answer has to name it.
fn know_zones(service: &Service) {
    for sql in [
        "UPDATE users SET timezone = 'UTC'",
        "CREATE TRIGGER known_zones AFTER INSERT ON users
         BEGIN UPDATE users SET timezone = 'UTC' WHERE timezone IS NULL; END",
    ] {
        service.rows(sql);
    }
}

/// Sends a direct message by agent `a`; what was answered.
async fn say(service: &Service, sender: &str, text: &str) -> Value {
    let answer = service.edge_message("a", &direct(sender, text)).await;
    assert_eq!(answer.status, 200, "{text:?}: {}", answer.text);
    answer.json()
}

/// The same, only the reply's text.
async fn reply(service: &Service, sender: &str, text: &str) -> String {
    let answer = say(service, sender, text).await;
    answer["reply_text"].as_str().unwrap().to_owned()
}

async fn legacy(service: &Service, sender: &str, text: &str) -> Answer {
    let message = post("/orchestrator/message", &direct(sender, text));
    service.send(&message).await
}

/// The model calls these tools for what the sender writes.
async fn acting(service: &Service, model: &ModelServer, sender: &str, calls: &[(&str, Value)]) {
    model.next(Mode::Json(calling(calls)));
    model.next(Mode::Say("Done.".to_owned()));
    let said = reply(service, sender, "please see to it").await;
    // What the answer doesn't tell of them follows it.
    let is_done = |rest: &str| {
        rest.is_empty() || rest.starts_with("\n(What ") || rest.starts_with("\n(Lo que ")
    };
    assert!(said.strip_prefix("Done.").is_some_and(is_done), "{said}");
}

fn count(service: &Service, table: &str) -> i64 {
    let rows = service.rows(&format!("SELECT count(*) FROM {table}"));
    rows[0][0].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_answers_what_the_builtin_assistant_can_not() {
    let (service, model) = service().await;
    let answer = service
        .edge_message("a", &direct("ana", "tell me of Bath"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let body = answer.json();
    assert_eq!(body["should_respond"], true);
    assert_eq!(body["reply_text"], "reply 1: tell me of Bath");
    assert_eq!(body["access"], Value::Null);
    assert_eq!(body.as_object().unwrap().len(), 5);
    let asked = model.last_request();
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.authorization.as_deref(), Some("Bearer model-key"));
    assert_eq!(asked.body["model"], "test-model");
    assert_eq!(asked.body["max_completion_tokens"], 1000);
    let sent: Vec<&String> = asked.body.as_object().unwrap().keys().collect();
    assert_eq!(
        sent,
        ["max_completion_tokens", "messages", "model", "tools"]
    );
    assert_eq!(count(&service, "pending_replies"), 0);
    let rows = service.rows("SELECT bubbles, counted FROM messages");
    assert_eq!(rows[0][0], r#"["reply 1: tell me of Bath"]"#);
    assert_eq!(rows[0][1], 1);
    // A few commands need no model; small talk and all else is the model's.
    for (text, said) in [
        ("help", "remind"),
        ("status", "free plan"),
        ("usage", "of 50 messages"),
    ] {
        let reply = reply(&service, "ana", text).await;
        assert!(reply.contains(said), "{text}: {reply}");
    }
    assert_eq!(model.requests().len(), 1);
    assert!(reply(&service, "ana", "hello").await.starts_with("reply 2"));
    // Nothing is said to nothing.
    assert_eq!(say(&service, "ana", " ").await["should_respond"], false);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn legacy_relays_get_replies_too() {
    let (service, model) = service().await;
    let answer = legacy(&service, "ana", "hello").await;
    assert_eq!(answer.json()["reply_text"], "reply 1: hello");
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_not_let_in_costs_nothing() {
    let (service, model) = service_on(&standing_clock()).await;
    service.set_flag("free_tier.daily_message_limit", 1).await;
    reply(&service, "ana", "hello").await;
    let denied = say(&service, "ana", "hello").await;
    assert_eq!(denied["access"]["code"], "message_limit_reached");
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_while_the_model_thinks_waits_for_the_first() {
    let (service, model) = service().await;
    model.usually(Mode::Held);
    let request = post("/edge/message", &direct("ana", "hello"))
        .bearer(&token("a"))
        .header("Idempotency-Key", "k1");
    let (service, request) = (std::sync::Arc::new(service), request);
    let sent: Vec<_> = (0..4)
        .map(|_| {
            let (service, request) = (service.clone(), request.clone());
            tokio::spawn(async move { service.send(&request).await })
        })
        .collect();
    model.calls(1).await;
    support::eventually("all sent", async || {
        service.app.server_metrics.connections() >= 4
    })
    .await;
    model.release();
    let mut answers = Vec::new();
    for answer in sent {
        answers.push(answer.await.unwrap());
    }
    answers.push(service.send(&request).await);
    assert!(
        answers
            .iter()
            .all(|a| a.status == 200 && a.text == answers[0].text)
    );
    assert_eq!(answers[0].json()["reply_text"], "reply 1: hello");
    let replayed = answers
        .iter()
        .filter(|a| a.header("idempotency-replayed").is_some());
    assert_eq!(replayed.count(), 4);
    assert_eq!(model.requests().len(), 1);
    assert_eq!(count(&service, "messages"), 1);
    assert_eq!(service.rows("SELECT sum(count) FROM usage_days"), [[1]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rooms_replies_are_made_one_after_the_other() {
    let (service, model) = service().await;
    model.usually(Mode::Held);
    let service = std::sync::Arc::new(service);
    let mut sent = Vec::new();
    for (n, text) in ["first", "second", "third"].into_iter().enumerate() {
        let service = service.clone();
        let one = service.clone();
        sent.push(tokio::spawn(async move { reply(&one, "ana", text).await }));
        support::eventually("stored", async || {
            count(&service, "messages") == n as i64 + 1
        })
        .await;
    }
    model.calls(1).await;
    // Another room does not wait.
    let other = service.clone();
    let other = tokio::spawn(async move { reply(&other, "ben", "elsewhere").await });
    model.calls(2).await;
    assert_eq!(model.requests().len(), 2);
    model.release();
    assert_eq!(other.await.unwrap(), "reply 2: elsewhere");
    let mut replies = Vec::new();
    for one in sent {
        replies.push(one.await.unwrap());
    }
    assert_eq!(
        replies,
        ["reply 1: first", "reply 3: second", "reply 4: third"]
    );
    let told: Vec<Value> = model
        .last_request()
        .messages()
        .into_iter()
        .map(|s| s.1)
        .collect();
    let told: Vec<&str> = told.iter().map(|v| v.as_str().unwrap()).collect();
    assert_eq!(
        told,
        [
            "first", "reply 1: first", "second", "reply 3: second", "third"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_are_answered_when_asked_and_now_and_then() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    let send = async |text: &str| {
        let answer = service.edge_message("a", &group("g", "ana", text)).await;
        assert_eq!(answer.status, 200);
        answer.json()
    };
    let asked = send("Juno, tell us of Bath").await;
    assert_eq!(
        asked["reply_text"],
        "reply 1: Person 1: Juno, tell us of Bath"
    );
    for text in ["we went there", "it rained", "a lot", "no fun"] {
        assert_eq!(send(text).await["should_respond"], false, "{text}");
    }
    // The fifth: the model may, or may not.
    model.next(Mode::Say("PASS".to_owned()));
    assert_eq!(send("never again").await["should_respond"], false);
    assert!(model.last_request().system().contains("PASS"));
    assert_eq!(count(&service, "pending_replies"), 0);
    for text in ["we went there", "it rained", "a lot", "no fun"] {
        assert_eq!(send(text).await["should_respond"], false, "{text}");
    }
    model.next(Mode::Say("Try York.".to_owned()));
    assert_eq!(send("never again").await["reply_text"], "Try York.");
    // Nobody wants to hear that an unasked reply failed.
    for text in ["so", "then", "what", "else"] {
        send(text).await;
    }
    model.next(Mode::Garbage);
    let failed = send("never again").await;
    assert_eq!(
        (&failed["should_respond"], &failed["reply_text"]),
        (&false.into(), &"".into())
    );
    // Under the kill switch nobody is spoken to unasked.
    service.set_flag("llm.force_basic_mode", true).await;
    let calls = model.requests().len();
    for text in ["so", "then", "what", "else", "happens", "now"] {
        assert_eq!(send(text).await["should_respond"], false);
    }
    assert_eq!(model.requests().len(), calls);
}
