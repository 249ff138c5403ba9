//! Commands that a relay refuses, the pace of what is sent, and texts that are too long for
//! one command.

use serde_json::{Value, json};

use crate::commands::{chat, chat_with, clock, queue, service_at, states, until_states};
use crate::support::{RelaySocket, Service, eventually, post, token};

async fn report(relay: &mut RelaySocket, command: &Value, report: Value) {
    let mut ack = report;
    ack["command_id"] = command["command_id"].clone();
    relay
        .say(&json!({"type": "command_ack", "data": ack}))
        .await;
}

async fn until_refused(service: &Service, seq: u64, times: u64) {
    let sql = format!("SELECT refused FROM commands WHERE seq = {seq}");
    eventually("refused", async || service.rows(&sql) == [[times]]).await;
}

async fn poll(service: &Service, body: Value) -> Vec<Value> {
    let request = post("/edge/sync", &body).bearer(&token("a"));
    let answer = service.send(&request).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["commands"].as_array().unwrap().clone()
}

fn seqs(commands: &[Value]) -> Vec<u64> {
    commands
        .iter()
        .map(|c| c["seq"].as_u64().unwrap())
        .collect()
}

/// The count of commands that ended in a state, as Prometheus sees it.
async fn ended(service: &Service, state: &str) -> String {
    let page = service.admin("GET", "/metrics", &json!({})).await.text;
    let row = format!("chatkeep_commands_ended_total{{state=\"{state}\"}} ");
    let line = page.lines().find_map(|line| line.strip_prefix(&row));
    line.unwrap_or_default().to_owned()
}

#[tokio::test]
async fn only_retryable_false_is_final() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let refusals = [
        json!({"status": "failed", "error": "busy"}),
        json!({"success": false, "error": "busy"}),
        json!({"status": "failed", "retryable": null}),
        json!({"status": "failed", "retryable": true}),
    ];
    for (times, refusal) in (1..).zip(refusals) {
        let command = relay.command().await;
        assert_eq!(
            (&command["seq"], &command["attempt"]),
            (&json!(1), &json!(times))
        );
        report(&mut relay, &command, refusal).await;
        until_refused(&service, 1, times).await;
        clock.advance(1_200 << (times - 1));
        relay.settle().await;
    }
    let command = relay.command().await;
    report(
        &mut relay,
        &command,
        json!({"success": false, "retryable": false}),
    )
    .await;
    assert_eq!(relay.command().await["seq"], 2);
    until_states(&service, &[(1, "failed"), (2, "sent")]).await;
    assert_eq!(ended(&service, "failed").await, "1");
    assert_eq!(ended(&service, "expired").await, "0");
}

/// 1, 2, 4 … 600 seconds, give or take a fifth, and twelve times at most; the chat waits.
#[tokio::test]
async fn what_is_refused_is_tried_again_with_a_backoff() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    chat_with(&service, "a", "y", &["other"]).await;
    let mut command = relay.command().await;
    let other = relay.command().await;
    assert_eq!(other["seq"], 3);
    relay.ack(&other, "completed").await;
    until_states(&service, &[(1, "sent"), (2, "queued"), (3, "completed")]).await;
    for times in 1..=11 {
        assert_eq!(command["seq"], 1);
        // Said twice it is once.
        for _ in 0..2 {
            report(&mut relay, &command, json!({"success": false})).await;
        }
        until_refused(&service, 1, times).await;
        relay.settle().await;
        let middle_ms: i64 = (1_000 << (times - 1)).min(600_000);
        clock.advance(middle_ms * 8 / 10 - 1);
        relay.settle().await;
        assert!(!relay.has_passed(), "too early after {times}");
        clock.advance(middle_ms * 4 / 10 + 1);
        relay.settle().await;
        command = relay.command().await;
    }
    report(
        &mut relay,
        &command,
        json!({"success": false, "error": "busy"}),
    )
    .await;
    assert_eq!(relay.command().await["seq"], 2);
    until_states(&service, &[(1, "failed"), (2, "sent"), (3, "completed")]).await;
    let row = service.rows("SELECT refused, error FROM commands WHERE seq = 1");
    assert_eq!(json!(row), json!([[12, "busy"]]));
    assert_eq!(ended(&service, "failed").await, "1");
    assert_eq!(ended(&service, "completed").await, "1");
}

/// Its chat waits, and nothing of it is finished by what others finished after it.
#[tokio::test]
async fn a_poll_leaves_out_a_chat_that_refused() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    chat_with(&service, "a", "y", &["other"]).await;
    let list = poll(&service, json!({})).await;
    assert_eq!(seqs(&list), [1, 2, 3]);
    let refused = json!({"acks": [{"command_id": list[0]["command_id"], "success": false}]});
    assert_eq!(seqs(&poll(&service, refused).await), [0; 0]);
    queue(&service, "a", "x", "three").await;
    queue(&service, "a", "y", "more").await;
    let rest = poll(&service, json!({})).await;
    assert_eq!(seqs(&rest), [3, 5]);
    // Also by what the next process knows.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let ack = json!({"last_command_id": rest[1]["command_id"]});
    assert_eq!(seqs(&poll(&service, ack).await), [1, 2, 4]);
    until_states(
        &service,
        &[
            (1, "sent"),
            (2, "sent"),
            (3, "completed"),
            (4, "sent"),
            (5, "completed"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_refused_command_is_polled_again_after_its_backoff() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    chat_with(&service, "a", "x", &["one"]).await;
    let list = poll(&service, json!({})).await;
    let refused = json!({"acks": [{"command_id": list[0]["command_id"], "success": false}]});
    assert_eq!(seqs(&poll(&service, refused).await), [0; 0]);
    clock.advance(799);
    assert_eq!(seqs(&poll(&service, json!({})).await), [0; 0]);
    clock.advance(401);
    assert_eq!(seqs(&poll(&service, json!({})).await), [1]);
}

#[tokio::test]
async fn so_many_commands_go_out_a_minute() {
    let clock = clock();
    let service = service_at(&clock, &[("CHATKEEP_EDGE_COMMANDS_PER_MINUTE", "3")]).await;
    for name in ["v", "w", "x", "y", "z"] {
        chat_with(&service, "a", name, &["one"]).await;
    }
    let mut relay = service.relay("a").await;
    for seq in 1..=3 {
        let command = relay.command().await;
        assert_eq!(command["seq"], seq);
        relay.ack(&command, "completed").await;
    }
    let completed = "SELECT count(*) FROM commands WHERE state = 'completed'";
    eventually("three are done", async || service.rows(completed) == [[3]]).await;
    clock.advance(59_999);
    relay.settle().await;
    assert!(!relay.has_passed(), "three a minute");
    clock.advance(1_001);
    relay.settle().await;
    // One of them is refused, which is a send of this minute too.
    let command = relay.command().await;
    assert_eq!(command["seq"], 4);
    assert_eq!(relay.command().await["seq"], 5);
    report(&mut relay, &command, json!({"success": false})).await;
    until_refused(&service, 4, 1).await;
    clock.advance(1_200);
    relay.settle().await;
    assert_eq!(relay.command().await["seq"], 4);
    chat_with(&service, "a", "u", &["one"]).await;
    relay.ws.close(None).await.unwrap();
    eventually("gone", async || service.app.hub.connected() == 0).await;
    // A poll has no pace of its own.
    assert_eq!(seqs(&poll(&service, json!({})).await), [0; 0]);
    clock.advance(61_000);
    assert_eq!(seqs(&poll(&service, json!({})).await), [4, 5, 6]);
    assert_eq!(seqs(&poll(&service, json!({})).await), [0; 0]);
}

#[tokio::test]
async fn a_long_text_is_several_commands_in_order() {
    let service = Service::start().await;
    chat(&service, "a", "x").await;
    let paragraphs: Vec<String> = (0..20)
        .map(|n| format!("{n} {}", "word ".repeat(110)))
        .collect();
    assert!(queue(&service, "a", "x", &paragraphs.join("\n\n")).await);
    let commands = poll(&service, json!({})).await;
    assert_eq!(seqs(&commands), [1, 2, 3]);
    let mut texts = Vec::new();
    for command in &commands {
        let payload = &command["payload"];
        let bubbles: Vec<&str> = payload["bubbles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bubble| bubble.as_str().unwrap())
            .collect();
        assert_eq!(payload["text"], bubbles.join("\n"));
        assert!(payload["text"].as_str().unwrap().chars().count() < 5_000);
        texts.extend(bubbles);
    }
    let trimmed: Vec<&str> = paragraphs.iter().map(|text| text.trim()).collect();
    assert_eq!(texts, trimmed);
}

/// In the middle of a session: what is under way comes again, after `hello`.
#[tokio::test]
async fn a_resume_that_does_not_fit_is_followed_by_everything() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    relay.say(&json!({"type": "resume"})).await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    chat_with(&service, "a", "y", &["other"]).await;
    for seq in [1, 3] {
        assert_eq!(relay.command().await["seq"], seq);
    }
    relay
        .say(&json!({"type": "resume", "data": {"epoch": "another", "last_seq": 1}}))
        .await;
    assert_eq!(relay.next().await["type"], "hello");
    let mut repeated = Vec::new();
    for _ in 0..2 {
        let command = relay.command().await;
        assert_eq!(command["attempt"], 1, "no attempt");
        repeated.push(command["seq"].clone());
    }
    assert_eq!(repeated, [1, 3]);
    assert_eq!(
        states(&service),
        json!([[1, "sent"], [2, "queued"], [3, "sent"]])
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row.as_array().unwrap().clone())
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn what_expires_is_counted() {
    let clock = clock();
    let service = service_at(&clock, &[("CHATKEEP_EDGE_COMMAND_TTL_HOURS", "1")]).await;
    chat_with(&service, "a", "x", &["one"]).await;
    chat_with(&service, "a", "y", &["other"]).await;
    clock.advance(3_600_000);
    let mut relay = service.relay("a").await;
    relay.say(&json!({"type": "resume"})).await;
    until_states(&service, &[(1, "expired"), (2, "expired")]).await;
    assert_eq!(ended(&service, "expired").await, "2");
}
