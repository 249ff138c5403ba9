//! Reminders: the way to make the built-in engine cause a command at a known time. Each comes
//! from a sender of its own, so that no chat waits for another's ack and no limit is near.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, sleep_until};

use crate::client::{self, Connection};
use crate::message::sender;
use crate::relays::Arrival;
use crate::{Failure, Result};

/// Precedes the reminder's number in its text.
const MARK: &str = "check oven ";
const POSTERS: u64 = 32;

/// When each reminder is due by the service's own word, in ms since the epoch, by number.
pub(crate) type DueTimes = HashMap<u64, i64>;

/// What is asked of the service.
pub(crate) struct Plan {
    pub(crate) address: SocketAddr,
    pub(crate) count: u64,
    /// A second; `None` is as fast as they are answered.
    pub(crate) rate: Option<u64>,
    /// "in 3 seconds", "at 14:35".
    pub(crate) when: String,
}

/// Number n goes through agent n modulo the number of tokens.
pub(crate) async fn post(plan: &Plan, tokens: &[String]) -> Result<DueTimes> {
    let begin = Instant::now();
    let mut posters = JoinSet::new();
    for poster in 0..POSTERS {
        let mut connection = Connection::open(plan.address).await?;
        let (address, when) = (plan.address, plan.when.clone());
        let numbers = (poster..plan.count).step_by(POSTERS as usize);
        let jobs: Vec<(u64, String)> = numbers
            .map(|number| {
                (
                    number,
                    tokens[(number % tokens.len() as u64) as usize].clone(),
                )
            })
            .collect();
        let interval = plan
            .rate
            .map(|rate| Duration::from_secs(1).div_f64(rate.max(1) as f64));
        posters.spawn(async move {
            let mut due = DueTimes::new();
            for (number, token) in jobs {
                if let Some(interval) = interval {
                    sleep_until(begin + interval.mul_f64(number as f64)).await;
                }
                let body = reminder(number, &when)?;
                let request = client::request("POST", "/edge/message", address, &token, &body);
                let answer = connection.exchange(request.as_bytes()).await?;
                due.insert(number, due_time(answer.status, answer.body)?);
            }
            Ok::<_, Failure>(due)
        });
    }
    let mut all = DueTimes::new();
    while let Some(due) = posters.join_next().await {
        all.extend(due??);
    }
    Ok(all)
}

fn reminder(number: u64, when: &str) -> Result<String> {
    let sender = sender(number);
    let timestamp = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Ok(json!({
        "chat_guid": format!("iMessage;-;{sender}"), "mode": "direct", "sender": sender,
        "text": format!("remind me {when} to {MARK}{number}"), "timestamp": timestamp,
        "participants": [sender],
    })
    .to_string())
}

fn due_time(status: u16, body: &[u8]) -> Result<i64> {
    let answer: Value = serde_json::from_slice(body)?;
    let send_at = answer["schedule_message"]["send_at"].as_str();
    let Some(send_at) = send_at.filter(|_| status == 200) else {
        return Err(format!("no reminder was made: {status} {answer}").into());
    };
    Ok(DateTime::parse_from_rfc3339(send_at)?.timestamp_millis())
}

/// Which reminder a command is.
pub(crate) fn number(arrival: &Arrival) -> Option<u64> {
    let (_, rest) = arrival.text.split_once(MARK)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// From when a reminder was due until its frame arrived, in µs; below zero when it came early.
pub(crate) fn delay_us(arrival: &Arrival, due_ms: i64) -> Result<i64> {
    let at = arrival.at.duration_since(UNIX_EPOCH)?.as_micros();
    Ok(i64::try_from(at)? - due_ms * 1000)
}
