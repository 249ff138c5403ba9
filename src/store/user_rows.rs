//! Users for the operator (`chatkeep user`): one by name, or all in pages, and their grants.

use super::query::from_row;
use super::{Tx, User, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::subscription::Grant;

#[derive(Debug, Clone)]
pub struct UserRow {
    pub user: User,
    pub phone: Option<String>,
    pub created_at: Timestamp,
    /// Messages counted on the requested UTC day.
    pub day_count: i64,
    pub deletion_scheduled_for: Option<Timestamp>,
}

/// `?1` is the day.
const COLUMNS: &str = "SELECT id, users.user_id, name, timezone, status, plan, granted_plan,
       granted_until, phone, created_at, coalesce(count, 0), deletion_scheduled_for
     FROM users LEFT JOIN usage_days ON usage_days.user_id = users.id AND day = ?1";

impl View<'_> {
    /// By the public id.
    pub fn user(&self, public_id: &str, day: i64) -> Result<Option<UserRow>> {
        self.user_where("WHERE users.user_id = ?2", public_id, day)
    }

    /// By the handle in the chat network.
    pub fn user_by_phone(&self, phone: &str, day: i64) -> Result<Option<UserRow>> {
        self.user_where("WHERE phone = ?2", phone, day)
    }

    /// At most `limit` users after the given one, in the order they were first seen.
    pub fn users(&self, after: Option<UserId>, limit: usize, day: i64) -> Result<Vec<UserRow>> {
        let after = after.map_or(i64::MIN, |id| id.0);
        let rows = self.all(
            &format!("{COLUMNS} WHERE id > ?2 ORDER BY id LIMIT ?3"),
            (day, after, limit as i64),
        )?;
        let rows = rows.into_iter().map(|row| self.with_day_count(row, day));
        Ok(rows.collect())
    }

    fn user_where(&self, condition: &str, value: &str, day: i64) -> Result<Option<UserRow>> {
        let row = self.find(&format!("{COLUMNS} {condition}"), (day, value))?;
        Ok(row.map(|row| self.with_day_count(row, day)))
    }

    fn with_day_count(&self, mut row: UserRow, day: i64) -> UserRow {
        row.day_count = self.counts.count(row.user.id, day, row.day_count);
        row
    }
}

impl Tx<'_> {
    /// Gives a user a grant in the place of any other, or takes it away.
    pub fn set_user_grant(&mut self, row: &UserRow, grant: Option<&Grant>) -> Result<()> {
        self.run(
            "UPDATE users SET granted_plan = ?2, granted_until = ?3 WHERE id = ?1",
            (
                row.user.id,
                grant.map(|grant| grant.plan.as_str()),
                grant.and_then(|grant| grant.until),
            ),
        )?;
        match &row.phone {
            Some(phone) => self.user_changed(phone),
            None => Ok(()), // the cache holds only users with a handle
        }
    }
}

from_row!(UserRow: user, phone, created_at, day_count, deletion_scheduled_for);
