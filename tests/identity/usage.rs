//! `GET /api/v1/usage/limits/{user_id}`: what is left today, told to whom it concerns.

use chatkeep::clock::Clock;
use serde_json::{Value, json};

use crate::issuer::{Issuer, Mode};
use crate::signer::Signer;
use crate::support::{Service, direct, get};
use crate::{MINUTE_MS, START, UUID, claims, started, usage};

const PHONE: &str = "+15550101";

/// What it signs with is believed for as long as the provider is there.
async fn service() -> (Service, Clock, Signer, Issuer) {
    let signer = Signer::rsa("r");
    let issuer = Issuer::start(Mode::Keys(vec![signer.jwk()])).await;
    let (service, clock) = started(&issuer).await;
    (service, clock, signer, issuer)
}

async fn usage_limits(service: &Service, user_id: &str) -> Value {
    let answer = usage(service, &service.user_token(user_id), user_id).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    answer.json()
}

fn free(limit: i64, remaining: i64) -> Value {
    json!({
        "subscription_status": "free", "subscription_plan": null,
        "messages": {
            "limit": limit, "remaining": remaining, "unlimited": false, "resets_at": "midnight UTC",
        },
        "superpowers": {
            "enabled": false,
            "upgrade_message": "Subscribe for unlimited messages and superpowers.",
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn four_callers() {
    let (service, _, signer, _issuer) = service().await;
    let owner = signer.token(&claims(UUID, json!({})));
    let other = signer.token(&claims("somebody else", json!({})));
    let past = START.seconds() - 60;
    let expired = signer.token(&claims(UUID, json!({ "exp": past, "iat": past - 60 })));
    let answer = usage(&service, &owner, UUID).await;
    assert_eq!((answer.status, answer.json()), (200, free(50, 50)));
    let strange = usage(&service, &other, UUID).await;
    assert_eq!(
        (strange.status, strange.code()),
        (404, "user_not_found".into())
    );
    // Nobody learns whether there is such a user.
    let nobody = usage(&service, &other, "7c7cfbd6-5ca3-4b0c-a6b4-d3bb0f1f7c7e").await;
    let without_id = |answer: &crate::support::Answer| {
        let mut problem = answer.json();
        problem["request_id"] = Value::Null;
        problem
    };
    assert_eq!(without_id(&strange), without_id(&nobody));
    let path = format!("/api/v1/usage/limits/{UUID}");
    for answer in [
        service.send(&get(&path)).await,
        usage(&service, &expired, UUID).await,
    ] {
        assert_eq!((answer.status, answer.code()), (401, "unauthorized".into()));
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    for id in ["", "me", "1", "%20", &"x".repeat(4_000)] {
        let answer = usage(&service, &owner, id).await;
        let code = if id.is_empty() {
            "not_found"
        } else {
            "user_not_found"
        };
        assert_eq!((answer.status, answer.code()), (404, code.into()), "{id}");
    }
    let bare = service.send(&get(&path[7..]).bearer(&owner)).await;
    assert_eq!((bare.status, bare.code()), (404, "not_found".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_count_down_and_start_anew_at_midnight() {
    let (service, clock, _, _issuer) = service().await;
    service.set_flag("free_tier.daily_message_limit", 2).await;
    let hello = direct(PHONE, "hello");
    service.edge_message("a", &hello).await;
    let user = service.user_id(PHONE);
    assert_eq!(usage_limits(&service, &user).await, free(2, 1));
    for _ in 0..2 {
        service.edge_message("a", &hello).await;
    }
    assert_eq!(usage_limits(&service, &user).await, free(2, 0));
    // Less than what was used already.
    service.set_flag("free_tier.daily_message_limit", 1).await;
    assert_eq!(usage_limits(&service, &user).await, free(1, 0));
    clock.advance(16 * 60 * MINUTE_MS);
    assert_eq!(usage_limits(&service, &user).await, free(1, 1));
    service.set_flag("payment.paywall_enabled", true).await;
    assert_eq!(usage_limits(&service, &user).await, free(0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_have_no_limit() {
    let (service, _, _, _issuer) = service().await;
    let user = UUID;
    usage_limits(&service, user).await;
    let path = format!("/admin/users/{user}/grant");
    let grant = json!({ "plan": "annual" });
    assert_eq!(service.admin("PUT", &path, &grant).await.status, 200);
    let subscribed = json!({
        "subscription_status": "active", "subscription_plan": "annual",
        "messages": { "limit": null, "remaining": null, "unlimited": true, "resets_at": null },
        "superpowers": { "enabled": true, "upgrade_message": null },
    });
    assert_eq!(usage_limits(&service, user).await, subscribed);
    for flag in ["superpower.enabled", "llm.force_basic_mode"] {
        service.set_flag(flag, flag.starts_with("llm")).await;
        let powers = usage_limits(&service, user).await["superpowers"].clone();
        assert_eq!(powers["enabled"], false, "{flag}");
        assert!(powers["upgrade_message"].is_string(), "{flag}");
        service.set_flag(flag, !flag.starts_with("llm")).await;
    }
    assert_eq!(service.admin("DELETE", &path, &json!({})).await.status, 200);
    assert_eq!(usage_limits(&service, user).await, free(50, 50));
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_open_what_is_closed_to_free_users() {
    let (service, _, _, _issuer) = service().await;
    service
        .set_flag("free_tier.superpowers_disabled", false)
        .await;
    let powers = usage_limits(&service, UUID).await["superpowers"].clone();
    assert_eq!(powers, json!({ "enabled": true, "upgrade_message": null }));
    service
        .set_flag("free_tier.superpowers_disabled", true)
        .await;
    service.set_flag("free_tier.enabled", false).await;
    let all = usage_limits(&service, UUID).await;
    assert_eq!(
        all["messages"],
        json!({ "limit": null, "remaining": null, "unlimited": true, "resets_at": "midnight UTC" })
    );
    assert_eq!(all["superpowers"]["enabled"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_a_minute_counted_before_anything_else() {
    let (service, clock, signer, _issuer) = service().await;
    let token = signer.token(&claims(UUID, json!({})));
    for n in 0..100 {
        // Another token of the same person, and somebody else's id: one budget.
        let token = match n % 2 {
            0 => token.clone(),
            _ => signer.token(&claims(UUID, json!({ "n": n }))),
        };
        let id = if n % 3 == 0 { "nobody" } else { UUID };
        let status = usage(&service, &token, id).await.status;
        assert_eq!(status, if n % 3 == 0 { 404 } else { 200 }, "{n}");
    }
    for id in [UUID, "nobody"] {
        let answer = usage(&service, &token, id).await;
        assert_eq!((answer.status, answer.code()), (429, "rate_limited".into()));
        assert_eq!(answer.header("retry-after"), Some("60"));
    }
    let other = signer.token(&claims("somebody else", json!({})));
    assert_eq!(usage(&service, &other, UUID).await.status, 404);
    clock.advance(MINUTE_MS - 1);
    assert_eq!(usage(&service, &token, UUID).await.status, 429);
    clock.advance(1);
    assert_eq!(usage(&service, &token, UUID).await.status, 200);
}
