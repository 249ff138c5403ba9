//! The table of routes: everything a reader asks of a route stands in its row. Below it, the
//! one way a request goes: find the row, let the caller in or not, hand over.

mod account;
mod address;
mod admin;
mod audit;
mod backup;
mod billing;
mod commands;
mod console;
mod edge;
mod exports;
mod flags;
mod health;
mod ingest;
pub mod limits;
mod marketplace;
mod metrics;
pub mod openapi;
mod origin;
mod photos;
mod purge;
mod replies;
pub mod retries;
mod usage;
mod users;
mod webhooks;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures_util::future::BoxFuture;

use crate::account::identity::Who;
use crate::app::App;
use crate::auth::edge_token;
use crate::clock::Timestamp;
use crate::error::{Error, Kind, Quota, Result};
use crate::http::{self, Exchange, Handler, Match, Method, Params, Response, RouteLabels, Router};
use crate::marketplace::ingestion;
use crate::model::masking::masked;
use limits::Limit;

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    Anyone,
    /// A relay with an edge token.
    Edge,
    /// The same, asked after the handshake was looked at (relay protocol section 2).
    EdgeSocket,
    /// A legacy relay with the shared secret, where one is configured.
    Legacy,
    /// A person with a JWT.
    User,
    /// The operator.
    Admin,
}

/// One row.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub caller: Caller,
    pub body_bytes_max: usize,
    /// Of the calling user; only with `Caller::User`.
    pub limit: Option<Limit>,
    handler: Handle,
}

type Handle = fn(Request) -> BoxFuture<'static, Result<Response>>;

/// What a handler gets.
pub struct Request {
    pub app: Arc<App>,
    /// Boxed: it is handed on several times.
    pub exchange: Box<Exchange>,
    pub params: Params,
    /// The agent's name, for `Caller::Edge` and `Caller::EdgeSocket`.
    pub agent: Option<String>,
    /// Who calls, for `Caller::User`.
    pub user: Option<Who>,
    pub body_bytes_max: usize,
}

/// A row's handler from an async function.
macro_rules! to {
    ($handler:path) => {
        |request| Box::pin($handler(request))
    };
}

const JSON_BYTES_MAX: usize = 256 * 1024;
/// Settings of one webhook.
const WEBHOOK_BYTES_MAX: usize = 64 * 1024;
const CALL_BYTES_MAX: usize = ingestion::BODY_BYTES_MAX;

#[rustfmt::skip] // a table: one route, one line
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
        route("GET",    "/admin/audit",                         Admin,      0,              to!(audit::list)),
        route("GET",    "/admin/commands",                      Admin,      0,              to!(commands::list)),
        route("POST",   "/admin/commands/{command_id}/retry",   Admin,      0,              to!(commands::retry)),
        route("DELETE", "/admin/commands/{command_id}",         Admin,      0,              to!(commands::drop_one)),
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
        route("GET",    "/payment/canceled",                    Anyone,     0,              to!(billing::given_up_page)),
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

/// What the transport calls for each request.
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
        Match::WrongMethod { allow } => return Err(http::method_not_allowed(&allow)),
        Match::Unknown => return Err(Error::not_found()),
    };
    exchange
        .trace
        .set_row(RouteLabels::row(&row.method, row.path));
    let (trace, from) = (exchange.trace.clone(), address::of(&app, &exchange));
    if row.caller == Caller::Admin {
        trace.set_from(from);
    }
    let answered = call(app, row, params, exchange).await;
    if answered.as_ref().is_err_and(is_refused_credential) {
        trace.set_from(from);
    }
    answered
}

/// What whoever guesses credentials is answered, for those who keep them away.
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
    trace.set_who(who(row.caller, user.as_ref(), agent.as_deref()));
    let quota = match (row.limit, &user) {
        (Some(limit), Some(who)) => Some(limits::take(&app, limit, who).await?),
        _ => None,
    };
    let answered = (row.handler)(Request {
        app,
        exchange,
        params,
        agent,
        user,
        body_bytes_max: row.body_bytes_max,
    })
    .await;
    match quota {
        Some(quota) => with_rate_limit_headers(answered, quota),
        None => answered,
    }
}

/// An answer, whichever, says how its caller stands to the limit that it used.
fn with_rate_limit_headers(answered: Result<Response>, quota: Quota) -> Result<Response> {
    match answered {
        Ok(response) => Ok(http::with_quota(response, &quota)),
        Err(error) => Err(error.within(quota)),
    }
}

/// Who was let in, as the log names them: never by a phone, which an agent's name may be.
fn who(caller: Caller, user: Option<&Who>, agent: Option<&str>) -> Cow<'static, str> {
    match (caller, user, agent) {
        (_, Some(user), _) => format!("user:{}", user.user_id).into(),
        (_, _, Some(agent)) => format!("agent:{}", masked(agent)).into(),
        (Caller::Admin, ..) => "admin".into(),
        (Caller::Legacy, ..) => "legacy".into(),
        _ => "anyone".into(),
    }
}

/// Lets the caller in, or errs; the agent's name where it is one.
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
            Some(_) => Err(Error::unauthorized("the legacy relay's secret is wrong")),
            None if app.config.is_production() => Err(Error::unauthorized(
                "the legacy endpoint needs RELAY_WEBHOOK_SECRET in production",
            )),
            None => Ok(None),
        },
        Caller::Admin => match app.admin_token.get().as_ref() {
            Some(token) if token.matches(Some(bearer(exchange)?)) => Ok(None),
            _ => Err(Error::unauthorized("the admin token is wrong")),
        },
    }
}

fn bearer(exchange: &Exchange) -> Result<&str> {
    exchange.bearer().ok_or_else(Error::no_credential)
}

/// The agent that the token names, which the header and the query must agree with.
fn agent(app: &App, exchange: &Exchange) -> Result<String> {
    let header = exchange
        .header("x-edge-agent-id")
        .map_err(|_| Error::unauthorized("X-Edge-Agent-Id is not acceptable"))?;
    let mut named = exchange.query_params("edge_agent_id");
    let query = match (named.next(), named.next()) {
        (None, _) => None,
        (Some(Some(name)), None) => Some(name),
        _ => {
            return Err(Error::unauthorized(
                "the query's edge_agent_id is not one name",
            ));
        }
    };
    let query = query.as_deref();
    if header.is_some() && query.is_some() && header != query {
        return Err(Error::unauthorized("two different agents are named"));
    }
    // The same 401 as any other: a relay's is told nothing of why.
    let token = exchange.bearer();
    let token = token.ok_or_else(|| Error::unauthorized("no bearer token"))?;
    app.edge_tokens
        .verify(Some(token), header.or(query), app.clock.now())
        .map(|agent| agent.0)
        .map_err(|cause| {
            if cause == edge_token::RAW_SECRET_REFUSED {
                warn_of_raw_secret(app.clock.now());
            }
            Error::unauthorized(cause)
        })
}

/// Once a minute at most: a relay that is set up so asks again and again.
fn warn_of_raw_secret(now: Timestamp) {
    static WARNED_IN: AtomicI64 = AtomicI64::new(0);
    let minute = now.seconds() / 60;
    if WARNED_IN.swap(minute, Ordering::Relaxed) != minute {
        log::warn!("a relay was refused: {}", edge_token::RAW_SECRET_REFUSED);
    }
}

impl Request {
    /// Who calls; only rows for `Caller::User` may ask.
    fn who(&self) -> Result<&Who> {
        let who = self.user.as_ref();
        who.ok_or_else(|| Error::internal("a route for users was called by nobody"))
    }

    /// The body's bytes within the row's cap, if they are said to be JSON.
    async fn json_bytes(&mut self) -> Result<http::Bytes> {
        self.exchange.check_json()?;
        self.exchange.read_body(self.body_bytes_max).await
    }

    /// The body, a JSON object within the row's cap.
    async fn json(&mut self) -> Result<http::Json> {
        self.exchange.read_json(self.body_bytes_max).await
    }
}
