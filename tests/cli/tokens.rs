//! `chatkeep token user`, as somebody at a terminal meets it, and what its tokens open.

#[allow(unused_imports)]
use std::path::Path;
use std::process::{Command, Output};

use crate::support::process::Process;
use crate::support::{EDGE_SECRET, direct, get, post};
use tempfile::TempDir;

const UUID: &str = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
const PHONE: &str = "+15550101";
const KEY: &str = "an-identity-secret-of-at-least-32-bytes";

fn chatkeep(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command.env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"));
    command
}

fn token_user(folder: &Path, options: &[&str]) -> Command {
    let arguments: Vec<&str> = ["token", "user"].iter().chain(options).copied().collect();
    let mut command = chatkeep(folder, &arguments);
    command.env("CHATKEEP_IDENTITY_HS256_SECRET", KEY);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// The token that was printed, alone.
fn token(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let token = text(&output.stdout);
    assert_eq!(token.split('.').count(), 3, "{token}");
    token
}

fn assert_refused(output: &Output, part: &str) {
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert_eq!(text(&output.stdout), "");
    assert_eq!(printed.lines().count(), 1, "{printed}");
    assert!(printed.contains(part), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn its_tokens_open_the_users_account() {
    let folder = TempDir::new().unwrap();
    let settings = [("CHATKEEP_IDENTITY_HS256_SECRET", KEY)];
    let process = Process::start(&folder.path().join("chatkeep.db"), &settings).unwrap();
    let output = token_user(folder.path(), &["--user-id", UUID])
        .output()
        .unwrap();
    assert!(
        text(&output.stderr).contains("no user"),
        "{}",
        text(&output.stderr)
    );
    let path = format!("/api/v1/usage/limits/{UUID}");
    let upper = ["--user-id", &UUID.to_uppercase(), "--ttl", "30d"];
    let repeated = token_user(folder.path(), &upper);
    for (mut command, first) in [
        (token_user(folder.path(), &["--user-id", UUID]), true),
        (repeated, false),
    ] {
        let output = command.output().unwrap();
        let answer = process.send(&get(&path).bearer(&token(&output))).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(
            text(&output.stderr).is_empty(),
            !first,
            "{}",
            text(&output.stderr)
        );
    }

    let by_phone = ["--phone", PHONE, "--ttl", "90s"];
    assert_refused(
        &token_user(folder.path(), &by_phone).output().unwrap(),
        "user list",
    );
    let hello = post("/edge/message", &direct(PHONE, "hello")).bearer(&crate::support::token("a"));
    assert_eq!(process.send(&hello).await.status, 200);
    let output = token_user(folder.path(), &by_phone).output().unwrap();
    let answer = process.send(&get(&path).bearer(&token(&output))).await;
    assert_eq!(
        (answer.status, answer.code()),
        (404, "user_not_found".into())
    );
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn it_is_refused_where_a_provider_issues_them() {
    let folder = TempDir::new().unwrap();
    let by_id = ["--user-id", UUID];
    let production = |options: &[&str]| {
        let mut command = token_user(folder.path(), options);
        let secret = "a-secret-of-at-least-32-bytes-for-tests";
        command
            .env("ENVIRONMENT", "production")
            .env("EDGE_SECRET", secret)
            .env("CHATKEEP_ADMIN_TOKEN", secret);
        command
    };
    token(&production(&by_id).output().unwrap());
    let with_provider = production(&by_id)
        .env("CHATKEEP_IDENTITY_JWKS_URL", "https://id.example.com/jwks")
        .env("CHATKEEP_IDENTITY_ISSUER", "https://id.example.com/")
        .env("CHATKEEP_IDENTITY_AUDIENCE", "chatkeep")
        .output();
    assert_refused(&with_provider.unwrap(), "identity.jwks_url");
    for ttl in ["0s", "31d", "721h", "99999999999999999999d"] {
        let output = token_user(folder.path(), &["--user-id", UUID, "--ttl", ttl]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(2), "{ttl}");
        assert!(
            text(&output.stderr).contains("'--ttl <SPAN>': must be"),
            "{ttl}"
        );
    }
    let both = ["--user-id", UUID, "--phone", PHONE];
    assert_eq!(
        token_user(folder.path(), &both)
            .output()
            .unwrap()
            .status
            .code(),
        Some(2)
    );
    assert_refused(
        &token_user(folder.path(), &["--phone", PHONE])
            .output()
            .unwrap(),
        "nobody has written",
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// On a machine where nothing was started yet it works all the same, and says what it is for.
#[test]
fn a_fresh_folder_gets_its_secrets_and_a_note() {
    let folder = TempDir::new().unwrap();
    let output = chatkeep(folder.path(), &["token", "user", "--user-id", UUID]).output();
    let output = output.unwrap();
    token(&output);
    assert!(text(&output.stderr).contains("does not exist yet"));
    assert!(folder.path().join("secrets.toml").exists());
}

/// Such a token would open nothing.
#[tokio::test(flavor = "multi_thread")]
async fn there_is_none_for_an_account_that_was_erased() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("chatkeep.db");
    drop(Process::start(&database, &[]).unwrap());
    let conn = rusqlite::Connection::open(&database).unwrap();
    let erased = format!("INSERT INTO erased_users VALUES ('{UUID}', 1700000000000)");
    conn.execute_batch(&erased).unwrap();
    for id in [UUID, &UUID.to_uppercase()] {
        let output = token_user(folder.path(), &["--user-id", id]).output();
        let output = output.unwrap();
        assert_refused(&output, "was erased (2023-11-14T22:13:20.000Z)");
        assert_eq!(output.stdout, b"");
    }
}

/// A registration token from the command line opens the running service, once.
#[tokio::test(flavor = "multi_thread")]
async fn a_printed_registration_token_registers_a_relay() {
    let folder = TempDir::new().unwrap();
    let process = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let mut command = chatkeep(folder.path(), &["token", "registration", "--ttl", "1h"]);
    let output = command.env("EDGE_SECRET", EDGE_SECRET).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let token = text(&output.stdout);
    let body = serde_json::json!({"user_phone": PHONE, "registration_token": token});
    let answer = process.send(&post("/edge/register", &body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let mut process = process;
    process.kill();
    // What was answered with 200 was kept: the token is used, also after a kill.
    let process = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let repeated = process.send(&post("/edge/register", &body)).await;
    assert_eq!(repeated.status, 401, "{}", repeated.text);
    let edge_token = answer.json()["edge_token"].as_str().unwrap().to_owned();
    let message = post("/edge/message", &direct(PHONE, "hi")).bearer(&edge_token);
    assert_eq!(process.send(&message).await.status, 200);
}
