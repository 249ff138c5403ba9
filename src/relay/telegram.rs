//! The Telegram relay, over the Bot API: long polling, no webhook. A message is confirmed to
//! Telegram only after the service has accepted it and the answer was sent. Telegram has no
//! transaction ids: a crash between sending a bubble and recording it sends that bubble twice.

mod api;
mod chats;
mod text;
mod updates;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::time::Instant;

use super::allow_list::{AllowList, IdForm, UnknownSenders};
use super::call::backoff;
use super::{Network, SendError, StopReason, Uplink};
use api::{Api, Failure};
use chats::Chats;
use updates::Bot;

/// Prefix of people's and chats' ids in the service.
pub const PREFIX: &str = "telegram:";
/// The form of ids of people and groups.
pub const IDS: IdForm = IdForm {
    network: "telegram",
    is_valid: |id| id.parse::<i64>().is_ok(),
    about: "ids as numbers, like \"501\" or \"-1001234\"",
};
/// How long Telegram may delay its answer.
const POLL_S: u64 = 25;
/// Telegram delays updates that were requested again within 3 s. Further updates are requested at
/// this interval while some are unconfirmed.
const REPEAT_INTERVAL: Duration = Duration::from_secs(3);
/// Pause between two empty polls.
const PAUSE: Duration = Duration::from_millis(50);
const UPDATES_MAX: usize = 100;
/// The queue of the task that sets the menu.
const MENU: &str = "the menu";
/// The prefix of reminder texts, which get buttons.
const REMINDER: &str = "⏰";

pub struct TelegramSettings {
    pub token: String,
    /// Like `https://api.telegram.org`.
    pub base_url: String,
    pub allowed: AllowList,
}

pub struct Telegram {
    api: Api,
    allowed: AllowList,
    chats: Mutex<Chats>,
    /// People already named in the log.
    strangers: UnknownSenders,
}

/// Updates that were received and aren't confirmed.
#[derive(Default)]
struct UnconfirmedUpdates {
    /// By id, with a receiver that is notified when the update is done.
    under_way: BTreeMap<i64, oneshot::Receiver<()>>,
    /// Done after an unfinished one: Telegram sends them again until that one is done.
    done: BTreeSet<i64>,
    /// Confirms everything when no update is in progress.
    next: Option<i64>,
}

impl Telegram {
    pub fn new(settings: TelegramSettings) -> Self {
        Self {
            api: Api::new(&settings.base_url, &settings.token),
            allowed: settings.allowed,
            chats: Mutex::default(),
            strangers: UnknownSenders::default(),
        }
    }

    /// Describes the bot and its permissions, as lines for a terminal.
    pub async fn check(&self) -> Result<Vec<String>, String> {
        let bot = self.bot().await.map_err(|failure| failure.to_string())?;
        let groups = match bot.reads_groups {
            true => "it reads everything in its groups",
            false => "in groups it sees commands, mentions and replies to it only",
        };
        Ok(vec![
            format!("Telegram: @{} ({}); {groups}", bot.username, bot.id),
            format!("Allowed: {}", self.allowed),
        ])
    }

    async fn bot(&self) -> Result<Bot, Failure> {
        let me = self.api.call("getMe", json!({})).await?;
        Bot::read(&me).ok_or_else(|| Failure::Broken("getMe says nothing of a bot".to_owned()))
    }

    /// Waits until the bot's account is known; the error ends the relay.
    async fn identify(&self, uplink: &Uplink<Self>) -> Result<Bot, StopReason> {
        let mut attempt = 0;
        loop {
            match self.bot().await {
                Ok(bot) => return Ok(bot),
                Err(Failure::Unauthorized) => return Err(wrong_token()),
                Err(failure) => {
                    let why = failure.to_string();
                    uplink.status().set_network(Some(&why));
                    let pause = failure.wait().unwrap_or_else(|| backoff(attempt));
                    tokio::time::sleep(pause).await;
                    attempt += 1;
                }
            }
        }
    }

    /// Sets the menu of commands. Not all compatible servers support this.
    async fn offer_commands(&self) {
        let commands = [
            ("help", "What I can do"),
            ("status", "How you stand"),
            ("reminders", "Your reminders"),
        ];
        let commands = commands
            .map(|(command, description)| json!({"command": command, "description": description}));
        let set = self
            .api
            .call_with_retries("setMyCommands", json!({ "commands": commands }));
        if let Err(failure) = set.await {
            log::debug!("telegram: the menu of commands was not set: {failure}");
        }
    }

    /// The next updates, from the first unconfirmed one.
    async fn updates(&self, offset: Option<i64>, wait_s: u64) -> Result<Vec<Value>, Failure> {
        let mut parameters = json!({
            "limit": UPDATES_MAX, "timeout": wait_s,
            "allowed_updates": ["message", "edited_message", "callback_query", "my_chat_member"],
        });
        if let Some(offset) = offset {
            parameters["offset"] = offset.into();
        }
        let updates = self.api.poll("getUpdates", parameters, wait_s).await?;
        match updates {
            Value::Array(updates) => Ok(updates),
            _ => Err(Failure::Broken("getUpdates answers no list".to_owned())),
        }
    }

    /// Advice for a conflict that isn't temporary.
    async fn conflict(&self, why: &str) -> String {
        if why.contains("webhook") {
            return match self.api.call_with_retries("deleteWebhook", json!({})).await {
                Ok(_) => "a webhook was set for this bot; it is removed now".to_owned(),
                Err(failure) => format!("a webhook is set for this bot: {failure}"),
            };
        }
        "another program polls with this bot's token; only one may".to_owned()
    }

    async fn send_piece(&self, chat: i64, bubble: &str, is_marked_up: bool) -> Result<(), Failure> {
        let mut message = json!({"text": bubble});
        if is_marked_up {
            message["text"] = text::html(bubble).into();
            message["parse_mode"] = "HTML".into();
        }
        if bubble.starts_with(REMINDER) {
            message["reply_markup"] = updates::reminder_buttons();
        }
        self.call_in(chat, "sendMessage", message).await
    }

    /// A call for a chat. While Telegram asks to wait there, nothing is called.
    async fn call_in(&self, chat: i64, method: &str, mut arguments: Value) -> Result<(), Failure> {
        let (current, wait) = {
            let chats = self.chats.lock();
            (chats.current(chat), chats.wait(chat, Instant::now()))
        };
        if let Some(wait) = wait {
            return Err(Failure::TooMany(wait));
        }
        arguments["chat_id"] = current.into();
        let called = self.api.call(method, arguments).await.map(drop);
        if let Err(Failure::TooMany(wait)) = called {
            let mut chats = self.chats.lock();
            chats.must_wait(chat, wait, Instant::now());
        }
        called
    }

    fn note_moved(&self, from: i64, to: i64) {
        if self.chats.lock().moved(from, to) {
            log::warn!(
                "telegram: the group {from} now has the id {to}; replace it in relay.telegram.allow if it is listed"
            );
        }
    }
}

impl Network for Telegram {
    async fn incoming(&self, uplink: Uplink<Self>) -> StopReason {
        let bot = match self.identify(&uplink).await {
            Ok(bot) => bot,
            Err(stop) => return stop,
        };
        let up = uplink.clone();
        // Nobody waits for it.
        drop(uplink.in_order(MENU, async move { up.network().offer_commands().await }));
        let mut unconfirmed = UnconfirmedUpdates::default();
        let mut attempt = 0;
        loop {
            let wait_s = if unconfirmed.under_way.is_empty() {
                POLL_S
            } else {
                0
            };
            match self.updates(unconfirmed.offset(), wait_s).await {
                Ok(updates) => {
                    attempt = 0;
                    uplink.status().set_network(None);
                    for update in updates {
                        if let Some(id) = update["update_id"].as_i64()
                            && unconfirmed.is_new(id)
                        {
                            unconfirmed.add(id, updates::queue(&uplink, &bot, update));
                        }
                    }
                    unconfirmed.wait_a_while().await;
                }
                Err(Failure::Unauthorized) => return wrong_token(),
                Err(failure) => {
                    let why = match &failure {
                        Failure::Conflict(why) => self.conflict(why).await,
                        other => other.to_string(),
                    };
                    uplink.status().set_network(Some(&why));
                    let pause = failure.wait().unwrap_or_else(|| backoff(attempt));
                    tokio::time::sleep(pause).await;
                    attempt += 1;
                }
            }
        }
    }

    async fn send(&self, chat: &str, bubble: &str, _id: &str) -> Result<(), SendError> {
        let chat = updates::chat_id(chat);
        let chat = chat.ok_or_else(|| SendError::Never("no chat of Telegram's".to_owned()))?;
        // A bubble longer than a Telegram message is rare; its pieces count as one bubble.
        for piece in text::pieces(bubble) {
            let mut sent = self.send_piece(chat, piece, true).await;
            if let Err(Failure::Moved(to)) = sent {
                self.note_moved(chat, to);
                sent = self.send_piece(chat, piece, true).await;
            }
            if matches!(&sent, Err(Failure::Refused(why)) if why.contains("parse entities")) {
                sent = self.send_piece(chat, piece, false).await;
            }
            sent.map_err(send_error)?;
        }
        Ok(())
    }

    /// The typing sign ends by itself, after 5 s or with the next message.
    async fn typing(&self, chat: &str, is_on: bool) {
        if let Some(chat) = updates::chat_id(chat).filter(|_| is_on) {
            let action = json!({"action": "typing"});
            // A late typing sign is useless.
            let _ = self.call_in(chat, "sendChatAction", action).await;
        }
    }
}

impl UnconfirmedUpdates {
    /// Confirms all updates below the returned id.
    fn offset(&self) -> Option<i64> {
        self.under_way.keys().next().copied().or(self.next)
    }

    /// A smaller id than the last isn't a repetition: ids restart anywhere after a week without
    /// updates.
    fn is_new(&self, id: i64) -> bool {
        !self.under_way.contains_key(&id) && !self.done.contains(&id)
    }

    fn add(&mut self, id: i64, finished: oneshot::Receiver<()>) {
        self.under_way.insert(id, finished);
        self.next = Some(id + 1);
    }

    /// Waits until all updates are done, or for a while.
    async fn wait_a_while(&mut self) {
        if self.under_way.is_empty() {
            // Prevents a busy loop with a server that returns empty answers at once.
            return tokio::time::sleep(PAUSE).await;
        }
        let all_done = async {
            while let Some(mut entry) = self.under_way.first_entry() {
                let _ = entry.get_mut().await;
                self.done.insert(entry.remove_entry().0);
            }
        };
        let _ = tokio::time::timeout(REPEAT_INTERVAL, all_done).await;
        let still =
            |finished: &mut oneshot::Receiver<()>| finished.try_recv() == Err(TryRecvError::Empty);
        let done = &mut self.done;
        self.under_way.retain(|id, finished| {
            let still = still(finished);
            if !still {
                done.insert(*id);
            }
            still
        });
        if self.under_way.is_empty() {
            self.done.clear();
        }
    }
}

fn send_error(failure: Failure) -> SendError {
    match failure {
        Failure::Unauthorized => SendError::Later {
            wait: None,
            why: wrong_token().0,
        },
        Failure::Refused(why) | Failure::Forbidden(why) => SendError::Never(why),
        Failure::Moved(_) => SendError::Never("the group has another id".to_owned()),
        other => SendError::Later {
            wait: other.wait(),
            why: other.to_string(),
        },
    }
}

fn wrong_token() -> StopReason {
    StopReason(
        "Telegram does not know the bot's token: set relay.telegram.token to what @BotFather says"
            .to_owned(),
    )
}
