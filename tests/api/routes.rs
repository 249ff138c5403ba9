//! Every route of the table with no, bad and foreign credentials: who may call stands in
//! its row, and nobody else gets past it.

use std::collections::HashSet;

use crate::support::{ADMIN_TOKEN, EDGE_SECRET, Request, Service, request, token};
use chatkeep::auth::{edge_token, jwt};
use chatkeep::clock::Clock;
use chatkeep::routes::{self, Caller};
use serde_json::Value;

const IDENTITY_SECRET: &str = "an-identity-secret-of-at-least-32-bytes";
const USER_ID: &str = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
const LEGACY_SECRET: &str = "the-legacy-relay's-secret-of-at-least-32-bytes";

/// Every credential that the service knows, and some that it doesn't.
fn credentials() -> Vec<(&'static str, Option<String>)> {
    let user = |secret: &str, ttl_s| jwt::issue(secret, USER_ID, ttl_s, Clock::system().now());
    let expired = edge_token::issue(EDGE_SECRET, "a", "p", 1_000_000_000);
    let foreign = edge_token::issue("another-service's-edge-secret-32b", "a", "p", 1_700_000_000);
    vec![
        ("none", None),
        ("not bearer", Some(format!("Basic {ADMIN_TOKEN}"))),
        ("empty", Some("Bearer ".into())),
        ("garbage", Some("Bearer gArBaGe.0".into())),
        ("not ASCII", Some("Bearer \u{e9}".into())),
        ("expired edge token", Some(format!("Bearer {expired}"))),
        ("foreign edge token", Some(format!("Bearer {foreign}"))),
        ("edge token", Some(format!("Bearer {}", token("a")))),
        (
            "user token",
            Some(format!("Bearer {}", user(IDENTITY_SECRET, 60))),
        ),
        (
            "expired user token",
            Some(format!("Bearer {}", user(IDENTITY_SECRET, -600))),
        ),
        (
            "foreign user token",
            Some(format!("Bearer {}", user(EDGE_SECRET, 60))),
        ),
        ("legacy secret", Some(format!("Bearer {LEGACY_SECRET}"))),
        ("admin token", Some(format!("Bearer {ADMIN_TOKEN}"))),
        (
            "admin token, longer",
            Some(format!("Bearer {ADMIN_TOKEN}x")),
        ),
    ]
}

fn opens(caller: Caller, credential: &str) -> bool {
    match caller {
        Caller::Anyone => true,
        Caller::Edge | Caller::EdgeSocket => credential == "edge token",
        Caller::User => credential == "user token",
        Caller::Legacy => credential == "legacy secret",
        Caller::Admin => credential == "admin token",
    }
}

/// A request that reaches the row's check of credentials and, past it, changes nothing.
fn to(row: &routes::Route) -> Request {
    let path: Vec<&str> = row
        .path
        .split('/')
        .map(|part| {
            if part.starts_with('{') {
                "-nothing-"
            } else {
                part
            }
        })
        .collect();
    let path = path.join("/");
    match row.caller {
        Caller::EdgeSocket => request(row.method.as_str(), &format!("{path}?edge_agent_id=a"))
            .header("Upgrade", "websocket")
            .header("Connection", "Upgrade")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")
            // Refused after the credential, so that no socket opens.
            .header("Origin", "https://elsewhere.example"),
        _ => request(row.method.as_str(), &path).raw("[]"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_gets_past_a_route_that_is_not_theirs() {
    for production in [false, true] {
        let mut settings = vec![
            ("RELAY_WEBHOOK_SECRET", LEGACY_SECRET),
            ("CHATKEEP_IDENTITY_HS256_SECRET", IDENTITY_SECRET),
            // Without a provider a payment event is 503 to everybody.
            ("CHATKEEP_BILLING_PROVIDER", "stripe"),
            ("CHATKEEP_BILLING_API_BASE", "http://127.0.0.1:9"),
            ("CHATKEEP_BILLING_SECRET_KEY", "sk_1"),
            ("CHATKEEP_BILLING_PUBLISHABLE_KEY", "pk_1"),
            ("CHATKEEP_BILLING_WEBHOOK_SECRET", "whsec_1"),
            ("CHATKEEP_BILLING_PRICE_MONTHLY", "price_1"),
            ("CHATKEEP_BILLING_PRICE_ANNUAL", "price_2"),
        ];
        if production {
            settings.push(("ENVIRONMENT", "production"));
        }
        let service = Service::with(&settings).await;
        for row in routes::table() {
            for (credential, header) in credentials() {
                let what = format!("{} {} with {credential}", row.method, row.path);
                let mut request = to(&row);
                if let Some(header) = header {
                    request = request.header("Authorization", &header);
                }
                let answer = service.send(&request).await;
                assert!(answer.status < 500, "{what}: {}", answer.text);
                assert!(answer.header("x-request-id").is_some(), "{what}");
                if opens(row.caller, credential) {
                    assert_ne!(answer.status, 401, "{what}: {}", answer.text);
                    continue;
                }
                assert_eq!(answer.status, 401, "{what}: {}", answer.text);
                assert_eq!(answer.code(), "unauthorized", "{what}");
                assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{what}");
                let problem = answer.json();
                assert_eq!(problem.as_object().unwrap().len(), 6, "{what}: {problem}");
                assert_eq!(problem.get("errors"), None, "{what}");
            }
        }
    }
}

/// Two credentials are none: which one would count is anybody's guess.
#[tokio::test(flavor = "multi_thread")]
async fn two_authorization_headers_open_nothing() {
    let service = Service::with(&[("RELAY_WEBHOOK_SECRET", LEGACY_SECRET)]).await;
    for row in routes::table() {
        if row.caller == Caller::Anyone {
            continue;
        }
        for valid in [ADMIN_TOKEN, LEGACY_SECRET, &token("a")] {
            let answer = service.send(&to(&row).bearer("x").bearer(valid)).await;
            assert_eq!(answer.status, 401, "{} {}", row.method, row.path);
        }
    }
}

/// Whether a request for `path` can reach the row of `pattern`.
fn leads_to(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (pattern.split('/'), path.split('/'));
    pattern.clone().count() == path.clone().count()
        && pattern
            .zip(path)
            .all(|(expected, sent)| expected == sent || expected.starts_with('{'))
}

/// A method that no row of the address has: 405 and `Allow`, whoever asks.
#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_refused_with_those_there_are() {
    let service = Service::start().await;
    let table = routes::table();
    for row in &table {
        let path = row.path.replace(['{', '}'], "");
        let here: HashSet<String> = table
            .iter()
            .filter(|other| match row.path.contains('{') {
                true => leads_to(other.path, &path),
                false => other.path == row.path,
            })
            .flat_map(|other| {
                let head = (other.method.as_str() == "GET").then_some("HEAD");
                [Some(other.method.as_str()), head]
            })
            .flatten()
            .map(str::to_owned)
            .collect();
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FROB",
        ] {
            if here.contains(method) {
                continue;
            }
            let answer = service.send(&request(method, &path)).await;
            assert_eq!(answer.status, 405, "{method} {path}: {}", answer.text);
            assert_eq!(answer.code(), "method_not_allowed");
            let allow = answer.header("allow").unwrap();
            let allowed: HashSet<String> = allow.split(", ").map(str::to_owned).collect();
            assert_eq!(allowed, here, "{method} {path}");
        }
    }
}

/// A row's cap on bodies holds for those who may call.
#[tokio::test(flavor = "multi_thread")]
async fn bodies_beyond_a_rows_cap_are_refused() {
    let service = Service::start().await;
    for row in routes::table() {
        if row.body_bytes_max == 0 || row.path.contains('{') {
            continue;
        }
        // A larger one is refused by its declared length, before it could be sent: tests/photos.rs.
        if row.body_bytes_max > 1024 * 1024 {
            continue;
        }
        let credential = match row.caller {
            Caller::Admin => ADMIN_TOKEN.to_owned(),
            Caller::User => service.user_token(USER_ID),
            _ => token("a"),
        };
        let body = " ".repeat(row.body_bytes_max + 1);
        let answer = service.send(&to(&row).bearer(&credential).raw(body)).await;
        assert_eq!(answer.status, 413, "{} {}", row.method, row.path);
        assert_eq!(answer.code(), "payload_too_large");
    }
}

/// Paths are compared as they are sent.
#[tokio::test(flavor = "multi_thread")]
async fn there_is_one_spelling_of_a_path() {
    let service = Service::start().await;
    for row in routes::table() {
        let path = row.path.replace(['{', '}'], "");
        let encoded = format!("/%{:02x}{}", path.as_bytes()[1], &path[2..]);
        let dotted = format!("/.{path}");
        for other in [
            format!("{path}/"),
            format!("/{path}"),
            dotted,
            path.to_uppercase(),
            encoded,
            format!("/x/..{path}"),
        ] {
            let answer = service.send(&request(row.method.as_str(), &other)).await;
            assert_eq!(answer.status, 404, "{other}: {}", answer.text);
            assert_eq!(answer.json()["code"], Value::from("not_found"), "{other}");
        }
    }
}
