//! `chatkeep service`, beside a running service and alone.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use crate::support::process::Process;
use crate::support::{
    ADMIN_TOKEN, EDGE_SECRET, PATIENCE, direct, get, http_stub, post, rows, token,
};
use serde_json::{Value, json};

const PHONE: &str = "+15550101";
const SECRET: &str = "private-quixotic";
const SETTINGS: [(&str, &str); 2] = [
    ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
    ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1"),
];

/// Runs a command with `input` as its standard input.
fn service(folder: &Path, arguments: &str, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"))
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("EDGE_SECRET", EDGE_SECRET)
        .env("USER", "quinn")
        .envs(SETTINGS)
        .current_dir(folder)
        .arg("service")
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses at once reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(!format!("{output:?}").contains(SECRET), "{output:?}");
    output
}

fn done(folder: &Path, arguments: &str, input: &str) -> String {
    let output = service(folder, arguments, input);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// One line on standard error that holds `part`.
fn refused(folder: &Path, arguments: &str, input: &str, part: &str) {
    let output = service(folder, arguments, input);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments}: {printed}");
    assert_eq!(printed.lines().count(), 1, "{arguments}: {printed}");
    assert!(printed.contains(part), "{arguments}: {printed}");
}

fn listed(folder: &Path) -> Vec<Value> {
    let list = done(folder, &format!("list --phone {PHONE} --json"), "");
    let list: Value = serde_json::from_str(&list).unwrap();
    list["services"].as_array().unwrap().clone()
}

/// The address of a calendar, and the status that its server answers with.
fn calendar() -> (String, Arc<AtomicU16>) {
    let status = Arc::new(AtomicU16::new(200));
    let answered = status.clone();
    let address = http_stub::start(move |_| {
        let calendar = "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Work\r\nBEGIN:VEVENT\r\nUID:a\r\n\
            SUMMARY:Standup\r\nDTSTART:20260101T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let status = answered.load(Ordering::SeqCst);
        Some((status, "text/calendar", calendar.as_bytes().to_vec()))
    });
    (format!("http://{address}/{SECRET}.ics"), status)
}

/// Adds, lists, tests and removes a calendar.
fn go_through(folder: &Path, add: &str, input: &str, status: &AtomicU16) {
    let added: Value = serde_json::from_str(&done(folder, add, input)).unwrap();
    let id = added["service_id"].as_str().unwrap().to_owned();
    assert_eq!(
        (&added["name"], &added["state"], &added["host"]),
        (&json!("Mine"), &json!("ok"), &json!("127.0.0.1"))
    );
    assert_eq!(listed(folder), [added]);
    // Once more: it is the same one, under the name that is given, if any.
    for (name, expected) in [
        ("--name Home", "Home"),
        ("", "Home"),
        ("--name Mine", "Mine"),
    ] {
        done(folder, &add.replace("--name Mine", name), input);
        let services = listed(folder);
        assert_eq!(services.len(), 1);
        assert_eq!(
            (&services[0]["service_id"], &services[0]["name"]),
            (&json!(id), &json!(expected))
        );
    }
    let line = done(folder, &format!("list --phone {PHONE}"), "");
    let expected = format!("{id}  ics     ok       Mine (127.0.0.1, 1 calendar)  synced 20");
    assert!(line.starts_with(&expected), "{line}");
    let test = format!("test --phone {PHONE} {id}");
    assert!(done(folder, &test, "").contains("  ok  "));
    status.store(503, Ordering::SeqCst);
    refused(folder, &test, "", "127.0.0.1 answered 503.");
    assert_eq!(listed(folder)[0]["state"], "failing");
    let repeated = service(folder, add, input);
    let printed = String::from_utf8_lossy(&repeated.stderr);
    assert!(printed.contains("127.0.0.1 answered 503."), "{printed}");
    status.store(200, Ordering::SeqCst);
    let deleted = done(folder, &format!("remove --phone {PHONE} {id}"), "");
    assert!(deleted.starts_with("The service is removed"), "{deleted}");
    assert_eq!(
        done(folder, &format!("list --phone {PHONE}"), ""),
        "No services.\n"
    );
    refused(folder, &test, "", "no connected service");
}

#[tokio::test(flavor = "multi_thread")]
async fn services_are_added_listed_tested_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let database = folder.join("chatkeep.db");
    let (url, status) = calendar();
    let add = format!("add --phone {PHONE} --kind ics --name Mine --json");
    refused(folder, &add, &url, "there is no database");
    let mut running = Process::start(&database, &SETTINGS).unwrap();
    let hello = post("/edge/message", &direct(PHONE, "hello")).bearer(&token("a"));
    assert_eq!(running.send(&hello).await.status, 200);
    refused(
        folder,
        &add.replace("01 ", "02 "),
        &url,
        "the nearest is +15550101",
    );
    refused(folder, &add, "", "no iCal address was entered");
    refused(
        folder, "remove --phone +15550101 no/id", "", "is not the id of a service",
    );
    go_through(folder, &add, &format!("{url}\n"), &status);
    // Without a service, the address in a file.
    running.kill();
    let file = folder.join("secret.txt");
    std::fs::write(&file, format!("{url}\nmore\n")).unwrap();
    go_through(
        folder,
        &format!("{add} --secret-file {}", file.display()),
        "",
        &status,
    );
    // What the log says of it: no address, and no name of the calendar.
    let log = rows(
        &database,
        "SELECT action, operator, before ->> 'host', after ->> 'kind' FROM audit ORDER BY id",
    );
    let (add, remove) = (
        json!(["service.add", "command line, quinn", null, "ics"]),
        json!(["service.remove", "command line, quinn", "127.0.0.1", null]),
    );
    let each = [vec![add; 4], vec![remove]].concat();
    assert_eq!(json!(log), json!([each.clone(), each].concat()));
    let whole = rows(
        &database,
        "SELECT coalesce(after, '') || coalesce(before, '') FROM audit",
    );
    assert!(!json!(whole).to_string().contains("Mine"), "{whole:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_lacks_is_a_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        "add --kind ics",
        "add --phone +15550101 --kind pop3",
        "add --phone +15550101 --kind caldav --username ada",
        "add --phone +15550101 --kind caldav --url https://dav.example.com",
        "add --phone +15550101 --kind imap --username ada",
        "list",
        "test --phone +15550101",
    ] {
        let output = service(folder.path(), arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
    }
    let address = "the iCal address is a secret";
    let ics = "add --phone +15550101 --kind ics";
    let imap = "add --phone +15550101 --kind imap --host h --username u";
    for (arguments, why) in [
        (format!("{ics} --url https://example.com/a.ics"), address),
        (format!("{ics} --host h"), address),
        (format!("{ics} --port 5"), address),
        (format!("{ics} --no-tls"), address),
        (format!("{ics} --username u"), address),
        (format!("{imap} --url u"), "--url is for --kind caldav\n"),
    ] {
        let output = service(folder.path(), &arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains(why), "{arguments}: {printed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_admin_routes_know_users_and_services() {
    let service = crate::support::Service::start().await;
    let hello = service.edge_message("a", &direct(PHONE, "hello")).await;
    assert_eq!(hello.status, 200, "{}", hello.text);
    let user_id = service.user_id(PHONE);
    let unknown = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
    let path = |user: &str| format!("/admin/users/{user}/services");
    let own = service
        .send(&get(&path(&user_id)).bearer(ADMIN_TOKEN))
        .await;
    assert_eq!(own.json(), json!({"services": []}));
    let body = json!({"kind": "ics", "url": "https://127.0.0.1/x"});
    let ics = |path: &str| post(path, &body);
    let sync =
        |user: &str| crate::support::request("POST", &format!("{}/{unknown}/sync", path(user)));
    let remove =
        |user: &str| crate::support::request("DELETE", &format!("{}/{unknown}", path(user)));
    for (request, code) in [
        (get(&path(unknown)), "user_not_found"),
        (ics(&path(unknown)), "user_not_found"),
        (sync(unknown), "user_not_found"),
        (remove(unknown), "user_not_found"),
        (sync(&user_id), "service_not_found"),
        (remove(&user_id), "service_not_found"),
    ] {
        let answer = service.send(&request.bearer(ADMIN_TOKEN)).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, code));
    }
    let private = ics(&path(&user_id)).bearer(ADMIN_TOKEN);
    let private = service.send(&private).await;
    assert_eq!(private.code(), "service_unreachable", "{}", private.text);
}

/// An operator is told the settings, and a person in the API is not.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_own_network_names_the_settings_that_allow_it() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let service = Process::start(&database, &[]).unwrap();
    let hello = direct(PHONE, "hello");
    let answer = service
        .send(&post("/edge/message", &hello).bearer(&token("a")))
        .await;
    assert_eq!(answer.status, 200);
    let add = |url: &'static str| {
        let arguments = format!("add --phone {PHONE} --kind caldav --username ada --url {url}");
        (arguments, "a-password\n")
    };
    let (arguments, input) = add("https://127.0.0.1:1/");
    refused(
        folder.path(),
        &arguments,
        input,
        "services.allow_private = true",
    );
    let (arguments, input) = add("http://127.0.0.1:1/");
    refused(
        folder.path(),
        &arguments,
        input,
        "name it in services.allowed_hosts",
    );
}

/// A list only reads: it works beside another command, and where nothing can be written.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_needs_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    {
        let mut service = Process::start(&database, &SETTINGS).unwrap();
        let message = post("/edge/message", &direct(PHONE, "hi")).bearer(&token("a"));
        assert_eq!(service.send(&message).await.status, 200);
        service.signal("TERM");
        service.ended(PATIENCE);
    }
    let _held = chatkeep::store::Lock::take(&database).unwrap();
    assert!(listed(folder.path()).is_empty());
    let outlook = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", &database)
        .current_dir(folder.path())
        .args(["purge", "--dry-run"])
        .output()
        .unwrap();
    assert_eq!(outlook.status.code(), Some(0), "{outlook:?}");
}
