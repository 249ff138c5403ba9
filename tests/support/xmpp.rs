//! An XMPP server as the outside world has it, as far as a relay may notice: login, archives, rooms,
//! stream management, and every way to fail. It has one account, the bot's; what other people do
//! is said by the test.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

mod connection;

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use chatkeep::clock::Clock;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_xmpp::jid::Jid;
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::message::Message;

use super::tls;

pub const BOT: &str = "juno@localhost";
pub const PASSWORD: &str = "juno-password";
/// The domain of all rooms.
pub const ROOMS: &str = "rooms.localhost";
const UPLOADS: &str = "upload.localhost";
const RSM: &str = "http://jabber.org/protocol/rsm";
const MUC_USER: &str = "http://jabber.org/protocol/muc#user";

#[derive(Clone)]
pub struct Xmpp {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    last_id: u64,
    /// By the account's or the room's address.
    archives: HashMap<String, Vec<ArchivedMessage>>,
    /// Rooms, and who is in them beside the bot: nicks and addresses.
    rooms: HashMap<String, Vec<(String, String)>>,
    /// Where the bot is, and its nick there.
    joined: HashMap<String, String>,
    /// Rooms that the bot may not enter.
    closed: HashSet<String>,
    /// The address of the files of the upload service; `None` without one.
    uploads: Option<String>,
    /// Messages of the bot's, in their order.
    sent: Vec<Element>,
    presences: Vec<Element>,
    session: Option<Session>,
    logins: usize,
    resumptions: usize,
    /// What becomes of messages with a text to an address, next first.
    faults: HashMap<String, VecDeque<Fault>>,
}

struct ArchivedMessage {
    id: String,
    stamp: String,
    message: Element,
}

/// A session with stream management (XEP-0198).
struct Session {
    id: String,
    /// Stanzas of the bot's.
    handled: u32,
    /// Stanzas that the bot has acknowledged.
    acked: u32,
    unacked: VecDeque<Element>,
    /// `None` while the connection is broken.
    connection: Option<mpsc::UnboundedSender<Element>>,
}

/// What becomes of one message of the bot's.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The stanza error's type and condition.
    Refuse(&'static str, &'static str),
    /// It is taken, and the connection breaks before the server says so.
    Break,
    /// As `Break`, and the server forgets the session.
    BreakAndForget,
}

impl Xmpp {
    pub async fn start() -> Self {
        Self::listen(None).await
    }

    /// With STARTTLS only. Also the certificate, in PEM form.
    pub async fn start_with_tls() -> (Self, String) {
        let (acceptor, certificate) = tls::acceptor();
        (Self::listen(Some(acceptor)).await, certificate)
    }

    async fn listen(tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state: Arc<Mutex<State>> = Arc::default();
        let accepted = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = connection::serve(stream, tls.clone(), accepted.clone());
                // A connection that breaks is what tests are about.
                tokio::spawn(async move { drop(serving.await) });
            }
        });
        Self { address, state }
    }

    /// The settings of a service that relays it.
    pub fn settings(&self, allow: &str) -> Vec<(&'static str, String)> {
        vec![
            ("CHATKEEP_RELAY_XMPP_JID", BOT.to_owned()),
            ("CHATKEEP_RELAY_XMPP_PASSWORD", PASSWORD.to_owned()),
            ("CHATKEEP_RELAY_XMPP_SERVER", self.address.to_string()),
            ("CHATKEEP_RELAY_XMPP_ALLOW", allow.to_owned()),
        ]
    }

    /// Somebody writes to the bot. The archive's id of it.
    pub fn say(&self, from: &str, text: &str) -> String {
        self.message(from, &format!("<body>{text}</body>"))
    }

    /// A direct message with this content.
    pub fn message(&self, from: &str, content: &str) -> String {
        self.receive(BOT, "chat", &format!("{from}/phone"), content)
    }

    pub fn room(&self, name: &str, people: &[(&str, &str)]) -> String {
        let room = format!("{name}@{ROOMS}");
        let people = people.iter();
        let people = people.map(|(nick, jid)| ((*nick).to_owned(), (*jid).to_owned()));
        self.state().rooms.insert(room.clone(), people.collect());
        room
    }

    /// A message in a room with this content.
    pub fn message_in(&self, room: &str, nick: &str, content: &str) -> String {
        self.receive(room, "groupchat", &format!("{room}/{nick}"), content)
    }

    fn receive(&self, archive: &str, kind: &str, from: &str, content: &str) -> String {
        let mut state = self.state();
        let id = state.next_id();
        let message = format!(
            "<message xmlns='jabber:client' type='{kind}' from='{from}' to='{BOT}' id='of-{id}'>\
             {content}</message>"
        );
        state.receive(archive, &id, &message);
        id
    }

    /// Somebody writes in a room.
    pub fn say_in(&self, room: &str, nick: &str, text: &str) -> String {
        self.message_in(room, nick, &format!("<body>{text}</body>"))
    }

    /// An invitation that the room passes on.
    pub fn invite(&self, room: &str, by: &str) {
        self.stanza(&format!(
            "<message xmlns='jabber:client' from='{room}' to='{BOT}'><x xmlns='{MUC_USER}'>\
             <invite from='{by}/phone'/></x></message>"
        ));
    }

    /// The bot is removed from a room.
    pub fn remove_from(&self, room: &str) {
        let nick = self.state().joined.remove(room).unwrap();
        self.stanza(&format!(
            "<presence xmlns='jabber:client' from='{room}/{nick}' to='{BOT}' type='unavailable'>\
             <x xmlns='{MUC_USER}'><item affiliation='none' role='none'/>\
             <status code='307'/><status code='110'/></x></presence>"
        ));
    }

    /// Any stanza. It stands in no archive.
    pub fn stanza(&self, xml: &str) {
        self.state().deliver(xml.parse().unwrap());
    }

    pub fn is_joined(&self, room: &str) -> bool {
        self.state().joined.contains_key(room)
    }

    /// The bot's next attempts to enter the room fail.
    pub fn close_room(&self, room: &str) {
        self.state().closed.insert(room.to_owned());
    }

    /// From the next session on the server has an upload service, with its files under this
    /// address.
    pub fn offer_uploads(&self, url: &str) {
        self.state().uploads = Some(url.to_owned());
    }

    pub fn fail(&self, to: &str, faults: impl IntoIterator<Item = Fault>) {
        let mut state = self.state();
        state
            .faults
            .entry(to.to_owned())
            .or_default()
            .extend(faults);
    }

    /// The connection breaks; the session may be resumed.
    pub fn break_connection(&self) {
        self.state().break_connection();
    }

    /// The connection breaks, and the server forgets the session.
    pub fn forget_session(&self) {
        let mut state = self.state();
        state.break_connection();
        state.session = None;
    }

    /// Archives lose what they have, as when it is too old.
    pub fn empty_archives(&self) {
        self.state().archives.clear();
    }

    pub fn is_online(&self) -> bool {
        let state = self.state();
        let session = state.session.as_ref();
        session.is_some_and(|session| session.connection.is_some())
    }

    pub fn logins(&self) -> usize {
        self.state().logins
    }

    pub fn resumptions(&self) -> usize {
        self.state().resumptions
    }

    /// The bot's messages to an address.
    pub fn sent(&self, to: &str) -> Vec<Element> {
        let state = self.state();
        let sent = state.sent.iter();
        sent.filter(|message| bare(message.attr("to").unwrap()) == to)
            .cloned()
            .collect()
    }

    /// The texts of the bot's messages to an address.
    pub fn texts(&self, to: &str) -> Vec<String> {
        let sent = self.sent(to).into_iter();
        sent.filter_map(|message| text_of(&message)).collect()
    }

    /// Presences of the bot's to an address.
    pub fn presences(&self, to: &str) -> Vec<String> {
        let state = self.state();
        let presences = state.presences.iter();
        let presences = presences.filter(|presence| presence.attr("to") == Some(to));
        presences
            .map(|presence| presence.attr("type").unwrap_or_default().to_owned())
            .collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl State {
    fn next_id(&mut self) -> String {
        self.last_id += 1;
        format!("a{}", self.last_id)
    }

    fn break_connection(&mut self) {
        if let Some(session) = &mut self.session {
            session.connection = None;
        }
    }

    /// Goes out now, or when the session is resumed.
    fn deliver(&mut self, stanza: Element) {
        let Some(session) = &mut self.session else {
            return;
        };
        session.unacked.push_back(stanza.clone());
        if let Some(connection) = &session.connection {
            let _ = connection.send(stanza);
        }
    }

    fn archive(&mut self, archive: &str, id: &str, message: Element) {
        // Its clock is not the relay's.
        let stamp = Clock::system().now().plus_s(3).utc().to_rfc3339();
        let entry = ArchivedMessage {
            id: id.to_owned(),
            stamp,
            message,
        };
        let archive = self.archives.entry(archive.to_owned()).or_default();
        archive.push(entry);
    }

    /// A message for the bot: archived, and delivered with the archive's id (XEP-0359). A room's
    /// archive names no receiver, but the sender's address.
    fn receive(&mut self, archive: &str, id: &str, xml: &str) {
        let mut message: Element = xml.parse().unwrap();
        let mut stored = message.clone();
        if let Some(people) = self.rooms.get(archive) {
            let from = message.attr("from").unwrap();
            let person = people.iter().find(|(nick, _)| from.ends_with(nick));
            let (_, jid) = person.unwrap();
            stored = addressed(stored, None, None);
            let x = format!("<x xmlns='{MUC_USER}'><item jid='{jid}/phone'/></x>");
            stored.append_child(x.parse().unwrap());
        }
        self.archive(archive, id, stored);
        let mark = format!("<stanza-id xmlns='urn:xmpp:sid:0' by='{archive}' id='{id}'/>");
        message.append_child(mark.parse().unwrap());
        self.deliver(message);
    }

    /// A message of the bot's.
    fn take_message(&mut self, mut message: Element) {
        let to = message.attr("to").unwrap().to_owned();
        let is_said = text_of(&message).is_some();
        let faults = self.faults.get_mut(&to).filter(|_| is_said);
        let fault = faults.and_then(VecDeque::pop_front);
        if let Some(Fault::Refuse(kind, condition)) = fault {
            let id = message.attr("id").unwrap();
            return self.deliver(
                format!(
                    "<message xmlns='jabber:client' type='error' from='{to}' to='{BOT}' id='{id}'>\
                     <error type='{kind}'><{condition} \
                     xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>"
                )
                .parse()
                .unwrap(),
            );
        }
        self.sent.push(message.clone());
        let is_break = fault.is_some();
        if matches!(fault, Some(Fault::BreakAndForget)) {
            self.break_connection();
            self.session = None;
        } else if is_break {
            self.break_connection();
        }
        let id = self.next_id();
        match self.joined.get(&to).cloned() {
            Some(nick) => {
                message = addressed(message, Some(&format!("{to}/{nick}")), Some(BOT));
                let mark = format!("<stanza-id xmlns='urn:xmpp:sid:0' by='{to}' id='{id}'/>");
                if is_said {
                    self.archive(&to, &id, message.clone());
                    message.append_child(mark.parse().unwrap());
                }
                self.deliver(message);
            }
            None if is_said => {
                let from = format!("{BOT}/chatkeep");
                self.archive(BOT, &id, addressed(message, Some(&from), Some(&to)));
            }
            None => {}
        }
    }

    fn take_presence(&mut self, presence: Element) {
        let to = presence.attr("to").unwrap_or_default().to_owned();
        self.presences.push(presence);
        let Some((room, nick)) = to.split_once('/') else {
            return;
        };
        if self.closed.contains(room) || !self.rooms.contains_key(room) {
            let refusal = format!(
                "<presence xmlns='jabber:client' type='error' from='{to}' to='{BOT}'>\
                 <error type='auth'><registration-required \
                 xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
            );
            return self.deliver(refusal.parse().unwrap());
        }
        let mut people = self.rooms[room].clone();
        people.push((nick.to_owned(), BOT.to_owned()));
        for (nick_there, jid) in &people {
            let is_self = nick_there == nick;
            let own = if is_self { "<status code='110'/>" } else { "" };
            let there = format!(
                "<presence xmlns='jabber:client' from='{room}/{nick_there}' to='{BOT}'>\
                 <x xmlns='{MUC_USER}'><item affiliation='member' role='participant' \
                 jid='{jid}/phone'/>{own}</x></presence>"
            );
            self.deliver(there.parse().unwrap());
        }
        self.joined.insert(room.to_owned(), nick.to_owned());
    }

    /// A question of the bot's.
    fn take_question(&mut self, iq: &Element) {
        let kind = iq.attr("type").unwrap();
        if !matches!(kind, "get" | "set") {
            return;
        }
        let payload = iq.children().next().unwrap();
        let to = iq.attr("to");
        let answer = match payload.ns().as_str() {
            "urn:xmpp:mam:2" => self.search(to.unwrap_or(BOT), payload),
            "http://jabber.org/protocol/disco#info" if to == Some(ROOMS) => {
                Ok("<query xmlns='http://jabber.org/protocol/disco#info'>\
                 <identity category='conference' type='text'/></query>"
                    .to_owned())
            }
            _ => {
                let answer = self.take_question_about_uploads(to.unwrap_or(BOT), payload);
                answer.ok_or("service-unavailable")
            }
        };
        let (kind, content) = match answer {
            Ok(content) => ("result", content),
            Err(condition) => (
                "error",
                format!(
                    "<error type='cancel'><{condition} \
                     xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
                ),
            ),
        };
        let from = to.map_or(String::new(), |to| format!("from='{to}'"));
        let id = iq.attr("id").unwrap();
        let answer = format!(
            "<iq xmlns='jabber:client' type='{kind}' id='{id}' to='{BOT}' {from}>{content}</iq>"
        );
        self.deliver(answer.parse().unwrap());
    }

    /// XEP-0030 and 0363.
    fn take_question_about_uploads(&self, to: &str, payload: &Element) -> Option<String> {
        let url = self.uploads.as_ref()?;
        let namespace = payload.ns();
        let answer = match (to, namespace.as_str()) {
            ("localhost", "http://jabber.org/protocol/disco#items") => format!(
                "<query xmlns='{namespace}'><item jid='{ROOMS}'/><item jid='{UPLOADS}'/></query>"
            ),
            (UPLOADS, "http://jabber.org/protocol/disco#info") => format!(
                "<query xmlns='{namespace}'><feature var='urn:xmpp:http:upload:0'/></query>"
            ),
            (UPLOADS, "urn:xmpp:http:upload:0") => {
                let file = payload.attr("filename")?;
                format!(
                    "<slot xmlns='{namespace}'><put url='{url}/put/{file}'/>\
                     <get url='{url}/1/{file}'/></slot>"
                )
            }
            _ => return None,
        };
        Some(answer)
    }

    /// A part of an archive (XEP-0313, 0059).
    fn search(&mut self, archive: &str, query: &Element) -> Result<String, &'static str> {
        let set = query.get_child("set", RSM).unwrap();
        let asked = |name: &str| set.get_child(name, RSM).map(Element::text);
        let max: usize = asked("max").unwrap().parse().unwrap();
        let stored: &[ArchivedMessage] = self.archives.get(archive).map_or(&[], Vec::as_slice);
        let place = |id: &str| {
            let found = stored.iter().position(|entry| entry.id == id);
            found.ok_or("item-not-found")
        };
        let (from, to) = match (asked("after"), asked("before")) {
            (Some(id), _) => (place(&id)? + 1, stored.len()),
            (None, Some(id)) if id.is_empty() => (0, stored.len()),
            (None, Some(id)) => (0, place(&id)?),
            (None, None) => (0, stored.len()),
        };
        let found = &stored[from..to];
        let is_complete = found.len() <= max;
        let page = match asked("before") {
            Some(_) => &found[found.len().saturating_sub(max)..],
            None => &found[..found.len().min(max)],
        };
        let query_id = query.attr("queryid").unwrap();
        let sender = match archive == BOT {
            true => String::new(),
            false => format!("from='{archive}'"),
        };
        let messages: Vec<Element> = page
            .iter()
            .map(|entry| {
                let (id, stamp, message) = (&entry.id, &entry.stamp, String::from(&entry.message));
                format!(
                    "<message xmlns='jabber:client' to='{BOT}' {sender}>\
                     <result xmlns='urn:xmpp:mam:2' queryid='{query_id}' id='{id}'>\
                     <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' \
                     stamp='{stamp}'/>{message}</forwarded></result></message>"
                )
                .parse()
                .unwrap()
            })
            .collect();
        let last = page.last().map_or(String::new(), |last| {
            format!("<first>{}</first><last>{}</last>", page[0].id, last.id)
        });
        let fin = format!(
            "<fin xmlns='urn:xmpp:mam:2' complete='{is_complete}'>\
             <set xmlns='{RSM}'>{last}</set></fin>"
        );
        for message in messages {
            self.deliver(message);
        }
        Ok(fin)
    }
}

/// A message with another receiver, and another sender if one is given.
fn addressed(message: Element, from: Option<&str>, to: Option<&str>) -> Element {
    let mut message = Message::try_from(message).unwrap();
    let jid = |text: &str| text.parse::<Jid>().unwrap();
    message.to = to.map(jid);
    message.from = from.map(jid).or(message.from);
    message.into()
}

fn text_of(message: &Element) -> Option<String> {
    let body = message.get_child("body", "jabber:client")?;
    Some(body.text())
}

fn bare(jid: &str) -> &str {
    jid.split('/').next().unwrap()
}
