//! Mails that no mail server has accepted yet.

use super::query::from_row;
use super::{Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;

/// A mail to be queued.
pub struct NewMail {
    pub recipient: String,
    pub subject: String,
    pub text: String,
}

#[derive(Clone)]
pub struct OutgoingMail {
    pub id: i64,
    /// A UUID, the same in every attempt.
    pub mail_id: String,
    pub recipient: String,
    pub subject: String,
    pub text: String,
    /// Attempts so far.
    pub attempts: i64,
    pub created_at: Timestamp,
}

/// Longer than any retry's wait. A longer wait means that the clock was set back, and the mail is
/// due.
const WAIT_MS_MAX: i64 = 60 * 60 * 1000;
/// Mails read at once.
const MAILS_MAX: i64 = 16;

impl Tx<'_> {
    pub fn insert_mail(&self, new: &NewMail, now: Timestamp) -> Result<()> {
        self.run(
            "INSERT INTO outgoing_mails (mail_id, recipient, subject, text, due_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
            (
                random::uuid().to_string(),
                &new.recipient,
                &new.subject,
                &new.text,
                now,
            ),
        )
    }

    /// Counts a failed attempt.
    pub fn postpone_mail(&self, id: i64, due_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE outgoing_mails SET attempts = attempts + 1, due_at = ?2 WHERE id = ?1",
            (id, due_at),
        )
    }

    /// Deletes mails that were queued before that time. Returns their number.
    pub fn delete_mails_before(&self, before: Timestamp) -> Result<usize> {
        self.execute("DELETE FROM outgoing_mails WHERE created_at < ?1", [before])
    }

    pub fn delete_mail(&self, id: i64) -> Result<()> {
        self.run("DELETE FROM outgoing_mails WHERE id = ?1", [id])
    }
}

impl View<'_> {
    /// Due mails, at most 16.
    pub fn due_mails(&self, now: Timestamp) -> Result<Vec<OutgoingMail>> {
        self.all(
            "SELECT id, mail_id, recipient, subject, text, attempts, created_at
             FROM outgoing_mails WHERE due_at <= ?1 OR due_at > ?2 LIMIT ?3",
            (now, now.0 + WAIT_MS_MAX, MAILS_MAX),
        )
    }

    /// The number of mails not yet accepted.
    pub fn mails_waiting(&self) -> Result<i64> {
        self.one("SELECT count(*) FROM outgoing_mails", [])
    }
}

from_row!(OutgoingMail: id, mail_id, recipient, subject, text, attempts, created_at);
