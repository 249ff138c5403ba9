//! `chatkeep purge`, beside a running service and alone, and a service that is killed while
//! it purges.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::support::process::Process;
use crate::support::smtp::{MailResponse, MailServer};
use crate::support::{
    ADMIN_TOKEN, EDGE_SECRET, direct, eventually, group, post, request, rows, token,
};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

const GONE: &str = "+15550101";
const STAYS: &str = "+15550102";

fn purge(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"))
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("EDGE_SECRET", EDGE_SECRET)
        .current_dir(folder)
        .arg("purge")
        .args(arguments.split_whitespace());
    command
}

fn done(folder: &Path, arguments: &str) -> String {
    let output = purge(folder, arguments);
    let text = format!("{output:?}");
    assert_eq!(output.status.code(), Some(0), "{text}");
    String::from_utf8(output.stdout).unwrap()
}

/// Both people have written; the deletion date of one has passed.
async fn start_with_messages(folder: &Path) -> Process {
    let service = Process::start(&folder.join("chatkeep.db"), &[]).unwrap();
    for sender in [GONE, STAYS] {
        for body in [direct(sender, "hi"), group("g", sender, "hi")] {
            let answer = service
                .send(&post("/edge/message", &body).bearer(&token("a")))
                .await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
    }
    execute(
        folder,
        &format!(
            "UPDATE users SET deletion_requested_at = 1, deletion_scheduled_for = 2 WHERE phone = '{GONE}'"
        ),
    );
    service
}

fn execute(folder: &Path, sql: &str) {
    let conn = Connection::open(folder.join("chatkeep.db")).unwrap();
    conn.busy_timeout(crate::support::PATIENCE).unwrap();
    conn.execute_batch(sql).unwrap();
}

fn phones(folder: &Path) -> Vec<Vec<Value>> {
    rows(&folder.join("chatkeep.db"), "SELECT phone FROM users")
}

#[tokio::test(flavor = "multi_thread")]
async fn purges_through_the_service_and_alone() {
    for running in [true, false] {
        let folder = TempDir::new().unwrap();
        let folder = folder.path();
        let mut service = start_with_messages(folder).await;
        if !running {
            service.kill();
        }
        let listed = done(folder, "--dry-run");
        assert!(
            listed.contains("due for erasure since 1970-01-01"),
            "{listed}"
        );
        let listed: Value = serde_json::from_str(&done(folder, "--dry-run --json")).unwrap();
        assert_eq!(listed["due"].as_array().unwrap().len(), 1);
        assert_eq!(phones(folder), [[GONE], [STAYS]]);
        assert_eq!(done(folder, "--now"), "1 account was erased.\n");
        assert_eq!(phones(folder), [[STAYS]]);
        assert_eq!(done(folder, "--now --json"), "{\"erased\":0}\n");
        assert_eq!(done(folder, "--dry-run"), "No account is to be erased.\n");
    }
}

/// Whoever purges by hand has looked at the clock.
#[tokio::test(flavor = "multi_thread")]
async fn it_vouches_for_a_clock_that_jumped() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    start_with_messages(folder).await.kill();
    execute(folder, "INSERT INTO meta VALUES ('clock_has_jumped', '1')");
    assert_eq!(done(folder, "--now"), "1 account was erased.\n");
    let noted = "SELECT count(*) FROM meta WHERE key = 'clock_has_jumped'";
    assert_eq!(rows(&folder.join("chatkeep.db"), noted), [[0]]);
}

/// Alone, nobody else would say it.
#[tokio::test(flavor = "multi_thread")]
async fn what_became_of_the_mail_is_said() {
    let server = MailServer::start(MailResponse::Takes).await;
    let smtp = format!("smtp://127.0.0.1:{}", server.port);
    for (mood, expected) in [
        (None, "no mail server is configured"),
        (Some(MailResponse::Takes), "confirmations sent by mail: 1"),
        (Some(MailResponse::PutsOff), "not sent yet: 1"),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().to_owned();
        start_with_messages(&path).await.kill();
        execute(&path, "UPDATE users SET email = 'ada@example.com'");
        let mut command = command(&path, "--now");
        if let Some(mood) = mood {
            server.set(mood);
            let from = ("CHATKEEP_MAIL_FROM", "juno@example.com");
            command.envs([("CHATKEEP_MAIL_SMTP_URL", smtp.as_str()), from]);
        }
        let output = tokio::task::spawn_blocking(move || command.output()).await;
        let output = output.unwrap().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{printed}");
        assert_eq!(output.stdout, b"1 account was erased.\n");
        assert!(printed.starts_with("chatkeep: note: "), "{printed}");
        assert!(printed.contains(expected), "{printed}");
        assert!(!printed.contains("ada@"), "{printed}");
    }
    assert_eq!(server.mails().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_done_is_said() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for wrong in ["", "--now --dry-run", "--json", "--now x"] {
        assert_eq!(purge(folder, wrong).status.code(), Some(2), "{wrong}");
    }
    for arguments in ["--now", "--dry-run"] {
        let output = purge(folder, arguments);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(printed.contains("there is no database at"), "{printed}");
    }
    assert_eq!(
        std::fs::read_dir(folder).unwrap().count(),
        0,
        "nothing is made"
    );
}

/// Enough for a kill to meet a purge at work: 60,000 messages of both in the group.
fn write_much(folder: &Path) {
    execute(
        folder,
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 60000)
         INSERT INTO messages (id, room_id, user_id, previous_id, sent_s, received_at, sender, text,
             counted, unwritten)
           SELECT 1000 + n, rooms.id, 1 + (n % 3 = 0), iif(n = 1, newest.id, 999 + n), 1, 1,
             iif(n % 3 = 0, '+15550102', '+15550101'), iif(n % 3 = 0, 'tea', 'xylophone'), 0, 0
           FROM n, rooms, (SELECT max(id) AS id FROM messages
             WHERE room_id = (SELECT id FROM rooms WHERE chat_guid = 'g')) AS newest
           WHERE chat_guid = 'g';
         UPDATE room_heads SET message_id = 61000
           WHERE room_id = (SELECT id FROM rooms WHERE chat_guid = 'g');
         UPDATE messages SET unwritten = -1 WHERE id = 61000",
    );
}

/// Who asked a service that is no more is told, and does not wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_not_wait_for_a_service_that_ended() {
    const TRIES: usize = 20;
    for _ in 0..TRIES {
        if is_killed_at_work().await {
            return;
        }
    }
    panic!("each purge ended before it could be held");
}

/// False: the purge ended before it could be held.
async fn is_killed_at_work() -> bool {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_owned();
    drop(start_with_messages(&path).await);
    write_much(&path);
    let mut service = Process::start(&path.join("chatkeep.db"), &[]).unwrap();
    let asking = path.clone();
    let command = tokio::task::spawn_blocking(move || purge(&asking, "--now"));
    let database = path.join("chatkeep.db");
    eventually("the purge is at work", async || {
        command.is_finished() || rows(&database, "SELECT 1 FROM erasures") == [[1]]
    })
    .await;
    // It can't end before the kill.
    let holder = rusqlite::Connection::open(&database).unwrap();
    holder.busy_timeout(crate::support::PATIENCE).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let is_at_work = rows(&database, "SELECT 1 FROM erasures") == [[1]];
    service.kill();
    drop(holder);
    let output = tokio::time::timeout(Duration::from_secs(10), command).await;
    let output = output.expect("an end in time").unwrap();
    if is_at_work {
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(done(&path, "--now"), "1 account was erased.\n");
    }
    is_at_work
}

/// Kills at random moments; `PURGE_KILLS=200` for a long run.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_purge_goes_on() {
    let kills = std::env::var("PURGE_KILLS")
        .ok()
        .and_then(|n| n.parse().ok());
    let kills: u64 = kills.unwrap_or(12);
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    drop(start_with_messages(folder).await);
    write_much(folder);
    let database = folder.join("chatkeep.db");
    let call = request("POST", "/admin/purge").bearer(ADMIN_TOKEN);
    let mut at_work = 0;
    for round in 0..kills {
        let mut service = Process::start(&database, &[]).unwrap();
        assert_eq!(service.send(&call).await.status, 200);
        tokio::time::sleep(Duration::from_millis(round * 37 % 150)).await;
        service.kill();
        at_work += usize::from(rows(&database, "SELECT 1 FROM erasures") == [[1]]);
        assert_eq!(
            rows(&database, "PRAGMA integrity_check"),
            [["ok"]],
            "round {round}"
        );
    }
    println!("{at_work} of {kills} kills met the purge at work");
    let service = Process::start(&database, &[]).unwrap();
    assert_eq!(service.send(&call).await.status, 200);
    eventually("the purge", async || {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let outlook = request("GET", "/admin/purge").bearer(ADMIN_TOKEN);
        let status = service.send(&outlook).await.json();
        status["progress"]["over"] == 1
            && status["due"] == json!([])
            && status["under_way"] == json!([])
    })
    .await;
    let chain = "WITH RECURSIVE chain(id) AS (SELECT message_id FROM room_heads
           WHERE room_id = (SELECT id FROM rooms WHERE chat_guid = 'g')
           UNION ALL SELECT previous_id FROM chain JOIN messages USING (id) WHERE previous_id IS NOT NULL)
         SELECT count(*), (SELECT count(*) FROM messages WHERE user_id = 1) FROM chain";
    assert_eq!(rows(&database, chain), [[20_001, 0]]);
    assert_eq!(phones(folder), [[STAYS]]);
    drop(service);
    let bytes = std::fs::read(&database).unwrap();
    for trace in ["xylophone", GONE] {
        let found = bytes.windows(trace.len()).any(|w| w == trace.as_bytes());
        assert!(!found, "{trace}");
    }
}
