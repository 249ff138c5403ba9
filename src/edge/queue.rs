//! Queues commands for a relay, in the same transaction as the change that causes them.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::hub::Hub;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::bubbles;
use crate::random;
use crate::store::{
    AgentId, ChatTarget, FailedCommand, NewCommand, RoomId, Tx, UserId, WithdrawnCommand,
};

/// Bubbles in one command. A longer text becomes several commands.
const BUBBLES_MAX: usize = 16;
/// UTF-16 units in one command's text. Relays in the field count characters this way.
const TEXT_UNITS_MAX: usize = 4_999;
const SEND_MESSAGE: &str = "send_message_now";

/// A message to queue for a relay.
pub struct OutgoingMessage<'a> {
    pub agent: AgentId,
    pub room: RoomId,
    pub chat_guid: &'a str,
    pub text: &'a str,
    /// The text is sent unsplit; at most `BUBBLE_CHARS_CAP`.
    pub is_one_bubble: bool,
    /// The person whose text or request the message carries. It is erased with the person's data.
    pub user: Option<UserId>,
    /// The creator of the app that sends the message, if an app does. Apps may use a share of the
    /// outbox; the rest is for replies and reminders.
    pub app_creator: Option<UserId>,
}

impl<'a> OutgoingMessage<'a> {
    /// A message of the assistant for this person, split into bubbles. `None`: the chat has no
    /// relay that takes commands.
    pub fn to_chat(chat: &'a ChatTarget, text: &'a str, user: UserId) -> Option<Self> {
        Some(Self {
            agent: chat.agent?,
            room: chat.room,
            chat_guid: &chat.chat_guid,
            text,
            is_one_bubble: false,
            user: Some(user),
            app_creator: None,
        })
    }

    /// The message in one bubble; its text has at most `BUBBLE_CHARS_CAP`.
    pub fn unsplit(self) -> Self {
        Self {
            is_one_bubble: true,
            ..self
        }
    }
}

/// A message that a relay is to send.
#[derive(Serialize)]
struct Payload<'a> {
    bubble_type: &'static str,
    bubbles: &'a [String],
    chat_guid: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<&'a str>,
    text: &'a str,
    thread_id: &'a str,
}

/// Queues a message for a chat. Returns false when the agent has too many unfinished commands, in
/// total or from apps: then nothing was queued, and the caller must handle it.
pub fn send_message(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    message: &OutgoingMessage,
    now: Timestamp,
) -> Result<bool> {
    send_reply(tx, hub, message, None, now)
}

/// Like `send_message`, with the message of the chat that this one answers.
pub fn send_reply(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    message: &OutgoingMessage,
    in_reply_to: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    let cut = match message.is_one_bubble {
        true => vec![message.text.to_owned()],
        false => bubbles::cut(message.text),
    };
    let parts = parts(&cut);
    if !tx.has_room_for(message.agent, parts.len(), message.app_creator)? {
        return Ok(false);
    }
    let mut queued = Vec::new();
    for bubbles in parts {
        let payload = Payload {
            bubble_type: "normal",
            bubbles,
            chat_guid: message.chat_guid,
            in_reply_to,
            text: &bubbles::join(bubbles),
            thread_id: message.chat_guid,
        };
        let payload = serde_json::to_string(&payload).map_err(Error::internal)?;
        let inserted = tx.insert_command(&NewCommand {
            agent: message.agent,
            room: message.room,
            command_id: &random::ordered_uuid(now).to_string(),
            kind: SEND_MESSAGE,
            payload: &payload,
            user: message.user,
            app_creator: message.app_creator,
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

/// Ends a direct chat that others can read from now on: nothing more for the person is sent there.
/// The chat's unfinished commands, also those under way, move to another direct chat of the person, or
/// wait for one.
pub fn end_direct_chat(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    (chat_guid, room): (&str, RoomId),
    now: Timestamp,
) -> Result<()> {
    tx.end_direct_chat(chat_guid, room)?;
    for waiting in tx.unfinished_of(room)? {
        if let Some(chat) = tx.newest_direct_chat(waiting.person, true)?
            && move_to(tx, hub, &waiting, &chat, now)?
        {
            tx.end_as_moved(&waiting.command, now)?;
            let (hub, FailedCommand { agent, seq, .. }) = (hub.clone(), waiting.command);
            tx.after_commit(move || hub.command_ended(agent, seq));
        } else {
            tx.end_as_waiting(&waiting.command, now)?;
            hub.log_withdrawn(tx, waiting.command)?;
        }
    }
    Ok(())
}

/// The person has a direct chat again: what waited for one is sent there.
pub fn send_waiting(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    (user, chat): (UserId, &ChatTarget),
    now: Timestamp,
) -> Result<()> {
    for waiting in tx.waiting_for_direct_chat(user, now)? {
        if move_to(tx, hub, &waiting, chat, now)? {
            tx.note_moved(&waiting.command)?;
        }
    }
    Ok(())
}

/// Queues a command's text in another direct chat of its person. False: that can't take it.
fn move_to(
    tx: &mut Tx,
    hub: &Arc<Hub>,
    waiting: &WithdrawnCommand,
    chat: &ChatTarget,
    now: Timestamp,
) -> Result<bool> {
    let payload: Value = serde_json::from_str(&waiting.payload).map_err(Error::internal)?;
    let Some(text) = payload["text"].as_str() else {
        return Ok(false);
    };
    let Some(message) = OutgoingMessage::to_chat(chat, text, waiting.person) else {
        return Ok(false);
    };
    let message = OutgoingMessage {
        user: waiting.user,
        app_creator: waiting.app_creator,
        ..message
    };
    let is_queued = send_message(tx, hub, &message, now)?;
    if is_queued {
        tx.carry_delivery((waiting.room, chat.room), waiting.person, now)?;
    }
    Ok(is_queued)
}

/// Groups bubbles into commands, in order, as many per command as fit.
fn parts(bubbles: &[String]) -> Vec<&[String]> {
    let mut parts = Vec::new();
    let (mut start, mut units) = (0, 0);
    for (at, bubble) in bubbles.iter().enumerate() {
        let with_line_break = 1 + bubble.encode_utf16().count();
        let is_full = at - start == BUBBLES_MAX || units + with_line_break > TEXT_UNITS_MAX + 1;
        if is_full && at > start {
            parts.push(&bubbles[start..at]);
            (start, units) = (at, 0);
        }
        units += with_line_break;
    }
    parts.extend((start < bubbles.len()).then(|| &bubbles[start..]));
    parts
}

/// Another agent delivered a message from the chat. Commands that were never handed out move to it.
pub fn take_over(
    tx: &mut Tx,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_carries_what_a_relay_takes() {
        // Lengths of the bubbles, and how many bubbles each command has.
        let cases: [(&str, &[usize], &[usize]); 8] = [
            ("a", &[0; 0], &[]),
            ("a", &[5], &[1]),
            ("a", &[600; 16], &[8, 8]),
            ("a", &[10; 17], &[16, 1]),
            ("a", &[4_000, 998], &[2]),
            ("a", &[4_000, 999], &[1, 1]),
            ("\u{1f600}", &[2_000, 500], &[1, 1]),
            ("\u{1f600}", &[2_000, 498, 1], &[2, 1]),
        ];
        for (letter, lengths, expected) in cases {
            let bubbles: Vec<String> = lengths.iter().map(|n| letter.repeat(*n)).collect();
            let parts = parts(&bubbles);
            let sizes: Vec<usize> = parts.iter().map(|part| part.len()).collect();
            assert_eq!(sizes, expected, "{letter} {lengths:?}");
            assert_eq!(parts.concat(), bubbles);
            for part in parts {
                assert!(bubbles::join(part).encode_utf16().count() < 5_000);
            }
        }
    }
}
