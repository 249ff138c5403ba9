//! Rooms: a chat under the relay's name for it, its owner, its members, the agent that last
//! delivered a message from it, and the head of its message chain.

use super::query::{from_row, number};
use super::{AgentId, Digest, Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RoomId(pub i64);
number!(RoomId);

/// The destination of an action.
#[derive(Debug, Clone)]
pub struct ChatTarget {
    pub room: RoomId,
    pub chat_guid: String,
    /// `None` for a room of a legacy relay, which takes no commands.
    pub agent: Option<AgentId>,
    pub group: bool,
}

impl ChatTarget {
    /// Whether a relay knows the chat by this name.
    pub(super) fn has_name(&self) -> bool {
        is_relay_name(&self.chat_guid)
    }
}

/// Separates the name of a former direct chat from its suffix. No relay may use such
/// a name: see `is_relay_name`.
pub(super) const FORMER: &str = "\u{1}direct ";

/// Prefix of a room name that contained an erased person's phone number; a digest of the name
/// follows.
const ERASED_NAME: &str = "\u{1}erased ";

#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub id: RoomId,
    pub owner: UserId,
    /// Whether several people read the room.
    pub group: bool,
    /// `None` when the last message came over the legacy endpoint.
    pub agent: Option<AgentId>,
    /// Digest of the last written member list.
    pub members: Digest,
    /// The newest message.
    pub head: Option<i64>,
    /// Messages by people since the assistant's last one.
    pub humans: i64,
}

pub struct NewRoom<'a> {
    pub chat_guid: &'a str,
    pub mode: &'a str,
    pub owner: UserId,
    pub agent: Option<AgentId>,
    pub now: Timestamp,
}

/// A room's newest message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RoomHead {
    pub(super) message_id: i64,
    /// Messages by people since the assistant's last one.
    pub(super) humans: i64,
}

const ROOM: &str =
    "SELECT rooms.id, owner_id, agent_id, members, message_id, coalesce(humans, 0), mode = 'group'
     FROM rooms LEFT JOIN room_heads ON room_id = rooms.id WHERE chat_guid = ?1";

impl Tx<'_> {
    pub fn room(&mut self, chat_guid: &str) -> Result<Option<Room>> {
        if let Some(room) = self.cache.rooms.get(chat_guid) {
            return Ok(Some(*room));
        }
        let found = self.find(ROOM, [chat_guid])?;
        let found = match found {
            None => self.restore_name(chat_guid)?,
            found => found,
        };
        let Some(mut room) = found else {
            return Ok(None);
        };
        if let Some(head) = self.cache.deferred.head(room.id) {
            (room.head, room.humans) = (Some(head.message_id), head.humans);
        }
        self.cache.put_room(chat_guid, room);
        Ok(Some(room))
    }

    /// Finds a room that lost this name in an erasure, when its relay uses the name again.
    fn restore_name(&self, chat_guid: &str) -> Result<Option<Room>> {
        let named = self.execute(
            "UPDATE rooms SET chat_guid = ?1 WHERE chat_guid = ?2",
            (chat_guid, erased_name(chat_guid)),
        )?;
        if named == 0 {
            return Ok(None);
        }
        self.find(ROOM, [chat_guid])
    }

    /// Replaces a room's name by a digest. Nothing is sent there until the relay sends a message
    /// from it again.
    pub(super) fn erase_room_name(&mut self, room: RoomId, chat_guid: &str) -> Result<()> {
        self.run(
            "UPDATE rooms SET chat_guid = ?2, agent_id = NULL WHERE id = ?1",
            (room, erased_name(chat_guid)),
        )?;
        self.forget_room(chat_guid);
        Ok(())
    }

    pub fn insert_room(&mut self, new: &NewRoom) -> Result<Room> {
        let members = Digest::default();
        self.run(
            "INSERT INTO rooms (chat_guid, mode, owner_id, agent_id, members, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                new.chat_guid, new.mode, new.owner, new.agent, members, new.now,
            ),
        )?;
        let room = Room {
            id: RoomId(self.conn.last_insert_rowid()),
            owner: new.owner,
            group: new.mode == "group",
            agent: new.agent,
            members,
            head: None,
            humans: 0,
        };
        self.cache.direct_chats.remove(&new.owner);
        self.cache.put_room(new.chat_guid, room);
        Ok(room)
    }

    pub fn set_room_agent(
        &mut self,
        chat_guid: &str,
        room: &mut Room,
        agent: Option<AgentId>,
    ) -> Result<()> {
        self.run(
            "UPDATE rooms SET agent_id = ?2 WHERE id = ?1",
            (room.id, agent),
        )?;
        room.agent = agent;
        self.cache.direct_chats.remove(&room.owner);
        self.cache.put_room(chat_guid, *room);
        Ok(())
    }

    /// Writes the members; `members` is the digest of `handles`.
    pub fn set_room_members(
        &mut self,
        chat_guid: &str,
        room: &mut Room,
        handles: &[&str],
        members: Digest,
    ) -> Result<()> {
        self.run("DELETE FROM room_members WHERE room_id = ?1", [room.id])?;
        for handle in handles {
            self.run(
                "INSERT OR IGNORE INTO room_members (handle, room_id) VALUES (?1, ?2)",
                (handle, room.id),
            )?;
        }
        self.run(
            "UPDATE rooms SET members = ?2 WHERE id = ?1",
            (room.id, members),
        )?;
        room.members = members;
        self.cache.put_room(chat_guid, *room);
        Ok(())
    }

    pub fn add_room_member(&self, room: RoomId, handle: &str) -> Result<()> {
        self.run(
            "INSERT OR IGNORE INTO room_members (handle, room_id) VALUES (?1, ?2)",
            (handle, room),
        )
    }

    /// Makes a message the head of its room's chain.
    pub(super) fn set_room_head(
        &mut self,
        chat_guid: &str,
        room: &mut Room,
        message_id: i64,
        humans: i64,
    ) {
        let head = RoomHead { message_id, humans };
        self.cache.deferred.set_head(room.id, head);
        room.head = Some(message_id);
        room.humans = humans;
        if let Some(known) = self.cache.rooms.get_mut(chat_guid) {
            *known = *room;
        }
        self.cache.touched = true;
    }

    /// Ends a direct chat that others read from now on. Its row keeps the messages under a name that
    /// no relay uses; the old name is free for another chat.
    pub fn end_direct_chat(&mut self, chat_guid: &str, room: RoomId) -> Result<()> {
        self.run(
            "UPDATE rooms SET chat_guid = chat_guid || ?2 || id, agent_id = NULL WHERE id = ?1",
            (room, FORMER),
        )?;
        self.run("DELETE FROM app_rooms WHERE room_id = ?1", [room])?;
        self.forget_room(chat_guid);
        Ok(())
    }

    /// The direct chats of a person, also former ones.
    pub fn direct_chats_of(&self, user: UserId) -> Result<Vec<RoomId>> {
        self.all(
            "SELECT id FROM rooms WHERE owner_id = ?1 AND mode = 'direct'",
            [user],
        )
    }

    pub(super) fn has_former_direct_chat(&self, user: UserId) -> Result<bool> {
        self.one(
            "SELECT EXISTS (SELECT 1 FROM rooms WHERE owner_id = ?1 AND instr(chat_guid, ?2))",
            (user, FORMER),
        )
    }

    /// Whether the room is a former direct chat.
    pub fn is_former_direct_chat(&self, room: RoomId) -> Result<bool> {
        Ok(!self.target(room)?.has_name())
    }

    /// The chat to which a message for the room is sent. A direct chat that takes no commands is
    /// replaced by another direct chat of the same person; `None` when there is none.
    pub fn chat_for(&mut self, room: RoomId, user: Option<UserId>) -> Result<Option<ChatTarget>> {
        let own = self.target(room)?;
        match user {
            Some(user) if !own.group && own.agent.is_none() => {
                let other = self.newest_direct_chat(user, true)?;
                Ok(other.or_else(|| Some(own).filter(ChatTarget::has_name)))
            }
            _ => Ok(Some(own).filter(ChatTarget::has_name)),
        }
    }

    /// The chat to which a private message is sent: the room, if it is a direct chat, or else
    /// another direct chat of the person.
    pub fn private_chat_for(&mut self, room: RoomId, user: UserId) -> Result<Option<ChatTarget>> {
        match self.target(room)?.group {
            true => self.newest_direct_chat(user, true),
            false => self.chat_for(room, Some(user)),
        }
    }
}

fn erased_name(chat_guid: &str) -> String {
    format!(
        "{ERASED_NAME}{}",
        hex::encode(Digest::of(&[chat_guid.as_bytes()]).0)
    )
}

/// Whether a relay may call a chat so: names that the service itself gave to rooms are refused, so
/// that nobody writes to a former or erased chat.
pub fn is_relay_name(chat_guid: &str) -> bool {
    given_name(chat_guid) == chat_guid
}

/// The relay's name of the chat, or nothing when it was replaced by a digest.
pub fn given_name(chat_guid: &str) -> &str {
    match chat_guid.split_once(FORMER) {
        Some((known, _)) => known,
        None if chat_guid.starts_with(ERASED_NAME) => "",
        None => chat_guid,
    }
}

from_row!(Room: id, owner, agent, members, head, humans, group);
