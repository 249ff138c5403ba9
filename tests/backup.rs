//! `chatkeep backup` and `chatkeep restore`: beside a service under load, alone, refused,
//! killed, and with people in a backup who were erased since.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};
use support::process::{Process, ask};
use support::{
    ADMIN_TOKEN, EDGE_SECRET, RelaySocket, direct, eventually, group, post, request, rows, token,
};
use tempfile::TempDir;

const GONE: &str = "+15550101";
const STAYS: &str = "+15550102";

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"))
        .env("CHATKEEP_EXPORTS_DIR", folder.join("exports"))
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("EDGE_SECRET", EDGE_SECRET)
        .current_dir(folder)
        .stdin(Stdio::null())
        .args(arguments.split_whitespace());
    command
}

fn run(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

/// What it printed.
fn done(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    let text = format!("{output:?}");
    assert_eq!(output.status.code(), Some(0), "{arguments}: {text}");
    String::from_utf8(output.stdout).unwrap()
}

/// Why it was refused.
fn refused(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments}: {output:?}");
    assert_eq!(output.stdout, b"", "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

fn start(folder: &Path) -> Process {
    let exports = folder.join("exports");
    let settings = [("CHATKEEP_EXPORTS_DIR", exports.to_str().unwrap())];
    Process::start(&folder.join("chatkeep.db"), &settings).unwrap()
}

fn stop(mut service: Process) {
    service.signal("TERM");
    assert_eq!(service.ended(Duration::from_secs(30)).code(), Some(0));
}

async fn say(service: &Process, body: &Value) {
    let message = post("/edge/message", body).bearer(&token("a"));
    let answer = service.send(&message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

fn execute(database: &Path, sql: &str) {
    let conn = Connection::open(database).unwrap();
    conn.busy_timeout(support::PATIENCE).unwrap();
    conn.execute_batch(sql).unwrap();
}

/// Names in a folder, without those that come and go with a process.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| {
            !["-wal", "-shm", ".lock"]
                .iter()
                .any(|end| name.ends_with(end))
        })
        .collect();
    names.sort();
    names
}

fn starting_with(folder: &Path, start: &str) -> Vec<PathBuf> {
    let found = names(folder)
        .into_iter()
        .filter(|name| name.starts_with(start));
    found.map(|name| folder.join(name)).collect()
}

fn holds(file: &Path, trace: &str) -> bool {
    let bytes = std::fs::read(file).unwrap();
    bytes.windows(trace.len()).any(|w| w == trace.as_bytes())
}

fn epoch(database: &Path) -> Value {
    let sql = "SELECT value FROM meta WHERE key = 'edge_epoch'";
    rows(database, sql).remove(0).remove(0)
}

fn assert_whole(database: &Path) {
    assert_eq!(rows(database, "PRAGMA integrity_check"), [["ok"]]);
}

/// Messages of many people, until told to stop; how many were answered 200.
struct LoadRun {
    answered: Arc<AtomicU64>,
    stopping: Arc<AtomicBool>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl LoadRun {
    async fn begin(service: &Process) -> Self {
        for flag in ["rate_limit.enabled", "free_tier.enabled"] {
            let path = format!("/admin/feature-flags/{flag}");
            let off = request("PUT", &path).json(&json!({"value": false}));
            assert_eq!(service.send(&off.bearer(ADMIN_TOKEN)).await.status, 200);
        }
        let (answered, stopping) = (
            Arc::new(AtomicU64::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let address = service.address;
        let tasks = (0..8).map(|_| {
            let (answered, stopping) = (answered.clone(), stopping.clone());
            tokio::spawn(async move {
                while !stopping.load(Ordering::SeqCst) {
                    let n = answered.fetch_add(1, Ordering::SeqCst);
                    let body = direct(&format!("+1555{:07}", n % 50), &format!("hello {n}"));
                    let message = post("/edge/message", &body).bearer(&token("b"));
                    let answer = ask(address, &message).await.expect("an answer");
                    assert_eq!(answer.status, 200, "{}", answer.text);
                }
            })
        });
        Self {
            tasks: tasks.collect(),
            answered,
            stopping,
        }
    }

    async fn end(self) {
        self.stopping.store(true, Ordering::SeqCst);
        for task in self.tasks {
            task.await.unwrap();
        }
    }
}

/// A machine is lost and its backup, made under load, starts on another: nothing that the
/// backup had is lost, and the relay goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_relay_goes_on_with_a_backup_on_another_machine() {
    let (old, new) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (old, new) = (old.path().to_owned(), new.path());
    let mut service = start(&old);
    let mut relay = RelaySocket::open(service.address, "a", &token("a"))
        .await
        .unwrap();
    let old_epoch = relay.hello["data"]["epoch"].clone();
    for n in 0..3 {
        let body = direct(&format!("+1555020{n}"), "remind me in 1 second to stretch");
        say(&service, &body).await;
    }
    // One is done with, one was received, one only sent.
    let mut commands = [
        relay.command().await,
        relay.command().await,
        relay.command().await,
    ];
    commands.sort_by_key(|command| command["seq"].as_u64());
    relay.ack(&commands[0], "completed").await;
    relay.ack(&commands[1], "received").await;
    relay.settle().await;
    let load = LoadRun::begin(&service).await;
    eventually("load", async || load.answered.load(Ordering::SeqCst) > 100).await;
    let before = rows(&old.join("chatkeep.db"), "SELECT max(id) FROM messages");
    let report = tokio::task::spawn_blocking({
        let old = old.clone();
        move || done(&old, "backup b.db --json")
    });
    let report: Value = serde_json::from_str(&report.await.unwrap()).unwrap();
    load.end().await;
    service.kill();
    assert_eq!(report["schema_version"], 1);
    assert_eq!(
        report["pages"].as_u64().unwrap() * 4096,
        report["bytes"].as_u64().unwrap()
    );
    let backup = old.join("b.db");
    assert_eq!(report["bytes"], std::fs::metadata(&backup).unwrap().len());
    assert_whole(&backup);
    let stored = rows(&backup, "SELECT max(id), count(*) FROM messages");
    assert!(
        stored[0][0].as_i64() >= before[0][0].as_i64(),
        "{stored:?} {before:?}"
    );

    let restored = done(new, &format!("restore {} --yes --json", backup.display()));
    let restored: Value = serde_json::from_str(&restored).unwrap();
    assert_eq!(restored["kept_aside"], Value::Null);
    assert_eq!(restored["erased_again"], 0);
    assert_eq!(
        rows(
            &new.join("chatkeep.db"),
            "SELECT max(id), count(*) FROM messages"
        ),
        stored
    );
    let service = start(new);
    let mut relay = RelaySocket::open(service.address, "a", &token("a"))
        .await
        .unwrap();
    let new_epoch = relay.hello["data"]["epoch"].clone();
    assert_ne!(new_epoch, old_epoch);
    let last_seq = &commands[2]["seq"];
    relay
        .say(&json!({"type": "resume", "data": {"epoch": old_epoch, "last_seq": last_seq}}))
        .await;
    let mut repeated = [relay.command().await, relay.command().await];
    repeated.sort_by_key(|command| command["seq"].as_u64());
    for (command, expected) in repeated.iter().zip(&commands[1..]) {
        assert_eq!(command["command_id"], expected["command_id"]);
        assert_eq!(command["payload"], expected["payload"]);
        relay.ack(command, "completed").await;
    }
    relay.settle().await;
    say(
        &service,
        &direct("+15550209", "remind me in 1 second to walk"),
    )
    .await;
    let next = relay.command().await;
    assert!(next["payload"].to_string().contains("walk"), "{next}");
    assert!(next["seq"].as_u64() > commands[2]["seq"].as_u64());
    relay.ack(&next, "completed").await;
    eventually("an empty outbox", async || {
        let sql = "SELECT count(*) FROM commands WHERE state <> 'completed'";
        rows(&new.join("chatkeep.db"), sql) == [[0]]
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_private_complete_and_replaces_nothing_unasked() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    assert!(refused(folder, "backup b.db").contains("there is no database at"));
    assert_eq!(names(folder), [""; 0]);
    let service = start(folder);
    say(&service, &direct(STAYS, "hello")).await;
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    for running in [true, false] {
        let printed = done(folder, "backup b.db --force");
        assert!(
            printed.contains("b.db holds the database, checked: "),
            "{printed}"
        );
        assert!(printed.contains("sealing.key"), "{printed}");
        assert_eq!(
            rows(&folder.join("b.db"), "SELECT text FROM messages"),
            [["hello"]]
        );
        let mode = std::fs::metadata(folder.join("b.db"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        for (file, expected) in [
            ("b.db", "is there already"),
            ("chatkeep.db --force", "belongs to the database itself"),
            (
                "./chatkeep.db-wal --force", "belongs to the database itself",
            ),
            ("chatkeep.db-shm --force", "belongs to the database itself"),
            ("chatkeep.db.lock --force", "belongs to the database itself"),
            ("linked.db --force", "belongs to the database itself"),
            ("nowhere/b.db", "there is no folder nowhere; make it first"),
            ("/proc/b.db", "no file can be made in the folder /proc"),
            ("-", "can't go to standard output"),
            (". --force", "is a directory"),
            ("sealing.key --force", "is one of the service's own files"),
            ("socket --force", "is not a file"),
        ] {
            if !folder.join("linked.db").exists() {
                std::os::unix::fs::symlink("chatkeep.db", folder.join("linked.db")).unwrap();
            }
            let printed = refused(folder, &format!("backup {file}"));
            assert!(printed.contains(expected), "{file}, {running}: {printed}");
        }
        if running {
            service.signal("TERM");
            eventually("the end", async || {
                service.ask(&support::get("/health")).await.is_none()
            })
            .await;
        }
    }
    assert_eq!(starting_with(folder, "b.db"), [folder.join("b.db")]);
    assert_eq!(run(folder, "backup").status.code(), Some(2));
    assert_eq!(run(folder, "restore").status.code(), Some(2));
}

/// Every file but the lock, with its bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).unwrap_or_default();
        (name, bytes)
    };
    names(folder).into_iter().map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_restored_is_refused_and_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let service = start(folder);
    say(&service, &direct(STAYS, "hello")).await;
    done(folder, "backup b.db");
    let printed = refused(folder, "restore b.db --yes");
    assert!(
        printed.contains(&format!("in use by process {}", service.id())),
        "{printed}"
    );
    stop(service);
    type Spoil = fn(&mut Vec<u8>);
    let cases: [(&str, Spoil, &str); 6] = [
        (
            "no database",
            |f| f[..16].fill(b'x'),
            "not a SQLite database",
        ),
        ("cut off", |f| f.truncate(f.len() / 2), "cut off"),
        ("empty", Vec::clear, "is empty"),
        (
            "flipped bytes",
            |f| f[4096 * 4..][..8].fill(0xff),
            "damaged",
        ),
        (
            "another program's",
            |f| f[68..72].fill(7),
            "another program",
        ),
        ("a newer version's", |f| f[63] = 99, "newer Chatkeep"),
    ];
    let sound = std::fs::read(folder.join("b.db")).unwrap();
    for (what, spoil, expected) in cases {
        let mut bytes = sound.clone();
        spoil(&mut bytes);
        std::fs::write(folder.join("spoilt.db"), bytes).unwrap();
        let before = contents(folder);
        let printed = refused(folder, "restore spoilt.db --yes");
        assert!(printed.contains(expected), "{what}: {printed}");
        assert!(printed.contains("nothing was changed"), "{what}: {printed}");
        // What helps a service with its own file is no advice here.
        for misplaced in ["start anew", "storage.path", "***"] {
            assert!(!printed.contains(misplaced), "{what}: {printed}");
        }
        assert!(contents(folder) == before, "{what}: a file was changed");
    }
    std::fs::hard_link(folder.join("chatkeep.db"), folder.join("hard-link.db")).unwrap();
    let before = contents(folder);
    for (arguments, expected) in [
        ("restore b.db", "add --yes"),
        ("restore nothing.db --yes", "there is no file nothing.db"),
        ("restore chatkeep.db --yes", "is the database itself"),
        ("restore hard-link.db --yes", "is the database itself"),
    ] {
        let printed = refused(folder, arguments);
        assert!(printed.contains(expected), "{arguments}: {printed}");
        assert!(
            contents(folder) == before,
            "{arguments}: a file was changed"
        );
    }
    // A file of another program in the database's place is not moved away.
    let other = TempDir::new().unwrap();
    execute(&other.path().join("chatkeep.db"), "CREATE TABLE t (a)");
    let printed = refused(
        other.path(),
        &format!("restore {}/b.db --yes", folder.display()),
    );
    assert!(printed.contains("another program"), "{printed}");
    assert_eq!(names(other.path()), ["chatkeep.db"]);
}

/// Whoever was erased since the backup does not come back with it; whoever changed their mind
/// stays; what was asked for and what was ended since still is.
#[tokio::test(flavor = "multi_thread")]
async fn what_people_asked_for_since_the_backup_holds() {
    const LEAVING: &str = "+15550103";
    const STAYED: &str = "+15550104";
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let database = folder.join("chatkeep.db");
    let service = start(folder);
    for sender in [GONE, STAYS, LEAVING, STAYED] {
        say(
            &service,
            &direct(sender, "remember that my xylophone is red"),
        )
        .await;
        say(&service, &group("g", sender, "hi there")).await;
    }
    say(&service, &direct(GONE, "my walrus is hungry")).await;
    let schedule = |phone: &str, at: &str| {
        format!(
            "UPDATE users SET deletion_requested_at = 1, deletion_scheduled_for = {at}
             WHERE phone = '{phone}'"
        )
    };
    execute(&database, &schedule(STAYED, "2"));
    done(folder, "backup b.db");
    execute(&database, &schedule(STAYED, "NULL"));
    execute(
        &database,
        "UPDATE users SET deletion_requested_at = NULL WHERE phone = '+15550104'",
    );
    execute(&database, &schedule(GONE, "2"));
    assert_eq!(done(folder, "purge --now"), "1 account was erased.\n");
    execute(&database, &schedule(LEAVING, "99999999999999"));
    done(folder, "token revoke --agent-id a");
    stop(service);
    let tombstones = rows(&database, "SELECT user_id, erased_at FROM erased_users");
    let before = epoch(&database);
    assert!(holds(&folder.join("b.db"), GONE));

    let printed = done(folder, "restore b.db --yes");
    assert!(printed.contains("1 account was erased again."), "{printed}");
    let aside = starting_with(folder, "chatkeep.db.before-restore-");
    assert_eq!(aside.len(), 1);
    assert!(
        printed.contains(aside[0].file_name().unwrap().to_str().unwrap()),
        "{printed}"
    );
    assert_eq!(
        starting_with(folder, "chatkeep.db").len(),
        2,
        "no draft is left"
    );
    for trace in [GONE, "walrus"] {
        assert!(!holds(&database, trace), "{trace}");
    }
    assert_eq!(
        rows(&database, "SELECT user_id, erased_at FROM erased_users"),
        tombstones
    );
    assert_eq!(
        rows(
            &database,
            "SELECT phone, deletion_scheduled_for FROM users ORDER BY phone"
        ),
        [
            [json!(STAYS), Value::Null],
            [json!(LEAVING), json!(99_999_999_999_999_i64)],
            [json!(STAYED), Value::Null],
        ]
    );
    let revoked = "SELECT tokens_valid_from_s > 0 FROM agents WHERE agent_id = 'a'";
    assert_eq!(rows(&database, revoked), [[1]]);
    assert_ne!(epoch(&database), before);
    assert_eq!(epoch(&aside[0]), before);
    assert_whole(&database);

    // What is aside holds who is erased next: it goes with them.
    execute(&database, &schedule(STAYS, "2"));
    for copy in [
        "chatkeep.db.v1-20260101T000000.000Z", "chatkeep.db.v1-29990101T000000.000Z",
    ] {
        std::fs::write(folder.join(copy), STAYS).unwrap();
    }
    assert!(holds(&aside[0], STAYS));
    assert_eq!(done(folder, "purge --now"), "1 account was erased.\n");
    assert_eq!(
        starting_with(folder, "chatkeep.db"),
        std::slice::from_ref(&database)
    );
    assert!(!holds(&database, STAYS));
    done(folder, "backup afterwards.db");
    assert!(!holds(&folder.join("afterwards.db"), STAYS));
}

/// Exports of the present are not the backup's, and the other way round.
#[tokio::test(flavor = "multi_thread")]
async fn exports_whose_files_are_not_there_have_expired() {
    let (folder, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (folder, elsewhere) = (folder.path(), elsewhere.path());
    let service = start(folder);
    say(&service, &direct(STAYS, "hello")).await;
    let user = done(folder, &format!("token user --phone {STAYS}"));
    let export = |method, path: &str| request(method, path).bearer(user.trim());
    let job = service
        .send(&export("POST", "/account/export"))
        .await
        .json();
    let path = format!("/account/export/{}", job["job_id"].as_str().unwrap());
    eventually("the export", async || {
        service.send(&export("GET", &path)).await.json()["status"] == "ready"
    })
    .await;
    done(folder, "backup b.db");
    stop(service);
    std::fs::copy(folder.join("secrets.toml"), elsewhere.join("secrets.toml")).unwrap();
    done(
        elsewhere,
        &format!("restore {}/b.db --yes", folder.display()),
    );
    done(folder, "restore b.db --yes");
    for (place, status, download) in [(folder, "ready", 200), (elsewhere, "expired", 410)] {
        let service = start(place);
        let current = service.send(&export("GET", &path)).await;
        assert_eq!(
            (current.status, &current.json()["status"]),
            (200, &json!(status))
        );
        let file = service
            .send(&export("GET", &format!("{path}/download")))
            .await;
        assert_eq!(file.status, download, "{}", file.text);
    }
}

/// A damaged database is replaced all the same, and kept with its log.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_is_replaced_and_kept() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let database = folder.join("chatkeep.db");
    let mut service = start(folder);
    say(&service, &direct(STAYS, "hello")).await;
    done(folder, "backup b.db");
    say(&service, &direct(STAYS, "since then")).await;
    service.kill();
    let log = std::fs::read(folder.join("chatkeep.db-wal")).unwrap();
    assert!(!log.is_empty());
    let mut bytes = std::fs::read(&database).unwrap();
    bytes[..16].fill(b'x');
    std::fs::write(&database, &bytes).unwrap();
    let output = run(folder, "restore b.db --yes");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(
        warned.contains("the present database can't be read"),
        "{warned}"
    );
    let aside = starting_with(folder, "chatkeep.db.before-restore-");
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert!(std::fs::read(&aside[0]).unwrap() == bytes, "it was changed");
    let name = aside[0].file_name().unwrap().to_str().unwrap();
    let wal = std::fs::read(folder.join(format!("{name}-wal"))).unwrap();
    assert!(wal == log, "its log was changed");
    assert_eq!(rows(&database, "SELECT text FROM messages"), [["hello"]]);
    let service = start(folder);
    say(&service, &direct(STAYS, "again")).await;
}

/// Whoever puts a copy there by hand, or moves everything to another machine, has relays begin
/// anew as well; whoever only stops and starts has not.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_put_there_by_hand_begins_a_new_epoch() {
    let (folder, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (folder, elsewhere) = (folder.path(), elsewhere.path());
    let database = folder.join("chatkeep.db");
    stop(start(folder));
    let first = epoch(&database);
    stop(start(folder));
    done(folder, "purge --now");
    done(folder, "backup b.db");
    stop(start(folder));
    assert_eq!(epoch(&database), first);
    // As an earlier version left it.
    std::fs::write(folder.join("chatkeep.db.lock"), "1\nhttp://127.0.0.1:1\n").unwrap();
    stop(start(folder));
    assert_eq!(epoch(&database), first);

    std::fs::rename(folder.join("b.db"), &database).unwrap();
    let service = start(folder);
    eventually("a line in the log", async || {
        service.log().contains("begin a new epoch")
    })
    .await;
    stop(service);
    let second = epoch(&database);
    assert_ne!(second, first);
    stop(start(folder));
    assert_eq!(epoch(&database), second);
    std::fs::copy(&database, elsewhere.join("chatkeep.db")).unwrap();
    stop(start(elsewhere));
    assert_ne!(epoch(&elsewhere.join("chatkeep.db")), second);
    // A restore has begun one already.
    done(folder, "backup b.db");
    done(folder, "restore b.db --yes");
    let third = epoch(&database);
    stop(start(folder));
    assert_eq!(epoch(&database), third);
}

/// 60,000 messages, for a kill to meet a command at work.
async fn grown(folder: &Path) {
    let service = start(folder);
    say(&service, &direct(STAYS, "hello")).await;
    stop(service);
    execute(
        &folder.join("chatkeep.db"),
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 60000)
         INSERT INTO messages (id, room_id, user_id, previous_id, sent_s, received_at, sender, text,
             counted, unwritten)
           SELECT 1000 + n, 1, 1, iif(n = 1, 1, 999 + n), 1, 1, 'me', 'tea', 0, -1 FROM n;
         UPDATE room_heads SET message_id = 61000",
    );
}

/// `BACKUP_KILLS=200` for a long run.
fn kills() -> u64 {
    let set = std::env::var("BACKUP_KILLS").ok();
    set.and_then(|n| n.parse().ok()).unwrap_or(20)
}

fn kill_after(mut command: Command, time: Duration) {
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(time);
    let _ = child.kill();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backup_leaves_no_half_of_one() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    grown(folder).await;
    let backup = folder.join("b.db");
    let mut created_count = 0;
    for round in 0..kills() {
        let time = Duration::from_millis(round * 13 % 150);
        kill_after(command(folder, "backup b.db"), time);
        if backup.exists() {
            created_count += 1;
            assert_whole(&backup);
            assert_eq!(rows(&backup, "SELECT count(*) FROM messages"), [[60_001]]);
            std::fs::remove_file(&backup).unwrap();
        }
    }
    println!("{created_count} of {} were made", kills());
    done(folder, "backup b.db");
    assert_eq!(starting_with(folder, "b.db"), std::slice::from_ref(&backup));
    // One that is killed leaves what it was to replace.
    execute(&backup, "DELETE FROM messages WHERE id > 1000");
    kill_after(
        command(folder, "backup b.db --force"),
        Duration::from_millis(15),
    );
    let count = rows(&backup, "SELECT count(*) FROM messages");
    assert!(count == [[1]] || count == [[60_001]], "{count:?}");
    assert_whole(&backup);
}

/// Kills at any moment of a backup that the service makes: the service goes on, and nothing of a
/// killed backup stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backup_beside_a_service_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    grown(folder).await;
    let service = start(folder);
    let backup = folder.join("b.db");
    for round in 0..kills() {
        let time = Duration::from_millis(round * 23 % 300);
        kill_after(command(folder, "backup b.db"), time);
        if backup.exists() {
            assert_whole(&backup);
            let whole = "SELECT count(*) > 60000 FROM messages";
            assert_eq!(rows(&backup, whole), [[1]]);
            std::fs::remove_file(&backup).unwrap();
        }
        say(&service, &direct("+15550199", "hello")).await;
        // What was killed is given up by itself in 10 s; not to wait for that:
        let ended = request("DELETE", "/admin/backup").bearer(ADMIN_TOKEN);
        assert_eq!(service.send(&ended).await.status, 200);
    }
    done(folder, "backup b.db");
    assert_eq!(starting_with(folder, "b.db"), std::slice::from_ref(&backup));
    let half = folder.join("chatkeep.db.backup.part");
    eventually("no copy beside the database", async || !half.exists()).await;
    assert_whole(&backup);
}

/// The other way round: the service is killed, or ends, while it makes a backup.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_ends_in_a_backup_leaves_no_half_of_one() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    grown(folder).await;
    let (backup, half) = (folder.join("b.db"), folder.join("chatkeep.db.backup.part"));
    for round in 0..kills() {
        let mut service = start(folder);
        assert!(!half.exists(), "round {round}: left by the one before");
        let mut making = command(folder, "backup b.db");
        let making = making.stdout(Stdio::null()).stderr(Stdio::piped());
        let making = making.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(round * 13 % 200));
        if round % 2 == 0 {
            service.kill();
        } else {
            stop(service);
        }
        let output = making.wait_with_output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        if output.status.success() {
            assert_whole(&backup);
            std::fs::remove_file(&backup).unwrap();
        } else {
            assert_eq!(output.status.code(), Some(1), "{printed}");
            assert!(
                printed.contains("the running service"),
                "round {round}: {printed}"
            );
            assert!(!backup.exists());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_backups_at_once_are_made_one_after_the_other() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    grown(folder).await;
    let _service = start(folder);
    let making = ["b.db", "c.db", "d.db"].map(|name| {
        let mut making = command(folder, &format!("backup {name}"));
        (name, making.stdout(Stdio::null()).spawn().unwrap())
    });
    for (name, mut making) in making {
        assert!(making.wait().unwrap().success(), "{name}");
        assert_whole(&folder.join(name));
    }
    let other = "another-admin-token-of-at-least-32-bytes";
    let mut refused = command(folder, "backup e.db");
    let output = refused.env("CHATKEEP_ADMIN_TOKEN", other).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("has another admin.token"), "{printed}");
    assert_eq!(
        names(folder).iter().filter(|n| n.contains(".part")).count(),
        0
    );
}

/// A build from another folder has none of the flags that stand there.
#[test]
fn nothing_needs_a_feature_that_the_build_flags_add() {
    let flags = include_str!("../.cargo/config.toml");
    assert!(!flags.contains("-DSQLITE_ENABLE_"), "{flags}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_restore_leaves_the_old_or_the_new_one() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let database = folder.join("chatkeep.db");
    grown(folder).await;
    done(folder, "backup b.db");
    let mut put_in_place = 0;
    for round in 0..kills() {
        // The present one has a log, as after a crash.
        let mut service = start(folder);
        say(&service, &direct(STAYS, "since then")).await;
        service.kill();
        let before = epoch(&database);
        let time = Duration::from_millis(round * 17 % 250);
        kill_after(command(folder, "restore b.db --yes"), time);
        assert_whole(&database);
        let is_new = epoch(&database) != before;
        put_in_place += u32::from(is_new);
        let newest = rows(
            &database,
            "SELECT text FROM messages ORDER BY id DESC LIMIT 1",
        );
        assert_eq!(
            newest,
            [[if is_new { "tea" } else { "since then" }]],
            "round {round}"
        );
        let aside = starting_with(folder, "chatkeep.db.before-restore-");
        assert!(!is_new || !aside.is_empty());
        for one in aside {
            assert_whole(&one);
        }
    }
    println!("{put_in_place} of {} were put in place", kills());
    drop(start(folder));
    assert_eq!(
        starting_with(folder, "chatkeep.db.part"),
        [""; 0].map(PathBuf::from)
    );
}
