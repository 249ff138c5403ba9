//! Feature flags: what a real provider's process says reaches the service and leaves it again
//! when the provider fails, and what an operator sets beats it.

#![allow(clippy::unwrap_used)]

#[path = "support/flag_provider.rs"]
mod flag_provider;
mod support;

use std::time::{Duration, Instant};

use chatkeep::clock::Clock;
use chatkeep::config::{Config, Source};
use chatkeep::flags::provider::{Provider, ProviderAnswer};
use flag_provider::{KEY, ProviderProcess, flag, in_segment, segment};
use serde_json::{Value, json};
use support::{Service, direct, eventually, get, group};

#[test]
#[ignore = "is no test: other tests run it as the provider's process"]
fn provider_process() {
    flag_provider::run();
}

async fn service(provider: &ProviderProcess, kind: &str, poll_s: &str, clock: Clock) -> Service {
    let settings = [
        ("CHATKEEP_FLAGS_PROVIDER", kind),
        ("CHATKEEP_FLAGS_BASE_URL", &provider.url()),
        ("CHATKEEP_FLAGS_KILL_SWITCH_POLL_S", poll_s),
        ("FLAGS_SDK_KEY", KEY),
    ];
    Service::in_folder(tempfile::tempdir().unwrap(), &settings, clock).await
}

/// One flag as the admin API shows it.
async fn flag_view(service: &Service, key: &str) -> Value {
    let answer = service
        .admin("GET", "/admin/feature-flags", &json!({}))
        .await;
    let flags = answer.json()["flags"].clone();
    let mut flags = flags.as_array().unwrap().iter();
    flags.find(|flag| flag["key"] == key).unwrap().clone()
}

async fn has(service: &Service, key: &str, value: impl Into<Value>, source: &str) -> bool {
    let flag = flag_view(service, key).await;
    flag["value"] == value.into() && flag["source"] == source
}

/// initialized, is_connected, circuit_breaker_open; and the health check's word.
async fn status(service: &Service) -> (Value, Value) {
    let answer = service
        .admin("GET", "/admin/feature-flags/status", &json!({}))
        .await;
    let body = answer.json();
    let fields: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), 4, "{fields:?}");
    assert!(body["timestamp"].as_str().unwrap().ends_with('Z'));
    let health = service.send(&get("/health")).await.json();
    let words = ["initialized", "is_connected", "circuit_breaker_open"];
    let words = words.map(|word| body[word].clone());
    (json!(words), health["checks"]["flags"].clone())
}

/// A limit of one message a minute for the users in the segment "slow".
fn slow_segment() -> Value {
    let mut limit = flag("rate_limit.user_messages_per_minute", 20);
    limit["variations"] = json!([20, 1]);
    limit["rules"] = json!([
        { "id": "r", "variation": 1, "clauses": [in_segment("slow")], "trackEvents": false }
    ]);
    limit
}

const HISTORY: &str = "context.max_messages";

#[tokio::test(flavor = "multi_thread")]
async fn values_rules_updates_an_outage_and_the_way_back() {
    let provider = ProviderProcess::start();
    let first = json!({ "mode": "gzip", "flags": [flag(HISTORY, 7)] });
    provider.serve(&first);
    let clock = Clock::fixed(Clock::system().now());
    let service = service(&provider, "launchdarkly", "1", clock.clone()).await;
    eventually("the first values", async || {
        has(&service, HISTORY, 7, "provider").await
    })
    .await;
    assert_eq!(
        status(&service).await,
        (json!([true, true, false]), json!("ok"))
    );

    // A rule for one user, and with it a sign that it has arrived.
    let slow = direct("+15550101", "hello");
    assert_eq!(service.edge_message("a", &slow).await.status, 200);
    let user = service.rows("SELECT user_id FROM users")[0][0].clone();
    provider.serve(&json!({
        "mode": "gzip",
        "flags": [flag(HISTORY, 8), slow_segment(), flag("llm.max_tokens.vision", "many")],
        "segments": [segment("slow", &[user.as_str().unwrap()])],
    }));
    eventually("the update", async || {
        has(&service, HISTORY, 8, "provider").await
    })
    .await;
    assert_eq!(service.edge_message("a", &slow).await.status, 429);
    for text in ["hello", "hello again"] {
        let other = direct("+15550102", text);
        assert_eq!(service.edge_message("a", &other).await.status, 200);
    }
    assert!(has(&service, "llm.max_tokens.vision", 1500, "default").await);
    // Nothing changes: what it is asked is conditional, and hardly anything is sent.
    eventually("an unchanged answer", async || {
        let requests = provider.requests();
        requests.last() == Some(&json!({ "status": 304, "conditional": true }))
    })
    .await;

    // The first failures change nothing, the third one all.
    let address = provider.kill();
    eventually("a failure", async || status(&service).await.1 == "failing").await;
    assert!(has(&service, HISTORY, 8, "provider").await);
    eventually("defaults", async || {
        has(&service, HISTORY, 10, "default").await
    })
    .await;
    eventually("an open breaker", async || {
        status(&service).await == (json!([true, false, true]), json!("defaults"))
    })
    .await;
    clock.advance(30_000);
    let provider = ProviderProcess::at(address);
    provider.serve(&first);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(
        provider.requests(),
        Vec::<Value>::new(),
        "no call before the minute is over"
    );
    clock.advance(30_000);
    eventually("the values again", async || {
        has(&service, HISTORY, 7, "provider").await
    })
    .await;
    assert_eq!(
        status(&service).await,
        (json!([true, true, false]), json!("ok"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kill_switch_works_within_5_seconds() {
    const SWITCH: &str = "llm.force_basic_mode";
    let provider = ProviderProcess::start();
    provider.serve(&json!({ "flags": [flag(SWITCH, false), flag("superpower.enabled", true)] }));
    let service = service(&provider, "launchdarkly", "5", Clock::system()).await;
    eventually("the first values", async || {
        has(&service, SWITCH, false, "provider").await
    })
    .await;
    let mut request_count = 0;
    let mut answered = async || {
        request_count += 1;
        let sender = format!("+1555020{request_count:03}");
        let mut message = group(&format!("chat;{request_count}"), &sender, "hello everybody");
        message["context"] = json!({ "superpower": "todo_list" });
        let answer = service.edge_message("a", &message).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["should_respond"] == true
    };
    assert!(answered().await);
    let changed = Instant::now();
    provider.serve(&json!({ "flags": [flag(SWITCH, true), flag("superpower.enabled", true)] }));
    loop {
        let sent = changed.elapsed();
        if !answered().await {
            break;
        }
        assert!(sent < Duration::from_secs(5), "{sent:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!("the kill switch took {:?}", changed.elapsed());
    service.set_flag(SWITCH, false).await;
    assert!(answered().await, "an override is in effect at once");
    service.set_flag(SWITCH, true).await;
    service
        .set_flag("rate_limit.message_budget_threshold", 1)
        .await;
    assert!(!answered().await, "nor anything unprompted");
}

#[tokio::test(flavor = "multi_thread")]
async fn ofrep_is_spoken_too() {
    let provider = ProviderProcess::start();
    let values = |history: i64| {
        json!({ "values": [
            { "key": HISTORY, "value": history, "reason": "STATIC", "variant": "v" },
            { "key": "free_tier.enabled", "errorCode": "PARSE_ERROR" },
        ]})
    };
    provider.serve(&values(4));
    let service = service(&provider, "ofrep", "1", Clock::system()).await;
    eventually("the first values", async || {
        has(&service, HISTORY, 4, "provider").await
    })
    .await;
    assert!(has(&service, "free_tier.enabled", true, "default").await);
    eventually("an unchanged answer", async || {
        let requests = provider.requests();
        requests.last() == Some(&json!({ "status": 304, "conditional": true }))
    })
    .await;
    provider.serve(&values(99));
    eventually("the update, clamped", async || {
        has(&service, HISTORY, 20, "provider").await
    })
    .await;
}

/// What comes of asking a provider of that kind once.
fn asking(kind: &str, key: &str, url: &str) -> String {
    let env = [
        ("CHATKEEP_FLAGS_PROVIDER", kind),
        ("CHATKEEP_FLAGS_BASE_URL", url),
        ("FLAGS_SDK_KEY", key),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let source = Source {
        path: None,
        env: env.into(),
    };
    let config = Config::load(&source).unwrap().config;
    let polled = Provider::new(&config.flags).unwrap().poll(None);
    match polled {
        Ok(ProviderAnswer::Changed { .. }) => "changed".to_owned(),
        Ok(ProviderAnswer::Unchanged) => "unchanged".to_owned(),
        Ok(ProviderAnswer::Later { after_s }) => format!("later {after_s:?}"),
        Err(why) => why,
    }
}

#[test]
fn every_failure_is_told_from_an_answer() {
    let provider = ProviderProcess::start();
    let cases = [
        ("ok", "changed"),
        ("gzip", "changed"),
        ("later", "later Some(1)"),
        ("401", "it refuses the key (401)"),
        ("403", "it refuses the key (403)"),
        ("404", "it answered 404"),
        ("500", "it answered 500"),
        ("503", "it answered 503"),
        ("304", "it answered 304"),
        ("redirect", "it answered 302"),
        ("garbage", "its answer is not JSON"),
        ("shape", "its answer has no "),
        ("huge", ""),
        ("bomb", "the answer is longer than 1048576 bytes"),
    ];
    for kind in ["launchdarkly", "ofrep"] {
        for (mode, expected) in cases {
            provider.serve(&json!({ "mode": mode, "values": [] }));
            let result = asking(kind, KEY, &provider.url());
            assert!(result.starts_with(expected), "{kind} {mode}: {result}");
            assert_eq!(
                result == "changed",
                expected == "changed",
                "{kind} {mode}: {result}"
            );
        }
        let result = asking(kind, "another-key", &provider.url());
        assert_eq!(result, "it refuses the key (401)");
    }
    let url = provider.url();
    provider.kill();
    assert!(asking("launchdarkly", KEY, &url).contains("refused"));
}

#[test]
fn nobody_is_waited_for_longer_than_10_seconds() {
    std::thread::scope(|scope| {
        for mode in ["hang", "trickle"] {
            scope.spawn(move || {
                let provider = ProviderProcess::start();
                provider.serve(&json!({ "mode": mode, "flags": [flag(HISTORY, 7)] }));
                let started = Instant::now();
                let result = asking("launchdarkly", KEY, &provider.url());
                assert!(result.contains("timeout"), "{mode}: {result}");
                assert!((9..18).contains(&started.elapsed().as_secs()), "{mode}");
            });
        }
    });
}
