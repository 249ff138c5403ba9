//! Executes the effect of a call in the transaction that also logs the call: in all rooms or in
//! none. It must not decide what the effect is.

use super::Marketplace;
use super::actions::ActionEffect;
use super::webhook_cache::CachedWebhook;
use crate::clock::Timestamp;
use crate::edge::queue::{self, OutgoingMessage};
use crate::error::{Error, ErrorKind, Result};
use crate::memory::MEMORIES_MAX;
use crate::random;
use crate::store::{ChatTarget, Tx};

/// The category of memories stored by apps.
const CATEGORY: &str = "app";

/// An error for the caller and the webhook's log.
pub(super) fn action_failed(reason: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal, "action_failed", reason)
}

impl Marketplace {
    pub(super) fn execute(
        &self,
        tx: &mut Tx,
        hook: &CachedWebhook,
        effect: &ActionEffect,
        now: Timestamp,
    ) -> Result<()> {
        match effect {
            ActionEffect::Send { text } => self.send(tx, hook, text, now),
            ActionEffect::Remember { text } => self.remember(tx, hook, text, now),
            ActionEffect::StartSession => start_sessions(tx, hook, now),
        }
    }

    fn send(&self, tx: &mut Tx, hook: &CachedWebhook, text: &str, now: Timestamp) -> Result<()> {
        let mut has_sent = false;
        for target in targets(tx, hook, true)? {
            let ChatTarget {
                room,
                chat_guid,
                agent: Some(agent),
                ..
            } = target
            else {
                continue; // a legacy relay's room takes no commands
            };
            let message = OutgoingMessage {
                agent,
                room,
                chat_guid: &chat_guid,
                text,
                user: Some(hook.creator),
                is_one_bubble: false,
                app_creator: Some(hook.creator),
            };
            if !queue::send_message(tx, &self.hub, &message, now)? {
                return Err(action_failed(
                    "The relay of a chat has too many unfinished commands, in total or of the \
                     creator's apps; nothing was sent.",
                ));
            }
            has_sent = true;
        }
        match has_sent {
            true => Ok(()),
            false => Err(no_chat()),
        }
    }

    fn remember(
        &self,
        tx: &mut Tx,
        hook: &CachedWebhook,
        text: &str,
        now: Timestamp,
    ) -> Result<()> {
        if tx.count_memories(hook.creator)? >= MEMORIES_MAX {
            return Err(action_failed(format!(
                "The creator has {MEMORIES_MAX} memories, which is the maximum."
            )));
        }
        let memories = &self.memories;
        memories.remember(tx, hook.creator, text, CATEGORY, now)
    }
}

fn start_sessions(tx: &mut Tx, hook: &CachedWebhook, now: Timestamp) -> Result<()> {
    let targets = targets(tx, hook, false)?;
    for target in &targets {
        let id = random::uuid().to_string();
        tx.start_app_session(&id, &hook.app_id, hook.creator, target.room, now)?;
    }
    match targets.is_empty() {
        true => Err(no_chat()),
        false => Ok(()),
    }
}

/// The rooms in which a current member installed the app; without an installation, the creator's
/// most recent direct chat.
fn targets(tx: &mut Tx, hook: &CachedWebhook, with_agent: bool) -> Result<Vec<ChatTarget>> {
    if !tx.is_installed(hook.app)? {
        let newest = tx.newest_direct_chat(hook.creator, with_agent)?;
        return Ok(newest.into_iter().collect());
    }
    let rooms = tx.app_targets(hook.app)?;
    if rooms.is_empty() {
        return Err(action_failed(
            "Nobody who installed the app is still a member of its chats; install it again.",
        ));
    }
    Ok(rooms)
}

fn no_chat() -> Error {
    action_failed("No chat can be reached; install the app in a chat whose relay accepts commands.")
}
