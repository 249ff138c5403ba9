//! The scenarios for a relay program, rule by rule, and the conclusions from its behaviour.

mod messages;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::program::{Program, ProgramOutput};
use super::simulator::{AGENT, HEARTBEAT_S, Observations, Simulator};
use super::{Report, RuleResult};
use crate::random;

/// Time for immediate reactions.
const SOON: Duration = Duration::from_secs(10);
/// Time for reactions after a pause, such as reconnecting.
pub(super) const LATER: Duration = Duration::from_secs(30);
/// How long the program is watched for forbidden behaviour.
const WATCHED: Duration = Duration::from_secs(3);
const RETRY_AFTER: Duration = Duration::from_millis(1_500);
const CONNECTIONS_A_MINUTE_MAX: usize = 10;
/// One poll per second, plus tolerance.
const POLLS_IN_TEN_S_MAX: usize = 12;
const REFUSED_MAX: usize = 5;

/// `connect_max` is how long the program may take to connect first.
pub(super) async fn run(command: &[String], connect_max: Duration) -> Result<Report, String> {
    let simulator = Simulator::start(token()).await?;
    let printed = Arc::new(ProgramOutput::default());
    let mut run = ScenarioRun {
        program: start(&simulator, command, &printed)?,
        simulator,
        command,
        printed,
        verdicts: BTreeMap::new(),
        commands: 0,
        has_socket: false,
        connect_max,
    };
    if run.connects().await {
        run.commands().await;
        run.repetitions().await?;
        run.reconnects().await;
        run.messages().await;
        run.endings().await?;
        run.rates();
    }
    run.program.kill().await;
    Ok(Report {
        verdicts: run.verdicts,
        errors: run.printed.errors(),
    })
}

fn token() -> String {
    // A relay may read its agent's name from the token.
    let text = format!("{AGENT}:conformance:0:{}", random::secret());
    URL_SAFE_NO_PAD.encode(text)
}

fn start(
    simulator: &Simulator,
    command: &[String],
    printed: &Arc<ProgramOutput>,
) -> Result<Program, String> {
    let token = simulator.observed.lock().token.clone();
    let environment = [
        ("CHATKEEP_URL", simulator.url.as_str()),
        ("CHATKEEP_EDGE_TOKEN", &token),
    ];
    Program::start(command, &environment, printed, &simulator.changed)
}

struct ScenarioRun<'a> {
    program: Program,
    simulator: Arc<Simulator>,
    command: &'a [String],
    printed: Arc<ProgramOutput>,
    verdicts: BTreeMap<&'static str, RuleResult>,
    commands: u64,
    has_socket: bool,
    connect_max: Duration,
}

impl ScenarioRun<'_> {
    fn conclude(&mut self, rule: &'static str, is_kept: bool, why: &str) {
        let verdict = match is_kept {
            true => RuleResult::Kept,
            false => RuleResult::Broken(why.to_owned()),
        };
        self.verdicts.insert(rule, verdict);
    }

    fn not_seen(&mut self, rules: &[&'static str], why: &str) {
        for rule in rules {
            self.verdicts
                .insert(rule, RuleResult::NotSeen(why.to_owned()));
        }
    }

    /// A command with two unique bubbles.
    fn command(&mut self, chat: &str) -> (Value, String, Vec<String>) {
        self.commands += 1;
        let id = random::uuid().to_string();
        let words: Vec<String> = ["a", "b"].map(|end| format!("bubble-{id}-{end}")).into();
        let command = json!({
            "command_id": id, "command_type": "send_message_now", "seq": self.commands,
            "priority": "normal", "timestamp": "2026-11-21T04:36:00Z",
            "expires_at": "2036-11-24T04:36:00Z", "attempt": 1, "later": {"field": true},
            "payload": {"thread_id": chat, "chat_guid": chat, "text": words.join("\n"),
                        "bubbles": words, "bubble_type": "normal"},
        });
        (command, id, words)
    }

    async fn until(&self, within: Duration, is_so: impl FnMut(&Observations) -> bool) -> bool {
        self.simulator.until(within, is_so).await
    }

    async fn until_printed(&self, words: &[String]) -> bool {
        let printed = self.printed.clone();
        self.until(SOON, |_| printed.places(words).is_some()).await
    }

    /// Whether each was printed once.
    fn printed_once(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.printed.count(word) == 1)
    }

    async fn restart(&mut self) -> Result<(), String> {
        self.program.kill().await;
        self.until(SOON, |observed| observed.open == 0).await;
        let known = self.presence();
        self.program = start(&self.simulator, self.command, &self.printed)?;
        let is_back =
            |observed: &Observations| observed.connections.len() + observed.polls.len() > known;
        self.until(LATER, is_back).await;
        Ok(())
    }

    /// Connections and polls so far.
    fn presence(&self) -> usize {
        let observed = self.simulator.observed.lock();
        observed.connections.len() + observed.polls.len()
    }

    async fn connects(&mut self) -> bool {
        let is_here = |observed: &Observations| {
            !observed.connections.is_empty() || !observed.polls.is_empty()
        };
        let why = tokio::select! {
            connects = self.simulator.until(self.connect_max, is_here) => match connects {
                true => None,
                false => Some("it neither opened /edge/ws nor polled /edge/sync with its token"),
            },
            () = self.program.ended() => Some("it ended before it connected"),
        };
        self.has_socket = !self.simulator.observed.lock().connections.is_empty();
        self.conclude("connects", why.is_none(), why.unwrap_or_default());
        why.is_none()
    }

    async fn commands(&mut self) {
        let later = json!({"type": "a_later_version", "data": {"field": 1}});
        self.simulator.frame(later);
        let sent = [
            self.command("chat-a"),
            self.command("chat-a"),
            self.command("chat-a"),
        ];
        self.simulator
            .send(&sent.each_ref().map(|(command, ..)| command.clone()));
        let ids = sent.each_ref().map(|(_, id, _)| id.clone());
        let all = self.until(SOON, |observed| {
            ids.iter().all(|id| observed.completed(id) > 0)
        });
        let all = all.await;
        self.conclude(
            "completes",
            all,
            "a command was not acknowledged as completed in time",
        );
        let stayed = self.simulator.observed.lock().connections.len() <= 1;
        self.conclude(
            "ignores-unknown",
            all && stayed,
            "it stopped or reconnected after them",
        );
        let words: Vec<String> = sent.into_iter().flat_map(|(_, _, words)| words).collect();
        match self.printed.places(&words) {
            None => self.not_seen(&["sends-in-order"], "it prints nothing of what it sends"),
            Some(places) => {
                let is_kept = places.is_sorted() && self.printed_once(&words);
                self.conclude("sends-in-order", is_kept, "out of order, or more than once");
            }
        }
        let (mut unknown, id, _) = self.command("chat-a");
        unknown["command_type"] = "dance".into();
        self.simulator.send(&[unknown]);
        let failed = self
            .until(SOON, |observed| observed.reported(&id, "failed") > 0)
            .await;
        let is_final = {
            let observed = self.simulator.observed.lock();
            let mut acks = observed.acks.iter().filter(|ack| ack["command_id"] == *id);
            acks.any(|ack| ack["retryable"] == false)
        };
        self.conclude(
            "unknown-command",
            failed && is_final,
            "it did not fail for good",
        );
        self.simulator.change(|observed| observed.outbox.clear());
    }

    /// `disturb` happens after the program reported a command and before the report is accepted.
    async fn repeated(&mut self, rule: &'static str, is_killed: bool) -> Result<(), String> {
        let (command, id, words) = self.command("chat-b");
        self.simulator.change(|observed| observed.loses_acks = true);
        self.simulator.send(&[command]);
        let reported = self
            .until(SOON, |observed| observed.completed(&id) > 0)
            .await;
        let known = self.simulator.observed.lock().completed(&id);
        self.simulator
            .change(|observed| observed.loses_acks = false);
        if is_killed {
            self.restart().await?;
        } else {
            self.simulator.break_off();
        }
        let again = self
            .until(LATER, |observed| observed.completed(&id) > known)
            .await;
        let is_kept = reported && again && words.iter().all(|word| self.printed.count(word) <= 1);
        self.conclude(
            rule,
            is_kept,
            "it did not acknowledge it again, or sent it again",
        );
        Ok(())
    }

    async fn repetitions(&mut self) -> Result<(), String> {
        let (command, id, words) = self.command("chat-a");
        self.simulator.send(std::slice::from_ref(&command));
        self.until(SOON, |observed| observed.completed(&id) > 0)
            .await;
        let known = self.simulator.observed.lock().completed(&id);
        self.simulator.send(&[command]);
        let again = self
            .until(SOON, |observed| observed.completed(&id) > known)
            .await;
        let is_kept = again && words.iter().all(|word| self.printed.count(word) <= 1);
        let why = "it did not acknowledge it again, or sent it again";
        self.conclude("knows-repetition", is_kept, why);
        self.repeated("lost-ack", false).await?;
        self.repeated("survives-kill", true).await
    }

    async fn reconnects(&mut self) {
        let sent = ["chat-c", "chat-d", "chat-e"].map(|chat| self.command(chat));
        let ids = sent.each_ref().map(|(_, id, _)| id.clone());
        self.simulator.change(|observed| {
            observed.outbox = sent.iter().map(|(command, ..)| command.clone()).collect()
        });
        self.simulator.break_off();
        let all = self.until(LATER, |observed| {
            ids.iter().all(|id| observed.completed(id) > 0)
        });
        let all = all.await;
        let words: Vec<String> = sent.into_iter().flat_map(|(_, _, words)| words).collect();
        let once = words.iter().all(|word| self.printed.count(word) <= 1);
        self.conclude(
            "any-order",
            all && once,
            "a command was not finished, or was sent twice",
        );
        if self.simulator.observed.lock().resumes.is_empty() {
            self.not_seen(&["new-outbox"], "it sends no resume");
        } else {
            self.simulator
                .change(|observed| observed.epoch = "second".to_owned());
            self.simulator.break_off();
            self.until(LATER, |observed| {
                observed.resumes.iter().any(|one| one["epoch"] == "second")
            })
            .await;
            let resumes = self.simulator.observed.lock().resumes.clone();
            let mut claims = resumes.iter().filter(|one| one["epoch"] == "second");
            let is_kept = claims.all(|one| one["last_seq"].as_u64().unwrap_or(0) == 0);
            self.conclude(
                "new-outbox",
                is_kept,
                "it claimed to have finished what it never saw",
            );
        }
        if !self.has_socket {
            return self.not_seen(&["shows-life"], "it has no WebSocket");
        }
        let known = self.simulator.observed.lock().frames.len();
        let within = Duration::from_secs(HEARTBEAT_S + 5);
        let lives = self
            .until(within, |observed| observed.frames.len() > known)
            .await;
        self.conclude("shows-life", lives, "it said nothing");
    }

    async fn endings(&mut self) -> Result<(), String> {
        if self.has_socket {
            self.polls_instead().await?;
            self.restart().await?;
            let (known, since) = (self.presence(), Instant::now());
            let wait_ms = u64::try_from(RETRY_AFTER.as_millis()).unwrap_or_default();
            self.simulator.close(1012, Some(wait_ms));
            let back =
                |observed: &Observations| observed.connections.len() + observed.polls.len() > known;
            let is_back = self.until(LATER, back).await;
            let waited = since.elapsed() >= RETRY_AFTER;
            self.conclude(
                "waits-after-bye",
                is_back && waited,
                "it came back too early, or not",
            );
            let known = self.presence();
            self.simulator.close(4409, None);
            let back =
                |observed: &Observations| observed.connections.len() + observed.polls.len() > known;
            let is_back = self.until(WATCHED, back).await;
            self.conclude("stays-away", !is_back, "it came back");
            self.restart().await?;
        } else {
            let rules = ["polls-instead", "waits-after-bye", "stays-away"];
            self.not_seen(&rules, "it has no WebSocket");
        }
        self.simulator.change(|observed| {
            observed.token = token();
            observed.refused.clear();
        });
        self.simulator.close(4401, None);
        self.until(WATCHED, |observed| observed.refused.len() > REFUSED_MAX)
            .await;
        let refused = self.simulator.observed.lock().refused.len();
        let why = format!("it tried {refused} times");
        self.conclude("token-refused", refused <= REFUSED_MAX, &why);
        let known = self.presence();
        self.restart().await?;
        let works = self.presence() > known;
        self.conclude("new-token", works, "it did not come back");
        Ok(())
    }

    async fn polls_instead(&mut self) -> Result<(), String> {
        let (command, id, _) = self.command("chat-g");
        self.simulator.change(|observed| {
            observed.refuses_sockets = true;
            observed.outbox = vec![command];
        });
        self.simulator.break_off();
        let done = self
            .until(LATER, |observed| observed.completed(&id) > 0)
            .await;
        self.conclude("polls-instead", done, "a command was not carried out");
        self.simulator.change(|observed| {
            observed.refuses_sockets = false;
            observed.outbox.clear();
        });
        Ok(())
    }

    fn rates(&mut self) {
        let (in_address, connections, polls) = {
            let observed = self.simulator.observed.lock();
            (
                observed.token_in_address,
                observed.connections.clone(),
                observed.polls.clone(),
            )
        };
        self.conclude("no-token-in-address", !in_address, "a query held it");
        let most = most_within(&connections, Duration::from_secs(60));
        let why = format!("it opened {most}");
        self.conclude("connects-rarely", most <= CONNECTIONS_A_MINUTE_MAX, &why);
        if polls.is_empty() {
            return self.not_seen(&["polls-rarely"], "it never polled");
        }
        let most = most_within(&polls, Duration::from_secs(10));
        let why = format!("it polled {most} times in 10 s");
        self.conclude("polls-rarely", most <= POLLS_IN_TEN_S_MAX, &why);
    }
}

/// The largest number of moments within a time; the moments are sorted.
fn most_within(moments: &[Instant], time: Duration) -> usize {
    let since = |from: usize| {
        let within = moments[from..].iter();
        within
            .take_while(|at| at.duration_since(moments[from]) < time)
            .count()
    };
    (0..moments.len()).map(since).max().unwrap_or(0)
}
