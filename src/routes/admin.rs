//! `/admin/…`: what the operator sees and changes. All of it needs the admin token.

use serde_json::{Value, json};

use super::Request;
use crate::auth::edge_token::is_agent_id;
use crate::edge::hub::Close;
use crate::error::{Error, Result};
use crate::flags::registry::{self, Flag, Kind};
use crate::http::{self, Response};

pub(super) async fn edge_agents(rq: Request) -> Result<Response> {
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

/// Ends all tokens of an agent issued before now, and its socket.
pub(super) async fn revoke_tokens(rq: Request) -> Result<Response> {
    let name = rq.params.get("agent_id").unwrap_or_default().to_owned();
    if !is_agent_id(&name) {
        return Err(Error::not_found());
    }
    let (app, now) = (rq.app.clone(), rq.app.clock.now());
    let owned = name.clone();
    let (agent, valid_from) = app
        .store
        .write(move |tx| {
            let agent = tx.agent(&owned, now)?.id;
            Ok((agent, tx.end_tokens(agent, now)?))
        })
        .await?;
    app.edge_tokens.revoke(&name, valid_from);
    app.hub.close(agent, Close::new(4401, "token revoked"));
    Ok(http::json(
        &json!({ "agent_id": name, "tokens_valid_from": valid_from }),
    ))
}

pub(super) async fn flags(rq: Request) -> Result<Response> {
    let flags: Vec<Value> = registry::all()
        .iter()
        .map(|flag| shown(&rq, flag))
        .collect();
    Ok(http::json(&json!({ "flags": flags })))
}

/// No provider is asked in this version: every flag has its default or override.
pub(super) async fn flags_status(rq: Request) -> Result<Response> {
    Ok(http::json(&json!({
        "initialized": true,
        "is_connected": false,
        "circuit_breaker_open": false,
        "timestamp": rq.app.clock.now(),
    })))
}

pub(super) async fn set_flag(mut rq: Request) -> Result<Response> {
    let flag = named(&rq)?;
    let body = rq.json().await?;
    let value = body.value.get("value").unwrap_or(&Value::Null).clone();
    let fits = match flag.kind() {
        Kind::Boolean => value.is_boolean(),
        Kind::Integer => value.is_i64(),
        Kind::Number => value.is_number(),
    };
    if !fits {
        let expected = format!("must be a value of type {}.", flag.kind().as_str());
        return Err(Error::invalid_field("/value", expected));
    }
    change(&rq, flag, Some(value)).await?;
    Ok(http::json(&shown(&rq, flag)))
}

pub(super) async fn unset_flag(rq: Request) -> Result<Response> {
    let flag = named(&rq)?;
    change(&rq, flag, None).await?;
    Ok(http::json(&shown(&rq, flag)))
}

fn named(rq: &Request) -> Result<&'static Flag> {
    registry::find(rq.params.get("key").unwrap_or_default()).ok_or_else(Error::not_found)
}

/// In effect for the next request: memory follows the commit.
async fn change(rq: &Request, flag: &'static Flag, value: Option<Value>) -> Result<()> {
    let (flags, now) = (rq.app.flags.clone(), rq.app.clock.now());
    rq.app
        .store
        .write(move |tx| {
            match value {
                Some(value) => tx.set_flag_override(flag.key, &value, now)?,
                None => tx.remove_flag_override(flag.key)?,
            }
            let overrides = tx.view().flag_overrides()?;
            tx.after_commit(move || flags.set_overrides(overrides));
            Ok(())
        })
        .await
}

fn shown(rq: &Request, flag: &'static Flag) -> Value {
    let (value, source) = rq.app.flags.shown(flag);
    json!({
        "key": flag.key,
        "type": flag.kind().as_str(),
        "value": value,
        "source": source,
        "in_use": flag.in_use,
        "description": flag.about,
    })
}
