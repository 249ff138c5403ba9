//! Forwards a message to the service: its author, its chat, and the part of its content that the
//! service can use.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_xmpp::jid::{BareJid, Jid};
use tokio_xmpp::parsers::message::{Id, Message, MessageType};
use tokio_xmpp::parsers::ns;
use tokio_xmpp::parsers::receipts::Received;

use super::message::{self, Content, ContentKind};
use super::{ENCRYPTED, PREFIX, Xmpp};
use crate::relay::download::{self, Download};
pub(super) use crate::relay::incoming::CORRECTION_S_MAX;
use crate::relay::incoming::{CANT_HEAR, CANT_READ, IncomingMessage, NO_PHOTO};
use crate::relay::{SendError, Uplink};

const IS_ENCRYPTED: &str =
    "I can't read encrypted messages. Please turn encryption off for this chat.";

/// The author and the chat of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    chat: BareJid,
    is_room: bool,
    /// The author's address, else their id in the room.
    person: String,
    /// The author's nickname in a room; else empty.
    name: String,
    /// The address with its resource, for a receipt.
    from: Jid,
}

impl Origin {
    /// `archive` is the account or the room whose archive holds the message. `None` for messages that
    /// aren't answered.
    pub(super) fn of(network: &Xmpp, message: &Message, archive: &str) -> Option<Self> {
        let from = message.from.clone()?;
        let chat = from.to_bare();
        let chats = network.chats.lock();
        let room = chats.rooms.get(&chat);
        let (person, name) = match (&message.type_, room) {
            (MessageType::Groupchat, Some(room)) if chat.as_str() == archive => {
                let nick = from.resource()?.as_str().to_owned();
                let stored = stored_address(message);
                let person = room.person(&chat, &nick, stored, &message.payloads);
                (person.id, nick)
            }
            (MessageType::Chat | MessageType::Normal, None) => (chat.to_string(), String::new()),
            // Private messages within a room, and messages of servers.
            _ => return None,
        };
        Some(Self {
            is_room: room.is_some(),
            chat,
            person,
            name,
            from,
        })
    }

    /// The key under which a later correction finds this person's message; `id` is the sender's.
    pub(super) fn correctable(&self, id: &str) -> String {
        format!("{}\n{}\n{id}", self.chat, self.person)
    }

    pub(super) fn incoming(
        &self,
        key: String,
        corrects: Option<String>,
        sent_at_s: i64,
        is_addressed: bool,
    ) -> IncomingMessage {
        IncomingMessage {
            chat_guid: format!("{PREFIX}{}", self.chat),
            sender: format!("{PREFIX}{}", self.person),
            is_group: self.is_room,
            is_addressed: self.is_room && is_addressed,
            key,
            corrects,
            sent_at_s,
        }
    }
}

/// The author's address in a room's archive. In a live message it isn't used: the author may have
/// forged it.
fn stored_address(message: &Message) -> Option<BareJid> {
    let is_stored = message.to.is_none();
    let x = message::payload(message, "x", ns::MUC_USER).filter(|_| is_stored)?;
    let jid = x.get_child("item", ns::MUC_USER)?.attr("jid")?;
    Some(Jid::new(jid).ok()?.to_bare())
}

/// Whether the bot itself sent the message.
pub(super) fn is_own(network: &Xmpp, message: &Message) -> bool {
    let Some(from) = &message.from else {
        return true; // from the account's own server
    };
    let room = from.to_bare();
    let chats = network.chats.lock();
    match (chats.rooms.get(&room), from.resource()) {
        (Some(room), Some(nick)) => room.nick == nick.as_str(),
        _ => room == network.own(),
    }
}

/// The message's key at the service. An id is unique within its archive only.
pub(super) fn key(archive: &str, id: &str) -> String {
    format!("{PREFIX}{archive}:{id}")
}

pub(super) fn read(network: &Xmpp, message: &Message, origin: &Origin) -> Content {
    let (name, own) = match network.chats.lock().rooms.get(&origin.chat) {
        Some(room) => (room.nick.clone(), format!("{}/{}", origin.chat, room.nick)),
        None => {
            let own = network.own();
            let name = own.node().map_or_else(String::new, |node| node.to_string());
            (name, own.to_string())
        }
    };
    Content::read(message, &name, &own)
}

/// Reports a message as finished when it is dropped.
pub(super) struct CompletionGuard {
    finish: mpsc::UnboundedSender<(String, String)>,
    place: Option<(String, String)>,
}

impl CompletionGuard {
    pub(super) fn new(
        finish: mpsc::UnboundedSender<(String, String)>,
        place: Option<(String, String)>,
    ) -> Self {
        Self { finish, place }
    }
}

impl Drop for CompletionGuard {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            let _ = self.finish.send(place);
        }
    }
}

/// Puts the handling of a message into its chat's queue.
pub(super) fn put(
    uplink: &Uplink<Xmpp>,
    incoming: IncomingMessage,
    origin: Origin,
    content: Content,
    message: &Message,
    done: CompletionGuard,
) {
    let network = uplink.network();
    if content.kind == ContentKind::Nothing {
        return;
    }
    let chat = origin.chat.as_str();
    if !network.allows(&origin.person, chat) {
        let person = match origin.is_room && origin.person.starts_with(&format!("{chat}/")) {
            true => &origin.name, // has no address for the allow list
            false => &origin.person,
        };
        let group = origin.is_room.then_some(chat);
        return network
            .strangers
            .report(&network.allowed, person, "wrote", group);
    }
    let receipt = receipt(&origin, &content, message);
    let (up, chat_guid) = (uplink.clone(), incoming.chat_guid.clone());
    // Not awaited: `done` reports the end.
    drop(uplink.in_order(&chat_guid, async move {
        if let Some(receipt) = receipt {
            up.network().put(receipt).await;
        }
        forward(&up, &incoming, &content.kind).await;
        drop(done);
    }));
}

/// The receipt that the sender asked for. None is sent to rooms.
fn receipt(origin: &Origin, content: &Content, message: &Message) -> Option<Message> {
    let id = message
        .id
        .as_ref()
        .filter(|_| content.wants_receipt && !origin.is_room)?;
    let mut receipt = Message::chat(Some(origin.from.clone()));
    receipt.id = Some(Id(format!("received:{}", id.0)));
    Some(receipt.with_payload(Received { id: id.0.clone() }))
}

async fn forward(uplink: &Uplink<Xmpp>, incoming: &IncomingMessage, kind: &ContentKind) {
    let say = async |id: &str, words| uplink.say(&incoming.chat_guid, id, words).await;
    // In a room most files are not meant for the assistant.
    let is_for_others = incoming.is_group && !incoming.is_addressed;
    match kind {
        ContentKind::Text(text) if !uplink.has_new_words(incoming, text) => {}
        ContentKind::Text(text) => uplink.message(&incoming.key, &incoming.message(text)).await,
        ContentKind::Photo(url) => {
            let get = || get(uplink.network(), url);
            match download::with_retries(uplink.status(), get).await {
                Some(file) => uplink.photo(&incoming.photo_fields(""), &file).await,
                None if is_for_others => {}
                None => say(&incoming.key, NO_PHOTO).await,
            }
        }
        ContentKind::Encrypted => {
            let id = format!("{ENCRYPTED}{}", incoming.chat_guid);
            say(&id, IS_ENCRYPTED).await;
        }
        ContentKind::Voice | ContentKind::Unreadable if is_for_others => {}
        ContentKind::Voice => say(&incoming.key, CANT_HEAR).await,
        ContentKind::Unreadable => say(&incoming.key, CANT_READ).await,
        ContentKind::Nothing => {}
    }
}

/// Downloads a file from a public server or from the upload service of the bot's.
async fn get(network: &Xmpp, url: &str) -> Result<Vec<u8>, SendError> {
    let later = |wait, why| SendError::Later { wait, why };
    let download = Download {
        url: url.to_owned(),
        is_anybodys: true,
        own: network.uploads.lock().clone(),
        authorities: network.account.authorities.clone(),
        ..Download::default()
    };
    match download.get().await {
        Ok(answer) if answer.status == 200 => Ok(answer.body),
        Ok(answer) => {
            let why = format!("its server answers {}", answer.status);
            let wait = answer.retry_after_s.map(Duration::from_secs);
            Err(match answer.status {
                429 => later(wait, why),
                408 | 500.. => later(None, why),
                _ => SendError::Never(why),
            })
        }
        Err(download::Failure::Final(why)) => Err(SendError::Never(why)),
        Err(download::Failure::Passing(why)) => Err(later(None, why)),
    }
}
