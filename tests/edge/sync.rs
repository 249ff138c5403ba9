//! `POST /edge/sync`: the outbox for a relay that polls.

use chatkeep::clock::Clock;
use serde_json::{Value, json};

use crate::commands::{chat, chat_with, clock, queue, service_at, until_states};
use crate::raw::RawSocket;
use crate::sockets::ends_with;
use crate::support::{Answer, Service, eventually, post, token};

async fn sync(service: &Service, body: Value) -> Answer {
    let request = post("/edge/sync", &body).bearer(&token("a"));
    service.send(&request).await
}

async fn poll(service: &Service, body: Value) -> Value {
    let answer = sync(service, body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

/// The seqs of an answer's commands.
fn seqs(answer: &Value) -> Vec<u64> {
    let commands = answer["commands"].as_array().unwrap().iter();
    commands
        .map(|command| command["seq"].as_u64().unwrap())
        .collect()
}

fn id(answer: &Value, index: usize) -> &Value {
    &answer["commands"][index]["command_id"]
}

#[tokio::test]
async fn an_empty_poll_is_answered_at_once() {
    let service = Service::start().await;
    let mut answer = poll(&service, json!({})).await;
    let time = answer["server_time"].take();
    assert!(time.as_str().is_some_and(|time| time.ends_with('Z')));
    let expected = json!({"commands": [], "ack_events": [], "config_updates": {}, "has_more": false,
        "ws_connected": false, "server_time": null});
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn a_relay_works_through_its_list() {
    let service = Service::start().await;
    chat_with(&service, "a", "x", &["one", "two", "three"]).await;
    chat_with(&service, "a", "y", &["other"]).await;
    let list = poll(&service, json!({"limit": 3})).await;
    assert_eq!(
        (seqs(&list), &list["has_more"]),
        (vec![1, 2, 3], &json!(true))
    );
    let first = &list["commands"][0];
    assert_eq!(first["attempt"], 1);
    assert_eq!(first["payload"]["text"], "one");
    until_states(
        &service,
        &[(1, "sent"), (2, "sent"), (3, "sent"), (4, "queued")],
    )
    .await;

    // What is new brings along what was handed out before and not finished.
    let list = poll(&service, json!({"last_command_id": id(&list, 0)})).await;
    assert_eq!(
        (seqs(&list), &list["has_more"]),
        (vec![2, 3, 4], &json!(false))
    );
    // Nothing new, and nothing overdue; an unknown id is ignored.
    let idle = poll(
        &service,
        json!({"last_command_id": "nothing", "acks": [{"command_id": "nothing", "success": true}]}),
    )
    .await;
    assert_eq!(seqs(&idle), [0; 0]);
    let acks = json!([{"command_id": id(&list, 2), "status": "completed"}]);
    poll(&service, json!({"acks": acks})).await;
    until_states(
        &service,
        &[(1, "completed"), (2, "sent"), (3, "sent"), (4, "completed")],
    )
    .await;
    // The last was finished by its own ack; still it says that all before are.
    poll(&service, json!({"last_command_id": id(&list, 2)})).await;
    until_states(
        &service,
        &[
            (1, "completed"),
            (2, "completed"),
            (3, "completed"),
            (4, "completed"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_failed_is_finished_only_by_its_own_ack() {
    let service = Service::start().await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let list = poll(&service, json!({})).await;
    let failed = json!({"command_id": id(&list, 0), "status": "failed", "retryable": true});
    poll(
        &service,
        json!({"acks": [failed], "last_command_id": id(&list, 1)}),
    )
    .await;
    until_states(&service, &[(1, "sent"), (2, "completed")]).await;
    let ack = json!({"command_id": id(&list, 0), "status": "completed"});
    poll(&service, json!({"acks": [ack]})).await;
    until_states(&service, &[(1, "completed"), (2, "completed")]).await;
}

/// What a socket had handed out comes first, though it is younger, and finishing it finishes
/// nothing that only came behind it.
#[tokio::test]
async fn a_list_keeps_the_order_of_first_hand_outs() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    chat_with(&service, "a", "y", &["three"]).await;
    assert_eq!(relay.command().await["seq"], 1);
    assert_eq!(relay.command().await["seq"], 3);
    relay.ws.close(None).await.unwrap();
    eventually("gone", async || service.app.hub.connected() == 0).await;
    let list = poll(&service, json!({})).await;
    assert_eq!(seqs(&list), [1, 3, 2]);
    poll(&service, json!({"last_command_id": id(&list, 1)})).await;
    until_states(&service, &[(1, "completed"), (2, "sent"), (3, "completed")]).await;
}

/// A long poll that can be seen to have begun.
async fn long_poll(service: &Service) -> Value {
    let event = json!({"event_id": "begun", "event_type": "t"});
    poll(
        service,
        json!({"wait_seconds": 25, "pending_events": [event]}),
    )
    .await
}

async fn until_begun(service: &Service) {
    let events = "SELECT event_id FROM edge_events";
    eventually("the poll", async || service.rows(events) == [["begun"]]).await;
}

#[tokio::test]
async fn a_poll_waits_for_a_command() {
    let service = Service::start().await;
    chat(&service, "a", "x").await;
    let (waited, ()) = tokio::join!(long_poll(&service), async {
        until_begun(&service).await;
        queue(&service, "a", "x", "one").await;
    });
    assert_eq!(seqs(&waited), [1]);
}

#[tokio::test]
async fn a_second_poll_ends_the_first() {
    let service = Service::start().await;
    chat(&service, "a", "x").await;
    let (first, second) = tokio::join!(long_poll(&service), async {
        until_begun(&service).await;
        poll(&service, json!({})).await
    });
    assert_eq!((seqs(&first), seqs(&second)), (vec![], vec![]));
}

/// A socket that comes while a poll waits takes over.
#[tokio::test]
async fn a_socket_ends_a_poll() {
    let service = Service::start().await;
    let (answer, _socket) = tokio::join!(long_poll(&service), async {
        until_begun(&service).await;
        RawSocket::open(&service, "a").await
    });
    assert_eq!(answer["ws_connected"], true);
}

#[tokio::test]
async fn a_poll_beside_a_live_socket_brings_and_takes_nothing() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let command = relay.command().await;
    let acks = json!([{"command_id": command["command_id"], "status": "completed"}]);
    let event = json!({"event_id": "e-1", "event_type": "message_sent"});
    let answer = poll(
        &service,
        json!({"acks": acks, "pending_events": [event], "wait_seconds": 25}),
    )
    .await;
    assert_eq!(
        (&answer["ws_connected"], seqs(&answer)),
        (&json!(true), vec![])
    );
    assert_eq!(answer["ack_events"], json!(["e-1"]));
    assert_eq!(relay.command().await["seq"], 2);
    until_states(&service, &[(1, "completed"), (2, "sent")]).await;

    // A socket that went silent is closed, and the poll serves.
    clock.advance(35_001);
    let answer = poll(&service, json!({})).await;
    assert_eq!(
        (&answer["ws_connected"], seqs(&answer)),
        (&json!(false), vec![2])
    );
    ends_with(&mut relay, 4408).await;
}

#[tokio::test]
async fn attempts_are_counted_for_the_oldest_of_a_chat() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    for attempt in 1..=5 {
        let list = poll(&service, json!({})).await;
        let attempts = [0, 1].map(|index| list["commands"][index]["attempt"].clone());
        assert_eq!(json!(attempts), json!([attempt, 1]));
        clock.advance(29_999);
        assert_eq!(seqs(&poll(&service, json!({})).await), [0; 0]);
        clock.advance(1);
    }
    let list = poll(&service, json!({})).await;
    assert_eq!(seqs(&list), [2]);
    until_states(&service, &[(1, "failed"), (2, "sent")]).await;
}

#[tokio::test]
async fn what_is_worked_on_is_left_out_for_two_minutes() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let list = poll(&service, json!({})).await;
    let executing = json!({"command_id": id(&list, 0), "status": "executing"});
    poll(&service, json!({"acks": [executing]})).await;
    clock.advance(30_000);
    assert_eq!(seqs(&poll(&service, json!({})).await), [2]);
    clock.advance(90_000);
    assert_eq!(seqs(&poll(&service, json!({})).await), [1, 2]);
}

#[tokio::test]
async fn what_a_poll_was_given_is_given_again_after_a_restart() {
    let service = Service::start().await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let list = poll(&service, json!({"limit": 1})).await;
    assert_eq!(seqs(&list), [1]);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    let list = poll(&service, json!({})).await;
    assert_eq!(seqs(&list), [1, 2]);
    assert_eq!(list["commands"][0]["attempt"], 1);
    poll(&service, json!({"last_command_id": id(&list, 1)})).await;
    until_states(&service, &[(1, "completed"), (2, "completed")]).await;
}

#[tokio::test]
async fn events_and_status_are_kept() {
    let service = Service::start().await;
    let event =
        json!({"event_id": "e-7", "event_type": "message_sent", "thread_id": "x", "details": {}});
    let status = json!({"scheduled_messages": 0, "active_rules": 0, "uptime_seconds": 10});
    // Whatever else a relay says of itself may be about people.
    let mut sent = status.clone();
    sent["last_chat"] = json!("chat;+15550101");
    sent["owner"] = json!({"phone": "+15550101"});
    for _ in 0..2 {
        let answer = poll(&service, json!({"pending_events": [event], "status": sent})).await;
        assert_eq!(answer["ack_events"], json!(["e-7"]));
    }
    assert_eq!(service.rows("SELECT event_id FROM edge_events"), [["e-7"]]);
    let relays = service
        .admin("GET", "/admin/edge-agents", &json!({}))
        .await
        .json();
    assert_eq!(relays["agents"][0]["status"], status);
}

#[tokio::test]
async fn what_is_out_of_bounds_is_refused() {
    let service = Service::start().await;
    let event = json!({"event_id": "e", "event_type": "t"});
    let cases = [
        (json!({"limit": 0}), 422, "validation_failed"),
        (json!({"limit": 101}), 422, "validation_failed"),
        (json!({"wait_seconds": 26}), 422, "validation_failed"),
        (json!({"wait_seconds": -1}), 422, "validation_failed"),
        (
            json!({"pending_events": vec![event; 101]}),
            422,
            "validation_failed",
        ),
        (
            json!({"acks": [{"status": "completed"}]}),
            422,
            "validation_failed",
        ),
        (json!({"acks": {}}), 422, "validation_failed"),
        (
            json!({"acks": [{"command_id": "c", "status": "failed", "retryable": "no"}]}),
            422,
            "validation_failed",
        ),
        (
            json!({"acks": [{"command_id": "c", "success": false, "error": {"a": 1}}]}),
            422,
            "validation_failed",
        ),
        (
            json!({"pending_events": [{"event_id": "e", "event_type": "t", "thread_id": 5}]}),
            422,
            "validation_failed",
        ),
        (json!({"status": "fine"}), 422, "validation_failed"),
        (json!({"edge_agent_id": "b"}), 401, "unauthorized"),
    ];
    for (body, status, code) in cases {
        let answer = sync(&service, body.clone()).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{body}"
        );
    }
    let big = post(
        "/edge/sync",
        &json!({"status": {"text": "a".repeat(300_000)}}),
    );
    let answer = service.send(&big.bearer(&token("a"))).await;
    assert_eq!(answer.status, 413);
    let answer = service.send(&post("/edge/sync", &json!({}))).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (401, "unauthorized")
    );
}

#[tokio::test]
async fn a_refusal_names_the_invalid_item() {
    let service = Service::start().await;
    let body = json!({
        "acks": [
            {"command_id": "a", "success": true},
            {"command_id": "b", "success": "yes"},
            {"command_id": "c", "status": "done"},
            {"command_id": 4, "success": true},
            {"command_id": "e"},
            5,
        ],
        "pending_events": [{"event_id": "", "event_type": "t"}, {"event_id": "e"}],
        "status": [],
    });
    let answer = sync(&service, body).await;
    let errors = answer.json()["errors"].clone();
    let errors = errors.as_array().unwrap().iter();
    let fields: Vec<&str> = errors.map(|e| e["field"].as_str().unwrap()).collect();
    assert_eq!(
        fields,
        [
            "/acks/1/success", "/acks/2/status", "/acks/3/command_id", "/acks/4/success",
            "/acks/5", "/pending_events/0/event_id", "/pending_events/1/event_type", "/status",
        ],
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn sixty_polls_a_minute() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    for _ in 0..60 {
        poll(&service, json!({})).await;
    }
    let answer = sync(&service, json!({})).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (429, "rate_limited")
    );
    clock.advance(60_000);
    poll(&service, json!({})).await;
}

#[tokio::test]
async fn only_the_tokens_own_name_is_accepted_anywhere() {
    let service = Service::start().await;
    for name in [json!("b"), json!(""), json!(5)] {
        let answer = sync(&service, json!({ "edge_agent_id": name })).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (401, "unauthorized"),
            "{name}"
        );
    }
    for query in [
        "edge_agent_id=%ff", "edge_agent_id=a&edge_agent_id=b", "edge_agent_id=b",
    ] {
        let request = post(&format!("/edge/sync?{query}"), &json!({})).bearer(&token("a"));
        assert_eq!(service.send(&request).await.status, 401, "{query}");
    }
    let own = post("/edge/sync?edge_agent_id=a", &json!({"edge_agent_id": "a"}));
    assert_eq!(service.send(&own.bearer(&token("a"))).await.status, 200);
}
