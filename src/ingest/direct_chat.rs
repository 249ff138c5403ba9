//! The direct chat of a person who wrote in a group: where what the group must not read is sent.

use super::turn::MessageTurn;
use crate::assistant::wording;
use crate::edge::queue::{self, OutgoingMessage};
use crate::error::Result;
use crate::store::Tx;

/// Sends a text to the person's direct chat because a group must not read it. Returns the text
/// for the group.
pub(super) fn answer(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<String> {
    Ok(match send(turn, tx, text)? {
        true => wording::ANSWERED_ALONE.to_owned(),
        false => wording::ASK_ALONE.to_owned(),
    })
}

/// Whether the message is of a group, which changes nothing that was told in the direct chat.
pub(super) fn is_kept_from(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    Ok(turn.in_group() && tx.newest_direct_chat(turn.user.id, false)?.is_some())
}

/// False: the person has no direct chat that takes commands, or no more of them.
pub(super) fn send(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<bool> {
    let Some(chat) = tx.newest_direct_chat(turn.user.id, true)? else {
        return Ok(false);
    };
    let Some(message) = OutgoingMessage::to_chat(&chat, text, turn.user.id) else {
        return Ok(false);
    };
    queue::send_message(tx, &turn.ingest.hub, &message, turn.now)
}
