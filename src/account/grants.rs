//! Grants: an operator gives a user a subscription without the payment provider, or removes it.

use serde_json::json;

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::subscription::Grant;
use crate::store::{Change, Operator, Tx, UserRow};

/// Replaces or removes the user's grant and returns the user. `user_id` is the public id. Takes
/// effect with the user's next message.
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
        .ok_or_else(Error::user_not_found)?;
    tx.set_user_grant(&row, grant)?;
    let view = |grant: &Grant| json!({"plan": grant.plan, "until": grant.until});
    let change = Change {
        action: if grant.is_some() {
            "grant.set"
        } else {
            "grant.remove"
        },
        subject: row.user.public_id.clone(),
        before: json!(row.user.grant.as_ref().map(view)),
        after: json!(grant.map(view)),
    };
    tx.insert_audit(operator, &change, now)?;
    row.user.grant = grant.cloned();
    Ok(row)
}
