//! A homeserver of Matrix as the outside world has it, as far as a relay may notice: marks of
//! `/sync`, gaps, invitations, transaction ids that belong to a device, tokens that end, and every
//! way to fail.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http_stub::{self, HttpAnswer, HttpRequest};

pub const BOT: &str = "@juno:stub";
pub const PASSWORD: &str = "a-matrix-password-of-the-tests";
/// No poll is held longer: tests end sooner.
const POLL_MAX: Duration = Duration::from_millis(200);

type NetworkState = (Mutex<State>, Condvar);

/// A running stub; its threads end with the process.
#[derive(Clone)]
pub struct Matrix {
    pub address: SocketAddr,
    shared: Arc<NetworkState>,
}

#[derive(Default)]
struct State {
    /// Of all rooms, in their order, with the room of each.
    events: Vec<(String, Value)>,
    rooms: BTreeMap<String, Room>,
    /// Device, room and transaction id, with the event that was made.
    transactions: HashMap<(String, String, String), String>,
    token: Option<(String, String)>,
    logins: Vec<Value>,
    calls: Vec<(String, Value)>,
    /// What becomes of what is sent to a room, next first.
    faults: HashMap<String, VecDeque<Fault>>,
    files: HashMap<String, Vec<u8>>,
    /// Answers to syncs without a mark, which are repeated for an equal request.
    first_answers: HashMap<String, Value>,
}

#[derive(Default)]
struct Room {
    members: BTreeSet<String>,
    /// When the bot was invited and when it joined, in numbers of events.
    invited: Option<usize>,
    joined: Option<usize>,
    /// When the bot was removed.
    left: Option<usize>,
    is_encrypted: bool,
    predecessor: Option<String>,
    successor: Option<String>,
}

/// What becomes of one message that is sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    Refuse(u16, Value),
    /// It is sent, and the answer is lost.
    Lose,
}

impl Matrix {
    pub fn start() -> Self {
        let shared: Arc<NetworkState> = Arc::default();
        let stub = shared.clone();
        let address = http_stub::start(move |request| answer(&stub, &request));
        Self { address, shared }
    }

    /// The settings of a service that relays it.
    pub fn settings(&self, allow: &str) -> Vec<(&'static str, String)> {
        vec![
            (
                "CHATKEEP_RELAY_MATRIX_HOMESERVER",
                format!("http://{}", self.address),
            ),
            ("CHATKEEP_RELAY_MATRIX_USER", "juno".to_owned()),
            ("CHATKEEP_RELAY_MATRIX_PASSWORD", PASSWORD.to_owned()),
            ("CHATKEEP_RELAY_MATRIX_ALLOW", allow.to_owned()),
        ]
    }

    /// A room of these people, with the bot in it.
    pub fn room(&self, room: &str, people: &[&str]) {
        let mut state = self.state();
        let at = state.events.len();
        let members = people.iter().map(|person| (*person).to_owned());
        let created = Room {
            members: members.chain([BOT.to_owned()]).collect(),
            joined: Some(at),
            ..Room::default()
        };
        state.rooms.insert(room.to_owned(), created);
    }

    /// A room of one person, who invites the bot.
    pub fn invite(&self, room: &str, inviter: &str) {
        let mut state = self.state();
        let entry = state.rooms.entry(room.to_owned()).or_default();
        entry.members.insert(inviter.to_owned());
        let event = member(inviter, "invite");
        state.push(room, event);
        let at = state.events.len() - 1;
        state.rooms.get_mut(room).unwrap().invited = Some(at);
        self.shared.1.notify_all();
    }

    /// The bot is removed from a room.
    pub fn remove_from(&self, room: &str, by: &str) {
        let mut state = self.state();
        let event = member(by, "leave");
        state.push(room, event);
        let at = state.events.len() - 1;
        let left = state.rooms.get_mut(room).unwrap();
        left.members.remove(BOT);
        (left.joined, left.invited, left.left) = (None, None, Some(at));
        self.shared.1.notify_all();
    }

    /// Somebody else comes into a room.
    pub fn join(&self, room: &str, person: &str) {
        let mut state = self.state();
        let members = &mut state.rooms.get_mut(room).unwrap().members;
        members.insert(person.to_owned());
        let event = json!({"type": "m.room.member", "state_key": person, "sender": person,
                           "content": {"membership": "join"}});
        state.push(room, event);
        self.shared.1.notify_all();
    }

    /// Somebody goes out of a room.
    pub fn leave(&self, room: &str, person: &str) {
        let mut state = self.state();
        let members = &mut state.rooms.get_mut(room).unwrap().members;
        members.remove(person);
        let event = json!({"type": "m.room.member", "state_key": person, "sender": person,
                           "content": {"membership": "leave"}});
        state.push(room, event);
        self.shared.1.notify_all();
    }

    pub fn encrypt(&self, room: &str) {
        let mut state = self.state();
        state.rooms.get_mut(room).unwrap().is_encrypted = true;
        let event = json!({"type": "m.room.encryption", "state_key": "", "sender": "@ada:stub",
                           "content": {"algorithm": "m.megolm.v1.aes-sha2"}});
        state.push(room, event);
        self.shared.1.notify_all();
    }

    /// Nobody may write in the room any more; its people are in a new one, without the bot.
    pub fn upgrade(&self, room: &str, successor: &str, by: &str) {
        let mut state = self.state();
        let old = state.rooms.get_mut(room).unwrap();
        old.successor = Some(successor.to_owned());
        let members = old.members.iter().filter(|member| *member != BOT);
        let created = Room {
            members: members.cloned().collect(),
            predecessor: Some(room.to_owned()),
            ..Room::default()
        };
        state.rooms.insert(successor.to_owned(), created);
        let event = json!({"type": "m.room.tombstone", "state_key": "", "sender": by,
                           "content": {"replacement_room": successor}});
        state.push(room, event);
        self.shared.1.notify_all();
    }

    /// Somebody does something; `event` lacks what the homeserver adds. The event's id.
    pub fn event(&self, room: &str, sender: &str, mut event: Value) -> String {
        let mut state = self.state();
        event["sender"] = sender.into();
        let id = state.push(room, event);
        self.shared.1.notify_all();
        id
    }

    pub fn message(&self, room: &str, sender: &str, content: Value) -> String {
        let event = json!({"type": "m.room.message", "content": content});
        self.event(room, sender, event)
    }

    pub fn say(&self, room: &str, sender: &str, text: &str) -> String {
        self.message(room, sender, json!({"msgtype": "m.text", "body": text}))
    }

    pub fn put_file(&self, id: &str, bytes: &[u8]) {
        self.state().files.insert(id.to_owned(), bytes.to_vec());
    }

    /// What becomes of the next messages to a room.
    pub fn fail(&self, room: &str, faults: impl IntoIterator<Item = Fault>) {
        let mut state = self.state();
        let next = state.faults.entry(room.to_owned()).or_default();
        next.extend(faults);
    }

    /// The token is not valid any more.
    pub fn end_token(&self) {
        self.state().token = None;
    }

    /// The contents of what the bot sent to a room.
    pub fn sent(&self, room: &str) -> Vec<Value> {
        let state = self.state();
        let own = state.events.iter().filter(|(of, event)| {
            of == room && event["sender"] == BOT && event["type"] == "m.room.message"
        });
        own.map(|(_, event)| event["content"].clone()).collect()
    }

    pub fn texts(&self, room: &str) -> Vec<String> {
        let sent = self.sent(room).into_iter();
        sent.map(|content| content["body"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The bodies of the calls whose path has these words.
    pub fn calls(&self, words: &str) -> Vec<Value> {
        let state = self.state();
        let calls = state.calls.iter().filter(|(path, _)| path.contains(words));
        calls.map(|(_, body)| body.clone()).collect()
    }

    pub fn logins(&self) -> Vec<Value> {
        self.state().logins.clone()
    }

    /// The bot is in the room.
    pub fn is_joined(&self, room: &str) -> bool {
        self.state().rooms[room].joined.is_some()
    }

    /// The mark behind everything that happened.
    pub fn mark(&self) -> String {
        format!("s{}", self.state().events.len())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap()
    }
}

fn member(inviter: &str, membership: &str) -> Value {
    json!({"type": "m.room.member", "state_key": BOT, "sender": inviter,
           "content": {"membership": membership, "is_direct": true}})
}

impl State {
    fn push(&mut self, room: &str, mut event: Value) -> String {
        let id = format!("${}:stub", self.events.len());
        event["event_id"] = id.as_str().into();
        if event["origin_server_ts"].is_null() {
            event["origin_server_ts"] = 1_700_000_000_000_u64.into();
        }
        self.events.push((room.to_owned(), event));
        id
    }

    /// Events of a room in a range, with their numbers.
    fn in_room(&self, room: &str, from: usize, to: usize) -> Vec<(usize, &Value)> {
        let events = self.events.iter().enumerate().take(to).skip(from);
        events
            .filter(|(_, (of, _))| of == room)
            .map(|(at, (_, event))| (at, event))
            .collect()
    }

    /// What happened since a mark; `None`: nothing.
    fn sync(&self, since: Option<usize>, limit: usize) -> Option<Value> {
        let (mut joined, mut invited, mut left) = (json!({}), json!({}), json!({}));
        for (id, room) in &self.rooms {
            match (room.joined, room.invited) {
                (Some(at), _) => {
                    let is_new = since.is_none_or(|since| at >= since);
                    let from = if is_new { 0 } else { since.unwrap_or(0) };
                    let events = self.in_room(id, from, self.events.len());
                    let first = events.len().saturating_sub(limit);
                    if !events.is_empty() {
                        joined[id] = timeline(&events[first..], first > 0);
                    }
                }
                (None, Some(at)) if since.is_none_or(|since| at >= since) => {
                    invited[id] = json!({"invite_state": {"events": [self.events[at].1]}});
                }
                (None, None) if room.left.is_some_and(|at| Some(at) >= since) => {
                    left[id] = timeline(&[], false);
                }
                _ => {}
            }
        }
        let rooms = json!({"join": joined, "invite": invited, "leave": left});
        let is_news = rooms != json!({"join": {}, "invite": {}, "leave": {}});
        let next = format!("s{}", self.events.len());
        (since.is_none() || is_news).then(|| json!({"next_batch": next, "rooms": rooms}))
    }
}

fn timeline(events: &[(usize, &Value)], limited: bool) -> Value {
    let first = events.first().map_or(0, |(at, _)| *at);
    let events: Vec<&Value> = events.iter().map(|(_, event)| *event).collect();
    json!({"timeline": {"events": events, "limited": limited, "prev_batch": format!("p{first}")}})
}

fn refusal(status: u16, code: &str) -> (u16, Value) {
    (
        status,
        json!({"errcode": code, "error": "as the stub says"}),
    )
}

fn answer(shared: &NetworkState, request: &HttpRequest) -> Option<HttpAnswer> {
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((&request.target, ""));
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let mut state = shared.0.lock().unwrap();
    let parts: Vec<String> = path.split('/').skip(1).map(decoded).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (status, answer) = if path.ends_with("/login") {
        log_in(&mut state, &body)
    } else if request.bearer.is_none()
        || request.bearer != state.token.as_ref().map(|(token, _)| token.clone())
    {
        let ended = json!({"errcode": "M_UNKNOWN_TOKEN", "error": "ended", "soft_logout": true});
        (401, ended)
    } else if let ["_matrix", "client", "v1", "media", "download", "stub", id] = parts[..] {
        return match state.files.get(id) {
            Some(file) => Some((200, "image/jpeg", file.clone())),
            None => Some((
                404,
                "application/json",
                b"{\"errcode\":\"M_NOT_FOUND\"}".to_vec(),
            )),
        };
    } else if parts[3..] == ["sync"] {
        drop(state);
        (200, poll(shared, query))
    } else {
        state.calls.push((parts[3..].join("/"), body.clone()));
        let changed = call(&mut state, &parts[3..], query, &body)?;
        shared.1.notify_all();
        changed
    };
    Some((status, "application/json", answer.to_string().into()))
}

fn log_in(state: &mut State, body: &Value) -> (u16, Value) {
    if body["password"] != PASSWORD || body["identifier"]["user"] != "juno" {
        return refusal(403, "M_FORBIDDEN");
    }
    state.logins.push(body.clone());
    let device = body["device_id"].as_str().unwrap_or("ANOTHER").to_owned();
    let token = format!("token-{}", state.logins.len());
    state.token = Some((token.clone(), device.clone()));
    (
        200,
        json!({"access_token": token, "device_id": device, "user_id": BOT}),
    )
}

fn poll(shared: &NetworkState, query: &str) -> Value {
    let parameter = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut found = pairs.filter(|(key, _)| *key == name);
        found.next().map(|(_, value)| decoded(value))
    };
    let since = parameter("since").map(|mark| mark[1..].parse().unwrap());
    let filter: Value = serde_json::from_str(&parameter("filter").unwrap()).unwrap();
    let limit = filter["room"]["timeline"]["limit"].as_u64().unwrap() as usize;
    let timeout = Duration::from_millis(parameter("timeout").unwrap().parse().unwrap());
    let deadline = Instant::now() + timeout.min(POLL_MAX);
    let mut state = shared.0.lock().unwrap();
    if since.is_none() {
        let answer = state.sync(since, limit).unwrap();
        let first = state.first_answers.entry(query.to_owned());
        return first.or_insert(answer).clone();
    }
    loop {
        if let Some(news) = state.sync(since, limit) {
            return news;
        }
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return json!({"next_batch": format!("s{}", state.events.len())});
        }
        state = shared.1.wait_timeout(state, remaining).unwrap().0;
    }
}

/// Nothing: the answer is lost.
fn call(state: &mut State, parts: &[&str], query: &str, body: &Value) -> Option<(u16, Value)> {
    let room_of = |id: &str| state.rooms.get(id);
    Some(match parts {
        ["account", "whoami"] => {
            let device = state.token.as_ref().map(|(_, device)| device.clone());
            (200, json!({"user_id": BOT, "device_id": device}))
        }
        ["logout"] => {
            state.token = None;
            (200, json!({}))
        }
        ["profile", _, "displayname"] => (200, json!({"displayname": "Juno Bot"})),
        ["joined_rooms"] => {
            let joined = state.rooms.iter().filter(|(_, room)| room.joined.is_some());
            let joined: Vec<&String> = joined.map(|(id, _)| id).collect();
            (200, json!({ "joined_rooms": joined }))
        }
        ["join", id] => {
            let event = member(BOT, "join");
            let at = state.events.len();
            state.push(id, event);
            let room = state.rooms.get_mut(*id)?;
            room.joined = Some(at);
            room.members.insert(BOT.to_owned());
            (200, json!({ "room_id": id }))
        }
        ["rooms", id, "joined_members"] if room_of(id)?.joined.is_none() => {
            refusal(403, "M_FORBIDDEN")
        }
        ["rooms", id, "joined_members"] => {
            let members = &room_of(id)?.members;
            let members: BTreeMap<&String, Value> =
                members.iter().map(|id| (id, json!({}))).collect();
            (200, json!({ "joined": members }))
        }
        ["rooms", id, "state", "m.room.encryption", ""] => match room_of(id)?.is_encrypted {
            true => (200, json!({"algorithm": "m.megolm.v1.aes-sha2"})),
            false => refusal(404, "M_NOT_FOUND"),
        },
        ["rooms", id, "state", "m.room.tombstone", ""] => match &room_of(id)?.successor {
            Some(successor) => (200, json!({ "replacement_room": successor })),
            None => refusal(404, "M_NOT_FOUND"),
        },
        ["rooms", id, "state", "m.room.create", ""] => match room_of(id)? {
            room if room.joined.is_none() => refusal(403, "M_FORBIDDEN"),
            room => (200, json!({"predecessor": {"room_id": room.predecessor}})),
        },
        ["rooms", _, "event", id] => {
            let found = state
                .events
                .iter()
                .find(|(_, event)| event["event_id"] == *id);
            found.map_or(refusal(404, "M_NOT_FOUND"), |(_, event)| {
                (200, event.clone())
            })
        }
        ["rooms", id, "messages"] => (200, messages(state, id, query)),
        ["rooms", id, "send", "m.room.message", transaction] => {
            return send(state, id, transaction, body);
        }
        ["rooms", _, "receipt" | "typing", ..] => (200, json!({})),
        _ => refusal(404, "M_UNRECOGNIZED"),
    })
}

/// Backwards from one mark to another, ten at a time.
fn messages(state: &State, room: &str, query: &str) -> Value {
    let number = |name: &str| -> usize {
        let (_, rest) = query.split_once(&format!("{name}=")).unwrap();
        rest[1..].split('&').next().unwrap().parse().unwrap()
    };
    let events = state.in_room(room, number("to"), number("from"));
    let (older, chunk) = events.split_at(events.len().saturating_sub(10));
    let oldest_first: Vec<&Value> = chunk.iter().map(|(_, event)| *event).collect();
    let newest_first: Vec<&Value> = oldest_first.into_iter().rev().collect();
    let mut answer = json!({ "chunk": newest_first });
    if !older.is_empty() {
        answer["end"] = format!("p{}", chunk[0].0).into();
    }
    answer
}

fn send(state: &mut State, room: &str, transaction: &str, content: &Value) -> Option<(u16, Value)> {
    let place = &state.rooms[room];
    if place.joined.is_none() || place.successor.is_some() {
        return Some(refusal(403, "M_FORBIDDEN"));
    }
    let fault = state.faults.get_mut(room).and_then(VecDeque::pop_front);
    if let Some(Fault::Refuse(status, body)) = fault {
        return Some((status, body));
    }
    let device = state.token.clone()?.1;
    let place = (device, room.to_owned(), transaction.to_owned());
    let id = match state.transactions.get(&place) {
        Some(id) => id.clone(),
        None => {
            let event = json!({"type": "m.room.message", "sender": BOT, "content": content,
                               "unsigned": {"transaction_id": transaction}});
            let id = state.push(room, event);
            state.transactions.insert(place, id.clone());
            id
        }
    };
    (fault != Some(Fault::Lose)).then(|| (200, json!({ "event_id": id })))
}

/// Percent-encoded text as it was.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next().unwrap(), rest.next().unwrap()];
        let digits = std::str::from_utf8(&digits).unwrap();
        bytes.push(u8::from_str_radix(digits, 16).unwrap());
    }
    String::from_utf8(bytes).unwrap()
}
