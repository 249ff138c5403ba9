//! Plays a script against its own service, with a clock that only the script moves and a temporary
//! database. Messages take the same path as a relay's. The player compares answers with the
//! expected ones, and claims in answers with the database.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{NaiveDateTime, TimeZone};
use serde_json::{Value, json};

use super::claims::{self, Rows, line_of};
use super::script::{Expectation, Part, ReminderLine, Script, ScriptStep};
use crate::app::App;
use crate::auth::edge_token;
use crate::clock::{Clock, Timestamp, Zone};
use crate::config::{Config, Secret};
use crate::flags::Override;
use crate::outbound::{self, PostRequest};
use crate::random;
use crate::store::PowerOwner;

const AGENT_ID: &str = "script";
const POST_MAX: Duration = Duration::from_secs(35);
/// How long a due message may take to be queued.
const DUE_MAX: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Time between two messages; shorter than any displayed time.
const TURN_MS: i64 = 1;
/// Memories that are compared.
const MEMORIES_MAX: usize = 100;

/// The outcome of a script.
#[derive(Default)]
pub(super) struct ScriptOutcome {
    pub(super) turns: usize,
    /// Each with its line in the script.
    pub(super) failures: Vec<String>,
}

pub(super) struct Player {
    app: Arc<App>,
    clock: Clock,
    url: String,
    secret: String,
    zone: Zone,
    /// Names of people and their phone numbers.
    people: HashMap<String, String>,
    phones: usize,
    seen_command: i64,
    outcome: ScriptOutcome,
}

/// A folder that is removed when this is dropped.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn make() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("chatkeep-script-{}", random::uuid()));
        std::fs::create_dir(&path).map_err(|e| format!("can't make {}: {e}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Player {
    pub(super) fn new(
        app: Arc<App>,
        clock: Clock,
        url: String,
        config: &Config,
    ) -> Result<Self, String> {
        let secret = config.edge.secret.as_ref().map(Secret::expose);
        let unlimited = Override {
            value: false.into(),
            set_at: clock.now(),
            set_by: "chat --script".to_owned(),
            expires_at: None,
        };
        // The clock stands still, so every limit would be reached.
        let overrides = HashMap::from([("rate_limit.enabled", unlimited)]);
        app.flags.set_overrides(overrides);
        Ok(Self {
            app,
            clock,
            url,
            secret: secret.ok_or("edge.secret is missing; set it")?.to_owned(),
            zone: Zone::UTC,
            people: HashMap::new(),
            phones: 0,
            seen_command: 0,
            outcome: ScriptOutcome::default(),
        })
    }

    /// An error means that the script can't continue.
    pub(super) async fn play(mut self, script: Script) -> Result<ScriptOutcome, String> {
        for (line, step) in script.steps {
            self.step(line, step)
                .await
                .map_err(|why| format!("line {line}: {why}"))?;
        }
        Ok(self.outcome)
    }

    async fn step(&mut self, line: usize, step: ScriptStep) -> Result<(), String> {
        match step {
            ScriptStep::Clock(time, zone) => {
                self.zone = zone.unwrap_or(self.zone);
                let at = self
                    .timestamp(time)
                    .ok_or("the clock never shows this time")?;
                let ms = at.0 - self.clock.now().0;
                if ms < 0 {
                    return Err("the clock has gone further already".to_owned());
                }
                self.advance(ms).await
            }
            ScriptStep::Wait(seconds) => self.advance(seconds * 1000).await,
            ScriptStep::NewPeople => {
                self.people.clear();
                Ok(())
            }
            ScriptStep::Say {
                speaker,
                group,
                text,
                then,
            } => {
                self.turn(line, &speaker, group.as_deref(), &text, then)
                    .await
            }
            ScriptStep::LateMessage(parts) => {
                let texts = self.new_messages().await?;
                super::super::print_live(&format!("> {}", texts.join("\n> ")))?;
                let matches = texts.iter().any(|text| mismatch(text, &parts).is_none());
                if !matches {
                    let expected: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
                    self.fail(
                        line,
                        format!("no message with {}, but {texts:?}", expected.join(" | ")),
                    );
                }
                Ok(())
            }
        }
    }

    async fn turn(
        &mut self,
        line: usize,
        speaker: &str,
        group: Option<&str>,
        text: &str,
        then: Vec<Expectation>,
    ) -> Result<(), String> {
        let phone = self.phone(speaker).await?;
        let before = self.rows(&phone).await?;
        let answer = self.say(&phone, group, text).await?;
        self.clock.advance(TURN_MS);
        let after = self.rows(&phone).await?;
        self.outcome.turns += 1;
        super::super::print_live(&format!(
            "{speaker}: {text}\n  {}",
            answer.replace('\n', "\n  ")
        ))?;
        if group.is_none() {
            let now = self.clock.now();
            for why in claims::false_claims(&answer, (&before, &after), self.zone, now) {
                self.fail(line, format!("{text:?} → {answer:?}: {why}"));
            }
        }
        for expected in then {
            if let Some(why) = self.unmet(&expected, &answer, &after) {
                self.fail(line, format!("{text:?}: {why}"));
            }
        }
        Ok(())
    }

    fn unmet(&self, expected: &Expectation, answer: &str, rows: &Rows) -> Option<String> {
        match expected {
            Expectation::Silence => {
                (!answer.is_empty()).then(|| format!("answered {answer:?}, not nothing"))
            }
            Expectation::Answer(parts) => mismatch(answer, parts),
            Expectation::Memories(texts) => {
                (rows.memories != *texts).then(|| format!("memories are {:?}", rows.memories))
            }
            Expectation::Reminders(lines) => {
                let rows: Vec<ReminderLine> = rows
                    .reminders
                    .iter()
                    .map(|r| line_of(r, self.zone))
                    .collect();
                let same = rows.len() == lines.len()
                    && rows.iter().zip(lines).all(|(rows, line)| {
                        (rows.at, &rows.text) == (line.at, &line.text)
                            && (line.rule.is_none() || rows.rule == line.rule)
                    });
                (!same).then(|| format!("answered {answer:?}, and reminders are {rows:?}"))
            }
        }
    }

    fn fail(&mut self, line: usize, why: String) {
        self.outcome.failures.push(format!("line {line}: {why}"));
    }

    fn timestamp(&self, time: NaiveDateTime) -> Option<Timestamp> {
        let at = self.zone.from_local_datetime(&time).earliest()?;
        Some(Timestamp(at.timestamp_millis()))
    }

    /// A new person first sets the time zone.
    async fn phone(&mut self, speaker: &str) -> Result<String, String> {
        if let Some(phone) = self.people.get(speaker) {
            return Ok(phone.clone());
        }
        self.phones += 1;
        let phone = format!("+1555{:07}", self.phones);
        self.people.insert(speaker.to_owned(), phone.clone());
        if self.zone != Zone::UTC {
            let zone = format!("my time zone is {}", self.zone.name());
            self.say(&phone, None, &zone).await?;
        }
        Ok(phone)
    }

    async fn say(&self, phone: &str, group: Option<&str>, text: &str) -> Result<String, String> {
        let (chat, mode) = match group {
            Some(group) => (format!("group;{group}"), "group"),
            None => (format!("direct;{phone}"), "direct"),
        };
        let now = self.clock.now().seconds();
        let body = json!({
            "chat_guid": chat, "mode": mode, "sender": phone, "text": text, "timestamp": now,
        });
        let token = edge_token::issue(&self.secret, AGENT_ID, phone, now);
        let url = format!("{}/edge/message", self.url);
        let key = random::uuid().to_string();
        let posting = tokio::task::spawn_blocking(move || {
            outbound::post(&PostRequest {
                headers: &[("idempotency-key", &key), ("x-edge-agent-id", AGENT_ID)],
                timeout: POST_MAX,
                ..PostRequest::new(&url, &token, &body)
            })
        });
        let answer = posting
            .await
            .map_err(|e| e.to_string())?
            .map_err(|e| e.to_string())?;
        match answer.status {
            200 => Ok(answer.body["reply_text"]
                .as_str()
                .unwrap_or_default()
                .to_owned()),
            status => Err(format!("the service answered {status}: {}", answer.body)),
        }
    }

    async fn rows(&self, phone: &str) -> Result<Rows, String> {
        let phone = phone.to_owned();
        let reading = self.app.store.write(move |tx| {
            Ok(match tx.user_by_phone(&phone)? {
                None => Rows::default(),
                Some(user) => Rows {
                    powers: tx
                        .power_states(PowerOwner::User(user.id))?
                        .into_iter()
                        .map(|row| (row.name, row.state))
                        .collect(),
                    reminders: tx.reminders(user.id)?,
                    memories: tx
                        .memories(user.id, MEMORIES_MAX)?
                        .into_iter()
                        .map(|m| m.text)
                        .collect(),
                },
            })
        });
        reading.await.map_err(|e| e.to_string())
    }

    /// Moves the clock and waits until everything due is queued.
    async fn advance(&self, ms: i64) -> Result<(), String> {
        self.clock.advance(ms);
        let now = self.clock.now();
        let waiting = async {
            loop {
                self.app.ingest.reminders.now();
                let next = self.app.store.read(|view| {
                    let both = [view.next_reminder_due()?, view.next_power_alarm_due()?];
                    Ok(both.into_iter().flatten().min())
                });
                match next.await {
                    Ok(next) if next.is_none_or(|at| at > now) => return Ok(()),
                    Ok(_) => tokio::time::sleep(POLL_INTERVAL).await,
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        let waited = tokio::time::timeout(DUE_MAX, waiting).await;
        waited.map_err(|_| "what is due was not delivered")?
    }

    /// Messages queued for anybody since the last call.
    async fn new_messages(&mut self) -> Result<Vec<String>, String> {
        let after = self.seen_command;
        let reading = self
            .app
            .store
            .read(move |view| view.command_payloads(after));
        let mut texts = Vec::new();
        for (id, payload) in reading.await.map_err(|e| e.to_string())? {
            self.seen_command = id;
            let payload: Value = serde_json::from_str(&payload).unwrap_or_default();
            texts.push(payload["text"].as_str().unwrap_or_default().to_owned());
        }
        Ok(texts)
    }
}

/// The first part that is missing, or present although it must not be.
fn mismatch(text: &str, parts: &[Part]) -> Option<String> {
    let part = parts
        .iter()
        .find(|part| text.contains(&part.text) == part.is_absent)?;
    let word = if part.is_absent { "with" } else { "without" };
    Some(format!("answered {text:?}, {word} {:?}", part.text))
}
