//! One key, one effect: repetitions get the same bytes, use nothing, and outlive restarts.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::support::{Answer, Request, Service, direct, group, post, token};
use super::{
    DAY_MS, EDGE, LEGACY, assert_no_rows, count, legacy_message, service_at, standing_clock,
};

fn keyed(body: &Value, key: &str) -> Request {
    post(EDGE, body)
        .bearer(&token("a"))
        .header("Idempotency-Key", key)
}

fn assert_first(answer: &Answer) {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("idempotency-replayed"), None);
}

fn assert_replayed(answer: &Answer, first: &Answer) {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("idempotency-replayed"), Some("true"));
    assert_eq!(answer.header("content-type"), first.header("content-type"));
    assert_eq!(answer.text, first.text, "the same bytes");
}

fn assert_reused(answer: &Answer) {
    assert_eq!(answer.status, 422, "{}", answer.text);
    assert_eq!(answer.code(), "idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_is_answered_the_same_and_does_nothing_again() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let remind = direct("ana", "remind me in 20 minutes to stretch");
    let first = service.send(&keyed(&remind, "k1")).await;
    assert_first(&first);
    assert_ne!(first.json()["schedule_message"], Value::Null);
    clock.advance(5_000);
    for _ in 0..3 {
        assert_replayed(&service.send(&keyed(&remind, "k1")).await, &first);
    }
    for table in ["messages", "reminders", "idempotency_keys"] {
        assert_eq!(count(&service, table), 1, "{table}");
    }
    assert_eq!(service.rows("SELECT count FROM usage_days"), [[1]]);
    let other = service.send(&keyed(&remind, "k2")).await;
    assert_first(&other);
    assert_ne!(other.text, first.text, "another key is another message");
    // Silence is an answer too.
    let silent = group("room", "ana", "did anyone feed the cat");
    let first = service.send(&keyed(&silent, "k3")).await;
    assert_first(&first);
    assert_eq!(first.json()["should_respond"], false);
    assert_replayed(&service.send(&keyed(&silent, "k3")).await, &first);
    assert_eq!(count(&service, "messages"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_another_body_is_refused() {
    let service = Service::start().await;
    let body = direct("ana", "hello");
    let first = service.send(&keyed(&body, "k")).await;
    assert_first(&first);
    assert_reused(&service.send(&keyed(&direct("ana", "hello!"), "k")).await);
    // Another body in bytes, though it means the same.
    let spaced = keyed(&body, "k").raw(format!("{body} "));
    assert_reused(&service.send(&spaced).await);
    assert_replayed(&service.send(&keyed(&body, "k")).await, &first);
    // A body that is no message is told so first.
    let wrong = service.send(&keyed(&json!({}), "k")).await;
    assert_eq!(wrong.code(), "validation_failed");
    assert_eq!(count(&service, "messages"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_its_relays_own() {
    let service = Service::start().await;
    let body = direct("ana", "hello");
    let at = |path: &str, agent: &str| {
        post(path, &body)
            .bearer(&token(agent))
            .header("Idempotency-Key", "k")
    };
    for request in [at(EDGE, "a"), at(EDGE, "b"), at(LEGACY, "a")] {
        let first = service.send(&request).await;
        assert_first(&first);
        assert_replayed(&service.send(&request).await, &first);
    }
    assert_eq!(count(&service, "messages"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bodys_message_id_is_a_key_where_the_header_is_absent() {
    let service = Service::start().await;
    service.set_flag("rate_limit.enabled", false).await;
    let with_id = |text: &str, id: Value| {
        let mut body = direct("ana", text);
        body["context"] = json!({"message_id": id});
        post(EDGE, &body).bearer(&token("a"))
    };
    let first = service.send(&with_id("hello", json!("m-1"))).await;
    assert_first(&first);
    assert_replayed(&service.send(&with_id("hello", json!("m-1"))).await, &first);
    assert_reused(&service.send(&with_id("hello!", json!("m-1"))).await);
    assert_first(&service.send(&with_id("hello", json!("m-2"))).await);
    // The header goes first.
    let both = || with_id("hello", json!("m-1")).header("Idempotency-Key", "k");
    let first = service.send(&both()).await;
    assert_first(&first);
    assert_replayed(&service.send(&both()).await, &first);
    // One key is the same in both places.
    let equal = || with_id("hello", json!("m-3"));
    let first = service
        .send(&equal().header("Idempotency-Key", "m-3"))
        .await;
    assert_first(&first);
    assert_replayed(&service.send(&equal()).await, &first);
    assert_reused(&service.send(&keyed(&direct("ana", "hello"), "m-3")).await);
    assert_eq!(count(&service, "messages"), 4);
    // Only text is an id.
    for id in [json!(7), json!(null), json!(["m"]), json!("")] {
        assert_first(&service.send(&with_id("hello", id.clone())).await);
        assert_first(&service.send(&with_id("hello", id)).await);
    }
    assert_eq!(count(&service, "messages"), 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_key_is_refused() {
    let service = Service::start().await;
    let body = direct("ana", "hello");
    let long = "k".repeat(256);
    for key in ["", long.as_str(), "two words", "tab\there", "caf\u{e9}"] {
        let answer = service.send(&keyed(&body, key)).await;
        assert_eq!(answer.status, 422, "{key:?}: {}", answer.text);
        assert_eq!(answer.code(), "validation_failed", "{key:?}");
        let detail = answer.json()["detail"].clone();
        assert!(
            detail
                .as_str()
                .unwrap()
                .starts_with("The Idempotency-Key header must"),
            "{detail}"
        );
    }
    let twice = keyed(&body, "k").header("Idempotency-Key", "k");
    assert_eq!(service.send(&twice).await.status, 422);
    assert_no_rows(&service);
    for key in ["!", "~", &long[..255]] {
        assert_first(&service.send(&keyed(&body, key)).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_at_once_are_one_message() {
    let service = Service::start().await;
    let request = keyed(&direct("ana", "remind me in 20 minutes to stretch"), "k");
    let answers = futures_util::future::join_all((0..20).map(|_| service.send(&request))).await;
    let texts: HashSet<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    let first = |answer: &&Answer| answer.header("idempotency-replayed").is_none();
    assert_eq!(answers.iter().filter(first).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 200));
    for table in ["messages", "reminders", "users", "rooms"] {
        assert_eq!(count(&service, table), 1, "{table}");
    }
    assert_eq!(service.rows("SELECT count FROM usage_days"), [[1]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_kept_for_seven_days_and_over_restarts() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let body = direct("ana", "remind me in 20 days to stretch");
    let first = service.send(&keyed(&body, "k")).await;
    assert_first(&first);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert_replayed(&service.send(&keyed(&body, "k")).await, &first);
    clock.advance(7 * DAY_MS - 1);
    assert_replayed(&service.send(&keyed(&body, "k")).await, &first);
    assert_reused(&service.send(&keyed(&direct("ana", "hello"), "k")).await);
    clock.advance(1);
    let repeated = service.send(&keyed(&body, "k")).await;
    assert_first(&repeated);
    assert_replayed(&service.send(&keyed(&body, "k")).await, &repeated);
    assert_eq!(count(&service, "messages"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repetition_uses_no_limit() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 2)
        .await;
    let mut body = direct("ana", "");
    body["context"] = json!({"photos": vec!["https://example.org/p.jpg"; 50]});
    let first = service.send(&keyed(&body, "k")).await;
    assert_first(&first);
    for _ in 0..5 {
        assert_replayed(&service.send(&keyed(&body, "k")).await, &first);
    }
    let hello = direct("ana", "hello");
    assert_eq!(legacy_message(&service, &hello).await.status, 200);
    assert_eq!(legacy_message(&service, &hello).await.status, 429);
    // Also where the limit is used up: only 200s are kept, and they are.
    assert_replayed(&service.send(&keyed(&body, "k")).await, &first);
    let limited = keyed(&hello, "k2");
    assert_eq!(service.send(&limited).await.status, 429);
    assert_eq!(service.send(&limited).await.status, 429);
    clock.advance(60_000);
    assert_first(&service.send(&limited).await);
}
