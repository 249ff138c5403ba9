//! Floods: a webhook's own limit, and strangers who can't use it up.

use super::*;

const BODY: &str = r#"{"title":"x","n":1}"#;
/// The test's own peer, as a proxy.
const PROXIED: &[(&str, &str)] = &[("CHATKEEP_SERVER_TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8")];

fn from(request: Request, address: &str) -> Request {
    request.header("X-Forwarded-For", address)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_has_its_calls_in_any_minute() {
    let clock = standing_clock();
    let market = market_at(&clock, &[]).await;
    assert_eq!(
        market
            .patch(&json!({"rate_limit_per_minute": 3}))
            .await
            .status,
        200
    );
    assert_eq!(market.call(BODY).await.status, 200);
    clock.advance(10_000);
    // A bad body and a failure use it as well.
    refused(&market.call("{").await, 400, "invalid_json");
    refused(&market.call("{}").await, 500, "action_failed");
    for _ in 0..2 {
        let answer = market.call(BODY).await;
        refused(&answer, 429, "rate_limited");
        assert_eq!(answer.header("retry-after"), Some("50"));
    }
    clock.advance(49_999);
    let answer = market.call(BODY).await;
    assert_eq!(answer.header("retry-after"), Some("1"));
    clock.advance(1);
    assert_eq!(market.call(BODY).await.status, 200);
    refused(&market.call(BODY).await, 429, "rate_limited");
    assert_eq!(market.statuses().await[0], "rate_limited");
    assert_eq!(market.events().await[0]["signature_valid"], true);
    // A new limit holds from the next call on.
    assert_eq!(
        market
            .patch(&json!({"rate_limit_per_minute": 4}))
            .await
            .status,
        200
    );
    assert_eq!(market.call(BODY).await.status, 200);
    assert_eq!(market.sent_texts().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_limited_and_use_up_nothing() {
    let clock = standing_clock();
    let market = market_at(&clock, PROXIED).await;
    let invalid = unsigned(&market.webhook_id, BODY);
    for _ in 0..60 {
        let answer = market
            .service
            .send(&from(invalid.clone(), "192.0.2.1"))
            .await;
        refused(&answer, 401, "invalid_signature");
    }
    clock.advance(1_000);
    let answer = market
        .service
        .send(&from(invalid.clone(), "192.0.2.1"))
        .await;
    refused(&answer, 429, "rate_limited");
    assert_eq!(answer.header("retry-after"), Some("59"));
    // What strangers say of themselves further left counts for nothing.
    let answer = market
        .service
        .send(&from(invalid.clone(), "198.51.100.1, 192.0.2.1, 10.1.1.1"))
        .await;
    refused(&answer, 429, "rate_limited");
    // Another address, and a good signature from the same one.
    let answer = market
        .service
        .send(&from(invalid.clone(), "192.0.2.2"))
        .await;
    refused(&answer, 401, "invalid_signature");
    for _ in 0..60 {
        let signed = from(market.signed(BODY), "192.0.2.1");
        assert_eq!(market.service.send(&signed).await.status, 200);
    }
    let answer = market
        .service
        .send(&from(market.signed(BODY), "192.0.2.1"))
        .await;
    refused(&answer, 429, "rate_limited");
    let events = market.events().await;
    let of = |status: &str, valid: bool| {
        let same = |e: &&Value| e["result_status"] == status && e["signature_valid"] == valid;
        events.iter().filter(same).count()
    };
    assert_eq!(of("invalid_signature", false), 61);
    assert_eq!(of("rate_limited", false), 2);
    assert_eq!(of("ok", true), 60);
    assert_eq!(of("rate_limited", true), 1);
    assert_eq!(events[0]["ip_address"], "192.0.2.1");
    clock.advance(59_000);
    let answer = market.service.send(&from(invalid, "192.0.2.1")).await;
    refused(&answer, 401, "invalid_signature");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ipv6_network_is_one_caller() {
    let market = market_at(&standing_clock(), PROXIED).await;
    let invalid = unsigned(&market.webhook_id, BODY);
    for host in 0..60 {
        let address = format!("2001:db8:0:1::{host:x}");
        let answer = market.service.send(&from(invalid.clone(), &address)).await;
        refused(&answer, 401, "invalid_signature");
    }
    let answer = market
        .service
        .send(&from(invalid.clone(), "2001:db8:0:1:ffff::1"))
        .await;
    refused(&answer, 429, "rate_limited");
    let answer = market.service.send(&from(invalid, "2001:db8:0:2::1")).await;
    refused(&answer, 401, "invalid_signature");
    assert_eq!(
        market.events().await[1]["ip_address"],
        "2001:db8:0:1:ffff::1"
    );
}

/// Headers of a peer that is no proxy change nothing.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_is_believed() {
    let market = market_at(&standing_clock(), &[]).await;
    let invalid = unsigned(&market.webhook_id, BODY);
    for n in 0..61 {
        let named = [
            "X-Forwarded-For", "x-forwarded-for", "X-Real-IP", "Forwarded",
        ][n % 4];
        let request = invalid.clone().header(named, &format!("192.0.2.{n}"));
        let answer = market.service.send(&request).await;
        assert_eq!(answer.status, if n < 60 { 401 } else { 429 }, "{n}");
    }
    assert_eq!(market.events().await[0]["ip_address"], "127.0.0.1");
}

/// A flood is answered, and leaves only so many rows.
#[tokio::test(flavor = "multi_thread")]
async fn refused_calls_become_only_so_many_rows() {
    let clock = standing_clock();
    let market = market_at(&clock, PROXIED).await;
    let invalid = unsigned(&market.webhook_id, BODY);
    let rows = || {
        market
            .service
            .rows("SELECT max(serial) FROM webhook_events")[0][0]
            .clone()
    };
    for _ in 0..700 {
        market
            .service
            .send(&from(invalid.clone(), "192.0.2.1"))
            .await;
    }
    market.events().await;
    assert_eq!(rows(), 700, "every call of a burst");
    for n in 0..400 {
        let address = format!("198.51.{}.{}", n / 250, n % 250);
        market.service.send(&from(invalid.clone(), &address)).await;
    }
    market.events().await;
    assert_eq!(rows(), 1_000);
    // What is carried out is recorded in any case.
    assert_eq!(market.call(BODY).await.status, 200);
    assert_eq!(market.statuses().await[0], "ok");
    assert_eq!(rows(), 1_001);
    assert_eq!(market.sent_texts().len(), 1);
}
