//! `GET /api/v1/payment/status`: every field, for everybody.

use super::*;

fn fields(status: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = status
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names
}

const FIELDS: [&str; 12] = [
    "cancel_at_period_end", "credit_balance", "current_period_end", "daily_messages_remaining",
    "has_payment_method", "subscription_id", "subscription_plan", "subscription_status",
    "superpowers_enabled", "tier", "trial_expires_at", "upgrade_benefits",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_is_free() {
    let world = World::start().await;
    let user = world.user().await;
    let status = world.status(&user).await;
    assert_eq!(fields(&status), FIELDS);
    let benefits = status["upgrade_benefits"].as_array().unwrap();
    assert!(!benefits.is_empty() && benefits.iter().all(Value::is_string));
    let expected = json!({
        "has_payment_method": false, "subscription_status": "free", "subscription_plan": null,
        "subscription_id": null, "current_period_end": null, "cancel_at_period_end": false,
        "trial_expires_at": null, "credit_balance": 0, "tier": "free",
        "daily_messages_remaining": 50, "superpowers_enabled": false,
        "upgrade_benefits": benefits,
    });
    assert_eq!(status, expected);
    assert_eq!(world.stripe.requests().len(), 0, "nothing to ask about");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_status_has_its_tier() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let kind = "customer.subscription.updated";
    let cases = [
        ("trialing", "trial", "annual", true),
        ("active", "active", "annual", true),
        ("past_due", "past_due", "free", false),
        ("canceled", "canceled", "free", false),
    ];
    for (n, (word, status, tier, subscribed)) in cases.into_iter().enumerate() {
        let of = with(
            subscription("sub_1", "cus_1", word, ANNUAL),
            json!({"cancel_at_period_end": n == 1, "trial_end": 1_790_604_800}),
        );
        world
            .events(&[event(&format!("evt_{n}"), kind, n as i64, of)])
            .await;
        let current = world.status(&user).await;
        assert_eq!(fields(&current), FIELDS);
        assert_eq!(current["subscription_status"], status);
        assert_eq!(current["subscription_plan"], "annual");
        assert_eq!(current["subscription_id"], "sub_1");
        assert_eq!(current["current_period_end"], "2027-01-15T08:00:00.000Z");
        assert_eq!(current["trial_expires_at"], "2026-09-28T14:13:20.000Z");
        assert_eq!(current["cancel_at_period_end"], n == 1);
        assert_eq!(current["tier"], tier);
        assert_eq!(
            current["daily_messages_remaining"].is_null(),
            subscribed,
            "{status}"
        );
        assert_eq!(current["superpowers_enabled"], subscribed);
        assert_eq!(current["upgrade_benefits"].is_null(), subscribed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_and_flags_are_shown() {
    let world = World::start().await;
    let sent = support::direct("+15550123", "hello");
    world.service.edge_message("a", &sent).await;
    let user = world.service.user_id("+15550123");
    assert_eq!(world.status(&user).await["daily_messages_remaining"], 49);
    world
        .service
        .set_flag("free_tier.daily_message_limit", 0)
        .await;
    assert_eq!(world.status(&user).await["daily_messages_remaining"], 0);
    world.service.set_flag("free_tier.enabled", false).await;
    let open = world.status(&user).await;
    assert_eq!(open["daily_messages_remaining"], json!(null));
    assert_eq!(open["superpowers_enabled"], true);
    assert_eq!(open["tier"], "free");
    world.service.set_flag("free_tier.enabled", true).await;
    let path = format!("/admin/users/{user}/grant");
    world
        .service
        .admin("PUT", &path, &json!({"plan": "annual"}))
        .await;
    let granted = world.status(&user).await;
    assert_eq!(granted["subscription_status"], "active");
    assert_eq!(granted["tier"], "annual");
    assert_eq!(granted["subscription_id"], json!(null));
    assert_eq!(granted["upgrade_benefits"], json!(null));
    assert_eq!(granted["superpowers_enabled"], true);
    world.service.set_flag("superpower.enabled", false).await;
    assert_eq!(world.status(&user).await["superpowers_enabled"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn ways_to_pay_are_asked_for_seldom_and_remembered() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let has = async || world.status(&user).await["has_payment_method"].clone();
    assert_eq!(has().await, false);
    world.stripe.state().methods.insert("cus_1".into(), 1);
    assert_eq!(has().await, false, "what was just heard holds for a while");
    world.clock.advance(30_000);
    assert_eq!(has().await, true);
    let path = "/v1/customers/cus_1/payment_methods";
    assert_eq!(world.stripe.requests_for("GET", path).len(), 2);
    // As last heard, while the provider is away; it is left alone.
    world.stripe.mode("500-final");
    world.stripe.state().methods.clear();
    world.clock.advance(30_000);
    assert_eq!(has().await, true);
    assert_eq!(has().await, true);
    assert_eq!(world.stripe.requests_for("GET", path).len(), 1);
    world.stripe.mode("");
    world.clock.advance(15_000);
    assert_eq!(has().await, false);
    // An event about it is a reason to ask at once.
    world.stripe.state().methods.insert("cus_1".into(), 2);
    let method = json!({"id": "pm_1", "customer": "cus_1"});
    world
        .events(&[event("evt_1", "payment_method.attached", 5, method)])
        .await;
    assert_eq!(has().await, true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_about_one_customer_concerns_no_other() {
    let world = World::start().await;
    let (refused, other) = (world.customer("cus_1").await, world.customer("cus_2").await);
    world.stripe.state().methods.insert("cus_2".into(), 1);
    world.stripe.mode("types");
    let status = world.status(&refused).await;
    assert_eq!(status["has_payment_method"], false);
    world.stripe.mode("");
    let status = world.status(&other).await;
    assert_eq!(status["has_payment_method"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_a_minute() {
    let world = World::start().await;
    let user = world.user().await;
    for _ in 0..100 {
        world.status(&user).await;
    }
    let refused = world.get(&user, "/api/v1/payment/status").await;
    assert_eq!(
        (refused.status, refused.code()),
        (429, "rate_limited".into())
    );
    let without_prefix = world.get(&user, "/payment/status").await;
    assert_eq!(without_prefix.status, 404);
}
