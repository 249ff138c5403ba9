//! Reading stored messages: one by its id, and the messages before it in its room, along the chain.

use rusqlite::OptionalExtension;

use super::query::from_row;
use super::{AgentId, RoomId, User, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// A message with its answer.
#[derive(Debug, Clone)]
pub struct MessageRow {
    pub id: i64,
    pub room: RoomId,
    pub user: UserId,
    /// `None` for the legacy endpoint.
    pub agent: Option<AgentId>,
    pub previous: Option<i64>,
    /// The relay's timestamp in Unix seconds.
    pub sent_at_s: i64,
    pub received_at: Timestamp,
    pub sender: String,
    pub text: String,
    /// JSON
    pub context: Option<String>,
    pub counted: bool,
    /// A repetition is recognised by its body, not by a key.
    pub keyless: bool,
    /// A JSON array: the answer.
    pub bubbles: Option<String>,
    /// JSON
    pub access: Option<String>,
    /// JSON
    pub schedule: Option<String>,
    /// A JSON array: the reply sent later as a command.
    pub late: Option<String>,
    /// JSON
    pub decision: Option<String>,
}

/// A room as needed for reading its messages.
#[derive(Debug, Clone)]
pub struct RoomRow {
    pub chat_guid: String,
    /// `direct` or `group`.
    pub mode: String,
    /// The agent that receives commands for it.
    pub agent: Option<AgentId>,
}

impl View<'_> {
    pub fn message(&self, id: i64) -> Result<Option<MessageRow>> {
        self.find(
            "SELECT id, room_id, user_id, agent_id, previous_id, sent_s, received_at, text,
               context, counted, request IS NOT NULL, bubbles, access, schedule, late, decision,
               sender
             FROM messages WHERE id = ?1",
            [id],
        )
    }

    /// Up to `limit` messages of a room, newest first, starting with `newest`.
    pub fn chain(&self, newest: i64, limit: usize) -> Result<Vec<MessageRow>> {
        let mut chain = Vec::new();
        let mut next = Some(newest);
        while let Some(id) = next.filter(|_| chain.len() < limit)
            && let Some(message) = self.message(id)?
        {
            next = message.previous;
            chain.push(message);
        }
        Ok(chain)
    }

    pub fn room(&self, id: RoomId) -> Result<Option<RoomRow>> {
        self.find(
            "SELECT chat_guid, mode, agent_id FROM rooms WHERE id = ?1",
            [id],
        )
    }

    /// By the row's id.
    pub fn user_row(&self, id: UserId) -> Result<Option<User>> {
        self.find(
            "SELECT id, user_id, name, timezone, status, plan, granted_plan, granted_until
             FROM users WHERE id = ?1",
            [id],
        )
    }

    /// How a user wants to be written to: pronouns, and the language as a BCP 47 tag.
    pub fn forms_of_address(&self, id: UserId) -> Result<(Option<String>, Option<String>)> {
        self.one("SELECT pronouns, language FROM users WHERE id = ?1", [id])
    }

    /// The public name of an agent.
    pub fn agent_name(&self, id: AgentId) -> Result<Option<String>> {
        self.find("SELECT agent_id FROM agents WHERE id = ?1", [id])
    }

    /// A user's personality data: field names and JSON.
    pub fn personality(&self, user: UserId) -> Result<Vec<(&'static str, String)>> {
        const FIELDS: [&str; 10] = [
            "openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism",
            "personality_summary", "top_personality_traits", "top_interests", "core_values",
            "lifestyle_traits",
        ];
        let mut statement = self.conn.prepare_cached(
            "SELECT openness, conscientiousness, extraversion, agreeableness, neuroticism,
               personality_summary, top_personality_traits, top_interests, core_values,
               lifestyle_traits
             FROM personality_profiles WHERE user_id = ?1",
        )?;
        let found = statement.query_row([user.0], |row| {
            let mut known = Vec::new();
            for (at, field) in FIELDS.into_iter().enumerate() {
                let value: Option<String> = match at {
                    ..5 => row.get::<_, Option<i64>>(at)?.map(|n| n.to_string()),
                    _ => row.get(at)?,
                };
                known.extend(value.map(|value| (field, value)));
            }
            Ok(known)
        });
        Ok(found.optional()?.unwrap_or_default())
    }
}

from_row!(MessageRow: id, room, user, agent, previous, sent_at_s, received_at, text, context,
    counted, keyless, bubbles, access, schedule, late, decision, sender);
from_row!(RoomRow: chat_guid, mode, agent);
