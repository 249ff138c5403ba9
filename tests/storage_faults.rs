//! What the service does with files it must not touch, a database that another process
//! holds, and a disk that is full or fails.
//!
//! Some need root, `mount` and `strace`:
//! `cargo test --test storage_faults -- --ignored`.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;
use support::process::{Process, Refusal};
use support::{ADMIN_TOKEN, Answer, Request, direct, get, post, token};

const LOCK_WAIT: Duration = Duration::from_secs(5);

fn made_in(folder: &Path) -> PathBuf {
    let database = folder.join("chatkeep.db");
    let mut service = Process::start(&database, &[]).unwrap();
    service.signal("TERM");
    assert_eq!(service.ended(Duration::from_secs(10)).code(), Some(0));
    database
}

/// Every file but the lock and the secrets, by name.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_stored =
        |path: &PathBuf| !path.ends_with("chatkeep.db.lock") && !path.ends_with("secrets.toml");
    entries
        .filter(is_stored)
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect()
}

#[test]
fn a_file_that_is_not_its_own_is_refused_and_left_alone() {
    type Spoil = fn(&mut Vec<u8>);
    let cases: [(&str, Spoil, &str); 8] = [
        (
            "a bad header",
            |f| f[..16].fill(b'x'),
            "not a SQLite database",
        ),
        ("cut off", |f| f.truncate(f.len() / 2), "cut off"),
        (
            "cut off in the header",
            |f| f.truncate(50),
            "not a SQLite database",
        ),
        (
            "flipped bytes",
            |f| f[4096 * 4..][..8].fill(0xff),
            "damaged",
        ),
        ("a flipped root", |f| f[100] ^= 0xff, "damaged"),
        (
            "another program's",
            |f| f[68..72].fill(7),
            "another program",
        ),
        ("a newer version's", |f| f[63] = 99, "newer Chatkeep"),
        ("empty", Vec::clear, "is empty"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let database = made_in(folder.path());
    let sound = std::fs::read(&database).unwrap();
    for (what, spoil, expected) in cases {
        let mut bytes = sound.clone();
        spoil(&mut bytes);
        std::fs::write(&database, bytes).unwrap();
        refuses(&database, what, expected);
    }
    std::fs::remove_file(&database).unwrap();
    Connection::open(&database)
        .unwrap()
        .execute_batch("CREATE TABLE t (a)")
        .unwrap();
    refuses(&database, "another program's tables", "another program");
    std::fs::rename(&database, database.with_extension("db-wal")).unwrap();
    refuses(&database, "only a log", "missing, but its log");
    std::fs::remove_file(database.with_extension("db-wal")).unwrap();
    std::fs::write(&database, sound).unwrap();
    Process::start(&database, &[]).unwrap();
}

/// In one line that says which file, what is wrong and what to do.
fn refuses(database: &Path, what: &str, expected: &str) {
    let before = files(database.parent().unwrap());
    let Err(Refusal { status, stderr }) = Process::start(database, &[]) else {
        panic!("{what}: it starts");
    };
    assert_eq!(status.code(), Some(1), "{what}");
    let complaint = stderr.lines().last().unwrap_or_default();
    assert!(complaint.contains(expected), "{what}: {stderr}");
    assert!(
        complaint.contains(database.to_str().unwrap()),
        "{what}: {stderr}"
    );
    assert!(!stderr.contains("panicked"), "{what}: {stderr}");
    let after = files(database.parent().unwrap());
    let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
    let changed: Vec<_> = before.keys().chain(after.keys()).filter(differs).collect();
    assert!(changed.is_empty(), "{what}: {changed:?}: {stderr}");
}

/// With a log left by a crash, and nothing that can be written beside it, as on a full disk.
#[test]
fn a_full_disk_is_not_told_as_a_damaged_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    Process::start(&database, &[]).unwrap().kill();
    assert!(folder.path().join("chatkeep.db-wal").exists());
    let output = Command::new("/bin/sh")
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", &database)
        .env("CHATKEEP_EXPORTS_DIR", folder.path().join("exports"))
        .current_dir(folder.path())
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" check"])
        .arg(env!("CARGO_BIN_EXE_chatkeep"))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("make room on its disk"), "{printed}");
    for misplaced in ["damaged", "put a backup"] {
        assert!(!printed.contains(misplaced), "{printed}");
    }
}

#[test]
fn a_first_start_that_was_cut_off_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    for leftover in [".new", ".new-wal", ".new-shm", ".new-journal"] {
        let name = folder.path().join(format!("chatkeep.db{leftover}"));
        std::fs::write(name, "half of something").unwrap();
    }
    drop(Process::start(&database, &[]).unwrap());
    assert!(
        files(folder.path())
            .keys()
            .all(|path| !path.to_str().unwrap().contains(".new"))
    );
    drop(Process::start(&database, &[]).unwrap());
}

#[test]
fn first_starts_killed_at_any_moment_leave_nothing_that_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..40 {
        let database = folder.path().join(format!("{n}")).join("chatkeep.db");
        std::fs::create_dir(database.parent().unwrap()).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
            .env_clear()
            .env("CHATKEEP_STORAGE_PATH", &database)
            .env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0")
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(500 * n));
        child.kill().unwrap();
        child.wait().unwrap();
        Process::start(&database, &[]).unwrap();
    }
}

#[tokio::test]
async fn a_second_process_is_told_who_has_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let first = Process::start(&database, &[]).unwrap();
    let Err(Refusal { status, stderr }) = Process::start(&database, &[]) else {
        panic!("two services on one file");
    };
    assert_eq!(status.code(), Some(1));
    assert!(
        stderr.contains(&format!("in use by process {}", first.id())),
        "{stderr}"
    );
    assert_eq!(first.send(&get("/health")).await.status, 200);
}

/// A hard link would let a second service write the same file, which destroys it.
#[tokio::test]
async fn a_database_with_two_names_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    drop(Process::start(&database, &[]).unwrap());
    let other = folder.path().join("trial").join("chatkeep.db");
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    std::fs::hard_link(&database, &other).unwrap();
    for path in [&database, &other] {
        let Err(Refusal { status, stderr }) = Process::start(path, &[]) else {
            panic!("{}", path.display());
        };
        assert_eq!(status.code(), Some(1));
        assert!(stderr.contains("has 2 names (hard links)"), "{stderr}");
    }
    std::fs::remove_file(&other).unwrap();
    Process::start(&database, &[]).unwrap();
}

/// A restore gives the database a second name before it replaces it, and moves the log of a damaged
/// one. One that is killed there leaves both.
#[tokio::test]
async fn what_a_killed_restore_left_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let mut service = Process::start(&database, &[]).unwrap();
    assert_eq!(service.send(&message(1, "hello")).await.status, 200);
    service.kill();
    let in_folder = |name: &str| folder.path().join(name);
    let name = in_folder("chatkeep.db.before-restore-20261128T023000.250Z");
    let log = in_folder("chatkeep.db.before-restore-20261128T023000.250Z-wal");
    std::fs::hard_link(&database, &name).unwrap();
    std::fs::rename(in_folder("chatkeep.db-wal"), &log).unwrap();
    let mut service = Process::start(&database, &[]).unwrap();
    assert!(!name.exists() && !log.exists());
    service.kill();
    let conn = Connection::open(&database).unwrap();
    let messages = conn.query_row(
        "SELECT count(*) FROM messages WHERE text = 'hello'",
        [],
        |row| row.get(0),
    );
    assert_eq!(messages, Ok(1));
}

fn message(sender: u64, text: &str) -> Request {
    let sender = format!("+1555{sender:07}");
    post("/edge/message", &direct(&sender, text)).bearer(&token("a"))
}

/// Takes the write lock like another process.
fn lock_for_writing(database: &Path) -> Connection {
    let holder = Connection::open(database).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    holder
}

async fn send_many(service: &Process, from: u64) -> Vec<(Answer, Duration)> {
    let started = Instant::now();
    let asking = (from..from + 64).map(async |n| {
        let answer = service.send(&message(n, &format!("number {n}"))).await;
        (answer, started.elapsed())
    });
    futures_util::future::join_all(asking).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_hears_of_a_lock_that_is_soon_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let service = Process::start(&database, &[]).unwrap();
    let holder = lock_for_writing(&database);
    let (answers, ()) = tokio::join!(send_many(&service, 0), async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        holder.execute_batch("COMMIT").unwrap();
    });
    for (answer, duration) in answers {
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(duration < LOCK_WAIT, "{duration:?}");
    }
    let count = support::rows(&database, "SELECT count(*) FROM messages");
    assert_eq!(count, [[64]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_is_kept_makes_writes_503_and_is_got_over() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let service = Process::start(&database, &[]).unwrap();
    let holder = lock_for_writing(&database);
    for (answer, duration) in send_many(&service, 0).await {
        assert_eq!(answer.status, 503, "{}", answer.text);
        assert_eq!(answer.code(), "unavailable");
        assert!(answer.header("retry-after").is_some());
        assert!(!answer.text.contains("locked"), "{}", answer.text);
        assert!(
            duration >= LOCK_WAIT && duration < LOCK_WAIT * 2,
            "{duration:?}"
        );
    }
    holder.execute_batch("COMMIT").unwrap();
    for (answer, _) in send_many(&service, 64).await {
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let count = support::rows(&database, "SELECT count(*) FROM messages");
    assert_eq!(count, [[64]], "refused ones leave no row");
}

/// A file system of its own, taken down when dropped.
struct TemporaryFileSystem(tempfile::TempDir);

impl TemporaryFileSystem {
    fn new(options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        mount(&["-t", "tmpfs", "-o", options, "tmpfs"], folder.path());
        Self(folder)
    }
}

impl Drop for TemporaryFileSystem {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn mount(arguments: &[&str], at: &Path) {
    let status = Command::new("mount").args(arguments).arg(at).status();
    assert!(status.unwrap().success(), "mount needs root");
}

/// Sends until a message is refused; the texts of those that were not, and the refusal.
async fn send_until_refused(
    service: &Process,
    first: u64,
    text: &str,
) -> (Vec<String>, Option<Answer>) {
    let mut stored = Vec::new();
    for n in first..first + 5_000 {
        let text = format!("{n} {text}");
        match service.ask(&message(n, &text)).await {
            Some(answer) if answer.status == 200 => stored.push(text),
            other => return (stored, other),
        }
    }
    panic!("nothing was refused");
}

fn assert_kept(database: &Path, texts: &[String]) {
    assert_eq!(support::rows(database, "PRAGMA integrity_check"), [["ok"]]);
    let rows = support::rows(database, "SELECT text FROM messages");
    for text in texts {
        let times = rows.iter().filter(|row| row[0] == text.as_str()).count();
        assert_eq!(times, 1, "{}", &text[..20]);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "mounts a small tmpfs, which needs root"]
async fn a_full_disk_refuses_writes_and_heals_by_itself() {
    for durability in ["full", "normal"] {
        let mounted = TemporaryFileSystem::new("size=3m");
        let database = mounted.0.path().join("chatkeep.db");
        let settings = [("CHATKEEP_STORAGE_DURABILITY", durability)];
        let mut service = Process::start(&database, &settings).unwrap();
        let (mut stored, refusal) = send_until_refused(&service, 0, &"x".repeat(20_000)).await;
        let refusal = refusal.expect("an answer");
        assert_eq!(
            (refusal.status, refusal.code().as_str()),
            (503, "unavailable")
        );
        assert!(!stored.is_empty());
        let named = format!(
            "can't write {}: the disk that holds {} is full; make room there",
            database.display(),
            mounted.0.path().display()
        );
        support::eventually(&named, async || service.log().contains(&named)).await;

        let health = service.send(&get("/health")).await;
        assert_eq!(health.status, 503, "{}", health.text);
        assert_eq!(health.json()["status"], "unavailable");
        let checks = &health.json()["checks"];
        assert_eq!(
            (&checks["database"], &checks["writer"]),
            (&json!("ok"), &json!("failing"))
        );
        let agents = service
            .send(&get("/admin/edge-agents").bearer(ADMIN_TOKEN))
            .await;
        assert_eq!(agents.status, 200, "reads go on");

        mount(&["-o", "remount,size=64m"], mounted.0.path());
        support::eventually("healing", async || {
            service.send(&get("/health")).await.status == 200
        })
        .await;
        let answer = service.send(&message(9_999_999, "after")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        stored.push("after".to_owned());
        service.kill();
        assert_kept(&database, &stored);
    }
}

/// A limit of a file's size is no end of the process, but a disk that is full.
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_file_sizes_refuses_writes_and_kills_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", "ulimit -f 6000; exec \"$0\""]);
    limited.arg(env!("CARGO_BIN_EXE_chatkeep"));
    let mut service = Process::by(limited, &database, &[]).unwrap();
    let (stored, refusal) = send_until_refused(&service, 1, &"x".repeat(3_500)).await;
    let refusal = refusal.unwrap_or_else(|| panic!("no answer: {}", service.log()));
    assert_eq!(refusal.status, 503, "{}", refusal.text);
    let health = service.send(&get("/health")).await.json();
    assert_eq!(health["checks"]["writer"], "failing", "{health}");
    assert_eq!(health["checks"]["database"], "ok", "{health}");
    let agents = get("/admin/edge-agents").bearer(ADMIN_TOKEN);
    assert_eq!(service.send(&agents).await.status, 200, "reads go on");
    service.signal("TERM");
    let status = service.ended(Duration::from_secs(10));
    assert!(status.code().is_some(), "{status}: {}", service.log());
    let mut service = Process::start(&database, &[]).unwrap();
    let answer = service.send(&message(9_999, "hello")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    service.signal("TERM");
    assert_eq!(service.ended(Duration::from_secs(10)).code(), Some(0));
    assert_kept(&database, &stored);
}

/// Cleanly closed, on a disk that went read-only: what it holds can be read and saved.
#[test]
#[ignore = "mounts a tmpfs, which needs root"]
fn commands_read_on_a_disk_that_is_read_only() {
    let mounted = TemporaryFileSystem::new("size=8m");
    let folder = mounted.0.path();
    let database = folder.join("chatkeep.db");
    let elsewhere = tempfile::tempdir().unwrap();
    let command = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
            .env_clear()
            .env("CHATKEEP_STORAGE_PATH", &database)
            .current_dir(elsewhere.path())
            .args(words)
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), printed)
    };
    let set = ["flags", "set", "llm.force_basic_mode", "true"];
    assert_eq!(command(&set).0, Some(0));
    mount(&["-o", "remount,ro"], folder);
    for words in [
        &["user", "list"][..],
        &["flags", "list"],
        &["audit"],
        &["commands", "list"],
        &["purge", "--dry-run"],
        &["backup", "saved.db"],
    ] {
        let (code, printed) = command(words);
        assert_eq!(code, Some(0), "{words:?}: {printed}");
    }
    let saved = support::rows(&elsewhere.path().join("saved.db"), "PRAGMA integrity_check");
    assert_eq!(saved, [["ok"]]);
    let (code, printed) = command(&set);
    assert_eq!(code, Some(1));
    assert!(printed.contains("mounted read-only"), "{printed}");
}

/// Without a service, commands write the database themselves.
#[test]
#[ignore = "mounts a small tmpfs, which needs root"]
fn commands_name_the_disk_that_is_full() {
    let mounted = TemporaryFileSystem::new("size=3m");
    let folder = mounted.0.path();
    let database = folder.join("chatkeep.db");
    let command = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
            .env_clear()
            .env("CHATKEEP_STORAGE_PATH", &database)
            .env("CHATKEEP_EXPORTS_DIR", folder)
            .current_dir(folder)
            .args(words)
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), printed)
    };
    let fill = || {
        let mut file = std::fs::File::create(folder.join("filler")).unwrap();
        while std::io::Write::write_all(&mut file, &[1; 512]).is_ok() {}
    };
    fill();
    let names_the_disk = |words: &[&str]| {
        let (code, printed) = command(words);
        assert_eq!(code, Some(1), "{words:?}: {printed}");
        for part in [folder.to_str().unwrap(), "make room"] {
            assert!(printed.contains(part), "{words:?}: {printed}");
        }
    };
    names_the_disk(&["serve"]);
    names_the_disk(&["flags", "set", "llm.force_basic_mode", "true"]);
    std::fs::remove_file(folder.join("filler")).unwrap();
    let (code, printed) = command(&["flags", "set", "llm.force_basic_mode", "true"]);
    assert_eq!(code, Some(0), "{printed}");
    fill();
    names_the_disk(&["flags", "set", "llm.force_basic_mode", "false"]);
    names_the_disk(&["serve"]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs strace, and the right to trace"]
async fn a_sync_that_fails_ends_the_process_without_a_false_200() {
    // With "full" it is a commit that fails, with "normal" a checkpoint.
    for durability in ["full", "normal"] {
        let folder = tempfile::tempdir().unwrap();
        let database = made_in(folder.path());
        let mut command = Command::new("strace");
        command.args(["-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"]);
        let after = if durability == "full" { 30 } else { 2 };
        command.args([
            "-e",
            &format!("inject=fsync,fdatasync:error=EIO:when={after}+"),
        ]);
        command.arg(env!("CARGO_BIN_EXE_chatkeep"));
        let settings = [("CHATKEEP_STORAGE_DURABILITY", durability)];
        let mut service = Process::by(command, &database, &settings).unwrap();
        let (stored, refusal) = send_until_refused(&service, 0, &"x".repeat(20_000)).await;
        if let Some(refusal) = refusal {
            assert_eq!(refusal.status, 503, "{}", refusal.text);
        }
        assert!(!stored.is_empty());
        assert_eq!(service.ended(Duration::from_secs(40)).code(), Some(1));
        assert!(
            service.log().contains("the disk failed"),
            "{}",
            service.log()
        );
        Process::start(&database, &[]).unwrap();
        assert_kept(&database, &stored);
    }
}

/// What was answered 200 is in the file, wherever that is, and nothing else is.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_moved_away_refuses_writes_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let aside = folder.path().join("aside.db");
    let mut service = Process::start(&database, &[]).unwrap();
    assert_eq!(service.send(&message(1, "before")).await.status, 200);
    std::fs::rename(&database, &aside).unwrap();
    let refusal = service.send(&message(2, "refused")).await;
    let shown = (refusal.status, refusal.code());
    assert_eq!(shown, (503, "unavailable".to_owned()), "{}", refusal.text);
    assert!(!refusal.text.contains("chatkeep.db"), "{}", refusal.text);
    let health = service.send(&get("/health")).await;
    assert_eq!(health.status, 503, "{}", health.text);
    assert_eq!(health.json()["checks"]["writer"], "failing");
    let problem = format!("{} was deleted or moved", database.display());
    let log = service.log_with(&problem).await;
    assert_eq!(log.matches(&problem).count(), 1, "{log}");

    std::fs::rename(&aside, &database).unwrap();
    assert_eq!(service.send(&message(3, "after")).await.status, 200);
    assert_eq!(service.send(&get("/health")).await.status, 200);
    service.log_with("is back in its place").await;
    service.signal("TERM");
    assert_eq!(service.ended(Duration::from_secs(10)).code(), Some(0));
    assert_kept(&database, &["before".to_owned(), "after".to_owned()]);
    let count = support::rows(&database, "SELECT count(*) FROM messages");
    assert_eq!(count, [[2]], "a refused message leaves no row");
}

/// An idle service says so too, and a backup saves what it has.
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_file_is_noticed_and_can_be_saved_by_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let backup = folder.path().join("saved.db");
    let mut service = Process::start(&database, &[]).unwrap();
    assert_eq!(service.send(&message(1, "kept")).await.status, 200);
    std::fs::remove_file(&database).unwrap();
    let log = service.log_with("was deleted or moved").await;
    assert!(log.contains("`chatkeep backup FILE`"), "{log}");
    let (is_ok, checked) = command_in(folder.path(), &database, &["check"]);
    assert!(
        !is_ok && checked.contains("while a service has it open"),
        "{checked}\n{}",
        service.log()
    );
    let set = ["flags", "set", "rate_limit.enabled", "true"];
    let (is_ok, refused) = command_in(folder.path(), &database, &set);
    assert!(!is_ok && !refused.contains("is made now"), "{refused}");
    let saved = command_in(folder.path(), &database, &["backup", "saved.db"]);
    assert!(saved.0, "{}\n{}", saved.1, service.log());
    assert_kept(&backup, &["kept".to_owned()]);
    service.signal("TERM");
    service.ended(Duration::from_secs(10));
    // The empty log is left, as its database may come back.
    let restored = command_in(folder.path(), &database, &["restore", "--yes", "saved.db"]);
    assert!(restored.0, "{}\n{}", restored.1, service.log());
    drop(Process::start(&database, &[]).unwrap());
    assert_kept(&database, &["kept".to_owned()]);
}

/// Neither while the service runs nor at its end.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_put_in_the_databases_place_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let other = made_in(&folder.path().join("."));
    let kept = folder.path().join("other.db");
    std::fs::rename(&other, &kept).unwrap();
    let sound = std::fs::read(&kept).unwrap();
    let database = folder.path().join("chatkeep.db");
    let mut service = Process::start(&database, &[]).unwrap();
    assert_eq!(service.send(&message(1, "before")).await.status, 200);
    std::fs::rename(&kept, &database).unwrap();
    assert_eq!(service.send(&message(2, "refused")).await.status, 503);
    let log = service.log_with("another file was put at").await;
    assert!(log.contains("`chatkeep restore FILE`"), "{log}");
    // Nothing is read from the other file, not even by connections that are opened now.
    let users = get("/admin/users").bearer(ADMIN_TOKEN);
    let reads = (0..16).map(|_| service.send(&users));
    for answer in futures_util::future::join_all(reads).await {
        let known = answer.json()["users"].as_array().map(Vec::len);
        assert!(answer.status == 503 || known == Some(1), "{}", answer.text);
    }
    service.signal("TERM");
    service.ended(Duration::from_secs(10));
    assert_eq!(std::fs::read(&database).unwrap(), sound);
    drop(Process::start(&database, &[]).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_log_refuses_writes_and_a_clean_stop_keeps_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let mut service = Process::start(&database, &[]).unwrap();
    assert_eq!(service.send(&message(1, "before")).await.status, 200);
    std::fs::remove_file(folder.path().join("chatkeep.db-wal")).unwrap();
    assert_eq!(service.send(&message(2, "refused")).await.status, 503);
    service.log_with("Stop the service with SIGTERM").await;
    service.signal("TERM");
    service.ended(Duration::from_secs(10));
    assert_kept(&database, &["before".to_owned()]);
    drop(Process::start(&database, &[]).unwrap());
}

/// Whether a command succeeded, and what it printed.
fn command_in(folder: &Path, database: &Path, words: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", database)
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .current_dir(folder)
        .args(words)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    (output.status.success(), printed)
}

#[test]
#[ignore = "mounts a small tmpfs, which needs root"]
fn check_warns_of_a_disk_with_little_space() {
    let mounted = TemporaryFileSystem::new("size=3m");
    let database = mounted.0.path().join("new/chatkeep.db");
    let (is_ok, printed) = command_in(mounted.0.path(), &database, &["check"]);
    assert!(is_ok, "{printed}");
    let expected = format!(
        "warning: storage.path: the disk of the folder {}",
        mounted.0.path().display()
    );
    assert!(printed.contains(&expected), "{printed}");
    assert!(!database.parent().unwrap().exists());
}
