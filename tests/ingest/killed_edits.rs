//! The process is killed around messages and their edited versions, and the relay repeats its
//! requests: what the newest version means is done once, and counts once.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::support::process::{Process, ask};
use super::support::{self, ADMIN_TOKEN, Request, direct, post, request, token};

const ROUNDS: u64 = 8;
const HOUR_MS: i64 = 3_600_000;

/// Messages in order, each with the number of the one that it corrects, and what is there in the
/// end: rows of a query about the person, and how many messages count.
struct EditCase {
    messages: &'static [(&'static str, Option<usize>)],
    query: &'static str,
    left: fn() -> Vec<Vec<Value>>,
    counted: i64,
}

const CASES: [EditCase; 4] = [
    EditCase {
        messages: &[
            ("remind me in 30 hours to call", None),
            ("remind me in 40 hours to write", Some(0)),
        ],
        query: "SELECT text FROM reminders WHERE user_id = ?",
        left: || vec![vec!["write".into()]],
        counted: 1,
    },
    EditCase {
        messages: &[
            ("remind me in 30 hours to call", None),
            ("reminders", None),
            ("snooze 1 for 1 hour", None),
            ("snooze 1 for 2 hours", Some(2)),
        ],
        query: "SELECT send_at - min(received_at) FROM reminders JOIN messages USING (user_id)
                WHERE user_id = ? GROUP BY user_id, reminders.id",
        left: || vec![vec![(32 * HOUR_MS).into()]],
        counted: 3,
    },
    EditCase {
        messages: &[
            ("remember that my bike is red", None),
            ("remember that my bike is blue", Some(0)),
            ("remember that my bike is green", Some(0)),
        ],
        query: "SELECT text FROM memories WHERE user_id = ?",
        left: || vec![vec!["my bike is green".into()]],
        counted: 1,
    },
    EditCase {
        messages: &[
            (
                "remind me in 30 hours to call. remember that I am old",
                None,
            ),
            (
                "remind me in 31 hours to call. remember that I am old",
                Some(0),
            ),
        ],
        query: "SELECT (send_at - min(received_at)) / 3600000 FROM reminders JOIN messages USING (user_id)
                WHERE user_id = ? GROUP BY user_id, reminders.id",
        left: || vec![vec![31.into()]],
        counted: 1,
    },
];

fn requests(case: &EditCase, sender: &str) -> Vec<Request> {
    let messages = case.messages.iter().enumerate();
    let request = |(n, (text, corrects)): (usize, &(&str, Option<usize>))| {
        let mut message = direct(sender, text);
        message["context"] = json!({"message_id": format!("{sender} {n}")});
        if let Some(first) = corrects {
            message["context"]["corrects"] = format!("{sender} {first}").into();
        }
        post("/edge/message", &message).bearer(&token("a"))
    };
    messages.map(request).collect()
}

/// Sends them in order until the connection breaks; what was answered.
async fn send_all(address: SocketAddr, requests: Vec<Request>) -> Vec<String> {
    let mut answers = Vec::new();
    for request in requests {
        match ask(address, &request).await {
            Some(answer) => answers.push(answer.text),
            None => break,
        }
    }
    answers
}

fn check(database: &Path, case: &EditCase, sender: &str) {
    let user = format!("(SELECT id FROM users WHERE phone = '{sender}')");
    let about = |query: &str| support::rows(database, &query.replace('?', &user));
    assert_eq!(about(case.query), (case.left)(), "{sender}");
    let messages = about("SELECT count(*), sum(counted) FROM messages WHERE user_id = ?");
    let sent = case.messages.len() as i64;
    assert_eq!(messages, [[sent, case.counted]], "{sender}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_done_once_over_kills() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let setting = std::env::var("CRASH_SEED").ok();
    let seed = setting.and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or(now.as_nanos() as u64);
    println!("CRASH_SEED={seed}");
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let mut process = Process::start(&database, &[]).unwrap();
    let off = request("PUT", "/admin/feature-flags/rate_limit.enabled")
        .json(&json!({"value": false}))
        .bearer(ADMIN_TOKEN);
    assert_eq!(process.send(&off).await.status, 200);
    for round in 0..ROUNDS {
        let people = (0..CASES.len() * 3).map(|n| {
            let sender = format!("+1555{round:03}{n:04}");
            (&CASES[n % CASES.len()], sender)
        });
        let people: Vec<_> = people.collect();
        let address = process.address;
        let send = |(case, sender): &(&EditCase, String)| {
            tokio::spawn(send_all(address, requests(case, sender)))
        };
        let sending: Vec<_> = people.iter().map(send).collect();
        // Some moment while they are sent, another in each round.
        let moment = seed.rotate_left(round as u32 * 7) % 60;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        process.kill();
        let mut before = Vec::new();
        for sent in sending {
            before.push(sent.await.unwrap());
        }
        process = Process::start(&database, &[]).unwrap();
        for ((case, sender), before) in people.iter().zip(before) {
            let all = send_all(process.address, requests(case, sender)).await;
            assert_eq!(all.len(), case.messages.len(), "{sender}");
            assert_eq!(all[..before.len()], before[..], "{sender}");
            let again = send_all(process.address, requests(case, sender)).await;
            assert_eq!(again, all, "{sender}");
            check(&database, case, sender);
        }
    }
}
