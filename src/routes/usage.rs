//! `/api/v1/usage/…`: the caller's remaining allowance for today.

use super::Request;
use crate::account::identity::SignedInUser;
use crate::account::usage::UsageLimits;
use crate::error::{Error, Result};
use crate::http::{self, Response};
use crate::model::public_id::PublicId;

/// Only the caller's own: another person's id is answered like an unknown one.
pub(super) async fn limits(rq: Request<SignedInUser, String>) -> Result<Response> {
    let (user, now) = (&rq.caller, rq.app.clock.now());
    let requested_id = PublicId::parse(&rq.path).map(|id| id.to_string());
    if requested_id.as_deref() != Some(&*user.user_id) {
        return Err(Error::user_not_found());
    }
    let row = rq
        .app
        .store
        .look_up(|view| view.user(&user.user_id, now.utc_day()))?;
    let row = row.ok_or_else(Error::user_not_found)?;
    let flags = rq.app.flags.for_user(&user.user_id);
    Ok(http::json(&UsageLimits::of(&row, &flags, now)))
}
