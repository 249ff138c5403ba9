//! Joins rooms: those that the bot was invited to, and those on the allow list.

use std::collections::BTreeSet;

use tokio::time::{Instant, timeout_at};
use tokio_xmpp::Stanza;
use tokio_xmpp::jid::{BareJid, Jid};
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::ns;
use tokio_xmpp::parsers::presence::Presence;

use super::super::rooms::{self, OwnPresence, Room};
use super::{ANSWER_MAX, SessionResult, XmppSession};

/// Nicknames that are tried in a room, as others may have them.
const NICKS_MAX: u32 = 5;
/// Accepts the default settings of a new room (XEP-0045).
const INSTANT_ROOM: &str = "<query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'/></query>";

impl XmppSession {
    /// The rooms that the bot was invited to, and those on the allow list.
    pub(super) async fn rooms_to_join(&mut self) -> SessionResult<Vec<BareJid>> {
        let mut rooms: BTreeSet<BareJid> = self
            .progress
            .rooms
            .iter()
            .filter_map(|r| r.parse().ok())
            .collect();
        let allowed: Vec<BareJid> = self
            .uplink
            .network()
            .allowed
            .ids()
            .filter_map(|id| id.parse().ok())
            .collect();
        let mut services: Vec<(String, bool)> = Vec::new();
        for address in allowed
            .into_iter()
            .filter(|address| address.node().is_some_and(|n| n.as_str() != "*"))
        {
            let domain = address.domain().to_string();
            if domain == self.own.domain().as_str() {
                continue;
            }
            let is_service = match services.iter().find(|(known, _)| *known == domain) {
                Some((_, is_service)) => *is_service,
                None => {
                    let is_service = self.has_rooms(&domain).await?;
                    services.push((domain, is_service));
                    is_service
                }
            };
            if is_service {
                rooms.insert(address);
            }
        }
        Ok(rooms.into_iter().collect())
    }

    /// Whether a domain is a server of chat rooms.
    async fn has_rooms(&mut self, domain: &str) -> SessionResult<bool> {
        let Ok(to) = Jid::new(domain) else {
            return Ok(false);
        };
        let id = self.question_id();
        let iq = Iq::Get {
            from: None,
            to: Some(to),
            id: id.clone(),
            payload: Element::bare("query", ns::DISCO_INFO),
        };
        let answer = self.ask(&id, iq, |_| false).await?;
        let info = answer.ok().flatten();
        Ok(info.is_some_and(|info| {
            let mut children = info.children();
            children.any(|child| child.attr("category") == Some("conference"))
        }))
    }

    /// Whether the bot is in the room now.
    pub(super) async fn join(&mut self, room: &BareJid) -> SessionResult<bool> {
        let name = self
            .own
            .node()
            .map_or("bot", |node| node.as_str())
            .to_owned();
        for number in 1..=NICKS_MAX {
            let nick = match number {
                1 => name.clone(),
                _ => format!("{name}{number}"),
            };
            let Some(joining) = rooms::joining(room, &nick) else {
                break;
            };
            self.uplink
                .network()
                .chats
                .lock()
                .rooms
                .insert(room.clone(), Room::new(&nick));
            self.put(joining).await;
            match self.await_own_presence(room).await? {
                OwnPresence::Joined { is_new } => {
                    if is_new {
                        self.accept_settings(room).await?;
                    }
                    return Ok(true);
                }
                OwnPresence::NickTaken => {}
                OwnPresence::Refused(why) => {
                    log::warn!("xmpp: {room} can't be joined ({why})");
                    return Ok(false);
                }
                OwnPresence::Left | OwnPresence::Unchanged => break,
            }
        }
        log::warn!("xmpp: {room} can't be joined");
        Ok(false)
    }

    /// Waits for the room's answer to the bot's presence, for `ANSWER_MAX`.
    async fn await_own_presence(&mut self, room: &BareJid) -> SessionResult<OwnPresence> {
        let until = Instant::now() + ANSWER_MAX;
        loop {
            let Ok(step) = timeout_at(until, self.step()).await else {
                return Ok(OwnPresence::Refused("no answer".to_owned()));
            };
            match step? {
                Some(Stanza::Presence(presence)) if is_of(&presence, room) => {
                    match self.apply_own_presence(room, &presence) {
                        OwnPresence::Unchanged => {}
                        place => return Ok(place),
                    }
                }
                Some(stanza) => self.put_off.push_back(stanza),
                None => {}
            }
        }
    }

    /// A new room is locked until its owner has accepted its settings.
    async fn accept_settings(&mut self, room: &BareJid) -> SessionResult<()> {
        let id = self.question_id();
        let Ok(payload) = INSTANT_ROOM.parse() else {
            return Ok(());
        };
        let iq = Iq::Set {
            from: None,
            to: Some(room.clone().into()),
            id: id.clone(),
            payload,
        };
        let answered = self.ask(&id, iq, |_| false).await?;
        if let Err(error) = answered {
            let condition = error.defined_condition;
            log::warn!("xmpp: the new room {room} is locked ({condition:?})");
        }
        Ok(())
    }

    pub(super) fn apply_own_presence(
        &mut self,
        room: &BareJid,
        presence: &Presence,
    ) -> OwnPresence {
        let mut chats = self.uplink.network().chats.lock();
        match chats.rooms.get_mut(room) {
            Some(known) => known.apply(presence),
            None => OwnPresence::Unchanged,
        }
    }
}

fn is_of(presence: &Presence, room: &BareJid) -> bool {
    presence
        .from
        .as_ref()
        .is_some_and(|from| from.to_bare() == *room)
}
