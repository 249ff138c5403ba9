//! What a call brings about: messages, memories, sessions, and where.

use super::*;

async fn with_actions(actions: &Value) -> (Market, Value) {
    let market = Market::open().await;
    let app_id = app(&market.service, &market.token, actions).await;
    (market, json!(app_id))
}

/// A webhook of an app of its own with this one action.
async fn market_with(action: Value, hook_body: Value) -> Market {
    let (mut market, app_id) = with_actions(&json!([action])).await;
    market.app_id = app_id.as_str().unwrap().to_owned();
    let mut body = hook_body;
    body["action_id"] = action["action_id"].clone();
    let created = hook(&market.service, &market.token, &market.app_id, &body).await;
    market.webhook_id = created["webhook_id"].as_str().unwrap().to_owned();
    market.secret = created["secret"].as_str().unwrap().to_owned();
    market
}

#[tokio::test(flavor = "multi_thread")]
async fn values_go_into_the_text_as_they_are() {
    let action = says("say", "{who}: {n} {yes} {list} {{who}} {none}{gone}");
    let mapping = json!({"payload_mapping": {
        "who": "user.name", "n": "items.1.count", "yes": "ok", "list": "items.0", "none": "user.none",
        "gone": "items.9",
    }});
    let market = market_with(action, mapping).await;
    let body = json!({
        "user": {"name": "{n} <b>'; DROP", "none": null}, "ok": true,
        "items": [["a", 1], {"count": 2.5}],
    });
    assert_eq!(market.call(&body.to_string()).await.status, 200);
    let expected = r#"{n} <b>'; DROP: 2.5 true ["a",1] {who}"#;
    assert_eq!(market.sent_texts(), [expected]);
}

/// A price is told as it was sent.
#[tokio::test(flavor = "multi_thread")]
async fn numbers_keep_their_letters() {
    let action = says("say", "{price} {huge} {tiny} {whole} {minus} {list}");
    let mapping = json!({"payload_mapping": {
        "price": "a.0.price", "huge": "huge", "tiny": "tiny", "whole": "whole", "minus": "minus",
        "list": "list",
    }});
    let market = market_with(action, mapping).await;
    let body = r#"{"a":[{"price":1},{}],"a":[{"price": 12.50 }],"huge":12345678901234567890123,
        "tiny":1E-7,"whole":7,"minus":-0,"list":[1,"1.0"]}"#;
    assert_eq!(market.call(body).await.status, 200);
    let expected = r#"12.50 12345678901234567890123 1E-7 7 -0 [1,"1.0"]"#;
    assert_eq!(market.sent_texts(), [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_text_ends_with_an_ellipsis() {
    let market = market_with(says("say", "{t}"), json!({})).await;
    let body = json!({"t": "word ".repeat(2_000)});
    assert_eq!(market.call(&body.to_string()).await.status, 200);
    let texts = market.sent_texts();
    assert_eq!(texts.len(), 1);
    assert_eq!(texts[0].chars().count(), 4_000);
    assert!(texts[0].ends_with('…'));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_field_without_a_value_fails_and_says_which() {
    let mut action = says("say", "{title}");
    action["parameters"] = json!(["title", "due"]);
    let market = market_with(action, json!({})).await;
    let answer = market.call(r#"{"title":"x","due":null}"#).await;
    refused(&answer, 500, "action_failed");
    let event = &market.events().await[0];
    assert_eq!(event["result_status"], "action_failed");
    assert_eq!(event["signature_valid"], true);
    assert_eq!(event["action_triggered"], "say");
    assert_eq!(
        event["error_message"],
        "The required field due has no value."
    );
    assert_eq!(
        market.call(r#"{"title":"x","due":"now"}"#).await.status,
        200
    );
    assert_eq!(market.sent_texts(), ["x"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_goes_to_every_room_that_has_the_app_else_to_the_newest_direct_chat() {
    let market = Market::open().await;
    let service = &market.service;
    let rooms = || {
        service.rows(
            "SELECT chat_guid FROM commands JOIN rooms ON rooms.id = room_id ORDER BY commands.id",
        )
    };
    let body = r#"{"title":"x","n":1}"#;
    // A second direct chat becomes the newest.
    let mut second = direct(CREATOR, "hi");
    second["chat_guid"] = json!("second");
    assert_eq!(service.edge_message("b", &second).await.status, 200);
    assert_eq!(market.call(body).await.status, 200);
    assert_eq!(rooms(), [["second"]]);
    assert_eq!(
        service
            .edge_message("a", &direct(CREATOR, "hi"))
            .await
            .status,
        200
    );
    assert_eq!(market.call(body).await.status, 200);
    assert_eq!(rooms()[1], [format!("chat;{CREATOR}")]);
    for (chat, agent) in [("g1", "a"), ("g2", "b")] {
        let message = support::group(chat, CREATOR, "hi");
        assert_eq!(service.edge_message(agent, &message).await.status, 200);
        let path = format!("/marketplace/apps/{}/rooms/{chat}", market.app_id);
        let install = request("PUT", &path).bearer(&market.token);
        assert_eq!(service.send(&install).await.status, 200);
    }
    assert_eq!(market.call(body).await.status, 200);
    assert_eq!(rooms()[2..], [["g1"], ["g2"]]);
}

/// Where the creator is written to is in memory; each call sees what changed before it.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_creators_chats_counts_from_the_next_call_on() {
    let market = Market::open().await;
    let service = &market.service;
    let only = format!("chat;{CREATOR}");
    let mut second = direct(CREATOR, "hi");
    second["chat_guid"] = json!("second");
    let hi = direct(CREATOR, "hi");
    let now_a_group = support::group(&only, CREATOR, "hi");
    let cases = [
        (None, only.as_str(), "a"),
        (None, &only, "a"),
        (Some(("b", &hi)), &only, "b"),
        (None, &only, "b"),
        (Some(("a", &second)), "second", "a"),
        (Some(("b", &hi)), &only, "b"),
        (Some(("b", &now_a_group)), "second", "a"),
        (None, "second", "a"),
    ];
    for (number, (message, chat, agent)) in cases.into_iter().enumerate() {
        if let Some((by, message)) = message {
            assert_eq!(service.edge_message(by, message).await.status, 200);
        }
        let body = format!(r#"{{"title":"x","n":{number}}}"#);
        assert_eq!(market.call(&body).await.status, 200);
        let place = service.rows(
            "SELECT json_extract(payload, '$.chat_guid'), agents.agent_id
             FROM commands JOIN agents ON agents.id = commands.agent_id
             ORDER BY commands.id DESC LIMIT 1",
        );
        assert_eq!(place, [[chat, agent]], "{number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_chat_that_takes_commands_nothing_can_be_sent() {
    let service = Service::start().await;
    // The creator writes by a legacy relay only.
    let answer = service
        .send(&post("/orchestrator/message", &direct(CREATOR, "hi")))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let token = service.user_token(&service.user_id(CREATOR));
    let app_id = app(&service, &token, &json!([says("say", "x")])).await;
    let created = hook(&service, &token, &app_id, &json!({"action_id": "say"})).await;
    let (id, secret) = (created["webhook_id"].as_str(), created["secret"].as_str());
    let call = signed(id.unwrap(), secret.unwrap(), "{}");
    refused(&service.send(&call).await, 500, "action_failed");
    // Installed there it is no better.
    let path = format!("/marketplace/apps/{app_id}/rooms/chat;{CREATOR}");
    let install = request("PUT", &path).bearer(&token);
    assert_eq!(service.send(&install).await.status, 200);
    refused(&service.send(&call).await, 500, "action_failed");
    // With a relay it is.
    assert_eq!(
        service
            .edge_message("a", &direct(CREATOR, "hi"))
            .await
            .status,
        200
    );
    assert_eq!(service.send(&call).await.status, 200);
    assert_eq!(sent_texts(&service), ["x"]);
}

/// All rooms or none: a repetition doubles nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_outbox_fails_the_whole_call() {
    let market = Market::open().await;
    let service = &market.service;
    for (chat, agent) in [("g1", "a"), ("g2", "full")] {
        let message = support::group(chat, CREATOR, "hi");
        assert_eq!(service.edge_message(agent, &message).await.status, 200);
        let path = format!("/marketplace/apps/{}/rooms/{chat}", market.app_id);
        let install = request("PUT", &path).bearer(&market.token);
        assert_eq!(service.send(&install).await.status, 200);
    }
    let waiting = service.fill_outbox("full", 10_000, false).await;
    let answer = market.call(r#"{"title":"x","n":1}"#).await;
    refused(&answer, 500, "action_failed");
    assert_eq!(market.sent_texts().len(), 0);
    service.empty_outbox("full", waiting).await;
    assert_eq!(market.call(r#"{"title":"x","n":1}"#).await.status, 200);
    assert_eq!(market.sent_texts(), ["x 1", "x 1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn remember_keeps_a_memory_of_the_creator() {
    let action = json!({"action_id": "keep", "kind": "remember", "template": "Parcel {n} came"});
    let market = market_with(action, json!({})).await;
    assert_eq!(market.call(r#"{"n":7}"#).await.status, 200);
    let stored = market.service.rows(
        "SELECT phone, text, category FROM memories JOIN users ON users.id = memories.user_id",
    );
    assert_eq!(stored, [[CREATOR, "Parcel 7 came", "app"]]);
    assert_eq!(market.sent_texts().len(), 0);
    let request = direct(CREATOR, "what do you remember about parcel?");
    let answer = market.service.edge_message("a", &request).await.json();
    let reply = answer["reply_text"].as_str().unwrap();
    assert!(reply.contains("Parcel 7 came"), "{reply}");
}

#[tokio::test(flavor = "multi_thread")]
async fn memories_have_an_end() {
    let action = json!({"action_id": "keep", "kind": "remember", "template": "{n}"});
    let market = market_with(action, json!({})).await;
    let database = market.service.folder.path().join("chatkeep.db");
    let conn = rusqlite::Connection::open(database).unwrap();
    let sql = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 9999)
               INSERT INTO memories (memory_id, user_id, text, category, created_at)
               SELECT 'm' || a, (SELECT id FROM users), 'x', 'said', 0 FROM n";
    conn.execute(sql, []).unwrap();
    assert_eq!(market.call(r#"{"n":1}"#).await.status, 200);
    refused(&market.call(r#"{"n":2}"#).await, 500, "action_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn start_session_opens_one_in_each_room() {
    let action = json!({"action_id": "play", "kind": "start_session"});
    let market = market_with(action, json!({})).await;
    let service = &market.service;
    for chat in ["g1", "g2"] {
        let message = support::group(chat, CREATOR, "hi");
        assert_eq!(service.edge_message("a", &message).await.status, 200);
        let path = format!("/marketplace/apps/{}/rooms/{chat}", market.app_id);
        let install = request("PUT", &path).bearer(&market.token);
        assert_eq!(service.send(&install).await.status, 200);
    }
    // One that is under way goes on.
    for _ in 0..2 {
        assert_eq!(market.call("{}").await.status, 200);
    }
    let sessions = service.rows(
        "SELECT chat_guid, app_id, state, phone, message_count FROM miniapp_sessions
         JOIN rooms ON rooms.id = room_id JOIN users ON users.id = miniapp_sessions.user_id
         ORDER BY chat_guid",
    );
    let expected = ["g1", "g2"].map(|chat| {
        let app_id = market.app_id.as_str();
        json!([chat, app_id, "active", CREATOR, 0])
    });
    assert_eq!(json!(sessions), json!(expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_over_after_half_an_hour() {
    let clock = standing_clock();
    let market = market_at(&clock, &[]).await;
    let actions = json!([{"action_id": "say", "kind": "start_session"}]);
    let path = format!("/marketplace/apps/{}", market.app_id);
    let replace = request("PUT", &path).json(&json!({"name": "Game", "actions": actions}));
    let replaced = market.service.send(&replace.bearer(&market.token)).await;
    assert_eq!(replaced.status, 200, "{}", replaced.text);
    let half_an_hour_ms = 30 * 60 * 1_000;
    for (wait_ms, sessions) in [(0, 1), (half_an_hour_ms - 1, 1), (1, 2)] {
        clock.advance(wait_ms);
        assert_eq!(market.call("{}").await.status, 200);
        let rows = market.service.rows("SELECT count(*) FROM miniapp_sessions");
        assert_eq!(rows[0][0], sessions, "after {wait_ms} ms more");
    }
    let (store, now) = (&market.service.app.store, clock.now());
    let removed = store.write(move |tx| tx.remove_old_rows(now)).await;
    removed.unwrap();
    let rows = market
        .service
        .rows("SELECT state, ended_at - started_at FROM miniapp_sessions ORDER BY id");
    let expected = json!([["ended", half_an_hour_ms], ["active", null]]);
    assert_eq!(json!(rows), expected);
}
