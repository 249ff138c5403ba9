//! `chatkeep user …` through the real binary: beside a running service, and without one.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};

use crate::support::{ADMIN_TOKEN, EDGE_SECRET, Request, direct, post, request, token};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

fn chatkeep(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command
        .env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0")
        .env("CHATKEEP_STORAGE_PATH", "chatkeep.db")
        .env("EDGE_SECRET", EDGE_SECRET)
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("CHATKEEP_ACCESS_CHARGE_NOBODY", "false");
    command
}

fn user(folder: &Path, arguments: &str) -> Output {
    let mut all = vec!["user"];
    all.extend(arguments.split(' '));
    chatkeep(folder, &all).output().unwrap()
}

/// What a command printed that did what it was told.
fn done(folder: &Path, arguments: &str) -> String {
    let output = user(folder, arguments);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {printed}");
    String::from_utf8(output.stdout).unwrap()
}

fn json_of(folder: &Path, arguments: &str) -> Value {
    serde_json::from_str(&done(folder, arguments)).unwrap()
}

/// Exit code 1 and one line that holds `part`.
fn assert_refused(folder: &Path, arguments: &str, part: &str) {
    let output = user(folder, arguments);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments}: {printed}");
    assert_eq!(printed.lines().count(), 1, "{arguments}: {printed}");
    assert!(printed.contains(part), "{arguments}: {printed}");
    assert!(output.stdout.is_empty(), "{arguments}");
}

static SENT: AtomicI64 = AtomicI64::new(1_700_000_000);

/// `chatkeep serve`; killed when dropped, as a crash would.
struct RunningService {
    child: Child,
    address: String,
}

impl RunningService {
    fn start(folder: &Path) -> Self {
        let mut child = chatkeep(folder, &["serve"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut greeting = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut greeting).unwrap();
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        let (_, rest) = greeting.split_once("http://").expect("an address");
        let address = rest.split(',').next().unwrap().trim().to_owned();
        Self { child, address }
    }

    async fn send(&self, request: &Request) -> Value {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(&request.bytes()).await.unwrap();
        let answer = crate::support::read_answer(&mut stream).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// The code of the access object that a message is answered with.
    async fn denied(&self, sender: &str) -> Option<String> {
        let mut message = direct(sender, "hello");
        // A repetition after a crash would be given the answer from before it.
        message["timestamp"] = SENT.fetch_add(1, Ordering::SeqCst).into();
        let request = post("/edge/message", &message).bearer(&token("a"));
        let answer = self.send(&request).await;
        answer["access"]["code"].as_str().map(str::to_owned)
    }

    async fn set_flag(&self, key: &str, value: i64) {
        let path = format!("/admin/feature-flags/{key}");
        let body = json!({ "value": value });
        self.send(&request("PUT", &path).json(&body).bearer(ADMIN_TOKEN))
            .await;
    }
}

impl Drop for RunningService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_hold_at_once_in_the_running_service() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let service = RunningService::start(folder);
    service.set_flag("free_tier.daily_message_limit", 0).await;
    let limited = Some("message_limit_reached".to_owned());
    assert_eq!(service.denied("+15550101").await, limited);
    let printed = done(folder, "grant --phone +15550101 --plan annual");
    assert_eq!(printed, "+15550101 is subscribed (annual).\n");
    assert_eq!(service.denied("+15550101").await, None);
    let id = json_of(folder, "show --phone +15550101 --json")["user_id"].clone();
    let id = id.as_str().unwrap();
    let printed = done(folder, &format!("revoke --user-id {id}"));
    assert_eq!(printed, "The grant of +15550101 has ended.\n");
    assert_eq!(service.denied("+15550101").await, limited);
    let printed = done(folder, &format!("revoke --user-id {id}"));
    assert!(printed.contains("nothing changed"), "{printed}");
    let printed = done(
        folder,
        &format!("grant --user-id {id} --plan monthly --until 9000-12-30"),
    );
    assert!(
        printed.contains("(monthly, to the end of 9000-12-30 (UTC))"),
        "{printed}"
    );
    assert_eq!(service.denied("+15550101").await, None);
    for command in [
        &["user", "show", "--phone", "+15550110"][..],
        &["user", "revoke", "--phone", "+15550110"],
        &["user", "grant", "--phone", "+15550110", "--plan", "annual"],
        &["token", "user", "--phone", "+15550110"],
    ] {
        let refused = chatkeep(folder, command).output().unwrap();
        let printed = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{printed}");
        assert!(printed.contains("the nearest is +15550101"), "{printed}");
    }
    // Another admin token: said, and nothing changed.
    let revoke = ["user", "revoke", "--phone", "+15550101"];
    let mut foreign = chatkeep(folder, &revoke);
    foreign.env(
        "CHATKEEP_ADMIN_TOKEN", "another-admin-token-of-32-bytes-or-so",
    );
    let refused = foreign.output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("admin.token"));
    assert_eq!(service.denied("+15550101").await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_without_a_running_service_are_found_by_the_next_one() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let service = RunningService::start(folder);
    service.set_flag("free_tier.daily_message_limit", 0).await;
    assert!(service.denied("ana").await.is_some());
    drop(service);
    // Reading works on what a killed service left.
    assert!(done(folder, "list").contains("ana"));
    done(
        folder,
        "grant --phone ana --plan monthly --until 9000-12-30",
    );
    let printed = done(folder, "show --phone ana");
    assert!(
        printed
            .contains("active (monthly), granted by an operator, to the end of 9000-12-30 (UTC)"),
        "{printed}"
    );
    assert!(printed.contains("not counted (subscribed)"), "{printed}");
    let service = RunningService::start(folder);
    assert_eq!(service.denied("ana").await, None);
    drop(service);
    done(folder, "revoke --phone ana");
    let printed = json_of(folder, "show --phone ana --json");
    assert_eq!(printed["subscription_status"], "free");
    let shown = done(folder, "show --phone ana");
    assert!(shown.contains("0 counted today"), "{shown}");
    let mut free = chatkeep(folder, &["user", "show", "--phone", "ana"]);
    free.env("CHATKEEP_ACCESS_CHARGE_NOBODY", "true");
    let shown = String::from_utf8(free.output().unwrap().stdout).unwrap();
    let expected = "not counted (access.charge_nobody)";
    assert!(shown.contains(expected), "{shown}");
    assert_eq!(printed["grant"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_was_asked_for_is_shown() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let service = RunningService::start(folder);
    service.denied("ana").await;
    assert!(done(folder, "show --phone ana").contains("deletion      not asked for"));
    let printed = json_of(folder, "show --phone ana --json");
    assert_eq!(printed["deletion_scheduled_for"], Value::Null);
    let conn = rusqlite::Connection::open(folder.join("chatkeep.db")).unwrap();
    conn.busy_timeout(crate::support::PATIENCE).unwrap();
    let due = "UPDATE users SET deletion_requested_at = 1, deletion_scheduled_for = 4102444800000";
    conn.execute_batch(due).unwrap();
    let printed = done(folder, "show --phone ana");
    assert!(printed.contains("asked for, due 2100-01-01"), "{printed}");
    let listed = done(folder, "list");
    assert!(
        listed.contains("(to be deleted, due 2100-01-01"),
        "{listed}"
    );
    let printed = json_of(folder, "show --phone ana --json");
    assert_eq!(
        printed["deletion_scheduled_for"],
        "2100-01-01T00:00:00.000Z"
    );
    let by_service = service
        .send(&crate::support::get("/admin/users").bearer(ADMIN_TOKEN))
        .await;
    assert_eq!(by_service["users"][0], printed);
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_listed_page_by_page() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let service = RunningService::start(folder);
    let nasty = "cleo\u{1b}[2J\u{61c}\u{202e}\u{2066}\u{200f}\u{200b}\u{9b}";
    for sender in ["ana", "ben", nasty] {
        service.denied(sender).await;
    }
    let listed = done(folder, "list");
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines[0].contains("ana") && lines[0].contains("free") && lines[0].contains("1 today"));
    let as_json = done(folder, "list --json");
    for printed in [&listed, &as_json] {
        let steers = |c: char| nasty[4..].contains(c) && !"[2J".contains(c);
        assert!(!printed.contains(steers), "no steering: {printed:?}");
    }
    let first = json_of(folder, "list --limit 2 --json");
    assert_eq!(first["has_more"], true);
    let last = first["users"][1]["user_id"].as_str().unwrap();
    let second = json_of(folder, &format!("list --limit 2 --after {last} --json"));
    assert_eq!(second["has_more"], false);
    assert_eq!(second["users"].as_array().unwrap().len(), 1);
    assert_eq!(second["users"][0]["phone"], nasty);
    let more = user(folder, "list --limit 2");
    assert!(String::from_utf8_lossy(&more.stderr).contains(&format!("--after {last}")));
    // The command and the service show the same.
    let listed = service
        .send(&crate::support::get("/admin/users").bearer(ADMIN_TOKEN))
        .await;
    assert_eq!(listed, json_of(folder, "list --json"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_done_is_said_in_one_line() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    assert_refused(folder, "list", "there is no database");
    let place = folder.join("chatkeep.db").display().to_string();
    assert_refused(folder, "list", &place);
    assert_refused(
        folder,
        "list",
        "storage.path is relative to the working directory",
    );
    assert_refused(
        folder, "grant --phone ana --plan annual", "there is no database",
    );
    assert_eq!(
        std::fs::read_dir(folder).unwrap().count(),
        0,
        "nothing is made"
    );
    let service = RunningService::start(folder);
    service.denied("ana").await;
    for running in [true, false] {
        assert_refused(folder, "show --phone nobody", "chatkeep user list");
        assert_refused(folder, "list --after nobody", "chatkeep user list");
        assert_refused(
            folder, "grant --user-id x --plan annual", "chatkeep user list",
        );
        assert_refused(folder, "revoke --phone nobody", "chatkeep user list");
        let past = "grant --phone ana --plan annual --until 2020-01-01";
        assert_refused(folder, past, "must be in the future");
        for wrong in [
            "grant --phone ana --plan weekly",
            "grant --phone ana --plan annual --until soon",
            "grant --phone ana",
            "grant --phone ana --user-id x --plan annual",
            "show",
            "list --limit 0",
        ] {
            assert_eq!(user(folder, wrong).status.code(), Some(2), "{wrong}");
        }
        let mistyped = user(folder, "list --limit ten");
        let printed = String::from_utf8(mistyped.stderr).unwrap();
        assert!(
            printed.contains("a whole number from 1 to 1000"),
            "{printed}"
        );
        let empty = chatkeep(folder, &["user", "show", "--phone", ""]).output();
        let printed = String::from_utf8(empty.unwrap().stderr).unwrap();
        assert!(printed.contains("no user is known as \"\""), "{printed}");
        let view = json_of(folder, "show --phone ana --json");
        assert_eq!(view["grant"], Value::Null, "running: {running}");
        if running {
            let id = service.child.id().to_string();
            Command::new("kill").args(["-KILL", &id]).status().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_exports_deletes_and_keeps_an_account() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut service = RunningService::start(folder);
    service.denied("ana").await;
    for running in [true, false] {
        let file = format!("ana-{running}.json");
        let printed = done(folder, &format!("export --phone ana --out {file}"));
        let written = std::fs::read(folder.join(&file)).unwrap();
        let size = format!("{file} holds all data of ana ({} bytes).\n", written.len());
        assert_eq!(printed, size);
        let data: Value = serde_json::from_slice(&written).unwrap();
        assert!(data.to_string().contains("hello"), "{data}");
        let mode = std::fs::metadata(folder.join(&file)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        let again = format!("export --phone ana --out {file}");
        assert_refused(folder, &again, "exists already");
        let link = format!("link-{running}.json");
        std::os::unix::fs::symlink("nowhere", folder.join(&link)).unwrap();
        let to_link = format!("export --phone ana --out {link}");
        assert_refused(folder, &to_link, "exists already");
        assert_refused(folder, "export --phone ana --out no/x.json", "create it");

        let printed = done(folder, "keep --phone ana");
        assert_eq!(printed, "ana is not to be deleted; nothing changed.\n");
        let printed = done(folder, "delete --phone ana");
        assert!(printed.contains("ana will be deleted, due 2"), "{printed}");
        assert!(done(folder, "show --phone ana").contains("asked for, due"));
        let printed = done(folder, "delete --phone ana");
        assert!(printed.contains("already to be deleted"), "{printed}");
        assert_eq!(
            done(folder, "keep --phone ana"),
            "The account of ana stays.\n"
        );
        assert!(done(folder, "show --phone ana").contains("not asked for"));
        if running {
            service.child.kill().unwrap();
            service.child.wait().unwrap(); // until then it holds the database
        }
    }
    for unknown in [
        "export --phone anna --out x.json", "delete --phone anna", "keep --phone anna",
    ] {
        assert_refused(folder, unknown, "the nearest is ana");
    }
    // A name that is like nobody's.
    for unknown in [
        "delete --phone bo", "delete --user-id zzz", "show --phone +4912345",
    ] {
        let refusal = "; `chatkeep user list` lists the users";
        let name = unknown.rsplit(' ').next().unwrap_or_default();
        let refusal = format!("no user is known as {name:?}{refusal}");
        assert_refused(folder, unknown, &refusal);
    }
    assert!(!folder.join("x.json").exists());
    let audit = chatkeep(folder, &["audit", "--json"]).output().unwrap();
    let audit = String::from_utf8(audit.stdout).unwrap();
    for action in ["export.start", "deletion.request", "deletion.cancel"] {
        assert_eq!(audit.matches(action).count(), 2, "{action}: {audit}");
    }
}
