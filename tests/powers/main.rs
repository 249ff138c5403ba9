//! Superpowers over the wire: what is said and kept, who may, what it costs, and what comes
//! by itself.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod access;
mod alarms;
mod calendar;
mod kills;
mod limits;
mod mails;
mod notices;
mod script;
mod sessions;
mod transcripts;

use chatkeep::clock::{Clock, Timestamp};
use serde_json::{Value, json};
use support::{Service, direct, group};

const MINUTE_MS: i64 = 60_000;

/// When a service that a test writes is synced: never, since it has no credentials to try.
const NO_SYNC: &str = "2100-01-01T00:00:00Z";

/// A clock that stands still at noon of a Wednesday, so that what is said of days holds. A
/// token issued by the real clock must not lie in its future.
fn noon() -> Clock {
    const DAY_MS: i64 = 86_400_000;
    let clock = Clock::fixed(Clock::system().now());
    let days = clock.now().0.div_euclid(DAY_MS) + 1;
    // The epoch's first day was a Thursday.
    let days = days + (6 - days.rem_euclid(7)).rem_euclid(7);
    clock.advance(days * DAY_MS + DAY_MS / 2 - clock.now().0);
    clock
}

async fn service_at(clock: &Clock) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    service.set_flag("rate_limit.enabled", false).await;
    service
}

async fn send(service: &Service, body: &Value) -> Value {
    let answer = service.edge_message("a", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn say(service: &Service, sender: &str, text: &str) -> Value {
    send(service, &direct(sender, text)).await
}

async fn reply(service: &Service, sender: &str, text: &str) -> String {
    text_of(&say(service, sender, text).await)
}

fn text_of(answer: &Value) -> String {
    answer["reply_text"].as_str().unwrap().to_owned()
}

/// The code of an answer's access object; "" for an ordinary answer.
fn code(answer: &Value) -> &str {
    answer["access"]["code"].as_str().unwrap_or_default()
}

/// Makes somebody who has written before a subscriber.
async fn subscribe(service: &Service, phone: &str) {
    let path = format!("/admin/users/{}/grant", service.user_id(phone));
    let answer = service
        .admin("PUT", &path, &json!({"plan": "annual"}))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// A subscriber who has said hello.
async fn subscriber(service: &Service, phone: &str) {
    say(service, phone, "hello").await;
    subscribe(service, phone).await;
}

/// Each line "text → part | another"; "!" before a part: not in it; "-": no answer.
async fn talk(service: &Service, body: impl Fn(&str) -> Value, transcript: &str) {
    for line in transcript.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (message, expected) = line.split_once(" → ").unwrap();
        let answer = send(service, &body(message)).await;
        let text = text_of(&answer);
        if expected == "-" {
            assert_eq!(answer["should_respond"], false, "{message} → {text}");
            continue;
        }
        assert_eq!(answer["should_respond"], true, "{message}");
        assert_eq!(answer["access"], Value::Null, "{message}: {answer}");
        for part in expected.split(" | ") {
            match part.strip_prefix('!') {
                Some(not) => assert!(!text.contains(not), "{message} → {text}"),
                None => assert!(text.contains(part), "{message} → {text}"),
            }
        }
    }
}

fn in_group(sender: &str) -> impl Fn(&str) -> Value {
    let sender = sender.to_owned();
    move |text| group("room", &sender, text)
}

fn alone(sender: &str) -> impl Fn(&str) -> Value {
    let sender = sender.to_owned();
    move |text| direct(&sender, text)
}

/// The name of the superpower and the turns of each session, oldest first.
fn sessions(service: &Service) -> Vec<Vec<Value>> {
    service.rows("SELECT app_id, state, message_count FROM miniapp_sessions ORDER BY id")
}

fn naming(mut body: Value, name: &str) -> Value {
    body["context"] = json!({"superpower": name});
    body
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}
