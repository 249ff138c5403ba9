//! Grants: an operator makes somebody subscribed, without a payment provider, and unmakes it.

use serde_json::json;

use crate::clock::Timestamp;
use crate::error::{Error, Kind, Result};
use crate::model::subscription::Grant;
use crate::store::{Change, Operator, Tx, UserRow};

/// Replaces the user's grant, or takes it away; the user afterwards. `user_id` is the public
/// one. In effect from the user's next message, whose transaction comes after this one.
pub fn set(
    tx: &mut Tx<'_>,
    user_id: &str,
    grant: Option<&Grant>,
    operator: &Operator,
    now: Timestamp,
) -> Result<UserRow> {
    let mut row = tx
        .view()
        .user(user_id, now.utc_day())?
        .ok_or_else(user_not_found)?;
    tx.set_user_grant(&row, grant)?;
    let shown = |grant: &Grant| json!({"plan": grant.plan, "until": grant.until});
    let change = Change {
        action: if grant.is_some() {
            "grant.set"
        } else {
            "grant.remove"
        },
        subject: row.user.public_id.clone(),
        before: json!(row.user.grant.as_ref().map(shown)),
        after: json!(grant.map(shown)),
    };
    tx.insert_audit(operator, &change, now)?;
    row.user.grant = grant.cloned();
    Ok(row)
}

pub fn user_not_found() -> Error {
    Error::new(
        Kind::NotFound,
        "user_not_found",
        "There is no user with this id.",
    )
}
