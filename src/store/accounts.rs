//! A user's account as its owner sees it over the HTTP API, and its pending deletion.

use super::query::{Columns, FromRow, from_row};
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
        self.find(
            "SELECT id, user_id, name, timezone, status, plan, granted_plan, granted_until,
               phone, email, created_at, deletion_requested_at, deletion_scheduled_for
             FROM users WHERE id = ?1",
            [user],
        )
    }

    /// `None` when the user doesn't exist any more; `Some(None)` when no deletion is pending.
    pub fn pending_deletion(&self, user: UserId) -> Result<Option<Option<PendingDeletion>>> {
        self.find(
            "SELECT deletion_requested_at, deletion_scheduled_for FROM users WHERE id = ?1",
            [user],
        )
    }
}

impl Tx<'_> {
    /// Sets or removes the account's deletion date.
    pub fn set_pending_deletion(
        &self,
        user: UserId,
        deletion: Option<PendingDeletion>,
    ) -> Result<()> {
        self.run(
            "UPDATE users SET deletion_requested_at = ?2, deletion_scheduled_for = ?3 WHERE id = ?1",
            (
                user,
                deletion.map(|deletion| deletion.requested_at),
                deletion.map(|deletion| deletion.scheduled_for),
            ),
        )
    }
}

from_row!(AccountStatus: user, phone, email, created_at, deletion);

impl FromRow for Option<PendingDeletion> {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let (requested_at, scheduled_for) = FromRow::read(columns)?;
        let times = Option::zip(requested_at, scheduled_for);
        Ok(times.map(|(requested_at, scheduled_for)| PendingDeletion {
            requested_at,
            scheduled_for,
        }))
    }
}
