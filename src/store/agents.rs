//! Edge agents, one per relay. A row is created when a valid token first names the agent.

use rusqlite::OptionalExtension;

use serde_json::json;

use super::{Change, Operator, Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentId(pub i64);

#[derive(Debug, Clone, Copy)]
pub struct Agent {
    pub id: AgentId,
}

/// An agent for the operator.
#[derive(Debug, Clone)]
pub struct AgentRow {
    pub id: AgentId,
    pub agent_id: String,
    pub last_seen_at: Option<Timestamp>,
    /// As JSON.
    pub status: Option<String>,
    pub unfinished: i64,
    pub oldest_unfinished_at: Option<Timestamp>,
}

impl Tx<'_> {
    /// The agent's row, created if it is new.
    pub fn agent(&mut self, agent_id: &str, now: Timestamp) -> Result<Agent> {
        if let Some(agent) = self.cache.agents.get(agent_id) {
            return Ok(*agent);
        }
        let found: Option<i64> = self
            .conn
            .prepare_cached("SELECT id FROM agents WHERE agent_id = ?1")?
            .query_row([agent_id], |row| row.get(0))
            .optional()?;
        let id = match found {
            Some(id) => id,
            None => {
                self.execute(
                    "INSERT INTO agents (agent_id, last_seen_at, created_at) VALUES (?1, ?2, ?2)",
                    (agent_id, now.0),
                )?;
                self.conn.last_insert_rowid()
            }
        };
        let agent = Agent { id: AgentId(id) };
        self.cache.put_agent(agent_id, agent);
        Ok(agent)
    }

    /// The agent's public name.
    pub fn agent_name(&self, agent: AgentId) -> Result<String> {
        Ok(self
            .conn
            .prepare_cached("SELECT agent_id FROM agents WHERE id = ?1")?
            .query_row([agent.0], |row| row.get(0))?)
    }

    pub fn set_agent_seen(&self, agent: AgentId, at: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE agents SET last_seen_at = ?2 WHERE id = ?1",
            (agent.0, at.0),
        )?;
        Ok(())
    }

    pub fn set_agent_status(&self, agent: AgentId, status: &str, at: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE agents SET status = ?2, last_seen_at = ?3 WHERE id = ?1",
            (agent.0, status, at.0),
        )?;
        Ok(())
    }

    /// Revokes all tokens of the named agent, for an operator. Creates the agent if it is new.
    pub fn revoke_tokens(
        &mut self,
        agent_id: &str,
        operator: &Operator,
        now: Timestamp,
    ) -> Result<(AgentId, i64)> {
        let agent = self.agent(agent_id, now)?.id;
        let before: Option<i64> = self
            .conn
            .prepare_cached("SELECT tokens_valid_from_s FROM agents WHERE id = ?1")?
            .query_row([agent.0], |row| row.get(0))?;
        let valid_from = self.end_tokens(agent, now)?;
        let as_json = |at: i64| json!({ "tokens_valid_from": at });
        let change = Change {
            action: "relay_tokens.revoke",
            subject: agent_id.to_owned(),
            before: json!(before.map(as_json)),
            after: as_json(valid_from),
        };
        self.insert_audit(operator, &change, now)?;
        Ok((agent, valid_from))
    }

    /// Revokes all tokens issued up to the returned second (Unix time). A revocation soon after an
    /// earlier one gets a later second, perhaps in the future.
    fn end_tokens(&self, agent: AgentId, now: Timestamp) -> Result<i64> {
        Ok(self
            .conn
            .prepare_cached(
                "UPDATE agents SET tokens_valid_from_s = max(?2, coalesce(tokens_valid_from_s + 1, ?2))
                 WHERE id = ?1 RETURNING tokens_valid_from_s",
            )?
            .query_row((agent.0, now.seconds()), |row| row.get(0))?)
    }

    /// Records an event once; false when it is already recorded.
    pub fn insert_edge_event(
        &self,
        agent: AgentId,
        event_id: &str,
        event_type: &str,
        thread_id: Option<&str>,
        details: Option<&str>,
        now: Timestamp,
    ) -> Result<bool> {
        let rows = self.execute(
            "INSERT OR IGNORE INTO edge_events (agent_id, event_id, event_type, thread_id, details, received_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (agent.0, event_id, event_type, thread_id, details, now.0),
        )?;
        Ok(rows > 0)
    }
}

impl View<'_> {
    /// The database's edge epoch.
    pub fn edge_epoch(&self) -> Result<String> {
        Ok(self.conn.query_row(
            "SELECT value FROM meta WHERE key = 'edge_epoch'",
            [],
            |row| row.get(0),
        )?)
    }

    /// Agents with revoked tokens: name, Unix seconds.
    pub fn revocations(&self) -> Result<Vec<(String, i64)>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT agent_id, tokens_valid_from_s FROM agents WHERE tokens_valid_from_s IS NOT NULL",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The last seq given to a command of this agent.
    pub fn head_seq(&self, agent: AgentId) -> Result<u64> {
        let head: i64 = self
            .conn
            .prepare_cached("SELECT head_seq FROM agents WHERE id = ?1")?
            .query_row([agent.0], |row| row.get(0))?;
        Ok(head as u64)
    }

    /// All agents by name.
    pub fn agents(&self) -> Result<Vec<AgentRow>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, agent_id, last_seen_at, status, unfinished,
               (SELECT created_at FROM commands
                WHERE agent_id = agents.id AND (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing')
                ORDER BY seq LIMIT 1)
             FROM agents ORDER BY agent_id",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(AgentRow {
                id: AgentId(row.get(0)?),
                agent_id: row.get(1)?,
                last_seen_at: row.get::<_, Option<i64>>(2)?.map(Timestamp),
                status: row.get(3)?,
                unfinished: row.get(4)?,
                oldest_unfinished_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
