//! Subscriptions at the payment provider. A user's row shows the current one, which began last.
//! `model::payment` decides what an event changes.

use super::query::{Columns, FromRow, from_row, names};
use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::payment::{PaymentStatus, StoredSubscription, SubscriptionDetails};

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
        self.find(
            &format!("{COLUMNS} WHERE subscription_id = ?1"),
            [subscription_id],
        )
    }

    /// The user's current subscription: the one that began last.
    pub fn current_subscription(&self, user: UserId) -> Result<Option<SubscriptionRow>> {
        self.find(
            &format!(
                "{COLUMNS} WHERE user_id = ?1 ORDER BY began_s DESC, subscription_id DESC LIMIT 1"
            ),
            [user],
        )
    }

    /// All of a customer.
    pub fn subscriptions_of_customer(&self, customer_id: &str) -> Result<Vec<SubscriptionRow>> {
        self.all(&format!("{COLUMNS} WHERE customer_id = ?1"), [customer_id])
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
        self.run(
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
                user,
                &subscription.subscription_id,
                &subscription.customer_id,
                subscription.status,
                subscription.status_s,
                subscription.details_s,
                details.began_s,
                moment(details.current_period_end_s),
                details.cancel_at_period_end,
                &details.plan,
                moment(details.trial_started_s),
                moment(details.trial_expires_s),
            ),
        )?;
        self.copy_to_user(user)
    }

    /// The result of our own call; the provider's event will confirm it later.
    pub fn set_cancel_at_period_end(&self, subscription_id: &str, ends: bool) -> Result<()> {
        self.run(
            "UPDATE subscriptions SET cancel_at_period_end = ?2 WHERE subscription_id = ?1",
            (subscription_id, ends),
        )
    }

    /// The person cancelled it before we did, so only they may restore it.
    pub fn leave_ended(&self, subscription_id: &str) -> Result<()> {
        self.run(
            "UPDATE subscriptions SET ended_by_us = 0, cancel_at_period_end = 1
             WHERE subscription_id = ?1",
            [subscription_id],
        )
    }

    fn copy_to_user(&mut self, user: UserId) -> Result<()> {
        let Some(SubscriptionRow { subscription, .. }) = self.current_subscription(user)? else {
            return Ok(());
        };
        let details = &subscription.details;
        // A trial counts for ever, even when the provider doesn't say when it began.
        let trial_began = details.trial_started_s;
        let trial_began = trial_began.or_else(|| {
            (subscription.status == PaymentStatus::Trial).then_some(subscription.status_s)
        });
        let plan = details
            .plan
            .as_ref()
            .filter(|_| subscription.status != PaymentStatus::Free);
        let phone: Option<String> = self.one(
            "UPDATE users SET status = ?2, plan = ?3,
               trial_started_at = coalesce(trial_started_at, ?4),
               trial_expires_at = coalesce(?5, trial_expires_at)
             WHERE id = ?1 RETURNING phone",
            (
                user,
                subscription.status,
                plan,
                trial_began.map(to_ms),
                details.trial_expires_s.map(to_ms),
            ),
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

from_row!(SubscriptionRow: user, subscription);
from_row!(StoredSubscription: subscription_id, customer_id, status, status_s, details_s,
    details);

impl FromRow for SubscriptionDetails {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let seconds = |at: Option<Timestamp>| at.map(Timestamp::seconds);
        Ok(Self {
            began_s: columns.next()?,
            current_period_end_s: seconds(columns.next()?),
            cancel_at_period_end: columns.next()?,
            plan: columns.next()?,
            trial_started_s: seconds(columns.next()?),
            trial_expires_s: seconds(columns.next()?),
        })
    }
}

names! { PaymentStatus }
