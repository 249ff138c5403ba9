//! The operator's console: what the page may do, and that it asks for nothing that isn't
//! there.

use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{ADMIN_TOKEN, Answer, Service, get, request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chatkeep::routes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const PAGE_BYTES_MAX: usize = 30_000;

async fn page() -> Answer {
    Service::start().await.send(&get("/admin/")).await
}

/// What stands between two marks, each time.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let pieces = text.split(start).skip(1);
    pieces
        .map(|piece| piece.split(end).next().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_public_and_small() {
    let answer = page().await;
    assert_eq!(answer.status, 200);
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-cache"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
    assert!(answer.text.starts_with("<!doctype html>"));
    assert!(answer.text.len() < PAGE_BYTES_MAX, "{}", answer.text.len());
    assert!(!answer.text.contains(ADMIN_TOKEN));
}

/// The hashes in the policy are those of what the page brings.
#[tokio::test(flavor = "multi_thread")]
async fn only_its_own_script_and_style_run() {
    let answer = page().await;
    let policy = answer.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    for tag in ["script", "style"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let [inside] = between(&answer.text, &open, &close)[..] else {
            panic!("one {tag}");
        };
        let hash = STANDARD.encode(Sha256::digest(inside));
        let expected = format!("{tag}-src 'sha256-{hash}'");
        assert!(
            policy.contains(&expected),
            "src/routes/console.html has changed: src/routes/console.rs needs {expected}"
        );
    }
}

/// Nothing from elsewhere, no script in an attribute, nothing read as HTML, no token in an
/// address or kept beyond the tab.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_does_nothing_that_could_be_turned() {
    let page = page().await.text;
    for word in [
        "http:", "https:", "//cdn", "src=", "innerHTML", "outerHTML", "insertAdjacentHTML",
        "document.write", "eval(", "Function(", "localStorage", "cookie", " style=", "srcdoc",
        "javascript:",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    let handlers = page.split([' ', '\n']).filter(|word| {
        let name = word.split('=').next().unwrap();
        name.starts_with("on") && word.contains("=\"")
    });
    assert_eq!(handlers.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_asks_for_routes_that_are_there() {
    let page = page().await.text;
    let rows = routes::table();
    let known: HashSet<String> = rows
        .iter()
        .map(|r| format!("{} {}", r.method, r.path))
        .collect();
    let mut request_count = 0;
    for text in between(&page, ": \"", "\"") {
        if text
            .split(' ')
            .nth(1)
            .is_some_and(|path| path.starts_with('/'))
        {
            assert!(known.contains(text), "{text}");
            request_count += 1;
        }
    }
    assert!(request_count > 10);
    assert_eq!(
        page.matches("/admin/").count(),
        request_count - 1,
        "all but /health"
    );
}

/// The script itself, with stand-ins for the browser's objects.
#[tokio::test(flavor = "multi_thread")]
async fn it_says_what_is_wrong_and_forgets_whom_it_showed() {
    let page = page().await.text;
    let Some(seen) = in_node(&page) else {
        eprintln!("skipped: there is no node");
        return;
    };
    let curved = &seen["curved"];
    let notice = curved["notice"].as_str().unwrap();
    assert!(notice.contains("curved quote"), "{notice}");
    assert_eq!(
        (&curved["calls"], &curved["is_open"]),
        (&json!(0), &json!(false))
    );
    for (step, notice, is_open) in [
        ("wrong", "The service does not accept this token.", false),
        ("down", "The service can't be reached.", true),
        ("proxy", "The service answered 502.", true),
        ("open", "", true),
    ] {
        let found = (&seen[step]["notice"], &seen[step]["is_open"]);
        assert_eq!(found, (&json!(notice), &json!(is_open)), "{step}");
    }
    for (shown, missing, place) in [
        ("user", "no_user", "searchResult"),
        ("message", "no_message", "decision"),
    ] {
        assert_ne!(seen[shown][place], "", "{shown}");
        assert_eq!(seen[missing][place], "", "{missing}");
        let notice = seen[missing]["notice"].as_str().unwrap();
        assert!(notice.starts_with("There is no "), "{notice}");
    }
    let silent = "The flag provider does not answer: its last values apply.";
    assert_eq!(seen["provider"], silent);
    let set = [
        "context.max_messages is 20 now.",
        "context.max_messages is 20 now: 50 is outside its range.",
    ];
    assert_eq!(seen["set"], json!(set));
    assert_eq!(seen["before_leaving"], json!([true, true]));
    assert_eq!(seen["after_leaving"], json!([false, false]));
    assert_eq!(seen["left"], "The token is deleted from this tab.");
}

/// What the page shows after each step; `None` without Node.
fn in_node(page: &str) -> Option<Value> {
    let program = std::env::var("CHATKEEP_TEST_NODE").unwrap_or_else(|_| "node".to_owned());
    let steps = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/console_in_node.js");
    let started = Command::new(program)
        .arg(steps)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut running = started.ok()?;
    let mut stdin = running.stdin.take().unwrap();
    stdin.write_all(page.as_bytes()).unwrap();
    drop(stdin);
    let output = running.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Its address has one spelling, and other pages may not read what the service answers.
#[tokio::test(flavor = "multi_thread")]
async fn no_other_spelling_and_no_other_origin() {
    let service = Service::start().await;
    for path in ["/admin", "/admin//", "/admin/index.html", "/admin/console"] {
        let answer = service.send(&get(path)).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"));
    }
    let elsewhere = "https://elsewhere.example";
    let read = get("/admin/users")
        .bearer(ADMIN_TOKEN)
        .header("Origin", elsewhere);
    let preflight = request("OPTIONS", "/admin/users")
        .header("Origin", elsewhere)
        .header("Access-Control-Request-Method", "GET")
        .header("Access-Control-Request-Headers", "authorization");
    for (sent, status) in [(read, 200), (preflight, 405)] {
        let answer = service.send(&sent).await;
        assert_eq!(answer.status, status);
        let mut names = answer.headers.iter().map(|(name, _)| name.to_lowercase());
        assert!(!names.any(|name| name.starts_with("access-control-")));
    }
}
