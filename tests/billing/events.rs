//! The provider's events: what they are, in which order they come, and whose they are.

use super::*;
use chatkeep::clock::Timestamp;

/// Every order of these.
fn permutations(of: &[Value]) -> Vec<Vec<Value>> {
    if of.len() <= 1 {
        return vec![of.to_vec()];
    }
    let with = |at: usize| {
        let mut rest = of.to_vec();
        let first = rest.remove(at);
        let tails = permutations(&rest).into_iter();
        tails.map(move |tail| [vec![first.clone()], tail].concat())
    };
    (0..of.len()).flat_map(with).collect()
}

/// A subscription's life for one customer: the n-th run has names of its own.
fn life(n: usize, customer: &str) -> Vec<Value> {
    let sub = format!("sub_{n}");
    let of = |status: &str, price: &str| subscription(&sub, customer, status, price);
    let trial = json!({"trial_start": 100, "trial_end": 700_000});
    vec![
        event(
            &format!("evt_{n}_1"),
            "customer.subscription.created",
            1_000,
            with(of("trialing", MONTHLY), trial.clone()),
        ),
        event(
            &format!("evt_{n}_2"),
            "customer.subscription.updated",
            2_000,
            with(of("active", ANNUAL), trial.clone()),
        ),
        event(
            &format!("evt_{n}_3"),
            "invoice.payment_failed",
            3_000,
            invoice(&sub, customer),
        ),
        event(
            &format!("evt_{n}_4"),
            "customer.subscription.deleted",
            4_000,
            with(of("canceled", ANNUAL), trial),
        ),
    ]
}

/// Whether the provider can be asked or not.
#[tokio::test(flavor = "multi_thread")]
async fn every_order_with_repetitions_ends_in_the_same() {
    for mode in ["", "500-final"] {
        let world = World::start().await;
        world.stripe.mode(mode);
        let mut n = 0;
        for (length, expected) in [(4, "canceled"), (3, "past_due")] {
            for order in permutations(&life(0, "x")[..length]) {
                n += 1;
                let customer = format!("cus_{n}");
                let user = world.customer(&customer).await;
                let fresh = life(n, &customer);
                let place = |event: &Value| {
                    let id = event["id"].as_str().unwrap();
                    id.rsplit('_').next().unwrap().parse::<usize>().unwrap() - 1
                };
                let order: Vec<Value> = order
                    .iter()
                    .map(|event| fresh[place(event)].clone())
                    .collect();
                for event in &order {
                    world.events(&[event.clone(), order[0].clone()]).await;
                }
                let rows = world.service.rows(&format!(
                    "SELECT u.status, u.plan, u.trial_started_at, u.trial_expires_at, s.status,
                       s.began_s, s.current_period_end, (SELECT count(*) FROM subscriptions s2
                         WHERE s2.user_id = u.id)
                     FROM users u JOIN subscriptions s ON s.user_id = u.id
                     WHERE u.user_id = '{user}'"
                ));
                let end = json!([
                    expected, "annual", 100_000, 700_000_000, expected, 1_790_000_000,
                    1_800_000_000_000i64, 1
                ]);
                assert_eq!(json!(rows[0]), end, "{mode} {order:?}");
            }
        }
        let counted = world.service.rows("SELECT count(*) FROM payment_events");
        assert_eq!(counted, [[4 * 24 + 3 * 6]]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_become_ours() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let words = [
        ("trialing", "trial"),
        ("active", "active"),
        ("past_due", "past_due"),
        ("unpaid", "past_due"),
        ("active", "active"),
        ("paused", "past_due"),
        ("newfangled", "past_due"),
        ("incomplete", "free"),
        ("active", "active"),
        ("canceled", "canceled"),
        ("active", "canceled"), // never revived
    ];
    for (n, (word, expected)) in words.into_iter().enumerate() {
        let of = subscription("sub_1", "cus_1", word, MONTHLY);
        let at = 1_000 + n as i64;
        let event = event(&format!("evt_{n}"), "customer.subscription.updated", at, of);
        world.events(&[event]).await;
        assert_eq!(world.standing(&user).await.0, expected, "{n} {word}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creation_is_active_unless_it_says_otherwise() {
    let world = World::start().await;
    let cases = [
        ("active", "active", json!("monthly")),
        ("trialing", "trial", json!("monthly")),
        ("incomplete", "free", json!(null)),
    ];
    for (n, (word, expected, plan)) in cases.into_iter().enumerate() {
        let customer = format!("cus_{n}");
        let user = world.customer(&customer).await;
        let of = subscription(&format!("sub_{n}"), &customer, word, MONTHLY);
        let created = event(&format!("evt_{n}"), "customer.subscription.created", 5, of);
        world.events(&[created]).await;
        assert_eq!(world.standing(&user).await, (expected.to_owned(), plan));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_signed_events_are_taken() {
    let world = World::start().await;
    world.customer("cus_1").await;
    let of = subscription("sub_1", "cus_1", "active", MONTHLY);
    let body = event("evt_1", "customer.subscription.created", 5, of).to_string();
    let sign = |secret: &str, offset_s: i64| {
        let at = world.clock.now().seconds() + offset_s;
        payment_signature::sign(body.as_bytes(), secret, at)
    };
    let valid = sign(WEBHOOK_SECRET, 0);
    let invalid = [
        None,
        Some(sign("whsec_other", 0)),
        Some(sign(stripe::TEST_WEBHOOK_SECRET, 0)),
        Some(sign(WEBHOOK_SECRET, -301)),
        Some(sign(WEBHOOK_SECRET, 301)),
        Some(valid.replace("v1=", "v0=")),
        Some(valid.replace("t=", "t=1")),
        Some("t=1,v1=".into()),
        Some("nonsense".into()),
    ];
    for signature in invalid {
        let mut delivery = request("POST", "/payment/events").raw(body.clone());
        if let Some(signature) = &signature {
            delivery = delivery.header("Stripe-Signature", signature);
        }
        let answer = world.service.send(&delivery).await;
        assert_eq!(answer.status, 400, "{signature:?}: {}", answer.text);
        assert_eq!(answer.code(), "invalid_signature");
    }
    let twice = request("POST", "/payment/events")
        .raw(body.clone())
        .header("Stripe-Signature", &valid)
        .header("Stripe-Signature", &valid);
    assert_eq!(world.service.send(&twice).await.status, 400);
    let changed = request("POST", "/payment/events")
        .raw(body.replace("active", "Active"))
        .header("Stripe-Signature", &valid);
    assert_eq!(world.service.send(&changed).await.status, 400);
    let large = request("POST", "/payment/events").raw(" ".repeat(256 * 1024 + 1));
    assert_eq!(world.service.send(&large).await.status, 413);
    assert_eq!(
        world.service.rows("SELECT count(*) FROM payment_events"),
        [[0]]
    );
    // Several signatures while a secret is being replaced.
    let other = sign("whsec_other", 0).split_once(',').unwrap().1.to_owned();
    let (time, v1) = valid.split_once(',').unwrap();
    let rotating = request("POST", "/payment/events")
        .raw(body.clone())
        .header("Stripe-Signature", &format!("{time},{other},{v1},v0=00"));
    assert_eq!(world.service.send(&rotating).await.status, 200);
    // In test mode the test secret verifies, and only that.
    world
        .service
        .set_flag("payment.processor_test_mode", true)
        .await;
    let live = world.signed(body.clone(), WEBHOOK_SECRET).await;
    assert_eq!(live.code(), "invalid_signature");
    let test = world.signed(body, stripe::TEST_WEBHOOK_SECRET).await;
    assert_eq!(test.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_known_is_taken_and_changes_nothing() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    world
        .events(&[
            event(
                "evt_1",
                "charge.refunded",
                5,
                json!({"id": "ch_1", "customer": "cus_1"}),
            ),
            event("evt_2", "brand.new.kind", 5, json!("text")),
            event(
                "evt_3",
                "customer.subscription.created",
                5,
                subscription("sub_9", "cus_stranger", "active", MONTHLY),
            ),
            event(
                "evt_4",
                "invoice.payment_failed",
                5,
                invoice("sub_9", "cus_stranger"),
            ),
            event(
                "evt_5",
                "checkout.session.completed",
                5,
                json!({"id": "cs_1"}),
            ),
            event(
                "evt_6",
                "customer.subscription.updated",
                5,
                json!({"id": 7}),
            ),
            event(
                "evt_7",
                "customer.deleted",
                5,
                json!({"id": "cus_stranger"}),
            ),
            event(
                "evt_8",
                "customer.subscription.updated",
                5,
                with(
                    subscription("sub_8", "cus_x", "active", MONTHLY),
                    json!({"metadata": {"user_id": "../../etc"}}),
                ),
            ),
            json!({"id": "evt_9", "type": "customer.subscription.updated"}),
        ])
        .await;
    assert_eq!(world.standing(&user).await, ("free".into(), json!(null)));
    let no_event = world.signed("[]".into(), WEBHOOK_SECRET).await;
    assert_eq!(
        (no_event.status, no_event.code()),
        (422, "validation_failed".into())
    );
    let no_id = world.signed("{}".into(), WEBHOOK_SECRET).await;
    assert_eq!(no_id.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_at_once_take_effect_once() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let session = with(bought("cs_1", &user, 1_500), json!({"customer": "cus_1"}));
    let paid = event("evt_1", "checkout.session.completed", 5, session.clone());
    let all = futures_util::future::join_all((0..20).map(|_| world.event(&paid))).await;
    assert!(all.iter().all(|answer| answer.status == 200));
    assert_eq!(world.status(&user).await["credit_balance"], 1_500);
    // Another event about the same session.
    let paid = event(
        "evt_2",
        "checkout.session.async_payment_succeeded",
        6,
        session,
    );
    world.events(&[paid]).await;
    assert_eq!(world.status(&user).await["credit_balance"], 1_500);
    // One that is paid later.
    let unpaid = json!({"payment_status": "unpaid"});
    let session = with(bought("cs_2", &user, 700), unpaid);
    let checkout = event("evt_3", "checkout.session.completed", 7, session.clone());
    world.events(&[checkout]).await;
    assert_eq!(world.status(&user).await["credit_balance"], 1_500);
    let paid = with(session, json!({"payment_status": "paid"}));
    let paid = event("evt_4", "checkout.session.async_payment_succeeded", 8, paid);
    world.events(&[paid]).await;
    assert_eq!(world.status(&user).await["credit_balance"], 2_200);
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_found_by_customer_or_by_what_we_told() {
    let world = World::start().await;
    let user = world.user().await;
    // By metadata; the customer is theirs from then on.
    let of = with(
        subscription("sub_1", "cus_new", "active", ANNUAL),
        json!({"metadata": {"user_id": user}}),
    );
    world
        .events(&[event("evt_1", "customer.subscription.created", 10, of)])
        .await;
    assert_eq!(
        world.standing(&user).await,
        ("active".into(), json!("annual"))
    );
    world
        .events(&[event(
            "evt_2",
            "invoice.payment_failed",
            11,
            invoice("sub_1", "cus_new"),
        )])
        .await;
    assert_eq!(world.standing(&user).await.0, "past_due");
    // By a checkout, which brings the subscription that was created before anybody knew whose
    // it is.
    let other = world.user().await;
    let of = subscription("sub_2", "cus_other", "active", MONTHLY);
    world.stripe.subscribe("sub_2", "cus_other", json!({}));
    world
        .events(&[
            event("evt_3", "customer.subscription.created", 12, of),
            event(
                "evt_4",
                "checkout.session.completed",
                13,
                json!({"id": "cs_1", "mode": "subscription", "payment_status": "paid",
                    "amount_total": 500, "customer": "cus_other", "subscription": "sub_2",
                    "client_reference_id": other, "metadata": {"user_id": other}}),
            ),
        ])
        .await;
    assert_eq!(
        world.standing(&other).await,
        ("active".into(), json!("monthly"))
    );
    assert_eq!(world.status(&other).await["credit_balance"], 0);
    // The customer goes before the name: nobody moves to somebody else.
    let of = with(
        subscription("sub_3", "cus_other", "active", ANNUAL),
        json!({"metadata": {"user_id": user}, "created": 1_790_000_001}),
    );
    world
        .events(&[event("evt_5", "customer.subscription.created", 14, of)])
        .await;
    assert_eq!(world.standing(&other).await.1, "annual");
    assert_eq!(world.standing(&user).await.0, "past_due");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_current_subscription_is_the_one_created_last() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let of = |id: &str, status: &str, price: &str, began: i64| {
        with(
            subscription(id, "cus_1", status, price),
            json!({"created": began}),
        )
    };
    let kind = "customer.subscription.updated";
    world
        .events(&[
            event("evt_1", kind, 10, of("sub_old", "active", MONTHLY, 1_000)),
            event("evt_2", kind, 20, of("sub_new", "active", ANNUAL, 2_000)),
        ])
        .await;
    let expect = async |what: (&str, &str)| {
        let (status, plan) = world.standing(&user).await;
        assert_eq!((status.as_str(), plan), (what.0, json!(what.1)));
        assert_eq!(world.status(&user).await["subscription_id"], "sub_new");
    };
    expect(("active", "annual")).await;
    world
        .events(&[
            event(
                "evt_3",
                "customer.subscription.deleted",
                30,
                of("sub_old", "canceled", MONTHLY, 1_000),
            ),
            event(
                "evt_4",
                "invoice.payment_failed",
                31,
                invoice("sub_old", "cus_1"),
            ),
            event("evt_5", kind, 32, of("sub_older", "past_due", MONTHLY, 500)),
        ])
        .await;
    expect(("active", "annual")).await;
    // One of which only a failed payment is known is older than all whose age is known.
    world
        .events(&[event(
            "evt_6",
            "invoice.payment_failed",
            33,
            invoice("sub_x", "cus_1"),
        )])
        .await;
    expect(("active", "annual")).await;
    world
        .events(&[event(
            "evt_7",
            "invoice.payment_failed",
            34,
            invoice("sub_new", "cus_1"),
        )])
        .await;
    expect(("past_due", "annual")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tie_is_settled_by_asking() {
    let kind = "customer.subscription.updated";
    let cases = [
        // the provider says; expected
        (Some("active"), "active"),
        (Some("past_due"), "past_due"),
        (Some("canceled"), "canceled"),
        (None, "past_due"), // it can't be asked: what was ended or unpaid wins
    ];
    for (answer, expected) in cases {
        for order in [["active", "past_due"], ["past_due", "active"]] {
            let world = World::start().await;
            let user = world.customer("cus_1").await;
            match answer {
                Some(status) => {
                    world
                        .stripe
                        .subscribe("sub_1", "cus_1", json!({"status": status}));
                }
                None => world.stripe.mode("500-final"),
            }
            for (n, status) in order.into_iter().enumerate() {
                let of = subscription("sub_1", "cus_1", status, MONTHLY);
                world
                    .events(&[event(&format!("evt_{n}"), kind, 10, of)])
                    .await;
            }
            assert_eq!(
                world.standing(&user).await.0,
                expected,
                "{answer:?} {order:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_ended_is_never_revived_by_a_tie() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    world.stripe.subscribe("sub_1", "cus_1", json!({}));
    let of = |status: &str| subscription("sub_1", "cus_1", status, MONTHLY);
    world
        .events(&[
            event("evt_1", "customer.subscription.deleted", 10, of("canceled")),
            event("evt_2", "customer.subscription.updated", 10, of("active")),
            event("evt_3", "invoice.paid", 10, invoice("sub_1", "cus_1")),
            event("evt_4", "invoice.paid", 20, invoice("sub_1", "cus_1")),
            event(
                "evt_5",
                "invoice.payment_failed",
                21,
                invoice("sub_1", "cus_1"),
            ),
        ])
        .await;
    assert_eq!(world.standing(&user).await.0, "canceled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_invoice_ends_being_past_due_and_no_trial() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let of = |status: &str| subscription("sub_1", "cus_1", status, MONTHLY);
    let kind = "customer.subscription.updated";
    world
        .events(&[
            event("evt_1", kind, 10, of("trialing")),
            event("evt_2", "invoice.paid", 11, invoice("sub_1", "cus_1")),
        ])
        .await;
    assert_eq!(world.standing(&user).await.0, "trial");
    world
        .events(&[event(
            "evt_3",
            "invoice.payment_failed",
            12,
            invoice("sub_1", "cus_1"),
        )])
        .await;
    assert_eq!(world.standing(&user).await.0, "past_due");
    world.stripe.subscribe("sub_1", "cus_1", json!({}));
    world
        .events(&[event(
            "evt_4",
            "invoice.paid",
            13,
            invoice("sub_1", "cus_1"),
        )])
        .await;
    assert_eq!(world.standing(&user).await.0, "active");
    // An older failure that comes late.
    world
        .events(&[event(
            "evt_5",
            "invoice.payment_failed",
            12,
            invoice("sub_1", "cus_1"),
        )])
        .await;
    assert_eq!(world.standing(&user).await.0, "active");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_customer_is_nobodys_any_more() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let of = subscription("sub_1", "cus_1", "active", MONTHLY);
    world
        .events(&[
            event("evt_1", "customer.subscription.created", 10, of),
            event(
                "evt_2",
                "customer.deleted",
                11,
                json!({"id": "cus_1", "object": "customer"}),
            ),
        ])
        .await;
    assert_eq!(world.standing(&user).await.0, "canceled");
    let rows = world
        .service
        .rows("SELECT count(*) FROM users WHERE customer_id IS NOT NULL");
    assert_eq!(rows, [[0]]);
}

/// What people are told in chat follows the next message.
#[tokio::test(flavor = "multi_thread")]
async fn the_gate_of_messages_sees_it_at_once() {
    let world = World::start().await;
    world
        .service
        .set_flag("payment.paywall_enabled", true)
        .await;
    let say = async || {
        let sent = support::direct("+15550123", "hello");
        world.service.edge_message("a", &sent).await.json()["access"].clone()
    };
    assert_eq!(say().await["code"], "message_limit_reached");
    let user = world.service.user_id("+15550123");
    let of = with(
        subscription("sub_1", "cus_1", "active", MONTHLY),
        json!({"metadata": {"user_id": user}}),
    );
    world
        .events(&[event(
            "evt_1",
            "customer.subscription.created",
            10,
            of.clone(),
        )])
        .await;
    assert_eq!(say().await, json!(null));
    let ended = with(of, json!({"status": "canceled"}));
    world
        .events(&[event("evt_2", "customer.subscription.deleted", 11, ended)])
        .await;
    assert_eq!(say().await["code"], "message_limit_reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ledger_outlives_a_restart_and_is_cleared_after_thirty_days() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let session = bought("cs_1", &user, 900);
    let bought = event("evt_1", "checkout.session.completed", 5, session);
    world.events(std::slice::from_ref(&bought)).await;
    let World {
        service,
        stripe,
        clock,
    } = world;
    let (_, folder) = service.stop().await;
    let world = World::again(stripe, folder, clock, &[]).await;
    world.events(&[bought]).await;
    assert_eq!(world.status(&user).await["credit_balance"], 900);
    let count = || world.service.rows("SELECT count(*) FROM payment_events")[0][0].clone();
    let housekeep = async |now: Timestamp| {
        let removed = world
            .service
            .app
            .store
            .write(move |tx| tx.remove_old_rows(now));
        removed.await.unwrap();
    };
    let day_s = 86_400;
    housekeep(world.clock.now().plus_s(30 * day_s)).await;
    assert_eq!(count(), 1);
    housekeep(world.clock.now().plus_s(30 * day_s + 1)).await;
    assert_eq!(count(), 0);
}
