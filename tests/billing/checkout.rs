//! Checkouts: what the provider is sent, who is refused, and where people may come back to.

use super::*;
use chatkeep::billing::checkout::ReturnUrls;
use support::ADMIN_TOKEN;

const SESSIONS: &str = "/v1/checkout/sessions";

fn field<'a>(asked: &'a stripe::RecordedRequest, name: &str) -> Option<&'a str> {
    asked.form.get(name).map(String::as_str)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_is_asked_for_as_the_provider_wants_it() {
    let world = World::start().await;
    let user = world.user().await;
    let answer = world.checkout(&user, json!({"plan": "annual"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let session = answer.json();
    assert_eq!(session.as_object().unwrap().len(), 3, "{session}");
    assert_eq!(session["publishable_key"], "pk_live_1");
    let id = session["session_id"].as_str().unwrap();
    assert_eq!(session["url"], format!("https://checkout.example/c/{id}#x"));
    let requests = world.stripe.requests();
    let [customer, checkout] = requests.as_slice() else {
        panic!("{requests:?}");
    };
    assert_eq!(customer.path, "/v1/customers");
    assert_eq!(field(customer, "metadata[user_id]"), Some(user.as_str()));
    let public = &world.service.app.config.server.public_url;
    let expected: Vec<(&str, String)> = vec![
        ("mode", "subscription".into()),
        ("customer", "cus_1".into()),
        ("client_reference_id", user.clone()),
        ("metadata[user_id]", user.clone()),
        ("subscription_data[metadata][user_id]", user.clone()),
        ("subscription_data[trial_period_days]", "7".into()),
        ("line_items[0][price]", ANNUAL.into()),
        ("line_items[0][quantity]", "1".into()),
        ("line_items[1][price_data][currency]", "usd".into()),
        (
            "line_items[1][price_data][product_data][name]",
            "Trial of 7 days".into(),
        ),
        ("line_items[1][price_data][unit_amount]", "500".into()),
        ("line_items[1][quantity]", "1".into()),
        ("success_url", format!("{public}/payment/success")),
        ("cancel_url", format!("{public}/payment/canceled")),
    ];
    for (name, value) in &expected {
        assert_eq!(field(checkout, name), Some(value.as_str()), "{name}");
    }
    assert_eq!(checkout.form.len(), expected.len(), "{checkout:?}");
    // The pages it leads back to by itself are there.
    for page in ["/payment/success", "/payment/canceled"] {
        let page = world.service.send(&get(page)).await;
        assert_eq!(page.status, 200);
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
    }
    let keys = world.service.rows("SELECT count(*) FROM provider_keys");
    assert_eq!(keys, [[0]], "what has succeeded needs no key any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_is_given_once_and_only_while_it_is_on() {
    let world = World::start().await;
    let user = world.customer("cus_mine").await;
    let trial = async |user: &str| {
        let answer = world.checkout(user, json!({"plan": "monthly"})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let requests = world.stripe.requests_for("POST", SESSIONS);
        let days = field(&requests[0], "subscription_data[trial_period_days]").map(str::to_owned);
        let cents =
            field(&requests[0], "line_items[1][price_data][unit_amount]").map(str::to_owned);
        assert_eq!(days.is_some(), cents.is_some());
        cents
    };
    for (cents, sent) in [(1, "100"), (99_999, "5000"), (700, "700")] {
        let user = world.user().await;
        world
            .service
            .set_flag("payment.trial_amount_cents", cents)
            .await;
        assert_eq!(trial(&user).await.as_deref(), Some(sent));
    }
    world.service.set_flag("payment.trial_enabled", false).await;
    assert_eq!(trial(&user).await, None);
    world.service.set_flag("payment.trial_enabled", true).await;
    // After a trial that came to nothing.
    let of = |status: &str| subscription("sub_1", "cus_mine", status, MONTHLY);
    world
        .events(&[
            event("evt_1", "customer.subscription.created", 10, of("trialing")),
            event("evt_2", "customer.subscription.deleted", 11, of("canceled")),
        ])
        .await;
    assert_eq!(trial(&user).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_are_refused() {
    let world = World::start().await;
    let refused = async |user: &str, expected: bool| {
        let answer = world.checkout(user, json!({"plan": "monthly"})).await;
        if expected {
            assert_eq!(answer.status, 400, "{}", answer.text);
            assert_eq!(answer.code(), "already_subscribed");
        } else {
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
    };
    let cases = [
        ("active", true),
        ("trialing", true),
        ("past_due", false),
        ("canceled", false),
        ("incomplete", false),
    ];
    for (n, (status, expected)) in cases.into_iter().enumerate() {
        let customer = format!("cus_x{n}");
        let user = world.customer(&customer).await;
        let of = subscription(&format!("sub_{n}"), &customer, status, MONTHLY);
        world
            .events(&[event(
                &format!("evt_{n}"),
                "customer.subscription.created",
                10,
                of,
            )])
            .await;
        refused(&user, expected).await;
    }
    let granted = world.user().await;
    let path = format!("/admin/users/{granted}/grant");
    let grant = world
        .service
        .admin("PUT", &path, &json!({"plan": "annual"}))
        .await;
    assert_eq!(grant.status, 200);
    refused(&granted, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_fields_are_named() {
    let world = World::with(&[("CHATKEEP_BILLING_ALLOWED_RETURN_HOSTS", "app.example.com")]).await;
    let cases = [
        (json!({}), vec!["/plan"]),
        (json!({"plan": "weekly"}), vec!["/plan"]),
        (json!({"plan": null}), vec!["/plan"]),
        (json!({"plan": "Monthly"}), vec!["/plan"]),
        (
            json!({"plan": 1, "success_url": 2}),
            vec!["/plan", "/success_url"],
        ),
        (
            json!({"plan": "annual", "success_url": "https://evil.example/", "cancel_url": "ftp://x"}),
            vec!["/success_url", "/cancel_url"],
        ),
        (
            json!({"plan": "annual", "success_url": "https://app.example.com@evil.example/"}),
            vec!["/success_url"],
        ),
        (
            json!({"plan": "annual", "cancel_url": "https://app.example.com\\@evil.example/"}),
            vec!["/cancel_url"],
        ),
        (
            json!({"plan": "annual", "cancel_url": "https://app.example.com.evil.example/"}),
            vec!["/cancel_url"],
        ),
        (
            json!({"plan": "annual", "cancel_url": ""}),
            vec!["/cancel_url"],
        ),
    ];
    for (body, fields) in cases {
        let user = world.user().await;
        let answer = world.checkout(&user, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        assert_eq!(answer.code(), "validation_failed");
        let errors = answer.json()["errors"].as_array().unwrap().clone();
        let named: Vec<&str> = errors
            .iter()
            .map(|e| e["field"].as_str().unwrap())
            .collect();
        assert_eq!(named, fields, "{body}");
    }
    assert_eq!(world.stripe.requests().len(), 0);
    let user = world.user().await;
    let valid = json!({"plan": "monthly", "success_url": "https://App.example.com/ok?s={CHECKOUT_SESSION_ID}",
        "cancel_url": "http://127.0.0.1:3000/plans"});
    let answer = world.checkout(&user, valid.clone()).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let requests = world.stripe.requests_for("POST", SESSIONS);
    assert_eq!(
        field(&requests[0], "success_url"),
        valid["success_url"].as_str()
    );
    assert_eq!(
        field(&requests[0], "cancel_url"),
        valid["cancel_url"].as_str()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn three_a_minute_of_both_kinds_are_let_in_before_anything_is_looked_at() {
    let world = World::start().await;
    let user = world.user().await;
    assert_eq!(
        world.checkout(&user, json!({"plan": "no"})).await.status,
        422
    );
    assert_eq!(
        world.top_up(&user, json!({"amount_cents": 1})).await.status,
        422
    );
    assert_eq!(
        world
            .checkout(&user, json!({"plan": "annual"}))
            .await
            .status,
        200
    );
    for _ in 0..2 {
        let refused = world.checkout(&user, json!({"plan": "no"})).await;
        assert_eq!(
            (refused.status, refused.code()),
            (429, "rate_limited".into())
        );
        assert_eq!(refused.header("retry-after"), Some("60"));
        assert_eq!(world.top_up(&user, json!({})).await.status, 429);
    }
    let other = world.user().await;
    assert_eq!(
        world
            .checkout(&other, json!({"plan": "annual"}))
            .await
            .status,
        200
    );
    world.clock.advance(59_999);
    assert_eq!(world.top_up(&user, json!({})).await.status, 429);
    world.clock.advance(1);
    assert_eq!(
        world
            .top_up(&user, json!({"amount_cents": 500}))
            .await
            .status,
        200
    );
    let anybody = world
        .service
        .send(&post("/api/v1/payment/checkout/topup", &json!({})).bearer(ADMIN_TOKEN))
        .await;
    assert_eq!(anybody.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_at_once_one_makes_the_customer() {
    let world = World::start().await;
    let user = world.user().await;
    let id = world.service.app.store.write({
        let user = user.clone();
        move |tx| tx.user_id(&user)
    });
    let id = id.await.unwrap().unwrap();
    let billing = &world.service.app.billing;
    let returns = ReturnUrls::default();
    let all = (0..20).map(|_| billing.subscribe(id, "monthly", &returns));
    for result in futures_util::future::join_all(all).await {
        result.unwrap();
    }
    let requests = world.stripe.requests();
    let customers = requests
        .iter()
        .filter(|request| request.path == "/v1/customers");
    assert_eq!(customers.count(), 1);
    assert_eq!(world.stripe.state().customers.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_has_the_same_key_and_a_new_attempt_another() {
    let world = World::start().await;
    let user = world.user().await;
    world.stripe.mode("500");
    let failed = world.checkout(&user, json!({"plan": "monthly"})).await;
    assert_eq!(
        (failed.status, failed.code()),
        (503, "payment_unavailable".into())
    );
    let keys = |requests: Vec<stripe::RecordedRequest>| -> Vec<String> {
        let keys = requests
            .iter()
            .map(|request| request.headers["idempotency-key"].clone());
        keys.collect()
    };
    let first = keys(world.stripe.requests_for("POST", "/v1/customers"));
    assert!(
        first.len() > 1 && first.iter().all(|key| *key == first[0]),
        "{first:?}"
    );
    // The provider would repeat its 500 for that key.
    world.stripe.mode("");
    let answer = world.checkout(&user, json!({"plan": "monthly"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let second = keys(world.stripe.requests_for("POST", "/v1/customers"));
    assert_eq!(second.len(), 1);
    assert_ne!(first[0], second[0]);
    // One that passes by itself costs nothing.
    world.stripe.mode("429-once");
    let answer = world.checkout(&user, json!({"plan": "monthly"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let sessions = keys(world.stripe.requests_for("POST", SESSIONS));
    assert!(
        sessions.len() == 2 && sessions[0] == sessions[1],
        "{sessions:?}"
    );
}

/// Nobody knows whether the call had an effect: the same key finds out.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_outcome_is_asked_for_with_the_same_key() {
    let world = World::start().await;
    let user = world.user().await;
    world.stripe.mode("refuse");
    assert_eq!(
        world
            .checkout(&user, json!({"plan": "monthly"}))
            .await
            .status,
        503
    );
    let before = world.stripe.requests();
    let World {
        service,
        stripe,
        clock,
    } = world;
    let (_, folder) = service.stop().await;
    stripe.mode("");
    let world = World::again(stripe, folder, clock, &[]).await;
    assert_eq!(
        world
            .checkout(&user, json!({"plan": "monthly"}))
            .await
            .status,
        200
    );
    let after = world.stripe.requests_for("POST", "/v1/customers");
    let key = |request: &stripe::RecordedRequest| request.headers["idempotency-key"].clone();
    assert_eq!(key(&before[0]), key(&after[0]), "also after a restart");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_that_the_provider_has_forgotten_is_made_anew() {
    let world = World::start().await;
    let user = world.customer("cus_gone").await;
    world.stripe.state().customers.clear();
    let answer = world.checkout(&user, json!({"plan": "monthly"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let rows = world
        .service
        .rows("SELECT customer_id FROM users WHERE customer_id IS NOT NULL");
    assert_eq!(rows, [["cus_1"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn test_mode_uses_the_test_keys() {
    // The annual price has one for test mode; the monthly one is the same in both.
    let price = [("CHATKEEP_BILLING_TEST_PRICE_ANNUAL", "price_test_annual")];
    let world = World::with(&price).await;
    let user = world.user().await;
    world
        .service
        .set_flag("payment.processor_test_mode", true)
        .await;
    let answer = world.checkout(&user, json!({"plan": "monthly"})).await;
    assert_eq!(answer.json()["publishable_key"], "pk_test_1");
    world.checkout(&user, json!({"plan": "annual"})).await;
    let requests = world.stripe.requests();
    for request in &requests {
        let bearer = format!("Bearer {}", stripe::TEST_SECRET_KEY);
        assert_eq!(request.headers["authorization"], bearer);
    }
    let price =
        |request: &stripe::RecordedRequest| request.form.get("line_items[0][price]").cloned();
    let prices: Vec<String> = requests.iter().filter_map(price).collect();
    assert_eq!(prices, [MONTHLY, "price_test_annual"]);
    // A subscription to it is ours.
    let known = world.customer("cus_test").await;
    let of = subscription("sub_1", "cus_test", "active", "price_test_annual");
    let sent_event = event("evt_1", "customer.subscription.created", 10, of);
    let sent_event = with(sent_event, json!({"livemode": false}));
    let answer = world.signed(sent_event.to_string(), stripe::TEST_WEBHOOK_SECRET);
    assert_eq!(answer.await.status, 200);
    assert_eq!(
        world.standing(&known).await,
        ("active".into(), json!("annual"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn credit_is_bought_within_the_flags() {
    let world = World::start().await;
    let amount = async |amount: Value| {
        let user = world.user().await;
        world.top_up(&user, json!({ "amount_cents": amount })).await
    };
    for (given, status) in [
        (json!(500), 200),
        (json!(10_000), 200),
        (json!(499), 422),
        (json!(10_001), 422),
        (json!(-500), 422),
        (json!(500.0), 422),
        (json!("500"), 422),
        (json!(null), 422),
    ] {
        let answer = amount(given.clone()).await;
        assert_eq!(answer.status, status, "{given}: {}", answer.text);
    }
    let requests = world.stripe.requests_for("POST", SESSIONS);
    let form = &requests[0].form;
    for (name, value) in [
        ("mode", "payment"),
        ("line_items[0][price_data][currency]", "usd"),
        ("line_items[0][price_data][unit_amount]", "500"),
        ("line_items[0][price_data][product_data][name]", "Credit"),
        ("line_items[0][quantity]", "1"),
    ] {
        assert_eq!(form[name], value, "{name}");
    }
    assert_eq!(form["client_reference_id"], form["metadata[user_id]"]);
    world
        .service
        .set_flag("payment.topup_min_amount_cents", 100)
        .await;
    assert_eq!(amount(json!(100)).await.status, 200);
    world.service.set_flag("payment.topup_enabled", false).await;
    let off = amount(json!(500)).await;
    assert_eq!(
        (off.status, off.code()),
        (503, "payment_unavailable".into())
    );
}
