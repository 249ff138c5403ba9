//! `/admin/edge/…`: the operator's list of relay agents and the revocation of their tokens. Needs
//! the admin token.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::caller::Admin;
use super::{Request, audit};
use crate::auth::edge_token::{self, is_agent_id};
use crate::clock::Timestamp;
use crate::edge::hub::Close;
use crate::error::{Error, Result};
use crate::http::{self, Response};
use crate::model::agent_id::AgentId;

#[derive(Serialize, JsonSchema)]
pub(super) struct RelayList {
    agents: Vec<RelayView>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Relay")]
struct RelayView {
    #[schemars(with = "AgentId")]
    agent_id: String,
    connected: bool,
    last_seen_at: Option<Timestamp>,
    /// Number of unfinished commands.
    #[schemars(range(min = 0))]
    unfinished: i64,
    oldest_unfinished_at: Option<Timestamp>,
    /// The status that the relay last reported.
    status: Option<Map<String, Value>>,
}

pub(super) async fn edge_agents(rq: Request<Admin>) -> Result<Response> {
    let rows = rq.app.store.read(|view| view.agents()).await?;
    let agents = rows.into_iter().map(|row| {
        let (connected, seen_at) = rq.app.hub.presence(row.id);
        RelayView {
            agent_id: row.agent_id,
            connected,
            last_seen_at: seen_at.max(row.last_seen_at),
            unfinished: row.unfinished,
            oldest_unfinished_at: row.oldest_unfinished_at,
            status: row.status.and_then(|s| serde_json::from_str(&s).ok()),
        }
    });
    Ok(http::json(&RelayList {
        agents: agents.collect(),
    }))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RevokedTokens {
    #[schemars(with = "AgentId")]
    agent_id: String,
    /// Unix seconds.
    #[schemars(range(min = 0))]
    tokens_valid_from: i64,
}

/// Revokes all tokens of an agent issued before now and closes its socket.
pub(super) async fn revoke_tokens(rq: Request<Admin, String>) -> Result<Response> {
    let name = rq.path.clone();
    if !is_agent_id(&name) {
        return Err(Error::not_found());
    }
    let (app, now) = (rq.app.clone(), rq.app.clock.now());
    let (agent_id, operator) = (name.clone(), audit::operator(&rq)?);
    let until = move |earlier| edge_token::revocation_time(now.seconds(), earlier);
    let (agent, valid_from) = app
        .store
        .write(move |tx| tx.revoke_tokens(&agent_id, &operator, now, until))
        .await?;
    app.edge_tokens.revoke(&name, valid_from);
    app.hub.close(agent, Close::new(4401, "token revoked"));
    Ok(http::json(&RevokedTokens {
        agent_id: name,
        tokens_valid_from: valid_from,
    }))
}
