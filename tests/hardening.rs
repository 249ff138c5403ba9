//! What holds for every row of the table, whoever calls: heads, framing, bodies, encodings,
//! methods, and what may be said in an answer or a log.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::atomic::{AtomicU64, Ordering};

use chatkeep::routes::{self, Caller, Route};
use serde_json::Value;
use support::process::Process;
use support::{
    ADMIN_TOKEN, Answer, EDGE_SECRET, PATIENCE, Service, eventually, parse_answer, token,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const USER_ID: &str = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
/// Nothing that the service makes looks like it.
const CANARY: &str = "c4n4ry-value";
/// Takes a form; its size and type are tested with the photos.
const PHOTO: &str = "/photo/upload";
/// Rows whose bodies are not the strict JSON of the others: signatures are over bytes, and a
/// payload is anybody's.
const OTHER_BODIES: [&str; 4] = [
    PHOTO,
    "/webhooks/{webhook_id}",
    "/marketplace/webhooks/{app_id}/{webhook_id}/test",
    "/payment/events",
];

/// A credential that opens the row, of somebody who has used no limit yet.
fn credential(service: &Service, caller: Caller) -> String {
    static PEOPLE: AtomicU64 = AtomicU64::new(0);
    let number = PEOPLE.fetch_add(1, Ordering::Relaxed);
    match caller {
        Caller::Admin => ADMIN_TOKEN.to_owned(),
        Caller::User => service.user_token(&format!("0b0e7a3c-54d2-4a1e-9a52-{number:012x}")),
        Caller::Anyone | Caller::Edge | Caller::EdgeSocket | Caller::Legacy => token("a"),
    }
}

/// The row's path with something for each parameter; of flags, one that there is.
fn path(row: &Route, value: &str) -> String {
    let part = |part: &str| match part {
        "{key}" if value == USER_ID => "rate_limit.enabled".to_owned(),
        part if part.starts_with('{') => value.to_owned(),
        part => part.to_owned(),
    };
    let parts: Vec<String> = row.path.split('/').map(part).collect();
    parts.join("/")
}

/// Everything that comes back for these bytes, as the one answer that it should be.
async fn tell(service: &Service, bytes: impl AsRef<[u8]>) -> Answer {
    let answer = response_to(service, bytes.as_ref()).await;
    parse_answer(answer.as_bytes()).unwrap_or_else(|| panic!("no whole answer: {answer}"))
}

async fn response_to(service: &Service, bytes: &[u8]) -> String {
    let exchange = async {
        let mut stream = TcpStream::connect(service.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::time::timeout(PATIENCE, exchange).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_wants_exactly_one_host() {
    let service = Service::start().await;
    for row in routes::table() {
        for hosts in ["", "Host: a\r\nHost: b\r\n"] {
            let path = path(&row, "x");
            let head = format!(
                "{} {path} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n",
                row.method
            );
            let answer = tell(&service, head).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (400, "bad_request"),
                "{path}"
            );
        }
    }
}

/// Nobody is asked to send what would be refused anyway.
#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_asked_for_before_a_body() {
    let service = Service::with(&[("RELAY_WEBHOOK_SECRET", "the-legacy-relay's-secret")]).await;
    for row in routes::table() {
        if row.caller == Caller::Anyone || row.body_bytes_max == 0 {
            continue;
        }
        for authorization in [
            "", "Authorization: Bearer wrong\r\n", "Authorization: Bearer \u{e9}\r\n",
        ] {
            let head = format!(
                "{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{authorization}\
                 Expect: 100-continue\r\nContent-Length: 10\r\n\r\n",
                row.method,
                path(&row, "x"),
            );
            let response = response_to(&service, head.as_bytes()).await;
            assert!(
                response.starts_with("HTTP/1.1 401 "),
                "{}: {response}",
                row.path
            );
            assert!(
                !response.contains("100 Continue"),
                "{}: {response}",
                row.path
            );
        }
    }
}

/// A body is counted as it comes, and one that says how long it is need not come at all.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_with_a_body_counts_it() {
    let service = Service::start().await;
    for row in routes::table() {
        if row.body_bytes_max == 0 || row.path.contains('{') || row.path == PHOTO {
            continue;
        }
        let head = format!(
            "{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {}\r\n",
            row.method,
            row.path,
            credential(&service, row.caller),
        );
        let too_long = row.body_bytes_max + 1;
        let declared = format!("{head}Expect: 100-continue\r\nContent-Length: {too_long}\r\n\r\n");
        let body = " ".repeat(too_long);
        let chunked =
            format!("{head}Transfer-Encoding: chunked\r\n\r\n{too_long:x}\r\n{body}\r\n0\r\n\r\n");
        for sent in [declared, chunked] {
            let answer = tell(&service, sent).await;
            assert_eq!(answer.status, 413, "{}: {}", row.path, answer.text);
            assert_eq!(answer.code(), "payload_too_large");
        }
    }
}

/// What is encoded in another way is not read as if it were not.
#[tokio::test(flavor = "multi_thread")]
async fn only_chunks_are_a_transfer_coding() {
    let service = Service::start().await;
    for (coding, status) in [
        ("chunked", 200),
        ("Chunked", 200),
        ("gzip, chunked", 400),
        ("identity, chunked", 400),
        ("chunked, chunked", 400),
    ] {
        let sent = format!(
            "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n"
        );
        let answer = tell(&service, sent).await;
        assert_eq!(answer.status, status, "{coding}: {}", answer.text);
    }
}

/// A GET's answer without its body, and a row that takes GET takes HEAD, with its credential.
#[tokio::test(flavor = "multi_thread")]
async fn head_is_get_without_a_body() {
    let service = Service::start().await;
    for row in routes::table() {
        if row.method.as_str() != "GET" || row.caller == Caller::EdgeSocket {
            continue;
        }
        let ask = |method: &str, credential: &str| {
            let path = path(&row, "x");
            format!(
                "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                 X-Request-Id: same\r\nAuthorization: Bearer {credential}\r\n\r\n"
            )
        };
        for credential in [credential(&service, row.caller).as_str(), "wrong"] {
            let get = tell(&service, ask("GET", credential)).await;
            let head = response_to(&service, ask("HEAD", credential).as_bytes()).await;
            let (head, body) = head.split_once("\r\n\r\n").unwrap();
            assert_eq!(body, "", "{}", row.path);
            let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
            assert_eq!(status, get.status, "{}: {head}", row.path);
            let names = |name: &str| get.header(name).map(|value| format!("{name}: {value}"));
            for header in [
                names("content-type"),
                names("cache-control"),
                names("www-authenticate"),
            ] {
                assert!(
                    header.is_none_or(|line| head.contains(&line)),
                    "{}: {head}",
                    row.path
                );
            }
        }
    }
}

/// Compressed bodies are refused and nothing is inflated.
#[tokio::test(flavor = "multi_thread")]
async fn no_route_takes_a_compressed_body() {
    let service = Service::start().await;
    for row in routes::table() {
        if row.body_bytes_max == 0 {
            continue;
        }
        for encoding in ["gzip", "br", "deflate, identity"] {
            let request = support::request(row.method.as_str(), &path(&row, USER_ID))
                .bearer(&credential(&service, row.caller))
                .header("Content-Type", "application/json")
                .header("Content-Encoding", encoding)
                .raw(b"\x1f\x8b\x08\x00".as_slice());
            let answer = service.send(&request).await;
            assert_eq!(answer.status, 415, "{}: {}", row.path, answer.text);
            assert_eq!(answer.code(), "unsupported_media_type", "{}", row.path);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_json_body_is_read_strictly() {
    let service = Service::start().await;
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies: [&[u8]; 13] = [
        b"", b"null", b"[]", b"{}{}", b"{\"a\":1,}", b"{\"a\":\"\xff\"}", b"\xef\xbb\xbf{}",
        b"{\"a\":\"\\ud800\"}", b"{\"a\":NaN}", b"{\"a\":1e400}", b"{\"a\":\"x\\u0000\"}",
        b"{\"a\":\"x\0\"}", b"{\"a\":1,\"a\":1}",
    ];
    for row in routes::table() {
        if row.body_bytes_max == 0 || OTHER_BODIES.contains(&row.path) {
            continue;
        }
        let path = path(&row, USER_ID);
        let fits = deep.len() <= row.body_bytes_max;
        for body in bodies.into_iter().chain(fits.then_some(deep.as_bytes())) {
            let request = support::request(row.method.as_str(), &path)
                .bearer(&credential(&service, row.caller))
                .raw(body);
            let answer = service.send(&request).await;
            let text = body[..body.len().min(40)].escape_ascii();
            assert_eq!(answer.status, 422, "{path} {text}: {}", answer.text);
            assert_eq!(answer.code(), "validation_failed", "{path} {text}");
        }
    }
}

/// A broken value is refused like a wrong one; the default is not taken for it.
#[tokio::test(flavor = "multi_thread")]
async fn every_parameter_of_a_query_is_read_strictly() {
    let service = Service::start().await;
    let document = service.send(&support::get("/openapi.json")).await.json();
    let mut checked = 0;
    for row in routes::table() {
        let operation = row.method.as_str().to_lowercase();
        let parameters = &document["paths"][row.path][operation]["parameters"];
        for parameter in parameters.as_array().into_iter().flatten() {
            // A wrong agent is a wrong credential.
            if parameter["in"] != "query" || parameter["name"] == "edge_agent_id" {
                continue;
            }
            let name = parameter["name"].as_str().unwrap();
            checked += 1;
            let path = path(
                &row,
                if row.path.starts_with("/admin") {
                    "1"
                } else {
                    USER_ID
                },
            );
            for value in ["%ff", "%", "%4", "%zz", "a%00"] {
                let request =
                    support::request(row.method.as_str(), &format!("{path}?{name}={value}"));
                let request = request.bearer(&credential(&service, row.caller));
                let answer = service.send(&request).await;
                let field = &answer.json()["errors"][0]["field"];
                assert_eq!(answer.status, 422, "{path} {name}={value}: {}", answer.text);
                assert_eq!(*field, format!("/{name}"), "{path} {value}");
            }
        }
    }
    assert!(checked >= 12, "{checked}");
}

/// A request of a page of that origin, under that name for the service.
fn of_page(service: &Service, row: &Route, host: &str, origins: &[&str]) -> String {
    let origins = origins.iter().map(|o| format!("Origin: {o}\r\n"));
    format!(
        "{} {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{}\
         Authorization: Bearer {}\r\nContent-Length: 0\r\n\r\n",
        row.method,
        path(row, USER_ID),
        origins.collect::<String>(),
        credential(service, row.caller),
    )
}

/// Who may change something: (Host, Origins, whether it is let in).
async fn check_pages(service: &Service, cases: &[(&str, &[&str], bool)]) {
    for row in routes::table() {
        for (host, origins, is_let_in) in cases {
            let answer = tell(service, of_page(service, &row, host, origins)).await;
            let is_refused = answer.status == 403 && answer.code() == "origin_not_allowed";
            let changes = row.method.as_str() != "GET";
            let is_handshake = row.caller == Caller::EdgeSocket; // when it is a handshake
            assert!(
                is_handshake || is_refused == (changes && !is_let_in),
                "{} {} of {origins:?} at {host}: {} {}",
                row.method,
                row.path,
                answer.status,
                answer.text
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_others_change_nothing_in_development() {
    let service = Service::start().await;
    check_pages(
        &service,
        &[
            ("localhost", &["https://evil.example"], false),
            ("localhost", &["null"], false),
            ("localhost", &["http://localhost:3000"], false),
            (
                "localhost",
                &["http://localhost", "http://localhost"],
                false,
            ),
            ("localhost", &["http://localhost\u{e9}"], false),
            // Its name was made to lead here.
            ("evil.example:8080", &["http://evil.example:8080"], false),
            // No browser sends a change without an Origin.
            ("chatkeep:8080", &[], true),
            ("127.0.0.1:9999", &["http://127.0.0.1:9999"], true),
            ("localhost", &["http://localhost"], true),
            ("[::1]:8080", &[], true),
        ],
    )
    .await;
    let stored = service.rows("SELECT count(*) FROM messages");
    assert_eq!(stored, [[0]]);
}

/// Behind a proxy, say.
#[tokio::test(flavor = "multi_thread")]
async fn with_a_public_url_its_pages_may_change_things() {
    let public = ("CHATKEEP_SERVER_PUBLIC_URL", "https://chat.example/under");
    let development = Service::with(&[public]).await;
    let production = Service::with(&[
        public,
        ("ENVIRONMENT", "production"),
        (
            "CHATKEEP_IDENTITY_HS256_SECRET", "a-key-of-at-least-32-bytes-for-tests",
        ),
    ])
    .await;
    for (service, is_development) in [(development, true), (production, false)] {
        let cases: [(&str, &[&str], bool); 6] = [
            ("chat.example", &["https://chat.example"], true),
            ("internal:8080", &["https://CHAT.example"], true),
            ("internal:8080", &[], true),
            ("chat.example", &["http://chat.example"], false),
            ("evil.example", &["http://evil.example"], false),
            ("localhost:8080", &["http://localhost:8080"], is_development),
        ];
        check_pages(&service, &cases).await;
    }
}

/// Errors say nothing that was sent, and nothing of how things are kept.
#[tokio::test(flavor = "multi_thread")]
async fn no_refusal_echoes_what_was_sent() {
    let service = Service::start().await;
    let body = format!(
        "{{\"{CANARY}\":1,\"text\":\"{CANARY}\",\"mode\":\"{CANARY}\",\"plan\":\"{CANARY}\",\
         \"value\":\"{CANARY}\",\"name\":\"{CANARY}\",\"action_id\":\"{CANARY}\",\
         \"confirmation\":\"{CANARY}\",\"success_url\":\"https://{CANARY}.example\"}}"
    );
    let mut refused = 0;
    for row in routes::table() {
        for bearer in [credential(&service, row.caller), CANARY.to_owned()] {
            let target = format!(
                "{}?limit={CANARY}&days={CANARY}&after={CANARY}",
                path(&row, CANARY)
            );
            let request = support::request(row.method.as_str(), &target)
                .bearer(&bearer)
                .header("X-Webhook-Signature", CANARY)
                .header("Idempotency-Key", CANARY)
                .raw(body.clone());
            let answer = service.send(&request).await;
            if answer.status < 400 {
                continue;
            }
            refused += 1;
            for word in [CANARY, "SELECT", "sqlite", "src/", "/tmp", "panicked"] {
                let what = format!("{} {}: {word}", row.method, row.path);
                assert!(!answer.text.contains(word), "{what}: {}", answer.text);
                let is_echoed = answer.headers.iter().any(|(_, value)| value.contains(word));
                assert!(!is_echoed, "{what}: {:?}", answer.headers);
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

/// Whatever is sent, a line of the log is one line of JSON, and holds no secret, no body and
/// no phone.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_sent_forges_a_line_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(
        &folder.path().join("chatkeep.db"),
        &[("CHATKEEP_LOG", "debug"), ("CHATKEEP_LOG_FORMAT", "json")],
    )
    .unwrap();
    let nasty = format!("{CANARY}\r\n{{\"level\":\"ERROR\"}}\u{1b}[2J\u{2028}");
    let mut message = support::direct("+15550177", &nasty);
    message["chat_guid"] = nasty.clone().into();
    message["context"] = serde_json::json!({ nasty.clone(): nasty });
    let tokens = [token("a"), CANARY.to_owned(), EDGE_SECRET.to_owned()];
    for bearer in &tokens {
        let request = support::post("/edge/message", &message).bearer(bearer);
        service.send(&request).await;
        // As text of an address, percent-encoded and raw.
        for target in [
            "/x%0d%0a%1b%e2%80%a8", "/account/export/\u{1b}%0a", "/edge/message?token=secret",
        ] {
            let request = support::request("POST", target).bearer(bearer);
            service.send(&request).await;
        }
    }
    let last = support::get("/health").header("X-Request-Id", "the-last-one");
    service.send(&last).await;
    eventually("the last line", async || {
        service.log().contains("the-last-one")
    })
    .await;
    let log = service.log();
    // The last line may not have come whole yet.
    let (log, _) = log.rsplit_once('\n').unwrap();
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(
            line["time"].is_string() && line["level"] != "ERROR",
            "{line}"
        );
    }
    for word in [
        CANARY, "+15550177", EDGE_SECRET, ADMIN_TOKEN, &tokens[0], "token=secret",
    ] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}
