//! What else happens on the provider's account: other products, other programs, payment links,
//! the other mode. It is taken and changes nothing.

use super::*;

const CREATED: &str = "customer.subscription.created";
const UPDATED: &str = "customer.subscription.updated";
const COMPLETED: &str = "checkout.session.completed";

/// The stored data of a person and of payments, without the ledger of events.
async fn payment_rows(world: &World, user: &str) -> Value {
    let rows = world.service.rows(
        "SELECT (SELECT count(*) FROM subscriptions), (SELECT count(*) FROM topups),
           (SELECT group_concat(coalesce(customer_id, '-')) FROM users)",
    );
    json!([world.status(user).await, rows])
}

async fn reconcile(world: &World) -> Value {
    let path = "/admin/billing/reconcile";
    let answer = world.service.admin("POST", path, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_credit_that_was_sold_here_is_added() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let before = payment_rows(&world, &user).await;
    let own = bought("cs_1", &user, 50_000);
    let others = [
        json!({"metadata": {}}),
        json!({"metadata": {}, "customer": "cus_1", "client_reference_id": null}),
        json!({"metadata": null, "payment_link": "plink_1"}),
        json!({"metadata": {}, "client_reference_id": null, "customer": "cus_1"}),
        json!({"client_reference_id": "order-17"}),
        json!({"client_reference_id": null}),
        json!({"currency": "jpy"}),
        json!({"currency": null}),
    ];
    for (n, fields) in others.into_iter().enumerate() {
        for kind in [COMPLETED, "checkout.session.async_payment_succeeded"] {
            let id = format!("evt_{n}_{}", kind.len());
            let session = with(own.clone(), fields.clone());
            world.events(&[event(&id, kind, 10, session)]).await;
            assert_eq!(payment_rows(&world, &user).await, before, "{kind} {fields}");
        }
    }
    world.events(&[event("evt_1", COMPLETED, 10, own)]).await;
    assert_eq!(world.status(&user).await["credit_balance"], 50_000);
}

/// As begun by the service itself, and told back by the provider.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_service_begins_is_known_again() {
    let world = World::with(&[("CHATKEEP_BILLING_CURRENCY", "EUR")]).await;
    let user = world.user().await;
    let answer = world.top_up(&user, json!({"amount_cents": 700})).await;
    let id = answer.json()["session_id"].as_str().unwrap().to_owned();
    let form = world.stripe.state().sessions[&id]["form"].clone();
    let session = json!({
        "id": id, "mode": form["mode"], "payment_status": "paid", "customer": form["customer"],
        "amount_total": 700, "currency": form["line_items[0][price_data][currency]"],
        "client_reference_id": form["client_reference_id"],
        "metadata": {"user_id": form["metadata[user_id]"]},
    });
    world
        .events(&[event("evt_1", COMPLETED, 10, session)])
        .await;
    assert_eq!(world.status(&user).await["credit_balance"], 700);
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_to_other_products_give_nothing() {
    for mode in ["", "500-final"] {
        let world = World::start().await;
        let user = world.customer("cus_1").await;
        let before = payment_rows(&world, &user).await;
        let month = json!({"interval": "month"});
        let price = json!({"id": "price_of_another_product", "recurring": month});
        let items = json!({"data": [{"current_period_end": 1_800_000_000, "price": price}]});
        let marked = json!({"items": items, "metadata": {"user_id": user}});
        let of = with(subscription("sub_1", "cus_1", "active", ""), marked.clone());
        world.stripe.subscribe("sub_1", "cus_1", marked);
        world.stripe.mode(mode);
        let line = json!({"pricing": {"price_details": {"price": "price_of_another_product"}}});
        let priced = with(
            invoice("sub_1", "cus_1"),
            json!({"lines": {"data": [line]}}),
        );
        let session = json!({"id": "cs_1", "mode": "subscription", "payment_status": "paid",
            "customer": "cus_1", "subscription": "sub_1", "client_reference_id": user,
            "metadata": {"user_id": user}});
        let mut events = vec![
            (CREATED, of.clone()),
            (UPDATED, of.clone()),
            ("invoice.paid", priced.clone()),
            ("invoice.payment_failed", priced),
            ("invoice.paid", invoice("sub_1", "cus_1")),
            (COMPLETED, session),
            ("customer.subscription.deleted", of),
        ];
        if mode.is_empty() {
            // An invoice that names no price: the provider says that of its subscription.
            events.push(("invoice.payment_failed", invoice("sub_1", "cus_1")));
        }
        for (n, (kind, object)) in events.into_iter().enumerate() {
            let about = event(&format!("evt_{n}"), kind, 10 + n as i64, object);
            world.events(&[about]).await;
            assert_eq!(
                payment_rows(&world, &user).await,
                before,
                "{mode} {n} {kind}"
            );
        }
        world.stripe.mode("");
        let page = reconcile(&world).await;
        assert_eq!((&page["checked"], &page["drift"]), (&json!(1), &json!([])));
        assert_eq!(payment_rows(&world, &user).await, before);
    }
}

/// Operators raise prices: what was sold under an older one goes on, and ends.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_sold_under_an_older_price_stays() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let of = |status: &str, price: &str| subscription("sub_1", "cus_1", status, price);
    world
        .events(&[event("evt_1", CREATED, 10, of("active", ANNUAL))])
        .await;
    let World {
        service,
        stripe,
        clock,
    } = world;
    let (_, folder) = service.stop().await;
    let raised = [("CHATKEEP_BILLING_PRICE_ANNUAL", "price_raised")];
    let world = World::again(stripe, folder, clock, &raised).await;
    for (n, (kind, word, standing)) in [
        (UPDATED, "past_due", "past_due"),
        (UPDATED, "active", "active"),
        ("customer.subscription.deleted", "canceled", "canceled"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("evt_more_{n}");
        let sent_event = of(word, ANNUAL);
        world
            .events(&[event(&id, kind, 20 + n as i64, sent_event)])
            .await;
        let expected = (standing.to_owned(), json!("annual"));
        assert_eq!(world.standing(&user).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_mode_changes_nothing() {
    // the key in use, test mode, what the event says, whether it counts
    let cases = [
        ("sk_live_1", false, json!(true), true),
        ("sk_live_1", false, json!(false), false),
        ("rk_live_1", false, json!(false), false),
        ("sk_live_1", false, json!(null), false),
        ("sk_test_1", false, json!(null), false),
        ("counterpart", false, json!(null), true),
        ("sk_test_1", false, json!(true), false),
        ("sk_test_1", false, json!(false), true),
        ("counterpart", false, json!(true), true),
        ("counterpart", false, json!(false), true),
        ("sk_live_1", true, json!(true), false),
        ("sk_live_1", true, json!(false), true),
    ];
    for (key, test_mode, livemode, counts) in cases {
        let world = World::with(&[("CHATKEEP_BILLING_SECRET_KEY", key)]).await;
        let user = world.customer("cus_1").await;
        if test_mode {
            let flag = "payment.processor_test_mode";
            world.service.set_flag(flag, true).await;
        }
        let secret = match test_mode {
            true => stripe::TEST_WEBHOOK_SECRET,
            false => WEBHOOK_SECRET,
        };
        let before = payment_rows(&world, &user).await;
        let of = subscription("sub_1", "cus_1", "active", MONTHLY);
        for (id, kind, object) in [
            ("evt_1", COMPLETED, bought("cs_1", &user, 900)),
            ("evt_2", CREATED, of),
        ] {
            let sent_event = with(event(id, kind, 10, object), json!({"livemode": livemode}));
            let answer = world.signed(sent_event.to_string(), secret).await;
            assert_eq!(
                (answer.status, answer.json()),
                (200, json!({"received": true}))
            );
        }
        let changed = payment_rows(&world, &user).await != before;
        assert_eq!(changed, counts, "{key} {test_mode} {livemode}");
        if counts {
            let standing = world.standing(&user).await;
            assert_eq!(standing, ("active".into(), json!("monthly")));
            assert_eq!(world.status(&user).await["credit_balance"], 900);
        }
    }
}

/// Also where events are fetched rather than delivered.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_is_looked_at_in_the_same_way() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let foreign = with(bought("cs_1", &user, 100), json!({"currency": "jpy"}));
    let other_mode = event("evt_2", COMPLETED, 10, bought("cs_2", &user, 200));
    world.stripe.state().undelivered = vec![
        event("evt_1", COMPLETED, 10, foreign),
        with(other_mode, json!({"livemode": false})),
        event("evt_3", COMPLETED, 10, bought("cs_3", &user, 400)),
    ];
    let page = reconcile(&world).await;
    assert_eq!(page["missed_events"], 3, "{page}");
    assert_eq!(world.status(&user).await["credit_balance"], 400);
}
