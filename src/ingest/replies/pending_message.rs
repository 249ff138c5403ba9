//! The message of a pending reply, as its rows tell of it, and the turn in which it is handled.

use crate::access::Access;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::flags::Reader;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, Message, Mode};
use crate::memory::ServiceMemories;
use crate::store::{AgentId, MessageRow, PendingReply, Room, RoomRow, Tx, User};

pub(super) struct PendingMessage {
    pub(super) row: MessageRow,
    pub(super) message: Message,
    pub(super) user: User,
    pub(super) room: Room,
    agent: Option<AgentId>,
}

impl PendingMessage {
    pub(super) fn read(tx: &mut Tx<'_>, pending: &PendingReply) -> Result<Self> {
        let row = message_row(tx, pending)?;
        let room_row = tx.view().room(pending.room)?.ok_or_else(missing_row)?;
        Ok(Self {
            room: tx.room(&room_row.chat_guid)?.ok_or_else(missing_row)?,
            user: tx.user(row.user)?,
            message: message(&row, &room_row),
            row,
            agent: pending.agent,
        })
    }

    /// A turn of the person, without a requested superpower.
    pub(super) fn turn<'a>(
        &'a self,
        ingest: &'a Ingest,
        flags: &'a Reader<'a>,
        service_memories: &'a ServiceMemories,
        now: Timestamp,
    ) -> MessageTurn<'a> {
        MessageTurn {
            ingest,
            flags,
            message: &self.message,
            user: &self.user,
            room: &self.room,
            agent: self.agent,
            humans: 0,
            access: Access::Allow { remaining: -1 },
            called: None,
            service_memories,
            by_model: false,
            left_to_model: false,
            is_admitted: false,
            now,
            mono: ingest.clock.monotonic(),
        }
    }
}

pub(super) fn missing_row() -> Error {
    Error::internal("the message of a pending reply is gone")
}

pub(super) fn message_row(tx: &Tx<'_>, pending: &PendingReply) -> Result<MessageRow> {
    tx.view()
        .message(pending.message_id)?
        .ok_or_else(missing_row)
}

/// The message as far as its rows tell.
fn message(row: &MessageRow, room: &RoomRow) -> Message {
    Message {
        chat_guid: room.chat_guid.clone(),
        mode: match room.mode.as_str() {
            "group" => Mode::Group,
            _ => Mode::Direct,
        },
        sender: row.sender.clone(),
        text: row.text.clone(),
        timestamp: row.sent_at_s,
        participants: Vec::new(),
        metadata: None,
        context: None,
        owner: None,
        photos: 0,
        superpower: None,
        reply_to_assistant: false,
    }
}
