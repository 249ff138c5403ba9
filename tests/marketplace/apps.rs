//! Apps: made, shown, replaced and removed by their creators, put into rooms by people there.

use super::*;

async fn send(service: &Service, token: &str, request: Request) -> Answer {
    service.send(&request.bearer(token)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_made_shown_replaced_and_removed() {
    let service = Service::start().await;
    let token = creator(&service).await;
    let body = json!({
        "name": "Door bell", "description": null,
        "actions": [
            {"action_id": "ring", "kind": "send_message", "template": "{who}", "parameters": ["who"]},
            {"action_id": "note.it", "description": "Keeps it", "kind": "remember", "template": "x"},
            {"action_id": "play", "kind": "start_session"},
        ],
    });
    let answer = send(&service, &token, post("/marketplace/apps", &body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let created = answer.json();
    let app_id = created["app_id"].as_str().unwrap().to_owned();
    let expected = json!({
        "app_id": app_id, "name": "Door bell", "description": "", "created_at": created["created_at"],
        "actions": [
            {"action_id": "ring", "description": "", "kind": "send_message", "template": "{who}",
             "parameters": ["who"]},
            {"action_id": "note.it", "description": "Keeps it", "kind": "remember",
             "template": "x", "parameters": []},
            {"action_id": "play", "description": "", "kind": "start_session", "template": null,
             "parameters": []},
        ],
    });
    assert_eq!(created, expected);
    let path = format!("/marketplace/apps/{app_id}");
    assert_eq!(send(&service, &token, get(&path)).await.json(), expected);
    let listed = send(&service, &token, get("/marketplace/apps")).await;
    assert_eq!(listed.json(), json!({"apps": [expected], "total": 1}));

    let other = json!({"name": "Bell", "description": "Rings", "actions": []});
    let replaced = send(&service, &token, request("PUT", &path).json(&other)).await;
    assert_eq!(replaced.status, 200, "{}", replaced.text);
    let expected = json!({
        "app_id": app_id, "name": "Bell", "description": "Rings", "actions": [],
        "created_at": created["created_at"],
    });
    assert_eq!(replaced.json(), expected);
    assert_eq!(send(&service, &token, get(&path)).await.json(), expected);

    let removed = send(&service, &token, request("DELETE", &path)).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    assert_eq!(removed.json()["status"], "ok");
    let repeated = send(&service, &token, request("DELETE", &path)).await;
    refused(&repeated, 404, "app_not_found");
    let listed = send(&service, &token, get("/marketplace/apps")).await;
    assert_eq!(listed.json(), json!({"apps": [], "total": 0}));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_is_named() {
    let service = Service::start().await;
    let token = creator(&service).await;
    let action = |change: Value| {
        let mut action = says("a", "x");
        let fields = change.as_object().unwrap().clone();
        action.as_object_mut().unwrap().extend(fields);
        json!({"name": "n", "actions": [says("first", "x"), action]})
    };
    let cases = [
        (json!({"actions": []}), "/name"),
        (json!({"name": "", "actions": []}), "/name"),
        (json!({"name": "x".repeat(201), "actions": []}), "/name"),
        (json!({"name": "n"}), "/actions"),
        (json!({"name": "n", "actions": {}}), "/actions"),
        (json!({"name": "n", "actions": [1]}), "/actions/0"),
        (
            json!({"name": "n", "actions": vec![says("a", "x"); 21]}),
            "/actions",
        ),
        (
            json!({"name": "n", "actions": [says("a", "x"), says("a", "y")]}),
            "/actions",
        ),
        (
            json!({"name": "n", "description": 1, "actions": []}),
            "/description",
        ),
        (action(json!({"action_id": ""})), "/actions/1/action_id"),
        (action(json!({"action_id": "a b"})), "/actions/1/action_id"),
        (action(json!({"action_id": "ä"})), "/actions/1/action_id"),
        (
            action(json!({"action_id": "x".repeat(65)})),
            "/actions/1/action_id",
        ),
        (action(json!({"kind": "fly"})), "/actions/1/kind"),
        (action(json!({"kind": null})), "/actions/1/kind"),
        (action(json!({"template": null})), "/actions/1/template"),
        (action(json!({"template": " "})), "/actions/1/template"),
        (
            action(json!({"template": "x".repeat(8_193)})),
            "/actions/1/template",
        ),
        (
            action(json!({"parameters": "who"})),
            "/actions/1/parameters",
        ),
        (
            action(json!({"parameters": ["ok", ""]})),
            "/actions/1/parameters/1",
        ),
        (
            action(json!({"parameters": vec!["x"; 21]})),
            "/actions/1/parameters",
        ),
    ];
    for (body, field) in cases {
        let answer = send(&service, &token, post("/marketplace/apps", &body)).await;
        refused(&answer, 422, "validation_failed");
        let errors = answer.json()["errors"].clone();
        assert_eq!(errors[0]["field"], field, "{body}: {errors}");
    }
    assert_eq!(service.rows("SELECT count(*) FROM apps"), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_more_than_a_hundred_apps() {
    let service = Service::start().await;
    let token = creator(&service).await;
    let body = json!({"name": "n", "actions": []});
    let request = post("/marketplace/apps", &body).bearer(&token);
    let creating = (0..110).map(|_| service.send(&request));
    let answers = futures_util::future::join_all(creating).await;
    let created_count = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(created_count, 100);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        refused(answer, 422, "validation_failed");
    }
    let other = person(&service, "+15550102").await;
    app(&service, &other, &json!([])).await;
}

/// The creator, somebody else, nobody, and somebody whose token is over.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_creator_manages_an_app() {
    let market = Market::open().await;
    let service = &market.service;
    let other = person(service, "+15550102").await;
    let path = format!("/marketplace/apps/{}", market.app_id);
    let draft = json!({"name": "mine now", "actions": []});
    let secret = service.app.config.identity.hs256_secret.as_ref().unwrap();
    let user = service.user_id(CREATOR);
    let now = Clock::system().now();
    let expired = chatkeep::auth::jwt::issue(secret.expose(), &user, -600, now);
    for (method, body) in [("GET", None), ("PUT", Some(&draft)), ("DELETE", None)] {
        let bare = |path: &str| match body {
            Some(body) => request(method, path).json(body),
            None => request(method, path),
        };
        let answer = send(service, &other, bare(&path)).await;
        refused(&answer, 403, "not_app_creator");
        refused(&service.send(&bare(&path)).await, 401, "unauthorized");
        let answer = send(service, &expired, bare(&path)).await;
        refused(&answer, 401, "unauthorized");
        for unknown in ["-", "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11", "%27%20OR%201"] {
            let path = format!("/marketplace/apps/{unknown}");
            let answer = send(service, &other, bare(&path)).await;
            refused(&answer, 404, "app_not_found");
        }
    }
    let stored = send(service, &market.token, get(&path)).await.json();
    assert_eq!(stored["name"], "Door bell");
    let listed = send(service, &other, get("/marketplace/apps")).await;
    assert_eq!(listed.json()["total"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_goes_with_all_that_hangs_on_it() {
    let market = Market::open().await;
    let chat = format!("/marketplace/apps/{}/rooms/chat;{CREATOR}", market.app_id);
    let service = &market.service;
    let installed = send(service, &market.token, request("PUT", &chat)).await;
    assert_eq!(installed.status, 200, "{}", installed.text);
    assert_eq!(market.call(r#"{"title":"a","n":1}"#).await.status, 200);
    let path = format!("/marketplace/apps/{}", market.app_id);
    let removed = send(service, &market.token, request("DELETE", &path)).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    let answer = market.call(r#"{"title":"a","n":1}"#).await;
    refused(&answer, 404, "webhook_not_found");
    for table in ["apps", "app_rooms", "webhooks", "webhook_events"] {
        let remaining = service.rows(&format!("SELECT count(*) FROM {table}"));
        assert_eq!(remaining, [[0]], "{table}");
    }
    assert_eq!(market.sent_texts(), ["a 1"]);
}

/// What an account's erasure does with apps, step by step.
#[tokio::test(flavor = "multi_thread")]
async fn a_creator_s_apps_are_erased_one_by_one() {
    let market = Market::open().await;
    let service = &market.service;
    app(service, &market.token, &json!([])).await;
    let other = person(service, "+15550102").await;
    app(service, &other, &json!([])).await;
    assert_eq!(market.call(r#"{"title":"a","n":1}"#).await.status, 200);
    let rows = service.rows(&format!("SELECT id FROM users WHERE phone = '{CREATOR}'"));
    let creator = chatkeep::store::UserId(rows[0][0].as_i64().unwrap());
    for expected in [true, true, false] {
        let market = service.app.marketplace.clone();
        let erasing = service
            .app
            .store
            .write(move |tx| market.erase_next_app(tx, creator));
        assert_eq!(erasing.await.unwrap(), expected);
    }
    refused(&market.call("{}").await, 404, "webhook_not_found");
    for (table, remaining) in [("apps", 1), ("webhooks", 0), ("webhook_events", 0)] {
        let count = service.rows(&format!("SELECT count(*) FROM {table}"));
        assert_eq!(count, [[remaining]], "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_takes_part_in_a_room_puts_an_app_there() {
    let market = Market::open().await;
    let service = &market.service;
    let mut message = support::group("group 1/ä", "+15550102", "hi");
    message["participants"] = json!(["+15550102", "+15550103"]);
    assert_eq!(service.edge_message("a", &message).await.status, 200);
    let there = service.user_token(&service.user_id("+15550102"));
    let elsewhere = person(service, "+15550104").await;
    let path = |app: &str| format!("/marketplace/apps/{app}/rooms/group%201%2F%C3%A4");
    let mine = path(&market.app_id);
    for method in ["PUT", "DELETE"] {
        for outsider in [&elsewhere, &market.token] {
            let answer = send(service, outsider, request(method, &mine)).await;
            refused(&answer, 404, "not_found");
        }
        let unknown = path("0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11");
        let answer = send(service, &there, request(method, &unknown)).await;
        refused(&answer, 404, "app_not_found");
        let nowhere = format!("/marketplace/apps/{}/rooms/none", market.app_id);
        let answer = send(service, &there, request(method, &nowhere)).await;
        refused(&answer, 404, "not_found");
        // Twice is once.
        for _ in 0..2 {
            let answer = send(service, &there, request(method, &mine)).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        let rooms =
            service.rows("SELECT chat_guid FROM app_rooms JOIN rooms ON rooms.id = room_id");
        let expected: Vec<Vec<Value>> = match method {
            "PUT" => vec![vec!["group 1/ä".into()]],
            _ => vec![],
        };
        assert_eq!(rooms, expected);
    }
    // A participant who has never written takes part as well, once they sign in.
    let answer = send(service, &market.token, request("PUT", &mine)).await;
    refused(&answer, 404, "not_found");
}

/// Every call may write to each room, so there is an end to them.
#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_in_a_hundred_rooms_at_most() {
    let market = Market::open().await;
    let service = &market.service;
    service.set_flag("rate_limit.enabled", false).await;
    service.set_flag("free_tier.enabled", false).await;
    for room in 0..=100 {
        let message = support::group(&format!("g{room}"), CREATOR, "hi");
        assert_eq!(service.edge_message("a", &message).await.status, 200);
        let path = format!("/marketplace/apps/{}/rooms/g{room}", market.app_id);
        let answer = send(service, &market.token, request("PUT", &path)).await;
        match room {
            100 => refused(&answer, 422, "validation_failed"),
            _ => assert_eq!(answer.status, 200, "{}", answer.text),
        }
    }
    assert_eq!(service.rows("SELECT count(*) FROM app_rooms"), [[100]]);
    assert_eq!(market.call(r#"{"title":"all","n":0}"#).await.status, 200);
    assert_eq!(market.sent_texts(), vec!["all 0"; 100]);
}
