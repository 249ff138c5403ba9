//! The shape of every refusal: problem+json, a stable code, a request id that the header
//! repeats, and nothing of our insides.

use serde_json::json;

use super::support::{Request, Service, direct, get, post, request, token};
use super::{EDGE, LEGACY};

fn refused() -> Vec<(Request, u16, &'static str, &'static str)> {
    let message = direct("+15550101", "hello");
    let edge = |request: Request| request.bearer(&token("a"));
    vec![
        (post(EDGE, &message), 401, "unauthorized", "Unauthorized"),
        (get("/nowhere"), 404, "not_found", "Not Found"),
        (get("/edge/message/"), 404, "not_found", "Not Found"),
        (get("//edge/message"), 404, "not_found", "Not Found"),
        (
            post("/edge/%6dessage", &message),
            404,
            "not_found",
            "Not Found",
        ),
        (
            post("/Edge/message", &message),
            404,
            "not_found",
            "Not Found",
        ),
        (get(EDGE), 405, "method_not_allowed", "Method Not Allowed"),
        (
            edge(request("PUT", EDGE)),
            405,
            "method_not_allowed",
            "Method Not Allowed",
        ),
        (
            request("DELETE", LEGACY),
            405,
            "method_not_allowed",
            "Method Not Allowed",
        ),
        (
            request("OPTIONS", LEGACY),
            405,
            "method_not_allowed",
            "Method Not Allowed",
        ),
        (
            request("FROB", LEGACY),
            405,
            "method_not_allowed",
            "Method Not Allowed",
        ),
        (
            edge(request("POST", EDGE).raw(" ".repeat(300_000))),
            413,
            "payload_too_large",
            "Payload Too Large",
        ),
        (
            edge(request("POST", EDGE)).header("Content-Type", "text/html"),
            415,
            "unsupported_media_type",
            "Unsupported Media Type",
        ),
        (
            edge(post(EDGE, &json!({"mode": "x"}))),
            422,
            "validation_failed",
            "Unprocessable Entity",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_a_problem() {
    let service = Service::start().await;
    for (request, status, code, title) in refused() {
        let answer = service
            .send(&request.header("X-Request-Id", "ask.me_1-2"))
            .await;
        assert_eq!(answer.status, status, "{code}: {}", answer.text);
        assert_eq!(answer.code(), code);
        let problem = answer.json();
        assert_eq!(problem["type"], "about:blank");
        assert_eq!(problem["status"], status);
        let title_text = problem["title"].as_str().unwrap();
        assert!(title_text == title || status == 413, "{title_text}");
        assert!(problem["detail"].as_str().is_some_and(|d| d.ends_with('.')));
        assert_eq!(problem["request_id"], "ask.me_1-2");
        assert_eq!(answer.header("x-request-id"), Some("ask.me_1-2"));
        assert_eq!(problem.get("errors").is_some(), status == 422);
        match status {
            401 => assert_eq!(answer.header("www-authenticate"), Some("Bearer")),
            405 => assert_eq!(answer.header("allow"), Some("POST")),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_a_request_id() {
    let service = Service::start().await;
    let message = direct("+15550101", "hello");
    let long = "x".repeat(65);
    let longest = "x".repeat(64);
    for (sent, is_kept) in [
        ("a", true),
        (longest.as_str(), true),
        ("A.b_c-9", true),
        (long.as_str(), false),
        ("", false),
        ("with space", false),
        ("semi;colon", false),
        ("\u{e9}", false),
    ] {
        for token in [token("a"), "wrong".to_owned()] {
            let request = post(EDGE, &message).bearer(&token);
            let answer = service.send(&request.header("X-Request-Id", sent)).await;
            let id = answer.header("x-request-id").expect("an id").to_owned();
            assert_eq!(id == sent, is_kept, "{sent:?} {id:?}");
            let acceptable = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
            assert!(
                (1..=64).contains(&id.len()) && id.bytes().all(acceptable),
                "{id}"
            );
            if answer.status == 401 {
                assert_eq!(answer.json()["request_id"], id);
            }
        }
    }
    let ids: std::collections::HashSet<String> = {
        let mut ids = std::collections::HashSet::new();
        for _ in 0..5 {
            let answer = service.send(&get("/nowhere")).await;
            ids.insert(answer.header("x-request-id").unwrap().to_owned());
        }
        ids
    };
    assert_eq!(ids.len(), 5, "each is made anew");
}

/// Nothing that was sent, and nothing of how things are kept, is in a refusal.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_echoes_nothing() {
    let service = Service::start().await;
    let canary = "c4n4ry-value";
    let bearer = service
        .send(&post(EDGE, &direct(canary, canary)).bearer(canary))
        .await;
    let mut wrong = direct(canary, canary);
    wrong["mode"] = json!(canary);
    wrong["timestamp"] = json!(canary);
    let invalid = service.edge_message("a", &wrong).await;
    let path = service.send(&get(&format!("/{canary}"))).await;
    for (answer, status) in [(bearer, 401), (invalid, 422), (path, 404)] {
        assert_eq!(answer.status, status);
        for word in [canary, "SELECT", "sqlite", "src/", "/tmp", "panicked"] {
            assert!(!answer.text.contains(word), "{word}: {}", answer.text);
        }
    }
}
