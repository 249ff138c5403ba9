//! `/api/v1/usage/…`: what the caller may still use today.

use super::Request;
use crate::account::grants::user_not_found;
use crate::account::usage::UsageLimits;
use crate::error::Result;
use crate::http::{self, Response};
use crate::model::public_id::PublicId;

/// Their own only: somebody else's id is as good as nobody's.
pub(super) async fn limits(rq: Request) -> Result<Response> {
    let (who, now) = (rq.who()?, rq.app.clock.now());
    let asked =
        PublicId::parse(rq.params.get("user_id").unwrap_or_default()).map(|id| id.to_string());
    if asked.as_deref() != Some(&*who.user_id) {
        return Err(user_not_found());
    }
    let row = rq
        .app
        .store
        .look_up(|view| view.user(&who.user_id, now.utc_day()))?;
    let row = row.ok_or_else(user_not_found)?;
    let flags = rq.app.flags.for_user(&who.user_id);
    Ok(http::json(&UsageLimits::of(&row, &flags, now)))
}
