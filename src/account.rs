//! People's accounts, as operators see and change them. This module must not know routes or SQL.

pub mod call_limits;
pub mod confirmation;
pub mod deletion;
pub mod erasure;
pub mod exports;
pub mod identity;
pub mod usage;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::access;
use crate::clock::{Timestamp, Zone};
use crate::error::{Error, Result};
use crate::model::public_id::PublicId;
use crate::model::subscription::{Grant, PlanWord, StatusWord};
use crate::store::{Change, Operator, Tx, UserRow};

// As JSON for the admin API and `chatkeep user --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
pub struct UserView<'a> {
    #[schemars(with = "PublicId")]
    pub user_id: &'a str,
    #[schemars(example = &"+15550100")]
    pub phone: Option<&'a str>,
    pub name: Option<&'a str>,
    /// An IANA time zone name.
    pub timezone: Option<&'a str>,
    pub created_at: Timestamp,
    #[schemars(with = "StatusWord")]
    pub subscription_status: &'a str,
    #[schemars(with = "Option<PlanWord>")]
    pub subscription_plan: Option<&'a str>,
    /// Present only while the grant is valid.
    pub grant: Option<GrantView<'a>>,
    /// Messages counted this UTC day; messages of subscribers aren't counted.
    #[schemars(range(min = 0))]
    pub messages_today: i64,
    /// When the account will be deleted; null if its owner did not request deletion.
    pub deletion_scheduled_for: Option<Timestamp>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct GrantView<'a> {
    #[schemars(with = "PlanWord")]
    pub plan: &'a str,
    /// First moment without the grant; null without an end.
    pub until: Option<Timestamp>,
}

impl<'a> UserView<'a> {
    pub fn of(row: &'a UserRow, now: Timestamp) -> Self {
        let user = &row.user;
        let subscription = access::subscription_status(user, now);
        let grant = user.grant.as_ref().filter(|grant| grant.holds(now));
        Self {
            user_id: &user.public_id,
            phone: row.phone.as_deref(),
            name: user.name.as_deref(),
            timezone: user.timezone.map(Zone::name),
            created_at: row.created_at,
            subscription_status: subscription.status,
            subscription_plan: subscription.plan,
            grant: grant.map(|grant| GrantView {
                plan: &grant.plan,
                until: grant.until,
            }),
            messages_today: row.day_count,
            deletion_scheduled_for: row.deletion_scheduled_for,
        }
    }
}

/// Replaces or removes the user's grant and returns the user. `user_id` is the public id. Takes
/// effect with the user's next message.
pub fn set_grant(
    tx: &mut Tx,
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
