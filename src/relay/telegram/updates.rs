//! Handles one update of Telegram: what it is, and what is posted to the service.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

use super::{PREFIX, Telegram, send_error, text};
use crate::relay::incoming::{CANT_HEAR, CANT_READ, CORRECTION_S_MAX, IncomingMessage};
use crate::relay::{Uplink, download};

/// Telegram doesn't serve larger files.
const PHOTO_BYTES_MAX: u64 = 20 * 1024 * 1024;
/// How much of a text's digest tells it from another one.
const DIGEST_DIGITS: usize = 16;
/// Types of files that the service takes as photos.
const PHOTO_FILES: [&str; 4] = ["image/jpeg", "image/png", "image/webp", "image/heic"];
const NO_PHOTO: &str = "I couldn't get that photo from Telegram. Could you send it again?";
/// The command of a person's first press in the chat with the bot.
const START: &str = "/start";
const DONE: &str = "done";
const SNOOZE: &str = "snooze";
const SNOOZE_MINUTES: u32 = 10;
const CANT_SNOOZE: &str =
    "I can't read that reminder any more. Write “remind me in 10 minutes to …” instead.";
/// Reminders begin with it, a word and a colon.
const REMINDER_MARK: &str = "⏰ ";

/// The bot's account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bot {
    pub(super) id: i64,
    pub(super) username: String,
    pub(super) reads_groups: bool,
}

impl Bot {
    pub(super) fn read(me: &Value) -> Option<Self> {
        Some(Self {
            id: me["id"].as_i64()?,
            username: me["username"].as_str()?.to_owned(),
            reads_groups: me["can_read_all_group_messages"] == true,
        })
    }
}

/// Parses `telegram:501` into Telegram's number.
pub(super) fn chat_id(chat_guid: &str) -> Option<i64> {
    chat_guid.strip_prefix(PREFIX)?.parse().ok()
}

pub(super) fn reminder_buttons() -> Value {
    let snooze = format!("Snooze {SNOOZE_MINUTES} min");
    json!({"inline_keyboard": [[
        {"text": "Done", "callback_data": DONE},
        {"text": snooze, "callback_data": SNOOZE},
    ]]})
}

/// Puts the handling of an update into its chat queue.
pub(super) fn queue(uplink: &Uplink<Telegram>, bot: &Bot, update: Value) -> oneshot::Receiver<()> {
    let message = ["message", "edited_message", "callback_query"]
        .iter()
        .find_map(|kind| update.get(kind).map(|content| (*kind, content)));
    let chat = match message {
        Some(("callback_query", query)) => query["message"]["chat"]["id"].as_i64(),
        Some((_, message)) => message["chat"]["id"].as_i64(),
        None => None,
    };
    if let (Some((_, message)), Some(chat)) = (message, chat) {
        note_moved(uplink.network(), message, chat);
    }
    let queue = format!("{PREFIX}{}", chat.unwrap_or_default());
    let (up, bot) = (uplink.clone(), bot.clone());
    uplink.in_order(&queue, async move {
        if let Some(query) = update.get("callback_query") {
            press(&up, query).await;
        } else if let Some(message) = update.get("message") {
            forward(&up, &bot, message, false).await;
        } else if let Some(message) = update.get("edited_message") {
            forward(&up, &bot, message, true).await;
        }
    })
}

/// A group that becomes a supergroup says so in both. Before anything is put into their chat_queues.
fn note_moved(network: &Telegram, message: &Value, chat: i64) {
    if let Some(to) = message["migrate_to_chat_id"].as_i64() {
        network.note_moved(chat, to);
    }
    if let Some(from) = message["migrate_from_chat_id"].as_i64() {
        network.note_moved(from, chat);
    }
}

async fn forward(uplink: &Uplink<Telegram>, bot: &Bot, message: &Value, is_edited: bool) {
    let network = uplink.network();
    let Some(read) = TelegramMessage::read(message, bot, is_edited) else {
        return;
    };
    if !allows(network, read.person, read.chat) {
        return;
    }
    let incoming = &read.incoming;
    if !uplink.has_new_words(incoming, read.text.as_deref().unwrap_or_default()) {
        return;
    }
    // A photo is uploaded once; its caption may change.
    if let Some(photo) = largest_photo(message).filter(|_| !is_edited) {
        return forward_photo(uplink, &read, photo).await;
    }
    match &read.text {
        Some(text) => uplink.message(&incoming.key, &incoming.message(text)).await,
        // Unreadable content; in a group most of it isn't for the assistant, and a live location is
        // edited whenever it moves.
        None if read.is_content && !is_edited && (!incoming.is_group || incoming.is_addressed) => {
            let sorry = match message.get("voice").or(message.get("audio")) {
                Some(_) => CANT_HEAR,
                None => CANT_READ,
            };
            uplink.say(&incoming.chat_guid, &incoming.key, sorry).await;
        }
        None => {}
    }
}

/// Whether the person or chat is on the allow list; otherwise the log names it.
fn allows(network: &Telegram, person: i64, chat: i64) -> bool {
    let former = network.chats.lock().former(chat);
    let (person, chat) = (person.to_string(), chat.to_string());
    let former: Vec<String> = former.iter().map(i64::to_string).collect();
    let ids = [&person, &chat].into_iter().chain(&former);
    let is_allowed = network.allowed.allows(ids.map(String::as_str));
    if !is_allowed {
        let group = (person != chat).then_some(chat.as_str());
        network
            .strangers
            .report(&network.allowed, &person, "wrote", group);
    }
    is_allowed
}

/// The relevant parts of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TelegramMessage {
    person: i64,
    chat: i64,
    incoming: IncomingMessage,
    /// Without the bot's name; `None` without a text.
    text: Option<String>,
    /// Whether somebody sent it, in contrast to a notice of the group.
    is_content: bool,
}

impl TelegramMessage {
    /// `None` for a message without an author, by a bot or channel, or edited too late.
    fn read(message: &Value, bot: &Bot, is_edited: bool) -> Option<Self> {
        let from = &message["from"];
        let person = from["id"].as_i64()?;
        let chat = message["chat"]["id"].as_i64()?;
        let is_group = match message["chat"]["type"].as_str()? {
            "private" => false,
            "group" | "supergroup" => true,
            _ => return None,
        };
        let id = message["message_id"].as_i64()?;
        // One compatible server uses milliseconds.
        let seconds = |at: i64| if at > 100_000_000_000 { at / 1000 } else { at };
        let sent_at_s = seconds(message["date"].as_i64().unwrap_or_default());
        let first = format!("{PREFIX}{chat}:{id}");
        let text = message["text"].as_str().or(message["caption"].as_str());
        let mut digest = hex::encode(Sha256::digest(text.unwrap_or_default()));
        digest.truncate(DIGEST_DIGITS);
        let (key, corrects) = if is_edited {
            let edited_at_s = seconds(message["edit_date"].as_i64()?);
            if edited_at_s - sent_at_s > CORRECTION_S_MAX {
                return None;
            }
            // Two edits within a second have the same time.
            (format!("{first}:{edited_at_s}:{digest}"), Some(first))
        } else {
            (first, None)
        };
        // A linked channel's post comes with an account of Telegram's as its author.
        if from["is_bot"] == true || message["is_automatic_forward"] == true {
            return None;
        }
        let (text, entities) = match message["text"].as_str() {
            Some(text) => (Some(text), &message["entities"]),
            None => (message["caption"].as_str(), &message["caption_entities"]),
        };
        let spoken = text.map(|text| AddressedText::of(text, entities, bot));
        let replies = message["reply_to_message"]["from"]["id"].as_i64() == Some(bot.id);
        Some(Self {
            person,
            chat,
            incoming: IncomingMessage {
                chat_guid: format!("{PREFIX}{chat}"),
                sender: format!("{PREFIX}{person}"),
                is_group,
                is_addressed: replies || spoken.as_ref().is_some_and(|spoken| spoken.to_bot),
                key,
                corrects,
                sent_at_s,
            },
            text: spoken.map(|spoken| spoken.text),
            is_content: CONTENT.iter().any(|kind| message.get(kind).is_some()),
        })
    }
}

/// Kinds of messages with content other than text.
const CONTENT: [&str; 16] = [
    "sticker", "voice", "audio", "video", "video_note", "animation", "document", "location",
    "contact", "poll", "dice", "story", "venue", "game", "paid_media", "checklist",
];

/// A text without the bot's name.
struct AddressedText {
    text: String,
    to_bot: bool,
}

impl AddressedText {
    fn of(text: &str, entities: &Value, bot: &Bot) -> Self {
        let mention = format!("@{}", bot.username);
        let mut to_bot = false;
        let mut spoken = text.to_owned();
        // From the end, so that removing a part doesn't move the next one.
        let entities = entities.as_array().map(Vec::as_slice).unwrap_or_default();
        for entity in entities.iter().rev() {
            let number = |name: &str| entity[name].as_u64().unwrap_or_default();
            let Some(range) = text::marked(text, number("offset"), number("length")) else {
                continue;
            };
            let marked = &text[range.clone()];
            match entity["type"].as_str() {
                Some("mention") if marked.eq_ignore_ascii_case(&mention) => {
                    to_bot = true;
                    spoken.replace_range(range, "");
                }
                Some("text_mention") if entity["user"]["id"].as_i64() == Some(bot.id) => {
                    to_bot = true;
                    spoken.replace_range(range, "");
                }
                Some("bot_command") => {
                    let (command, to) = marked.split_once('@').unwrap_or((marked, &bot.username));
                    if to.eq_ignore_ascii_case(&bot.username) {
                        to_bot = true;
                        // A link to the bot may put a word of its own behind it.
                        let rest = spoken[range.end..].split_whitespace().count();
                        let end = match (command, rest) {
                            (START, 1) => spoken.len(),
                            _ => range.end,
                        };
                        spoken.replace_range(range.start..end, command_text(command));
                    }
                }
                _ => {}
            }
        }
        let spoken = spoken.trim().trim_start_matches([',', ':']).trim_start();
        Self {
            text: spoken.to_owned(),
            to_bot,
        }
    }
}

/// The text that a menu command stands for.
fn command_text(command: &str) -> &str {
    match command {
        START => "hello",
        word => word.trim_start_matches('/'),
    }
}

/// The largest photo that Telegram serves, sizes being sorted in ascending order; or a photo that
/// was sent as a file.
fn largest_photo(message: &Value) -> Option<&str> {
    let fits = |size: &&Value| {
        let bytes = size["file_size"].as_u64();
        bytes.is_none_or(|bytes| bytes <= PHOTO_BYTES_MAX)
    };
    let document = Some(&message["document"]).filter(|document| {
        let kind = document["mime_type"].as_str();
        kind.is_some_and(|kind| PHOTO_FILES.contains(&kind))
    });
    let photo = match message["photo"].as_array() {
        Some(sizes) => sizes.iter().rev().find(fits),
        None => document.filter(fits),
    };
    photo?["file_id"].as_str()
}

async fn forward_photo(uplink: &Uplink<Telegram>, message: &TelegramMessage, file_id: &str) {
    let incoming = &message.incoming;
    let api = &uplink.network().api;
    let get = || async move { api.file(file_id).await.map_err(send_error) };
    let Some(file) = download::with_retries(uplink.status(), get).await else {
        if incoming.is_group && !incoming.is_addressed {
            return; // most photos in a group aren't for the assistant
        }
        return uplink
            .say(&incoming.chat_guid, &incoming.key, NO_PHOTO)
            .await;
    };
    let caption = message.text.as_deref().unwrap_or_default();
    uplink.photo(&incoming.photo_fields(caption), &file).await;
}

/// Handles a button press under a reminder. The service's answer says whether it comes again.
async fn press(uplink: &Uplink<Telegram>, query: &Value) {
    let network = uplink.network();
    let message = &query["message"];
    let (Some(id), Some(person), Some(chat), Some(message_id)) = (
        query["id"]
            .as_str()
            .map(str::to_owned)
            .or(query["id"].as_i64().map(|id| id.to_string())),
        query["from"]["id"].as_i64(),
        message["chat"]["id"].as_i64(),
        message["message_id"].as_i64(),
    ) else {
        return;
    };
    if !allows(network, person, chat) {
        return;
    }
    let snoozed = (query["data"] == SNOOZE).then(|| message["text"].as_str().and_then(reminded_of));
    let mut ended = json!({"callback_query_id": id});
    match snoozed {
        None => ended["text"] = "Done.".into(),
        // Telegram leaves out the text of an old message.
        Some(None) => ended["text"] = CANT_SNOOZE.into(),
        Some(Some(_)) => {}
    }
    // The buttons' appearance isn't retried.
    let _ = network
        .api
        .call_with_retries("answerCallbackQuery", ended)
        .await;
    let bare = json!({"chat_id": chat, "message_id": message_id});
    let _ = network
        .api
        .call_with_retries("editMessageReplyMarkup", bare)
        .await;
    if let Some(Some(what)) = snoozed {
        let incoming = IncomingMessage {
            chat_guid: format!("{PREFIX}{chat}"),
            sender: format!("{PREFIX}{person}"),
            is_group: message["chat"]["type"] != "private",
            is_addressed: true,
            // A second press is the same message.
            key: format!("{PREFIX}{chat}:{message_id}:{SNOOZE}:{person}"),
            corrects: None,
            sent_at_s: message["date"].as_i64().unwrap_or_default(),
        };
        let request = format!("remind me in {SNOOZE_MINUTES} minutes to {what}");
        uplink
            .message(&incoming.key, &incoming.message(&request))
            .await;
    }
}

/// What a delivered reminder is of: its text without the mark before it and the line "(this is
/// late, …)" after it.
fn reminded_of(text: &str) -> Option<&str> {
    let (_, what) = text.strip_prefix(REMINDER_MARK)?.split_once(": ")?;
    match what.rsplit_once("\n(") {
        Some((before, _)) if what.ends_with(')') => Some(before),
        _ => Some(what),
    }
}

#[cfg(test)]
mod tests;
