//! `/account…`: the caller's own account and its deletion.

use serde_json::json;

use super::Request;
use super::request::JsonBody;
use crate::access;
use crate::account::deletion;
use crate::account::identity::SignedInUser;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::http::{self, Fields, Response};
use crate::store::AccountStatus;

pub(super) async fn status(rq: Request<SignedInUser>) -> Result<Response> {
    let (user, now) = (rq.caller.id, rq.app.clock.now());
    let status = rq.app.store.read(move |view| view.account_status(user));
    let account = status.await?.ok_or_else(deletion::account_erased)?;
    Ok(account_body(&account, now))
}

pub(super) struct DeletionRequest {
    confirmation: String,
}

impl JsonBody for DeletionRequest {
    fn from_fields(fields: &mut Fields<'_>, _: Timestamp) -> Self {
        // A text of any length is checked as a confirmation, so there is no length error.
        let confirmation = fields.required_string("confirmation", 0..=usize::MAX);
        Self { confirmation }
    }
}

pub(super) async fn request_deletion(
    rq: Request<SignedInUser, (), DeletionRequest>,
) -> Result<Response> {
    let (user, now, confirmation) = (rq.caller.id, rq.app.clock.now(), rq.body.confirmation);
    let deletion = rq
        .app
        .store
        .write(move |tx| deletion::request(tx, user, &confirmation, now))
        .await?;
    let date = deletion.scheduled_for.utc_date();
    Ok(http::json(&json!({
        "message": format!(
            "Your account will be deleted on {date}. You can cancel until {}.",
            deletion.scheduled_for
        ),
        "deletion_date": date,
        "can_cancel_until": date,
    })))
}

pub(super) async fn cancel_deletion(rq: Request<SignedInUser>) -> Result<Response> {
    let (user, now) = (rq.caller.id, rq.app.clock.now());
    rq.app
        .store
        .write(move |tx| deletion::cancel(tx, user, now))
        .await?;
    Ok(http::json(
        &json!({ "message": "Your account will not be deleted." }),
    ))
}

/// The account as JSON. Unknown values are empty strings.
fn account_body(account: &AccountStatus, now: Timestamp) -> Response {
    let user = &account.user;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    http::json(&json!({
        "user_id": user.public_id,
        "phone": text(&account.phone),
        "name": text(&user.name),
        "email": text(&account.email),
        "created_at": account.created_at,
        "subscription_status": access::subscription_status(user, now).status,
        "deletion_requested": account.deletion.is_some(),
        "deletion_scheduled_for": account.deletion.map(|deletion| deletion.scheduled_for),
    }))
}
