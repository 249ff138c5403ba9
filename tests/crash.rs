//! The service is killed under load at random moments, again and again, and what it leaves
//! behind is compared with what its clients and its relay were told.
//!
//! `cargo test --test crash`; `CRASH_ROUNDS=500` for a long run, `CRASH_SEED=…` for the same
//! moments again.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chatkeep::store::{Options, Store};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use support::process::{Process, ask};
use support::{ADMIN_TOKEN, RelaySocket, Request, direct, get, post, request, token};
use tokio_tungstenite::tungstenite::protocol::Message;

const WORKERS: u64 = 12;
/// Reminders a person may have are bounded, so there are many people.
const SENDERS: u64 = 40;
const RESTART_MAX: Duration = Duration::from_secs(2);
/// How long the last start may take to deliver what all rounds left.
const END_MAX: Duration = Duration::from_secs(120);
const AGENT: &str = "a";

/// What clients and relay know, each for its own part.
#[derive(Default)]
struct Ledger {
    /// Body by text, of messages answered 200.
    answered: Mutex<HashMap<String, String>>,
    /// Texts of messages that were sent and not answered.
    open: Mutex<HashSet<String>>,
    /// Texts of commands that reached the relay.
    delivered: Mutex<HashSet<String>>,
    /// Commands whose completion was committed before a kill.
    completed: Mutex<HashSet<String>>,
    complaints: Mutex<Vec<String>>,
    numbers: AtomicU64,
    stopping: AtomicBool,
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_answered_is_lost_or_doubled_by_kills() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|v| v.parse().ok());
    let rounds = setting("CRASH_ROUNDS").unwrap_or(20);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = setting("CRASH_SEED").unwrap_or(now.as_nanos() as u64);
    println!("CRASH_SEED={seed}");
    let mut random = SeededRandom(seed | 1);
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let ledger = Arc::new(Ledger::default());
    for round in 0..rounds {
        let mut service = start(&database, round).await;
        if round == 0 {
            for flag in ["rate_limit.enabled", "free_tier.enabled"] {
                let off = request("PUT", &format!("/admin/feature-flags/{flag}"))
                    .json(&json!({"value": false}))
                    .bearer(ADMIN_TOKEN);
                assert_eq!(service.send(&off).await.status, 200);
            }
        }
        retry_unanswered(&service, &ledger).await;
        let load = start_load(&service, &ledger);
        tokio::time::sleep(Duration::from_millis(50 + random.below(650))).await;
        service.kill();
        ledger.stopping.store(true, Ordering::SeqCst);
        for task in load {
            task.await.unwrap();
        }
        let copy = copied(&database);
        take_up(&copy);
        check(&copy, &ledger, &format!("round {round}"));
    }
    finish(&database, &ledger).await;
    let messages = ledger.answered.lock().unwrap().len();
    let commands = ledger.completed.lock().unwrap().len();
    println!("{rounds} kills, {messages} messages answered, {commands} commands completed");
    assert!(messages > 0 && commands > 0);
}

/// Numbers from a seed (xorshift).
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

async fn start(database: &Path, round: u64) -> Process {
    let durability = ["normal", "full"][round as usize % 2];
    let started = Instant::now();
    // The relay takes what comes: paced, the commands of a run would need minutes.
    let settings = [
        ("CHATKEEP_STORAGE_DURABILITY", durability),
        ("CHATKEEP_EDGE_COMMANDS_PER_MINUTE", "1000000"),
    ];
    let service = Process::start(database, &settings).unwrap();
    assert_eq!(service.send(&get("/health")).await.status, 200);
    let elapsed = started.elapsed();
    assert!(
        elapsed < RESTART_MAX,
        "round {round}: started in {elapsed:?}"
    );
    service
}

fn start_load(service: &Process, ledger: &Arc<Ledger>) -> Vec<tokio::task::JoinHandle<()>> {
    ledger.stopping.store(false, Ordering::SeqCst);
    let address = service.address;
    let mut tasks: Vec<_> = (0..WORKERS)
        .map(|_| {
            let ledger = ledger.clone();
            tokio::spawn(async move {
                while !ledger.stopping.load(Ordering::SeqCst) {
                    let text = ledger.next_text();
                    ledger.open.lock().unwrap().insert(text.clone());
                    match ask(address, &message(&text)).await {
                        Some(answer) => ledger.answered(&text, answer.status, answer.text),
                        None => tokio::time::sleep(Duration::from_millis(10)).await,
                    }
                }
            })
        })
        .collect();
    let ledger = ledger.clone();
    tasks.push(tokio::spawn(async move {
        // In a task of its own: a kill while it connects makes it panic.
        let opening =
            tokio::spawn(async move { RelaySocket::open(address, AGENT, &token(AGENT)).await });
        if let Ok(Ok(relay)) = opening.await {
            obey(relay, &ledger, 4).await;
        }
    }));
    tasks
}

impl Ledger {
    fn next_text(&self) -> String {
        let n = self.numbers.fetch_add(1, Ordering::SeqCst);
        let key = if n.is_multiple_of(2) {
            "keyed"
        } else {
            "plain"
        };
        match n % 5 {
            0 => format!("remind me in 1 second to look at {key} number {n}"),
            _ => format!("hello from {key} number {n}"),
        }
    }

    fn to_retry(&self) -> Vec<String> {
        let newest = self.numbers.load(Ordering::SeqCst).saturating_sub(40);
        let is_retried = |text: &&String| text.contains("keyed") && number(text) > newest;
        let (open, answered) = (self.open.lock().unwrap(), self.answered.lock().unwrap());
        open.iter()
            .chain(answered.keys().filter(is_retried))
            .cloned()
            .collect()
    }

    fn answered(&self, text: &str, status: u16, body: String) {
        if status != 200 {
            return self.complain(format!("{status} to {text}: {body}"));
        }
        self.open.lock().unwrap().remove(text);
        if let Some(before) = self
            .answered
            .lock()
            .unwrap()
            .insert(text.to_owned(), body.clone())
            && before != body
        {
            self.complain(format!("two answers to {text}: {before} and {body}"));
        }
    }

    fn complain(&self, what: String) {
        self.complaints.lock().unwrap().push(what);
    }
}

fn number(text: &str) -> u64 {
    text.rsplit(' ').next().unwrap().parse().unwrap()
}

fn message(text: &str) -> Request {
    let sender = format!("+1555{:07}", number(text) % SENDERS);
    let message = post("/edge/message", &direct(&sender, text)).bearer(&token(AGENT));
    if text.contains("keyed") {
        message.header("Idempotency-Key", &number(text).to_string())
    } else {
        message
    }
}

/// Sends unanswered messages again, byte for byte, and by their keys some that were
/// answered.
async fn retry_unanswered(service: &Process, ledger: &Ledger) {
    for text in ledger.to_retry() {
        // By its key a message may come any number of times; without one a second retry
        // would be a message of its own.
        for _ in 0..if text.contains("keyed") { 2 } else { 1 } {
            let answer = service.send(&message(&text)).await;
            ledger.answered(&text, answer.status, answer.text);
        }
    }
}

/// Completes commands until the socket breaks; one in `lost` acks is never sent.
async fn obey(mut relay: RelaySocket, ledger: &Ledger, lost: u64) {
    let mut count = 0;
    while let Some(Ok(frame)) = relay.ws.next().await {
        let Message::Text(frame) = frame else {
            continue;
        };
        let frame: Value = serde_json::from_str(&frame).unwrap();
        if frame["type"] != "command" {
            continue;
        }
        let (id, text) = (
            &frame["data"]["command_id"], &frame["data"]["payload"]["text"],
        );
        if ledger
            .completed
            .lock()
            .unwrap()
            .contains(id.as_str().unwrap())
        {
            ledger.complain(format!("completed and sent again: {frame}"));
        }
        // One that is late says so in a second line.
        let text = text.as_str().unwrap().lines().next().unwrap().to_owned();
        ledger.delivered.lock().unwrap().insert(text);
        count += 1;
        if count % lost == lost - 1 {
            continue;
        }
        let ack = json!({"type": "command_ack", "data": {"command_id": id, "status": "completed"}});
        if relay.ws.send(Message::text(ack.to_string())).await.is_err() {
            return;
        }
    }
}

/// The last start: everything promised arrives, everything under way ends.
async fn finish(database: &Path, ledger: &Arc<Ledger>) {
    let mut service = start(database, 0).await;
    retry_unanswered(&service, ledger).await;
    let relay = RelaySocket::open(service.address, AGENT, &token(AGENT)).await;
    let (relay, known) = (relay.unwrap(), ledger.clone());
    let obeying = tokio::spawn(async move { obey(relay, &known, u64::MAX).await });
    let ended = async {
        let remaining = "SELECT (SELECT count(*) FROM reminders),
                    (SELECT count(*) FROM commands WHERE state <> 'completed')";
        while support::rows(database, remaining) != [[0, 0]] {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    if tokio::time::timeout(END_MAX, ended).await.is_err() {
        let remaining = "SELECT 'reminder', count(*), min(due_at), max(due_at), NULL FROM reminders
                    UNION ALL
                    SELECT state, count(*), min(attempts), max(attempts), min(error) FROM commands
                    GROUP BY state";
        panic!(
            "reminders and commands end in time: {:?}",
            support::rows(database, remaining)
        );
    }
    service.signal("TERM");
    assert_eq!(service.ended(Duration::from_secs(10)).code(), Some(0));
    obeying.await.unwrap();
    assert!(
        !database.with_extension("db-wal").exists(),
        "the log was moved"
    );
    check(database, ledger, "the end");
    let promised =
        "SELECT json_extract(schedule, '$.text') FROM messages WHERE schedule IS NOT NULL";
    let delivered = ledger.delivered.lock().unwrap();
    for row in support::rows(database, promised) {
        assert!(
            delivered.contains(row[0].as_str().unwrap()),
            "{} never came",
            row[0]
        );
    }
}

/// The files as the kill left them: looking at the copy leaves the recovery to the service.
fn copied(database: &Path) -> PathBuf {
    let copy = database.with_file_name("copy.db");
    for suffix in ["", "-wal"] {
        let name = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
        if let Err(error) = std::fs::copy(name(database), name(&copy)) {
            assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
            let _ = std::fs::remove_file(name(&copy));
        }
    }
    let _ = std::fs::remove_file(copy.with_file_name("copy.db-shm"));
    copy
}

/// As the next start does: some rows are written later than their message.
fn take_up(database: &Path) {
    let options = Options {
        path: database.to_owned(),
        full_durability: false,
        readers: 1,
        payment_provider: false,
    };
    drop(Store::open(&options).unwrap());
}

fn check(database: &Path, ledger: &Ledger, when: &str) {
    let rows = |sql| support::rows(database, sql);
    assert_eq!(rows("PRAGMA integrity_check"), [["ok"]], "{when}");
    let mut found: HashMap<String, i64> = HashMap::new();
    for row in rows("SELECT text FROM messages") {
        *found
            .entry(row[0].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    for text in ledger.answered.lock().unwrap().keys() {
        assert_eq!(found.get(text), Some(&1), "{when}: answered: {text}");
    }
    for (text, times) in found {
        assert_eq!(times, 1, "{when}: {text}");
    }
    for (what, sql) in WHOLE {
        assert_eq!(rows(sql), Vec::<Vec<Value>>::new(), "{when}: {what}");
    }
    let completed = rows("SELECT command_id FROM commands WHERE state = 'completed'");
    let completed = completed
        .iter()
        .map(|row| row[0].as_str().unwrap().to_owned());
    ledger.completed.lock().unwrap().extend(completed);
    let complaints = ledger.complaints.lock().unwrap();
    assert!(complaints.is_empty(), "{when}: {complaints:#?}");
}

/// What would show that something was committed by halves; each must find nothing.
const WHOLE: [(&str, &str); 6] = [
    (
        "a message without its reply",
        "SELECT id FROM messages WHERE bubbles IS NULL",
    ),
    (
        "a day's count that is not that of its messages",
        "SELECT user_id FROM
           (SELECT user_id, count(*) AS n FROM messages WHERE counted GROUP BY user_id)
           FULL JOIN (SELECT user_id, sum(count) AS used FROM usage_days GROUP BY user_id)
           USING (user_id) WHERE used IS NOT n",
    ),
    (
        "a room whose head is not its newest message",
        "SELECT room_id, max(id) AS newest FROM messages GROUP BY room_id
         HAVING newest IS NOT (SELECT message_id FROM room_heads WHERE room_heads.room_id = messages.room_id)",
    ),
    (
        "a promised reminder that is neither to come nor a command, or both",
        "WITH sent AS MATERIALIZED
           (SELECT substr(text, 1, instr(text || char(10), char(10)) - 1) AS said, count(*) AS n
            FROM (SELECT json_extract(payload, '$.text') AS text FROM commands) GROUP BY said)
         SELECT said FROM (SELECT json_extract(schedule, '$.text') AS said,
           json_extract(schedule, '$.schedule_id') AS promise FROM messages WHERE schedule IS NOT NULL)
         LEFT JOIN reminders ON schedule_id = promise LEFT JOIN sent USING (said)
         WHERE (schedule_id IS NOT NULL) + coalesce(n, 0) <> 1",
    ),
    (
        "seqs with gaps",
        "SELECT agent_id FROM agents WHERE (SELECT count(*) FROM commands WHERE agent_id = agents.id)
              <> (SELECT coalesce(max(seq), 0) FROM commands WHERE agent_id = agents.id)",
    ),
    (
        "an agent's row without the last of the commands that ended",
        "SELECT agent_id FROM agents WHERE ended_seq <> (SELECT coalesce(max(seq), 0) FROM commands
           WHERE agent_id = agents.id AND state NOT IN ('queued', 'sent', 'received', 'executing'))",
    ),
];
