//! Rooms (XEP-0045) and who is in them. Pure.

use std::collections::HashMap;

use tokio_xmpp::jid::BareJid;
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::muc::Muc;
use tokio_xmpp::parsers::muc::muc::History;
use tokio_xmpp::parsers::ns;
use tokio_xmpp::parsers::presence::{Presence, Type};

const SELF: &str = "110";
const CREATED: &str = "201";
const RENAMED: &str = "303";

#[derive(Debug, Default)]
pub(super) struct Room {
    /// The bot's nickname in the room.
    pub(super) nick: String,
    pub(super) is_joined: bool,
    /// People's addresses by their nicknames, if the room tells the addresses.
    addresses: HashMap<String, BareJid>,
    /// Whether the room gives each person an id of its own (XEP-0421).
    has_occupant_ids: bool,
}

/// The change of the bot's own membership in a room that a presence announces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OwnPresence {
    /// None: the presence is another person's, or the bot's new nickname.
    Unchanged,
    Joined {
        /// The room was created, and is locked until its settings are accepted.
        is_new: bool,
    },
    Left,
    /// Somebody else has the nickname.
    NickTaken,
    /// The room can't be joined, for this reason.
    Refused(String),
}

pub(super) fn joining(room: &BareJid, nick: &str) -> Option<Presence> {
    let place = room.with_resource_str(nick).ok()?;
    let muc = Muc::new().with_history(History::new().with_maxstanzas(0));
    Some(Presence::available().with_to(place).with_payload(muc))
}

impl Room {
    pub(super) fn new(nick: &str) -> Self {
        Self {
            nick: nick.to_owned(),
            ..Self::default()
        }
    }

    /// Applies a presence from this room.
    pub(super) fn apply(&mut self, presence: &Presence) -> OwnPresence {
        let nick = presence.from.as_ref().and_then(|from| from.resource());
        let nick = nick.map(|nick| nick.as_str().to_owned());
        if presence.type_ == Type::Error {
            return refusal(presence);
        }
        let Some(nick) = nick else {
            return OwnPresence::Unchanged;
        };
        let x = presence.payloads.iter().find(|p| p.is("x", ns::MUC_USER));
        let codes: Vec<&str> = x
            .iter()
            .flat_map(|x| x.children())
            .filter(|child| child.is("status", ns::MUC_USER))
            .filter_map(|status| status.attr("code"))
            .collect();
        let is_self = codes.contains(&SELF) || nick == self.nick;
        let is_here = presence.type_ == Type::None;
        let address = x
            .and_then(|x| x.get_child("item", ns::MUC_USER))
            .and_then(|item| item.attr("jid"))
            .and_then(|jid| tokio_xmpp::jid::Jid::new(jid).ok());
        match address {
            Some(address) if is_here => _ = self.addresses.insert(nick.clone(), address.to_bare()),
            _ => _ = self.addresses.remove(&nick),
        }
        match (is_self, is_here) {
            (false, _) => OwnPresence::Unchanged,
            (true, true) => {
                self.nick = nick;
                self.is_joined = true;
                let mut payloads = presence.payloads.iter();
                self.has_occupant_ids = payloads.any(|p| p.is("occupant-id", ns::OID));
                OwnPresence::Joined {
                    is_new: codes.contains(&CREATED),
                }
            }
            // A change of the nickname; the presence with the new one follows.
            (true, false) if codes.contains(&RENAMED) => OwnPresence::Unchanged,
            (true, false) => {
                self.is_joined = false;
                self.addresses.clear();
                OwnPresence::Left
            }
        }
    }

    /// The person with this nickname: by their own address, else by the room's address with their id
    /// or nickname. `stored` is the address in the room's archive.
    pub(super) fn person(
        &self,
        room: &BareJid,
        nick: &str,
        stored: Option<BareJid>,
        payloads: &[Element],
    ) -> Person {
        if let Some(address) = stored.or_else(|| self.addresses.get(nick).cloned()) {
            return Person {
                id: address.to_string(),
                address: Some(address),
            };
        }
        let mut payloads = payloads.iter();
        let mark = payloads.find(|p| p.is("occupant-id", ns::OID));
        let mark = mark.and_then(|mark| mark.attr("id"));
        let mark = mark.filter(|_| self.has_occupant_ids).unwrap_or(nick);
        Person {
            id: format!("{room}/{mark}"),
            address: None,
        }
    }
}

/// Somebody in a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) id: String,
    pub(super) address: Option<BareJid>,
}

fn refusal(presence: &Presence) -> OwnPresence {
    let error = presence.payloads.iter().find(|p| p.name() == "error");
    let condition = error
        .and_then(|error| error.children().find(|c| c.has_ns(ns::XMPP_STANZAS)))
        .map_or("no reason given", |condition| condition.name());
    match condition {
        "conflict" => OwnPresence::NickTaken,
        other => OwnPresence::Refused(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presence(from: &str, inner: &str) -> Presence {
        let kind = if inner.contains("<error") {
            "type='error'"
        } else {
            ""
        };
        let xml = format!(
            "<presence xmlns='jabber:client' from='tea@rooms.a/{from}' {kind}>{inner}</presence>"
        );
        let element: Element = xml.parse().unwrap();
        Presence::try_from(element).unwrap()
    }

    fn user(inner: &str) -> String {
        format!("<x xmlns='http://jabber.org/protocol/muc#user'>{inner}</x>")
    }

    #[test]
    fn who_is_in_a_room() {
        let room: BareJid = "tea@rooms.a".parse().unwrap();
        let mut tea = Room::new("juno");
        let ada = user("<item affiliation='none' role='participant' jid='ada@a/phone'/>");
        assert_eq!(tea.apply(&presence("Ada", &ada)), OwnPresence::Unchanged);
        let own = user("<item affiliation='none' role='participant'/><status code='110'/>")
            + "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='me'/>";
        let joined = OwnPresence::Joined { is_new: false };
        assert_eq!(tea.apply(&presence("juno", &own)), joined);
        assert_eq!(tea.person(&room, "Ada", None, &[]).id, "ada@a");
        let mark: Element = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='o1'/>"
            .parse()
            .unwrap();
        let unknown = tea.person(&room, "Bo", None, &[mark]);
        assert_eq!(
            (unknown.id.as_str(), unknown.address),
            ("tea@rooms.a/o1", None)
        );
        let stored = Some("bo@a".parse().unwrap());
        assert_eq!(tea.person(&room, "Bo", stored, &[]).id, "bo@a");
        let created = user("<status code='201'/><status code='110'/>");
        let joined = OwnPresence::Joined { is_new: true };
        assert_eq!(tea.apply(&presence("juno", &created)), joined);
    }

    #[test]
    fn why_a_room_is_not_joined() {
        let error = |condition: &str| {
            format!(
                "<error type='cancel'><{condition} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
            )
        };
        let mut room = Room::new("juno");
        let taken = room.apply(&presence("juno", &error("conflict")));
        assert_eq!(taken, OwnPresence::NickTaken);
        let banned = room.apply(&presence("juno", &error("forbidden")));
        assert_eq!(banned, OwnPresence::Refused("forbidden".to_owned()));
        assert!(!room.is_joined);
    }
}
