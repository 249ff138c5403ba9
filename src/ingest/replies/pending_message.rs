//! The turn of a message whose reply is pending, made from the message's rows.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use crate::access::Access;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, Message, Mode};
use crate::memory::ServiceMemories;
use crate::store::{MessageRow, PendingReply, RoomRow, Tx};

impl Ingest {
    /// A turn of the person, without a requested superpower.
    pub(super) fn pending_turn<'a>(
        &'a self,
        tx: &mut Tx<'_>,
        pending: &PendingReply,
        service_memories: &'a ServiceMemories,
        now: Timestamp,
    ) -> Result<MessageTurn<'a>> {
        let row = message_row(tx, pending)?;
        let room = tx.view().room(pending.room)?.ok_or_else(missing_row)?;
        let user = tx.user(row.user)?;
        Ok(MessageTurn {
            ingest: self,
            flags: self.flags.for_user(&user.public_id),
            user: Arc::new(user),
            room: tx.room(&room.chat_guid)?.ok_or_else(missing_row)?,
            message: Cow::Owned(message(row, room)),
            persona: self.persona.get(),
            message_id: pending.message_id,
            agent: pending.agent,
            humans: 0,
            access: Access::Allow { remaining: -1 },
            earlier_version: None,
            unknown: None,
            requested_power: None,
            service_memories,
            by_model: false,
            left_to_model: false,
            limit_uses: None,
            is_admitted: false,
            is_beyond_limits: false,
            schedule: OnceCell::new(),
            now,
            mono: self.clock.monotonic(),
        })
    }
}

pub(super) fn missing_row() -> Error {
    Error::internal("the message of a pending reply is gone")
}

pub(super) fn message_row(tx: &Tx, pending: &PendingReply) -> Result<MessageRow> {
    tx.view()
        .message(pending.message_id)?
        .ok_or_else(missing_row)
}

/// The message as far as its rows tell.
fn message(row: MessageRow, room: RoomRow) -> Message {
    Message {
        chat_guid: room.chat_guid,
        mode: match room.mode.as_str() {
            "group" => Mode::Group,
            _ => Mode::Direct,
        },
        sender: row.sender,
        text: row.text,
        timestamp: row.sent_at_s,
        ..Message::default()
    }
}
