//! Identities at identity providers: the user of each (issuer, subject); and for erased users their
//! ids and digests of their identities.

use super::erasures::DueAccount;
use super::query::from_row;
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
        self.find(
            &format!(
                "{COLUMNS} WHERE id =
                 (SELECT user_id FROM identities WHERE issuer = ?1 AND subject = ?2)"
            ),
            (issuer, subject),
        )
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
        self.find(
            "SELECT erased_at FROM erased_users WHERE user_id = ?1",
            [public_id],
        )
    }

    /// When a user with that identity was last erased.
    pub fn identity_erased_at(&self, issuer: &str, subject: &str) -> Result<Option<Timestamp>> {
        let Some(key) = self.identity_digest_key()? else {
            return Ok(None); // no identity was ever erased
        };
        self.find(
            "SELECT erased_at FROM erased_identities WHERE identity = ?1",
            [identity_digest(&key, issuer, subject)],
        )
    }

    fn identity_digest_key(&self) -> Result<Option<String>> {
        self.find(
            "SELECT value FROM meta WHERE key = 'identity_digest_key'",
            [],
        )
    }

    fn person_where(&self, condition: &str, value: &str) -> Result<Option<Person>> {
        self.find(&format!("{COLUMNS} {condition}"), [value])
    }
}

impl Tx<'_> {
    /// By the public id, in its canonical form.
    pub fn user_id(&self, public_id: &str) -> Result<Option<UserId>> {
        Ok(self.person(public_id)?.map(|person| person.id))
    }

    /// Creates a user without a handle in a chat network.
    pub fn insert_user_without_phone(&self, public_id: &str, now: Timestamp) -> Result<UserId> {
        self.run(
            "INSERT INTO users (id, user_id, created_at) VALUES (?1, ?2, ?3)",
            (self.next_user_id()?, public_id, now),
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
        self.run(
            "INSERT INTO identities (issuer, subject, user_id, linked_at) VALUES (?1, ?2, ?3, ?4)",
            (issuer, subject, user, now),
        )
    }

    /// Replaces a user's identities by digests, so that a token from before the erasure can't
    /// create the account again. An account erased again after a restore keeps its first erasure
    /// time.
    pub(super) fn replace_identities_by_digests(&self, account: &DueAccount) -> Result<()> {
        let tied: Vec<(String, String)> = self.all(
            "SELECT issuer, subject FROM identities WHERE user_id = ?1",
            [account.id],
        )?;
        for (issuer, subject) in tied {
            let key = self.identity_digest_key()?;
            self.run(
                "INSERT INTO erased_identities (identity, erased_at)
                 SELECT ?1, erased_at FROM erased_users WHERE user_id = ?2
                 ON CONFLICT (identity) DO UPDATE SET erased_at = max(erased_at, excluded.erased_at)",
                (identity_digest(&key, &issuer, &subject), &account.user_id),
            )?;
        }
        self.run("DELETE FROM identities WHERE user_id = ?1", [account.id])
    }

    /// Created when first needed.
    fn identity_digest_key(&self) -> Result<String> {
        if let Some(key) = self.view().identity_digest_key()? {
            return Ok(key);
        }
        let key = random::secret();
        self.run(
            "INSERT INTO meta (key, value) VALUES ('identity_digest_key', ?1)",
            [&key],
        )?;
        Ok(key)
    }

    /// Fills in unknown profile fields. Nobody else may have the phone number.
    pub fn fill_profile(&mut self, person: &Person, filling: &PersonProfile) -> Result<()> {
        self.run(
            "UPDATE users SET phone = coalesce(phone, ?2), email = coalesce(email, ?3),
               name = coalesce(name, ?4), timezone = coalesce(timezone, ?5)
             WHERE id = ?1",
            (
                person.id, &filling.phone, &filling.email, &filling.name, &filling.timezone,
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

from_row!(Person: id, user_id, known, tied);
from_row!(PersonProfile: phone, email, name, timezone);
