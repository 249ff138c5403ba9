//! `GET /admin/metrics/token-usage`: what models were asked, by endpoint and class.

use serde_json::{Value, json};

use super::support::model_server::{Mode, completion};
use super::support::{Service, get, standing_clock};
use super::{legacy, reply, service, service_on};

async fn usage(service: &Service, query: &str) -> Value {
    let path = format!("/admin/metrics/token-usage{query}");
    let answer = service.admin("GET", &path, &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_counted_by_endpoint_and_class() {
    let (service, model) = service_on(&standing_clock()).await;
    let nothing = usage(&service, "").await;
    assert_eq!(nothing["by_endpoint"], json!([]));
    assert_eq!(nothing["totals"]["calls"], 0);
    let week_ago = service.app.clock.now().utc_day() - 6;
    let since = chatkeep::clock::Timestamp(week_ago * 86_400_000).to_string();
    assert_eq!(nothing["since"], since);
    reply(&service, "ana", "hello").await;
    reply(&service, "ana", "hello hello").await;
    model.next(Mode::Status(500, None));
    reply(&service, "ana", "explain how it works").await;
    let mut silent = completion("four words for you", "stop");
    silent.as_object_mut().unwrap().remove("usage");
    model.next(Mode::Json(silent));
    legacy(&service, "ben", "tell me of the town").await;
    let all = usage(&service, "?days=1").await;
    let row = |endpoint: &str, class: &str, calls: u64, prompt: &Value, completion: u64| {
        json!({"endpoint": endpoint, "class": class, "calls": calls, "prompt_tokens": prompt,
            "completion_tokens": completion, "cache_hits": 0})
    };
    let estimated = &all["by_endpoint"][2]["prompt_tokens"];
    assert!(estimated.as_u64().unwrap() > 50, "{estimated}");
    assert_eq!(
        all["by_endpoint"],
        json!([
            row("/edge/message", "deep_reasoning", 2, &100.into(), 20),
            row("/edge/message", "reflex", 2, &200.into(), 40),
            row("/orchestrator/message", "default", 1, estimated, 5),
        ])
    );
    let prompt = 300 + estimated.as_u64().unwrap();
    assert_eq!(
        all["totals"],
        json!({"calls": 5, "prompt_tokens": prompt, "completion_tokens": 65, "cache_hits": 0,
            "estimated_calls": 1})
    );
    // Without monitoring nothing is counted.
    service
        .set_flag("metrics.token_monitoring_enabled", false)
        .await;
    reply(&service, "ana", "hello there").await;
    assert_eq!(usage(&service, "?days=90").await["totals"], all["totals"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn days_are_from_1_to_90() {
    let (service, _) = service().await;
    for days in ["0", "91", "-1", "x", "1.5", ""] {
        let path = format!("/admin/metrics/token-usage?days={days}");
        let answer = service.admin("GET", &path, &Value::Null).await;
        assert_eq!(answer.status, 422, "{days}");
        assert_eq!(answer.code(), "validation_failed");
        assert_eq!(answer.json()["errors"][0]["field"], "/days");
    }
    let answer = service.send(&get("/admin/metrics/token-usage")).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (401, "unauthorized")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_to_nothing_was_paid_for_all_the_same() {
    let (service, model) = service().await;
    let mut wrong = completion(7, "stop");
    for answer in [
        completion("", "length"),
        completion("no", "content_filter"),
        wrong.clone(),
    ] {
        model.next(Mode::Json(answer));
        reply(&service, "ana", "hello").await;
    }
    // Where the server does not say, nothing is made up.
    wrong.as_object_mut().unwrap().remove("usage");
    model.next(Mode::Json(wrong));
    reply(&service, "ana", "hello").await;
    let totals = usage(&service, "").await["totals"].clone();
    assert_eq!(
        totals,
        json!({"calls": 4, "prompt_tokens": 300, "completion_tokens": 60, "cache_hits": 0,
            "estimated_calls": 0})
    );
}
