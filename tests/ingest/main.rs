//! `POST /edge/message` and `POST /orchestrator/message`, over the wire: status and body of
//! everything that can be sent, and the rows that are there afterwards.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod assistant;
mod bodies;
mod corrections;
mod counts;
mod credentials;
mod fields;
mod groups;
mod idempotency;
mod killed_edits;
mod limits;
mod older;
mod privacy;
mod problems;
mod reminders;
mod retries;

use chatkeep::clock::Clock;
use serde_json::Value;
use support::{Answer, Service, direct, post, standing_clock};

const EDGE: &str = "/edge/message";
const LEGACY: &str = "/orchestrator/message";
const DAY_MS: i64 = 86_400_000;

async fn service_at(clock: &Clock, settings: &[(&str, &str)]) -> Service {
    Service::in_folder(tempfile::tempdir().unwrap(), settings, clock.clone()).await
}

async fn legacy_message(service: &Service, body: &Value) -> Answer {
    service.send(&post(LEGACY, body)).await
}

/// Sends a direct message by agent `a` that must be taken; what was answered.
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

/// The object has these fields and no others.
fn assert_fields(object: &Value, fields: &[&str]) {
    let mut named: Vec<&String> = object.as_object().unwrap().keys().collect();
    let mut fields = fields.to_vec();
    named.sort_unstable();
    fields.sort_unstable();
    assert_eq!(named, fields);
}

/// Nothing that a message leaves behind is there.
fn assert_no_rows(service: &Service) {
    for table in [
        "messages", "users", "agents", "rooms", "room_members", "room_heads", "usage_days",
        "limit_uses", "idempotency_keys", "undelivered_answers", "commands", "reminders",
        "memories",
    ] {
        assert_eq!(count(service, table), 0, "{table}");
    }
}

fn count(service: &Service, table: &str) -> i64 {
    let rows = service.rows(&format!("SELECT count(*) FROM {table}"));
    rows[0][0].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_and_kept() {
    let service = Service::start().await;
    let answer = service
        .edge_message("a", &direct("+15550101", "hello"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.header("idempotency-replayed").is_none());
    let body = answer.json();
    assert_eq!(body["should_respond"], true);
    assert_fields(
        &body,
        &[
            "should_respond", "reply_bubbles", "reply_text", "schedule_message", "access",
        ],
    );
    let bubbles: Vec<&str> = body["reply_bubbles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bubble| bubble.as_str().unwrap())
        .collect();
    assert_eq!(body["reply_text"], bubbles.join("\n"));
    assert!(!bubbles.is_empty() && bubbles.iter().all(|bubble| !bubble.is_empty()));
    assert_eq!(body["schedule_message"], Value::Null);
    assert_eq!(body["access"], Value::Null);
    let rows = service.rows("SELECT sender, text, sent_s FROM messages");
    assert_eq!(
        rows,
        [[
            Value::from("+15550101"),
            "hello".into(),
            1_700_000_000.into()
        ]]
    );
    let users = service.rows("SELECT phone, status FROM users");
    assert_eq!(users, [["+15550101", "free"]]);
}

/// The exact text is kept, whatever is in it.
#[tokio::test(flavor = "multi_thread")]
async fn text_is_kept_exactly() {
    let service = Service::start().await;
    let texts = [
        "'; DROP TABLE messages; --",
        " leading and trailing ",
        "\u{202e}\u{200d}\u{1f468}\u{200d}\u{1f469}\u{feff}",
        "line\nline\r\n\ttab \u{1} \u{7f} \u{2028}",
        "%_\\\"$1 ?1 :name @x",
    ];
    for text in texts {
        say(&service, "+15550101", text).await;
    }
    let rows = service.rows("SELECT text FROM messages ORDER BY id");
    assert_eq!(rows, texts.map(|text| [text]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_direct_message_is_not_answered_but_kept() {
    let service = Service::start().await;
    let answer = say(&service, "+15550101", "").await;
    assert_eq!(answer["should_respond"], false);
    assert_eq!(answer["reply_text"], "");
    assert_eq!(answer["reply_bubbles"], serde_json::json!([]));
    assert_eq!(count(&service, "messages"), 1);
    let mut photo = direct("+15550101", "");
    photo["context"] = serde_json::json!({"photos": ["https://example.org/p.jpg"]});
    let answer = service.edge_message("a", &photo).await.json();
    assert_eq!(answer["should_respond"], true);
    assert_ne!(answer["reply_text"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_endpoints_serve_the_same_chat() {
    let service = Service::start().await;
    let answer = legacy_message(&service, &direct("+15550101", "hello")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["should_respond"], true);
    say(&service, "+15550101", "hello").await;
    assert_eq!(count(&service, "rooms"), 1);
    assert_eq!(count(&service, "users"), 1);
    let rows = service.rows("SELECT agent_id IS NULL FROM messages ORDER BY id");
    assert_eq!(rows, [[1], [0]]);
}
