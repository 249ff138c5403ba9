//! Receiving and executing commands. A command is sent, recorded on disk, and then acknowledged;
//! another order could lose it in a crash.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::call::backoff;
use super::direct_chats::DirectChat;
use super::journal::{CommandResult, Journal};
use super::socket::{self, ConnectionEnd};
use super::{Network, RelayCore, SendError, StopReason, poll};

/// How long sending is retried before the command is reported as failed; the service hands it out
/// again later.
const PATIENCE: Duration = Duration::from_secs(45);
/// After this many failed attempts to open a socket, the relay polls.
const UNOPENED_MAX: u32 = 2;
/// How long the relay polls before it tries a socket again.
const POLLED_FOR: Duration = Duration::from_secs(60);
/// A connection that lasted this long resets the count of failures.
const GOOD: Duration = Duration::from_secs(60);

/// Receives and executes commands until the service rejects the relay.
pub(super) async fn receive<N: Network>(
    core: &Arc<RelayCore<N>>,
    mut reports: UnboundedReceiver<Value>,
) -> StopReason {
    // Consecutive broken connections, and among them sockets that did not open.
    let (mut failures, mut unopened) = (0, 0);
    loop {
        let began = Instant::now();
        if unopened >= UNOPENED_MAX {
            if let Err(stop) = poll::run(core, &mut reports, POLLED_FOR).await {
                return stop;
            }
            unopened = UNOPENED_MAX - 1; // one attempt to open a socket
        }
        let wait = match socket::run(core, &mut reports).await {
            ConnectionEnd::Closed {
                wait,
                why,
                was_open,
            } => {
                core.status.set_service(Some(&why));
                unopened = if was_open { 0 } else { unopened + 1 };
                wait
            }
            ConnectionEnd::Restarting { wait } => {
                core.status.note_service_restart();
                unopened = 0;
                wait
            }
            ConnectionEnd::Stop(stop) => return stop,
        };
        if began.elapsed() > GOOD {
            failures = 0;
        }
        tokio::time::sleep(wait.max(backoff(failures))).await;
        failures += 1;
    }
}

impl<N: Network> RelayCore<N> {
    /// Starts a command, unless it is running or finished.
    pub(super) fn run(self: &Arc<Self>, command: &Value) {
        let text = |name: &str| command[name].as_str().unwrap_or_default().to_owned();
        let payload = &command["payload"];
        let chat = payload["chat_guid"].as_str().unwrap_or_default().to_owned();
        if command["command_type"] == "typing" {
            let (core, is_on) = (self.clone(), payload["on"] == true);
            // Outside the queue: a late typing sign is useless.
            self.chat_queues
                .put_aside(async move { core.network.typing(&chat, is_on).await });
            return;
        }
        let id = text("command_id");
        if let Some(ending) = self.journal.lock().ending(&id) {
            return self.report(&id, json!({ "status": ending }));
        }
        let is_new = self.under_way.lock().insert(id.clone());
        // Sending may take longer than the time allowed for an ack.
        self.report(&id, json!({"status": "executing"}));
        if !is_new {
            return;
        }
        let seq = command["seq"].as_u64().unwrap_or_default();
        let is_message = command["command_type"] == "send_message_now";
        let bubbles: Vec<String> =
            serde_json::from_value(payload["bubbles"].clone()).unwrap_or_default();
        let core = self.clone();
        // The chat may be another person's before the command's turn comes.
        let direct = self.direct_chat(&chat);
        self.chat_queues.put(&chat.clone(), async move {
            let report = match is_message {
                true => core.carry_out(&id, seq, (&chat, direct), &bubbles).await,
                false => {
                    core.finish(&id, seq, Err("unknown command_type".to_owned()))
                        .await
                }
            };
            core.under_way.lock().remove(&id);
            core.report(&id, report);
        });
    }

    async fn carry_out(
        &self,
        id: &str,
        seq: u64,
        (chat, direct): (&str, Option<DirectChat>),
        bubbles: &[String],
    ) -> Value {
        let direct = direct.as_ref();
        match self
            .send_all((chat, direct), id, bubbles, Some(PATIENCE))
            .await
        {
            Ok(()) => self.finish(id, seq, Ok(())).await,
            Err(SendError::NotPrivate) if self.direct_chat(chat).as_ref() == direct => {
                let why = SendError::NotPrivate.to_string();
                json!({"status": "failed", "error": why, "retryable": false, "reason": "not_private"})
            }
            // The service knows of the change, and has the command again if it is still for this chat.
            Err(SendError::NotPrivate) => retryable_failure("its chat has changed"),
            Err(SendError::Never(why)) => self.finish(id, seq, Err(why)).await,
            Err(SendError::Later { why, .. }) => retryable_failure(&why),
        }
    }

    /// Records a command's final state. Returns its report.
    async fn finish(&self, id: &str, seq: u64, ended: Result<(), String>) -> Value {
        let ending = match ended {
            Ok(()) => CommandResult::Completed,
            Err(_) => CommandResult::Failed,
        };
        let owned = id.to_owned();
        self.note(move |journal| journal.add_finished(&owned, seq, ending))
            .await;
        match ended {
            Ok(()) => json!({"status": "completed"}),
            Err(why) => json!({"status": "failed", "error": why, "retryable": false}),
        }
    }

    fn report(&self, id: &str, mut report: Value) {
        report["command_id"] = id.into();
        // The receiver lives as long as the relay.
        let _ = self.acks.send(report);
    }

    /// Writes to the journal on the blocking pool. What can't be written, as on a full disk, is
    /// known until the relay ends, so sending goes on.
    pub(super) async fn note(
        &self,
        write: impl FnOnce(&mut Journal) -> io::Result<()> + Send + 'static,
    ) {
        let journal = self.journal.clone();
        let writing = tokio::task::spawn_blocking(move || {
            let mut journal = journal.lock();
            write(&mut journal)
        });
        let written = writing.await.unwrap_or_else(|e| Err(io::Error::other(e)));
        let problem = written.err().map(|error| {
            format!("what is sent can't be noted ({error}); a restart now may send it once more")
        });
        self.status.set_journal(problem.as_deref());
    }

    /// Whether no command is running.
    pub(super) fn is_idle(&self) -> bool {
        self.under_way.lock().is_empty()
    }
}

/// The report of a failure; the service hands the command out again.
fn retryable_failure(why: &str) -> Value {
    json!({"status": "failed", "error": why, "retryable": true})
}
