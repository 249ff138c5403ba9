//! Routes of the relay protocol other than messages: `GET /edge/ws`, `POST /edge/sync`, `POST
//! /edge/command/ack` and `POST /edge/register`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::answers::StatusAnswer;
use super::caller::SocketAgent;
use super::request::JsonBody;
use super::{Request, origin};
use crate::auth::edge_token::AgentName;
use crate::auth::registration_token;
use crate::clock::Timestamp;
use crate::edge::registration;
use crate::edge::socket;
use crate::edge::sync::{self, Ack, InvalidField, Poll, RelayEvent};
use crate::error::{Error, ErrorKind, Result};
use crate::http::{self, Fields, Json, Response};
use crate::model::agent_id::AgentId;

const ID_BYTES_MAX: usize = 512;

pub(super) async fn socket(mut rq: Request<SocketAgent>) -> Result<Response> {
    let is_allowed = match rq.exchange.header("origin") {
        Ok(None) => true, // not sent by a browser
        Ok(Some(origin)) => origin::is_listed(&rq.app, origin),
        Err(_) => false,
    };
    if !is_allowed {
        return Err(origin::not_allowed(
            "This Origin may not connect; list it in edge.allowed_origins.",
        ));
    }
    let handshake = rq.exchange.websocket()?;
    let SocketAgent {
        name: AgentName(agent),
        token_ends_at,
    } = rq.caller;
    let relay = socket::admit(&rq.app.hub, &agent).await?;
    let (response, upgraded) = handshake.accept();
    let hub = rq.app.hub.clone();
    tokio::spawn(async move {
        match upgraded.await {
            Ok(io) => socket::serve(hub, relay, io, token_ends_at).await,
            Err(error) => log::debug!("agent {agent}: {error}"),
        }
    });
    Ok(response)
}

pub(super) async fn sync(mut rq: Request<AgentName>) -> Result<Response> {
    let relay = rq.app.hub.relay(&rq.caller.0).await?;
    let quota = sync::take_poll(&rq.app.hub, &relay)?;
    let answering = async {
        let body = rq.json().await?;
        let poll = read_poll(&body, &rq.caller.0)?;
        let outcome = sync::poll(&rq.app.hub, &relay, poll).await?;
        let answer = format!(
            r#"{{"commands":[{}],"ack_events":{},"config_updates":{{}},"has_more":{},"ws_connected":{},"server_time":"{}"}}"#,
            outcome.commands.join(","),
            json!(outcome.ack_events),
            outcome.has_more,
            outcome.ws_connected,
            rq.app.clock.now(),
        );
        Ok(http::json_bytes(answer))
    };
    super::with_rate_limit_headers(answering.await, quota)
}

/// The socket's ack over HTTP, for older relays.
pub(super) async fn ack(mut rq: Request<AgentName>) -> Result<Response> {
    let body = rq.json().await?;
    let ack = Ack::read_strictly(|name| body.get(name))
        .map_err(|invalid| Error::invalid_field(format!("/{}", invalid.name), invalid.message))?;
    let relay = rq.app.hub.relay(&rq.caller.0).await?;
    if !rq.app.hub.ack(&relay, ack).await? {
        return Err(Error::new(
            ErrorKind::NotFound,
            "command_not_found",
            "This relay has no such command.",
        ));
    }
    Ok(http::json(&StatusAnswer::OK))
}

pub(super) struct Registration {
    user_phone: String,
    token: String,
}

impl JsonBody for Registration {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        let user_phone = fields.required_string("user_phone", 1..=ID_BYTES_MAX);
        if user_phone.contains(|c: char| c == ':' || c.is_control()) {
            let expected = "must not contain a colon or a control character.";
            fields.refuse("user_phone", expected);
        }
        Self {
            user_phone,
            token: fields.required_string("registration_token", 1..=ID_BYTES_MAX),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RegisteredRelay {
    #[schemars(with = "AgentId")]
    edge_agent_id: String,
    /// The bearer token of all other calls.
    edge_token: String,
}

/// Exchanges a one-time registration token for an edge token.
pub(super) async fn register(rq: Request<(), (), Registration>) -> Result<Response> {
    let Registration { user_phone, token } = &rq.body;
    let now = rq.app.clock.now();
    let registration = registration_token::verify(&rq.app.edge_tokens, token, now)
        .map_err(registration_refused)?;
    let agent = registration::register(
        &rq.app.hub, registration.nonce, registration.expires_at, now,
    )
    .await?
    .ok_or_else(|| registration_refused("the registration token was used before"))?;
    let token = rq.app.edge_tokens.issue(&agent, user_phone, now.seconds());
    Ok(http::json(&RegisteredRelay {
        edge_agent_id: agent,
        edge_token: token,
    }))
}

/// One answer for unknown, used and expired tokens, so that it tells nothing about which tokens
/// exist.
fn registration_refused(cause: &str) -> Error {
    Error::new(
        ErrorKind::Unauthorized,
        "unauthorized",
        "The registration token is not valid, was used, or has expired; get a new one from \
         `chatkeep token registration`.",
    )
    .because(cause)
}

fn read_poll(body: &Json, agent: &str) -> Result<Poll> {
    let mut fields = Fields::of(body);
    let agent_id = fields.value("edge_agent_id");
    if agent_id.is_some_and(|agent_id| agent_id != agent) {
        return Err(Error::unauthorized("the body names another agent"));
    }
    let limit = fields.optional_integer("limit", 1..=sync::LIMIT_MAX as i64);
    let poll = Poll {
        last_command_id: fields.optional_string("last_command_id", 1..=ID_BYTES_MAX),
        acks: reports(&mut fields, "acks", sync::ACKS_MAX, |ack| {
            Ack::read_strictly(|name| ack.value(name))
        }),
        events: reports(&mut fields, "pending_events", sync::EVENTS_MAX, |event| {
            RelayEvent::read_strictly(|name| event.value(name))
        }),
        status: status(&mut fields),
        wait_s: fields
            .optional_integer("wait_seconds", 0..=sync::WAIT_S_MAX as i64)
            .unwrap_or_default() as u64,
        limit: limit.map_or(sync::LIMIT_DEFAULT, |limit| limit as usize),
    };
    fields.finish()?;
    Ok(poll)
}

fn reports<T>(
    fields: &mut Fields,
    name: &str,
    items_max: usize,
    read: impl Fn(&Fields) -> Result<T, InvalidField>,
) -> Vec<T> {
    let reports = fields.optional_objects(name, items_max, |item| {
        let report = read(item);
        report
            .map_err(|invalid| item.refuse(invalid.name, invalid.message))
            .ok()
    });
    reports.into_iter().flatten().flatten().collect()
}

fn status(fields: &mut Fields) -> Option<String> {
    let status = sync::read_status(fields.optional_object("status")?);
    status
        .map_err(|invalid| fields.refuse(invalid.name, invalid.message))
        .ok()
}
