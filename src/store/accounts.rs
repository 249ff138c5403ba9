//! A user's account as its owner sees it over the HTTP API, and its pending deletion.

use rusqlite::OptionalExtension;

use super::users::user_from;
use super::{Tx, User, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone)]
pub struct AccountStatus {
    pub user: User,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub created_at: Timestamp,
    pub deletion: Option<PendingDeletion>,
}

/// A deletion that the user requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingDeletion {
    pub requested_at: Timestamp,
    /// The time when the account will be deleted.
    pub scheduled_for: Timestamp,
}

impl View<'_> {
    /// `None` when the user doesn't exist any more.
    pub fn account_status(&self, user: UserId) -> Result<Option<AccountStatus>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT id, user_id, name, timezone, status, plan, granted_plan, granted_until,
                   phone, email, created_at, deletion_requested_at, deletion_scheduled_for
                 FROM users WHERE id = ?1",
            )?
            .query_row([user.0], |row| {
                Ok(AccountStatus {
                    user: user_from(row)?,
                    phone: row.get(8)?,
                    email: row.get(9)?,
                    created_at: Timestamp(row.get(10)?),
                    deletion: pending(row.get(11)?, row.get(12)?),
                })
            })
            .optional()?)
    }

    /// `None` when the user doesn't exist any more; `Some(None)` when no deletion is pending.
    pub fn pending_deletion(&self, user: UserId) -> Result<Option<Option<PendingDeletion>>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT deletion_requested_at, deletion_scheduled_for FROM users WHERE id = ?1",
            )?
            .query_row([user.0], |row| Ok(pending(row.get(0)?, row.get(1)?)))
            .optional()?)
    }
}

impl Tx<'_> {
    /// Sets or removes the account's deletion date.
    pub fn set_pending_deletion(
        &self,
        user: UserId,
        deletion: Option<PendingDeletion>,
    ) -> Result<()> {
        self.execute(
            "UPDATE users SET deletion_requested_at = ?2, deletion_scheduled_for = ?3 WHERE id = ?1",
            (
                user.0,
                deletion.map(|deletion| deletion.requested_at.0),
                deletion.map(|deletion| deletion.scheduled_for.0),
            ),
        )?;
        Ok(())
    }
}

fn pending(requested_at: Option<i64>, scheduled_for: Option<i64>) -> Option<PendingDeletion> {
    Some(PendingDeletion {
        requested_at: Timestamp(requested_at?),
        scheduled_for: Timestamp(scheduled_for?),
    })
}
