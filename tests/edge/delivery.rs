//! Commands over the socket: order, acks of all kinds, attempts, resends, `resume`.

use serde_json::{Value, json};

use crate::commands::{chat, chat_with, clock, queue, service_at, states, until_states};
use crate::support::{RelaySocket, Service, direct, eventually};

#[tokio::test]
async fn a_plain_relay_pings_obeys_and_acks() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    let hello = relay.hello["data"].clone();
    let epoch = service.rows("SELECT value FROM meta WHERE key = 'edge_epoch'");
    assert_eq!(hello["epoch"], epoch[0][0]);
    let expected = json!([1, "a", 0, 30, 90, 30, 64]);
    let names = "protocol agent_id head_seq heartbeat_s silence_s ack_timeout_s max_in_flight";
    let values: Vec<&Value> = names.split(' ').map(|name| &hello[name]).collect();
    assert_eq!(json!(values), expected);
    relay.settle().await;

    chat_with(&service, "a", "x", &["one", "two"]).await;
    chat_with(&service, "a", "y", &["other"]).await;
    let first = relay.command().await;
    let payload = json!({"thread_id": "x", "chat_guid": "x", "text": "one", "bubbles": ["one"], "bubble_type": "normal"});
    assert_eq!(first["payload"], payload);
    assert_eq!(
        json!([
            first["seq"], first["command_type"], first["priority"], first["attempt"]
        ]),
        json!([1, "send_message_now", "normal", 1])
    );
    assert!(first["expires_at"].as_str() > first["timestamp"].as_str());
    // One of a chat is under way; the other chat goes on.
    let other = relay.command().await;
    assert_eq!(other["seq"], 3);
    relay.settle().await;
    until_states(&service, &[(1, "sent"), (2, "queued"), (3, "sent")]).await;

    let ack = json!({"command_id": first["command_id"], "success": true, "error": null, "timestamp": "now"});
    relay
        .say(&json!({"type": "command_ack", "data": ack}))
        .await;
    let second = relay.command().await;
    assert_eq!(second["seq"], 2);
    relay.ack(&other, "received").await;
    relay.ack(&other, "executing").await;
    relay.ack(&second, "completed").await;
    until_states(
        &service,
        &[(1, "completed"), (2, "completed"), (3, "executing")],
    )
    .await;
    // Late and double acks change nothing.
    relay.ack(&other, "received").await;
    relay.ack(&first, "failed").await;
    relay.ack(&other, "completed").await;
    relay.ack(&other, "executing").await;
    relay.settle().await;
    until_states(
        &service,
        &[(1, "completed"), (2, "completed"), (3, "completed")],
    )
    .await;
}

#[tokio::test]
async fn what_is_never_acked_is_sent_five_times() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    for attempt in 1..=5 {
        let command = relay.command().await;
        assert_eq!(
            (&command["seq"], &command["attempt"]),
            (&json!(1), &json!(attempt))
        );
        // The time-out, and the longest backoff after it.
        clock.advance(30_000);
        relay.settle().await;
        clock.advance(1_200 << (attempt - 1));
        relay.settle().await;
    }
    let next = relay.command().await;
    assert_eq!((&next["seq"], &next["attempt"]), (&json!(2), &json!(1)));
    until_states(&service, &[(1, "failed"), (2, "sent")]).await;
    let why = service.rows("SELECT error FROM commands WHERE seq = 1");
    assert_eq!(why, [["not finished after 5 attempts"]]);
}

#[tokio::test]
async fn a_relay_that_works_on_it_has_two_minutes() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one"]).await;
    let command = relay.command().await;
    relay.ack(&command, "received").await;
    until_states(&service, &[(1, "received")]).await;
    clock.advance(119_999);
    relay.settle().await;
    clock.advance(2);
    relay.settle().await; // the attempt is over; the backoff begins
    relay
        .ack(&json!({"command_id": "nothing"}), "completed")
        .await;
    assert_eq!(relay.next().await["data"]["code"], "unknown_command");
    clock.advance(1_200);
    relay.settle().await;
    assert_eq!(relay.command().await["attempt"], 2);
}

#[tokio::test]
async fn a_failure_ends_it_unless_it_is_retryable() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let first = relay.command().await;
    let ack = json!({"command_id": first["command_id"], "status": "failed", "retryable": true, "error": "busy"});
    relay
        .say(&json!({"type": "command_ack", "data": ack}))
        .await;
    let refused = "SELECT refused, error FROM commands WHERE seq = 1";
    eventually("refused", async || {
        service.rows(refused) == [[json!(1), json!("busy")]]
    })
    .await;
    clock.advance(1_200);
    relay.settle().await;
    let repeated = relay.command().await;
    assert_eq!(
        (&repeated["seq"], &repeated["attempt"]),
        (&json!(1), &json!(2))
    );
    let ack = json!({"command_id": repeated["command_id"], "status": "failed", "retryable": false});
    relay
        .say(&json!({"type": "command_ack", "data": ack}))
        .await;
    assert_eq!(relay.command().await["seq"], 2);
    until_states(&service, &[(1, "failed"), (2, "sent")]).await;
}

#[tokio::test]
async fn resume_finishes_what_was_sent_and_not_refused() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    let epoch = relay.hello["data"]["epoch"].clone();
    for chat in ["x", "y"] {
        chat_with(&service, "a", chat, &["one", "two"]).await;
    }
    let first = relay.command().await;
    assert_eq!(relay.command().await["seq"], 3);
    let ack = json!({"command_id": first["command_id"], "status": "failed", "retryable": true});
    relay
        .say(&json!({"type": "command_ack", "data": ack}))
        .await;
    relay.settle().await;
    drop(relay);

    let mut relay = service.relay("a").await;
    assert_eq!(relay.hello["data"]["head_seq"], 4);
    relay
        .say(&json!({"type": "resume", "data": {"epoch": epoch, "last_seq": 3}}))
        .await;
    let resent = relay.command().await;
    assert_eq!(
        (&resent["seq"], &resent["attempt"]),
        (&json!(1), &json!(1)),
        "no attempt"
    );
    assert_eq!(relay.command().await["seq"], 4);
    until_states(
        &service,
        &[(1, "sent"), (2, "queued"), (3, "completed"), (4, "sent")],
    )
    .await;
    let resends = service.rows("SELECT resends FROM commands WHERE seq = 1");
    assert_eq!(resends, [[1]]);
}

#[tokio::test]
async fn a_resume_that_can_not_be_true_finishes_nothing() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    let epoch = relay.hello["data"]["epoch"].clone();
    chat_with(&service, "a", "x", &["one"]).await;
    assert_eq!(relay.command().await["seq"], 1);
    for resume in [
        json!({"epoch": "another", "last_seq": 1}),
        json!({"epoch": epoch, "last_seq": 2}),
        json!({"epoch": epoch, "last_seq": u64::MAX}),
        json!({"last_seq": 1}),
    ] {
        let mut relay = service.relay("a").await;
        relay.say(&json!({"type": "resume", "data": resume})).await;
        let hello = relay.next().await;
        assert_eq!(hello["type"], "hello", "{resume}");
        assert_eq!(hello["data"]["epoch"], epoch);
        assert_eq!(relay.command().await["seq"], 1);
        relay.ws.close(None).await.unwrap();
        eventually("gone", async || service.app.hub.connected() == 0).await;
    }
    assert_eq!(states(&service), [[json!(1), json!("sent")]]);
}

#[tokio::test]
async fn a_restart_delivers_what_is_unfinished_in_order() {
    let service = Service::start().await;
    chat(&service, "a", "x").await;
    let mut relay = service.relay("a").await;
    for text in ["one", "two", "three"] {
        queue(&service, "a", "x", text).await;
    }
    assert_eq!(relay.command().await["seq"], 1);
    drop(relay);
    let (_, folder) = service.stop().await;
    let clock = chatkeep::clock::Clock::system();
    let service = Service::in_folder(folder, &[], clock).await;
    let mut relay = service.relay("a").await;
    for (seq, text) in [(1, "one"), (2, "two"), (3, "three")] {
        let command = relay.command().await;
        assert_eq!(command["seq"], seq);
        assert_eq!(command["payload"]["text"], text);
        assert_eq!(command["attempt"], 1);
        relay.ack(&command, "completed").await;
    }
    until_states(
        &service,
        &[(1, "completed"), (2, "completed"), (3, "completed")],
    )
    .await;
}

#[tokio::test]
async fn what_was_never_sent_moves_with_its_chat() {
    let service = Service::start().await;
    let mut old = service.relay("a").await;
    chat_with(&service, "a", "x", &["one", "two"]).await;
    let sent = old.command().await;
    chat(&service, "b", "x").await;
    let mut new = service.relay("b").await;
    let moved = new.command().await;
    assert_eq!(
        (&moved["seq"], &moved["payload"]["text"]),
        (&json!(1), &json!("two"))
    );
    until_states(&service, &[(1, "sent"), (2, "moved"), (1, "sent")]).await;
    let ids = service
        .rows("SELECT count(DISTINCT command_id) FROM commands WHERE seq = 2 OR agent_id = 2");
    assert_eq!(ids, [[1]]);
    // The old agent's ack of what moved is late; the new agent has never had the first.
    old.ack(&moved, "completed").await;
    new.ack(&sent, "completed").await;
    assert_eq!(new.next().await["data"]["code"], "unknown_command");
    old.ack(&sent, "completed").await;
    old.settle().await;
    until_states(&service, &[(1, "completed"), (2, "moved"), (1, "sent")]).await;
}

#[tokio::test]
async fn what_expired_is_not_sent() {
    let clock = clock();
    let service = service_at(&clock, &[("CHATKEEP_EDGE_COMMAND_TTL_HOURS", "1")]).await;
    chat_with(&service, "a", "x", &["late"]).await;
    clock.advance(3_600_000);
    queue(&service, "a", "x", "in time").await;
    let mut relay = service.relay("a").await;
    assert_eq!(relay.command().await["payload"]["text"], "in time");
    until_states(&service, &[(1, "expired"), (2, "sent")]).await;
}

#[tokio::test]
async fn a_full_outbox_is_told_to_the_producer() {
    let service = Service::start().await;
    chat(&service, "a", "x").await;
    service.fill_outbox("a", 9_999, false).await;
    let long = ["A paragraph that is a bubble."; 20].join("\n\n");
    assert!(!queue(&service, "a", "x", &long).await, "two commands");
    assert!(queue(&service, "a", "x", "one").await);
    assert!(!queue(&service, "a", "x", "one more").await);
    assert_eq!(states(&service).len(), 10_000);
}

#[tokio::test]
async fn a_command_that_breaks_its_relay_ends() {
    let clock = clock();
    let service = service_at(&clock, &[]).await;
    chat_with(&service, "a", "x", &["poison"]).await;
    for resends in 0..=32 {
        let mut relay = service.relay("a").await;
        relay.say(&json!({"type": "resume"})).await;
        let command = relay.command().await;
        assert_eq!(command["attempt"], 1);
        let rows = service.rows("SELECT resends FROM commands");
        assert_eq!(rows, [[resends]]);
        drop(relay);
        eventually("gone", async || service.app.hub.connected() == 0).await;
        clock.advance(6_100); // ten upgrades a minute
    }
    let mut relay = service.relay("a").await;
    relay.say(&json!({"type": "resume"})).await;
    until_states(&service, &[(1, "failed")]).await;
}

#[tokio::test]
async fn events_are_kept_once_and_the_status_is_shown() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    let event = json!({"event_id": "e-7", "event_type": "message_sent", "thread_id": "x", "details": {"n": 1}});
    for _ in 0..2 {
        relay.say(&json!({"type": "event", "data": event})).await;
        let ack = json!({"type": "event_ack", "data": {"event_id": "e-7"}});
        assert_eq!(relay.next().await, ack);
    }
    let rows = service.rows("SELECT event_id, event_type, thread_id, details FROM edge_events");
    assert_eq!(rows, [["e-7", "message_sent", "x", r#"{"n":1}"#]]);

    let status = json!({"uptime_seconds": 3600, "scheduled_messages": 0});
    relay.say(&json!({"type": "status", "data": status})).await;
    eventually("the status", async || {
        let relays = service
            .admin("GET", "/admin/edge-agents", &json!({}))
            .await
            .json();
        relays["agents"][0]["status"] == status && relays["agents"][0]["connected"] == true
    })
    .await;
}

#[tokio::test]
async fn typing_is_shown_to_relays_that_can() {
    let service = Service::start().await;
    chat(&service, "a", "x").await;
    let now = service.app.clock.now();
    let agent = service.app.store.write(move |tx| tx.agent("a", now)).await;
    let agent = agent.unwrap().id;
    let mut relay = service.relay("a").await;
    let show = || service.app.hub.show_typing(agent, "x", true, 5_000);
    show();
    relay.settle().await; // nothing but the pong
    relay
        .say(&json!({"type": "resume", "data": {"capabilities": ["typing"]}}))
        .await;
    relay.settle().await;
    show();
    let frame = relay.command().await;
    assert_eq!(frame["command_type"], "typing");
    let payload = json!({"thread_id": "x", "chat_guid": "x", "on": true, "ttl_ms": 5_000});
    assert_eq!(frame["payload"], payload);
    assert!(service.rows("SELECT * FROM commands").is_empty());
}

/// A reply in an HTTP answer is not also a command.
#[tokio::test]
async fn a_reply_in_an_answer_is_not_queued() {
    let service = Service::start().await;
    let answer = service
        .edge_message("a", &direct("+15550101", "hello"))
        .await;
    assert_eq!(answer.json()["should_respond"], true);
    assert!(states(&service).is_empty());
    let RelaySocket { hello, .. } = service.relay("a").await;
    assert_eq!(hello["data"]["head_seq"], 0);
}
