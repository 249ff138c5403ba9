//! The table of routes: one row per route, with its caller, limit, body cap and handler. Below the
//! table is the path of each request: find the row, authenticate the caller, count the call against
//! its limit, call the handler.

mod account;
mod address;
mod admin;
mod audit;
mod backup;
mod billing;
mod commands;
mod connect;
mod console;
mod edge;
mod exports;
mod flags;
mod health;
mod ingest;
mod marketplace;
mod metrics;
pub mod openapi;
mod origin;
mod photos;
mod purge;
mod replies;
mod services;
mod usage;
mod users;
mod webhooks;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures_util::future::BoxFuture;

use crate::account::call_limits::Limit;
use crate::account::identity::SignedInUser;
use crate::app::App;
use crate::auth::edge_token;
use crate::clock::Timestamp;
use crate::error::{Error, Kind, Quota, Result};
use crate::http::{self, Exchange, Handler, Match, Method, Params, Response, RouteLabels, Router};
use crate::marketplace::ingestion;
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

/// One row of the table.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub caller: Caller,
    pub body_bytes_max: usize,
    /// The caller's limit; only with `Caller::User`.
    pub limit: Option<Limit>,
    handler: Handle,
}

type Handle = fn(Request) -> BoxFuture<'static, Result<Response>>;

/// A request as a handler gets it.
pub struct Request {
    pub app: Arc<App>,
    /// Boxed, because it is moved several times.
    pub exchange: Box<Exchange>,
    pub params: Params,
    /// The agent's name, for `Caller::Edge` and `Caller::EdgeSocket`.
    pub agent: Option<String>,
    /// The signed-in person, for `Caller::User`.
    pub user: Option<SignedInUser>,
    pub body_bytes_max: usize,
}

/// Makes a row's handler from an async function.
macro_rules! to {
    ($handler:path) => {
        |request| Box::pin($handler(request))
    };
}

const JSON_BYTES_MAX: usize = 256 * 1024;
/// Limit of a marketplace webhook call.
const WEBHOOK_BYTES_MAX: usize = 64 * 1024;
const CALL_BYTES_MAX: usize = ingestion::BODY_BYTES_MAX;

#[rustfmt::skip] // one route per line
pub fn table() -> Vec<Route> {
    use Caller::{Admin, Anyone, Edge, EdgeSocket, Legacy, User};
    vec![
        route("POST",   "/edge/message",                        Edge,       JSON_BYTES_MAX, to!(ingest::edge_message)),
        route("POST",   "/orchestrator/message",                Legacy,     JSON_BYTES_MAX, to!(ingest::legacy_message)),
        route("GET",    "/edge/ws",                             EdgeSocket, 0,              to!(edge::socket)),
        route("POST",   "/edge/sync",                           Edge,       JSON_BYTES_MAX, to!(edge::sync)),
        route("POST",   "/photo/upload",                        Edge,       photos::BODY_BYTES_MAX, to!(photos::upload)),
        route("POST",   "/edge/command/ack",                    Edge,       16384,          to!(edge::ack)),
        route("POST",   "/edge/register",                       Anyone,     4096,           to!(edge::register)),
        route("POST",   "/account/export",                      User,       0,              to!(exports::request)).limit(Limit::Exports),
        route("GET",    "/account/export/{job_id}",             User,       0,              to!(exports::show)),
        route("GET",    "/account/export/{job_id}/download",    User,       0,              to!(exports::download)),
        route("GET",    "/health",                              Anyone,     0,              to!(health::health)),
        route("GET",    "/openapi.json",                        Anyone,     0,              to!(openapi::show)),
        route("GET",    "/admin/",                              Anyone,     0,              to!(console::show)),
        route("GET",    "/account",                             User,       0,              to!(account::status)),
        route("POST",   "/account/deletion",                    User,       4096,           to!(account::request_deletion)).limit(Limit::DeletionRequests),
        route("DELETE", "/account/deletion",                    User,       0,              to!(account::cancel_deletion)),
        route("GET",    "/account/services",                    User,       0,              to!(services::list)),
        route("POST",   "/account/services",                    User,       16384,          to!(services::connect)).limit(Limit::Services),
        route("PATCH",  "/account/services/{service_id}",       User,       65536,          to!(services::update)),
        route("DELETE", "/account/services/{service_id}",       User,       0,              to!(services::disconnect)),
        route("POST",   "/account/services/{service_id}/sync",  User,       0,              to!(services::sync)).limit(Limit::Services),
        route("GET",    "/connect/{token}",                     Anyone,     0,              to!(connect::show)),
        route("POST",   "/connect/{token}",                     Anyone,     16384,          to!(connect::connect)),
        route("GET",    "/admin/audit",                         Admin,      0,              to!(audit::list)),
        route("GET",    "/admin/commands",                      Admin,      0,              to!(commands::list)),
        route("POST",   "/admin/commands/{command_id}/retry",   Admin,      0,              to!(commands::retry)),
        route("DELETE", "/admin/commands/{command_id}",         Admin,      0,              to!(commands::drop_command)),
        route("GET",    "/admin/edge-agents",                   Admin,      0,              to!(admin::edge_agents)),
        route("POST",   "/admin/edge-agents/{agent_id}/revoke", Admin,      0,              to!(admin::revoke_tokens)),
        route("GET",    "/admin/feature-flags",                 Admin,      0,              to!(flags::list)),
        route("GET",    "/admin/feature-flags/status",          Admin,      0,              to!(flags::status)),
        route("PUT",    "/admin/feature-flags/{key}",           Admin,      4096,           to!(flags::set)),
        route("DELETE", "/admin/feature-flags/{key}",           Admin,      0,              to!(flags::unset)),
        route("GET",    "/admin/messages/{message_id}",         Admin,      0,              to!(replies::message)),
        route("GET",    "/admin/metrics/token-usage",           Admin,      0,              to!(replies::token_usage)),
        route("GET",    "/admin/users",                         Admin,      0,              to!(users::list)),
        route("GET",    "/admin/users/{user_id}",               Admin,      0,              to!(users::show)),
        route("PUT",    "/admin/users/{user_id}/grant",         Admin,      4096,           to!(users::set_grant)),
        route("DELETE", "/admin/users/{user_id}/grant",         Admin,      0,              to!(users::remove_grant)),
        route("GET",    "/admin/users/{user_id}/services",      Admin,      0,              to!(services::list_of)),
        route("POST",   "/admin/users/{user_id}/services",      Admin,      16384,          to!(services::connect_for)),
        route("DELETE", "/admin/users/{user_id}/services/{service_id}",    Admin, 0,         to!(services::disconnect_for)),
        route("POST",   "/admin/users/{user_id}/services/{service_id}/sync", Admin, 0,       to!(services::test_of)),
        route("GET",    "/admin/purge",                         Admin,      0,              to!(purge::outlook)),
        route("POST",   "/admin/purge",                         Admin,      0,              to!(purge::start)),
        route("GET",    "/admin/backup",                        Admin,      0,              to!(backup::show)),
        route("POST",   "/admin/backup",                        Admin,      0,              to!(backup::start)),
        route("DELETE", "/admin/backup",                        Admin,      0,              to!(backup::end)),
        route("GET",    "/metrics",                             Admin,      0,              to!(metrics::metrics)),
        route("GET",    "/api/v1/usage/limits/{user_id}",       User,       0,              to!(usage::limits)).limit(Limit::Usage),
        route("GET",    "/api/v1/payment/status",               User,       0,              to!(billing::status)).limit(Limit::PaymentStatus),
        route("POST",   "/api/v1/payment/checkout/subscription", User,      JSON_BYTES_MAX, to!(billing::subscribe)).limit(Limit::Checkout),
        route("POST",   "/api/v1/payment/checkout/topup",       User,       JSON_BYTES_MAX, to!(billing::top_up)).limit(Limit::Checkout),
        route("GET",    "/billing/history",                     User,       0,              to!(billing::history)),
        route("POST",   "/payment/events",                      Anyone,     JSON_BYTES_MAX, to!(billing::event)),
        route("GET",    "/payment/success",                     Anyone,     0,              to!(billing::paid_page)),
        route("GET",    "/payment/canceled",                    Anyone,     0,              to!(billing::canceled_page)),
        route("POST",   "/admin/billing/reconcile",             Admin,      4096,           to!(billing::reconcile)),
        route("POST",   "/marketplace/apps",                    User,       JSON_BYTES_MAX, to!(marketplace::apps::create)),
        route("GET",    "/marketplace/apps",                    User,       0,              to!(marketplace::apps::list)),
        route("GET",    "/marketplace/apps/{app_id}",           User,       0,              to!(marketplace::apps::show)),
        route("PUT",    "/marketplace/apps/{app_id}",           User,       JSON_BYTES_MAX, to!(marketplace::apps::replace)),
        route("DELETE", "/marketplace/apps/{app_id}",           User,       0,              to!(marketplace::apps::delete)),
        route("PUT",    "/marketplace/apps/{app_id}/rooms/{chat_guid}", User, 0,            to!(marketplace::apps::install)),
        route("DELETE", "/marketplace/apps/{app_id}/rooms/{chat_guid}", User, 0,            to!(marketplace::apps::uninstall)),
        route("GET",    "/marketplace/rooms/{chat_guid}/apps",  User,       0,              to!(marketplace::apps::list_of_room)),
        route("POST",   "/marketplace/webhooks/{app_id}",       User,       WEBHOOK_BYTES_MAX, to!(marketplace::webhooks::create)),
        route("GET",    "/marketplace/webhooks/{app_id}",       User,       0,              to!(marketplace::webhooks::list)),
        route("PATCH",  "/marketplace/webhooks/{app_id}/{webhook_id}", User, WEBHOOK_BYTES_MAX, to!(marketplace::webhooks::update)),
        route("DELETE", "/marketplace/webhooks/{app_id}/{webhook_id}", User, 0,             to!(marketplace::webhooks::delete)),
        route("POST",   "/marketplace/webhooks/{app_id}/{webhook_id}/rotate-secret", User, 0, to!(marketplace::webhooks::rotate)),
        route("GET",    "/marketplace/webhooks/{app_id}/{webhook_id}/events", User, 0,      to!(marketplace::webhooks::events)),
        route("POST",   "/marketplace/webhooks/{app_id}/{webhook_id}/test", User, CALL_BYTES_MAX, to!(marketplace::webhooks::test)),
        route("POST",   "/webhooks/{webhook_id}",               Anyone,     CALL_BYTES_MAX, to!(webhooks::receive)),
    ]
}

fn route(
    method: &str,
    path: &'static str,
    caller: Caller,
    body_bytes_max: usize,
    handler: Handle,
) -> Route {
    Route {
        method: method.parse().unwrap_or_default(),
        path,
        caller,
        body_bytes_max,
        limit: None,
        handler,
    }
}

impl Route {
    fn limit(self, limit: Limit) -> Self {
        Self {
            limit: Some(limit),
            ..self
        }
    }
}

/// The function that the transport calls for each request.
pub fn handler(app: Arc<App>) -> Handler {
    let rows = table().into_iter();
    let router = Arc::new(Router::new(
        rows.map(|row| (row.method.clone(), row.path, row)),
    ));
    Arc::new(move |exchange| {
        let (app, router, exchange) = (app.clone(), router.clone(), Box::new(exchange));
        Box::pin(async move { dispatch(app, &router, exchange).await })
    })
}

async fn dispatch(
    app: Arc<App>,
    router: &Router<Route>,
    exchange: Box<Exchange>,
) -> Result<Response> {
    let (row, params) = match router.find(&exchange.method, &exchange.path) {
        Match::Found { target, params } => (target, params),
        Match::MethodNotAllowed { allow } => return Err(http::method_not_allowed(&allow)),
        Match::Unknown => return Err(Error::not_found()),
    };
    exchange
        .trace
        .set_route(RouteLabels::of(&row.method, row.path));
    let (trace, address) = (exchange.trace.clone(), address::of(&app, &exchange));
    if row.caller == Caller::Admin {
        trace.set_from(address);
    }
    let outcome = call(app, row, params, exchange).await;
    if outcome.as_ref().is_err_and(is_refused_credential) {
        trace.set_from(address);
    }
    outcome
}

/// Errors of a refused credential. The log names the client's address for them, so that operators
/// can block addresses that guess.
fn is_refused_credential(error: &Error) -> bool {
    error.kind == Kind::Unauthorized || error.code == "invalid_signature"
}

async fn call(
    app: Arc<App>,
    row: &Route,
    params: Params,
    mut exchange: Box<Exchange>,
) -> Result<Response> {
    let trace = exchange.trace.clone();
    origin::check(&app, row, &exchange)?;
    let user = match row.caller {
        Caller::User => Some(app.identity.sign_in(exchange.bearer()).await?),
        _ => None,
    };
    let agent = authenticate(&app, row.caller, &mut exchange)?;
    trace.set_caller(caller_label(row.caller, user.as_ref(), agent.as_deref()));
    let quota = match (row.limit, &user) {
        (Some(limit), Some(user)) => Some(app.call_limits.take(limit, user).await?),
        _ => None,
    };
    let outcome = (row.handler)(Request {
        app,
        exchange,
        params,
        agent,
        user,
        body_bytes_max: row.body_bytes_max,
    })
    .await;
    match quota {
        Some(quota) => with_rate_limit_headers(outcome, quota),
        None => outcome,
    }
}

/// Adds the caller's rate limit headers to any answer, also to an error.
fn with_rate_limit_headers(outcome: Result<Response>, quota: Quota) -> Result<Response> {
    match outcome {
        Ok(response) => Ok(http::with_quota(response, &quota)),
        Err(error) => Err(error.within(quota)),
    }
}

/// The caller as the log names it. An agent's name may be a phone number, so it is masked.
fn caller_label(
    caller: Caller,
    user: Option<&SignedInUser>,
    agent: Option<&str>,
) -> Cow<'static, str> {
    match (caller, user, agent) {
        (_, Some(user), _) => format!("user:{}", user.user_id).into(),
        (_, _, Some(agent)) => format!("agent:{}", masked(agent)).into(),
        (Caller::Admin, ..) => "admin".into(),
        (Caller::Legacy, ..) => "legacy".into(),
        _ => "anyone".into(),
    }
}

/// Authenticates the caller. Returns the agent's name for a relay.
fn authenticate(app: &App, caller: Caller, exchange: &mut Exchange) -> Result<Option<String>> {
    match caller {
        Caller::Anyone | Caller::User => Ok(None),
        Caller::Edge => agent(app, exchange).map(Some),
        Caller::EdgeSocket => {
            edge::check_handshake(app, exchange)?;
            agent(app, exchange).map(Some)
        }
        Caller::Legacy => match app.legacy_secret.get().as_ref() {
            Some(secret) if secret.matches(Some(bearer(exchange)?)) => Ok(None),
            Some(_) => Err(Error::unauthorized("the legacy relay's secret is invalid")),
            None if app.config.is_production() => Err(Error::unauthorized(
                "the legacy endpoint needs RELAY_WEBHOOK_SECRET in production",
            )),
            None => Ok(None),
        },
        Caller::Admin => match app.admin_token.get().as_ref() {
            Some(token) if token.matches(Some(bearer(exchange)?)) => Ok(None),
            _ => Err(Error::unauthorized("the admin token is invalid")),
        },
    }
}

fn bearer(exchange: &Exchange) -> Result<&str> {
    exchange.bearer().ok_or_else(Error::no_credential)
}

/// The agent named by the token. The header and the query must name the same agent.
fn agent(app: &App, exchange: &Exchange) -> Result<String> {
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
        .map(|agent| agent.0)
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
        log::warn!("a relay was refused: {}", edge_token::RAW_SECRET_REFUSED);
    }
}

impl Request {
    /// The signed-in person; only for rows with `Caller::User`.
    fn user(&self) -> Result<&SignedInUser> {
        let user = self.user.as_ref();
        user.ok_or_else(|| Error::internal("a route for users was called without a user"))
    }

    /// The body's bytes within the row's cap; refused unless the Content-Type allows JSON.
    async fn json_bytes(&mut self) -> Result<http::Bytes> {
        self.exchange.check_json()?;
        self.exchange.read_body(self.body_bytes_max).await
    }

    /// The body as a JSON object within the row's cap.
    async fn json(&mut self) -> Result<http::Json> {
        self.exchange.read_json(self.body_bytes_max).await
    }
}
