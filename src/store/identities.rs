//! Identities at identity providers: the user of each (issuer, subject); and for erased users their
//! ids and digests of their identities.

use rusqlite::{OptionalExtension, Row};

use super::erasures::DueAccount;
use super::{Digest, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;

/// A user as needed for signing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: UserId,
    /// A UUID.
    pub user_id: String,
    /// Whether any identity is linked.
    pub tied: bool,
    pub known: PersonProfile,
}

/// Profile fields of a person; `None` when unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonProfile {
    pub phone: Option<String>,
    pub email: Option<String>,
    pub name: Option<String>,
    /// An IANA name.
    pub timezone: Option<String>,
}

const COLUMNS: &str = "SELECT id, users.user_id, phone, email, name, timezone,
       EXISTS (SELECT 1 FROM identities WHERE identities.user_id = users.id)
     FROM users";

impl View<'_> {
    /// The person linked to (issuer, subject).
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

    /// By the handle in the chat network.
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

    /// When a user with that identity was last erased.
    pub fn identity_erased_at(&self, issuer: &str, subject: &str) -> Result<Option<Timestamp>> {
        let Some(key) = self.identity_digest_key()? else {
            return Ok(None); // no identity was ever erased
        };
        Ok(self
            .conn
            .prepare_cached("SELECT erased_at FROM erased_identities WHERE identity = ?1")?
            .query_row([identity_digest(&key, issuer, subject)], |row| {
                row.get(0).map(Timestamp)
            })
            .optional()?)
    }

    fn identity_digest_key(&self) -> Result<Option<String>> {
        Ok(self
            .conn
            .prepare_cached("SELECT value FROM meta WHERE key = 'identity_digest_key'")?
            .query_row([], |row| row.get(0))
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

    /// Creates a user without a handle in a chat network.
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

    /// Replaces a user's identities by digests, so that a token from before the erasure can't
    /// create the account again. An account erased again after a restore keeps its first erasure
    /// time.
    pub(super) fn replace_identities_by_digests(&self, account: &DueAccount) -> Result<()> {
        let tied: Vec<(String, String)> = self
            .conn
            .prepare_cached("SELECT issuer, subject FROM identities WHERE user_id = ?1")?
            .query_map([account.id.0], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (issuer, subject) in tied {
            let key = self.identity_digest_key()?;
            self.execute(
                "INSERT INTO erased_identities (identity, erased_at)
                 SELECT ?1, erased_at FROM erased_users WHERE user_id = ?2
                 ON CONFLICT (identity) DO UPDATE SET erased_at = max(erased_at, excluded.erased_at)",
                (identity_digest(&key, &issuer, &subject), &account.user_id),
            )?;
        }
        self.execute("DELETE FROM identities WHERE user_id = ?1", [account.id.0])?;
        Ok(())
    }

    /// Created when first needed.
    fn identity_digest_key(&self) -> Result<String> {
        if let Some(key) = self.view().identity_digest_key()? {
            return Ok(key);
        }
        let key = random::secret();
        self.execute(
            "INSERT INTO meta (key, value) VALUES ('identity_digest_key', ?1)",
            [&key],
        )?;
        Ok(key)
    }

    /// Fills in unknown profile fields. Nobody else may have the phone number.
    pub fn fill_profile(&mut self, person: &Person, filling: &PersonProfile) -> Result<()> {
        self.execute(
            "UPDATE users SET phone = coalesce(phone, ?2), email = coalesce(email, ?3),
               name = coalesce(name, ?4), timezone = coalesce(timezone, ?5)
             WHERE id = ?1",
            (
                person.id.0, &filling.phone, &filling.email, &filling.name, &filling.timezone,
            ),
        )?;
        match &person.known.phone {
            Some(phone) => self.user_changed(phone),
            None => Ok(()), // the cache holds only users with a phone
        }
    }
}

/// A digest that identifies an identity without naming it.
fn identity_digest(key: &str, issuer: &str, subject: &str) -> Digest {
    Digest::of(&[key.as_bytes(), issuer.as_bytes(), subject.as_bytes()])
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
