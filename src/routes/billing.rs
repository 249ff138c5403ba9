//! `/payment…` and `/billing/history`: checkouts, status, history, reconciliation, and the payment
//! provider's events.

use schemars::JsonSchema;
use serde::Serialize;

use super::caller::Admin;
use super::request::JsonBody;
use super::{Request, audit};
use crate::account::identity::SignedInUser;
use crate::billing::checkout::ReturnUrls;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::http::{self, Fields, Response};
use crate::model::subscription::PLANS;
use crate::store::Change;

/// A longer URL gets the same error as any other invalid return URL.
const URL_BYTES_MAX: usize = 64 * 1024;
const CUSTOMER_BYTES_MAX: usize = 255;
const HISTORY_DEFAULT: usize = 20;
const HISTORY_MAX: usize = 100;
const ID_BYTES_MAX: usize = 255;

pub(super) async fn status(rq: Request<SignedInUser>) -> Result<Response> {
    let status = rq.app.billing.status(rq.caller.id).await?;
    Ok(http::json(&status))
}

pub(super) struct SubscriptionCheckout {
    plan: &'static str,
    return_urls: ReturnUrls,
}

impl JsonBody for SubscriptionCheckout {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        Self {
            plan: fields.one_of("plan", &PLANS),
            return_urls: read_return_urls(fields),
        }
    }
}

pub(super) async fn subscribe(
    rq: Request<SignedInUser, (), SubscriptionCheckout>,
) -> Result<Response> {
    let SubscriptionCheckout { plan, return_urls } = &rq.body;
    let session = rq.app.billing.subscribe(rq.caller.id, plan, return_urls);
    Ok(http::json(&session.await?))
}

pub(super) struct TopUpCheckout {
    amount_cents: i64,
    return_urls: ReturnUrls,
}

impl JsonBody for TopUpCheckout {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        Self {
            amount_cents: fields.required_integer("amount_cents", i64::MIN..=i64::MAX),
            return_urls: read_return_urls(fields),
        }
    }
}

pub(super) async fn top_up(rq: Request<SignedInUser, (), TopUpCheckout>) -> Result<Response> {
    let (user, amount) = (rq.caller.id, rq.body.amount_cents);
    let session = rq.app.billing.top_up(user, amount, &rq.body.return_urls);
    Ok(http::json(&session.await?))
}

pub(super) async fn history(rq: Request<SignedInUser>) -> Result<Response> {
    let limit = rq.query_integer("limit", HISTORY_DEFAULT, 1..=HISTORY_MAX)?;
    let after = rq.exchange.query_param("starting_after")?;
    if after.as_deref().is_some_and(|after| !is_id(after)) {
        let expected = "must be the id of the last transaction seen.";
        return Err(Error::invalid_field("/starting_after", expected));
    }
    let user = rq.caller.id;
    let history = rq.app.billing.history(user, limit, after.as_deref());
    Ok(http::json(&history.await?))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ReceivedEvent {
    received: bool,
}

/// The signature authenticates the provider. It is checked before the body is parsed.
pub(super) async fn event(mut rq: Request) -> Result<Response> {
    rq.exchange.check_encoding()?;
    let body = rq.exchange.read_body(rq.body_bytes_max).await?;
    // A duplicate header or one with invalid bytes counts as a missing signature.
    let signature = rq.exchange.header("stripe-signature").unwrap_or(None);
    rq.app.billing.verify_event(signature, &body)?;
    let event = http::parse_json(&body)?;
    rq.app.billing.receive(&event).await?;
    Ok(http::json(&ReceivedEvent { received: true }))
}

pub(super) async fn paid_page(_: Request) -> Result<Response> {
    Ok(page(
        "Thank you",
        "You can close this page and go back to your chat.",
    ))
}

pub(super) async fn canceled_page(_: Request) -> Result<Response> {
    Ok(page("Nothing was paid", "You can close this page."))
}

pub(super) struct ReconcilePage {
    dry_run: bool,
    /// The last customer of the page before; empty for the first page.
    after: String,
}

impl JsonBody for ReconcilePage {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        let after = fields.optional_string("after", 0..=CUSTOMER_BYTES_MAX);
        Self {
            dry_run: fields.optional_bool("dry_run").unwrap_or(false),
            after: after.unwrap_or_default(),
        }
    }
}

pub(super) async fn reconcile(rq: Request<Admin, (), ReconcilePage>) -> Result<Response> {
    let ReconcilePage { dry_run, after } = &rq.body;
    // A run over several pages is written to the audit log once, with its first page.
    if !*dry_run && after.is_empty() {
        let (operator, now) = (audit::operator(&rq)?, rq.app.clock.now());
        let change = Change::work("billing.reconcile");
        let recording = rq
            .app
            .store
            .write(move |tx| tx.insert_audit(&operator, &change, now));
        recording.await?;
    }
    let page = rq.app.billing.reconcile_page(after, *dry_run).await?;
    Ok(http::json(&page))
}

fn read_return_urls(fields: &mut Fields) -> ReturnUrls {
    ReturnUrls {
        success_url: fields.optional_string("success_url", 1..=URL_BYTES_MAX),
        cancel_url: fields.optional_string("cancel_url", 1..=URL_BYTES_MAX),
    }
}

fn is_id(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(allowed)
}

fn page(title: &str, text: &str) -> Response {
    let page = http::html(format!(
        "<!doctype html><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title}</title><h1>{title}</h1><p>{text}</p>"
    ));
    let policy = "default-src 'none'; frame-ancestors 'none'";
    http::with_header(page, http::header::CONTENT_SECURITY_POLICY, policy)
}
