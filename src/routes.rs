//! The table of routes: one row per route, with its caller, limit, body cap and handler. Below the
//! table is the path of each request: find the row, authenticate the caller, count the call against
//! its limit, read the body, call the handler.

mod account;
mod address;
mod admin;
mod answers;
mod audit;
mod backup;
mod billing;
mod caller;
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
mod request;
mod services;
mod usage;
mod users;
mod webhooks;

use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::account::call_limits::Limit;
use crate::account::identity::SignedInUser;
use crate::app::App;
use crate::auth::edge_token::AgentName;
use crate::error::{Error, ErrorKind, Quota, Result};
use crate::http::{self, Exchange, Handler, Match, Method, Params, Response, RouteLabels, Router};
use crate::marketplace::ingestion;
use caller::{Admin, Authenticated, LegacyRelay, SocketAgent};
use request::{Body, PathParams};

pub use caller::Caller;
use request::Request;

/// One row of the table.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub caller: Caller,
    pub body_bytes_max: usize,
    /// The caller's limit; only with `Caller::User`.
    pub limit: Option<Limit>,
    /// Whether pages of other origins are refused before the handler runs.
    checks_origin: bool,
    handle: Handle,
}

/// Authenticates the caller, counts the call and runs the handler.
type Handle =
    Box<dyn Fn(Arc<App>, RoutedRequest) -> BoxFuture<'static, Result<Response>> + Send + Sync>;

/// A request of a row, before its caller is known.
struct RoutedRequest {
    exchange: Box<Exchange>,
    params: Params,
    body_bytes_max: usize,
    limit: Option<Limit>,
}

const JSON_BYTES_MAX: usize = 256 * 1024;
/// Limit of a marketplace webhook call.
const WEBHOOK_BYTES_MAX: usize = 64 * 1024;
const CALL_BYTES_MAX: usize = ingestion::BODY_BYTES_MAX;

#[rustfmt::skip] // one route per line
pub fn table() -> Vec<Route> {
    const DELETE: Method = Method::DELETE;
    const GET: Method = Method::GET;
    const PATCH: Method = Method::PATCH;
    const POST: Method = Method::POST;
    const PUT: Method = Method::PUT;
    const ADMIN: PhantomData<Admin> = PhantomData;
    const ANYONE: PhantomData<()> = PhantomData;
    const LEGACY: PhantomData<LegacyRelay> = PhantomData;
    const RELAY: PhantomData<AgentName> = PhantomData;
    const SOCKET: PhantomData<SocketAgent> = PhantomData;
    const USER: PhantomData<SignedInUser> = PhantomData;
    vec![
        route(POST,   RELAY,  "/edge/message",                      JSON_BYTES_MAX, ingest::edge_message),
        route(POST,   LEGACY, "/orchestrator/message",              JSON_BYTES_MAX, ingest::legacy_message),
        route(GET,    SOCKET, "/edge/ws",                           0, edge::socket),
        route(POST,   RELAY,  "/edge/sync",                         JSON_BYTES_MAX, edge::sync),
        route(POST,   RELAY,  "/photo/upload",                      photos::BODY_BYTES_MAX, photos::upload),
        route(POST,   RELAY,  "/edge/command/ack",                  16384, edge::ack),
        route(POST,   ANYONE, "/edge/register",                     4096, edge::register),
        route(POST,   USER,   "/account/export",                    0, exports::request).limit(Limit::Exports),
        route(GET,    USER,   "/account/export/{job_id}",           0, exports::show),
        route(GET,    USER,   "/account/export/{job_id}/download",  0, exports::download),
        route(GET,    ANYONE, "/health",                            0, health::health),
        route(GET,    ANYONE, "/openapi.json",                      0, openapi::show),
        route(GET,    ANYONE, "/admin/",                            0, console::show),
        route(GET,    USER,   "/account",                           0, account::status),
        route(POST,   USER,   "/account/deletion",                  4096, account::request_deletion).limit(Limit::DeletionRequests),
        route(DELETE, USER,   "/account/deletion",                  0, account::cancel_deletion),
        route(GET,    USER,   "/account/services",                  0, services::list),
        route(POST,   USER,   "/account/services",                  16384, services::connect).limit(Limit::Services),
        route(PATCH,  USER,   "/account/services/{service_id}",     65536, services::update),
        route(DELETE, USER,   "/account/services/{service_id}",     0, services::disconnect),
        route(POST,   USER,   "/account/services/{service_id}/sync", 0, services::sync).limit(Limit::Services),
        route(GET,    ANYONE, "/connect/{token}",                   0, connect::show),
        route(POST,   ANYONE, "/connect/{token}",                   16384, connect::connect),
        route(GET,    ADMIN,  "/admin/audit",                       0, audit::list),
        route(GET,    ADMIN,  "/admin/commands",                    0, commands::list),
        route(POST,   ADMIN,  "/admin/commands/{command_id}/retry", 0, commands::retry),
        route(DELETE, ADMIN,  "/admin/commands/{command_id}",       0, commands::drop_command),
        route(GET,    ADMIN,  "/admin/edge-agents",                 0, admin::edge_agents),
        route(POST,   ADMIN,  "/admin/edge-agents/{agent_id}/revoke", 0, admin::revoke_tokens),
        route(GET,    ADMIN,  "/admin/feature-flags",               0, flags::list),
        route(GET,    ADMIN,  "/admin/feature-flags/status",        0, flags::status),
        route(PUT,    ADMIN,  "/admin/feature-flags/{key}",         4096, flags::set),
        route(DELETE, ADMIN,  "/admin/feature-flags/{key}",         0, flags::unset),
        route(GET,    ADMIN,  "/admin/messages/{message_id}",       0, replies::message),
        route(GET,    ADMIN,  "/admin/metrics/token-usage",         0, replies::token_usage),
        route(GET,    ADMIN,  "/admin/users",                       0, users::list),
        route(GET,    ADMIN,  "/admin/users/{user_id}",             0, users::show),
        route(PUT,    ADMIN,  "/admin/users/{user_id}/grant",       4096, users::set_grant),
        route(DELETE, ADMIN,  "/admin/users/{user_id}/grant",       0, users::remove_grant),
        route(PUT,    ADMIN,  "/admin/users/{user_id}/deletion",    0, users::schedule_deletion),
        route(DELETE, ADMIN,  "/admin/users/{user_id}/deletion",    0, users::cancel_deletion),
        route(POST,   ADMIN,  "/admin/users/{user_id}/export",      0, users::export),
        route(GET,    ADMIN,  "/admin/users/{user_id}/services",    0, services::list_of),
        route(POST,   ADMIN,  "/admin/users/{user_id}/services",    16384, services::connect_for),
        route(DELETE, ADMIN,  "/admin/users/{user_id}/services/{service_id}", 0, services::disconnect_for),
        route(POST,   ADMIN,  "/admin/users/{user_id}/services/{service_id}/sync", 0, services::test_of),
        route(GET,    ADMIN,  "/admin/purge",                       0, purge::outlook),
        route(POST,   ADMIN,  "/admin/purge",                       0, purge::start),
        route(GET,    ADMIN,  "/admin/backup",                      0, backup::show),
        route(POST,   ADMIN,  "/admin/backup",                      0, backup::start),
        route(DELETE, ADMIN,  "/admin/backup",                      0, backup::end),
        route(GET,    ADMIN,  "/metrics",                           0, metrics::metrics),
        route(GET,    USER,   "/api/v1/usage/limits/{user_id}",     0, usage::limits).limit(Limit::Usage),
        route(GET,    USER,   "/api/v1/payment/status",             0, billing::status).limit(Limit::PaymentStatus),
        route(POST,   USER,   "/api/v1/payment/checkout/subscription", JSON_BYTES_MAX, billing::subscribe).limit(Limit::Checkout),
        route(POST,   USER,   "/api/v1/payment/checkout/topup",     JSON_BYTES_MAX, billing::top_up).limit(Limit::Checkout),
        route(GET,    USER,   "/billing/history",                   0, billing::history),
        route(POST,   ANYONE, "/payment/events",                    JSON_BYTES_MAX, billing::event),
        route(GET,    ANYONE, "/payment/success",                   0, billing::paid_page),
        route(GET,    ANYONE, "/payment/canceled",                  0, billing::canceled_page),
        route(POST,   ADMIN,  "/admin/billing/reconcile",           4096, billing::reconcile),
        route(POST,   USER,   "/marketplace/apps",                  JSON_BYTES_MAX, marketplace::apps::create),
        route(GET,    USER,   "/marketplace/apps",                  0, marketplace::apps::list),
        route(GET,    USER,   "/marketplace/apps/{app_id}",         0, marketplace::apps::show),
        route(PUT,    USER,   "/marketplace/apps/{app_id}",         JSON_BYTES_MAX, marketplace::apps::replace),
        route(DELETE, USER,   "/marketplace/apps/{app_id}",         0, marketplace::apps::delete),
        route(PUT,    USER,   "/marketplace/apps/{app_id}/rooms/{chat_guid}", 0, marketplace::apps::install),
        route(DELETE, USER,   "/marketplace/apps/{app_id}/rooms/{chat_guid}", 0, marketplace::apps::uninstall),
        route(GET,    USER,   "/marketplace/rooms/{chat_guid}/apps", 0, marketplace::apps::list_of_room),
        route(POST,   USER,   "/marketplace/webhooks/{app_id}",     WEBHOOK_BYTES_MAX, marketplace::webhooks::create),
        route(GET,    USER,   "/marketplace/webhooks/{app_id}",     0, marketplace::webhooks::list),
        route(PATCH,  USER,   "/marketplace/webhooks/{app_id}/{webhook_id}", WEBHOOK_BYTES_MAX, marketplace::webhooks::update),
        route(DELETE, USER,   "/marketplace/webhooks/{app_id}/{webhook_id}", 0, marketplace::webhooks::delete),
        route(POST,   USER,   "/marketplace/webhooks/{app_id}/{webhook_id}/rotate-secret", 0, marketplace::webhooks::rotate),
        route(GET,    USER,   "/marketplace/webhooks/{app_id}/{webhook_id}/events", 0, marketplace::webhooks::events),
        route(POST,   USER,   "/marketplace/webhooks/{app_id}/{webhook_id}/test", CALL_BYTES_MAX, marketplace::webhooks::test),
        route(POST,   ANYONE, "/webhooks/{webhook_id}",             CALL_BYTES_MAX, webhooks::receive).without_origin_check(),
    ]
}

/// The handler's types say who may call the route, how many parameters its path has and which body
/// it gets. `_caller` shows the first in the table; the compiler compares them.
///
/// # Panics
///
/// When the path has another number of parameters: the table is wrong and the service must not
/// start.
fn route<C, P, B, F>(
    method: Method,
    _caller: PhantomData<C>,
    path: &'static str,
    body_bytes_max: usize,
    handler: fn(Request<C, P, B>) -> F,
) -> Route
where
    C: Authenticated,
    P: PathParams,
    B: Body,
    F: Future<Output = Result<Response>> + Send + 'static,
{
    let params = path.matches('{').count();
    assert!(params == P::COUNT, "{path} has {params} parameters");
    Route {
        checks_origin: method != Method::GET,
        method,
        path,
        caller: C::CALLER,
        body_bytes_max,
        limit: None,
        handle: Box::new(move |app, call| Box::pin(run(app, call, handler))),
    }
}

impl Route {
    fn limit(self, limit: Limit) -> Self {
        Self {
            limit: Some(limit),
            ..self
        }
    }

    /// For a handler that checks the origin itself.
    fn without_origin_check(self) -> Self {
        Self {
            checks_origin: false,
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
    if row.checks_origin {
        origin::check(&app, row.caller, &exchange)?;
    }
    let call = RoutedRequest {
        exchange,
        params,
        body_bytes_max: row.body_bytes_max,
        limit: row.limit,
    };
    let outcome = (row.handle)(app, call).await;
    if outcome.as_ref().is_err_and(is_refused_credential) {
        trace.set_from(address);
    }
    outcome
}

/// Errors of a refused credential. The log names the client's address for them, so that operators
/// can block addresses that guess.
fn is_refused_credential(error: &Error) -> bool {
    error.kind == ErrorKind::Unauthorized || error.code == "invalid_signature"
}

async fn run<C, P, B, F>(
    app: Arc<App>,
    call: RoutedRequest,
    handler: fn(Request<C, P, B>) -> F,
) -> Result<Response>
where
    C: Authenticated,
    P: PathParams,
    B: Body,
    F: Future<Output = Result<Response>> + Send,
{
    let caller = C::authenticate(&app, &call.exchange).await?;
    call.exchange.trace.set_caller(caller.label());
    let quota = match call.limit {
        Some(limit) => caller.count(&app, limit).await?,
        None => None,
    };
    let mut exchange = call.exchange;
    let handling = async {
        let path = P::from_params(call.params).ok_or_else(Error::not_found)?;
        let now = app.clock.now();
        let body = B::read(&mut exchange, call.body_bytes_max, now).await?;
        handler(Request {
            app,
            exchange,
            caller,
            path,
            body,
            body_bytes_max: call.body_bytes_max,
        })
        .await
    };
    let outcome = handling.await;
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
