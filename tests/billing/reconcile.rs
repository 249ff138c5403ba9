//! Reconciliation fixes missed events and differences: by itself, by the operator's command, with
//! and without a running service.

use super::*;
use support::process;

async fn page(world: &World, dry_run: bool) -> Value {
    let body = json!({ "dry_run": dry_run });
    let answer = world
        .service
        .admin("POST", "/admin/billing/reconcile", &body)
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_was_missed_is_found() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    world.stripe.subscribe("sub_1", "cus_1", json!({}));
    let dry = page(&world, true).await;
    assert_eq!(dry["checked"], 1);
    assert_eq!(dry["next"], json!(null));
    let drift = &dry["drift"][0];
    assert_eq!(
        (&drift["user_id"], &drift["held"]),
        (&json!(user), &json!(null))
    );
    assert_eq!(
        world.standing(&user).await.0,
        "free",
        "a look changes nothing"
    );
    assert_eq!(page(&world, false).await["drift"], dry["drift"]);
    assert_eq!(
        world.standing(&user).await,
        ("active".into(), json!("monthly"))
    );
    assert_eq!(page(&world, false).await["drift"], json!([]));
    // One that ended without our hearing of it; later events still count.
    let ended = json!({"status": "past_due", "cancel_at_period_end": true});
    world.stripe.subscribe("sub_1", "cus_1", ended);
    let found = page(&world, false).await;
    let stored = found["drift"][0]["held"].as_str().unwrap();
    assert!(
        stored.starts_with("active (monthly), until 2027-01-15"),
        "{stored}"
    );
    assert_eq!(world.standing(&user).await.0, "past_due");
    let of = subscription("sub_1", "cus_1", "active", ANNUAL);
    let later = event("evt_1", "customer.subscription.updated", 1_790_000_500, of);
    world.events(&[later]).await;
    assert_eq!(
        world.standing(&user).await,
        ("active".into(), json!("annual"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_could_not_be_delivered_take_effect_once() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let session = bought("cs_1", &user, 800);
    let bought = event("evt_1", "checkout.session.completed", 5, session);
    world.stripe.state().undelivered = vec![bought.clone()];
    assert_eq!(page(&world, true).await["missed_events"], 1);
    assert_eq!(world.status(&user).await["credit_balance"], 0);
    assert_eq!(page(&world, false).await["missed_events"], 1);
    assert_eq!(page(&world, false).await["missed_events"], 0);
    world.events(&[bought]).await;
    assert_eq!(world.status(&user).await["credit_balance"], 800);
    let requests = world.stripe.requests_for("GET", "/v1/events");
    assert_eq!(requests[0].one("delivery_success"), "false");
    assert!(requests[0].query["types[]"].len() > 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_customers_are_compared_page_by_page() {
    let world = World::start().await;
    for n in 0..45 {
        let customer = format!("cus_{n:03}");
        world.customer(&customer).await;
        world
            .stripe
            .subscribe(&format!("sub_{n}"), &customer, json!({}));
    }
    let (mut after, mut checked, mut drift) = (String::new(), 0, 0);
    loop {
        let body = json!({"after": after});
        let answer = world
            .service
            .admin("POST", "/admin/billing/reconcile", &body)
            .await;
        let page = answer.json();
        checked += page["checked"].as_u64().unwrap();
        drift += page["drift"].as_array().unwrap().len();
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!((checked, drift), (45, 45));
    let rows = world
        .service
        .rows("SELECT count(*) FROM users WHERE status = 'active'");
    assert_eq!(rows, [[45]]);
}

/// What can't be read of one customer keeps nobody else from being compared.
#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_makes_no_sense_is_passed_over() {
    let world = World::start().await;
    world.customer("cus_1").await;
    world.stripe.subscribe("sub_1", "cus_1", json!({"id": 7}));
    let user = world.customer("cus_2").await;
    world.stripe.subscribe("sub_2", "cus_2", json!({}));
    let found = page(&world, false).await;
    assert_eq!(
        (&found["checked"], &found["next"]),
        (&json!(2), &json!(null))
    );
    assert_eq!(found["drift"][0]["subscription_id"], "sub_2");
    assert_eq!(world.standing(&user).await.0, "active");
}

/// A page ends in time and says where the next one begins.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_provider_is_compared_in_more_pages() {
    let world = World::start().await;
    for n in 0..3 {
        let customer = format!("cus_{n}");
        world.customer(&customer).await;
        world
            .stripe
            .subscribe(&format!("sub_{n}"), &customer, json!({}));
    }
    world.stripe.mode("slow");
    let started = std::time::Instant::now();
    let first = page(&world, false).await;
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    let next = first["next"].as_str().unwrap();
    assert!(first["checked"].as_u64() < Some(3), "{first}");
    let (mut checked, mut after) = (first["checked"].as_u64().unwrap(), next.to_owned());
    loop {
        let body = json!({ "after": after });
        let more = world
            .service
            .admin("POST", "/admin/billing/reconcile", &body)
            .await;
        assert_eq!(more.status, 200, "{}", more.text);
        checked += more.json()["checked"].as_u64().unwrap();
        match more.json()["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(checked, 3);
}

/// At its start the service makes good what it missed while it was down.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_makes_good_what_happened_meanwhile() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let World {
        service,
        stripe,
        clock,
    } = world;
    let (_, folder) = service.stop().await;
    stripe.subscribe("sub_1", "cus_1", json!({}));
    let world = World::again(stripe, folder, clock, &[]).await;
    support::eventually("the subscription", async || {
        world.standing(&user).await.0 == "active"
    })
    .await;
}

/// Puts a copy of the database in its place, by the command or by hand.
fn restore(folder: &std::path::Path, copy: &std::path::Path, by_hand: bool) {
    let database = folder.join("chatkeep.db");
    if by_hand {
        std::fs::rename(copy, &database).unwrap();
        return;
    }
    let restored = std::process::Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .args(["restore", "--yes"])
        .arg(copy)
        .current_dir(folder)
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", &database)
        .output()
        .unwrap();
    assert!(restored.status.success(), "{restored:?}");
}

/// What was paid for after the backup was made is asked for, delivered as it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_restore_loses_no_payment() {
    for by_hand in [false, true] {
        let world = World::start().await;
        let user = world.customer("cus_1").await;
        let now_s = world.clock.now().seconds();
        let top_up = |n: i64, at_s: i64| {
            let session = bought(&format!("cs_{n}"), &user, 100);
            event(
                &format!("evt_{n}"),
                "checkout.session.completed",
                at_s,
                session,
            )
        };
        let before = top_up(0, now_s);
        world.events(std::slice::from_ref(&before)).await;
        let World {
            service,
            stripe,
            clock,
        } = world;
        let (_, folder) = service.stop().await;
        let copy = folder.path().join("copy.db");
        std::fs::copy(folder.path().join("chatkeep.db"), &copy).unwrap();
        // More than a page of them; one happened before the backup and came after it, one is
        // older than anything that is delivered late.
        clock.advance(3_600_000);
        let mut events: Vec<Value> = (1..=120).rev().map(|n| top_up(n, now_s + n)).collect();
        events.push(before);
        events.push(top_up(121, now_s - 2 * 86_400));
        events.push(top_up(122, now_s - 4 * 86_400));
        let world = World::again(stripe, folder, clock, &[]).await;
        world.events(&events[..events.len() - 1]).await;
        assert_eq!(world.status(&user).await["credit_balance"], 12_200);
        let World {
            service,
            stripe,
            clock,
        } = world;
        let (_, folder) = service.stop().await;
        restore(folder.path(), &copy, by_hand);
        stripe.state().events = events;
        stripe.requests();
        let world = World::again(stripe, folder, clock, &[]).await;
        support::eventually("the credit", async || {
            world.status(&user).await["credit_balance"] == 12_200
        })
        .await;
        // From then on only what could not be delivered.
        support::eventually("the end of it", async || {
            page(&world, false).await;
            let requests = world.stripe.requests_for("GET", "/v1/events");
            requests.last().unwrap().one("delivery_success") == "false"
        })
        .await;
        assert_eq!(world.status(&user).await["credit_balance"], 12_200);
    }
}

/// The provider forgets events after 30 days, and the log says what that means.
#[tokio::test(flavor = "multi_thread")]
async fn an_old_backup_is_named_in_the_log() {
    let world = World::start().await;
    let user = world.user().await;
    let session = bought("cs_1", &user, 100);
    world
        .events(&[event("evt_1", "checkout.session.completed", 5, session)])
        .await;
    let World {
        service, stripe, ..
    } = world;
    let (_, folder) = service.stop().await;
    let database = folder.path().join("chatkeep.db");
    let copy = folder.path().join("copy.db");
    std::fs::copy(&database, &copy).unwrap();
    let long_ago = chatkeep::clock::Timestamp::parse("2020-02-29T12:00:00Z").unwrap();
    let conn = rusqlite::Connection::open(&copy).unwrap();
    conn.execute("UPDATE payment_events SET received_at = ?1", [long_ago.0])
        .unwrap();
    drop(conn);
    restore(folder.path(), &copy, false);
    let settings = stripe.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let running = process::Process::start(&database, &settings).unwrap();
    support::eventually("the provider is asked", async || {
        let requests = stripe.requests_for("GET", "/v1/events");
        requests
            .iter()
            .any(|request| request.one("delivery_success").is_empty())
    })
    .await;
    let expected = "contains payment events until 2020-02-29T12:00:00.000Z";
    let log = running.log_with(expected).await;
    assert!(log.contains("dashboard"), "{log}");
}

fn command(
    world: &stripe::Stripe,
    folder: &std::path::Path,
    arguments: &[&str],
) -> (i32, String, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .args(["billing", "reconcile"])
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", "chatkeep.db")
        .env("EDGE_SECRET", support::EDGE_SECRET)
        .env("CHATKEEP_ADMIN_TOKEN", support::ADMIN_TOKEN)
        .envs(world.settings())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_works_with_and_without_a_running_service() {
    let world = World::start().await;
    world.customer("cus_1").await;
    world.stripe.subscribe("sub_1", "cus_1", json!({}));
    let World {
        service, stripe, ..
    } = world;
    let (_, folder) = service.stop().await;
    // Alone.
    let (code, out, err) = command(&stripe, folder.path(), &["--dry-run"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("sub_1  we hold: nothing; the provider: active (monthly)"),
        "{out}"
    );
    assert!(out.contains("1 differences: nothing was changed"), "{out}");
    let (code, out, err) = command(&stripe, folder.path(), &["--json"]);
    assert_eq!(code, 0, "{err}");
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&found["checked"], &found["dry_run"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(found["drift"][0]["subscription_id"], "sub_1");
    // Beside a service.
    let settings = stripe.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let database = folder.path().join("chatkeep.db");
    let running = process::Process::start(&database, &settings).unwrap();
    let ended = json!({"status": "past_due"});
    stripe.subscribe("sub_1", "cus_1", ended);
    let (code, out, err) = command(&stripe, folder.path(), &[]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("1 differences: fixed") || out.contains("nothing differs"),
        "{out}"
    );
    assert_eq!(
        support::rows(&database, "SELECT status FROM users"),
        [["past_due"]]
    );
    // The provider is away.
    stripe.mode("500-final");
    let (code, _, err) = command(&stripe, folder.path(), &[]);
    assert_eq!((code, err.lines().count()), (1, 1), "{err}");
    assert!(err.contains("Payments can't be taken"), "{err}");
    drop(running);
    // None is configured.
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .args(["billing", "reconcile"])
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        printed.contains("there is no payment provider"),
        "{printed}"
    );
}

/// Whoever runs the service sees why nobody can pay.
#[tokio::test(flavor = "multi_thread")]
async fn a_checkout_that_fails_is_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let stripe = stripe::Stripe::start();
    let mut settings = stripe.settings();
    let identity = "an-identity-secret-of-at-least-32-bytes";
    settings.push(("CHATKEEP_IDENTITY_HS256_SECRET", identity.to_owned()));
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let database = folder.path().join("chatkeep.db");
    let running = process::Process::start(&database, &settings).unwrap();
    stripe.mode("500-final");
    let user = chatkeep::random::uuid().to_string();
    let token = chatkeep::auth::jwt::issue(identity, &user, 600, Clock::system().now());
    let plan = json!({"plan": "monthly"});
    let checkout = post("/api/v1/payment/checkout/subscription", &plan).bearer(&token);
    assert_eq!(running.send(&checkout).await.status, 503);
    running
        .log_with("the payment provider failed with 500")
        .await;
}

/// Everything that payments have to log, in a process whose log is read to the end.
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let stripe = stripe::Stripe::start();
    let mut settings = stripe.settings();
    let identity = "an-identity-secret-of-at-least-32-bytes";
    settings.push(("CHATKEEP_IDENTITY_HS256_SECRET", identity.to_owned()));
    settings.push(("CHATKEEP_LOG", "debug".to_owned()));
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let database = folder.path().join("chatkeep.db");
    let running = process::Process::start(&database, &settings).unwrap();
    let now = Clock::system().now();
    for mode in ["500-final", "garbage", "refuse", "types", ""] {
        stripe.mode(mode);
        let user = chatkeep::random::uuid().to_string();
        let token = chatkeep::auth::jwt::issue(identity, &user, 600, now);
        let plan = json!({"plan": "monthly"});
        let checkout = post("/api/v1/payment/checkout/subscription", &plan).bearer(&token);
        let answer = running.send(&checkout).await;
        assert_eq!(
            answer.status,
            if mode.is_empty() { 200 } else { 503 },
            "{mode}"
        );
        for (secret, status) in [(WEBHOOK_SECRET, 200), ("whsec_wrong", 400)] {
            let of = with(
                subscription("sub_1", "cus_seen", "active", MONTHLY),
                json!({"metadata": {"user_id": user}}),
            );
            let id = format!("evt_{mode}");
            let body = event(&id, "customer.subscription.updated", 10, of).to_string();
            let signature = payment_signature::sign(body.as_bytes(), secret, now.seconds());
            let delivery = request("POST", "/payment/events")
                .header("Stripe-Signature", &signature)
                .raw(body);
            assert_eq!(running.send(&delivery).await.status, status);
        }
    }
    running.signal("TERM");
    let log = running.log_with("stopping").await;
    assert!(log.contains("the payment provider"), "{log}");
    for secret in ["canary", "whsec_wrong", "v1=", "eyJ", "Bearer"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}
