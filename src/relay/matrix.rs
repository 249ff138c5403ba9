//! The Matrix relay, over the client-server API: long polling of `/sync`, unencrypted rooms. Its
//! reading position is stored when everything before it was posted and answered. The homeserver
//! accepts transaction ids, so a bubble sent twice is one event.

mod api;
mod events;
mod reading;
mod session_file;
mod sync;
mod text;

use std::collections::HashMap;
use std::path::PathBuf;

use parking_lot::Mutex;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::allow_list::{AllowList, IdForm, UnknownSenders};
use super::{Network, SendError, StopReason, Uplink};
use crate::files;
use api::{Api, Failure};
use session_file::MatrixSession;

const NETWORK: &str = "matrix";
/// Prefix of people's and rooms' ids in the service.
pub const PREFIX: &str = "matrix:";
/// Forms of ids in the allow list: people, rooms, and all people of a server.
pub const IDS: IdForm = IdForm {
    network: NETWORK,
    is_valid: |id| {
        let rest = id.strip_prefix(['@', '!']);
        let has_server = id
            .split_once(':')
            .is_some_and(|(_, server)| !server.is_empty());
        rest.is_some_and(|rest| !rest.is_empty()) && (id.starts_with('!') || has_server)
    },
    about: "ids like \"@ada:example.com\", \"!room:example.com\" or \"@*:example.com\" (everybody of a server)",
};
/// Prefix of the ids of notices in encrypted rooms, where nothing else is sent.
const ENCRYPTED: &str = "encrypted:";
/// Limit of rooms whose facts are cached.
const ROOMS_MAX: usize = 10_000;
/// More people of a room aren't cached.
const OTHERS_MAX: usize = 2;
const TYPING_MS: u64 = 10_000;
/// Upgrades of a room, one after another, that are followed.
const UPGRADES_MAX: usize = 10;

pub struct MatrixSettings {
    /// Like `https://matrix.example.com`.
    pub homeserver: String,
    pub credential: Credential,
    pub allowed: AllowList,
    /// The relay's journal; the session file is beside it.
    pub state: PathBuf,
}

/// How the bot signs in.
pub enum Credential {
    Token(String),
    Password { user: String, password: String },
}

pub struct Matrix {
    api: Api,
    homeserver: String,
    allowed: AllowList,
    session_path: PathBuf,
    /// Known after the first call.
    identity: OnceCell<(Bot, MatrixSession)>,
    rooms: Mutex<HashMap<String, Room>>,
    /// People already named in the log.
    strangers: UnknownSenders,
}

/// The bot's account.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bot {
    user_id: String,
    /// The names that address the bot: its id, the id's first part, its display name.
    names: Vec<String>,
}

/// Facts about a room.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Room {
    /// The people in it besides the bot, at most `OTHERS_MAX`.
    others: Vec<String>,
    is_encrypted: bool,
    is_upgraded: bool,
    /// The room that this one was upgraded to, if the bot is in it.
    successor: Option<String>,
}

impl Room {
    const fn is_group(&self) -> bool {
        self.others.len() > 1
    }
}

impl Matrix {
    pub fn new(settings: MatrixSettings) -> Self {
        Self {
            api: Api::new(&settings.homeserver, settings.credential),
            homeserver: settings.homeserver,
            allowed: settings.allowed,
            session_path: files::beside(&settings.state, session_file::ENDING),
            identity: OnceCell::new(),
            rooms: Mutex::default(),
            strangers: UnknownSenders::default(),
        }
    }

    /// Describes the bot and its permissions, as lines for a terminal. Nothing is written, and the
    /// relay's device stays as it is: with a password this logs in as a device of its own.
    pub async fn check(&self) -> Result<Vec<String>, String> {
        let described = self.describe().await;
        self.api.log_out().await;
        described.map_err(|failure| failure.to_string())
    }

    async fn describe(&self) -> Result<Vec<String>, Failure> {
        let (bot, _) = self.account().await?;
        let rooms = self.api.get("/joined_rooms").await?;
        let rooms = rooms["joined_rooms"].as_array().map_or(0, Vec::len);
        Ok(vec![
            format!(
                "Matrix: {} at {}; it is in {rooms} rooms",
                bot.user_id, self.homeserver
            ),
            format!("Allowed: {}", self.allowed),
        ])
    }

    /// The bot's account and the reading position at this start.
    async fn identity(&self) -> Result<&(Bot, MatrixSession), Failure> {
        self.identity.get_or_try_init(|| self.read_identity()).await
    }

    async fn read_identity(&self) -> Result<(Bot, MatrixSession), Failure> {
        let (path, homeserver) = (self.session_path.clone(), self.homeserver.clone());
        let opening = tokio::task::spawn_blocking(move || MatrixSession::open(&path, &homeserver));
        let opened = opening.await.map_err(std::io::Error::other).flatten();
        let mut session = opened.map_err(|error| {
            let path = self.session_path.display();
            Failure::Broken(format!("{path} can't be kept: {error}"))
        })?;
        self.api.set_device(&session.device_id);
        let (bot, device_id) = self.account().await?;
        session.device_id = device_id.unwrap_or(session.device_id);
        session.enter_as(&bot.user_id);
        Ok((bot, session))
    }

    /// The bot's account, and the device of the access token if the homeserver names it.
    async fn account(&self) -> Result<(Bot, Option<String>), Failure> {
        let me = self.api.get("/account/whoami").await?;
        let user_id = me["user_id"].as_str().unwrap_or_default().to_owned();
        if user_id.is_empty() {
            return Err(Failure::Broken("whoami names nobody".to_owned()));
        }
        let profile = format!("/profile/{}/displayname", percent_encoded(&user_id));
        let shown = match self.api.get(&profile).await {
            Ok(profile) => profile["displayname"].as_str().map(str::to_owned),
            Err(Failure::Refused { .. }) => None, // it has none
            Err(failure) => return Err(failure),
        };
        let local = user_id.trim_start_matches('@').split(':').next();
        let local = local.map(str::to_owned);
        let names = [Some(user_id.clone()), local, shown];
        let names = names.into_iter().flatten().collect();
        let device_id = me["device_id"].as_str().map(str::to_owned);
        Ok((Bot { user_id, names }, device_id))
    }

    fn allows(&self, person: &str, room: &str) -> bool {
        let server = person.split_once(':').map_or("", |(_, server)| server);
        let server = format!("@*:{server}");
        self.allowed.allows([person, room, server.as_str()])
    }

    /// Cached until something in the room changes them.
    async fn room(&self, room: &str) -> Result<Room, Failure> {
        if let Some(known) = self.rooms.lock().get(room) {
            return Ok(known.clone());
        }
        let path = format!("/rooms/{}/joined_members", percent_encoded(room));
        let members = self.api.get(&path).await?;
        let (bot, _) = self.identity().await?;
        let members = members["joined"].as_object().into_iter().flatten();
        let others = members.map(|(member, _)| member);
        let others = others.filter(|member| **member != bot.user_id);
        let others = others.take(OTHERS_MAX).cloned().collect();
        let is_encrypted = !self.state(room, "m.room.encryption").await?.is_null();
        let tombstone = self.state(room, "m.room.tombstone").await?;
        let successor = match tombstone["replacement_room"].as_str() {
            Some(successor) => self.joined_successor(room, successor).await?,
            None => None,
        };
        let found = Room {
            others,
            is_encrypted,
            is_upgraded: !tombstone.is_null(),
            successor,
        };
        // The bot may join the successor at any time.
        if found.is_upgraded {
            return Ok(found);
        }
        let mut rooms = self.rooms.lock();
        if rooms.len() >= ROOMS_MAX {
            rooms.clear();
        }
        rooms.insert(room.to_owned(), found.clone());
        Ok(found)
    }

    /// The content of a room's state event without a key; null if there is none.
    async fn state(&self, room: &str, kind: &str) -> Result<Value, Failure> {
        let path = format!("/rooms/{}/state/{kind}/", percent_encoded(room));
        match self.api.get(&path).await {
            Err(failure) if failure.is_refusal(404) => Ok(Value::Null),
            content => content,
        }
    }

    /// The successor if the bot is in it. A room that doesn't name its predecessor is another one.
    async fn joined_successor(
        &self,
        room: &str,
        successor: &str,
    ) -> Result<Option<String>, Failure> {
        let created = match self.state(successor, "m.room.create").await {
            Err(Failure::Refused { .. }) => return Ok(None), // the bot isn't in it
            created => created?,
        };
        let is_successor = created["predecessor"]["room_id"] == room;
        Ok(is_successor.then(|| successor.to_owned()))
    }

    /// The room, or the one that it was upgraded to.
    async fn newest(&self, room: &str) -> Result<(String, Room), Failure> {
        let mut room = room.to_owned();
        for _ in 0..UPGRADES_MAX {
            let found = self.room(&room).await?;
            match found.successor {
                Some(successor) => room = successor,
                None => return Ok((room, found)),
            }
        }
        Err(Failure::Broken("too many upgrades of a room".to_owned()))
    }

    async fn event(&self, room: &str, event: &str) -> Result<Value, Failure> {
        let (room, event) = (percent_encoded(room), percent_encoded(event));
        self.api.get(&format!("/rooms/{room}/event/{event}")).await
    }

    /// Read markers aren't retried.
    async fn mark_read(&self, room: &str, event: &str) {
        let (room, event) = (percent_encoded(room), percent_encoded(event));
        let path = format!("/rooms/{room}/receipt/m.read/{event}");
        if let Err(failure) = self.api.post(&path, json!({})).await {
            log::debug!("matrix: the read receipt was not sent: {failure}");
        }
    }
}

impl Network for Matrix {
    const CHATS_CHANGE: bool = true;

    async fn incoming(&self, uplink: Uplink<Self>) -> StopReason {
        match self.read_on(&uplink).await {
            Ok(()) => StopReason::default(),
            Err(stop) => stop,
        }
    }

    async fn send(&self, chat: &str, bubble: &str, id: &str) -> Result<(), SendError> {
        let room = chat.strip_prefix(PREFIX);
        let room = room.ok_or_else(|| SendError::Never("no room of Matrix's".to_owned()))?;
        self.identity().await.map_err(send_error)?;
        let is_notice = id.starts_with(ENCRYPTED);
        let (room, found) = self.newest(room).await.map_err(unless_invited)?;
        if !is_notice && found.is_encrypted {
            return Err(SendError::Never("the room is encrypted".to_owned()));
        }
        let path = format!("/rooms/{}/send/m.room.message", percent_encoded(&room));
        // A bubble longer than a message is rare; its pieces have their own ids.
        for (number, piece) in text::pieces(bubble).into_iter().enumerate() {
            let transaction = match number {
                0 => percent_encoded(id),
                _ => percent_encoded(&format!("{id}:{number}")),
            };
            let content = text::content(piece, is_notice);
            let path = format!("{path}/{transaction}");
            let Err(failure) = self.api.put(&path, content).await else {
                continue;
            };
            if matches!(failure, Failure::Refused { .. }) {
                // The bot may have been removed since the room was read.
                self.rooms.lock().remove(&room);
                if self.room(&room).await.map_err(unless_invited)?.is_upgraded {
                    // It may be invited to the new room.
                    return Err(SendError::Later {
                        wait: None,
                        why: failure.to_string(),
                    });
                }
            }
            return Err(send_error(failure));
        }
        Ok(())
    }

    async fn others(&self, chat: &str) -> Result<Option<Vec<String>>, SendError> {
        let Some(room) = chat.strip_prefix(PREFIX) else {
            return Ok(None);
        };
        let (_, found) = self.newest(room).await.map_err(unless_invited)?;
        let others = found.others.iter();
        Ok(Some(others.map(|one| format!("{PREFIX}{one}")).collect()))
    }

    async fn typing(&self, chat: &str, is_on: bool) {
        let (Some(room), Ok((bot, _))) = (chat.strip_prefix(PREFIX), self.identity().await) else {
            return;
        };
        let (room, user) = (percent_encoded(room), percent_encoded(&bot.user_id));
        let shown = match is_on {
            true => json!({"typing": true, "timeout": TYPING_MS}),
            false => json!({"typing": false}),
        };
        // A late typing sign is useless.
        let _ = self
            .api
            .put(&format!("/rooms/{room}/typing/{user}"), shown)
            .await;
    }
}

/// All characters except the unreserved ones of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Encodes part of a URL's path or query.
fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Of a room that can't be read: the bot isn't in it, and may be invited again.
fn unless_invited(failure: Failure) -> SendError {
    match failure {
        Failure::Refused { .. } => SendError::Later {
            wait: None,
            why: failure.to_string(),
        },
        other => send_error(other),
    }
}

fn send_error(failure: Failure) -> SendError {
    match failure {
        Failure::Refused { .. } => SendError::Never(failure.to_string()),
        other => SendError::Later {
            wait: other.wait(),
            why: other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_people_rooms_and_servers() {
        for id in [
            "@ada:example.com", "!x:example.com", "!-qe1b4", "@*:example.com",
        ] {
            assert!((IDS.is_valid)(id), "{id}");
        }
        for wrong in [
            "", "@", "@ada", "@ada:", "!", "ada", "#room:example.com", "501",
        ] {
            assert!(!(IDS.is_valid)(wrong), "{wrong}");
        }
    }
}
