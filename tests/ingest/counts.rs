//! Free users' messages are counted by user and UTC day, with the message and not without.

use serde_json::json;

use super::support::{direct, group, post, token};
use super::{DAY_MS, EDGE, count, legacy_message, say, service_at, standing_clock};

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_counted_by_user_and_utc_day() {
    let clock = standing_clock();
    // One millisecond before midnight.
    clock.advance(DAY_MS - 1 - clock.now().0.rem_euclid(DAY_MS));
    let service = service_at(&clock, &[]).await;
    let today = clock.now().utc_day();
    say(&service, "ana", "hello").await;
    say(&service, "ana", "").await;
    assert_eq!(
        legacy_message(&service, &direct("ana", "hi")).await.status,
        200
    );
    let unaddressed = group("room", "ana", "did anyone feed the cat");
    assert_eq!(service.edge_message("a", &unaddressed).await.status, 200);
    say(&service, "ben", "hello").await;
    clock.advance(1);
    say(&service, "ana", "hello").await;
    let rows = service.rows(
        "SELECT phone, day, count FROM usage_days JOIN users ON users.id = usage_days.user_id
         ORDER BY phone, day",
    );
    let expected = [
        [json!("ana"), today.into(), 4.into()],
        [json!("ana"), (today + 1).into(), 1.into()],
        [json!("ben"), today.into(), 1.into()],
    ];
    assert_eq!(rows, expected);
    let counted = service.rows("SELECT sum(counted), count(*) FROM messages");
    assert_eq!(counted, [[6, 6]]);
}

/// Without a key identical messages are separate messages.
#[tokio::test(flavor = "multi_thread")]
async fn identical_messages_are_counted_separately() {
    let service = service_at(&standing_clock(), &[]).await;
    service.set_flag("rate_limit.enabled", false).await;
    let request = post(EDGE, &direct("ana", "hello")).bearer(&token("a"));
    for _ in 0..50 {
        let answer = service.send(&request).await;
        assert_eq!(answer.status, 200);
        assert!(answer.header("idempotency-replayed").is_none());
    }
    assert_eq!(count(&service, "messages"), 50);
    assert_eq!(service.rows("SELECT count FROM usage_days"), [[50]]);
}
