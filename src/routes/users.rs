//! `/admin/users…`: the operator's list of users, and what an operator does for them: grants,
//! deletions, exports.

use schemars::JsonSchema;
use serde::Serialize;

use super::caller::Admin;
use super::request::JsonBody;
use super::{Request, audit};
use crate::account::exports::file_name;
use crate::account::{self, UserView, deletion};
use crate::app::App;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::http::{self, Fields, Response};
use crate::model::public_id::PublicId;
use crate::model::subscription::{self, Grant, PLANS};
use crate::store::{Operator, UserRow};

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 200;

#[derive(Serialize, JsonSchema)]
pub(super) struct UserList<'a> {
    users: Vec<UserView<'a>>,
    has_more: bool,
}

/// Ordered by the time they were first seen.
pub(super) async fn list(rq: Request<Admin>) -> Result<Response> {
    let limit = rq.query_integer("limit", LIMIT_DEFAULT, 1..=LIMIT_MAX)?;
    let after = rq.exchange.query_param("after")?;
    let now = rq.app.clock.now();
    let mut rows = rq
        .app
        .store
        .read(move |view| {
            let after = match after {
                None => None,
                Some(id) => {
                    let user = view.user(&id, now.utc_day())?;
                    Some(user.ok_or_else(unknown_after)?.user.id)
                }
            };
            view.users(after, limit + 1, now.utc_day())
        })
        .await?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let users = rows.iter().map(|row| UserView::of(row, now)).collect();
    Ok(http::json(&UserList { users, has_more }))
}

pub(super) async fn show(rq: Request<Admin, String>) -> Result<Response> {
    let (user_id, now) = (rq.path, rq.app.clock.now());
    let user = rq
        .app
        .store
        .read(move |view| view.user(&user_id, now.utc_day()))
        .await?;
    Ok(user_body(&user.ok_or_else(Error::user_not_found)?, now))
}

impl JsonBody for Grant {
    fn from_fields(fields: &mut Fields, now: Timestamp) -> Self {
        let plan = fields.one_of("plan", &PLANS).to_owned();
        let until = fields.optional_string("until", 1..=64);
        let until = until.and_then(|text| {
            let end = subscription::grant_end(&text, now);
            end.map_err(|reason| fields.refuse("until", reason + "."))
                .ok()
        });
        Self { plan, until }
    }
}

pub(super) async fn set_grant(rq: Request<Admin, String, Grant>) -> Result<Response> {
    let operator = audit::operator(&rq)?;
    change(&rq.app, rq.path, Some(rq.body), operator).await
}

pub(super) async fn remove_grant(rq: Request<Admin, String>) -> Result<Response> {
    let operator = audit::operator(&rq)?;
    change(&rq.app, rq.path, None, operator).await
}

async fn change(
    app: &App,
    user_id: String,
    grant: Option<Grant>,
    operator: Operator,
) -> Result<Response> {
    let now = app.clock.now();
    let row = app
        .store
        .write(move |tx| account::set_grant(tx, &user_id, grant.as_ref(), &operator, now))
        .await?;
    Ok(user_body(&row, now))
}

pub(super) async fn schedule_deletion(rq: Request<Admin, String>) -> Result<Response> {
    let operator = audit::operator(&rq)?;
    set_deletion(&rq.app, rq.path, true, operator).await
}

pub(super) async fn cancel_deletion(rq: Request<Admin, String>) -> Result<Response> {
    let operator = audit::operator(&rq)?;
    set_deletion(&rq.app, rq.path, false, operator).await
}

async fn set_deletion(
    app: &App,
    user_id: String,
    is_wanted: bool,
    operator: Operator,
) -> Result<Response> {
    let now = app.clock.now();
    let row = app
        .store
        .write(move |tx| deletion::set_by_operator(tx, &user_id, is_wanted, &operator, now))
        .await?;
    Ok(user_body(&row, now))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct OperatorExport {
    #[schemars(with = "PublicId")]
    job_id: String,
    /// The file's name in the folder `exports.dir`. It has this name only when it is complete.
    file: String,
}

/// Starts an export, whose file is in the folder of exports when it is ready.
pub(super) async fn export(rq: Request<Admin, String>) -> Result<Response> {
    let operator = audit::operator(&rq)?;
    let exports = &rq.app.exports;
    let job_id = exports.request_by_operator(rq.path, operator).await?;
    let file = file_name(&job_id);
    Ok(http::json(&OperatorExport { job_id, file }))
}

fn user_body(row: &UserRow, now: Timestamp) -> Response {
    http::json(&UserView::of(row, now))
}

fn unknown_after() -> Error {
    Error::invalid_field("/after", "must be the user_id of the last user seen.")
}
