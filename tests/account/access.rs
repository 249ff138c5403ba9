//! What free users, subscribers and room owners may have, over the wire.

use crate::support::{Service, direct, get, group, post, token};
use chatkeep::clock::Clock;
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;

/// A clock that stands still at noon of tomorrow, so that tokens made now are not from its
/// future.
fn noon() -> Clock {
    let clock = Clock::fixed(Clock::system().now());
    clock.advance(DAY_MS + DAY_MS / 2 - clock.now().0.rem_euclid(DAY_MS));
    clock
}

async fn service_at(clock: &Clock) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    service.set_flag("rate_limit.enabled", false).await;
    service
}

async fn limit_to(service: &Service, messages: i64) {
    let key = "free_tier.daily_message_limit";
    service.set_flag(key, messages).await;
}

async fn send(service: &Service, body: &Value) -> Value {
    let answer = service.edge_message("a", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn say(service: &Service, sender: &str, text: &str) -> Value {
    send(service, &direct(sender, text)).await
}

/// The code of an answer's access object, which has its words; "" for an ordinary answer.
fn code(answer: &Value) -> &str {
    let access = &answer["access"];
    if access.is_null() {
        return "";
    }
    assert_eq!(access.as_object().unwrap().len(), 2, "{access}");
    assert_ne!(access["upgrade_message"].as_str().unwrap(), "");
    assert_eq!(answer["should_respond"], true, "{answer}");
    assert_ne!(answer["reply_text"], "", "{answer}");
    assert_eq!(answer["schedule_message"], Value::Null);
    access["code"].as_str().unwrap()
}

/// What each of `count` messages at once was answered: ordinary ones, denied ones.
async fn at_once(service: &Service, sender: &str, count: usize) -> (usize, usize) {
    let request = post("/edge/message", &direct(sender, "hello")).bearer(&token("a"));
    let sending = (0..count).map(|_| service.send(&request));
    let answers = futures_util::future::join_all(sending).await;
    let mut codes = Vec::new();
    for answer in answers {
        assert_eq!(answer.status, 200, "{}", answer.text);
        let answer = answer.json();
        assert_eq!(answer["should_respond"], true);
        codes.push(code(&answer).to_owned());
    }
    let of = |expected: &str| codes.iter().filter(|code| *code == expected).count();
    assert_eq!(of("") + of("message_limit_reached"), count, "{codes:?}");
    (of(""), of("message_limit_reached"))
}

async fn user_id(service: &Service, phone: &str) -> String {
    let listed = service.admin("GET", "/admin/users", &json!({})).await;
    let listed = listed.json();
    let mut users = listed["users"].as_array().unwrap().iter();
    let user = users.find(|user| user["phone"] == phone).unwrap();
    user["user_id"].as_str().unwrap().to_owned()
}

async fn grant(service: &Service, phone: &str, grant: Value) -> Value {
    let path = format!("/admin/users/{}/grant", user_id(service, phone).await);
    let answer = service.admin("PUT", &path, &grant).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn revoke(service: &Service, phone: &str) -> Value {
    let path = format!("/admin/users/{}/grant", user_id(service, phone).await);
    let answer = service.admin("DELETE", &path, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_200_messages_at_once_exactly_50_are_answered_each_day() {
    let clock = noon();
    let service = service_at(&clock).await;
    assert_eq!(at_once(&service, "ana", 200).await, (50, 150));
    let rows = service.rows(
        "SELECT count(*), sum(counted), sum(access IS NOT NULL),
           (SELECT sum(count) FROM usage_days) FROM messages",
    );
    assert_eq!(rows, [[200, 50, 150, 50]]);
    let ben = say(&service, "ben", "hello").await;
    assert_eq!(code(&ben), "", "others have their own day");
    // To the last millisecond before midnight UTC, and over it.
    clock.advance(DAY_MS / 2 - 1);
    assert_eq!(at_once(&service, "ana", 10).await, (0, 10));
    clock.advance(1);
    assert_eq!(at_once(&service, "ana", 60).await, (50, 10));
    // A clock set back finds the day it comes to used up, and so does the way forward.
    clock.advance(-1);
    assert_eq!(at_once(&service, "ana", 5).await, (0, 5));
    clock.advance(2);
    assert_eq!(at_once(&service, "ana", 5).await, (0, 5));
    // A restart forgives nothing.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    assert_eq!(at_once(&service, "ana", 5).await, (0, 5));
    let days = service.rows("SELECT count FROM usage_days ORDER BY count");
    assert_eq!(days, [[1], [50], [50]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_denied_has_no_effect_and_is_kept() {
    let service = service_at(&noon()).await;
    limit_to(&service, 1).await;
    assert_eq!(code(&say(&service, "ana", "hello").await), "");
    for command in ["remember that I like tea", "remind me in 1 hour to go"] {
        let denied = say(&service, "ana", command).await;
        assert_eq!(code(&denied), "message_limit_reached");
        assert!(denied["reply_text"].as_str().unwrap().contains("Juno"));
    }
    let rows = service.rows(
        "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM reminders), count(*)
         FROM messages",
    );
    assert_eq!(rows, [[0, 0, 3]]);
    // Nobody would have answered: nothing is said of limits either.
    let silent = say(&service, "ana", "  ").await;
    assert_eq!(silent["should_respond"], false);
    assert_eq!(silent["access"], Value::Null);
    // The legacy endpoint has the same budget.
    let legacy = service
        .send(&post("/orchestrator/message", &direct("ana", "hello")))
        .await;
    assert_eq!(code(&legacy.json()), "message_limit_reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_hears_of_limits_only_where_it_would_have_heard_something() {
    let service = service_at(&noon()).await;
    limit_to(&service, 0).await;
    let chatter = send(&service, &group("g", "ana", "did anyone feed the cat")).await;
    assert_eq!(chatter["should_respond"], false);
    assert_eq!(chatter["reply_text"], "");
    assert_eq!(chatter["access"], Value::Null);
    let answer = send(&service, &group("g", "ana", "Juno, hello")).await;
    assert_eq!(code(&answer), "message_limit_reached");
    // Unasked after a budget of human messages, when it has something to say.
    for n in 1..=5 {
        let received = send(&service, &group("g", "ana", "hello")).await;
        let expected = if n < 5 { "" } else { "message_limit_reached" };
        assert_eq!(code(&received), expected, "{n}");
        assert_eq!(received["should_respond"], n == 5);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_is_replayed_byte_for_byte() {
    let clock = noon();
    let service = service_at(&clock).await;
    limit_to(&service, 1).await;
    let keyed = |key: &str| {
        post("/edge/message", &direct("ana", "hello"))
            .bearer(&token("a"))
            .header("Idempotency-Key", key)
    };
    let allowed = service.send(&keyed("1")).await;
    let denied = service.send(&keyed("2")).await;
    assert_eq!(code(&denied.json()), "message_limit_reached");
    // Also when what was decided then would be decided otherwise now.
    clock.advance(DAY_MS);
    service.set_flag("free_tier.enabled", false).await;
    for (key, first) in [("1", &allowed), ("2", &denied)] {
        let repeated = service.send(&keyed(key)).await;
        assert_eq!(repeated.header("idempotency-replayed"), Some("true"));
        assert_eq!(repeated.text, first.text);
    }
    assert_eq!(service.rows("SELECT sum(count) FROM usage_days"), [[1]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_change_the_free_tier_at_once() {
    let service = service_at(&noon()).await;
    limit_to(&service, 2).await;
    let limited = async || code(&say(&service, "ana", "hello").await).to_owned();
    assert_eq!(limited().await, "");
    assert_eq!(limited().await, "");
    assert_eq!(limited().await, "message_limit_reached");
    limit_to(&service, 3).await;
    assert_eq!(limited().await, "");
    assert_eq!(limited().await, "message_limit_reached");
    service.set_flag("free_tier.enabled", false).await;
    assert_eq!(limited().await, "");
    let usage = say(&service, "ana", "usage").await;
    assert!(usage["reply_text"].as_str().unwrap().contains("unlimited"));
    service.set_flag("payment.paywall_enabled", true).await;
    assert_eq!(limited().await, "", "the master switch is off");
    service.set_flag("free_tier.enabled", true).await;
    let walled = say(&service, "new", "hello").await;
    assert_eq!(code(&walled), "message_limit_reached");
    let text = walled["reply_text"].as_str().unwrap();
    assert!(
        text.contains("subscribers") && !text.contains("midnight"),
        "{text}"
    );
    grant(&service, "new", json!({"plan": "monthly"})).await;
    assert_eq!(code(&say(&service, "new", "hello").await), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_and_status_tell_the_real_limit() {
    let service = service_at(&noon()).await;
    say(&service, "ana", "hello").await;
    let usage = say(&service, "ana", "usage").await;
    let text = usage["reply_text"].as_str().unwrap();
    assert!(
        text.contains("2 of 50") && text.contains("48 left"),
        "{text}"
    );
    let status = say(&service, "ana", "status").await;
    let text = status["reply_text"].as_str().unwrap();
    assert!(
        text.contains("free plan") && text.contains("47 left"),
        "{text}"
    );
    grant(&service, "ana", json!({"plan": "annual"})).await;
    let status = say(&service, "ana", "status").await;
    let text = status["reply_text"].as_str().unwrap();
    assert!(
        text.contains("annual") && text.contains("unlimited"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_lifts_the_limit_at_once_and_ends_by_itself() {
    let clock = noon();
    let service = service_at(&clock).await;
    assert_eq!(at_once(&service, "ana", 51).await, (50, 1));
    let until = clock.now().plus_s(3600);
    let granted = grant(
        &service,
        "ana",
        json!({"plan": "annual", "until": until.to_string()}),
    )
    .await;
    assert_eq!(granted["subscription_status"], "active");
    assert_eq!(granted["subscription_plan"], "annual");
    assert_eq!(granted["grant"], json!({"plan": "annual", "until": until}));
    assert_eq!(at_once(&service, "ana", 100).await, (100, 0));
    assert_eq!(service.rows("SELECT count FROM usage_days"), [[50]]);
    clock.advance(3_600_000 - 1);
    assert_eq!(at_once(&service, "ana", 1).await, (1, 0));
    clock.advance(1);
    assert_eq!(at_once(&service, "ana", 1).await, (0, 1));
    let path = format!("/admin/users/{}", user_id(&service, "ana").await);
    let view = service.admin("GET", &path, &json!({})).await.json();
    assert_eq!(view["subscription_status"], "free");
    assert_eq!(view["grant"], Value::Null);
    assert_eq!(view["messages_today"], 50);
    // Without an end it lasts until it is taken away.
    grant(&service, "ana", json!({"plan": "monthly", "until": null})).await;
    clock.advance(DAY_MS / 4);
    assert_eq!(at_once(&service, "ana", 3).await, (3, 0));
    let revoked = revoke(&service, "ana").await;
    assert_eq!(revoked["subscription_status"], "free");
    assert_eq!(at_once(&service, "ana", 3).await, (0, 3));
    assert_eq!(revoke(&service, "ana").await, revoked, "twice is once");
}

/// A direct message that asks for a superpower.
fn invoking(body: Value, name: &str) -> Value {
    let mut body = body;
    body["context"] = json!({"superpower": name});
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn superpowers_in_direct_chats_are_for_subscribers() {
    let service = service_at(&noon()).await;
    let asking = invoking(direct("ana", "hello"), "todo_list");
    let answer = async || code(&send(&service, &asking).await).to_owned();
    assert_eq!(answer().await, "superpower_requires_subscription");
    let counted = service.rows("SELECT (SELECT count(*) FROM usage_days), count(*) FROM messages");
    assert_eq!(counted, [[0, 1]], "denied: kept, not counted");
    // What is not offered is as if it had not been asked for.
    let unknown = invoking(direct("ana", "hello"), "juggling");
    assert_eq!(code(&send(&service, &unknown).await), "");
    for (key, value, back) in [
        ("superpower.todo_list.enabled", false, true),
        ("superpower.enabled", false, true),
        ("free_tier.superpowers_disabled", false, true),
        ("free_tier.enabled", false, true),
    ] {
        service.set_flag(key, value).await;
        assert_eq!(answer().await, "", "{key}");
        service.set_flag(key, back).await;
        assert_eq!(answer().await, "superpower_requires_subscription", "{key}");
    }
    grant(&service, "ana", json!({"plan": "monthly"})).await;
    assert_eq!(answer().await, "");
    revoke(&service, "ana").await;
    assert_eq!(answer().await, "superpower_requires_subscription");
    limit_to(&service, 1).await;
    assert_eq!(
        answer().await,
        "message_limit_reached",
        "the message comes first"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn superpowers_in_groups_depend_on_the_rooms_owner() {
    let service = service_at(&noon()).await;
    let mut first = group("g", "ana", "hi all");
    first["context"] = json!({"owner": "olga"});
    send(&service, &first).await;
    let by = async |sender: &str| {
        let body = invoking(group("g", sender, "add milk"), "todo_list");
        code(&send(&service, &body).await).to_owned()
    };
    assert_eq!(by("ana").await, "group_owner_not_subscribed");
    grant(&service, "ana", json!({"plan": "annual"})).await;
    assert_eq!(by("ana").await, "group_owner_not_subscribed");
    grant(&service, "olga", json!({"plan": "annual"})).await;
    assert_eq!(by("ana").await, "");
    assert_eq!(by("ben").await, "", "a free guest of a subscriber");
    revoke(&service, "olga").await;
    assert_eq!(by("ben").await, "group_owner_not_subscribed");
    service
        .set_flag("free_tier.superpowers_disabled", false)
        .await;
    assert_eq!(by("ben").await, "group_owner_not_subscribed");
    service.set_flag("free_tier.enabled", false).await;
    assert_eq!(by("ben").await, "");
    service.set_flag("free_tier.enabled", true).await;
    service.set_flag("superpower.enabled", false).await;
    let body = invoking(group("g", "ben", "add milk"), "todo_list");
    let silent = send(&service, &body).await;
    assert_eq!(silent["should_respond"], false, "not offered, nobody asked");
    assert_eq!(silent["access"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn using_superpowers_is_limited_like_commands() {
    let clock = noon();
    let service = service_at(&clock).await;
    service.set_flag("rate_limit.enabled", true).await;
    service.set_flag("rate_limit.commands_per_minute", 2).await;
    let asking = invoking(direct("ana", "hello"), "todo_list");
    // Those that were denied used nothing.
    for _ in 0..3 {
        assert_eq!(
            code(&send(&service, &asking).await),
            "superpower_requires_subscription"
        );
    }
    grant(&service, "ana", json!({"plan": "monthly"})).await;
    let too_many = async || {
        let answer = send(&service, &asking).await;
        assert_eq!(answer["access"], Value::Null);
        answer["reply_text"]
            .as_str()
            .unwrap()
            .contains("a lot at once")
    };
    assert!(!too_many().await && !too_many().await);
    assert!(too_many().await);
    clock.advance(60_000);
    assert!(!too_many().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_see_users_page_by_page() {
    let service = service_at(&noon()).await;
    let nobody = service.admin("GET", "/admin/users", &json!({})).await;
    assert_eq!(nobody.json(), json!({"users": [], "has_more": false}));
    for sender in ["ana", "ben", "cleo"] {
        say(&service, sender, "my name is Sam").await;
    }
    let get = async |path: &str| service.admin("GET", path, &json!({})).await;
    let first = get("/admin/users?limit=2").await.json();
    assert_eq!(first["has_more"], true);
    assert_eq!(first["users"][1]["phone"], "ben");
    let last = first["users"][1]["user_id"].as_str().unwrap();
    let second = get(&format!("/admin/users?limit=2&after={last}"))
        .await
        .json();
    assert_eq!(second["has_more"], false);
    assert_eq!(second["users"].as_array().unwrap().len(), 1);
    let cleo = &second["users"][0];
    let created_at = cleo["created_at"].clone();
    let id = cleo["user_id"].as_str().unwrap();
    let expected = json!({
        "user_id": id, "phone": "cleo", "name": "Sam", "timezone": null,
        "created_at": created_at, "subscription_status": "free", "subscription_plan": null,
        "grant": null, "messages_today": 1, "deletion_scheduled_for": null,
    });
    assert_eq!(*cleo, expected);
    assert_eq!(get(&format!("/admin/users/{id}")).await.json(), expected);
    for (path, status, code) in [
        ("/admin/users?limit=0", 422, "validation_failed"),
        ("/admin/users?limit=201", 422, "validation_failed"),
        ("/admin/users?limit=x", 422, "validation_failed"),
        ("/admin/users?after=nobody", 422, "validation_failed"),
        ("/admin/users/nobody", 404, "user_not_found"),
    ] {
        let answer = get(path).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_that_make_no_sense_are_refused() {
    let service = service_at(&noon()).await;
    say(&service, "ana", "hello").await;
    let id = user_id(&service, "ana").await;
    let path = format!("/admin/users/{id}/grant");
    for (body, field) in [
        (json!({}), "/plan"),
        (json!({"plan": "weekly"}), "/plan"),
        (json!({"plan": null}), "/plan"),
        (json!({"plan": "annual", "until": "2020-01-01"}), "/until"),
        (json!({"plan": "annual", "until": "soon"}), "/until"),
        (json!({"plan": "annual", "until": 1}), "/until"),
    ] {
        let answer = service.admin("PUT", &path, &body).await;
        assert_eq!(answer.status, 422, "{body}");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{body}");
    }
    for method in ["PUT", "DELETE"] {
        let body = json!({"plan": "annual"});
        let unknown = "/admin/users/00000000-0000-4000-8000-000000000000/grant";
        let answer = service.admin(method, unknown, &body).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (404, "user_not_found")
        );
        let stranger = crate::support::request(method, &path)
            .json(&body)
            .bearer("x");
        assert_eq!(service.send(&stranger).await.status, 401);
    }
    assert_eq!(
        service.rows("SELECT granted_plan FROM users"),
        [[Value::Null]]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_is_charged_everybody_counts_as_subscribed() {
    let service = Service::with(&[("CHATKEEP_ACCESS_CHARGE_NOBODY", "true")]).await;
    limit_to(&service, 1).await;
    for _ in 0..2 {
        assert_eq!(code(&say(&service, "ana", "hello").await), "");
    }
    let added = say(&service, "ana", "add milk to my list").await;
    assert_eq!(code(&added), "", "{added}");
    let in_group = send(
        &service,
        &group("flat", "ben", "Juno, add milk to our list"),
    )
    .await;
    assert_eq!(code(&in_group), "", "{in_group}");
    let states = service.rows("SELECT count(*) FROM power_states");
    assert_eq!(states, [[2]], "both were done");
    // What they are told of their account stays as it is.
    let id = service.user_id("ana");
    let user = service.user_token(&id);
    let of = async |path: &str| service.send(&get(path).bearer(&user)).await.json();
    let limits = of(&format!("/api/v1/usage/limits/{id}")).await;
    assert_eq!(limits["subscription_status"], "free", "{limits}");
    assert_eq!(limits["messages"]["unlimited"], true);
    assert_eq!(limits["messages"]["resets_at"], Value::Null);
    assert_eq!(
        limits["superpowers"],
        json!({"enabled": true, "upgrade_message": null})
    );
    let payment = of("/api/v1/payment/status").await;
    assert_eq!(payment["tier"], "free", "{payment}");
    assert_eq!(payment["daily_messages_remaining"], Value::Null);
    assert_eq!(payment["superpowers_enabled"], true);
    let answer = say(&service, "ana", "status").await;
    let answer = answer["reply_text"].as_str().unwrap();
    assert!(
        answer.contains("free plan") && !answer.contains("left"),
        "{answer}"
    );
}
