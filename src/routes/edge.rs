//! `GET /edge/ws` and `POST /edge/sync`.

use serde_json::{Value, json};

use super::{Request, origin};
use crate::app::App;
use crate::edge::socket;
use crate::edge::sync::{self, Ack, Event, Poll};
use crate::error::{Error, Result};
use crate::http::{self, Exchange, Fields, Json, Response};

const ID_BYTES_MAX: usize = 512;

/// What is looked at before the token: whether an agent is named, and whether it is a
/// handshake.
pub(super) fn check_handshake(app: &App, exchange: &Exchange) -> Result<()> {
    if !app.hub.is_running() {
        return Err(Error::unavailable(
            "The service is shutting down; reconnect.",
        ));
    }
    let named = exchange.query_params("edge_agent_id").next();
    if named.is_none_or(|name| name.is_some_and(|name| name.is_empty())) {
        return Err(Error::bad_request("The query needs edge_agent_id."));
    }
    exchange.check_websocket()
}

pub(super) async fn socket(mut rq: Request) -> Result<Response> {
    let may_come = match rq.exchange.header("origin") {
        Ok(None) => true, // not a browser
        Ok(Some(origin)) => origin::is_listed(&rq.app, origin),
        Err(_) => false,
    };
    if !may_come {
        return Err(origin::not_allowed(
            "This Origin may not connect; list it in edge.allowed_origins.",
        ));
    }
    let handshake = rq.exchange.websocket()?;
    let agent = rq.agent.take().unwrap_or_default();
    let relay = socket::admit(&rq.app.hub, &agent).await?;
    let (response, upgraded) = handshake.accept();
    let hub = rq.app.hub.clone();
    tokio::spawn(async move {
        match upgraded.await {
            Ok(io) => socket::serve(hub, relay, io).await,
            Err(error) => log::debug!("agent {agent}: {error}"),
        }
    });
    Ok(response)
}

pub(super) async fn sync(mut rq: Request) -> Result<Response> {
    let agent = rq.agent.take().unwrap_or_default();
    let relay = rq.app.hub.relay(&agent).await?;
    let quota = sync::take_poll(&rq.app.hub, &relay)?;
    let answered = async {
        let body = rq.json().await?;
        let poll = read_poll(&body, &agent)?;
        let polled = sync::poll(&rq.app.hub, &relay, poll).await?;
        let answer = format!(
            r#"{{"commands":[{}],"ack_events":{},"config_updates":{{}},"has_more":{},"ws_connected":{},"server_time":"{}"}}"#,
            polled.commands.join(","),
            json!(polled.ack_events),
            polled.has_more,
            polled.ws_connected,
            rq.app.clock.now(),
        );
        Ok(http::json_bytes(answer))
    };
    super::told(answered.await, quota)
}

fn read_poll(body: &Json, agent: &str) -> Result<Poll> {
    let mut fields = Fields::of(&body.value);
    let named = fields.value("edge_agent_id");
    if named.is_some_and(|named| named != agent) {
        return Err(Error::unauthorized("the body names another agent"));
    }
    let limit = fields.optional_integer("limit", 1..=sync::LIMIT_MAX as i64);
    let poll = Poll {
        last_command_id: fields.optional_string("last_command_id", 1..=ID_BYTES_MAX),
        acks: list(&mut fields, "acks", sync::ACKS_MAX, Ack::read),
        events: list(&mut fields, "pending_events", sync::EVENTS_MAX, Event::read),
        status: status(&mut fields),
        wait_s: fields
            .optional_integer("wait_seconds", 0..=sync::WAIT_S_MAX as i64)
            .unwrap_or_default() as u64,
        limit: limit.map_or(sync::LIMIT_DEFAULT, |limit| limit as usize),
    };
    fields.finish()?;
    Ok(poll)
}

fn list<T>(
    fields: &mut Fields<'_>,
    name: &str,
    items_max: usize,
    read: fn(&Value) -> std::result::Result<T, &'static str>,
) -> Vec<T> {
    let items = match fields.value(name) {
        None => return Vec::new(),
        Some(Value::Array(items)) if items.len() <= items_max => items,
        Some(_) => {
            fields.refuse(
                name,
                format!("must be an array of at most {items_max} objects."),
            );
            return Vec::new();
        }
    };
    let mut read_items = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match read(item) {
            Ok(item) => read_items.push(item),
            Err(why) => fields.refuse(name, format!("item {index}: {why}.")),
        }
    }
    read_items
}

fn status(fields: &mut Fields<'_>) -> Option<String> {
    match sync::read_status(fields.optional_object("status")?) {
        Ok(status) => Some(status),
        Err(why) => {
            fields.refuse("status", format!("{why}."));
            None
        }
    }
}
