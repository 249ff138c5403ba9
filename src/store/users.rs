//! The row of `users` that a message reads and creates, when its handle first occurs. The same
//! table is read by `user_rows` (operator), `accounts` (its owner) and `customers` (payments).

use std::sync::Arc;

use super::Tx;
use super::query::{Columns, FromRow, number};
use crate::clock::{Timestamp, Zone};
use crate::error::Result;
use crate::model::subscription::Grant;

/// A user's row id. The public id is `User::public_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub i64);
number!(UserId);

#[derive(Debug, Clone)]
pub struct User {
    pub id: UserId,
    /// UUID
    pub public_id: String,
    pub name: Option<String>,
    pub timezone: Option<Zone>,
    /// The payment provider's status: free, active, trial, canceled or past_due.
    pub status: String,
    pub plan: Option<String>,
    /// A grant by an operator, also when it has ended.
    pub grant: Option<Grant>,
}

pub struct NewUser<'a> {
    pub public_id: &'a str,
    pub phone: &'a str,
    pub now: Timestamp,
}

const COLUMNS: &str = "SELECT id, user_id, name, timezone, status, plan, granted_plan,
       granted_until
     FROM users";

impl Tx<'_> {
    pub fn user_by_phone(&mut self, phone: &str) -> Result<Option<Arc<User>>> {
        if let Some(user) = self.cache.users.get(phone) {
            return Ok(Some(user.clone()));
        }
        let found: Option<Arc<User>> = self
            .find(&format!("{COLUMNS} WHERE phone = ?1"), [phone])?
            .map(Arc::new);
        if let Some(user) = &found {
            self.cache.put_user(phone, user.clone());
        }
        Ok(found)
    }

    pub fn insert_user(&mut self, new: &NewUser) -> Result<Arc<User>> {
        self.run(
            "INSERT INTO users (id, user_id, phone, created_at) VALUES (?1, ?2, ?3, ?4)",
            (self.next_user_id()?, new.public_id, new.phone, new.now),
        )?;
        let user = Arc::new(User {
            id: UserId(self.conn.last_insert_rowid()),
            public_id: new.public_id.to_owned(),
            name: None,
            timezone: None,
            status: "free".to_owned(),
            plan: None,
            grant: None,
        });
        self.cache.put_user(new.phone, user.clone());
        Ok(user)
    }

    /// An id that nobody ever had, including erased users.
    pub(super) fn next_user_id(&self) -> Result<i64> {
        let last: i64 = self.one(
            "SELECT max((SELECT coalesce(max(id), 0) FROM users),
             coalesce((SELECT value + 0 FROM meta WHERE key = 'last_user_id'), 0))",
            [],
        )?;
        Ok(last + 1)
    }

    pub fn user(&self, id: UserId) -> Result<User> {
        self.one(&format!("{COLUMNS} WHERE id = ?1"), [id])
    }

    pub fn set_user_name(&mut self, phone: &str, id: UserId, name: &str) -> Result<()> {
        self.run("UPDATE users SET name = ?2 WHERE id = ?1", (id, name))?;
        self.user_changed(phone)
    }

    pub fn set_user_timezone(&mut self, phone: &str, id: UserId, timezone: &str) -> Result<()> {
        self.run(
            "UPDATE users SET timezone = ?2 WHERE id = ?1",
            (id, timezone),
        )?;
        self.user_changed(phone)
    }

    pub fn set_user_pronouns(&self, id: UserId, pronouns: &str) -> Result<()> {
        self.run(
            "UPDATE users SET pronouns = ?2 WHERE id = ?1",
            (id, pronouns),
        )
    }

    /// `language`: a BCP 47 tag.
    pub fn set_user_language(&self, id: UserId, language: &str) -> Result<()> {
        self.run(
            "UPDATE users SET language = ?2 WHERE id = ?1",
            (id, language),
        )
    }

    pub(super) fn user_changed(&mut self, phone: &str) -> Result<()> {
        self.cache.touched = true;
        self.cache.users.remove(phone);
        Ok(())
    }

    /// Free messages a user sent on a UTC day.
    pub fn day_count(&self, user: UserId, day: i64) -> Result<i64> {
        if let Some(count) = self.cache.deferred.count(user, day) {
            return Ok(count);
        }
        Ok(self
            .find(
                "SELECT count FROM usage_days WHERE user_id = ?1 AND day = ?2",
                (user, day),
            )?
            .unwrap_or(0))
    }

    /// Counts a message on its day.
    pub fn count_message(&mut self, user: UserId, day: i64) -> Result<()> {
        let count = self.day_count(user, day)? + 1;
        self.cache.deferred.set_count(user, day, count);
        Ok(())
    }

    /// Uncounts a message that was denied the feature it asked for.
    pub fn uncount_message(&mut self, message_id: i64, user: UserId, day: i64) -> Result<()> {
        self.settle_deferred()?;
        let sql = "UPDATE messages SET counted = 0 WHERE id = ?1 AND counted = 1";
        if self.execute(sql, [message_id])? > 0 {
            self.run(
                "UPDATE usage_days SET count = count - 1
                 WHERE user_id = ?1 AND day = ?2 AND count > 0",
                (user, day),
            )?;
        }
        Ok(())
    }
}

impl FromRow for User {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let (id, public_id, name, timezone, status, plan) = FromRow::read(columns)?;
        let timezone: Option<String> = timezone;
        let (granted_plan, until): (Option<String>, _) = FromRow::read(columns)?;
        Ok(Self {
            id,
            public_id,
            name,
            timezone: timezone.and_then(|name| name.parse().ok()),
            status,
            plan,
            grant: granted_plan.map(|plan| Grant { plan, until }),
        })
    }
}
