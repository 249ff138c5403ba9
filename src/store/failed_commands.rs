//! Queries about commands for the operator (`chatkeep commands`): listing them, and retrying or
//! dropping those that failed or expired.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::commands::NewCommand;
use super::query::from_row;
use super::rooms::given_name;
use super::waiting_commands::shown_error;
use super::{AgentId, Change, CommandState, Operator, RoomId, Tx, UnfinishedCommand, UserId, View};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::model::agent_id;

/// A command without its content.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ListedCommand")]
pub struct CommandRow {
    pub command_id: String,
    #[schemars(with = "agent_id::AgentId")]
    pub agent_id: String,
    #[schemars(range(min = 1))]
    pub seq: i64,
    pub command_type: String,
    /// null if the chat was deleted.
    pub chat_guid: Option<String>,
    #[schemars(extend("enum" = CommandState::ALL.map(CommandState::as_str)))]
    pub state: String,
    /// Why the command ended; it may be a text of the relay.
    pub error: Option<String>,
    #[schemars(range(min = 0))]
    pub attempts: i64,
    #[schemars(range(min = 0))]
    pub refusals: i64,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// A failed or expired command, with the fields needed to retry it.
struct FailedCommandRow {
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
    chat: Option<String>,
    chat_agent: Option<AgentId>,
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
        let mut rows: Vec<CommandRow> = self.all(&sql, (name, limit as i64))?;
        for row in &mut rows {
            row.chat_guid = (row.chat_guid.as_deref()).map(|name| given_name(name).to_owned());
            row.error = (row.error.take()).map(|error| shown_error(error, row.expires_at));
        }
        Ok(rows)
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
        let old = self.failed_command(command_id)?;
        let payload: Value = serde_json::from_str(&old.payload).map_err(Error::internal)?;
        // A chat with another name is read by other people, or by nobody.
        if (old.chat.as_ref()).is_none_or(|name| payload["chat_guid"] != **name) {
            return Err(Error::invalid_field(
                "/command_id",
                "Its chat is no more what it was, so it isn't sent there again. `commands list` \
                 says if it waits for another chat of the person; else drop it.",
            ));
        }
        let agent = old.chat_agent.unwrap_or(old.agent);
        if !self.has_room_for(agent, 1, old.app_creator)? {
            return Err(Error::unavailable(
                "Its relay has too many unfinished commands; try again when it has done some.",
            ));
        }
        self.run(
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
        self.write_audit(operator, "command.retry", command_id, &old.state, now)?;
        Ok((agent, queued))
    }

    /// Removes a failed or expired command.
    pub fn drop_command(
        &self,
        command_id: &str,
        operator: &Operator,
        now: Timestamp,
    ) -> Result<()> {
        let old = self.failed_command(command_id)?;
        self.run("DELETE FROM commands WHERE id = ?1", [old.id])?;
        self.write_audit(operator, "command.drop", command_id, &old.state, now)
    }

    fn write_audit(
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

    fn failed_command(&self, command_id: &str) -> Result<FailedCommandRow> {
        let found = self.find(
            "SELECT commands.id, commands.agent_id, room_id, kind, payload, state,
               commands.created_at, user_id, app_creator_id, chat_guid, rooms.agent_id
             FROM commands LEFT JOIN rooms ON rooms.id = room_id
             WHERE command_id = ?1 AND state IN ('failed', 'expired')
             ORDER BY commands.id DESC LIMIT 1",
            [command_id],
        )?;
        found.ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "command_not_found",
                "No command with this id has failed or expired; \
                 `chatkeep commands list` shows those that have.",
            )
        })
    }
}

from_row!(FailedCommandRow: id, agent, room, kind, payload, state, created_at, user, app_creator, chat,
    chat_agent);
from_row!(CommandRow: command_id, agent_id, seq, command_type, chat_guid, state, error, attempts,
    refusals, created_at, expires_at, finished_at);
