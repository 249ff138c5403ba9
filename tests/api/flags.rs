//! `/admin/feature-flags`: every flag, and what an operator sets it to.

use crate::support::Service;
use chatkeep::clock::Clock;
use serde_json::{Value, json};

const FLAGS: &str = "/admin/feature-flags";

async fn flag(service: &Service, key: &str) -> Value {
    let answer = service.admin("GET", FLAGS, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let flags = answer.json()["flags"].as_array().unwrap().clone();
    let found = flags.into_iter().find(|flag| flag["key"] == key);
    found.unwrap_or_else(|| panic!("no flag {key}"))
}

async fn set(service: &Service, key: &str, body: Value) -> crate::support::Answer {
    service.admin("PUT", &format!("{FLAGS}/{key}"), &body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_flag_is_listed_with_its_default() {
    let service = Service::start().await;
    let answer = service.admin("GET", FLAGS, &json!({})).await.json();
    let flags = answer["flags"].as_array().unwrap();
    // Those with names of their own, and 26 superpowers.
    assert_eq!(flags.len(), 38 + 26);
    for flag in flags {
        assert_eq!(flag["source"], "default", "{flag}");
        assert!(
            flag["in_use"].is_boolean() && flag["description"] != "",
            "{flag}"
        );
        let value = &flag["value"];
        let fits = match flag["type"].as_str().unwrap() {
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64(),
            "number" => value.is_f64(),
            other => panic!("{other}"),
        };
        assert!(fits, "{flag}");
    }
    for (key, value) in [
        ("rate_limit.user_messages_per_minute", json!(20)),
        ("rate_limit.strict_mode_multiplier", json!(0.5)),
        ("free_tier.daily_message_limit", json!(50)),
        ("superpower.enabled", json!(true)),
        ("superpower.daily_summary.enabled", json!(true)),
    ] {
        assert_eq!(flag(&service, key).await["value"], value, "{key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_holds_at_once_and_over_restarts_until_it_is_removed() {
    let service = Service::start().await;
    let key = "rate_limit.photos_per_hour";
    let answer = set(&service, key, json!({"value": 7})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["value"], 7);
    assert_eq!(answer.json()["source"], "override");
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    assert_eq!(flag(&service, key).await["value"], 7);
    let path = format!("{FLAGS}/{key}");
    for _ in 0..2 {
        let answer = service.admin("DELETE", &path, &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.json()["value"], 50);
        assert_eq!(answer.json()["source"], "default");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_another_type_and_unknown_keys_are_refused() {
    let service = Service::start().await;
    for (key, value) in [
        ("rate_limit.enabled", json!("true")),
        ("rate_limit.enabled", json!(1)),
        ("rate_limit.enabled", Value::Null),
        ("rate_limit.photos_per_hour", json!(1.5)),
        ("rate_limit.photos_per_hour", json!(7.0)),
        ("rate_limit.photos_per_hour", json!(-1)),
        ("context.max_messages", json!(7.0)),
        ("rate_limit.strict_mode_multiplier", json!(-0.5)),
        ("rate_limit.photos_per_hour", json!("7")),
        ("rate_limit.strict_mode_multiplier", json!(false)),
    ] {
        let answer = set(&service, key, json!({"value": value})).await;
        assert_eq!(answer.status, 422, "{key} {value}: {}", answer.text);
        assert_eq!(answer.code(), "validation_failed");
        assert_eq!(answer.json()["errors"][0]["field"], "/value");
        assert_eq!(flag(&service, key).await["source"], "default");
    }
    assert_eq!(
        set(&service, "rate_limit.enabled", json!({})).await.status,
        422
    );
    for key in [
        "nothing", "Rate_limit.enabled", "superpower.juggling.enabled",
    ] {
        let answer = set(&service, key, json!({"value": true})).await;
        assert_eq!(answer.status, 404, "{key}: {}", answer.text);
        assert_eq!(answer.code(), "not_found");
        let path = format!("{FLAGS}/{key}");
        assert_eq!(service.admin("DELETE", &path, &json!({})).await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_out_of_range_is_clamped_when_it_is_read() {
    let service = Service::start().await;
    for (value, read) in [(1, 3), (3, 3), (20, 20), (1_000, 20)] {
        let answer = set(&service, "context.max_messages", json!({"value": value})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(flag(&service, "context.max_messages").await["value"], read);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn defaults_differ_in_production() {
    let service = Service::with(&[
        ("ENVIRONMENT", "production"),
        (
            "CHATKEEP_IDENTITY_HS256_SECRET",
            "an-identity-secret-of-at-least-32-bytes",
        ),
    ])
    .await;
    for key in ["superpower.enabled", "superpower.user_created.enabled"] {
        assert_eq!(flag(&service, key).await["value"], false, "{key}");
    }
}

/// Without a provider every flag has its default, and nothing is broken.
#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_that_no_provider_is_asked() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let answer = service
        .admin("GET", "/admin/feature-flags/status", &json!({}))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let expected = json!({
        "initialized": true, "is_connected": false, "circuit_breaker_open": false,
        "timestamp": clock.now().to_string(),
    });
    assert_eq!(answer.json(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_says_who_when_and_until_when() {
    const HISTORY: &str = "context.max_messages";
    let service = Service::start().await;
    let path = format!("/admin/feature-flags/{HISTORY}");
    let cases = [
        (json!({}), "/value"),
        (json!({ "value": null }), "/value"),
        (json!({ "value": "7" }), "/value"),
        (json!({ "value": 7.5 }), "/value"),
        (json!({ "value": true }), "/value"),
        (
            json!({ "value": 7, "expires_at": "tomorrow" }),
            "/expires_at",
        ),
        (
            json!({ "value": 7, "expires_at": 1_900_000_000 }),
            "/expires_at",
        ),
        (
            json!({ "value": 7, "expires_at": "2020-01-01T00:00:00Z" }),
            "/expires_at",
        ),
        (json!({ "value": 7, "set_by": "" }), "/set_by"),
        (json!({ "value": 7, "set_by": "x".repeat(65) }), "/set_by"),
    ];
    for (body, field) in cases {
        let answer = service.admin("PUT", &path, &body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        assert_eq!(answer.code(), "validation_failed");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{body}");
    }
    for method in ["PUT", "DELETE"] {
        let typo = "/admin/feature-flags/context.max_message";
        let answer = service.admin(method, typo, &json!({ "value": 7 })).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"));
        assert!(answer.text.contains(HISTORY), "{}", answer.text);
    }
    let body = json!({ "value": 99, "expires_at": "2999-12-31T00:00:00+01:00" });
    let set = service.admin("PUT", &path, &body).await.json();
    assert_eq!(set, flag(&service, HISTORY).await);
    assert!(set["set_at"].is_string(), "{set}");
    let expected = json!({
        "key": HISTORY, "type": "integer", "value": 20, "source": "override", "default": 10,
        "in_use": true, "description": set["description"], "set_at": set["set_at"],
        "set_by": "admin API", "expires_at": "2999-12-30T23:00:00.000Z",
    });
    assert_eq!(set, expected);

    // Kept over a restart, and ends by itself.
    let (_, folder) = service.stop().await;
    let clock = Clock::fixed(Clock::system().now());
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert_eq!(flag(&service, HISTORY).await, expected);
    let soon = clock.now().plus_s(60).to_string();
    let body = json!({ "value": 5, "expires_at": soon, "set_by": "Ada" });
    let set = service.admin("PUT", &path, &body).await.json();
    assert_eq!((&set["value"], &set["set_by"]), (&json!(5), &json!("Ada")));
    clock.advance(60_000);
    let expired = flag(&service, HISTORY).await;
    assert_eq!(
        (&expired["value"], &expired["source"]),
        (&json!(10), &json!("default"))
    );
    service.set_flag(HISTORY, 6).await;
    let unset = service.admin("DELETE", &path, &json!({})).await;
    assert_eq!(
        (unset.status, &unset.json()["source"]),
        (200, &json!("default"))
    );
    assert_eq!(
        service.rows("SELECT * FROM flag_overrides"),
        Vec::<Vec<Value>>::new()
    );
}
