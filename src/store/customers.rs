//! Users as customers of the payment provider: their customer ids, payment methods and
//! credited top-ups.

use super::query::from_row;
use super::{Tx, User, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// A user with the fields that payments need.
#[derive(Debug, Clone)]
pub struct Payer {
    pub user: User,
    pub phone: Option<String>,
    pub email: Option<String>,
    /// The provider's id; `None` before the first checkout.
    pub customer_id: Option<String>,
    /// Whether there is a payment method, as last reported by the provider.
    pub has_payment_method: bool,
    /// In minor units of the configured currency.
    pub credit_balance: i64,
    /// `None` when the user never had a trial.
    pub trial_started_at: Option<Timestamp>,
    pub trial_expires_at: Option<Timestamp>,
    pub deletion_pending: bool,
}

/// A user whom the provider knows.
#[derive(Debug, Clone)]
pub struct Customer {
    pub id: UserId,
    /// A UUID.
    pub user_id: String,
    pub customer_id: String,
}

const COLUMNS: &str = "SELECT id, user_id, name, timezone, status, plan, granted_plan,
       granted_until, phone, email, customer_id, has_payment_method, credit_balance,
       trial_started_at, trial_expires_at, deletion_scheduled_for IS NOT NULL
     FROM users";

impl View<'_> {
    pub fn payer(&self, id: UserId) -> Result<Payer> {
        self.one(&format!("{COLUMNS} WHERE id = ?1"), [id])
    }

    pub fn user_of_customer(&self, customer_id: &str) -> Result<Option<UserId>> {
        self.find("SELECT id FROM users WHERE customer_id = ?1", [customer_id])
    }

    /// At most `limit` customers after the given one, ordered by the provider's id.
    pub fn customers(&self, after: &str, limit: usize) -> Result<Vec<Customer>> {
        self.all(
            "SELECT id, user_id, customer_id FROM users
             WHERE customer_id > ?1 ORDER BY customer_id LIMIT ?2",
            (after, limit as i64),
        )
    }
}

impl Tx<'_> {
    /// Links a customer to a user who has none. False when either is already linked.
    pub fn tie_customer(&self, user: UserId, customer_id: &str) -> Result<bool> {
        let tied = self.execute(
            "UPDATE OR IGNORE users SET customer_id = ?2 WHERE id = ?1 AND customer_id IS NULL",
            (user, customer_id),
        )?;
        Ok(tied > 0)
    }

    /// Unlinks a customer whom the provider doesn't know any more.
    pub fn untie_customer(&self, user: UserId, customer_id: &str) -> Result<()> {
        self.run(
            "UPDATE users SET customer_id = NULL, has_payment_method = 0
             WHERE id = ?1 AND customer_id = ?2",
            (user, customer_id),
        )
    }

    pub fn set_has_payment_method(&self, user: UserId, has: bool) -> Result<()> {
        self.run(
            "UPDATE users SET has_payment_method = ?2 WHERE id = ?1 AND has_payment_method <> ?2",
            (user, has),
        )
    }

    /// Adds the credit of a checkout session; false when it was added before.
    pub fn credit_topup(
        &self,
        user: UserId,
        session_id: &str,
        amount_cents: i64,
        now: Timestamp,
    ) -> Result<bool> {
        let new = self.execute(
            "INSERT INTO topups (session_id, user_id, amount_cents, credited_at)
             VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            (session_id, user, amount_cents, now),
        )? > 0;
        if new {
            self.run(
                "UPDATE users SET credit_balance = credit_balance + ?2 WHERE id = ?1",
                (user, amount_cents),
            )?;
        }
        Ok(new)
    }
}

from_row!(Payer: user, phone, email, customer_id, has_payment_method, credit_balance,
    trial_started_at, trial_expires_at, deletion_pending);
from_row!(Customer: id, user_id, customer_id);
