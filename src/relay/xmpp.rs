//! XMPP: direct chats and rooms (XEP-0045). A broken connection is resumed (XEP-0198); messages
//! from the meantime are read from the archives (XEP-0313), from the last forwarded message on. A
//! server takes no transaction id: the relay recognizes messages that it sent by their ids in the
//! archive.

mod archive;
mod connection;
mod forwarding;
mod message;
mod progress;
mod rooms;
mod session;
mod starttls;
mod text;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_xmpp::Stanza;
use tokio_xmpp::jid::{BareJid, FullJid};
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::chatstates::ChatState;
use tokio_xmpp::parsers::message::{Id, Lang, Message, MessageType};
use tokio_xmpp::stanzastream::{Event, StanzaStage, StanzaState, StanzaToken, StreamEvent};

use super::allow_list::{AllowList, IdForm, UnknownSenders};
use super::download::Origin;
use super::{Authorities, Network, SendError, StopReason, Uplink};
use crate::files;
use archive::NewestIds;
use connection::{Account, ConnectionReport};
use rooms::Room;
use session::XmppSession;

const NETWORK: &str = "xmpp";
/// The prefix of ids of people and rooms, because the service's ids are global.
pub const PREFIX: &str = "xmpp:";
/// Addresses of people and rooms, and of all people of a server.
pub const IDS: IdForm = IdForm {
    network: NETWORK,
    is_valid: |id| {
        let is_bare = !id.contains('/') && BareJid::new(id).is_ok_and(|jid| jid.as_str() == id);
        is_bare && id.split_once('@').is_some_and(|(name, _)| !name.is_empty())
    },
    about: "addresses in lower case, like \"ada@example.com\", \"tea@rooms.example.com\" or \"*@example.com\" (everybody of a server)",
};
/// A second session with the same name ends the first.
const RESOURCE: &str = "chatkeep";
/// The resource of `--check`, which must not end the relay's session.
const CHECK_RESOURCE: &str = "chatkeep-check";
/// The prefix of the ids of answers to encrypted messages.
const ENCRYPTED: &str = "encrypted:";
/// How long the server may take to confirm a message.
const SEND_MAX: Duration = Duration::from_secs(30);
/// How long an error is waited for when the server has a message.
const ERROR_MAX: Duration = Duration::from_millis(300);
const CHECK_MAX: Duration = Duration::from_secs(30);
/// Stanzas that wait for the session.
const OUTGOING_MAX: usize = 64;
/// Own messages found in archives.
const DELIVERED_MAX: usize = 20_000;

pub struct XmppSettings {
    /// The bot's address.
    pub jid: String,
    pub password: String,
    /// A host, or a host and a port; else what DNS says of the address's domain.
    pub server: Option<String>,
    /// The authorities for the server's certificate. `None`: the public authorities.
    pub authorities: Option<Authorities>,
    pub allowed: AllowList,
    /// The relay's journal; how far it has read is kept beside it.
    pub state: PathBuf,
    /// Seconds since 1970.
    pub now_s: fn() -> i64,
}

pub struct Xmpp {
    account: Account,
    allowed: AllowList,
    progress_path: PathBuf,
    now_s: fn() -> i64,
    outgoing: mpsc::Sender<OutgoingStanza>,
    /// Taken by the session.
    waiting: Mutex<Option<mpsc::Receiver<OutgoingStanza>>>,
    /// Messages may be sent: rooms are joined, and what was sent before is known.
    is_ready: watch::Sender<bool>,
    chats: Mutex<Chats>,
    /// Where the files of the server's upload service are.
    uploads: Mutex<Option<Origin>>,
    strangers: UnknownSenders,
}

/// A stanza to send.
struct OutgoingStanza {
    stanza: Box<Stanza>,
    /// Hears what becomes of it.
    token: Option<oneshot::Sender<StanzaToken>>,
}

/// The chats that the session knows, for sending.
struct Chats {
    rooms: HashMap<BareJid, Room>,
    /// Ids of messages that the archives hold.
    delivered: NewestIds<()>,
    /// Messages on their way, by their ids: errors, and what a room sends back.
    sending: HashMap<String, oneshot::Sender<Result<(), SendError>>>,
    /// The server counts stanzas (XEP-0198).
    has_acks: bool,
}

impl Xmpp {
    /// The error continues "relay.xmpp.jid".
    pub fn new(settings: XmppSettings) -> Result<Self, String> {
        let jid = BareJid::new(&settings.jid).map_err(|e| format!("is no address: {e}"))?;
        let (outgoing, waiting) = mpsc::channel(OUTGOING_MAX);
        Ok(Self {
            account: Account {
                jid: with_resource(&jid, RESOURCE)?,
                password: settings.password,
                server: settings.server,
                authorities: settings.authorities,
            },
            allowed: settings.allowed,
            progress_path: files::beside(&settings.state, progress::ENDING),
            now_s: settings.now_s,
            outgoing,
            waiting: Mutex::new(Some(waiting)),
            is_ready: watch::Sender::new(false),
            chats: Mutex::new(Chats {
                rooms: HashMap::new(),
                delivered: NewestIds::new(DELIVERED_MAX),
                sending: HashMap::new(),
                has_acks: false,
            }),
            uploads: Mutex::default(),
            strangers: UnknownSenders::default(),
        })
    }

    /// Who the bot is and what it may, as lines for a terminal.
    pub async fn check(&self) -> Result<Vec<String>, String> {
        let mut account = self.account.clone();
        account.jid = with_resource(&self.own(), CHECK_RESOURCE)?;
        let (mut stream, mut reports) = connection::open(account, Arc::default());
        let opening = async {
            loop {
                tokio::select! {
                    Some(Event::Stream(StreamEvent::Reset { features, .. })) = stream.next() => {
                        return Ok(features);
                    }
                    Some(report) = reports.recv() => match report {
                        ConnectionReport::LoggedIn => {}
                        ConnectionReport::Passing(why) | ConnectionReport::Final(StopReason(why)) => return Err(why),
                    },
                }
            }
        };
        let opened = timeout(CHECK_MAX, opening).await;
        let features = opened.unwrap_or_else(|_| Err("the server does not answer".to_owned()))?;
        stream.close().await;
        let resumes = match features.stream_management {
            Some(_) => "resumes broken connections",
            None => "can't resume broken connections",
        };
        let server = self.account.server.as_deref();
        let server = server.unwrap_or(self.account.jid.domain().as_str());
        Ok(vec![
            format!("XMPP: {} at {server}; the server {resumes}", self.own()),
            format!("Allowed: {}", self.allowed),
        ])
    }

    /// The bot's address.
    fn own(&self) -> BareJid {
        self.account.jid.to_bare()
    }

    fn allows(&self, person: &str, chat: &str) -> bool {
        let server = person.split_once('@').map_or("", |(_, server)| server);
        let server = format!("*@{server}");
        self.allowed.allows([person, chat, server.as_str()])
    }

    /// A room that the bot was invited to or that is on the allow list.
    fn is_room(&self, address: &BareJid) -> bool {
        self.chats.lock().rooms.contains_key(address)
    }

    /// Queues a stanza without waiting for its outcome.
    async fn put(&self, stanza: impl Into<Stanza>) {
        let stanza = Box::new(stanza.into());
        let _ = self
            .outgoing
            .send(OutgoingStanza {
                stanza,
                token: None,
            })
            .await;
    }

    /// Sends a message; done when the server has it.
    async fn deliver(&self, to: &BareJid, text: String, id: &str) -> Result<(), SendError> {
        let is_room = self.is_room(to);
        let kind = match is_room {
            true => MessageType::Groupchat,
            false => MessageType::Chat,
        };
        let mut message = Message::new_with_type(kind, Some(to.clone().into()));
        message.id = Some(Id(id.to_owned()));
        let message = message
            .with_body(Lang::new(), text)
            .with_payload(ChatState::Active);
        let (answer, answered) = oneshot::channel();
        self.chats.lock().sending.insert(id.to_owned(), answer);
        let (token, known) = oneshot::channel();
        let outgoing = OutgoingStanza {
            stanza: Box::new(message.into()),
            token: Some(token),
        };
        let _ = self.outgoing.send(outgoing).await;
        let sent = timeout(
            SEND_MAX,
            self.wait_until_confirmed(known, answered, is_room),
        )
        .await;
        self.chats.lock().sending.remove(id);
        sent.unwrap_or_else(|_| Err(later("the server does not say that it has the message")))
    }

    /// A room sends back what it has taken; of others the server counts what it has.
    async fn wait_until_confirmed(
        &self,
        token: oneshot::Receiver<StanzaToken>,
        mut answered: oneshot::Receiver<Result<(), SendError>>,
        is_room: bool,
    ) -> Result<(), SendError> {
        let broken = || later("the connection broke");
        let mut token = token.await.map_err(|_| broken())?;
        if is_room {
            return answered.await.unwrap_or_else(|_| Err(broken()));
        }
        let acked = async {
            match token.wait_for(StanzaStage::Acked).await {
                Some(StanzaState::Acked {}) => Ok(()),
                Some(StanzaState::Failed { error }) => Err(SendError::Never(error.to_string())),
                _ if self.chats.lock().has_acks => Err(broken()),
                _ if matches!(token.state(), StanzaState::Sent {}) => Ok(()),
                _ => Err(broken()),
            }
        };
        tokio::select! {
            biased;
            Ok(answer) = &mut answered => return answer,
            acked = acked => acked?,
        }
        // The word that the server has it overtakes an error that came before.
        match timeout(ERROR_MAX, answered).await {
            Ok(Ok(answer)) => answer,
            _ => Ok(()),
        }
    }
}

impl Network for Xmpp {
    async fn incoming(&self, uplink: Uplink<Self>) -> StopReason {
        let Some(waiting) = self.waiting.lock().take() else {
            return StopReason("the relay was started twice".to_owned());
        };
        XmppSession::run(uplink, waiting).await
    }

    async fn send(&self, chat: &str, bubble: &str, id: &str) -> Result<(), SendError> {
        let address = chat.strip_prefix(PREFIX).map(BareJid::new);
        let Some(Ok(to)) = address else {
            return Err(SendError::Never("no chat of XMPP's".to_owned()));
        };
        let mut is_ready = self.is_ready.subscribe();
        let ready = async { is_ready.wait_for(|is_ready| *is_ready).await.is_ok() };
        if timeout(SEND_MAX, ready).await != Ok(true) {
            return Err(later("there is no connection to the server"));
        }
        // A bubble longer than a message is rare; its pieces have ids of their own.
        for (number, piece) in text::pieces(bubble).into_iter().enumerate() {
            let id = match number {
                0 => id.to_owned(),
                _ => format!("{id}:{number}"),
            };
            let is_delivered = self.chats.lock().delivered.get(&id).is_some();
            if !is_delivered {
                self.deliver(&to, piece, &id).await?;
            }
        }
        Ok(())
    }

    async fn typing(&self, chat: &str, is_on: bool) {
        let address = chat.strip_prefix(PREFIX).map(BareJid::new);
        let Some(Ok(to)) = address else {
            return;
        };
        if !*self.is_ready.borrow() {
            return;
        }
        let kind = match self.is_room(&to) {
            true => MessageType::Groupchat,
            false => MessageType::Chat,
        };
        let mut shown = Message::new_with_type(kind, Some(to.into()));
        shown = shown.with_payload(match is_on {
            true => ChatState::Composing,
            false => ChatState::Active,
        });
        // Of use now or not at all (XEP-0334).
        shown
            .payloads
            .push(Element::bare("no-store", "urn:xmpp:hints"));
        self.put(shown).await;
    }
}

fn with_resource(jid: &BareJid, resource: &str) -> Result<FullJid, String> {
    let named = jid.with_resource_str(resource);
    named.map_err(|e| format!("is no address: {e}"))
}

fn later(why: &str) -> SendError {
    SendError::Later {
        wait: None,
        why: why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_people_rooms_and_servers() {
        for id in ["ada@example.com", "tea@rooms.example.com", "*@example.com"] {
            assert!((IDS.is_valid)(id), "{id}");
        }
        for wrong in [
            "", "ada", "@a", "ada@", "Ada@example.com", "ada@a/phone", "a b@c",
        ] {
            assert!(!(IDS.is_valid)(wrong), "{wrong}");
        }
    }
}
