//! How the rest of the service gives a relay something to do: in the same transaction as
//! what causes it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::hub::Hub;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::bubbles;
use crate::random;
use crate::store::{AgentId, NewCommand, RoomId, Tx, UserId};

/// Bubbles in one command; a longer text goes out as several commands.
const BUBBLES_MAX: usize = 16;
const SEND_MESSAGE: &str = "send_message_now";

pub struct Message<'a> {
    pub agent: AgentId,
    pub room: RoomId,
    pub chat_guid: &'a str,
    pub text: &'a str,
    /// Whose words or wish it carries; erased with them.
    pub user: Option<UserId>,
}

/// Queues a message for a chat. False when the agent has too many unfinished commands:
/// nothing was queued and the caller must handle it.
pub fn send_message(
    tx: &mut Tx<'_>,
    hub: &Arc<Hub>,
    message: &Message<'_>,
    now: Timestamp,
) -> Result<bool> {
    send_reply(tx, hub, message, None, now)
}

/// As `send_message`, saying which message of the chat it answers.
pub fn send_reply(
    tx: &mut Tx<'_>,
    hub: &Arc<Hub>,
    message: &Message<'_>,
    in_reply_to: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    let cut = bubbles::cut(message.text);
    let whole = cut.len() <= BUBBLES_MAX;
    if !tx.has_room_for(message.agent, cut.len().div_ceil(BUBBLES_MAX))? {
        return Ok(false);
    }
    let mut queued = Vec::new();
    for bubbles in cut.chunks(BUBBLES_MAX) {
        let text = if whole {
            message.text.to_owned()
        } else {
            bubbles::join(bubbles)
        };
        let mut payload = json!({
            "thread_id": message.chat_guid,
            "chat_guid": message.chat_guid,
            "text": text,
            "bubbles": bubbles,
            "bubble_type": "normal",
        });
        if let Some(id) = in_reply_to {
            payload["in_reply_to"] = id.into();
        }
        let inserted = tx.insert_command(&NewCommand {
            agent: message.agent,
            room: message.room,
            command_id: &random::ordered_uuid(now).to_string(),
            kind: SEND_MESSAGE,
            payload: &payload.to_string(),
            user: message.user,
            expires_at: now.plus_s(hub.settings.command_ttl_s as i64),
            now,
        })?;
        queued.push(inserted);
    }
    let (hub, agent) = (hub.clone(), message.agent);
    tx.after_commit(move || {
        for command in queued {
            hub.command_queued(agent, command);
        }
    });
    Ok(true)
}

/// A direct chat is read by others from now on: what was never handed out goes to another
/// direct chat of the same person, else it ends.
pub fn withdraw(tx: &mut Tx<'_>, hub: &Arc<Hub>, room: RoomId, now: Timestamp) -> Result<()> {
    for command in tx.end_waiting_commands(room, now)? {
        let (ended, from, seq) = (hub.clone(), command.agent, command.seq);
        tx.after_commit(move || ended.command_ended(from, seq));
        let payload: Value = serde_json::from_str(&command.payload).map_err(Error::internal)?;
        let (Some(user), Some(text)) = (command.user, payload["text"].as_str()) else {
            continue;
        };
        if let Some(chat) = tx.newest_direct_chat(user, true)?
            && let Some(agent) = chat.agent
        {
            let message = Message {
                agent,
                room: chat.room,
                chat_guid: &chat.chat_guid,
                text,
                user: Some(user),
            };
            send_message(tx, hub, &message, now)?;
        }
    }
    Ok(())
}

/// Another agent brought a message from the chat: what was never handed out goes to it.
pub fn take_over(
    tx: &mut Tx<'_>,
    hub: &Arc<Hub>,
    room: RoomId,
    from: AgentId,
    to: AgentId,
    now: Timestamp,
) -> Result<()> {
    let (ended, queued) = tx.move_commands(room, from, to, now)?;
    if ended.is_empty() {
        return Ok(());
    }
    let hub = hub.clone();
    tx.after_commit(move || {
        for seq in ended {
            hub.command_ended(from, seq);
        }
        for command in queued {
            hub.command_queued(to, command);
        }
    });
    Ok(())
}
