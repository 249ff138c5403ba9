//! Heads: sizes, framing tricks, hosts, request ids, addresses.

use crate::wire::{get, post, start};

/// Everything below must leave the server answering.
async fn still_serves(server: &crate::wire::Server) {
    assert_eq!(server.get("/plain").await.body(), "plain");
}

#[tokio::test]
async fn a_head_too_big_is_431_or_414() {
    let server = start().await;
    let long = format!(
        "GET /plain HTTP/1.1\r\nhost: t\r\nx: {}\r\n\r\n",
        "a".repeat(20_000)
    );
    assert_eq!(server.tell(long).await.status(), 431);

    let with_headers = |count: usize| {
        let headers: String = (2..count).map(|n| format!("x-{n}: v\r\n")).collect();
        format!("GET /plain HTTP/1.1\r\nhost: t\r\nconnection: close\r\n{headers}\r\n")
    };
    assert_eq!(server.tell(with_headers(64)).await.status(), 200);
    let answer = server.tell(with_headers(65)).await;
    answer.problem(431, "headers_too_large");
    assert_eq!(server.tell(with_headers(101)).await.status(), 431);

    let answer = server.get(&format!("/{}", "a".repeat(8 * 1024))).await;
    answer.problem(414, "uri_too_long");
    server
        .get(&format!("/{}", "a".repeat(8 * 1024 - 1)))
        .await
        .problem(404, "not_found");
    let answer = server.get(&format!("/{}", "a".repeat(70_000))).await;
    assert_eq!(answer.status(), 431, "{answer:?}");
    still_serves(&server).await;
}

#[tokio::test]
async fn a_head_with_ambiguous_framing_is_refused_or_ends_the_connection() {
    let server = start().await;
    let smuggled = get("/plain");
    let refused = [
        "content-length: 3\r\ncontent-length: 4\r\n\r\nabc",
        "content-length: +5\r\n\r\nabcde",
        "content-length: 5, 5\r\n\r\nabcde",
        "transfer-encoding: xchunked\r\n\r\nabc",
        "content-length : 3\r\n\r\nabc",
        "transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc",
        "transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    ];
    for case in refused {
        let answer = server
            .tell(format!(
                "POST /echo HTTP/1.1\r\nhost: t\r\n{case}{smuggled}"
            ))
            .await;
        assert_eq!(answer.status(), 400, "{case:?}: {answer:?}");
        assert_eq!(
            answer.0.matches("HTTP/1.1").count(),
            1,
            "{case:?}: {answer:?}"
        );
    }
    let old = format!(
        "POST /echo HTTP/1.0\r\nhost: t\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"
    );
    assert_eq!(server.tell(old).await.status(), 400);

    let extension = "x".repeat(20_000);
    let chunk = format!(
        "POST /echo HTTP/1.1\r\nhost: t\r\ntransfer-encoding: chunked\r\n\r\n3;{extension}\r\nabc\r\n0\r\n\r\n{smuggled}"
    );
    server.tell(chunk).await.problem(400, "bad_request");

    let both = format!(
        "POST /echo HTTP/1.1\r\nhost: t\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n{smuggled}"
    );
    let answer = server.tell(both).await;
    assert_eq!((answer.status(), answer.body()), (200, "abc"), "{answer:?}");
    still_serves(&server).await;
}

#[tokio::test]
async fn exactly_one_host_is_asked_for() {
    let server = start().await;
    for hosts in ["", "host: a\r\nhost: b\r\n", "host: a\r\nHost: a\r\n"] {
        let answer = server
            .tell(format!(
                "GET /plain HTTP/1.1\r\n{hosts}connection: close\r\n\r\n"
            ))
            .await;
        answer.problem(400, "bad_request");
    }
    let bare = server
        .tell("GET /plain HTTP/1.1\nhost: t\nconnection: close\n\n")
        .await;
    assert_eq!(bare.status(), 200, "a lone line feed ends a line: {bare:?}");
}

#[tokio::test]
async fn a_credential_is_one_visible_word() {
    let server = start().await;
    let cases: [(&[u8], u16); 9] = [
        (b"authorization: Bearer secret\r\n", 200),
        (b"authorization: bEARER secret\r\n", 200),
        (b"", 401),
        (b"authorization: Basic secret\r\n", 401),
        (b"authorization: secret\r\n", 401),
        (b"authorization: Bearer secret x\r\n", 401),
        (b"authorization: Bearer s\xffcret\r\n", 401),
        (b"authorization: Bearer \xc3\xa9\r\n", 401),
        (
            b"authorization: Bearer secret\r\nauthorization: Bearer secret\r\n",
            401,
        ),
    ];
    for (header, status) in cases {
        let head = b"POST /secret HTTP/1.1\r\nhost: t\r\nconnection: close\r\n".as_slice();
        let answer = server.tell([head, header, b"\r\n"].concat()).await;
        assert_eq!(answer.status(), status, "{}", header.escape_ascii());
        if status == 401 {
            answer.problem(401, "unauthorized");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test]
async fn paths_are_taken_as_they_are_sent() {
    let server = start().await;
    for path in [
        "/nowhere", "//plain", "/plain/", "/./plain", "/%70lain", "/plain%2e", "/a/../plain",
    ] {
        server.get(path).await.problem(404, "not_found");
    }
    assert_eq!(server.get("/plain?x=/../").await.status(), 200);

    let answer = server.tell(post("/plain", "", "")).await;
    answer.problem(405, "method_not_allowed");
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    let answer = server
        .tell("HEAD /plain HTTP/1.1\r\nhost: t\r\nconnection: close\r\n\r\n")
        .await;
    assert_eq!((answer.status(), answer.body()), (200, ""));
    assert_eq!(answer.header("content-length"), Some("5"));
}

#[tokio::test]
async fn a_request_id_is_kept_or_made() {
    let server = start().await;
    let head = |id: &str| {
        format!("GET /fail HTTP/1.1\r\nhost: t\r\nconnection: close\r\nx-request-id: {id}\r\n\r\n")
    };
    let answer = server.tell(head("abc-1._Z")).await;
    assert_eq!(
        answer.problem(500, "internal_error")["request_id"],
        "abc-1._Z"
    );
    for invalid in ["a b", "<script>", &"a".repeat(65)] {
        let answer = server.tell(head(invalid)).await;
        answer.problem(500, "internal_error");
        assert_ne!(answer.header("x-request-id"), Some(invalid));
    }
    let (one, two) = (server.get("/plain").await, server.get("/plain").await);
    assert!(one.header("x-request-id").is_some());
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[tokio::test]
async fn an_error_never_shows_its_cause() {
    let server = start().await;
    let answer = server.get("/fail?token=canary").await;
    answer.problem(500, "internal_error");
    assert!(
        !answer.0.contains("SELECT") && !answer.0.contains("canary"),
        "{answer:?}"
    );
}
