//! The log of a webhook's calls: how much of it is shown and how long it is kept.

use super::*;

const BODY: &str = r#"{"title":"x","n":1}"#;
const DAY_MS: i64 = 86_400_000;

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_come_first_as_many_as_are_asked_for() {
    let market = Market::open().await;
    assert_eq!(
        market
            .patch(&json!({"rate_limit_per_minute": 600}))
            .await
            .status,
        200
    );
    for _ in 0..60 {
        assert_eq!(market.call(BODY).await.status, 200);
    }
    refused(&market.call("[]").await, 500, "action_failed");
    for (query, expected) in [
        ("", 50),
        ("?limit=1", 1),
        ("?limit=200", 61),
        ("?limit=60", 60),
    ] {
        let answer = market
            .manage("GET", &format!("/events{query}"))
            .await
            .json();
        let events = answer["events"].as_array().unwrap();
        assert_eq!(events.len(), expected, "{query}");
        assert_eq!(events[0]["result_status"], "action_failed");
        assert_eq!(answer["total"], 61);
    }
    for query in [
        "?limit=0", "?limit=201", "?limit=x", "?limit=", "?limit=1.0",
    ] {
        let answer = market.manage("GET", &format!("/events{query}")).await;
        refused(&answer, 422, "validation_failed");
        assert_eq!(answer.json()["errors"][0]["field"], "/limit");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_thousand_are_kept() {
    let clock = standing_clock();
    let market = market_at(&clock, &[("CHATKEEP_EDGE_COMMANDS_PER_MINUTE", "100000")]).await;
    assert_eq!(
        market
            .patch(&json!({"rate_limit_per_minute": 600}))
            .await
            .status,
        200
    );
    let request = market.signed(BODY);
    let (mut first, mut last) = (Value::Null, Value::Null);
    for round in 0..2 {
        for _ in 0..11 {
            let calling = (0..50).map(|_| market.service.send(&request));
            for answer in futures_util::future::join_all(calling).await {
                assert_eq!(answer.status, 200, "{}", answer.text);
            }
            // The relay keeps up: apps have a share of what it has yet to do.
            let poll = json!({"limit": 100, "last_command_id": last});
            let poll = post("/edge/sync", &poll).bearer(&support::token("a"));
            let polled = market.service.send(&poll).await.json();
            let commands = polled["commands"].as_array().unwrap();
            last = commands.last().unwrap()["command_id"].clone();
        }
        if round == 0 {
            first = market
                .service
                .rows("SELECT event_id FROM webhook_events WHERE serial = 1")[0][0]
                .clone();
        }
        clock.advance(60_000);
    }
    let answer = market.manage("GET", "/events?limit=1").await.json();
    assert_eq!(answer["total"], 1_000);
    let stored = market
        .service
        .rows("SELECT count(*), min(serial), max(serial) FROM webhook_events");
    assert_eq!(stored, [[1_000, 101, 1_100]]);
    assert!(first.is_string());
    let repeated = market.service.rows(&format!(
        "SELECT count(*) FROM webhook_events WHERE event_id = '{}'",
        first.as_str().unwrap()
    ));
    assert_eq!(repeated, [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_go_after_thirty_days_and_names_after_one() {
    let clock = standing_clock();
    let market = market_at(&clock, &[]).await;
    let named = market.signed(BODY).header("X-Webhook-Id", "one");
    assert_eq!(market.service.send(&named).await.status, 200);
    clock.advance(30 * DAY_MS);
    let now = clock.now();
    let store = market.service.app.store.clone();
    while store
        .write(move |tx| tx.remove_old_rows(now))
        .await
        .unwrap()
    {}
    let count = |table: &str| {
        market
            .service
            .rows(&format!("SELECT count(*) FROM {table}"))
    };
    assert_eq!(count("webhook_events"), [[1]]);
    assert_eq!(count("webhook_deliveries"), [[0]]);
    clock.advance(1);
    // Tokens are of the clock's time.
    let token = market.service.user_token(&market.service.user_id(CREATOR));
    let path = format!("{}/events", market.path());
    let view = market.service.send(&get(&path).bearer(&token)).await.json();
    assert_eq!(view, json!({"events": [], "total": 0}));
    clock.advance(DAY_MS);
    let now = clock.now();
    while store
        .write(move |tx| tx.remove_old_rows(now))
        .await
        .unwrap()
    {}
    assert_eq!(count("webhook_events"), [[0]]);
    assert_eq!(market.call(BODY).await.status, 200);
}

/// Where the ring stands is in the database.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_changes_nothing() {
    let market = Market::open().await;
    let named = market.signed(BODY).header("X-Webhook-Id", "one");
    assert_eq!(market.service.send(&named).await.status, 200);
    let (_, folder) = market.service.stop().await;
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    let market = Market {
        service,
        token: market.token,
        app_id: market.app_id,
        webhook_id: market.webhook_id,
        secret: market.secret,
    };
    assert_eq!(market.service.send(&named).await.status, 200);
    assert_eq!(market.call(BODY).await.status, 200);
    assert_eq!(market.statuses().await, ["ok", "duplicate", "ok"]);
    assert_eq!(market.sent_texts(), ["x 1", "x 1"]);
}
