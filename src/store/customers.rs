//! Users as customers of the payment provider: their customer ids, payment methods and
//! credited top-ups.

use rusqlite::{OptionalExtension, Row};

use super::users::user_from;
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
    /// As last reported by the provider.
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
        Ok(self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?
            .query_row([id.0], payer_from)?)
    }

    pub fn user_of_customer(&self, customer_id: &str) -> Result<Option<UserId>> {
        Ok(self
            .conn
            .prepare_cached("SELECT id FROM users WHERE customer_id = ?1")?
            .query_row([customer_id], |row| row.get(0).map(UserId))
            .optional()?)
    }

    /// At most `limit` customers after the given one, ordered by the provider's id.
    pub fn customers(&self, after: &str, limit: usize) -> Result<Vec<Customer>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, user_id, customer_id FROM users
             WHERE customer_id > ?1 ORDER BY customer_id LIMIT ?2",
        )?;
        let rows = statement.query_map((after, limit as i64), |row| {
            Ok(Customer {
                id: UserId(row.get(0)?),
                user_id: row.get(1)?,
                customer_id: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Tx<'_> {
    /// Links a customer to a user who has none. False when either is already linked.
    pub fn tie_customer(&self, user: UserId, customer_id: &str) -> Result<bool> {
        let tied = self.execute(
            "UPDATE OR IGNORE users SET customer_id = ?2 WHERE id = ?1 AND customer_id IS NULL",
            (user.0, customer_id),
        )?;
        Ok(tied > 0)
    }

    /// Unlinks a customer whom the provider doesn't know any more.
    pub fn untie_customer(&self, user: UserId, customer_id: &str) -> Result<()> {
        self.execute(
            "UPDATE users SET customer_id = NULL, has_payment_method = 0
             WHERE id = ?1 AND customer_id = ?2",
            (user.0, customer_id),
        )?;
        Ok(())
    }

    pub fn set_has_payment_method(&self, user: UserId, has: bool) -> Result<()> {
        self.execute(
            "UPDATE users SET has_payment_method = ?2 WHERE id = ?1 AND has_payment_method <> ?2",
            (user.0, has),
        )?;
        Ok(())
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
            (session_id, user.0, amount_cents, now.0),
        )? > 0;
        if new {
            self.execute(
                "UPDATE users SET credit_balance = credit_balance + ?2 WHERE id = ?1",
                (user.0, amount_cents),
            )?;
        }
        Ok(new)
    }
}

fn payer_from(row: &Row<'_>) -> rusqlite::Result<Payer> {
    let moment = |at: Option<i64>| at.map(Timestamp);
    Ok(Payer {
        user: user_from(row)?,
        phone: row.get(8)?,
        email: row.get(9)?,
        customer_id: row.get(10)?,
        has_payment_method: row.get(11)?,
        credit_balance: row.get(12)?,
        trial_started_at: moment(row.get(13)?),
        trial_expires_at: moment(row.get(14)?),
        deletion_pending: row.get(15)?,
    })
}
