//! Bodies that are no acceptable JSON: 422, 415 and 413 by both endpoints, and no row.

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::support::{Answer, Request, Service, direct, post, read_answer, request, token};
use super::{EDGE, LEGACY, assert_no_rows};

const BODY_BYTES_MAX: usize = 256 * 1024;

fn raw(path: &str, body: impl Into<Vec<u8>>) -> Request {
    request("POST", path).bearer(&token("a")).raw(body)
}

async fn refusals(service: &Service, path: &str, body: &[u8]) -> Answer {
    let answer = service
        .send(&raw(path, body).header("Content-Type", "application/json"))
        .await;
    let text = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
    assert_eq!(answer.status, 422, "{path} {text}: {}", answer.text);
    assert_eq!(answer.code(), "validation_failed", "{text}");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_strict_json_object_is_refused() {
    let service = Service::start().await;
    let valid = direct("+15550101", "hello").to_string();
    let with_extra = |extra: &str| format!("{},{extra}}}", &valid[..valid.len() - 1]);
    let deep = |levels: usize| {
        let inner = "[".repeat(levels - 1) + &"]".repeat(levels - 1);
        with_extra(&format!("\"deep\":{inner}"))
    };
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (b"".into(), ""),
        (b"hello".into(), ""),
        (b"null".into(), ""),
        (b"[]".into(), ""),
        (format!("[{valid}]").into(), ""),
        (br#"["c","direct","s","t",1]"#.into(), ""),
        (valid[..valid.len() - 1].into(), ""),
        (format!("{valid}{valid}").into(), ""),
        (format!("{valid} x").into(), ""),
        (format!("\u{feff}{valid}").into(), ""),
        (with_extra("\"text\":\"again\"").into(), "/text"),
        (with_extra("\"x\":{\"a\":1,\"a\":1}").into(), "/x/a"),
        (with_extra("\"x\":\"a\\u0000b\"").into(), "/x"),
        (with_extra("\"x\":\"\\ud800\"").into(), "/x"),
        (with_extra("\"x\":NaN").into(), "/x"),
        (with_extra("\"x\":1e400").into(), "/x"),
        ([with_extra("\"x\":\"").as_bytes(), b"\xff\"}"].concat(), ""),
    ];
    for path in [EDGE, LEGACY] {
        for (body, field) in &cases {
            let problem = refusals(&service, path, body).await.json();
            let text = String::from_utf8_lossy(body);
            assert_eq!(problem["errors"][0]["field"], *field, "{text}");
        }
        refusals(&service, path, deep(65).as_bytes()).await;
        refusals(&service, path, deep(50_000).as_bytes()).await;
    }
    assert_no_rows(&service);
    let answer = service.send(&raw(EDGE, deep(64))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nul_in_a_string_is_refused_wherever_it_is() {
    let service = Service::start().await;
    for field in ["chat_guid", "sender", "text"] {
        let mut body = direct("+15550101", "hello");
        body[field] = json!("a\0b");
        let problem = refusals(&service, EDGE, body.to_string().as_bytes()).await;
        assert_eq!(problem.json()["errors"][0]["field"], format!("/{field}"));
    }
    assert_no_rows(&service);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_plain_json_is_taken() {
    let service = Service::start().await;
    let body = direct("+15550101", "hello").to_string();
    let send = |path: &'static str, name: &'static str, value: &'static str| {
        let request = raw(path, body.clone()).header(name, value);
        let service = &service;
        async move { service.send(&request).await }
    };
    for path in [EDGE, LEGACY] {
        for (name, value) in [
            ("Content-Type", "text/plain"),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Content-Type", "application/jsonp"),
            ("Content-Encoding", "gzip"),
            ("Content-Encoding", "br"),
            ("Content-Encoding", "zstd, identity"),
        ] {
            let answer = send(path, name, value).await;
            assert_eq!(answer.status, 415, "{name}: {value}: {}", answer.text);
            assert_eq!(answer.code(), "unsupported_media_type");
        }
    }
    assert_no_rows(&service);
    for (name, value) in [
        ("Content-Type", "application/json; charset=utf-8"),
        ("Content-Type", "APPLICATION/JSON"),
        ("Content-Encoding", "identity"),
    ] {
        assert_eq!(send(EDGE, name, value).await.status, 200, "{value}");
    }
    let answer = service.send(&raw(EDGE, body.clone())).await;
    assert_eq!(answer.status, 200, "no Content-Type is read as JSON");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_has_a_largest_size() {
    let service = Service::start().await;
    let valid = direct("+15550101", "hello").to_string();
    let padded = |bytes: usize| valid.clone() + &" ".repeat(bytes - valid.len());
    for path in [EDGE, LEGACY] {
        let answer = service.send(&raw(path, padded(BODY_BYTES_MAX + 1))).await;
        assert_eq!(answer.status, 413, "{}", answer.text);
        assert_eq!(answer.code(), "payload_too_large");
    }
    assert_no_rows(&service);
    let chunked = format!(
        "{:x}\r\n{}\r\n0\r\n\r\n",
        BODY_BYTES_MAX + 1,
        padded(BODY_BYTES_MAX + 1)
    );
    let head = format!(
        "POST {EDGE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        token("a")
    );
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    stream
        .write_all([head, chunked].concat().as_bytes())
        .await
        .unwrap();
    let answer = read_answer(&mut stream).await;
    assert_eq!(answer.status, 413, "{}", answer.text);
    assert_no_rows(&service);
    let answer = service.send(&raw(EDGE, padded(BODY_BYTES_MAX))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_asked_for_before_the_body() {
    let service = Service::start().await;
    for body in [Vec::new(), b"{".to_vec(), vec![b' '; BODY_BYTES_MAX + 1]] {
        let answer = service.send(&request("POST", EDGE).raw(body)).await;
        assert_eq!(answer.status, 401, "{}", answer.text);
    }
    let answer = service
        .send(&post(EDGE, &json!({})).header("Content-Encoding", "gzip"))
        .await;
    assert_eq!(answer.status, 401, "{}", answer.text);
}
