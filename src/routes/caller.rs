//! Who calls a route. Each kind of caller is a type that is made of a request's credential, so a
//! handler that names it is reached by no one else.

use std::borrow::Cow;
use std::future::Future;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::account::call_limits::Limit;
use crate::account::identity::SignedInUser;
use crate::app::App;
use crate::auth::edge_token::{self, AgentName};
use crate::clock::Timestamp;
use crate::error::{Error, Quota, Result};
use crate::http::Exchange;
use crate::model::masking::masked;

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Anyone,
    /// A relay with an edge token.
    Edge,
    /// A relay with an edge token. The handshake is checked before the token (relay protocol
    /// section 2).
    EdgeSocket,
    /// A legacy relay with the shared secret, where one is configured.
    Legacy,
    /// A signed-in person with a JWT.
    User,
    /// The operator.
    Admin,
}

/// A relay that opens a socket.
pub(super) struct SocketAgent {
    pub(super) name: AgentName,
    pub(super) token_ends_at: Option<Timestamp>,
}

/// A relay of the legacy endpoint.
pub(super) struct LegacyRelay;

/// The operator, by the admin token.
pub(super) struct Admin;

/// A caller that a request's credential proves.
pub(super) trait Authenticated: Sized + Send + 'static {
    const CALLER: Caller;

    /// 401 without a valid credential.
    fn authenticate(app: &App, exchange: &Exchange) -> impl Future<Output = Result<Self>> + Send;

    /// The caller as the log names it.
    fn label(&self) -> Cow<'static, str>;

    /// Counts the call against a limit of the caller's own; only people have such limits.
    fn count(&self, _: &App, _: Limit) -> impl Future<Output = Result<Option<Quota>>> + Send {
        async { Ok(None) }
    }
}

impl Authenticated for () {
    const CALLER: Caller = Caller::Anyone;

    async fn authenticate(_: &App, _: &Exchange) -> Result<Self> {
        Ok(())
    }

    fn label(&self) -> Cow<'static, str> {
        "anyone".into()
    }
}

impl Authenticated for AgentName {
    const CALLER: Caller = Caller::Edge;

    async fn authenticate(app: &App, exchange: &Exchange) -> Result<Self> {
        agent(app, exchange)
    }

    /// An agent's name may be a phone number, so it is masked.
    fn label(&self) -> Cow<'static, str> {
        format!("agent:{}", masked(&self.0)).into()
    }
}

impl Authenticated for SocketAgent {
    const CALLER: Caller = Caller::EdgeSocket;

    async fn authenticate(app: &App, exchange: &Exchange) -> Result<Self> {
        check_handshake(app, exchange)?;
        let bearer = exchange.bearer();
        Ok(Self {
            name: agent(app, exchange)?,
            token_ends_at: bearer.and_then(|token| app.edge_tokens.ends_at(token)),
        })
    }

    fn label(&self) -> Cow<'static, str> {
        self.name.label()
    }
}

/// Checks made before the token's: the query names an agent, and the request is a WebSocket
/// handshake.
fn check_handshake(app: &App, exchange: &Exchange) -> Result<()> {
    if !app.hub.is_running() {
        return Err(Error::unavailable(
            "The service is shutting down; reconnect.",
        ));
    }
    let agents = exchange.query_params("edge_agent_id").next();
    if agents.is_none_or(|name| name.is_some_and(|name| name.is_empty())) {
        return Err(Error::bad_request("The query needs edge_agent_id."));
    }
    exchange.check_websocket()
}

impl Authenticated for LegacyRelay {
    const CALLER: Caller = Caller::Legacy;

    async fn authenticate(app: &App, exchange: &Exchange) -> Result<Self> {
        match app.legacy_secret.get().as_ref() {
            Some(secret) if secret.matches(Some(bearer(exchange)?)) => Ok(Self),
            Some(_) => Err(Error::unauthorized("the legacy relay's secret is invalid")),
            None if app.config.is_production() => {
                app.retries.record_legacy_use();
                Err(Error::unauthorized(
                    "the legacy endpoint needs RELAY_WEBHOOK_SECRET in production",
                ))
            }
            None => Ok(Self),
        }
    }

    fn label(&self) -> Cow<'static, str> {
        "legacy".into()
    }
}

impl Authenticated for SignedInUser {
    const CALLER: Caller = Caller::User;

    async fn authenticate(app: &App, exchange: &Exchange) -> Result<Self> {
        app.identity.sign_in(exchange.bearer()).await
    }

    fn label(&self) -> Cow<'static, str> {
        format!("user:{}", self.user_id).into()
    }

    async fn count(&self, app: &App, limit: Limit) -> Result<Option<Quota>> {
        app.call_limits.take(limit, self).await.map(Some)
    }
}

impl Authenticated for Admin {
    const CALLER: Caller = Caller::Admin;

    async fn authenticate(app: &App, exchange: &Exchange) -> Result<Self> {
        match app.admin_token.get().as_ref() {
            Some(token) if token.matches(Some(bearer(exchange)?)) => Ok(Self),
            _ => Err(Error::unauthorized("the admin token is invalid")),
        }
    }

    fn label(&self) -> Cow<'static, str> {
        "admin".into()
    }
}

fn bearer(exchange: &Exchange) -> Result<&str> {
    exchange.bearer().ok_or_else(Error::no_credential)
}

/// The agent named by the token. The header and the query must name the same agent.
fn agent(app: &App, exchange: &Exchange) -> Result<AgentName> {
    let header = exchange
        .header("x-edge-agent-id")
        .map_err(|_| Error::unauthorized("the header X-Edge-Agent-Id is invalid"))?;
    let mut agents = exchange.query_params("edge_agent_id");
    let query = match (agents.next(), agents.next()) {
        (None, _) => None,
        (Some(Some(name)), None) => Some(name),
        _ => {
            return Err(Error::unauthorized(
                "the query's edge_agent_id is repeated or invalid",
            ));
        }
    };
    let query = query.as_deref();
    if header.is_some() && query.is_some() && header != query {
        return Err(Error::unauthorized("two different agents are named"));
    }
    // Every failure has the same 401 answer; only the log has the reason.
    let token = exchange.bearer();
    let token = token.ok_or_else(|| Error::unauthorized("no bearer token"))?;
    app.edge_tokens
        .verify(Some(token), header.or(query), app.clock.now())
        .map_err(|cause| {
            if cause == edge_token::RAW_SECRET_REFUSED {
                warn_about_raw_secret(app.clock.now());
            }
            Error::unauthorized(cause)
        })
}

/// Logs at most once a minute, because a misconfigured relay keeps asking.
fn warn_about_raw_secret(now: Timestamp) {
    static WARNED_IN: AtomicI64 = AtomicI64::new(0);
    let minute = now.seconds() / 60;
    if WARNED_IN.swap(minute, Ordering::Relaxed) != minute {
        log::warn!("refused a relay: {}", edge_token::RAW_SECRET_REFUSED);
    }
}
