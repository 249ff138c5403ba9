//! A provider that is away, slow, broken or none at all: checkouts say so in time, everything
//! else goes on, and nothing that must be told is forgotten.

use std::time::{Duration, Instant};

use super::*;

const MODES: [&str; 10] = [
    "refuse", "hang", "500", "500-final", "garbage", "types", "trickle", "huge", "redirect", "down",
];

/// What the rest of the service says meanwhile.
async fn goes_on(world: &World, user: &str) {
    let start = Instant::now();
    let status = world.status(user).await;
    assert_eq!(status["subscription_status"], "free");
    let health = world.service.send(&get("/health")).await;
    assert_eq!(health.status, 200);
    let sent = support::direct("+15550123", "hello");
    let answer = world.service.edge_message("a", &sent).await;
    assert_eq!(answer.status, 200);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_checkout_is_refused_in_time_and_the_rest_goes_on() {
    let one = async |mode: &str| {
        let world = match mode {
            // Nobody listens there.
            "down" => World::with(&[("CHATKEEP_BILLING_API_BASE", "http://127.0.0.1:9")]).await,
            _ => World::start().await,
        };
        world.stripe.mode(mode);
        let user = world.user().await;
        let known = world.customer("cus_x").await;
        let started = Instant::now();
        let (first, second, history, ()) = tokio::join!(
            world.checkout(&user, json!({"plan": "monthly"})),
            world.top_up(&known, json!({"amount_cents": 500})),
            world.get(&known, "/billing/history"),
            goes_on(&world, &known),
        );
        // Each gives up after 9 s; ten services take turns on the processor here.
        let elapsed = started.elapsed();
        assert!(elapsed < Duration::from_secs(15), "{mode}: {elapsed:?}");
        for answer in [first, second, history] {
            assert_eq!(answer.status, 503, "{mode}: {}", answer.text);
            assert_eq!(answer.code(), "payment_unavailable", "{mode}");
            assert!(answer.header("retry-after").is_some(), "{mode}");
            for secret in [stripe::SECRET_KEY, "whsec", "127.0.0.1", "cus_"] {
                assert!(!answer.text.contains(secret), "{mode}: {}", answer.text);
            }
        }
        // It comes back, and so do payments: no permit was lost.
        world.stripe.mode("");
        if mode != "down" {
            let repeated = world.checkout(&user, json!({"plan": "monthly"})).await;
            assert_eq!(repeated.status, 200, "{mode}: {}", repeated.text);
        }
        // What still hangs would be waited for.
        world.stripe.end_hanging();
    };
    futures_util::future::join_all(MODES.map(one)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_provider_everything_answers() {
    let service = Service::start().await;
    let user = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
    let token = service.user_token(user);
    let send = async |request: support::Request| service.send(&request.bearer(&token)).await;
    let unavailable = |answer: Answer| {
        assert_eq!(
            (answer.status, answer.code()),
            (503, "payment_unavailable".into())
        );
        assert!(answer.header("retry-after").is_some());
    };
    let plan = json!({"plan": "monthly"});
    unavailable(send(post("/api/v1/payment/checkout/subscription", &plan)).await);
    let amount = json!({"amount_cents": 500});
    unavailable(send(post("/api/v1/payment/checkout/topup", &amount)).await);
    unavailable(service.send(&post("/payment/events", &json!({}))).await);
    let reconcile = service
        .admin("POST", "/admin/billing/reconcile", &json!({}))
        .await;
    unavailable(reconcile);
    let history = send(get("/billing/history")).await;
    let empty = json!({"transactions": [], "has_more": false, "total_count": 0});
    assert_eq!((history.status, history.json()), (200, empty));
    let status = send(get("/api/v1/payment/status")).await;
    assert_eq!(status.status, 200);
    assert_eq!(status.json()["tier"], "free");
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_can_be_switched_off() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    world
        .service
        .set_flag("payment.processor_enabled", false)
        .await;
    for answer in [
        world.checkout(&user, json!({"plan": "monthly"})).await,
        world.top_up(&user, json!({"amount_cents": 500})).await,
    ] {
        assert_eq!(
            (answer.status, answer.code()),
            (503, "payment_unavailable".into())
        );
    }
    // What was sold before goes on.
    let of = subscription("sub_1", "cus_1", "active", MONTHLY);
    world
        .events(&[event("evt_1", "customer.subscription.created", 10, of)])
        .await;
    assert_eq!(world.standing(&user).await.0, "active");
}
