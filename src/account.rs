//! People's accounts as operators see and change them. It knows no route and no SQL.

pub mod confirmation;
pub mod deletion;
pub mod erasure;
pub mod exports;
pub mod grants;
pub mod identity;
pub mod usage;

use serde::Serialize;

use crate::access;
use crate::clock::Timestamp;
use crate::store::UserRow;

/// A user, as the admin API and `chatkeep user --json` show one.
#[derive(Debug, Serialize)]
pub struct UserView<'a> {
    /// UUID
    pub user_id: &'a str,
    pub phone: Option<&'a str>,
    pub name: Option<&'a str>,
    /// IANA name
    pub timezone: Option<&'a str>,
    pub created_at: Timestamp,
    /// With what an operator granted.
    pub subscription_status: &'a str,
    pub subscription_plan: Option<&'a str>,
    /// Only while it holds.
    pub grant: Option<ShownGrant<'a>>,
    /// Counted this UTC day; subscribers' messages are not.
    pub messages_today: i64,
    /// When the account goes, if its owner asked for that.
    pub deletion_scheduled_for: Option<Timestamp>,
}

#[derive(Debug, Serialize)]
pub struct ShownGrant<'a> {
    pub plan: &'a str,
    /// The first moment without it; `None`: no end.
    pub until: Option<Timestamp>,
}

impl<'a> UserView<'a> {
    pub fn of(row: &'a UserRow, now: Timestamp) -> Self {
        let user = &row.user;
        let standing = access::standing(user, now);
        let grant = user.grant.as_ref().filter(|grant| grant.holds(now));
        Self {
            user_id: &user.public_id,
            phone: row.phone.as_deref(),
            name: user.name.as_deref(),
            timezone: user.timezone.as_deref(),
            created_at: row.created_at,
            subscription_status: standing.status,
            subscription_plan: standing.plan,
            grant: grant.map(|grant| ShownGrant {
                plan: &grant.plan,
                until: grant.until,
            }),
            messages_today: row.day_count,
            deletion_scheduled_for: row.deletion_scheduled_for,
        }
    }
}
