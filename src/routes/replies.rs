//! `/admin/messages/{id}` and `/admin/metrics/token-usage`: how an answer was decided, and how many
//! model tokens were used.

use schemars::JsonSchema;
use serde::Serialize;

use super::Request;
use super::caller::Admin;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::http::{self, Response};
use crate::ingest::explain;
use crate::store::TokenUsage;

const DAYS_DEFAULT: i64 = 7;
const DAYS_MAX: i64 = 90;
const DAY_S: i64 = 86_400;

/// The decision record of a message's answer.
pub(super) async fn message(rq: Request<Admin, String>) -> Result<Response> {
    let id: i64 = rq.path.parse().map_err(|_| Error::not_found())?;
    let with_text = match rq.exchange.query_param("text")?.as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Error::invalid_field("/text", "must be true or false.")),
    };
    let app = rq.app;
    let ingest = app.ingest.clone();
    let explanation = app
        .store
        .read(move |view| explain::explain(view, id, &ingest.persona.get().name, with_text))
        .await?;
    Ok(http::json(&explanation))
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TokenUsage")]
pub(super) struct UsageReport {
    since: Timestamp,
    totals: TokenUsage,
    by_endpoint: Vec<EndpointUsage>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct EndpointUsage {
    endpoint: String,
    class: String,
    calls: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
    cache_hits: u64,
}

/// Tokens by endpoint and class, for today and earlier days.
pub(super) async fn token_usage(rq: Request<Admin>) -> Result<Response> {
    let days = rq.query_integer("days", DAYS_DEFAULT, 1..=DAYS_MAX)?;
    let since = rq.app.clock.now().utc_day() - (days - 1);
    let rows = rq
        .app
        .store
        .read(move |view| view.token_usage(since))
        .await?;
    let mut totals = TokenUsage::default();
    let by_endpoint = rows
        .into_iter()
        .map(|(endpoint, class, used)| {
            totals.add(&used);
            EndpointUsage {
                endpoint,
                class,
                calls: used.calls,
                prompt_tokens: used.prompt_tokens,
                completion_tokens: used.completion_tokens,
                cache_hits: used.cache_hits,
            }
        })
        .collect();
    Ok(http::json(&UsageReport {
        since: Timestamp::from_seconds(since * DAY_S),
        totals,
        by_endpoint,
    }))
}
