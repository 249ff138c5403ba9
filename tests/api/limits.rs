//! How limits are told: `RateLimit-Policy` and `RateLimit` wherever one counts, `Retry-After`
//! with every refusal, exact to the millisecond at the edges of a window.

use chatkeep::auth::webhook_signature::WebhookKey;
use chatkeep::clock::Clock;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::support::{Answer, Request, Service, direct, get, post, request, token};

const USER_ID: &str = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;

async fn started() -> (Service, Clock) {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    (service, clock)
}

/// What an answer says of the limit: uses in the window, its seconds, what is left, until more.
fn assert_told(answer: &Answer, name: &str, (limit, window_s): (u64, i64), left: u64, in_s: u64) {
    let policy = format!("\"{name}\";q={limit};w={window_s}");
    assert_eq!(
        answer.header("ratelimit-policy"),
        Some(policy.as_str()),
        "{}",
        answer.text
    );
    let standing = format!("\"{name}\";r={left};t={in_s}");
    assert_eq!(
        answer.header("ratelimit"),
        Some(standing.as_str()),
        "{}",
        answer.text
    );
}

fn assert_refused(answer: &Answer, name: &str, limit: (u64, i64), in_s: u64) {
    assert_eq!(answer.status, 429, "{}", answer.text);
    assert_eq!(answer.code(), "rate_limited");
    let seconds = in_s.to_string();
    assert_eq!(answer.header("retry-after"), Some(seconds.as_str()));
    assert_told(answer, name, limit, 0, in_s);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_one_address_are_limited_but_for_proxies_and_development() {
    let one = ("CHATKEEP_SERVER_MAX_CONNECTIONS_PER_ADDRESS", "1");
    let production = [
        one,
        ("ENVIRONMENT", "production"),
        (
            "CHATKEEP_IDENTITY_HS256_SECRET", "a-key-of-at-least-32-bytes-for-tests",
        ),
    ];
    let mut behind_proxy = production.to_vec();
    behind_proxy.push(("CHATKEEP_SERVER_TRUSTED_PROXIES", "127.0.0.0/8"));
    let cases: [(&[(&str, &str)], u16); 3] =
        [(&[one], 200), (&production, 503), (&behind_proxy, 200)];
    for (settings, expected) in cases {
        let service = Service::with(settings).await;
        let connection = TcpStream::connect(service.address).await.unwrap();
        let answer = service.send(&get("/health")).await;
        assert_eq!(answer.status, expected, "{settings:?}: {}", answer.text);
        drop(connection);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn routes_with_a_limit_tell_it_to_the_edge_of_the_window() {
    let usage = format!("/api/v1/usage/limits/{USER_ID}");
    // (request, name, uses, window in ms, status while let in)
    let cases = [
        (
            post("/account/deletion", &json!({"confirmation": "no"})),
            ("deletion_requests", 3, HOUR_MS, 400),
        ),
        (
            request("POST", "/account/export"),
            ("exports", 2, DAY_MS, 200),
        ),
        (
            post(
                "/api/v1/payment/checkout/subscription",
                &json!({"plan": "monthly"}),
            ),
            ("checkout", 3, MINUTE_MS, 503),
        ),
        (
            post(
                "/api/v1/payment/checkout/topup",
                &json!({"amount_cents": "x"}),
            ),
            ("checkout", 3, MINUTE_MS, 422),
        ),
        (get(&usage), ("usage", 100, MINUTE_MS, 200)),
        (
            get("/api/v1/payment/status"),
            ("payment_status", 100, MINUTE_MS, 200),
        ),
    ];
    for (request, (name, uses, window_ms, status)) in cases {
        let (service, clock) = started().await;
        // Outlives the window.
        let secret = service.app.config.identity.hs256_secret.as_ref().unwrap();
        let now = clock.now();
        let token = chatkeep::auth::jwt::issue(secret.expose(), USER_ID, 10 * DAY_MS / 1000, now);
        let request = request.bearer(&token);
        let limit = (uses, window_ms / 1000);
        let window_s = window_ms as u64 / 1000;
        for used in 1..=uses {
            let answer = service.send(&request).await;
            assert_eq!(answer.status, status, "{name}: {}", answer.text);
            assert_told(&answer, name, limit, uses - used, window_s);
        }
        assert_refused(&service.send(&request).await, name, limit, window_s);
        clock.advance(window_ms - 1);
        assert_refused(&service.send(&request).await, name, limit, 1);
        clock.advance(1);
        let answer = service.send(&request).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.text);
        assert_told(&answer, name, limit, uses - 1, window_s);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_photos_tell_both_limits() {
    let (service, clock) = started().await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 2)
        .await;
    let message = direct("+15550101", "hello");
    let answer = service.edge_message("a", &message).await;
    assert_told(&answer, "messages", (2, 60), 1, 60);
    clock.advance(20_500);
    let answer = service.edge_message("b", &message).await;
    assert_told(&answer, "messages", (2, 60), 0, 40);
    assert_refused(
        &service.edge_message("a", &message).await,
        "messages",
        (2, 60),
        40,
    );
    clock.advance(39_499);
    assert_refused(
        &service.edge_message("a", &message).await,
        "messages",
        (2, 60),
        1,
    );
    clock.advance(1);
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_told(&answer, "messages", (2, 60), 0, 21);

    let mut photo = direct("+15550102", "");
    photo["context"] = json!({"photos": vec!["https://example.com/a.jpg"; 3]});
    let answer = service.edge_message("a", &photo).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let limits: Vec<&str> = answer
        .headers
        .iter()
        .filter(|(name, _)| name == "ratelimit")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(limits.len(), 2, "{limits:?}");
    assert_eq!(limits[0], "\"messages\";r=1;t=60");
    assert!(limits[1].starts_with("\"photos\";r="), "{limits:?}");
    // A repetition uses nothing, and says nothing of limits.
    let keyed = post("/edge/message", &direct("+15550103", "x"))
        .bearer(&token("a"))
        .header("Idempotency-Key", "k");
    let (first, repeated) = (service.send(&keyed).await, service.send(&keyed).await);
    assert_told(&first, "messages", (2, 60), 1, 60);
    assert_eq!((repeated.status, repeated.header("ratelimit")), (200, None));
    service.set_flag("rate_limit.enabled", false).await;
    let answer = service.edge_message("a", &message).await;
    assert_eq!((answer.status, answer.header("ratelimit")), (200, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_tell_their_own_limit_and_strangers_theirs() {
    let (service, clock) = started().await;
    service
        .edge_message("a", &direct("+15550101", "hello"))
        .await;
    let user = service.user_token(&service.user_id("+15550101"));
    let action = json!({"action_id": "say", "kind": "send_message", "template": "x"});
    let app = json!({"name": "Bell", "actions": [action]});
    let app: Value = service
        .send(&post("/marketplace/apps", &app).bearer(&user))
        .await
        .json();
    let path = format!("/marketplace/webhooks/{}", app["app_id"].as_str().unwrap());
    let hook = json!({"action_id": "say", "rate_limit_per_minute": 2});
    let hook = service.send(&post(&path, &hook).bearer(&user)).await.json();
    let call = |secret: &str| -> Request {
        let id = hook["webhook_id"].as_str().unwrap();
        let call = request("POST", &format!("/webhooks/{id}")).raw("{}");
        call.header(
            "X-Webhook-Signature",
            &WebhookKey::new(secret).sign_plain(b"{}"),
        )
    };
    let valid = call(hook["secret"].as_str().unwrap());
    for remaining in [1, 0] {
        let answer = service.send(&valid).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_told(&answer, "webhook_calls", (2, 60), remaining, 60);
    }
    clock.advance(59_999);
    assert_refused(&service.send(&valid).await, "webhook_calls", (2, 60), 1);
    clock.advance(1);
    // What was let in and then failed has used the limit as well.
    let garbled = "{\"a\":";
    let id = hook["webhook_id"].as_str().unwrap();
    let key = WebhookKey::new(hook["secret"].as_str().unwrap());
    let garbled = request("POST", &format!("/webhooks/{id}"))
        .raw(garbled)
        .header("X-Webhook-Signature", &key.sign_plain(garbled.as_bytes()));
    let answer = service.send(&garbled).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_told(&answer, "webhook_calls", (2, 60), 1, 60);
    let app_path = format!("/marketplace/apps/{}", app["app_id"].as_str().unwrap());
    let action = json!({"action_id": "other", "kind": "start_session"});
    let other = json!({"name": "Bell", "actions": [action]});
    let change = request("PUT", &app_path).json(&other).bearer(&user);
    assert_eq!(service.send(&change).await.status, 200);
    let answer = service.send(&valid).await;
    assert_eq!(answer.status, 500, "{}", answer.text);
    assert_told(&answer, "webhook_calls", (2, 60), 0, 60);
    let invalid = call("not the secret");
    for _ in 0..60 {
        let answer = service.send(&invalid).await;
        // What is left to a guesser is nobody's business.
        assert_eq!((answer.status, answer.header("ratelimit")), (401, None));
    }
    let refused = service.send(&invalid).await;
    assert_refused(&refused, "webhook_bad_signatures", (60, 60), 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn relays_are_told_how_often_they_may_ask() {
    let (service, clock) = started().await;
    let poll = post("/edge/sync", &json!({})).bearer(&token("a"));
    for used in 1..=60 {
        let answer = service.send(&poll).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_told(&answer, "relay_polls", (60, 60), 60 - used, 60);
    }
    assert_refused(&service.send(&poll).await, "relay_polls", (60, 60), 60);
    clock.advance(MINUTE_MS);
    let wrong = post("/edge/sync", &json!({"limit": 0})).bearer(&token("a"));
    let answer = service.send(&wrong).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    assert_told(&answer, "relay_polls", (60, 60), 59, 60);
    let upgrade = get("/edge/ws?edge_agent_id=b")
        .bearer(&token("b"))
        .header("Upgrade", "websocket")
        .header("Connection", "Upgrade")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==");
    for _ in 0..10 {
        // Closed at once, so that none of them replaces one that works.
        let mut relay = service.relay("b").await;
        relay.ws.close(None).await.unwrap();
        let service = &service;
        crate::support::eventually("the socket is gone", async || {
            service.app.hub.connected() == 0
        })
        .await;
    }
    let refused = service.send(&upgrade).await;
    assert_refused(&refused, "relay_connections", (10, 60), 60);
}
