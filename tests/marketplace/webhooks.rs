//! Webhooks as the creator of their app manages them.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_made_listed_changed_and_removed() {
    let service = Service::with(&[("CHATKEEP_SERVER_PUBLIC_URL", "https://chat.example/")]).await;
    let token = creator(&service).await;
    let app_id = app(&service, &token, &json!([says("say", "{t}")])).await;
    let body = json!({
        "action_id": "say", "description": "Front door", "payload_mapping": {"t": "items.0.title"},
    });
    let created = hook(&service, &token, &app_id, &body).await;
    let webhook_id = created["webhook_id"].as_str().unwrap();
    let secret = created["secret"].as_str().unwrap();
    assert!(secret.len() == 64 && secret.bytes().all(|b| b"0123456789abcdef".contains(&b)));
    let url = format!("https://chat.example/webhooks/{webhook_id}");
    assert_eq!(created["url"], url);
    assert_eq!(created["action_id"], "say");
    assert_eq!(created["description"], "Front door");

    let path = format!("/marketplace/webhooks/{app_id}");
    let listed = service.send(&get(&path).bearer(&token)).await.json();
    let entry = &listed["webhooks"][0];
    let expected = json!({
        "webhook_id": webhook_id, "url": url, "action_id": "say", "description": "Front door",
        "payload_mapping": {"t": "items.0.title"}, "scheme": "plain", "is_active": true,
        "rate_limit_per_minute": 60, "created_at": entry["created_at"],
        "updated_at": entry["created_at"],
    });
    assert_eq!(listed, json!({"webhooks": [expected], "total": 1}));

    let path = format!("{path}/{webhook_id}");
    let change = json!({
        "is_active": false, "description": "Back door", "payload_mapping": {},
        "rate_limit_per_minute": 600, "scheme": "standard",
    });
    let changed = service
        .send(&request("PATCH", &path).json(&change).bearer(&token))
        .await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json();
    for (name, value) in change.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    // Null and absent change nothing.
    let nothing = json!({"is_active": null, "scheme": null});
    let repeated = service
        .send(&request("PATCH", &path).json(&nothing).bearer(&token))
        .await
        .json();
    for (name, value) in change.as_object().unwrap() {
        assert_eq!(&repeated[name], value, "{name}");
    }

    let removed = service.send(&request("DELETE", &path).bearer(&token)).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    assert_eq!(removed.json()["status"], "ok");
    assert!(removed.json()["message"].is_string());
    let repeated = service.send(&request("DELETE", &path).bearer(&token)).await;
    refused(&repeated, 404, "webhook_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_webhook_can_t_be_is_refused() {
    let market = Market::open().await;
    let service = &market.service;
    let cases = [
        (json!({}), "/action_id"),
        (json!({"action_id": 1}), "/action_id"),
        (
            json!({"action_id": "say", "description": 1}),
            "/description",
        ),
        (
            json!({"action_id": "say", "payload_mapping": []}),
            "/payload_mapping",
        ),
        (
            json!({"action_id": "say", "payload_mapping": {"t": 1}}),
            "/payload_mapping/t",
        ),
        (
            json!({"action_id": "say", "payload_mapping": {"a/b": "x..y"}}),
            "/payload_mapping/a~1b",
        ),
        (
            json!({"action_id": "say", "payload_mapping": {"t": ""}}),
            "/payload_mapping/t",
        ),
        (
            json!({"action_id": "say", "rate_limit_per_minute": 0}),
            "/rate_limit_per_minute",
        ),
        (
            json!({"action_id": "say", "rate_limit_per_minute": 601}),
            "/rate_limit_per_minute",
        ),
        (
            json!({"action_id": "say", "rate_limit_per_minute": 1.0}),
            "/rate_limit_per_minute",
        ),
        (json!({"action_id": "say", "scheme": "none"}), "/scheme"),
    ];
    for (body, field) in cases {
        let answer = create_hook(service, &market.token, &market.app_id, &body).await;
        refused(&answer, 422, "validation_failed");
        assert_eq!(
            answer.json()["errors"][0]["field"],
            field,
            "{}",
            answer.text
        );
        if field != "/action_id" {
            let answer = market.patch(&body).await;
            refused(&answer, 422, "validation_failed");
        }
    }
    let unknown = json!({"action_id": "fly"});
    let answer = create_hook(service, &market.token, &market.app_id, &unknown).await;
    refused(&answer, 400, "invalid_action");
    let fields: Value = (0..51).map(|n| (n.to_string(), json!("x"))).collect();
    let wide = json!({"action_id": "say", "payload_mapping": fields});
    let answer = create_hook(service, &market.token, &market.app_id, &wide).await;
    refused(&answer, 422, "validation_failed");
    assert_eq!(service.rows("SELECT count(*) FROM webhooks"), [[1]]);
}

/// Every route with the creator of another app, nobody, an unknown app, and the webhook of
/// another app.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_app_s_creator_manages_its_webhooks() {
    let market = Market::open().await;
    let service = &market.service;
    let other = person(service, "+15550102").await;
    let others_app = app(service, &other, &json!([says("say", "x")])).await;
    let sample = json!({"action_id": "say", "title": "x"});
    let before = service.rows("SELECT * FROM webhooks");
    let none = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
    for (method, below) in [
        ("POST", ""),
        ("GET", ""),
        ("PATCH", "/{id}"),
        ("DELETE", "/{id}"),
        ("POST", "/{id}/rotate-secret"),
        ("GET", "/{id}/events"),
        ("POST", "/{id}/test"),
    ] {
        let to = |app: &str, webhook: &str| {
            let below = below.replace("{id}", webhook);
            request(method, &format!("/marketplace/webhooks/{app}{below}")).json(&sample)
        };
        let what = format!("{method} {below}");
        let (app_id, id) = (&market.app_id, &market.webhook_id);
        let answer = service.send(&to(app_id, id).bearer(&other)).await;
        let status = if what == "POST " { 400 } else { 403 };
        refused(&answer, status, "not_app_creator");
        refused(&service.send(&to(app_id, id)).await, 401, "unauthorized");
        for unknown in [none, "nothing"] {
            let answer = service.send(&to(unknown, id).bearer(&other)).await;
            refused(&answer, 404, "app_not_found");
            if below.contains("{id}") {
                let answer = service
                    .send(&to(app_id, unknown).bearer(&market.token))
                    .await;
                refused(&answer, 404, "webhook_not_found");
            }
        }
        if below.contains("{id}") {
            // Its own app does not help to another's webhook.
            let answer = service.send(&to(&others_app, id).bearer(&other)).await;
            refused(&answer, 404, "webhook_not_found");
        }
    }
    assert_eq!(service.rows("SELECT * FROM webhooks"), before);
    assert_eq!(market.call(r#"{"title":"x","n":1}"#).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_has_ten_webhooks_at_most_however_many_are_made_at_once() {
    let service = Service::start().await;
    let token = creator(&service).await;
    let app_id = app(&service, &token, &json!([says("say", "x")])).await;
    let body = json!({"action_id": "say"});
    let creating = (0..20).map(|_| create_hook(&service, &token, &app_id, &body));
    let answers = futures_util::future::join_all(creating).await;
    let created_count = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(created_count, 10);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        refused(answer, 400, "webhook_limit_reached");
    }
    assert_eq!(service.rows("SELECT count(*) FROM webhooks"), [[10]]);
}

/// A webhook whose action was taken away stays, fails, and works again when it is back.
#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_follows_its_app() {
    let market = Market::open().await;
    let service = &market.service;
    let path = format!("/marketplace/apps/{}", market.app_id);
    let replace = async |actions: Value| {
        let body = json!({"name": "Door bell", "actions": actions});
        let answer = service
            .send(&request("PUT", &path).json(&body).bearer(&market.token))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    assert_eq!(market.call(r#"{"title":"one","n":1}"#).await.status, 200);
    replace(json!([says("other", "x")])).await;
    refused(&market.call("{}").await, 500, "action_failed");
    replace(json!([says("say", "new: {title}")])).await;
    assert_eq!(market.call(r#"{"title":"two"}"#).await.status, 200);
    assert_eq!(market.sent_texts(), ["one 1", "new: two"]);
    assert_eq!(market.statuses().await, ["ok", "action_failed", "ok"]);
    let why = market.events().await[1]["error_message"].clone();
    assert_eq!(why, "The app has no action say any more.");
}
