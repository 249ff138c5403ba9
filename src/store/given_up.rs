//! Queries about commands for the operator (`chatkeep commands`): listing them, and retrying or
//! dropping those that failed or expired.

use rusqlite::{OptionalExtension, Row};
use serde::Serialize;
use serde_json::{Value, json};

use super::commands::NewCommand;
use super::rooms::given_name;
use super::{AgentId, Change, CommandState, Operator, RoomId, Tx, UnfinishedCommand, UserId, View};
use crate::clock::Timestamp;
use crate::error::{Error, Kind, Result};

/// A command without its content.
#[derive(Debug, Clone, Serialize)]
pub struct CommandRow {
    pub command_id: String,
    pub agent_id: String,
    pub seq: i64,
    pub command_type: String,
    /// `None` when the chat was removed.
    pub chat_guid: Option<String>,
    pub state: String,
    /// Why it ended, perhaps in the relay's words.
    pub error: Option<String>,
    pub attempts: i64,
    pub refusals: i64,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// A failed or expired command, with the fields needed to retry it.
struct GivenUpRow {
    id: i64,
    agent: AgentId,
    room: RoomId,
    kind: String,
    payload: String,
    state: String,
    created_at: Timestamp,
    user: Option<UserId>,
    app_creator: Option<UserId>,
    /// The chat's current name and agent.
    chat: Option<(String, Option<AgentId>)>,
}

const COLUMNS: &str = "SELECT command_id, agents.agent_id, seq, kind, chat_guid, state, error,
     attempts, refused, commands.created_at, expires_at, finished_at";
const JOINS: &str = "JOIN agents ON agents.id = commands.agent_id
     LEFT JOIN rooms ON rooms.id = commands.room_id";

impl View<'_> {
    /// Commands in a state, or failed and expired ones; newest first.
    pub fn commands(&self, state: Option<CommandState>, limit: usize) -> Result<Vec<CommandRow>> {
        let name = state.map(CommandState::as_str);
        let sql = match state {
            None | Some(CommandState::Failed | CommandState::Expired) => format!(
                "{COLUMNS} FROM commands INDEXED BY commands_given_up {JOINS}
                 WHERE state IN ('failed', 'expired') AND (?1 IS NULL OR state = ?1)
                 ORDER BY finished_at DESC LIMIT ?2"
            ),
            Some(CommandState::Completed | CommandState::Moved) => format!(
                "{COLUMNS} FROM commands {JOINS} WHERE state = ?1
                 ORDER BY commands.id DESC LIMIT ?2"
            ),
            Some(_) => format!(
                "{COLUMNS} FROM commands INDEXED BY commands_unfinished {JOINS}
                 WHERE (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing') AND state = ?1
                 ORDER BY commands.id DESC LIMIT ?2"
            ),
        };
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map((name, limit as i64), row_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Retries a failed or expired command: its old row ends as moved, and a new one has the same
    /// id, so that a relay that did it recognises it. It goes to the chat's current agent.
    pub fn retry_command(
        &mut self,
        command_id: &str,
        ttl_s: u64,
        operator: &Operator,
        now: Timestamp,
    ) -> Result<(AgentId, UnfinishedCommand)> {
        let old = self.given_up(command_id)?;
        let payload: Value = serde_json::from_str(&old.payload).map_err(Error::internal)?;
        // A chat with another name is read by other people, or by nobody.
        let chat = old.chat.filter(|(name, _)| payload["chat_guid"] == **name);
        let Some((_, agent)) = chat else {
            return Err(Error::invalid_field(
                "/command_id",
                "Its chat is no more what it was; the command can only be dropped.",
            ));
        };
        let agent = agent.unwrap_or(old.agent);
        if !self.has_room_for(agent, 1, old.app_creator)? {
            return Err(Error::unavailable(
                "Its relay has too many unfinished commands; try again when it has done some.",
            ));
        }
        self.execute(
            "UPDATE commands SET state = 'moved' WHERE id = ?1",
            [old.id],
        )?;
        let queued = self.insert_command_again(
            &NewCommand {
                agent,
                room: old.room,
                command_id,
                kind: &old.kind,
                payload: &old.payload,
                user: old.user,
                app_creator: old.app_creator,
                expires_at: now.plus_s(ttl_s as i64),
                now,
            },
            old.created_at,
        )?;
        self.note(operator, "command.retry", command_id, &old.state, now)?;
        Ok((agent, queued))
    }

    /// Removes a failed or expired command.
    pub fn drop_command(
        &self,
        command_id: &str,
        operator: &Operator,
        now: Timestamp,
    ) -> Result<()> {
        let old = self.given_up(command_id)?;
        self.execute("DELETE FROM commands WHERE id = ?1", [old.id])?;
        self.note(operator, "command.drop", command_id, &old.state, now)
    }

    fn note(
        &self,
        operator: &Operator,
        action: &'static str,
        command_id: &str,
        state: &str,
        now: Timestamp,
    ) -> Result<()> {
        let change = Change {
            action,
            subject: command_id.to_owned(),
            before: json!({ "state": state }),
            after: match action {
                "command.retry" => json!({ "state": "queued" }),
                _ => Value::Null,
            },
        };
        self.insert_audit(operator, &change, now)
    }

    fn given_up(&self, command_id: &str) -> Result<GivenUpRow> {
        let found = self
            .conn
            .prepare_cached(
                "SELECT commands.id, commands.agent_id, room_id, kind, payload, state,
                   commands.created_at, user_id, app_creator_id, chat_guid, rooms.agent_id
                 FROM commands LEFT JOIN rooms ON rooms.id = room_id
                 WHERE command_id = ?1 AND state IN ('failed', 'expired')
                 ORDER BY commands.id DESC LIMIT 1",
            )?
            .query_row([command_id], old_from)
            .optional()?;
        found.ok_or_else(|| {
            Error::new(
                Kind::NotFound,
                "command_not_found",
                "No command with this id has failed or expired; \
                 `chatkeep commands list` shows those that have.",
            )
        })
    }
}

fn old_from(row: &Row<'_>) -> rusqlite::Result<GivenUpRow> {
    let chat: Option<String> = row.get(9)?;
    let agent = row.get::<_, Option<i64>>(10)?.map(AgentId);
    Ok(GivenUpRow {
        id: row.get(0)?,
        agent: AgentId(row.get(1)?),
        room: RoomId(row.get(2)?),
        kind: row.get(3)?,
        payload: row.get(4)?,
        state: row.get(5)?,
        created_at: Timestamp(row.get(6)?),
        user: row.get::<_, Option<i64>>(7)?.map(UserId),
        app_creator: row.get::<_, Option<i64>>(8)?.map(UserId),
        chat: chat.map(|name| (name, agent)),
    })
}

fn row_from(row: &Row<'_>) -> rusqlite::Result<CommandRow> {
    let chat: Option<String> = row.get(4)?;
    Ok(CommandRow {
        command_id: row.get(0)?,
        agent_id: row.get(1)?,
        seq: row.get(2)?,
        command_type: row.get(3)?,
        chat_guid: chat.map(|name| given_name(&name).to_owned()),
        state: row.get(5)?,
        error: row.get(6)?,
        attempts: row.get(7)?,
        refusals: row.get(8)?,
        created_at: Timestamp(row.get(9)?),
        expires_at: Timestamp(row.get(10)?),
        finished_at: row.get::<_, Option<i64>>(11)?.map(Timestamp),
    })
}
