//! Subscriptions at the payment provider. A user's row shows the current one, which began last.
//! `model::payment` decides what an event changes.

use rusqlite::{OptionalExtension, Row};

use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::payment::{Details, Status, StoredSubscription};

#[derive(Debug, Clone)]
pub struct SubscriptionRow {
    pub user: UserId,
    pub subscription: StoredSubscription,
}

const COLUMNS: &str = "SELECT user_id, subscription_id, customer_id, status, status_s, details_s,
       began_s, current_period_end, cancel_at_period_end, plan, trial_started_at,
       trial_expires_at
     FROM subscriptions";

impl View<'_> {
    pub fn subscription(&self, subscription_id: &str) -> Result<Option<SubscriptionRow>> {
        let found = self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE subscription_id = ?1"))?
            .query_row([subscription_id], row_from)
            .optional()?;
        found.transpose()
    }

    /// The user's current subscription: the one that began last.
    pub fn current_subscription(&self, user: UserId) -> Result<Option<SubscriptionRow>> {
        let found = self
            .conn
            .prepare_cached(&format!(
                "{COLUMNS} WHERE user_id = ?1 ORDER BY began_s DESC, subscription_id DESC LIMIT 1"
            ))?
            .query_row([user.0], row_from)
            .optional()?;
        found.transpose()
    }

    /// All of a customer.
    pub fn subscriptions_of_customer(&self, customer_id: &str) -> Result<Vec<SubscriptionRow>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE customer_id = ?1"))?;
        let rows = statement.query_map([customer_id], row_from)?;
        rows.map(|row| row?).collect()
    }
}

impl Tx<'_> {
    /// Stores a subscription and updates the user's row.
    pub fn put_subscription(
        &mut self,
        user: UserId,
        subscription: &StoredSubscription,
    ) -> Result<()> {
        let (details, moment) = (&subscription.details, |at: Option<i64>| at.map(to_ms));
        self.execute(
            "INSERT INTO subscriptions (user_id, subscription_id, customer_id, status, status_s,
               details_s, began_s, current_period_end, cancel_at_period_end, plan,
               trial_started_at, trial_expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (subscription_id) DO UPDATE SET
               customer_id = excluded.customer_id, status = excluded.status,
               status_s = excluded.status_s, details_s = excluded.details_s,
               began_s = excluded.began_s, current_period_end = excluded.current_period_end,
               cancel_at_period_end = excluded.cancel_at_period_end, plan = excluded.plan,
               trial_started_at = excluded.trial_started_at,
               trial_expires_at = excluded.trial_expires_at",
            (
                user.0,
                &subscription.subscription_id,
                &subscription.customer_id,
                subscription.status.as_str(),
                subscription.status_at,
                subscription.details_at,
                details.began_at,
                moment(details.current_period_end),
                details.cancel_at_period_end,
                &details.plan,
                moment(details.trial_started_at),
                moment(details.trial_expires_at),
            ),
        )?;
        self.show_subscription(user)
    }

    /// The result of our own call; the provider's event will confirm it later.
    pub fn set_cancel_at_period_end(&self, subscription_id: &str, ends: bool) -> Result<()> {
        self.execute(
            "UPDATE subscriptions SET cancel_at_period_end = ?2 WHERE subscription_id = ?1",
            (subscription_id, ends),
        )?;
        Ok(())
    }

    /// The person cancelled it before we did, so only they may restore it.
    pub fn leave_ended(&self, subscription_id: &str) -> Result<()> {
        self.execute(
            "UPDATE subscriptions SET ended_by_us = 0, cancel_at_period_end = 1
             WHERE subscription_id = ?1",
            [subscription_id],
        )?;
        Ok(())
    }

    fn show_subscription(&mut self, user: UserId) -> Result<()> {
        let Some(SubscriptionRow { subscription, .. }) = self.view().current_subscription(user)?
        else {
            return Ok(());
        };
        let details = &subscription.details;
        // A trial counts for ever, even when the provider doesn't say when it began.
        let trial_began = details.trial_started_at;
        let trial_began = trial_began
            .or_else(|| (subscription.status == Status::Trial).then_some(subscription.status_at));
        let plan = details
            .plan
            .as_ref()
            .filter(|_| subscription.status != Status::Free);
        let phone = self
            .conn
            .prepare_cached(
                "UPDATE users SET status = ?2, plan = ?3,
                   trial_started_at = coalesce(trial_started_at, ?4),
                   trial_expires_at = coalesce(?5, trial_expires_at)
                 WHERE id = ?1 RETURNING phone",
            )?
            .query_row(
                (
                    user.0,
                    subscription.status.as_str(),
                    plan,
                    trial_began.map(to_ms),
                    details.trial_expires_at.map(to_ms),
                ),
                |row| row.get::<_, Option<String>>(0),
            )?;
        match phone {
            Some(phone) => self.user_changed(&phone),
            None => Ok(()), // the cache holds only users with a phone
        }
    }
}

fn to_ms(seconds: i64) -> i64 {
    Timestamp::from_seconds(seconds).0
}

fn row_from(row: &Row<'_>) -> rusqlite::Result<Result<SubscriptionRow>> {
    let moment = |at: Option<i64>| at.map(|ms| Timestamp(ms).seconds());
    let status: String = row.get(3)?;
    let Some(status) = Status::parse(&status) else {
        return Ok(Err(Error::internal("a subscription of an unknown status")));
    };
    Ok(Ok(SubscriptionRow {
        user: UserId(row.get(0)?),
        subscription: StoredSubscription {
            subscription_id: row.get(1)?,
            customer_id: row.get(2)?,
            status,
            status_at: row.get(4)?,
            details_at: row.get(5)?,
            details: Details {
                began_at: row.get(6)?,
                current_period_end: moment(row.get(7)?),
                cancel_at_period_end: row.get(8)?,
                plan: row.get(9)?,
                trial_started_at: moment(row.get(10)?),
                trial_expires_at: moment(row.get(11)?),
            },
        },
    }))
}
