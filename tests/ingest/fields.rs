//! Every field of both bodies: required or not, null, its type and its bounds; 422 names
//! each wrong one by a JSON pointer and leaves no row.

use serde_json::{Value, json};

use super::support::{Service, direct, post, token};
use super::{EDGE, LEGACY, assert_no_rows, count, legacy_message};

/// A valid message with one value put at a JSON pointer.
fn with(pointer: &str, value: Value) -> Value {
    let mut body = direct("+15550101", "hello");
    body["metadata"] = json!({});
    body["context"] = json!({});
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap()[field] = value;
    body
}

fn without(field: &str) -> Value {
    let mut body = direct("+15550101", "hello");
    body.as_object_mut().unwrap().remove(field);
    body
}

/// Both endpoints refuse the body for these fields.
async fn assert_refused(service: &Service, path: &str, body: &Value, fields: &[&str]) {
    let answer = service.send(&post(path, body).bearer(&token("a"))).await;
    let what = format!("{path} {fields:?}: {}", answer.text);
    assert_eq!(answer.status, 422, "{what}");
    assert_eq!(answer.code(), "validation_failed", "{what}");
    let problem = answer.json();
    let errors = problem["errors"].as_array().unwrap();
    let named: Vec<&str> = errors
        .iter()
        .map(|error| error["field"].as_str().unwrap())
        .collect();
    assert_eq!(named, fields, "{what}");
    for error in errors {
        let message = error["message"].as_str().unwrap();
        assert!(message.ends_with('.'), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn required_fields_are_required_and_null_is_absent() {
    let service = Service::start().await;
    for path in [EDGE, LEGACY] {
        for field in ["chat_guid", "mode", "sender", "text", "timestamp"] {
            let pointer = format!("/{field}");
            assert_refused(&service, path, &without(field), &[&pointer]).await;
            assert_refused(&service, path, &with(&pointer, Value::Null), &[&pointer]).await;
        }
        let all = ["/chat_guid", "/mode", "/sender", "/text", "/timestamp"];
        assert_refused(&service, path, &json!({}), &all).await;
    }
    assert_no_rows(&service);
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_of_the_wrong_type_or_size_are_named() {
    let service = Service::start().await;
    let many: Vec<&str> = vec!["x"; 513];
    let cases = [
        ("/chat_guid", json!(1)),
        ("/chat_guid", json!("")),
        ("/chat_guid", json!("x".repeat(513))),
        ("/chat_guid", json!("é".repeat(257))),
        ("/mode", json!("dm")),
        ("/mode", json!("Direct")),
        ("/mode", json!("")),
        ("/mode", json!(1)),
        ("/sender", json!({})),
        ("/sender", json!("")),
        ("/sender", json!("x".repeat(513))),
        ("/text", json!(["hello"])),
        ("/text", json!(true)),
        ("/text", json!("x".repeat(32 * 1024 + 1))),
        ("/text", json!("é".repeat(16 * 1024 + 1))),
        ("/timestamp", json!("1700000000")),
        ("/timestamp", json!(true)),
        ("/timestamp", json!([1])),
        ("/timestamp", json!(-1)),
        ("/participants", json!("+15550101")),
        ("/participants", json!({})),
        ("/participants", json!(many)),
    ];
    for path in [EDGE, LEGACY] {
        for (pointer, value) in &cases {
            assert_refused(&service, path, &with(pointer, value.clone()), &[pointer]).await;
        }
        let items = json!(["ok", 1, "", null, "x".repeat(513)]);
        let wrong = [
            "/participants/1", "/participants/2", "/participants/3", "/participants/4",
        ];
        assert_refused(&service, path, &with("/participants", items), &wrong).await;
    }
    assert_no_rows(&service);
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_and_context_are_checked_where_they_exist() {
    let service = Service::start().await;
    let cases = [
        ("/metadata", json!("x"), "/metadata"),
        ("/metadata", json!([]), "/metadata"),
        (
            "/metadata/filter_reason",
            json!(1),
            "/metadata/filter_reason",
        ),
        (
            "/metadata/was_redacted",
            json!("true"),
            "/metadata/was_redacted",
        ),
        ("/metadata/was_redacted", json!(1), "/metadata/was_redacted"),
        (
            "/metadata/redacted_fields",
            json!("a"),
            "/metadata/redacted_fields",
        ),
        (
            "/metadata/redacted_fields",
            json!(["a", 1]),
            "/metadata/redacted_fields/1",
        ),
        ("/context", json!([]), "/context"),
        ("/context", json!("x"), "/context"),
        ("/context/owner", json!(1), "/context/owner"),
        ("/context/owner", json!(""), "/context/owner"),
        (
            "/context/photos",
            json!("https://example.org"),
            "/context/photos",
        ),
        (
            "/context/photos",
            json!(["http://example.org"]),
            "/context/photos/0",
        ),
        (
            "/context/photos",
            json!(["file:///etc/passwd"]),
            "/context/photos/0",
        ),
        ("/context/photos", json!([7]), "/context/photos/0"),
        ("/context/superpower", json!([]), "/context/superpower"),
        (
            "/context/reply_to_assistant",
            json!("yes"),
            "/context/reply_to_assistant",
        ),
    ];
    for (pointer, value, field) in &cases {
        assert_refused(&service, EDGE, &with(pointer, value.clone()), &[field]).await;
    }
    assert_no_rows(&service);
    // The legacy body has neither: they are unknown fields there.
    service.set_flag("rate_limit.enabled", false).await;
    for (pointer, value, _) in &cases {
        let answer = legacy_message(&service, &with(pointer, value.clone())).await;
        assert_eq!(answer.status, 200, "{pointer}: {}", answer.text);
    }
    let rows = service.rows("SELECT count(metadata), count(context) FROM messages");
    assert_eq!(rows, [[0, 0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_is_told_at_once() {
    let service = Service::start().await;
    let body = json!({
        "chat_guid": 1, "mode": "x", "text": "hello", "timestamp": "now",
        "participants": [1], "metadata": {"was_redacted": 0}, "context": {"owner": []},
    });
    let wrong = [
        "/chat_guid", "/mode", "/sender", "/timestamp", "/participants/0",
        "/metadata/was_redacted", "/context/owner",
    ];
    assert_refused(&service, EDGE, &body, &wrong).await;
    assert_refused(&service, LEGACY, &body, &wrong[..5]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_within_the_bounds_is_taken() {
    let service = Service::start().await;
    service.set_flag("rate_limit.enabled", false).await;
    let handles: Vec<String> = (0..512).map(|n| format!("handle {n}")).collect();
    let cases = [
        ("/chat_guid", json!("x".repeat(512))),
        ("/sender", json!("é".repeat(256))),
        ("/text", json!("x".repeat(32 * 1024))),
        ("/mode", json!("group")),
        ("/participants", json!(handles)),
        ("/participants", json!([])),
        ("/participants", Value::Null),
        ("/participants", json!(["+15550101", "+15550101"])),
        ("/unknown", json!({"deep": [1, 2, {"x": null}]})),
    ];
    for path in [EDGE, LEGACY] {
        for (pointer, value) in &cases {
            let body = with(pointer, value.clone());
            let answer = service.send(&post(path, &body).bearer(&token("a"))).await;
            assert_eq!(answer.status, 200, "{path} {pointer}: {}", answer.text);
        }
        let absent = post(path, &without("participants")).bearer(&token("a"));
        assert_eq!(service.send(&absent).await.status, 200);
    }
    assert_eq!(count(&service, "messages"), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_and_context_may_be_partial_and_are_kept_when_they_say_something() {
    let service = Service::start().await;
    let cases = [
        (
            json!({"metadata": null, "context": null}),
            Value::Null,
            Value::Null,
        ),
        (
            json!({"metadata": {}, "context": {}}),
            Value::Null,
            Value::Null,
        ),
        (
            json!({"metadata": {"was_redacted": true}, "context": {"x": [1.50, {"y": null}]}}),
            json!({"was_redacted":true}),
            json!({"x":[1.5,{"y":null}]}),
        ),
        (
            json!({"metadata": {"filter_reason": null, "redacted_fields": null, "was_redacted": null}}),
            Value::Null,
            Value::Null,
        ),
        (
            json!({"metadata": {"filter_reason": "", "redacted_fields": ["text", ""], "more": 1}}),
            json!({"filter_reason":"","redacted_fields":["text",""],"more":1}),
            Value::Null,
        ),
        (
            json!({"context": {"owner": null, "photos": null, "superpower": null, "reply_to_assistant": null}}),
            Value::Null,
            json!({"owner":null,"photos":null,"superpower":null,"reply_to_assistant":null}),
        ),
        (
            json!({"context": {"photos": []}}),
            Value::Null,
            json!({"photos":[]}),
        ),
    ];
    for (index, (extra, metadata, context)) in cases.into_iter().enumerate() {
        let mut body = direct("+15550101", "hello");
        for (name, value) in extra.as_object().unwrap() {
            body[name] = value.clone();
        }
        let answer = service.edge_message("a", &body).await;
        assert_eq!(answer.status, 200, "{extra}: {}", answer.text);
        let rows = service.rows("SELECT metadata, context FROM messages ORDER BY id");
        let stored = |column: usize| match rows[index][column].as_str() {
            Some(text) => serde_json::from_str(text).unwrap(),
            None => Value::Null,
        };
        assert_eq!([stored(0), stored(1)], [metadata, context], "{extra}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timestamp_is_an_integer_literal() {
    let service = Service::start().await;
    let body = |literal: &str| {
        format!(
            r#"{{"chat_guid":"c","mode":"direct","sender":"s","text":"","timestamp":{literal}}}"#
        )
    };
    let send = |path: &'static str, literal: &str| {
        let request = post(path, &Value::Null).raw(body(literal));
        let (service, request) = (&service, request.bearer(&token("a")));
        async move { service.send(&request).await }
    };
    for path in [EDGE, LEGACY] {
        for literal in [
            "1.0", "1.5", "1e3", "1E0", "-1", "-1.0", "\"1\"", "true", "{}", "9007199254740992",
            "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e300",
        ] {
            let answer = send(path, literal).await;
            assert_eq!(answer.status, 422, "{path} {literal}: {}", answer.text);
            assert_eq!(answer.code(), "validation_failed");
            assert_eq!(
                answer.json()["errors"][0]["field"],
                "/timestamp",
                "{literal}"
            );
        }
    }
    assert_no_rows(&service);
    for literal in ["0", "1700000000", "9007199254740991"] {
        let answer = send(EDGE, literal).await;
        assert_eq!(answer.status, 200, "{literal}: {}", answer.text);
    }
    let rows = service.rows("SELECT sent_s FROM messages ORDER BY id");
    assert_eq!(rows, [[0], [1_700_000_000], [9_007_199_254_740_991_i64]]);
}
