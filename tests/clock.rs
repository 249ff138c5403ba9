//! The system's clock is set back or forward: nothing sticks, nothing is counted twice or
//! forgiven.

#![allow(clippy::unwrap_used)]

mod support;

use chatkeep::clock::{Clock, Timestamp};
use chatkeep::store::PendingDeletion;
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

const DAY_MS: i64 = 24 * HOUR_MS;
const PHONE: &str = "+15550101";

/// Somebody has written, and asked to be erased in 30 days.
async fn somebody_is_to_go(service: &Service, now: Timestamp) {
    assert_eq!(say(service, &direct(PHONE, "hello")).await, 200);
    let user = service.user_id(PHONE);
    let request = service.app.store.write(move |tx| {
        let id = tx.user_id(&user)?.unwrap();
        tx.set_pending_deletion(
            id,
            Some(PendingDeletion {
                requested_at: now,
                scheduled_for: now.plus_ms(30 * DAY_MS),
            }),
        )
    });
    request.await.unwrap();
}

async fn is_there(service: &Service) -> bool {
    let run = chatkeep::account::erasure::PurgeRun::default();
    service.app.eraser.run(run).await.unwrap();
    service.rows("SELECT phone FROM users WHERE phone IS NOT NULL") == [[PHONE]]
}

/// The clock's state in `/health`, and the metric.
async fn clock_reports(service: &Service) -> (Value, String) {
    let health = service.send(&support::get("/health")).await;
    assert_eq!(health.status, 200, "{}", health.text);
    let metrics = service.admin("GET", "/metrics", &json!(null)).await.text;
    let value = metrics
        .lines()
        .find_map(|line| line.strip_prefix("chatkeep_clock_jumped "));
    (
        health.json()["checks"]["clock"].clone(),
        value.unwrap().to_owned(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn three_seconds_in_another_month_erase_nobody() {
    let (service, clock) = started(&[]).await;
    somebody_is_to_go(&service, clock.now()).await;
    assert_eq!(clock_reports(&service).await, (json!(null), "0".to_owned()));
    clock.jump(31 * DAY_MS);
    assert!(is_there(&service).await);
    assert_eq!(
        clock_reports(&service).await,
        (json!("jumped"), "1".to_owned())
    );
    clock.advance(3_000);
    assert!(is_there(&service).await);
    clock.jump(-31 * DAY_MS);
    assert!(is_there(&service).await);
    clock.advance(6 * HOUR_MS - 1);
    assert_eq!(
        clock_reports(&service).await,
        (json!("jumped"), "1".to_owned())
    );
    clock.advance(1);
    assert_eq!(clock_reports(&service).await, (json!(null), "0".to_owned()));
    assert!(is_there(&service).await, "it is not time yet");
    clock.advance(30 * DAY_MS);
    assert!(!is_there(&service).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_right_after_a_jump_is_believed_when_it_has_stood() {
    let (service, clock) = started(&[]).await;
    somebody_is_to_go(&service, clock.now()).await;
    clock.jump(31 * DAY_MS);
    assert!(is_there(&service).await);
    clock.advance(6 * HOUR_MS);
    assert!(!is_there(&service).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_vouches_for_the_clock() {
    let (service, clock) = started(&[]).await;
    somebody_is_to_go(&service, clock.now()).await;
    clock.jump(31 * DAY_MS);
    assert!(is_there(&service).await);
    let answer = service.admin("POST", "/admin/purge", &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    eventually("the account is gone", async || {
        service
            .rows("SELECT phone FROM users WHERE phone IS NOT NULL")
            .is_empty()
    })
    .await;
    assert_eq!(clock_reports(&service).await, (json!(null), "0".to_owned()));
}

/// Whoever restarts the service after a jump has not made the clock right.
#[tokio::test(flavor = "multi_thread")]
async fn a_jump_outlives_a_restart() {
    let (service, clock) = started(&[]).await;
    somebody_is_to_go(&service, clock.now()).await;
    clock.jump(31 * DAY_MS);
    eventually("it is noted", async || {
        service.rows("SELECT 1 FROM meta WHERE key = 'clock_has_jumped'") == [[1]]
    })
    .await;
    let (_, folder) = service.stop().await;
    let clock = Clock::fixed(clock.now());
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert!(is_there(&service).await);
    clock.advance(6 * HOUR_MS);
    assert!(!is_there(&service).await);
    eventually("it is over", async || {
        service
            .rows("SELECT 1 FROM meta WHERE key = 'clock_has_jumped'")
            .is_empty()
    })
    .await;
}

/// A machine that was off for weeks has a clock that is right.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_downtime_is_no_jump() {
    let (service, clock) = started(&[]).await;
    somebody_is_to_go(&service, clock.now()).await;
    let (_, folder) = service.stop().await;
    let later = Clock::fixed(clock.now().plus_ms(31 * DAY_MS));
    let service = Service::in_folder(folder, &[], later).await;
    assert!(!is_there(&service).await);
}

/// The file of an export stays, too, until the clock is believed.
#[tokio::test(flavor = "multi_thread")]
async fn exports_outlive_a_jump() {
    let (service, clock) = started(&[]).await;
    assert_eq!(say(&service, &direct(PHONE, "hello")).await, 200);
    let user = service.user_id(PHONE);
    let files = || {
        let entries = std::fs::read_dir(service.folder.path().join("exports"));
        entries.map_or(0, |entries| entries.flatten().count())
    };
    // Each request wakes the job, which looks for what has expired before and after.
    let export = async || {
        let token = service.user_token(&user);
        let answer = support::request("POST", "/account/export").bearer(&token);
        let answer = service.send(&answer).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let path = format!(
            "/account/export/{}",
            answer.json()["job_id"].as_str().unwrap()
        );
        eventually("the export", async || {
            let status = service.send(&support::get(&path).bearer(&token)).await;
            status.json()["status"] == "ready"
        })
        .await;
    };
    export().await;
    assert_eq!(files(), 1);
    clock.jump(8 * DAY_MS);
    export().await;
    assert_eq!(files(), 2);
    clock.advance(6 * HOUR_MS);
    export().await;
    eventually("the first is removed", async || files() == 2).await;
}
