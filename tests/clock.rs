//! The system's clock is set back or forward: nothing sticks, nothing is counted twice or
//! forgiven.

#![allow(clippy::unwrap_used)]

mod support;

use chatkeep::clock::{Clock, Timestamp};
use serde_json::{Value, json};
use support::{Service, direct, eventually, post};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// 2027-01-15T00:30:00Z: half an hour after midnight.
const AFTER_MIDNIGHT: Timestamp = Timestamp(1_799_973_000_000);

async fn started(settings: &[(&str, &str)]) -> (Service, Clock) {
    let clock = Clock::fixed(AFTER_MIDNIGHT);
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, settings, clock.clone()).await;
    (service, clock)
}

/// By the legacy endpoint, whose credential does not age.
async fn say(service: &Service, body: &Value) -> u16 {
    service
        .send(&post("/orchestrator/message", body))
        .await
        .status
}

#[tokio::test(flavor = "multi_thread")]
async fn days_are_counted_by_their_date() {
    let (service, clock) = started(&[]).await;
    let today = AFTER_MIDNIGHT.utc_day();
    let hello = direct("+15550101", "hello");
    for advance_ms in [0, -HOUR_MS, HOUR_MS, 0, 24 * HOUR_MS, -25 * HOUR_MS] {
        clock.advance(advance_ms);
        assert_eq!(say(&service, &hello).await, 200);
    }
    let days = service.rows("SELECT day, count FROM usage_days ORDER BY day");
    assert_eq!(days, [[today - 1, 2], [today, 3], [today + 1, 1]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_minute_of_a_limit_neither_sticks_nor_is_forgiven() {
    let (service, clock) = started(&[]).await;
    let hello = direct("+15550101", "hello");
    clock.advance(2 * HOUR_MS);
    for _ in 0..20 {
        assert_eq!(say(&service, &hello).await, 200);
    }
    assert_eq!(say(&service, &hello).await, 429);
    clock.advance(-HOUR_MS);
    assert_eq!(say(&service, &hello).await, 429, "set back: not forgiven");
    clock.advance(HOUR_MS + MINUTE_MS);
    assert_eq!(say(&service, &hello).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_hour_of_photos_neither_sticks_nor_is_forgiven() {
    let (service, clock) = started(&[]).await;
    service.set_flag("rate_limit.photos_per_hour", 2).await;
    let mut photo = direct("+15550101", "look");
    photo["context"] = json!({"photos": ["https://example.com/1.jpg"]});
    let look = async || {
        let request = post("/edge/message", &photo).bearer(support::EDGE_SECRET);
        service.send(&request).await.status
    };
    assert_eq!((look().await, look().await, look().await), (200, 200, 429));
    clock.advance(-3 * HOUR_MS);
    assert_eq!(look().await, 429, "set back: not forgiven");
    let (store, now) = (&service.app.store, clock.now());
    store
        .write(move |tx| tx.remove_old_rows(now))
        .await
        .unwrap();
    assert_eq!(look().await, 429);
    clock.advance(HOUR_MS + 1);
    assert_eq!(look().await, 200, "an hour after the service noticed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_comes_once() {
    let (service, clock) = started(&[]).await;
    let remind = direct("+15550101", "remind me in 10 minutes to stretch");
    let request = post("/edge/message", &remind).bearer(support::EDGE_SECRET);
    assert_eq!(service.send(&request).await.status, 200);
    let commands = || service.rows("SELECT count(*) FROM commands")[0][0].as_i64();
    clock.advance(-HOUR_MS);
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(commands(), Some(0));
    clock.advance(HOUR_MS + 10 * MINUTE_MS);
    eventually("the reminder", async || commands() == Some(1)).await;
    clock.advance(-HOUR_MS);
    clock.advance(HOUR_MS);
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(commands(), Some(1));
}
