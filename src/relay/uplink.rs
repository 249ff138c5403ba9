//! What a network's `incoming` uses: posting messages and photos, and sending the relay's own
//! texts.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;

use super::call::backoff;
use super::direct_chats::DirectChat;
use super::incoming::{CANT_SEE, IncomingMessage, NOT_TAKEN, TOO_MANY_PHOTOS, TRY_AGAIN};
use super::service::CallResult;
use super::{Network, RelayCore, RelayStatus, SendError, StopReason};

/// The boundary of a multipart form. No photo contains it by chance.
const BOUNDARY: &str = "chatkeep-relay-6f1d8a52c3e94b07";

/// How often a message is posted that the service fails at (500), and how often a reply is sent
/// that the network refuses: about 5 minutes. Other messages of the chat wait meanwhile.
const TRIES_MAX: u32 = 12;
/// A photo that must wait longer is refused, so that the chat's messages don't wait for it.
const PHOTO_WAIT_MAX: Duration = Duration::from_secs(60);

/// The outcome of posting a message.
enum PostOutcome {
    Taken(Value),
    /// The service refused it, which is logged already.
    Refused,
    /// The service failed at it too often, which is logged already.
    GivenUp,
    /// The service asks for a longer wait than the message may take.
    TooEarly,
}

pub struct Uplink<N> {
    core: Arc<RelayCore<N>>,
}

impl<N> Clone for Uplink<N> {
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
        }
    }
}

impl<N: Network> Uplink<N> {
    pub(super) fn of(core: &Arc<RelayCore<N>>) -> Self {
        Self { core: core.clone() }
    }

    pub fn network(&self) -> &N {
        &self.core.network
    }

    /// The relay's state for the operator.
    pub fn status(&self) -> &RelayStatus {
        &self.core.status
    }

    /// Runs a task after all earlier ones of the chat's queue. The receiver is notified when it is
    /// done.
    pub fn in_order(
        &self,
        chat: &str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> oneshot::Receiver<()> {
        let (done, finished) = oneshot::channel();
        self.core.chat_queues.put(chat, async move {
            work.await;
            let _ = done.send(());
        });
        finished
    }

    /// Notes the text of a message. False for an edit that changes no word, such as one that adds a
    /// link's preview: it is not posted.
    pub(super) fn has_new_words(&self, incoming: &IncomingMessage, text: &str) -> bool {
        let first = incoming.corrects.as_ref().unwrap_or(&incoming.key);
        let said = format!("{} {text}", incoming.is_addressed);
        let is_new = self.core.texts.lock().note(first, &said);
        is_new || incoming.corrects.is_none()
    }

    /// Posts a message with the fields of `POST /edge/message`, and sends the answer. `key` is the
    /// network's id of the message. It is retried until the service accepts or refuses it, so this
    /// may take long. Call it within the chat's queue.
    pub async fn message(&self, key: &str, message: &Value) {
        let chat = message["chat_guid"].as_str().unwrap_or_default();
        let call = || self.core.service.message(key, message);
        match self.post(Duration::MAX, call).await {
            PostOutcome::Taken(answer) => {
                let bubbles: Vec<String> =
                    serde_json::from_value(answer["reply_bubbles"].clone()).unwrap_or_default();
                let person = message["sender"].as_str();
                let person = person.filter(|_| message["mode"] == "direct");
                self.core.note_chat(chat, person).await;
                let direct = person.map(|person| DirectChat::new(chat, person));
                self.send_all((chat, direct.as_ref()), key, &bubbles).await;
            }
            PostOutcome::GivenUp if message["mode"] == "direct" => {
                self.say(chat, key, TRY_AGAIN).await
            }
            PostOutcome::Refused if message["mode"] == "direct" => {
                self.say(chat, key, NOT_TAKEN).await
            }
            PostOutcome::GivenUp | PostOutcome::Refused | PostOutcome::TooEarly => {}
        }
    }

    /// Posts a photo with the fields of `POST /photo/upload` besides the file. The reply follows as
    /// a command.
    pub async fn photo(&self, fields: &[(&str, String)], file: &[u8]) {
        let form = form(fields, file);
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let field = |name: &str| {
            let found = fields.iter().find(|(known, _)| *known == name);
            found.map_or("", |(_, text)| text.as_str())
        };
        let (chat, key) = (field("chat_guid"), field("attachment_guid"));
        let call = || self.core.service.photo(&content_type, &form);
        let words = match self.post(PHOTO_WAIT_MAX, call).await {
            PostOutcome::Taken(_) => {
                let person = field("user_phone");
                let person = Some(person).filter(|_| field("is_group") != "true");
                return self.core.note_chat(chat, person).await;
            }
            PostOutcome::Refused => CANT_SEE,
            PostOutcome::TooEarly => TOO_MANY_PHOTOS,
            PostOutcome::GivenUp => TRY_AGAIN,
        };
        if field("is_group") != "true" {
            self.say(chat, key, words).await;
        }
    }

    /// Sends a text of the relay itself. `id` is the same whenever the same text is sent.
    pub async fn say(&self, chat: &str, id: &str, text: &str) {
        self.send_all((chat, None), id, &[text.to_owned()]).await;
    }

    /// Posts until the service takes it. A service that does not answer is waited for.
    async fn post<F>(&self, wait_max: Duration, call: impl Fn() -> F) -> PostOutcome
    where
        F: Future<Output = CallResult>,
    {
        let (mut attempt, mut broken) = (0, 0);
        loop {
            let (wait, why) = match call().await {
                CallResult::Taken(answer) => {
                    self.core.status.set_service(None);
                    return PostOutcome::Taken(answer);
                }
                CallResult::Refused(why) => {
                    log::warn!("a message was not accepted: {why}");
                    return PostOutcome::Refused;
                }
                CallResult::Stop(stop) => return self.core.ends(stop).await,
                CallResult::Broken(why) => {
                    broken += 1;
                    if broken == TRIES_MAX {
                        log::warn!("a message is left out after {broken} tries: {why}");
                        return PostOutcome::GivenUp;
                    }
                    (Duration::ZERO, why)
                }
                CallResult::Later { wait, .. } if wait > wait_max => return PostOutcome::TooEarly,
                CallResult::Later { wait, why } => (wait, why),
            };
            self.core.status.set_service(Some(&why));
            tokio::time::sleep(wait.max(backoff(attempt))).await;
            attempt += 1;
        }
    }

    async fn send_all(&self, chat: (&str, Option<&DirectChat>), id: &str, bubbles: &[String]) {
        if let Err(unsent) = self.core.send_all(chat, id, bubbles, None).await {
            log::warn!("a reply was not sent: {unsent}");
        }
    }
}

impl<N: Network> RelayCore<N> {
    /// Sends unsent bubbles in order. A bubble that may be sent later is retried until `patience`
    /// has passed, not counting waits requested by the network; without `patience`, until the
    /// network works and has refused it so often. With a direct chat, it is sent only while nobody
    /// else reads there.
    pub(super) async fn send_all(
        &self,
        (chat, direct): (&str, Option<&DirectChat>),
        id: &str,
        bubbles: &[String],
        patience: Option<Duration>,
    ) -> Result<(), SendError> {
        for (number, bubble) in bubbles.iter().enumerate() {
            let bubble_id = format!("{id}:{number}");
            if self.journal.lock().was_sent(&bubble_id) {
                continue;
            }
            let mut waited = Duration::ZERO;
            let (mut attempt, mut refusals) = (0, 0);
            while let Err(unsent) = self.send(chat, direct, bubble, &bubble_id).await {
                let SendError::Later { wait, why } = unsent else {
                    return Err(unsent);
                };
                let pause = wait.unwrap_or_else(|| backoff(attempt));
                if wait.is_none() {
                    refusals += u32::from(self.status.network_answers());
                    let is_over = match patience {
                        Some(patience) => waited >= patience,
                        None => refusals == TRIES_MAX,
                    };
                    if is_over {
                        return Err(SendError::Later { wait, why });
                    }
                    waited += pause;
                    attempt += 1;
                }
                tokio::time::sleep(pause).await;
            }
            self.note(move |journal| journal.add_sent(&bubble_id)).await;
        }
        Ok(())
    }

    /// Ends the relay; never returns.
    pub(super) async fn ends<T>(&self, stop: StopReason) -> T {
        self.stop.send_replace(Some(stop));
        std::future::pending().await
    }
}

impl std::fmt::Display for SendError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Later { why, .. } | Self::Never(why) => f.write_str(why),
            Self::NotPrivate => f.write_str("others read this direct chat now"),
        }
    }
}

fn form(fields: &[(&str, String)], file: &[u8]) -> Vec<u8> {
    let mut form = Vec::with_capacity(file.len() + 4096);
    for (name, text) in fields {
        form.extend(
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n")
                .bytes(),
        );
        form.extend(text.bytes());
        form.extend(b"\r\n");
    }
    form.extend(
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"photo\"\r\n\r\n"
        )
        .bytes(),
    );
    form.extend(file);
    form.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    form
}
