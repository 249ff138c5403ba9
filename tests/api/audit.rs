//! What operators change is a row each, however they change it; and log lines say from where
//! credentials are tried and the admin API is called.

use std::path::Path;
use std::process::Command;

use crate::support::process::Process;
use crate::support::{ADMIN_TOKEN, Service, direct, eventually, get, post, request};
use chatkeep::account::erasure::PurgeRun;
use chatkeep::clock::{Clock, Timestamp};
use chatkeep::store::{Change, Operator};
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;
const FLAG: &str = "rate_limit.commands_per_minute";

async fn entries(service: &Service, query: &str) -> Vec<Value> {
    let path = format!("/admin/audit{query}");
    let answer = service.admin("GET", &path, &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["entries"].as_array().unwrap().clone()
}

/// All but what differs from run to run.
fn facts(entry: &Value) -> Value {
    json!([
        entry["operator"], entry["address"], entry["action"], entry["subject"], entry["before"],
        entry["after"]
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_through_the_admin_api_are_rows() {
    let proxy = [("CHATKEEP_SERVER_TRUSTED_PROXIES", "127.0.0.1")];
    let service = Service::with(&proxy).await;
    service.edge_message("a", &direct("+15550100", "hi")).await;
    let user = service.user_id("+15550100");
    let flag = format!("/admin/feature-flags/{FLAG}");
    let grant = format!("/admin/users/{user}/grant");
    let revoke = "/admin/edge-agents/relay-15550100/revoke";
    let named = json!({"value": 7, "set_by": "ops", "expires_at": "2999-01-01T00:00:00Z"});
    for (method, path, body, status) in [
        ("PUT", flag.as_str(), named, 200),
        ("DELETE", &flag, json!({}), 200),
        ("PUT", &grant, json!({"plan": "annual"}), 200),
        ("DELETE", &grant, json!({}), 200),
        ("POST", revoke, json!({}), 200),
        ("POST", "/admin/purge", json!({}), 200),
        // Nothing was changed by these.
        ("PUT", &flag, json!({"value": "x"}), 422),
        (
            "PUT",
            "/admin/users/x/grant",
            json!({"plan": "annual"}),
            404,
        ),
    ] {
        let call = request(method, path)
            .json(&body)
            .bearer(ADMIN_TOKEN)
            .header("X-Operator", "ada")
            .header("X-Forwarded-For", "203.0.113.9");
        let answer = service.send(&call).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
    }
    let from = "203.0.113.9";
    let value = json!({"value": 7, "expires_at": "2999-01-01T00:00:00.000Z"});
    let plan = json!({"plan": "annual", "until": null});
    let found = entries(&service, "").await;
    let ended = found[1]["after"].clone();
    assert!(ended["tokens_valid_from"].is_i64(), "{ended}");
    let rows: Vec<Value> = found.iter().rev().map(facts).collect();
    let expected = [
        json!(["ops", from, "flag.set", FLAG, null, value]),
        json!(["ada", from, "flag.unset", FLAG, value, null]),
        json!(["ada", from, "grant.set", user, null, plan]),
        json!(["ada", from, "grant.remove", user, plan, null]),
        json!([
            "ada", from, "relay_tokens.revoke", "relay-******00", null, ended
        ]),
        json!(["ada", from, "purge.start", "", null, null]),
    ];
    assert_eq!(rows, expected);
    // Page by page, and since a moment.
    let first = entries(&service, "?limit=2").await;
    assert_eq!(first, found[..2]);
    let next = format!("?limit=2&before_id={}", first[1]["id"]);
    assert_eq!(entries(&service, &next).await, found[2..4]);
    assert_eq!(
        entries(&service, "?since=2999-01-01T00:00:00Z").await.len(),
        0
    );
    for wrong in ["?limit=0", "?limit=201", "?since=yesterday", "?before_id=x"] {
        let path = format!("/admin/audit{wrong}");
        let answer = service.admin("GET", &path, &Value::Null).await;
        assert_eq!(answer.status, 422, "{wrong}");
    }
    let long = request("DELETE", &flag)
        .bearer(ADMIN_TOKEN)
        .header("X-Operator", &"x".repeat(65));
    assert_eq!(service.send(&long).await.status, 400);
}

fn chatkeep(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .args(arguments)
        .env_clear()
        .env("USER", "ada")
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("EDGE_SECRET", crate::support::EDGE_SECRET)
        .env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"))
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_rows_with_a_service_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let service = Process::start(&folder.join("chatkeep.db"), &[]).unwrap();
    let token = crate::support::token("a");
    let message = post("/edge/message", &direct("+15550100", "hi")).bearer(&token);
    assert_eq!(service.send(&message).await.status, 200);
    let commands: [&[&str]; 6] = [
        &["flags", "set", FLAG, "7"],
        &["flags", "unset", FLAG],
        &["token", "revoke", "--agent-id", "a"],
        &["user", "grant", "--phone", "+15550100", "--plan", "annual"],
        &["user", "revoke", "--phone", "+15550100"],
        &["purge", "--now"],
    ];
    for command in commands {
        chatkeep(folder, command);
    }
    drop(service); // killed
    for command in commands {
        chatkeep(folder, command);
    }
    let body: Value =
        serde_json::from_str(&chatkeep(folder, &["audit", "--json", "--since", "1h"])).unwrap();
    assert_eq!(body["has_more"], false);
    let mut rows = body["entries"].as_array().unwrap().clone();
    rows.reverse();
    assert_eq!(rows.len(), 12);
    let (through, alone) = rows.split_at(6);
    for (one, other) in through.iter().zip(alone) {
        assert_eq!(one["operator"], "command line, ada");
        assert_eq!(other["operator"], "command line, ada");
        assert_eq!(one["address"], "127.0.0.1");
        assert_eq!(other["address"], Value::Null);
        for same in ["action", "subject"] {
            assert_eq!(one[same], other[same]);
        }
    }
    let text = chatkeep(folder, &["audit"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 12, "{text}");
    let first = format!("  flag.set  command line, ada (127.0.0.1)  {FLAG}  nothing → ");
    assert!(lines[0].contains(&first), "{text}");
    assert!(lines[6].contains("(this machine)"), "{text}");
    assert!(!text.contains("15550100"), "{text}");
    // A backup that is put back says so.
    chatkeep(folder, &["backup", "copy"]);
    chatkeep(folder, &["restore", "copy", "--yes"]);
    let newest = chatkeep(folder, &["audit", "--limit", "1"]);
    assert!(newest.contains("  restore  command line, ada"), "{newest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn old_rows_go_and_none_names_a_phone() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let insert = |at: Timestamp| {
        let operator = Operator {
            name: "ops +1-555-010-0199".to_owned(),
            address: None,
        };
        let change = Change::work("purge.start");
        service
            .app
            .store
            .write(move |tx| tx.insert_audit(&operator, &change, at))
    };
    let now = clock.now();
    insert(Timestamp(now.0 - 731 * DAY_MS)).await.unwrap();
    insert(Timestamp(now.0 - 729 * DAY_MS)).await.unwrap();
    let removed = service.app.store.write(move |tx| tx.remove_old_rows(now));
    removed.await.unwrap();
    let remaining = service.rows("SELECT operator FROM audit");
    assert_eq!(remaining.len(), 1);
    let name = remaining[0][0].as_str().unwrap();
    assert!(name.starts_with("ops ") && !name.contains("555"), "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_names_somebody_who_was_erased() {
    let service = Service::start().await;
    service.edge_message("a", &direct("walrus", "hi")).await;
    let flag = format!("/admin/feature-flags/{FLAG}");
    let by_them = json!({"value": 7, "set_by": "walrus"});
    let revoke = "/admin/edge-agents/walrus/revoke";
    let others = json!({"value": 8, "set_by": "walruses"});
    for (method, path, body) in [
        ("PUT", flag.as_str(), by_them),
        ("POST", revoke, json!({})),
        ("PUT", &flag, others),
    ] {
        assert_eq!(service.admin(method, path, &body).await.status, 200);
    }
    let conn = rusqlite::Connection::open(service.folder.path().join("chatkeep.db")).unwrap();
    conn.busy_timeout(crate::support::PATIENCE).unwrap();
    let due = "UPDATE users SET deletion_requested_at = 0, deletion_scheduled_for = 0";
    conn.execute_batch(due).unwrap();
    service.app.eraser.run(PurgeRun::default()).await.unwrap();
    let found = entries(&service, "").await;
    let named = |name: &str| -> Vec<&Value> { found.iter().map(|entry| &entry[name]).collect() };
    assert_eq!(named("operator"), ["walruses", "admin API", "erased"]);
    assert_eq!(named("subject"), [FLAG, "erased", FLAG]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_says_who_tries_credentials_from_where() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = [("CHATKEEP_SERVER_TRUSTED_PROXIES", "127.0.0.1")];
    let service = Process::start(&folder.path().join("chatkeep.db"), &proxy).unwrap();
    let from = "203.0.113.9";
    let call = [
        (post("/edge/message", &json!({})).bearer("bad"), true),
        (post("/edge/sync", &json!({})), true),
        (get("/account").bearer("bad"), true),
        (get("/admin/users").bearer("bad"), true),
        (request("POST", "/admin/purge"), true),
        (get("/admin/users").bearer(ADMIN_TOKEN), true),
        (get("/health"), false),
        (get("/nothing"), false),
    ];
    for (at, (request, _)) in call.iter().enumerate() {
        let request = request
            .clone()
            .header("X-Request-Id", &format!("asked-{at}"))
            .header("X-Forwarded-For", &format!("198.51.100.1, {from}"));
        service.send(&request).await;
    }
    eventually("the last line", async || service.log().contains("asked-7")).await;
    let log = service.log();
    for (at, (_, tells)) in call.iter().enumerate() {
        let name = format!("request_id=asked-{at}");
        let line = log.lines().find(|line| line.contains(&name)).unwrap();
        let end = format!("{name} from={from}");
        assert_eq!(line.ends_with(&end), *tells, "{line}");
        assert_eq!(line.contains("from="), *tells, "{line}");
    }
}
