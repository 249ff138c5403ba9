//! Group chats: when the assistant joins in, and who owns the room.

use serde_json::{Value, json};

use super::support::{Service, direct, group, post, token};
use super::{EDGE, LEGACY, count, say, service_at, standing_clock};

/// Sends to a group; whether it was answered. Silence has no words.
async fn answered(service: &Service, body: &Value) -> bool {
    let answer = service.edge_message("a", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = answer.json();
    let responds = answer["should_respond"].as_bool().unwrap();
    assert_eq!(answer["reply_text"] != "", responds, "{answer}");
    assert_eq!(answer["reply_bubbles"] != json!([]), responds, "{answer}");
    responds
}

fn with_context(sender: &str, text: &str, context: Value) -> Value {
    let mut body = group("room", sender, text);
    body["context"] = context;
    body
}

/// The messages of a direct chat that became a group are kept in a room with a name of the
/// service's own. No relay writes there.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_writes_to_a_former_direct_chat() {
    let service = Service::start().await;
    say(&service, "ana", "hello").await;
    let answer = service
        .edge_message("a", &group("chat;ana", "ben", "hi"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let rooms = service.rows("SELECT chat_guid FROM rooms WHERE mode = 'direct'");
    let former = rooms[0][0].as_str().unwrap();
    assert_ne!(former, "chat;ana");
    let erased = format!("\u{1}erased {}", "0".repeat(64));
    for name in [former, erased.as_str()] {
        let mut message = direct("ana", "still there?");
        message["chat_guid"] = name.into();
        for path in [EDGE, LEGACY] {
            let answer = service
                .send(&post(path, &message).bearer(&token("a")))
                .await;
            assert_eq!(answer.status, 422, "{path}: {}", answer.text);
            assert_eq!(answer.json()["errors"][0]["field"], "/chat_guid");
        }
        let old = json!({"thread_id": name, "filtered_text": "x", "is_group": false,
            "original_timestamp": 1_700_000_000, "sender": "ana"});
        let answer = service.edge_message("a", &old).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], "/thread_id");
    }
    assert_eq!(count(&service, "messages"), 2);
    // Other control characters are a relay's own business.
    let mut message = direct("ana", "hello");
    message["chat_guid"] = "chat\u{1}\n7".into();
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_assistant_answers_when_it_is_addressed() {
    let service = Service::start().await;
    service
        .set_flag("rate_limit.message_budget_threshold", 100)
        .await;
    service.set_flag("rate_limit.enabled", false).await;
    let cases = [
        ("did anyone feed the cat", json!({}), false),
        ("hello", json!({}), false),
        ("", json!({}), false),
        ("Juno, what can you do?", json!({}), true),
        ("thanks JUNO", json!({}), true),
        ("ask juno's opinion", json!({}), true),
        ("junos are fish", json!({}), false),
        (
            "did anyone feed the cat",
            json!({"reply_to_assistant": true}),
            true,
        ),
        (
            "did anyone feed the cat",
            json!({"reply_to_assistant": false}),
            false,
        ),
        (
            "did anyone feed the cat",
            json!({"reply_to_assistant": null}),
            false,
        ),
        ("add milk", json!({"superpower": "todo_list"}), true),
        ("add milk", json!({"superpower": "juggling"}), false),
        ("add milk", json!({"superpower": null}), false),
    ];
    for (text, context, expected) in cases {
        let body = with_context("ana", text, context.clone());
        assert_eq!(
            answered(&service, &body).await,
            expected,
            "{text:?} {context}"
        );
    }
    service
        .set_flag("superpower.todo_list.enabled", false)
        .await;
    let body = with_context("ana", "add milk", json!({"superpower": "todo_list"}));
    assert!(!answered(&service, &body).await, "its flag is off");
    service.set_flag("superpower.todo_list.enabled", true).await;
    service.set_flag("superpower.enabled", false).await;
    assert!(!answered(&service, &body).await, "the master switch is off");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_personas_name_is_configured() {
    let service = Service::with(&[("CHATKEEP_REPLY_PERSONA_NAME", "Mary Jane")]).await;
    assert!(!answered(&service, &group("room", "ana", "juno, help")).await);
    assert!(answered(&service, &group("room", "ana", "help, mary  jane")).await);
}

/// The fifth human message since the assistant's last one, when there is something to say.
#[tokio::test(flavor = "multi_thread")]
async fn it_joins_in_unasked_after_a_budget_of_human_messages() {
    let service = Service::start().await;
    for round in 0..2 {
        for n in 1..=4 {
            let body = group("room", ["ana", "ben"][n % 2], "hello");
            assert!(!answered(&service, &body).await, "{round} {n}");
        }
        assert!(answered(&service, &group("room", "cleo", "hello")).await);
    }
    // Nothing to say: it waits until there is.
    for _ in 0..6 {
        let body = group("room", "dora", "the meeting moved to building four");
        assert!(!answered(&service, &body).await);
    }
    assert!(answered(&service, &group("room", "eve", "hello")).await);
    assert!(!answered(&service, &group("room", "eve", "hello")).await);
    // An answer that was asked for starts the count anew; another room has its own.
    assert!(answered(&service, &group("room", "eve", "juno?")).await);
    for _ in 0..4 {
        assert!(!answered(&service, &group("room", "fay", "hello")).await);
        assert!(!answered(&service, &group("other", "fay", "hello")).await);
    }
    assert!(answered(&service, &group("room", "gus", "hello")).await);
    // Strict mode concerns limits, not this.
    service
        .set_flag("rate_limit.strict_mode_enabled", true)
        .await;
    service
        .set_flag("rate_limit.message_budget_threshold", 2)
        .await;
    assert!(!answered(&service, &group("room", "hal", "hello")).await);
    assert!(answered(&service, &group("room", "hal", "hello")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_count_survives_a_restart() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    for _ in 0..4 {
        assert!(!answered(&service, &group("room", "ana", "hello")).await);
    }
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    assert!(answered(&service, &group("room", "ana", "hello")).await);
}

/// What is somebody's own is not told to a group unasked.
#[tokio::test(flavor = "multi_thread")]
async fn memories_are_not_told_unasked() {
    let service = Service::start().await;
    service
        .set_flag("rate_limit.message_budget_threshold", 1)
        .await;
    say(&service, "ana", "remember that my locker code is 4321").await;
    let body = group("room", "ana", "what do you remember about my locker?");
    let silent = service.edge_message("a", &body).await.json();
    assert_eq!(silent["should_respond"], false, "{silent}");
    let body = group("room", "ana", "juno, what do you remember about my locker?");
    let answer_body = service.edge_message("a", &body).await.json();
    assert!(!answer_body.to_string().contains("4321"), "{answer_body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rooms_owner_is_settled_by_its_first_message() {
    let service = Service::start().await;
    let owned = |chat: &str, sender: &str, mode: &str, owner: Option<&str>| {
        let mut body = group(chat, sender, "hi");
        body["mode"] = mode.into();
        if let Some(owner) = owner {
            body["context"] = json!({"owner": owner});
        }
        body
    };
    for body in [
        owned("named", "ana", "group", Some("olga")),
        owned("named", "ben", "group", Some("ben")),
        owned("unnamed", "ana", "group", None),
        owned("unnamed", "ben", "group", Some("olga")),
        owned("unnamed", "cleo", "group", None),
        owned("direct", "dora", "direct", Some("olga")),
    ] {
        let answer = service.edge_message("a", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let rows = service.rows(
        "SELECT chat_guid, mode, phone FROM rooms JOIN users ON users.id = owner_id ORDER BY rooms.id",
    );
    let expected = [
        ["named", "group", "olga"],
        ["unnamed", "group", "ana"],
        ["direct", "direct", "dora"],
    ];
    assert_eq!(rows, expected);
    // The owner became a user; nobody was counted who did not write.
    let users = service.rows("SELECT phone FROM users ORDER BY phone");
    assert_eq!(users, [["ana"], ["ben"], ["cleo"], ["dora"], ["olga"]]);
    assert_eq!(service.rows("SELECT sum(count) FROM usage_days"), [[6]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_knows_who_takes_part() {
    let service = Service::start().await;
    let members = || {
        let rows = service.rows("SELECT handle FROM room_members ORDER BY handle");
        let handle = |row: Vec<Value>| row[0].as_str().unwrap().to_owned();
        rows.into_iter().map(handle).collect::<Vec<_>>()
    };
    let mut body = group("room", "ana", "hi");
    body["participants"] = json!(["ben", "ana", "ben"]);
    answered(&service, &body).await;
    assert_eq!(members(), ["ana", "ben"]);
    body["participants"] = json!(["cleo"]);
    answered(&service, &body).await;
    assert_eq!(members(), ["ana", "cleo"], "the sender takes part too");
    // Nobody named: who was there stays, and the sender is there.
    body["participants"] = json!([]);
    body["sender"] = json!("dora");
    answered(&service, &body).await;
    assert_eq!(members(), ["ana", "cleo", "dora"]);
    // Participants are no users until they write.
    let users = service.rows("SELECT phone FROM users ORDER BY phone");
    assert_eq!(users, [["ana"], ["dora"]]);
}
