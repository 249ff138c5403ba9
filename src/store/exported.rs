//! Reads all data of one person for an export (`export_jobs` has the jobs), in small pages, so that
//! the write-ahead log is never held back for long. `ExportEnd` marks where an export ends, so that
//! its parts are consistent although they are read in many transactions.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::query::{Columns, FromRow, JsonOrNull, from_row};
use super::rooms::given_name;
use super::{User, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::public_id::PublicId;

/// Rows per page.
pub const PAGE_ROWS: usize = 500;

/// Marks where an export ends. Ids only grow, so later rows have larger ids.
#[derive(Debug, Clone, Copy)]
pub struct ExportEnd {
    /// The newest message and memory in the export.
    pub message: i64,
    pub memory: i64,
    /// The amount of work, for progress.
    pub rooms: usize,
    pub memories: usize,
}

/// The person's own row.
pub struct Account {
    pub user: User,
    pub phone: Option<String>,
    pub created_at: Timestamp,
    pub email: Option<String>,
    pub display_name: Option<String>,
    pub pronouns: Option<String>,
    pub language: Option<String>,
    pub trial_started_at: Option<Timestamp>,
    pub trial_expires_at: Option<Timestamp>,
    pub credit_balance: i64,
    pub customer_id: Option<String>,
}

/// A room in which the person wrote.
#[derive(Debug, Clone)]
pub struct AuthoredRoom {
    pub id: i64,
    pub chat_guid: String,
    /// The newest message of the room, by any author.
    pub head: i64,
}

/// One step back through a room's messages.
pub struct ChainLink {
    /// The previous message.
    pub previous: Option<i64>,
    /// `None` when another person wrote it.
    pub own: Option<OwnMessage>,
}

pub struct OwnMessage {
    pub received_at: Timestamp,
    /// The relay's timestamp in Unix seconds.
    pub sent_at_s: i64,
    pub text: String,
    /// A JSON array: the reply, also a late one. `None` when there was none.
    pub bubbles: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PersonalityProfile {
    pub openness: Option<i64>,
    pub conscientiousness: Option<i64>,
    pub extraversion: Option<i64>,
    pub agreeableness: Option<i64>,
    pub neuroticism: Option<i64>,
    #[schemars(with = "Map<String, Value>")]
    pub personality_summary: Value,
    #[schemars(with = "Vec<String>")]
    pub top_personality_traits: Value,
    #[schemars(with = "Vec<String>")]
    pub top_interests: Value,
    #[schemars(with = "Vec<String>")]
    pub core_values: Value,
    #[schemars(with = "Vec<String>")]
    pub lifestyle_traits: Value,
    pub selected_persona_id: String,
    #[schemars(range(min = 0))]
    pub total_photos_analyzed: i64,
    pub last_analysis_at: Option<Timestamp>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Trait {
    pub name: String,
    pub category: String,
    pub confidence: i64,
    pub strength: i64,
    pub created_at: Timestamp,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Relationship {
    pub persona_id: String,
    pub trust_score: i64,
    pub rapport_score: i64,
    pub stage: String,
    pub updated_at: Timestamp,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ConnectedService {
    pub scope: String,
    pub connected_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

/// An app that the person installed in a chat.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct InstalledApp {
    #[schemars(with = "PublicId")]
    pub app_id: String,
    pub chat_guid: String,
    pub installed_at: Timestamp,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MiniappSession {
    pub app_id: String,
    pub state: String,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    #[schemars(range(min = 0))]
    pub message_count: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct PendingReminder {
    pub id: String,
    pub chat_guid: String,
    pub text: String,
    pub send_at: Timestamp,
    pub created_at: Timestamp,
    /// Recurrence as DTSTART and RRULE (RFC 5545) in local time; null for a single reminder.
    #[schemars(example = &"DTSTART:20300131T090000\nRRULE:FREQ=DAILY")]
    pub rule: Option<String>,
    /// The time zone of the rule.
    #[schemars(example = &"Europe/Berlin")]
    pub timezone: Option<String>,
}

/// An item stored by a superpower.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct PowerExport {
    #[schemars(example = &"todo_list")]
    pub name: String,
    /// The superpower's own fields.
    pub state: Value,
    pub updated_at: Timestamp,
}

/// Rows with the id after which the next page starts.
pub type PageOf<T> = Vec<(i64, T)>;

impl View<'_> {
    pub fn export_cut(&self, user: UserId) -> Result<ExportEnd> {
        let number = |sql, user: Option<UserId>| -> Result<i64> {
            let found = match user {
                Some(user) => self.find(sql, [user]),
                None => self.find(sql, []),
            };
            Ok(found?.unwrap_or(0))
        };
        let own = Some(user);
        let rooms = number("SELECT count(*) FROM room_authors WHERE user_id = ?1", own)?;
        let memories = number("SELECT count(*) FROM memories WHERE user_id = ?1", own)?;
        Ok(ExportEnd {
            message: number("SELECT id FROM messages ORDER BY id DESC LIMIT 1", None)?,
            memory: number(
                "SELECT id FROM memories WHERE user_id = ?1 ORDER BY id DESC LIMIT 1",
                own,
            )?,
            rooms: rooms as usize,
            memories: memories as usize,
        })
    }

    pub fn account(&self, user: UserId) -> Result<Option<Account>> {
        self.find(
            "SELECT id, user_id, name, timezone, status, plan, granted_plan, granted_until,
               phone, created_at, email, display_name, pronouns, trial_started_at,
               trial_expires_at, credit_balance, customer_id, language
             FROM users WHERE id = ?1",
            [user],
        )
    }

    /// The person's room with the next larger id.
    pub fn next_authored_room(&self, user: UserId, after: i64) -> Result<Option<AuthoredRoom>> {
        self.find(
            "SELECT rooms.id, chat_guid, message_id
             FROM room_authors JOIN rooms ON rooms.id = room_authors.room_id
               JOIN room_heads ON room_heads.room_id = rooms.id
             WHERE user_id = ?1 AND room_authors.room_id > ?2
             ORDER BY room_authors.room_id LIMIT 1",
            (user, after),
        )
    }

    /// A message as seen by `user`; `None` when it was removed.
    pub fn message_link(&self, id: i64, user: UserId) -> Result<Option<ChainLink>> {
        // Other people's text isn't read.
        let found = self.find(
            "SELECT previous_id, user_id = ?2, received_at, sent_s, iif(user_id = ?2, text, ''),
               iif(user_id = ?2, coalesce(bubbles, late), NULL)
             FROM messages WHERE id = ?1",
            (id, user),
        )?;
        Ok(found.map(|(previous, is_own, own)| ChainLink {
            previous,
            own: Some(own).filter(|_| is_own),
        }))
    }

    pub fn personality_profile(&self, user: UserId) -> Result<Option<PersonalityProfile>> {
        self.find(
            "SELECT openness, conscientiousness, extraversion, agreeableness, neuroticism,
               personality_summary, top_personality_traits, top_interests, core_values,
               lifestyle_traits, coalesce(selected_persona_id, ''), total_photos_analyzed, last_analysis_at
             FROM personality_profiles WHERE user_id = ?1",
            [user],
        )
    }

    pub fn traits_page(&self, user: UserId, after: i64) -> Result<PageOf<Trait>> {
        self.all(
            "SELECT id, name, category, confidence, strength, created_at
             FROM traits WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }

    pub fn relationships_page(&self, user: UserId, after: i64) -> Result<PageOf<Relationship>> {
        self.all(
            "SELECT id, persona_id, trust_score, rapport_score, stage, updated_at
             FROM relationships WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }

    pub fn connected_services_page(
        &self,
        user: UserId,
        after: i64,
    ) -> Result<PageOf<ConnectedService>> {
        self.all(
            "SELECT id, scope, connected_at, expires_at
             FROM connected_services WHERE user_id = ?1 AND id > ?2 AND removed_at IS NULL
             ORDER BY id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }

    pub fn miniapp_sessions_page(
        &self,
        user: UserId,
        after: i64,
    ) -> Result<PageOf<MiniappSession>> {
        self.all(
            "SELECT id, app_id, state, started_at, ended_at, message_count
             FROM miniapp_sessions WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }

    pub fn installed_apps_page(&self, user: UserId, after: i64) -> Result<PageOf<InstalledApp>> {
        self.all(
            "SELECT app_rooms.id, apps.app_id, chat_guid, installed_at
             FROM app_rooms JOIN apps ON apps.id = app_rooms.app_id JOIN rooms ON rooms.id = room_id
             WHERE installed_by = ?1 AND app_rooms.id > ?2 ORDER BY app_rooms.id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }

    pub fn reminders_page(&self, user: UserId, after: i64) -> Result<PageOf<PendingReminder>> {
        self.all(
            "SELECT reminders.id, schedule_id, chat_guid, text, send_at, reminders.created_at,
               rule, zone
             FROM reminders JOIN rooms ON rooms.id = room_id
             WHERE user_id = ?1 AND reminders.id > ?2 ORDER BY reminders.id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }

    pub fn kept_by_powers_page(&self, user: UserId, after: i64) -> Result<PageOf<PowerExport>> {
        self.all(
            "SELECT id, power, state, updated_at
             FROM power_states WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }
}

from_row!(Account: user, phone, created_at, email, display_name, pronouns, trial_started_at,
    trial_expires_at, credit_balance, customer_id, language);
from_row!(PersonalityProfile: openness, conscientiousness, extraversion, agreeableness,
    neuroticism, personality_summary as ObjectOrEmpty, top_personality_traits as ListOrEmpty,
    top_interests as ListOrEmpty, core_values as ListOrEmpty, lifestyle_traits as ListOrEmpty,
    selected_persona_id, total_photos_analyzed, last_analysis_at);
from_row!(Trait: name, category, confidence, strength, created_at);
from_row!(Relationship: persona_id, trust_score, rapport_score, stage, updated_at);
from_row!(ConnectedService: scope, connected_at, expires_at);
from_row!(MiniappSession: app_id, state, started_at, ended_at, message_count);
from_row!(InstalledApp: app_id, chat_guid as ChatName, installed_at);
from_row!(PendingReminder: id, chat_guid as ChatName, text, send_at, created_at, rule, timezone);
from_row!(PowerExport: name, state as JsonOrNull, updated_at);
from_row!(AuthoredRoom: id, chat_guid as ChatName, head);
from_row!(OwnMessage: received_at, sent_at_s, text, bubbles);

/// A JSON object; any other value counts as an empty one.
struct ObjectOrEmpty(Value);

impl FromRow for ObjectOrEmpty {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let json = valid_json(columns)?.filter(Value::is_object);
        Ok(Self(json.unwrap_or_else(|| json!({}))))
    }
}

/// A JSON array; any other value counts as an empty one.
struct ListOrEmpty(Value);

impl FromRow for ListOrEmpty {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let json = valid_json(columns)?.filter(Value::is_array);
        Ok(Self(json.unwrap_or_else(|| json!([]))))
    }
}

fn valid_json(columns: &mut Columns) -> rusqlite::Result<Option<Value>> {
    let text: Option<String> = columns.next()?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// The relay's name of a chat; empty when it was replaced by a digest.
struct ChatName(String);

impl FromRow for ChatName {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let chat_guid: String = columns.next()?;
        Ok(Self(given_name(&chat_guid).to_owned()))
    }
}
