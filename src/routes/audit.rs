//! `GET /admin/audit`: the log of operators' changes. Also determines which operator makes a
//! change, for the log's rows.

use schemars::JsonSchema;
use serde::Serialize;

use super::caller::Admin;
use super::{Request, address};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::http::{self, Response};
use crate::store::{AuditRow, Operator};

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 200;
const NAME_BYTES_MAX: usize = 64;
/// All operators share one token. In this header a client names the operator.
const OPERATOR: &str = "x-operator";

#[derive(Serialize, JsonSchema)]
pub(super) struct ChangeList {
    entries: Vec<AuditRow>,
    has_more: bool,
}

pub(super) async fn list(rq: Request<Admin>) -> Result<Response> {
    let param = |name| rq.exchange.query_param(name);
    let limit = rq.query_integer("limit", LIMIT_DEFAULT, 1..=LIMIT_MAX)?;
    let since = match param("since")? {
        None => Timestamp(i64::MIN),
        Some(text) => Timestamp::parse(&text).ok_or_else(|| {
            let expected = "must be a time like \"2030-01-31T12:00:00Z\", with its offset.";
            Error::invalid_field("/since", expected)
        })?,
    };
    let before = match param("before_id")? {
        None => i64::MAX,
        Some(text) => text.parse().map_err(|_| {
            let expected = "must be the id of the last entry seen.";
            Error::invalid_field("/before_id", expected)
        })?,
    };
    let entries = rq
        .app
        .store
        .read(move |view| view.audit(since, before, limit + 1));
    let mut entries = entries.await?;
    let has_more = entries.len() > limit;
    entries.truncate(limit);
    Ok(http::json(&ChangeList { entries, has_more }))
}

/// The operator's name from the header, and the client's address.
pub(super) fn operator<P, B>(rq: &Request<Admin, P, B>) -> Result<Operator> {
    let name = rq.exchange.header(OPERATOR)?.unwrap_or("admin API");
    if !(1..=NAME_BYTES_MAX).contains(&name.len()) {
        return Err(Error::bad_request(format!(
            "X-Operator must be a name of 1-{NAME_BYTES_MAX} characters."
        )));
    }
    Ok(Operator {
        name: name.to_owned(),
        address: Some(address::of(&rq.app, &rq.exchange).to_string()),
    })
}
