//! Who may use what: the one function that every path asks. Pure.

use crate::store::User;

/// Whether free users' messages are limited by the day.
pub const LIMITS_MESSAGES: bool = false;

/// The verdict on a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Allowed,
}

impl Access {
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::Allowed)
    }
}

/// Every message is let in: the free tier's limits are not in this version.
pub fn message(_user: &User) -> Access {
    Access::Allowed
}

/// Subscribed: active or trial.
pub fn is_subscribed(user: &User) -> bool {
    matches!(user.status.as_str(), "active" | "trial")
}

/// Only free users' messages use up the day's allowance.
pub fn is_counted(user: &User) -> bool {
    !is_subscribed(user)
}
