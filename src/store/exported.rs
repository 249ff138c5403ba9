//! Reads all data of one person for an export (`export_jobs` has the jobs), in small pages, so that
//! the write-ahead log is never held back for long. `ExportEnd` marks where an export ends, so that
//! its parts are consistent although they are read in many transactions.

use rusqlite::{OptionalExtension, Params, Row};
use serde::Serialize;
use serde_json::Value;

use super::rooms::given_name;
use super::users::user_from;
use super::{User, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

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
pub struct Link {
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

#[derive(Debug, Serialize)]
pub struct PersonalityProfile {
    pub openness: Option<i64>,
    pub conscientiousness: Option<i64>,
    pub extraversion: Option<i64>,
    pub agreeableness: Option<i64>,
    pub neuroticism: Option<i64>,
    pub personality_summary: Value,
    pub top_personality_traits: Value,
    pub top_interests: Value,
    pub core_values: Value,
    pub lifestyle_traits: Value,
    pub selected_persona_id: String,
    pub total_photos_analyzed: i64,
    pub last_analysis_at: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
pub struct Trait {
    pub name: String,
    pub category: String,
    pub confidence: i64,
    pub strength: i64,
    pub created_at: Timestamp,
}

#[derive(Debug, Serialize)]
pub struct Relationship {
    pub persona_id: String,
    pub trust_score: i64,
    pub rapport_score: i64,
    pub stage: String,
    pub updated_at: Timestamp,
}

#[derive(Debug, Serialize)]
pub struct ConnectedService {
    pub scope: String,
    pub connected_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

/// An app that the person installed in a chat.
#[derive(Debug, Serialize)]
pub struct InstalledApp {
    pub app_id: String,
    pub chat_guid: String,
    pub installed_at: Timestamp,
}

#[derive(Debug, Serialize)]
pub struct MiniappSession {
    pub app_id: String,
    pub state: String,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub message_count: i64,
}

#[derive(Debug, Serialize)]
pub struct PendingReminder {
    pub id: String,
    pub chat_guid: String,
    pub text: String,
    pub send_at: Timestamp,
    pub created_at: Timestamp,
    /// RFC 5545 DTSTART and RRULE; null for a single reminder.
    pub rule: Option<String>,
    /// The rule's time zone.
    pub timezone: Option<String>,
}

/// The state that a superpower stores for the person.
#[derive(Debug, Serialize)]
pub struct PowerExport {
    pub name: String,
    pub state: Value,
    pub updated_at: Timestamp,
}

/// Rows with the id after which the next page starts.
pub type PageOf<T> = Vec<(i64, T)>;

impl View<'_> {
    pub fn export_cut(&self, user: UserId) -> Result<ExportEnd> {
        let number = |sql, user: Option<i64>| -> Result<i64> {
            let mut statement = self.conn.prepare_cached(sql)?;
            let found = match user {
                Some(user) => statement.query_row([user], |row| row.get(0)),
                None => statement.query_row([], |row| row.get(0)),
            };
            Ok(found.optional()?.unwrap_or(0))
        };
        let own = Some(user.0);
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
        Ok(self
            .conn
            .prepare_cached(
                "SELECT id, user_id, name, timezone, status, plan, granted_plan, granted_until,
                   phone, created_at, email, display_name, pronouns, trial_started_at,
                   trial_expires_at, credit_balance, customer_id, language
                 FROM users WHERE id = ?1",
            )?
            .query_row([user.0], account_from)
            .optional()?)
    }

    /// The person's room with the next larger id.
    pub fn next_authored_room(&self, user: UserId, after: i64) -> Result<Option<AuthoredRoom>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT rooms.id, chat_guid, message_id
                 FROM room_authors JOIN rooms ON rooms.id = room_authors.room_id
                   JOIN room_heads ON room_heads.room_id = rooms.id
                 WHERE user_id = ?1 AND room_authors.room_id > ?2
                 ORDER BY room_authors.room_id LIMIT 1",
            )?
            .query_row((user.0, after), |row| {
                Ok(AuthoredRoom {
                    id: row.get(0)?,
                    chat_guid: given_name(row.get_ref(1)?.as_str()?).to_owned(),
                    head: row.get(2)?,
                })
            })
            .optional()?)
    }

    /// A message as seen by `user`; `None` when it was removed.
    pub fn message_link(&self, id: i64, user: UserId) -> Result<Option<Link>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT previous_id, user_id, received_at, sent_s, text, coalesce(bubbles, late)
                 FROM messages WHERE id = ?1",
            )?
            .query_row([id], |row| {
                let own = if row.get::<_, i64>(1)? == user.0 {
                    Some(OwnMessage {
                        received_at: Timestamp(row.get(2)?),
                        sent_at_s: row.get(3)?,
                        text: row.get(4)?,
                        bubbles: row.get(5)?,
                    })
                } else {
                    None // other people's text isn't read
                };
                Ok(Link {
                    previous: row.get(0)?,
                    own,
                })
            })
            .optional()?)
    }

    pub fn personality_profile(&self, user: UserId) -> Result<Option<PersonalityProfile>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT openness, conscientiousness, extraversion, agreeableness, neuroticism,
                   personality_summary, top_personality_traits, top_interests, core_values,
                   lifestyle_traits, selected_persona_id, total_photos_analyzed, last_analysis_at
                 FROM personality_profiles WHERE user_id = ?1",
            )?
            .query_row([user.0], personality_from)
            .optional()?)
    }

    pub fn traits_page(&self, user: UserId, after: i64) -> Result<PageOf<Trait>> {
        self.page(
            "SELECT id, name, category, confidence, strength, created_at
             FROM traits WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user.0, after, PAGE_ROWS as i64),
            |row| {
                Ok(Trait {
                    name: row.get(1)?,
                    category: row.get(2)?,
                    confidence: row.get(3)?,
                    strength: row.get(4)?,
                    created_at: Timestamp(row.get(5)?),
                })
            },
        )
    }

    pub fn relationships_page(&self, user: UserId, after: i64) -> Result<PageOf<Relationship>> {
        self.page(
            "SELECT id, persona_id, trust_score, rapport_score, stage, updated_at
             FROM relationships WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user.0, after, PAGE_ROWS as i64),
            |row| {
                Ok(Relationship {
                    persona_id: row.get(1)?,
                    trust_score: row.get(2)?,
                    rapport_score: row.get(3)?,
                    stage: row.get(4)?,
                    updated_at: Timestamp(row.get(5)?),
                })
            },
        )
    }

    pub fn connected_services_page(
        &self,
        user: UserId,
        after: i64,
    ) -> Result<PageOf<ConnectedService>> {
        self.page(
            "SELECT id, scope, connected_at, expires_at
             FROM connected_services WHERE user_id = ?1 AND id > ?2 AND removed_at IS NULL
             ORDER BY id LIMIT ?3",
            (user.0, after, PAGE_ROWS as i64),
            |row| {
                Ok(ConnectedService {
                    scope: row.get(1)?,
                    connected_at: Timestamp(row.get(2)?),
                    expires_at: time(row, 3)?,
                })
            },
        )
    }

    pub fn miniapp_sessions_page(
        &self,
        user: UserId,
        after: i64,
    ) -> Result<PageOf<MiniappSession>> {
        self.page(
            "SELECT id, app_id, state, started_at, ended_at, message_count
             FROM miniapp_sessions WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user.0, after, PAGE_ROWS as i64),
            |row| {
                Ok(MiniappSession {
                    app_id: row.get(1)?,
                    state: row.get(2)?,
                    started_at: Timestamp(row.get(3)?),
                    ended_at: time(row, 4)?,
                    message_count: row.get(5)?,
                })
            },
        )
    }

    pub fn installed_apps_page(&self, user: UserId, after: i64) -> Result<PageOf<InstalledApp>> {
        self.page(
            "SELECT app_rooms.id, apps.app_id, chat_guid, installed_at
             FROM app_rooms JOIN apps ON apps.id = app_rooms.app_id JOIN rooms ON rooms.id = room_id
             WHERE installed_by = ?1 AND app_rooms.id > ?2 ORDER BY app_rooms.id LIMIT ?3",
            (user.0, after, PAGE_ROWS as i64),
            |row| {
                Ok(InstalledApp {
                    app_id: row.get(1)?,
                    chat_guid: given_name(row.get_ref(2)?.as_str()?).to_owned(),
                    installed_at: Timestamp(row.get(3)?),
                })
            },
        )
    }

    pub fn reminders_page(&self, user: UserId, after: i64) -> Result<PageOf<PendingReminder>> {
        self.page(
            "SELECT reminders.id, schedule_id, chat_guid, text, send_at, reminders.created_at,
               rule, zone
             FROM reminders JOIN rooms ON rooms.id = room_id
             WHERE user_id = ?1 AND reminders.id > ?2 ORDER BY reminders.id LIMIT ?3",
            (user.0, after, PAGE_ROWS as i64),
            |row| {
                Ok(PendingReminder {
                    id: row.get(1)?,
                    chat_guid: given_name(row.get_ref(2)?.as_str()?).to_owned(),
                    text: row.get(3)?,
                    send_at: Timestamp(row.get(4)?),
                    created_at: Timestamp(row.get(5)?),
                    rule: row.get(6)?,
                    timezone: row.get(7)?,
                })
            },
        )
    }

    pub fn kept_by_powers_page(&self, user: UserId, after: i64) -> Result<PageOf<PowerExport>> {
        self.page(
            "SELECT id, power, state, updated_at
             FROM power_states WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user.0, after, PAGE_ROWS as i64),
            |row| {
                Ok(PowerExport {
                    name: row.get(1)?,
                    state: serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default(),
                    updated_at: Timestamp(row.get(3)?),
                })
            },
        )
    }

    pub(super) fn page<T>(
        &self,
        sql: &str,
        params: impl Params,
        from: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<PageOf<T>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params, |row| Ok((row.get(0)?, from(row)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}

fn account_from(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account {
        user: user_from(row)?,
        phone: row.get(8)?,
        created_at: Timestamp(row.get(9)?),
        email: row.get(10)?,
        display_name: row.get(11)?,
        pronouns: row.get(12)?,
        trial_started_at: time(row, 13)?,
        trial_expires_at: time(row, 14)?,
        credit_balance: row.get(15)?,
        customer_id: row.get(16)?,
        language: row.get(17)?,
    })
}

fn personality_from(row: &Row<'_>) -> rusqlite::Result<PersonalityProfile> {
    // Invalid JSON counts as missing.
    let json = |column, missing: Value| -> rusqlite::Result<Value> {
        let text: Option<String> = row.get(column)?;
        let parsed = text.and_then(|text| serde_json::from_str(&text).ok());
        let alike = |value: &Value| value.is_object() == missing.is_object();
        Ok(parsed.filter(alike).unwrap_or(missing))
    };
    let list = |column| json(column, Value::Array(Vec::new()));
    Ok(PersonalityProfile {
        openness: row.get(0)?,
        conscientiousness: row.get(1)?,
        extraversion: row.get(2)?,
        agreeableness: row.get(3)?,
        neuroticism: row.get(4)?,
        personality_summary: json(5, Value::Object(serde_json::Map::new()))?,
        top_personality_traits: list(6)?,
        top_interests: list(7)?,
        core_values: list(8)?,
        lifestyle_traits: list(9)?,
        selected_persona_id: row.get::<_, Option<String>>(10)?.unwrap_or_default(),
        total_photos_analyzed: row.get(11)?,
        last_analysis_at: time(row, 12)?,
    })
}
