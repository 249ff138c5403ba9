//! Reading stored messages: one by its id, and the messages before it in its room, along the chain.

use rusqlite::{OptionalExtension, Row};

use super::users::user_from;
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
        Ok(self
            .conn
            .prepare_cached(
                "SELECT id, room_id, user_id, agent_id, previous_id, sent_s, received_at, text,
                   context, counted, request IS NOT NULL, bubbles, access, schedule, late, decision,
                   sender
                 FROM messages WHERE id = ?1",
            )?
            .query_row([id], message_from)
            .optional()?)
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
        Ok(self
            .conn
            .prepare_cached("SELECT chat_guid, mode, agent_id FROM rooms WHERE id = ?1")?
            .query_row([id.0], |row| {
                Ok(RoomRow {
                    chat_guid: row.get(0)?,
                    mode: row.get(1)?,
                    agent: row.get::<_, Option<i64>>(2)?.map(AgentId),
                })
            })
            .optional()?)
    }

    /// By the row's id.
    pub fn user_row(&self, id: UserId) -> Result<Option<User>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT id, user_id, name, timezone, status, plan, granted_plan, granted_until
                 FROM users WHERE id = ?1",
            )?
            .query_row([id.0], user_from)
            .optional()?)
    }

    /// How a user wants to be written to: pronouns, and the language as a BCP 47 tag.
    pub fn forms_of_address(&self, id: UserId) -> Result<(Option<String>, Option<String>)> {
        Ok(self
            .conn
            .prepare_cached("SELECT pronouns, language FROM users WHERE id = ?1")?
            .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// The public name of an agent.
    pub fn agent_name(&self, id: AgentId) -> Result<Option<String>> {
        Ok(self
            .conn
            .prepare_cached("SELECT agent_id FROM agents WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?)
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

fn message_from(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    Ok(MessageRow {
        id: row.get(0)?,
        room: RoomId(row.get(1)?),
        user: UserId(row.get(2)?),
        agent: row.get::<_, Option<i64>>(3)?.map(AgentId),
        previous: row.get(4)?,
        sent_at_s: row.get(5)?,
        received_at: Timestamp(row.get(6)?),
        text: row.get(7)?,
        context: row.get(8)?,
        counted: row.get(9)?,
        keyless: row.get(10)?,
        bubbles: row.get(11)?,
        access: row.get(12)?,
        schedule: row.get(13)?,
        late: row.get(14)?,
        decision: row.get(15)?,
        sender: row.get(16)?,
    })
}
