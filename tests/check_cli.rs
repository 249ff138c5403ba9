//! `chatkeep check` through the real binary: everything that is wrong, at once, and nothing made.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const SIX_MISTAKES: &str = r#"
[server]
listen = 8080                    # no text
environment = "production"
[storage]
path = "notes.txt"               # no database
readers = 1000                   # too many
[edge]
hartbeat_s = 10                  # nobody knows it
secret_file = "nowhere/secret"   # can't be read
[identity]
jwks_url = "id.example.com/keys" # no URL
[billing]
provider = "stripe"              # wants keys and prices
publishable_key = "pk_1"
price_monthly = "price_1"
price_annual = "price_2"
webhook_secret = "whsec_0123456789abcdef0123456789abcdef"
[admin]
token = "0123456789abcdef0123456789abcdef"
"#;

fn chatkeep(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    chatkeep(folder, arguments).output().unwrap()
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(name)
        .map(|n| n.into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_mistake_is_named_at_once_and_what_to_do() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("service.toml"), SIX_MISTAKES).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "milk, eggs").unwrap();
    let expected = [
        ("server.listen: ", "must be a text in quotes"),
        ("storage.readers: ", "from 1 to 64"),
        ("edge.secret: ", "nowhere/secret"),
        ("identity.jwks_url: ", "https://"),
        ("edge.hartbeat_s: ", "the nearest is edge.heartbeat_s"),
        ("billing.secret_key: ", "is needed"),
        ("storage.path: ", "not a SQLite database"),
    ];
    let before = names(folder.path());
    for place in [
        &["check"][..],
        &["check", "--config", "service.toml"],
        &["--config", "service.toml", "check"],
    ] {
        let checked = run(folder.path(), place);
        let told = lines(&checked.stderr);
        assert_eq!(checked.status.code(), Some(1), "{told:#?}");
        assert_eq!(checked.stdout, b"");
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        for (key, part) in expected {
            let named = |line: &&String| line.starts_with(&format!("chatkeep: {key}"));
            let line = told.iter().find(named);
            assert!(
                line.is_some_and(|l| l.contains(part)),
                "{key}{part}: {told:#?}"
            );
        }
        assert_eq!(names(folder.path()), before);
    }

    let as_json = run(folder.path(), &["check", "--json"]);
    assert_eq!(as_json.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&as_json.stdout).unwrap();
    let problems = told["problems"].as_array().unwrap();
    let as_lines: Vec<String> = problems
        .iter()
        .map(|p| {
            let text = |name| p[name].as_str().unwrap().to_owned();
            format!("chatkeep: {}: {}", text("key"), text("message"))
        })
        .collect();
    assert_eq!(as_lines, lines(&as_json.stderr));
}

/// All of them, by name, and never their values.
#[test]
fn weak_secrets_are_named_in_production() {
    let folder = TempDir::new().unwrap();
    let checked = chatkeep(folder.path(), &["check"])
        .env("ENVIRONMENT", "production")
        .env("EDGE_SECRET", "Weak1")
        .env("CHATKEEP_EDGE_PREVIOUS_SECRET", "Weak2")
        .env("RELAY_WEBHOOK_SECRET", "Weak3")
        .env("CHATKEEP_ADMIN_TOKEN", "Weak4")
        .env("CHATKEEP_IDENTITY_HS256_SECRET", "Weak5")
        .env("CHATKEEP_BILLING_PROVIDER", "stripe")
        .env("CHATKEEP_BILLING_SECRET_KEY", "Weak6")
        .env("CHATKEEP_BILLING_WEBHOOK_SECRET", "Weak7")
        .env("CHATKEEP_BILLING_PUBLISHABLE_KEY", "pk_live_1")
        .env("CHATKEEP_BILLING_PRICE_MONTHLY", "price_1")
        .env("CHATKEEP_BILLING_PRICE_ANNUAL", "price_2")
        .output()
        .unwrap();
    let told = lines(&checked.stderr);
    assert_eq!(checked.status.code(), Some(1), "{told:#?}");
    let mut named: Vec<&str> = told
        .iter()
        .map(|line| line.split(": ").nth(1).unwrap())
        .collect();
    named.sort_unstable();
    let expected = [
        "admin.token",
        "billing.secret_key",
        "billing.webhook_secret",
        "edge.legacy_secret",
        "edge.previous_secret",
        "edge.secret",
        "identity.hs256_secret",
    ];
    assert_eq!(named, expected, "{told:#?}");
    assert!(!told.concat().contains("Weak"), "{told:#?}");
}

#[test]
fn mended_it_says_so() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    assert!(run(path, &["init"]).status.success());
    let checked = run(path, &["check", "--json"]);
    let told: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(0), "{told}");
    assert_eq!(told["file"], "service.toml");
    assert_eq!(told["environment"], "production");
    assert_eq!(told["problems"], json!([]));
    let warned = told["warnings"].to_string();
    assert!(warned.contains("server.public_url"), "{warned}");
    assert_eq!(names(path), ["service.toml"]);
}

#[test]
fn files_beside_the_database_are_looked_at_too() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("data")).unwrap();
    std::fs::write(path.join("data/sealing.key"), "").unwrap();
    std::fs::write(path.join("data/exports"), "a file").unwrap();
    std::fs::write(path.join("data/secrets.toml"), "[edge]\nsecret = 1\n").unwrap();
    let told = lines(&run(path, &["check"]).stderr);
    assert_eq!(told.len(), 3, "{told:#?}");
    for key in [
        "marketplace.sealing_key: ",
        "exports.dir: ",
        "data/secrets.toml: ",
    ] {
        assert!(told.iter().any(|line| line.contains(key)), "{key} {told:?}");
    }
}

/// What `head -1` does once it has its line.
#[test]
fn whoever_stops_reading_is_no_trouble() {
    let folder = TempDir::new().unwrap();
    for arguments in [
        &["check"][..],
        &["flags", "list"],
        &["flags", "list", "--json"],
        &["--help"],
        &["--version"],
        &["init"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = chatkeep(folder.path(), arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(told, "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
    assert_eq!(names(folder.path()), ["service.toml"], "of `init`");
}
