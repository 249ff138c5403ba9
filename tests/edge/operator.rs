//! What the operator does about commands that relays could not do.

use serde_json::{Value, json};

use crate::commands::{chat, chat_with, until_states};
use crate::support::{RelaySocket, Service};

async fn listed(service: &Service, query: &str) -> Vec<Value> {
    let path = format!("/admin/commands{query}");
    let answer = service.admin("GET", &path, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["commands"].as_array().unwrap().clone()
}

async fn refuse_for_good(relay: &mut RelaySocket) -> Value {
    let command = relay.command().await;
    let ack = json!({"command_id": command["command_id"], "success": false, "retryable": false, "error": "no such chat"});
    relay
        .say(&json!({"type": "command_ack", "data": ack}))
        .await;
    command
}

#[tokio::test]
async fn what_failed_is_listed_and_sent_again() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one"]).await;
    let command = refuse_for_good(&mut relay).await;
    until_states(&service, &[(1, "failed")]).await;
    let rows = listed(&service, "?state=failed").await;
    assert_eq!(rows, listed(&service, "").await);
    assert_eq!(rows.len(), 1);
    let fields = [
        "command_id", "agent_id", "chat_guid", "state", "error", "seq",
    ];
    let fields = fields.map(|name| rows[0][name].clone());
    let expected = json!([command["command_id"], "a", "x", "failed", "no such chat", 1]);
    assert_eq!(json!(fields), expected);
    assert!(rows[0].get("payload").is_none());
    assert_eq!(listed(&service, "?state=expired").await.len(), 0);
    assert_eq!(listed(&service, "?state=queued").await.len(), 0);

    // Its chat is served by another relay now.
    chat(&service, "b", "x").await;
    let mut other = service.relay("b").await;
    let path = format!(
        "/admin/commands/{}/retry",
        command["command_id"].as_str().unwrap()
    );
    let answer = service.admin("POST", &path, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let repeated = other.command().await;
    assert_eq!(repeated["command_id"], command["command_id"]);
    assert_eq!(repeated["payload"], command["payload"]);
    assert_eq!(
        (&repeated["seq"], &repeated["attempt"]),
        (&json!(1), &json!(1))
    );
    let twice = service.admin("POST", &path, &json!({})).await;
    assert_eq!(
        (twice.status, twice.code().as_str()),
        (404, "command_not_found")
    );
    assert_eq!(listed(&service, "").await.len(), 0);
    other.ack(&repeated, "completed").await;
    until_states(&service, &[(1, "moved"), (1, "completed")]).await;
    let counts = service.rows("SELECT count(*) FROM commands WHERE finished_at IS NULL");
    assert_eq!(counts, [[0]]);
    let changes = service.rows("SELECT action, subject FROM audit");
    assert_eq!(
        json!(changes),
        json!([["command.retry", command["command_id"]]])
    );
}

#[tokio::test]
async fn a_relay_gets_its_own_command_again_under_its_id() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one"]).await;
    for seq in 1..=3 {
        let command = refuse_for_good(&mut relay).await;
        assert_eq!(command["seq"], seq);
        let ended = "SELECT count(*) FROM commands WHERE state = 'failed'";
        crate::support::eventually("failed", async || service.rows(ended) == [[1]]).await;
        let path = format!(
            "/admin/commands/{}/retry",
            command["command_id"].as_str().unwrap()
        );
        let answer = service.admin("POST", &path, &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], "one");
    relay.ack(&command, "completed").await;
    until_states(
        &service,
        &[(1, "moved"), (2, "moved"), (3, "moved"), (4, "completed")],
    )
    .await;
}

#[tokio::test]
async fn what_failed_is_dropped() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one"]).await;
    let command = refuse_for_good(&mut relay).await;
    until_states(&service, &[(1, "failed")]).await;
    let path = format!(
        "/admin/commands/{}",
        command["command_id"].as_str().unwrap()
    );
    let answer = service.admin("DELETE", &path, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(service.rows("SELECT count(*) FROM commands"), [[0]]);
    let twice = service.admin("DELETE", &path, &json!({})).await;
    assert_eq!(
        (twice.status, twice.code().as_str()),
        (404, "command_not_found")
    );
    let wrong = service
        .admin("GET", "/admin/commands?state=lost", &json!({}))
        .await;
    assert_eq!(
        (wrong.status, wrong.code().as_str()),
        (422, "validation_failed")
    );
}

/// A direct chat that others read now: what was for one person is not sent into it.
#[tokio::test]
async fn nothing_is_sent_again_into_a_chat_that_is_another_now() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one"]).await;
    let command = refuse_for_good(&mut relay).await;
    until_states(&service, &[(1, "failed")]).await;
    let message = crate::support::group("x", "somebody", "hello");
    assert_eq!(service.edge_message("a", &message).await.status, 200);
    let path = format!(
        "/admin/commands/{}/retry",
        command["command_id"].as_str().unwrap()
    );
    let answer = service.admin("POST", &path, &json!({})).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (422, "validation_failed")
    );
    until_states(&service, &[(1, "failed")]).await;
}
