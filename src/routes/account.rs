//! `/account…`: the caller's own account and its deletion.

use schemars::JsonSchema;
use serde::Serialize;

use super::Request;
use super::answers::MessageAnswer;
use super::request::JsonBody;
use crate::access;
use crate::account::deletion;
use crate::account::identity::SignedInUser;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::http::{self, Fields, Response};
use crate::model::public_id::PublicId;
use crate::model::subscription::StatusWord;

/// Unknown values are empty strings.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub(super) struct AccountView<'a> {
    #[schemars(with = "PublicId")]
    user_id: &'a str,
    #[schemars(example = &"+15550100")]
    phone: &'a str,
    #[schemars(example = &"Ada")]
    name: &'a str,
    #[schemars(example = &"ada@example.com")]
    email: &'a str,
    created_at: Timestamp,
    #[schemars(with = "StatusWord")]
    subscription_status: &'a str,
    deletion_requested: bool,
    deletion_scheduled_for: Option<Timestamp>,
}

pub(super) async fn status(rq: Request<SignedInUser>) -> Result<Response> {
    let (user, now) = (rq.caller.id, rq.app.clock.now());
    let status = rq.app.store.read(move |view| view.account_status(user));
    let account = status.await?.ok_or_else(deletion::account_erased)?;
    let user = &account.user;
    Ok(http::json(&AccountView {
        user_id: &user.public_id,
        phone: account.phone.as_deref().unwrap_or_default(),
        name: user.name.as_deref().unwrap_or_default(),
        email: account.email.as_deref().unwrap_or_default(),
        created_at: account.created_at,
        subscription_status: access::subscription_status(user, now).status,
        deletion_requested: account.deletion.is_some(),
        deletion_scheduled_for: account.deletion.map(|deletion| deletion.scheduled_for),
    }))
}

pub(super) struct DeletionRequest {
    confirmation: String,
}

impl JsonBody for DeletionRequest {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        // A text of any length is checked as a confirmation, so there is no length error.
        let confirmation = fields.required_string("confirmation", 0..=usize::MAX);
        Self { confirmation }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeletionScheduled")]
pub(super) struct ScheduledDeletion {
    message: String,
    /// The date on which the account is deleted.
    #[schemars(example = &"2030-01-31", extend("format" = "date"))]
    deletion_date: String,
    /// The same date as `deletion_date`.
    #[schemars(example = &"2030-01-31", extend("format" = "date"))]
    can_cancel_until: String,
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
    Ok(http::json(&ScheduledDeletion {
        message: format!(
            "Your account will be deleted on {date}. You can cancel until {}.",
            deletion.scheduled_for
        ),
        deletion_date: date.clone(),
        can_cancel_until: date,
    }))
}

pub(super) async fn cancel_deletion(rq: Request<SignedInUser>) -> Result<Response> {
    let (user, now) = (rq.caller.id, rq.app.clock.now());
    rq.app
        .store
        .write(move |tx| deletion::cancel(tx, user, now))
        .await?;
    Ok(http::json(&MessageAnswer {
        message: "Your account will not be deleted.",
    }))
}
