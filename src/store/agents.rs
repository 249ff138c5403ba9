//! Edge agents, one per relay. A row is created when a valid token first names the agent.

use serde_json::json;

use super::query::{from_row, number};
use super::{Change, Operator, Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentId(pub i64);
number!(AgentId);

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
    /// The status as JSON.
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
        let found: Option<i64> =
            self.find("SELECT id FROM agents WHERE agent_id = ?1", [agent_id])?;
        let id = match found {
            Some(id) => id,
            None => {
                self.run(
                    "INSERT INTO agents (agent_id, last_seen_at, created_at) VALUES (?1, ?2, ?2)",
                    (agent_id, now),
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
        self.one("SELECT agent_id FROM agents WHERE id = ?1", [agent])
    }

    pub fn set_agent_seen(&self, agent: AgentId, at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE agents SET last_seen_at = ?2 WHERE id = ?1",
            (agent, at),
        )
    }

    pub fn set_agent_status(&self, agent: AgentId, status: &str, at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE agents SET status = ?2, last_seen_at = ?3 WHERE id = ?1",
            (agent, status, at),
        )
    }

    /// Revokes all tokens of the named agent issued up to the returned second (Unix time), for an
    /// operator. `until` gives it, from that of an earlier revocation. Creates the agent if it is new.
    pub fn revoke_tokens(
        &mut self,
        agent_id: &str,
        operator: &Operator,
        now: Timestamp,
        until: impl FnOnce(Option<i64>) -> i64,
    ) -> Result<(AgentId, i64)> {
        let agent = self.agent(agent_id, now)?.id;
        let before: Option<i64> = self.one(
            "SELECT tokens_valid_from_s FROM agents WHERE id = ?1",
            [agent],
        )?;
        let valid_from = until(before);
        self.run(
            "UPDATE agents SET tokens_valid_from_s = ?2 WHERE id = ?1",
            (agent, valid_from),
        )?;
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
            (agent, event_id, event_type, thread_id, details, now),
        )?;
        Ok(rows > 0)
    }

    /// Records that a registration token was used; false when it was used before. An unused token
    /// has no row: it is signed and expires by itself.
    pub fn use_registration(&self, nonce: &str, expires_at: Timestamp) -> Result<bool> {
        let rows = self.execute(
            "INSERT OR IGNORE INTO used_registrations (nonce, expires_at) VALUES (?1, ?2)",
            (nonce, expires_at),
        )?;
        Ok(rows > 0)
    }
}

impl View<'_> {
    /// The database's edge epoch.
    pub fn edge_epoch(&self) -> Result<String> {
        self.one("SELECT value FROM meta WHERE key = 'edge_epoch'", [])
    }

    /// Agents with revoked tokens: name, Unix seconds.
    pub fn revocations(&self) -> Result<Vec<(String, i64)>> {
        self.all(
            "SELECT agent_id, tokens_valid_from_s FROM agents WHERE tokens_valid_from_s IS NOT NULL",
            [],
        )
    }

    /// All agents by name.
    pub fn agents(&self) -> Result<Vec<AgentRow>> {
        self.all(
            "SELECT id, agent_id, last_seen_at, status,
               coalesce(unfinished.count, 0), oldest_at
             FROM agents LEFT JOIN
               (SELECT agent_id AS of, count(*) AS count, min(created_at) AS oldest_at
                FROM commands INDEXED BY commands_unfinished
                WHERE (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing')
                GROUP BY agent_id) AS unfinished ON unfinished.of = agents.id
             ORDER BY agent_id",
            [],
        )
    }
}

from_row!(AgentRow: id, agent_id, last_seen_at, status, unfinished, oldest_unfinished_at);
