//! Bodies: sizes, times, kinds.

use std::time::Duration;

use chatkeep::http::ServerSettings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::wire::{BODY_BYTES_MAX, Server, get, patiently, post, settings, start, start_with};

const CHUNKED: &str = "POST /echo HTTP/1.1\r\nhost: t\r\ntransfer-encoding: chunked\r\n\r\n";

async fn send_chunked(server: &Server, bytes: usize) -> crate::wire::Answer {
    let mut request = CHUNKED.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    let piece = "b".repeat(1000);
    for _ in 0..bytes / 1000 {
        request.push_str(&format!("3e8\r\n{piece}\r\n"));
    }
    let rest = bytes % 1000;
    request.push_str(&format!("{rest:x}\r\n{}\r\n0\r\n\r\n", &piece[..rest]));
    server.tell(request).await
}

#[tokio::test]
async fn a_body_may_be_as_big_as_allowed_and_not_a_byte_more() {
    let server = start().await;
    let fits = "b".repeat(BODY_BYTES_MAX);
    assert_eq!(server.tell(post("/echo", "", &fits)).await.body(), fits);
    assert_eq!(send_chunked(&server, BODY_BYTES_MAX).await.body(), fits);

    let too_long = server.tell(post("/echo", "", &format!("{fits}b"))).await;
    too_long.problem(413, "payload_too_large");
    assert_eq!(too_long.header("connection"), Some("close"));
    let too_long = send_chunked(&server, BODY_BYTES_MAX + 1).await;
    too_long.problem(413, "payload_too_large");
    // Also when much more comes than was read when the answer was made.
    let too_long = server.tell(post("/echo", "", &"b".repeat(900_000))).await;
    too_long.problem(413, "payload_too_large");
}

#[tokio::test]
async fn a_refused_client_may_finish_its_sentence() {
    let server = start().await;
    let mut client = server.connect().await;
    client
        .send("POST /echo HTTP/1.1\r\nhost: t\r\ncontent-length: 300000\r\n\r\n")
        .await;
    client.until("}").await.problem(413, "payload_too_large");
    for _ in 0..15 {
        client.send("b".repeat(20_000)).await;
        tokio::task::yield_now().await;
    }
    client.0.shutdown().await.unwrap();
    assert_eq!(client.rest().await.0, "", "closed, not reset");
}

#[tokio::test]
async fn a_declared_length_is_refused_before_a_byte_is_read() {
    let server = start().await;
    let answer = server.tell(
        "POST /echo HTTP/1.1\r\nhost: t\r\nexpect: 100-continue\r\ncontent-length: 70000\r\n\r\n",
    );
    let answer = answer.await;
    answer.problem(413, "payload_too_large");
    assert!(!answer.0.contains("100 Continue"));
}

#[tokio::test]
async fn a_client_that_expects_continue_gets_it_only_where_the_body_is_wanted() {
    let server = start().await;
    let head = |path| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: t\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: 2\r\n\r\n"
        )
    };
    let mut client = server.connect().await;
    client.send(head("/echo")).await;
    client.until("HTTP/1.1 100 Continue\r\n\r\n").await;
    client.send("hi").await;
    assert_eq!(client.rest().await.body(), "hi");

    let mut client = server.connect().await;
    client.send(head("/secret")).await;
    client.rest().await.problem(401, "unauthorized");
}

#[tokio::test]
async fn a_slow_body_is_408() {
    let short = Duration::from_millis(50);
    let idle = ServerSettings {
        body_idle_timeout: short,
        ..settings()
    };
    let total = ServerSettings {
        body_timeout: short,
        ..settings()
    };
    for settings in [idle, total] {
        let server = start_with(settings).await;
        let answer = server
            .tell("POST /echo HTTP/1.1\r\nhost: t\r\ncontent-length: 5\r\n\r\nab")
            .await;
        answer.problem(408, "request_timeout");
        assert_eq!(answer.header("connection"), Some("close"));
        assert_eq!(server.tell(format!("{CHUNKED}3\r\nab")).await.status(), 408);
    }
}

#[tokio::test]
async fn a_body_that_keeps_trickling_is_408_in_the_end() {
    let settings = ServerSettings {
        body_timeout: Duration::from_millis(100),
        ..settings()
    };
    let server = start_with(settings).await;
    let mut client = server.connect().await;
    client
        .send("POST /echo HTTP/1.1\r\nhost: t\r\ncontent-length: 50000\r\n\r\n")
        .await;
    let (mut read, mut write) = client.0.into_split();
    let trickle = tokio::spawn(async move {
        let mut beat = tokio::time::interval(Duration::from_millis(5));
        while write.write_all(b"a").await.is_ok() {
            beat.tick().await;
        }
    });
    let mut answer = [0; 12];
    patiently(read.read_exact(&mut answer)).await.unwrap();
    trickle.abort();
    assert_eq!(answer.escape_ascii().to_string(), "HTTP/1.1 408");
}

#[tokio::test]
async fn a_body_that_is_not_read_leaves_a_small_request_kept_alive() {
    let server = start().await;
    let mut client = server.connect().await;
    let second = "POST /secret HTTP/1.1\r\nhost: t\r\ncontent-length: 2\r\n\r\nhi";
    client.send(format!("{second}{}", get("/plain"))).await;
    let answers = client.rest().await;
    assert!(answers.0.ends_with("plain"), "{answers:?}");
}

#[tokio::test]
async fn only_plain_json_is_read_as_json() {
    let server = start().await;
    let cases = [
        ("", 200),
        ("content-type: application/json; charset=utf-8\r\n", 200),
        ("content-encoding: identity\r\n", 200),
        ("content-encoding: gzip\r\n", 415),
        ("content-encoding: br\r\n", 415),
        ("content-type: text/plain\r\n", 415),
        (
            "content-type: application/json\r\ncontent-type: application/json\r\n",
            415,
        ),
    ];
    for (header, status) in cases {
        let answer = server.tell(post("/json", header, "{\"a\":1}")).await;
        assert_eq!(answer.status(), status, "{header}");
        if status == 415 {
            answer.problem(415, "unsupported_media_type");
        } else {
            assert_eq!(answer.body(), "{\"a\":1}");
        }
    }
}

#[tokio::test]
async fn malformed_json_is_422_with_its_field() {
    let server = start().await;
    let deep = format!(
        "{{\"ignored\":{}{}}}",
        "[".repeat(30_000),
        "]".repeat(30_000)
    );
    let cases = [
        ("{", ""),
        ("[\"a\"]", ""),
        ("\u{feff}{}", ""),
        ("{\"a\":NaN}", "/a"),
        ("{\"a\":{\"b\":\"\\u0000\"}}", "/a/b"),
        ("{\"a\":1,\"a\":1}", "/a"),
        ("", ""),
    ];
    for (body, field) in cases {
        let problem = server
            .tell(post("/json", "", body))
            .await
            .problem(422, "validation_failed");
        assert_eq!(problem["errors"][0]["field"], field, "{body}");
        assert!(problem["errors"][0]["message"].is_string());
    }
    server
        .tell(post("/json", "", &deep))
        .await
        .problem(422, "validation_failed");
}
