//! Against a real program that speaks chat completions and can be told to fail, aimock (npm
//! `@copilotkit/aimock`); the guide (testing) says how to start it.

use chatkeep::outbound::{self, Method, Request};
use serde_json::{Value, json};

use super::support::{self, Service, direct, group};
use super::{APOLOGY, count, reply, say};

const VARIABLE: &str = "CHATKEEP_TEST_MODEL";

async fn tell(base: &str, method: Method, path: &str, body: Value) -> Value {
    let url = format!("{base}{path}");
    let told = tokio::task::spawn_blocking(move || {
        let request = Request {
            body: (method != Method::Delete && method != Method::Get).then_some(&body),
            ..Request::new(method, &url)
        };
        let answer = outbound::send(&request).unwrap();
        assert!(answer.status < 300, "{url}: {}", answer.status);
        serde_json::from_slice(&answer.body).unwrap_or_default()
    });
    told.await.unwrap()
}

async fn chaos(base: &str, rates: Value) {
    tell(base, Method::Delete, "/__aimock/chaos", Value::Null).await;
    if rates != json!({}) {
        tell(base, Method::Post, "/__aimock/chaos", rates).await;
    }
}

async fn start(base: &str, stream: &str) -> Service {
    let fixture =
        |said: &str, response: Value| json!({"match": {"userMessage": said}, "response": response});
    let fixtures = json!({"fixtures": [
        fixture("hello", json!({"content": "Hi from afar!"})),
        fixture("what is in the photo", json!({"content": "A cat."})),
        // The results of its calls come back with the same last message of the person.
        json!({"match": {"userMessage": "we ran out of milk", "sequenceIndex": 0},
            "response": {"toolCalls": [
                {"name": "todo_list", "arguments": {"operation": "add", "items": ["milk"]}},
                {"name": "remember", "arguments": {"text": "They drink milk"}},
            ]}}),
        fixture("we ran out of milk", json!({"content": "Milch steht auf der Liste."})),
        json!({"match": {"userMessage": "my concert", "sequenceIndex": 0},
            "response": {"toolCalls": [
                {"name": "tickets_vault", "arguments": {"operation": "keep", "ticket": "Coldplay, row 5", "date": "2126-12-24"}},
                {"name": "own_messages", "arguments": {"operation": "stop", "superpower": "package_tracking"}},
            ]}}),
        fixture("my concert", json!({"content": "Das Ticket ist da.\n\nViel Freude!"})),
        // In a group: the call, the answer apart, and the group's.
        json!({"match": {"userMessage": "my seat number", "sequenceIndex": 0},
            "response": {"toolCalls": [{"name": "answer_privately", "arguments": {}}]}}),
        json!({"match": {"userMessage": "my seat number", "sequenceIndex": 1},
            "response": {"content": "Platz 7."}}),
        fixture("my seat number", json!({"content": "Das steht in unserem Chat."})),
        // One that claims, and acts when it is asked once more.
        fixture("remind me in 2 hours to rest", json!({"content": "Erledigt!"})),
        json!({"match": {"userMessage": "You called no tool", "sequenceIndex": 0},
            "response": {"toolCalls": [
                {"name": "set_reminder", "arguments": {"text": "rest", "in_minutes": 120}}]}}),
        fixture("You called no tool", json!({"content": "In zwei Stunden."})),
        fixture("make it blue", json!({"toolCalls": [{"name": "paint", "arguments": {"color": "blue"}}]})),
        fixture("fail for good", json!({"error": {"message": "the provider's secret", "type": "t"}, "status": 401})),
    ]});
    tell(base, Method::Post, "/__aimock/reset", json!({})).await;
    tell(base, Method::Post, "/__aimock/fixtures", fixtures).await;
    let url = format!("{base}/v1");
    Service::with(&[
        ("CHATKEEP_REPLY_ENGINE", "openai"),
        ("CHATKEEP_REPLY_BASE_URL", &url),
        ("CHATKEEP_REPLY_MODEL", "gpt-4o-mini"),
        ("CHATKEEP_REPLY_VISION_MODEL", "gpt-4o"),
        ("CHATKEEP_REPLY_API_KEY", "sk-test"),
        ("CHATKEEP_REPLY_DEADLINE_S", "2"),
        ("CHATKEEP_REPLY_STREAM", stream),
    ])
    .await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aimock running; CHATKEEP_TEST_MODEL says where"]
async fn a_real_counterpart_in_every_mood() {
    let base = std::env::var(VARIABLE).expect(VARIABLE);
    let base = base.trim_end_matches('/');
    let service = start(base, "false").await;
    service.set_flag("cache.response.enabled", false).await;
    service.set_flag("rate_limit.enabled", false).await;
    assert_eq!(reply(&service, "ana", "hello").await, "Hi from afar!");
    let mut photo = direct("ben", "what is in the photo?");
    photo["context"] = json!({"photos": ["https://example.com/cat.jpg"]});
    let answer = service.edge_message("a", &photo).await.json();
    assert_eq!(answer["reply_text"], "A cat.");
    let journal = tell(base, Method::Get, "/__aimock/journal", Value::Null).await;
    let journal = journal.to_string();
    assert!(journal.contains("image_url") && journal.contains("https://example.com/cat.jpg"));
    assert!(journal.contains("max_completion_tokens"), "{journal}");
    let usage = service
        .admin("GET", "/admin/metrics/token-usage", &Value::Null)
        .await
        .json();
    assert_eq!(usage["totals"]["calls"], 2);
    assert_eq!(usage["totals"]["estimated_calls"], 0);
    assert!(
        usage["totals"]["prompt_tokens"].as_u64().unwrap() > 10,
        "{usage}"
    );
    // What the server calls is done; what nobody offered it is not.
    service
        .set_flag("free_tier.superpowers_disabled", false)
        .await;
    let done = reply(&service, "fay", "we ran out of milk").await;
    assert_eq!(done, "Milch steht auf der Liste.");
    assert_eq!(count(&service, "power_states"), 1);
    assert_eq!(count(&service, "memories"), 1);
    let journal = tell(base, Method::Get, "/__aimock/journal", Value::Null).await;
    assert!(journal.to_string().contains("FREQ=WEEKLY"));
    let message = group("g", "fay", "Juno, what is my seat number?");
    let answer = service.edge_message("a", &message).await.json();
    assert_eq!(answer["reply_text"], "Das steht in unserem Chat.");
    let private = service.rows("SELECT json_extract(payload, '$.text') FROM commands");
    assert_eq!(private, [["Platz 7."]]);
    let set = reply(&service, "fay", "remind me in 2 hours to rest").await;
    assert_eq!(set, "In zwei Stunden.");
    assert_eq!(count(&service, "reminders"), 1);
    for text in [
        "make it blue", "fail for good", "nothing fits this at all, zzz",
    ] {
        assert_eq!(reply(&service, "cat", text).await, APOLOGY, "{text}");
    }
    for rates in [
        json!({"dropRate": 1}),
        json!({"malformedRate": 1}),
        json!({"disconnectRate": 1}),
        json!({"rateLimitRate": 1}),
    ] {
        chaos(base, rates.clone()).await;
        let said = reply(&service, "dan", "hello").await;
        chaos(base, json!({})).await;
        assert_eq!(said, APOLOGY, "{rates}");
        assert_eq!(
            reply(&service, "dan", "hello").await,
            "Hi from afar!",
            "after {rates}"
        );
    }
    // Slower than the request waits.
    let mut relay = service.relay("a").await;
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], "Platz 7.");
    relay.ack(&command, "completed").await;
    chaos(base, json!({"latencyMs": 3000})).await;
    assert_eq!(say(&service, "eve", "hello").await["should_respond"], false);
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], "Hi from afar!");
    relay.ack(&command, "completed").await;
    chaos(base, json!({})).await;
    assert_eq!(count(&service, "pending_replies"), 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs aimock running; CHATKEEP_TEST_MODEL says where"]
async fn a_real_counterpart_that_streams() {
    let base = std::env::var(VARIABLE).expect(VARIABLE);
    let base = base.trim_end_matches('/');
    chaos(base, json!({})).await;
    let service = start(base, "true").await;
    service
        .set_flag("free_tier.superpowers_disabled", false)
        .await;
    assert_eq!(reply(&service, "ana", "hello").await, "Hi from afar!");
    let mut relay = service.relay("a").await;
    let answer = say(&service, "ana", "here is the ticket for my concert").await;
    assert_eq!(answer["should_respond"], false, "{answer}");
    for expected in ["Das Ticket ist da.", "Viel Freude!"] {
        let command = relay.command().await;
        assert_eq!(command["payload"]["text"], expected);
        relay.ack(&command, "completed").await;
    }
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    let kept = service.rows("SELECT state FROM power_states ORDER BY power");
    let kept = format!("{kept:?}");
    assert_eq!(kept.matches("Coldplay").count(), 1, "{kept}");
    assert!(kept.contains("package_tracking"), "{kept}");
    let usage = service.admin("GET", "/admin/metrics/token-usage", &Value::Null);
    let usage = usage.await.json();
    assert!(
        usage["totals"]["prompt_tokens"].as_u64().unwrap() > 10,
        "{usage}"
    );
}
