//! `/admin/commands…`: the operator's list of commands that relays haven't done, and the routes to
//! retry or drop failed ones.

use serde_json::json;

use super::{Request, audit};
use crate::error::{Error, Result};
use crate::http::{self, Response};
use crate::store::CommandState;

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 1_000;

/// Without a state: commands that failed or expired.
pub(super) async fn list(rq: Request) -> Result<Response> {
    let limit = limit(&rq)?;
    let state = match rq.exchange.query_param("state") {
        None => None,
        Some(text) => Some(CommandState::named(&text).ok_or_else(|| {
            let states = CommandState::ALL.map(CommandState::as_str).join(", ");
            Error::invalid_field("/state", format!("must be one of {states}."))
        })?),
    };
    let rows = rq
        .app
        .store
        .read(move |view| view.commands(state, limit + 1));
    let mut commands = rows.await?;
    let has_more = commands.len() > limit;
    commands.truncate(limit);
    Ok(http::json(
        &json!({ "commands": commands, "has_more": has_more }),
    ))
}

pub(super) async fn retry(rq: Request) -> Result<Response> {
    let (id, operator) = (id(&rq), audit::operator(&rq)?);
    let (hub, now) = (rq.app.hub.clone(), rq.app.clock.now());
    let command_id = id.clone();
    rq.app
        .store
        .write(move |tx| {
            let ttl_s = hub.command_ttl_s();
            let (agent, queued) = tx.retry_command(&id, ttl_s, &operator, now)?;
            tx.after_commit(move || hub.command_queued(agent, queued));
            Ok(())
        })
        .await?;
    Ok(http::json(
        &json!({ "command_id": command_id, "state": "queued" }),
    ))
}

pub(super) async fn drop_command(rq: Request) -> Result<Response> {
    let (id, operator, now) = (id(&rq), audit::operator(&rq)?, rq.app.clock.now());
    let command_id = id.clone();
    rq.app
        .store
        .write(move |tx| tx.drop_command(&id, &operator, now))
        .await?;
    Ok(http::json(
        &json!({ "command_id": command_id, "dropped": true }),
    ))
}

fn id(rq: &Request) -> String {
    rq.params.get("command_id").unwrap_or_default().to_owned()
}

fn limit(rq: &Request) -> Result<usize> {
    let Some(text) = rq.exchange.query_param("limit") else {
        return Ok(LIMIT_DEFAULT);
    };
    let limit = text.parse().ok().filter(|n| (1..=LIMIT_MAX).contains(n));
    limit.ok_or_else(|| {
        let expected = format!("must be an integer from 1 to {LIMIT_MAX}.");
        Error::invalid_field("/limit", expected)
    })
}
