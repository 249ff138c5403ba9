//! The same question of the same person in the same context is asked once.

use serde_json::{Value, json};

use super::support::model_server::{Mode, ModelServer};
use super::support::{Service, direct, standing_clock};
use super::{acting, service_of, service_on, service_with};

/// A question in a room of its own, so that nothing was said before.
pub(super) async fn ask(service: &Service, sender: &str, room: &str, text: &str) -> Value {
    let mut message = direct(sender, text);
    message["chat_guid"] = room.into();
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["reply_text"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identical_question_is_answered_from_memory() {
    let (service, model) = service_on(&standing_clock()).await;
    let first = ask(&service, "ana", "r1", "tell me of Bath").await;
    assert_eq!(ask(&service, "ana", "r2", "tell me of Bath").await, first);
    assert_eq!(model.requests().len(), 1);
    // Another person, text or context is another question.
    ask(&service, "ben", "r3", "tell me of Bath").await;
    ask(&service, "ana", "r4", "tell me of York").await;
    ask(&service, "ana", "r1", "tell me of Bath").await;
    assert_eq!(model.requests().len(), 4);
    // What depends on the time is always asked.
    ask(&service, "ana", "r5", "what time is it").await;
    ask(&service, "ana", "r6", "what time is it").await;
    assert_eq!(model.requests().len(), 6);
    // A memory more is another context.
    let remember = [("remember", json!({"text": "I live in Bath"}))];
    acting(&service, &model, "ana", &remember).await;
    assert_eq!(model.requests().len(), 8);
    ask(&service, "ana", "r8", "tell me of Bath").await;
    assert_eq!(model.requests().len(), 9);
    service.set_flag("cache.response.enabled", false).await;
    ask(&service, "ana", "r9", "tell me of Bath").await;
    assert_eq!(model.requests().len(), 10);
    let usage = service
        .admin("GET", "/admin/metrics/token-usage", &Value::Null)
        .await;
    assert_eq!(usage.json()["totals"]["cache_hits"], 1);
    assert_eq!(usage.json()["totals"]["calls"], 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_fades_with_its_time_and_failures_are_not_kept() {
    let model = ModelServer::start().await;
    let clock = standing_clock();
    let own = model.settings();
    let settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    service
        .set_flag("cache.llm_response.ttl_seconds", 300)
        .await;
    model.next(Mode::Garbage);
    ask(&service, "ana", "r0", "tell me of Bath").await;
    let first = ask(&service, "ana", "r1", "tell me of Bath").await;
    assert_eq!(first, "reply 2: tell me of Bath");
    clock.advance(200_000);
    assert_eq!(ask(&service, "ana", "r2", "tell me of Bath").await, first);
    clock.advance(100_000);
    assert_ne!(ask(&service, "ana", "r3", "tell me of Bath").await, first);
    // Nor does it outlive the process.
    let (_, folder) = service.stop().await;
    let service = service_of(&model, folder, &[]).await;
    ask(&service, "ana", "r4", "tell me of Bath").await;
    assert_eq!(model.requests().len(), 4);
}

/// Every call is taken: what was answered before is answered all the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_waits_for_no_call() {
    let (service, model) = service_with(&[("CHATKEEP_REPLY_MAX_CONCURRENCY", "1")]).await;
    let first = ask(&service, "ana", "r1", "tell me of Bath").await;
    model.usually(Mode::Held);
    let (busy, ()) = tokio::join!(ask(&service, "ben", "r2", "tell me of York"), async {
        model.calls(2).await;
        let again = ask(&service, "ana", "r3", "tell me of Bath").await;
        assert_eq!(again, first);
        model.release();
    });
    assert_eq!(busy, "reply 2: tell me of York");
    assert_eq!(model.requests().len(), 2);
}
