//! Who people are to identity providers: the users that (issuer, subject) are tied to, and
//! the ids of users who were erased.

use rusqlite::{OptionalExtension, Row};

use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// A user as signing in sees one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: UserId,
    /// UUID
    pub user_id: String,
    /// Some identity is tied to them.
    pub tied: bool,
    pub known: PersonProfile,
}

/// What is known of a person; `None`: it is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonProfile {
    pub phone: Option<String>,
    pub email: Option<String>,
    pub name: Option<String>,
    /// IANA name
    pub timezone: Option<String>,
}

const COLUMNS: &str = "SELECT id, users.user_id, phone, email, name, timezone,
       EXISTS (SELECT 1 FROM identities WHERE identities.user_id = users.id)
     FROM users";

impl View<'_> {
    /// Whom (issuer, subject) is tied to.
    pub fn person_tied(&self, issuer: &str, subject: &str) -> Result<Option<Person>> {
        Ok(self
            .conn
            .prepare_cached(&format!(
                "{COLUMNS} WHERE id =
                   (SELECT user_id FROM identities WHERE issuer = ?1 AND subject = ?2)"
            ))?
            .query_row((issuer, subject), person_from)
            .optional()?)
    }

    /// By the public id, in its canonical form.
    pub fn person(&self, public_id: &str) -> Result<Option<Person>> {
        self.person_where("WHERE users.user_id = ?1", public_id)
    }

    /// By what the chat network knows them by.
    pub fn person_by_phone(&self, phone: &str) -> Result<Option<Person>> {
        self.person_where("WHERE phone = ?1", phone)
    }

    /// When the user with that public id was erased.
    pub fn erased_at(&self, public_id: &str) -> Result<Option<Timestamp>> {
        Ok(self
            .conn
            .prepare_cached("SELECT erased_at FROM erased_users WHERE user_id = ?1")?
            .query_row([public_id], |row| row.get(0).map(Timestamp))
            .optional()?)
    }

    fn person_where(&self, condition: &str, value: &str) -> Result<Option<Person>> {
        Ok(self
            .conn
            .prepare_cached(&format!("{COLUMNS} {condition}"))?
            .query_row([value], person_from)
            .optional()?)
    }
}

impl Tx<'_> {
    /// By the public id, in its canonical form.
    pub fn user_id(&self, public_id: &str) -> Result<Option<UserId>> {
        Ok(self.view().person(public_id)?.map(|person| person.id))
    }

    /// A user whom no chat network knows yet.
    pub fn insert_user_without_phone(&self, public_id: &str, now: Timestamp) -> Result<UserId> {
        self.execute(
            "INSERT INTO users (id, user_id, created_at) VALUES (?1, ?2, ?3)",
            (self.next_user_id()?, public_id, now.0),
        )?;
        Ok(UserId(self.conn.last_insert_rowid()))
    }

    pub fn tie_identity(
        &self,
        issuer: &str,
        subject: &str,
        user: UserId,
        now: Timestamp,
    ) -> Result<()> {
        self.execute(
            "INSERT INTO identities (issuer, subject, user_id, tied_at) VALUES (?1, ?2, ?3, ?4)",
            (issuer, subject, user.0, now.0),
        )?;
        Ok(())
    }

    /// Puts what is given in where nothing is known. Nobody else may have the phone.
    pub fn fill_profile(&mut self, person: &Person, filling: &PersonProfile) -> Result<()> {
        self.execute(
            "UPDATE users SET phone = coalesce(phone, ?2), email = coalesce(email, ?3),
               name = coalesce(name, ?4), timezone = coalesce(timezone, ?5)
             WHERE id = ?1",
            (
                person.id.0,
                &filling.phone,
                &filling.email,
                &filling.name,
                &filling.timezone,
            ),
        )?;
        match &person.known.phone {
            Some(phone) => self.user_changed(phone),
            None => Ok(()), // the directory knows only those with a phone
        }
    }
}

fn person_from(row: &Row<'_>) -> rusqlite::Result<Person> {
    Ok(Person {
        id: UserId(row.get(0)?),
        user_id: row.get(1)?,
        tied: row.get(6)?,
        known: PersonProfile {
            phone: row.get(2)?,
            email: row.get(3)?,
            name: row.get(4)?,
            timezone: row.get(5)?,
        },
    })
}
