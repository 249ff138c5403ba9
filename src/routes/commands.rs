//! `/admin/commands…`: the operator's list of commands that relays haven't done, and the routes to
//! retry or drop failed ones.

use schemars::JsonSchema;
use serde::Serialize;

use super::caller::Admin;
use super::{Request, audit};
use crate::error::{Error, Result};
use crate::http::{self, Response};
use crate::store::{CommandRow, CommandState};

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 1_000;

#[derive(Serialize, JsonSchema)]
pub(super) struct CommandList {
    commands: Vec<CommandRow>,
    has_more: bool,
}

/// Without a state: commands that failed or expired.
pub(super) async fn list(rq: Request<Admin>) -> Result<Response> {
    let limit = rq.query_integer("limit", LIMIT_DEFAULT, 1..=LIMIT_MAX)?;
    let state = match rq.exchange.query_param("state")? {
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
    Ok(http::json(&CommandList { commands, has_more }))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RetriedCommand {
    command_id: String,
    #[schemars(extend("const" = "queued"))]
    state: &'static str,
}

pub(super) async fn retry(rq: Request<Admin, String>) -> Result<Response> {
    let operator = audit::operator(&rq)?;
    let (hub, now) = (rq.app.hub.clone(), rq.app.clock.now());
    let (id, command_id) = (rq.path.clone(), rq.path);
    rq.app
        .store
        .write(move |tx| {
            let ttl_s = hub.command_ttl_s();
            let (agent, queued) = tx.retry_command(&id, ttl_s, &operator, now)?;
            tx.after_commit(move || hub.command_queued(agent, queued));
            Ok(())
        })
        .await?;
    Ok(http::json(&RetriedCommand {
        command_id,
        state: CommandState::Queued.as_str(),
    }))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DroppedCommand {
    command_id: String,
    #[schemars(extend("const" = true))]
    dropped: bool,
}

pub(super) async fn drop_command(rq: Request<Admin, String>) -> Result<Response> {
    let (operator, now) = (audit::operator(&rq)?, rq.app.clock.now());
    let (id, command_id) = (rq.path.clone(), rq.path);
    rq.app
        .store
        .write(move |tx| tx.drop_command(&id, &operator, now))
        .await?;
    let dropped = true;
    Ok(http::json(&DroppedCommand {
        command_id,
        dropped,
    }))
}
