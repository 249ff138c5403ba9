//! Handles the stanzas that arrive on the stream.

use tokio_xmpp::Stanza;
use tokio_xmpp::jid::{BareJid, Jid};
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::message::{Message, MessageType};
use tokio_xmpp::parsers::ns;
use tokio_xmpp::parsers::presence::{Presence, Type};
use tokio_xmpp::parsers::stanza_error::{DefinedCondition, ErrorType, StanzaError};

use super::super::archive::{ArchivedMessage, CorrectableMessage};
use super::super::forwarding::{self, Origin};
use super::super::rooms::{OwnPresence, Room};
use super::super::{NETWORK, later, message};
use super::{SessionResult, XmppSession};
use crate::random;
use crate::relay::SendError;

impl XmppSession {
    pub(super) async fn handle(&mut self, stanza: Stanza) -> SessionResult<()> {
        match stanza {
            Stanza::Iq(iq) => self.answer(iq).await,
            Stanza::Presence(presence) => self.take_presence(&presence).await,
            Stanza::Message(message) => return self.take_message(message).await,
        }
        Ok(())
    }

    /// Every query must be answered, also one that is not supported.
    pub(super) async fn answer(&mut self, iq: Iq) {
        let (from, id, payload) = match iq {
            Iq::Get {
                from, id, payload, ..
            }
            | Iq::Set {
                from, id, payload, ..
            } => (from, id, payload),
            Iq::Result { .. } | Iq::Error { .. } => return,
        };
        let answer = if payload.is("ping", ns::PING) {
            Iq::Result {
                from: None,
                to: from,
                id,
                payload: None,
            }
        } else {
            Iq::Error {
                from: None,
                to: from,
                id,
                error: StanzaError::new(
                    ErrorType::Cancel,
                    DefinedCondition::ServiceUnavailable,
                    "en",
                    "not understood",
                ),
                payload: None,
            }
        };
        self.put(answer).await;
    }

    pub(super) async fn take_presence(&mut self, presence: &Presence) {
        let Some(from) = presence.from.as_ref().map(Jid::to_bare) else {
            return;
        };
        if self.uplink.network().is_room(&from) {
            if self.apply_own_presence(&from, presence) == OwnPresence::Left {
                log::warn!(
                    "xmpp: the bot was removed from {from}; invite it again, or restart the relay"
                );
                if self.progress.rooms.remove(from.as_str()) {
                    self.write_progress().await;
                }
            }
            return;
        }
        if presence.type_ != Type::Subscribe {
            return;
        }
        let network = self.uplink.network();
        if !network.allows(from.as_str(), "") {
            return network.strangers.report(
                &network.allowed,
                from.as_str(),
                "wants to see the bot",
                None,
            );
        }
        self.put(Presence::subscribed().with_to(from.clone())).await;
        self.put(Presence::subscribe().with_to(from)).await;
    }

    pub(super) async fn take_message(&mut self, message: Message) -> SessionResult<()> {
        if message.type_ == MessageType::Error {
            self.take_error(&message);
            return Ok(());
        }
        if let Some((room, inviter)) = message::invitation(&message) {
            return self.take_invitation(&room, inviter.as_deref()).await;
        }
        let network = self.uplink.network();
        let from = message
            .from
            .as_ref()
            .map_or_else(|| self.own.clone(), Jid::to_bare);
        let archive = match message.type_ == MessageType::Groupchat {
            true => from.to_string(),
            false => self.own.to_string(),
        };
        if forwarding::is_own(network, &message) {
            let id = message.id.as_ref().map_or("", |id| id.0.as_str());
            if let Some(sender) = network.chats.lock().sending.remove(id) {
                let _ = sender.send(Ok(()));
            }
            return Ok(());
        }
        let id = message::archive_id(&message, &archive);
        let is_late = message.payloads.iter().any(|p| p.is("delay", ns::DELAY));
        if id.is_none() && is_late && self.progress.read.contains_key(&archive) {
            return Ok(()); // the archive has it
        }
        let mut came_at_s = (network.now_s)();
        let key = id.as_deref().map(|id| forwarding::key(&archive, id));
        if let Some(key) = key.filter(|key| self.known.get(key).is_none()) {
            came_at_s = *self.progress.came_at_s.entry(key).or_insert(came_at_s);
            self.write_progress().await;
        }
        self.forward(&archive, id, message, came_at_s);
        Ok(())
    }

    /// Handles a message of ours that was returned with an error.
    fn take_error(&mut self, message: &Message) {
        let error = message.payloads.iter().find(|p| p.name() == "error");
        let error = error.and_then(|error| StanzaError::try_from(error.clone()).ok());
        let why = error.as_ref().map_or_else(
            || "no reason given".to_owned(),
            |error| format!("{:?}", error.defined_condition),
        );
        let to = message.from.as_ref().map(Jid::to_bare);
        let to = to.map_or_else(String::new, |to| to.to_string());
        let is_passing = error.is_some_and(|error| {
            error.type_ == ErrorType::Wait
                || error.defined_condition == DefinedCondition::NotAcceptable
        });
        let unsent = match is_passing {
            true => later(&format!("{to} does not take it now ({why})")),
            false => SendError::Never(format!("{to} does not take it ({why})")),
        };
        let id = message.id.as_ref().map_or("", |id| id.0.as_str());
        match self.uplink.network().chats.lock().sending.remove(id) {
            Some(sender) => _ = sender.send(Err(unsent)),
            None => log::warn!("xmpp: a message was returned as undeliverable: {unsent}"),
        }
    }

    async fn take_invitation(&mut self, room: &str, inviter: Option<&str>) -> SessionResult<()> {
        let network = self.uplink.network();
        let Ok(room) = BareJid::new(room) else {
            return Ok(());
        };
        let inviter = inviter.unwrap_or_default();
        if !network.allows(inviter, room.as_str()) {
            network.strangers.report(
                &network.allowed,
                inviter,
                "invites the bot",
                Some(room.as_str()),
            );
            return Ok(());
        }
        let is_joined = |known: &Room| known.is_joined;
        if network.chats.lock().rooms.get(&room).is_some_and(is_joined) {
            return Ok(());
        }
        if self.join(&room).await? {
            log::info!("xmpp: joined {room}, as {inviter} asked");
            self.progress.rooms.insert(room.to_string());
            self.write_progress().await;
            let name = room.to_string();
            let (messages, _) = self.open_archive(&name).await?;
            for archived in messages {
                self.take_archived(&name, archived);
            }
        }
        Ok(())
    }

    pub(super) fn take_archived(&mut self, archive: &str, archived: ArchivedMessage) {
        let ArchivedMessage {
            id,
            message,
            sent_at_s,
        } = archived;
        let came_at_s = self.progress.came_at_s.get(&forwarding::key(archive, &id));
        let sent_at_s = came_at_s.copied().or(sent_at_s);
        let sent_at_s = sent_at_s.unwrap_or_else(self.uplink.network().now_s);
        self.forward(archive, Some(id), message, sent_at_s);
    }

    /// Puts a message into its chat's queue, once.
    pub(super) fn forward(
        &mut self,
        archive: &str,
        id: Option<String>,
        message: Message,
        sent_at_s: i64,
    ) {
        let network = self.uplink.network();
        let key = match &id {
            Some(id) => forwarding::key(archive, id),
            // Without an archive no message comes twice.
            None => format!("{NETWORK}:{}", random::uuid()),
        };
        if !self.known.insert(key.clone(), ()) {
            return;
        }
        if let Some(id) = &id {
            self.in_flight.add(archive, id);
        }
        let place = id.map(|id| (archive.to_owned(), id));
        let done = forwarding::CompletionGuard::new(self.finish.clone(), place);
        if forwarding::is_own(network, &message) {
            return;
        }
        let Some(origin) = Origin::of(network, &message, archive) else {
            return;
        };
        if let Some(their_id) = message.id.as_ref() {
            let about = CorrectableMessage {
                key: key.clone(),
                sent_at_s,
            };
            self.recent.insert(origin.correctable(&their_id.0), about);
        }
        let content = forwarding::read(network, &message, &origin);
        let corrects = content.corrects.as_ref().map(|first| {
            let first = self.recent.get(&origin.correctable(first))?;
            let is_in_time = sent_at_s - first.sent_at_s <= forwarding::CORRECTION_S_MAX;
            is_in_time.then(|| first.key.clone())
        });
        // A correction of an unknown message, or one too late.
        if corrects == Some(None) {
            return;
        }
        let incoming = origin.incoming(key, corrects.flatten(), sent_at_s, content.is_addressed);
        forwarding::put(&self.uplink, incoming, origin, content, &message, done);
    }
}
