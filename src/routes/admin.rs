//! `/admin/edge/…`: the operator's list of relay agents and the revocation of their tokens. Needs
//! the admin token.

use serde_json::{Value, json};

use super::caller::Admin;
use super::{Request, audit};
use crate::auth::edge_token::is_agent_id;
use crate::edge::hub::Close;
use crate::error::{Error, Result};
use crate::http::{self, Response};

pub(super) async fn edge_agents(rq: Request<Admin>) -> Result<Response> {
    let rows = rq.app.store.read(|view| view.agents()).await?;
    let agents: Vec<Value> = rows
        .into_iter()
        .map(|row| {
            let (connected, seen_at) = rq.app.hub.presence(row.id);
            let status: Option<Value> = row.status.and_then(|s| serde_json::from_str(&s).ok());
            json!({
                "agent_id": row.agent_id,
                "connected": connected,
                "last_seen_at": seen_at.max(row.last_seen_at),
                "unfinished": row.unfinished,
                "oldest_unfinished_at": row.oldest_unfinished_at,
                "status": status,
            })
        })
        .collect();
    Ok(http::json(&json!({ "agents": agents })))
}

/// Revokes all tokens of an agent issued before now and closes its socket.
pub(super) async fn revoke_tokens(rq: Request<Admin, String>) -> Result<Response> {
    let name = rq.path.clone();
    if !is_agent_id(&name) {
        return Err(Error::not_found());
    }
    let (app, now) = (rq.app.clone(), rq.app.clock.now());
    let (agent_id, operator) = (name.clone(), audit::operator(&rq)?);
    let (agent, valid_from) = app
        .store
        .write(move |tx| tx.revoke_tokens(&agent_id, &operator, now))
        .await?;
    app.edge_tokens.revoke(&name, valid_from);
    app.hub.close(agent, Close::new(4401, "token revoked"));
    Ok(http::json(
        &json!({ "agent_id": name, "tokens_valid_from": valid_from }),
    ))
}
