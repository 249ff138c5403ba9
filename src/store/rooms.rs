//! Rooms: a chat as its relay names it, its owner, who takes part, which agent last brought
//! a message from it, and the head of its chain of messages.

use rusqlite::{OptionalExtension, Row};

use super::{AgentId, Digest, Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RoomId(pub i64);

#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub id: RoomId,
    pub owner: UserId,
    /// `None`: the last message came by the legacy endpoint.
    pub agent: Option<AgentId>,
    /// Digest of the participants last written.
    pub members: Digest,
    /// The newest message.
    pub head: Option<i64>,
    /// Human messages since the assistant's last one.
    pub humans: i64,
}

pub struct NewRoom<'a> {
    pub chat_guid: &'a str,
    pub mode: &'a str,
    pub owner: UserId,
    pub agent: Option<AgentId>,
    pub now: Timestamp,
}

impl Tx<'_> {
    pub fn room(&mut self, chat_guid: &str) -> Result<Option<Room>> {
        if let Some(room) = self.directory.rooms.get(chat_guid) {
            return Ok(Some(*room));
        }
        let found = self
            .conn
            .prepare_cached(
                "SELECT rooms.id, owner_id, agent_id, members, message_id, humans
                 FROM rooms LEFT JOIN room_heads ON room_id = rooms.id WHERE chat_guid = ?1",
            )?
            .query_row([chat_guid], room_from)
            .optional()?;
        if let Some(room) = found {
            self.directory.put_room(chat_guid, room);
        }
        Ok(found)
    }

    pub fn insert_room(&mut self, new: &NewRoom<'_>) -> Result<Room> {
        let members = Digest::default();
        self.execute(
            "INSERT INTO rooms (chat_guid, mode, owner_id, agent_id, members, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                new.chat_guid,
                new.mode,
                new.owner.0,
                new.agent.map(|a| a.0),
                members,
                new.now.0,
            ),
        )?;
        let room = Room {
            id: RoomId(self.conn.last_insert_rowid()),
            owner: new.owner,
            agent: new.agent,
            members,
            head: None,
            humans: 0,
        };
        self.directory.put_room(new.chat_guid, room);
        Ok(room)
    }

    pub fn set_room_agent(
        &mut self,
        chat_guid: &str,
        room: &mut Room,
        agent: Option<AgentId>,
    ) -> Result<()> {
        self.execute(
            "UPDATE rooms SET agent_id = ?2 WHERE id = ?1",
            (room.id.0, agent.map(|a| a.0)),
        )?;
        room.agent = agent;
        self.directory.put_room(chat_guid, *room);
        Ok(())
    }

    /// Writes who takes part; `members` is the digest of `handles`.
    pub fn set_room_members(
        &mut self,
        chat_guid: &str,
        room: &mut Room,
        handles: &[&str],
        members: Digest,
    ) -> Result<()> {
        self.execute("DELETE FROM room_members WHERE room_id = ?1", [room.id.0])?;
        for handle in handles {
            self.execute(
                "INSERT OR IGNORE INTO room_members (handle, room_id) VALUES (?1, ?2)",
                (handle, room.id.0),
            )?;
        }
        self.execute(
            "UPDATE rooms SET members = ?2 WHERE id = ?1",
            (room.id.0, members),
        )?;
        room.members = members;
        self.directory.put_room(chat_guid, *room);
        Ok(())
    }

    pub fn add_room_member(&self, room: RoomId, handle: &str) -> Result<()> {
        self.execute(
            "INSERT OR IGNORE INTO room_members (handle, room_id) VALUES (?1, ?2)",
            (handle, room.0),
        )?;
        Ok(())
    }

    /// Makes a message the head of its room's chain.
    pub(super) fn set_room_head(
        &mut self,
        chat_guid: &str,
        room: &mut Room,
        message_id: i64,
        humans: i64,
    ) -> Result<()> {
        self.execute(
            "INSERT INTO room_heads (room_id, message_id, humans) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET message_id = ?2, humans = ?3",
            (room.id.0, message_id, humans),
        )?;
        room.head = Some(message_id);
        room.humans = humans;
        if let Some(known) = self.directory.rooms.get_mut(chat_guid) {
            *known = *room;
        }
        self.directory.touched = true;
        Ok(())
    }

    /// The chat's guid and the agent that commands for it go to.
    pub fn room_address(&self, room: RoomId) -> Result<(String, Option<AgentId>)> {
        Ok(self
            .conn
            .prepare_cached("SELECT chat_guid, agent_id FROM rooms WHERE id = ?1")?
            .query_row([room.0], |row| {
                Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?.map(AgentId)))
            })?)
    }
}

fn room_from(row: &Row<'_>) -> rusqlite::Result<Room> {
    Ok(Room {
        id: RoomId(row.get(0)?),
        owner: UserId(row.get(1)?),
        agent: row.get::<_, Option<i64>>(2)?.map(AgentId),
        members: row.get(3)?,
        head: row.get(4)?,
        humans: row.get::<_, Option<i64>>(5)?.unwrap_or(0),
    })
}
