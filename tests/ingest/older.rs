//! `POST /edge/message` with the names that older relays give its fields.

use serde_json::{Value, json};

use super::{EDGE, LEGACY};
use crate::support::{Service, post, token};

fn older(is_group: bool) -> Value {
    json!({
        "thread_id": "chat;1", "filtered_text": "hi", "original_timestamp": 1_700_000_000,
        "is_group": is_group, "sender": "+15550100", "participants": ["+15550100"],
        "metadata": {"was_redacted": true}, "context": {"owner": "+15550101"},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_older_form_is_the_same_message() {
    let service = Service::start().await;
    let answer = service.edge_message("a", &older(false)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["should_respond"], true);
    let mut moment = older(true);
    moment["original_timestamp"] = json!("2023-11-14T23:13:20+01:00");
    moment["thread_id"] = json!("chat;2");
    let answer = service.edge_message("a", &moment).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let rows = service.rows(
        "SELECT chat_guid, mode, sender, text, sent_s, metadata FROM messages
         JOIN rooms ON rooms.id = room_id ORDER BY messages.id",
    );
    let row = |chat: &str, mode: &str| {
        let metadata = r#"{"was_redacted":true}"#;
        json!([chat, mode, "+15550100", "hi", 1_700_000_000, metadata])
    };
    assert_eq!(
        json!(rows),
        json!([row("chat;1", "direct"), row("chat;2", "group")])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_named_as_it_was_sent() {
    let service = Service::start().await;
    let without = |name: &str| {
        let mut body = older(false);
        body[name] = Value::Null;
        body
    };
    let with = |name: &str, value: Value| {
        let mut body = older(false);
        body[name] = value;
        body
    };
    let cases = [
        (without("thread_id"), "/thread_id"),
        (without("is_group"), "/is_group"),
        (without("sender"), "/sender"),
        (without("original_timestamp"), "/original_timestamp"),
        (
            with("original_timestamp", json!("1")),
            "/original_timestamp",
        ),
        (
            with("original_timestamp", json!("1969-01-01T00:00:00Z")),
            "/original_timestamp",
        ),
        (with("is_group", json!("true")), "/is_group"),
        // Names of both forms.
        (with("chat_guid", json!("chat;1")), "/chat_guid"),
        (with("text", json!("hi")), "/text"),
        (with("timestamp", json!(1)), "/timestamp"),
        (with("mode", json!("direct")), "/mode"),
    ];
    for (body, field) in cases {
        let answer = service.send(&post(EDGE, &body).bearer(&token("a"))).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], field, "{body}");
    }
    // The legacy endpoint has one form.
    let answer = service.send(&post(LEGACY, &older(false))).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    assert_eq!(service.rows("SELECT id FROM messages").len(), 0);
}
