//! Which accounts are due for erasure, and the ledger of running erasures (`erasure` removes the
//! rows). Each step is recorded in its own
//! transaction, so an interrupted erasure continues where it stopped.

use super::query::from_row;
use super::{RoomId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// An account due for erasure that hasn't begun.
#[derive(Debug, Clone)]
pub struct DueAccount {
    pub id: UserId,
    /// A UUID.
    pub user_id: String,
    pub scheduled_for: Timestamp,
}

/// A running erasure.
#[derive(Debug, Clone)]
pub struct Erasure {
    /// The user's id.
    pub user: UserId,
    /// A UUID.
    pub user_id: String,
    /// Kept until no row contains it any more.
    pub phone: Option<String>,
    pub email: Option<String>,
    pub started_at: Timestamp,
    pub(super) event_id: i64,
    pub(super) room_id: i64,
    pub(super) message_id: Option<i64>,
    /// When the last row was removed.
    pub rows_at: Option<Timestamp>,
    /// When the memory service had deleted the person's data.
    pub memories_at: Option<Timestamp>,
    /// The memory service was asked to delete the person's data and failed.
    pub memory_failed: bool,
    /// The payment provider has not yet deleted the person's data.
    pub provider_waits: bool,
}

/// An author in a room.
#[derive(Debug, Clone, Copy)]
pub struct RoomAuthor {
    pub user: UserId,
    /// The account's erasure has begun and has not yet processed the room.
    pub erased: bool,
}

const COLUMNS: &str = "SELECT user_id, public_id, phone, email, started_at, event_id, room_id,
       message_id, rows_at, memories_at, memory_failed,
       EXISTS (SELECT 1 FROM json_each(customers) JOIN provider_tasks ON subject = json_each.value)
     FROM erasures";

impl View<'_> {
    /// Accounts due for erasure, those due longest first.
    pub fn due_accounts(&self, now: Timestamp, limit: usize) -> Result<Vec<DueAccount>> {
        self.all(
            "SELECT id, user_id, deletion_scheduled_for FROM users
             WHERE deletion_scheduled_for < ?1 ORDER BY deletion_scheduled_for LIMIT ?2",
            (now, limit as i64),
        )
    }

    /// Running erasures, oldest first.
    pub fn erasures(&self, limit: usize) -> Result<Vec<Erasure>> {
        self.all(
            &format!("{COLUMNS} ORDER BY user_id LIMIT ?1"),
            [limit as i64],
        )
    }

    /// All authors in a room.
    pub fn room_authors(&self, room: RoomId) -> Result<Vec<RoomAuthor>> {
        self.all(
            "SELECT users.id, users.user_id GLOB 'erased-[0-9]*'
             FROM room_authors JOIN users ON users.id = room_authors.user_id WHERE room_id = ?1",
            [room],
        )
    }

    /// Whether the erasure of one of these accounts has begun, or ended.
    pub fn is_any_erased(&self, users: &[UserId]) -> Result<bool> {
        for user in users {
            let sql = "SELECT 1 FROM users WHERE id = ?1 AND user_id NOT GLOB 'erased-[0-9]*'";
            if !self.exists(sql, [user])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// When accounts due for erasure were last looked for.
    pub fn purged_at(&self) -> Result<Option<Timestamp>> {
        Ok(self.meta_number("purged_at")?.map(Timestamp))
    }

    /// Whether rows were erased since the file was last rewritten.
    pub fn compaction_due(&self) -> Result<Option<Timestamp>> {
        Ok(self.meta_number("compaction_due")?.map(Timestamp))
    }

    /// The file's size without the log.
    pub fn size_bytes(&self) -> Result<u64> {
        let pages: i64 = self
            .conn
            .pragma_query_value(None, "page_count", |row| row.get(0))?;
        let page_bytes: i64 = self
            .conn
            .pragma_query_value(None, "page_size", |row| row.get(0))?;
        Ok(pages as u64 * page_bytes as u64)
    }

    pub(super) fn meta_number(&self, key: &str) -> Result<Option<i64>> {
        self.find("SELECT value + 0 FROM meta WHERE key = ?1", [key])
    }
}

impl Tx<'_> {
    /// Begins an erasure. From this commit on nobody can sign in to the account, its phone number
    /// is free, and its id is never reused. The ledger lists what must still be removed.
    /// `keeps_email`: for a confirmation at the end. False when the deletion was cancelled or has
    /// already begun.
    pub fn begin_erasure(
        &mut self,
        account: &DueAccount,
        keeps_email: bool,
        now: Timestamp,
    ) -> Result<bool> {
        let customers = serde_json::Value::from(self.customers_of(account.id)?);
        let begun = self.execute(
            "INSERT INTO erasures (user_id, public_id, phone, email, customers, started_at)
             SELECT id, user_id, phone, iif(?4, email, NULL), ?3, ?2 FROM users
             WHERE id = ?1 AND deletion_scheduled_for < ?2",
            (account.id, now, customers.to_string(), keeps_email),
        )?;
        if begun == 0 {
            return Ok(false);
        }
        self.delete_customer_of(account.id, now)?;
        self.run(
            "INSERT OR IGNORE INTO erased_users (user_id, erased_at) VALUES (?1, ?2)",
            (&account.user_id, now),
        )?;
        self.run(
            "DELETE FROM ended_access WHERE kind = 'grant' AND target = ?1",
            [&account.user_id],
        )?;
        self.replace_identities_by_digests(account)?;
        let phone: Option<String> = self.one(
            "SELECT phone FROM erasures WHERE user_id = ?1",
            [account.id],
        )?;
        // The row stays for a while without data, because other rows refer to it.
        self.run(
            "UPDATE users SET user_id = 'erased-' || id, phone = NULL, name = NULL, email = NULL,
               display_name = NULL, pronouns = NULL, language = NULL, timezone = NULL,
               status = 'free', plan = NULL,
               granted_plan = NULL, granted_until = NULL, customer_id = NULL,
               deletion_requested_at = NULL, deletion_scheduled_for = NULL
             WHERE id = ?1",
            [account.id],
        )?;
        self.cache.touched = true;
        if let Some(phone) = phone {
            self.cache.users.remove(&phone);
        }
        Ok(true)
    }

    /// The last row is removed: the ledger drops the phone number, and rewriting the file is due.
    pub(super) fn end_rows(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.run(
            "UPDATE erasures SET rows_at = ?2, phone = NULL WHERE user_id = ?1",
            (user, now),
        )?;
        self.set_meta_number("compaction_due", now.0)
    }

    /// The memory service has deleted the person's data.
    pub fn end_memories(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.run(
            "UPDATE erasures SET memories_at = ?2 WHERE user_id = ?1",
            (user, now),
        )
    }

    pub fn note_memory_failure(&self, user: UserId) -> Result<()> {
        self.run(
            "UPDATE erasures SET memory_failed = 1 WHERE user_id = ?1",
            [user],
        )
    }

    /// Removes the addresses for confirmations that no mail server can send.
    pub fn drop_confirmation_addresses(&self) -> Result<()> {
        self.run(
            "UPDATE erasures SET email = NULL WHERE email IS NOT NULL",
            [],
        )
    }

    /// Ends an erasure; only the tombstone is left.
    pub fn end_erasure(&self, user: UserId) -> Result<()> {
        self.run("DELETE FROM erasures WHERE user_id = ?1", [user])
    }

    pub fn set_purged_at(&self, now: Timestamp) -> Result<()> {
        self.set_meta_number("purged_at", now.0)
    }

    /// The file was rewritten when `due` was the newest erasure.
    pub fn end_compaction(&self, due: Timestamp) -> Result<()> {
        self.run(
            "DELETE FROM meta WHERE key = 'compaction_due' AND value + 0 <= ?1",
            [due],
        )
    }

    pub(super) fn set_meta_number(&self, key: &str, number: i64) -> Result<()> {
        self.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)",
            (key, number.to_string()),
        )
    }

    pub(super) fn set_event_looked_at(&self, user: UserId, event_id: i64) -> Result<()> {
        self.run(
            "UPDATE erasures SET event_id = ?2 WHERE user_id = ?1",
            (user, event_id),
        )
    }

    pub(super) fn set_room_at_work(
        &self,
        user: UserId,
        room_id: i64,
        message_id: Option<i64>,
    ) -> Result<()> {
        self.run(
            "UPDATE erasures SET room_id = ?2, message_id = ?3 WHERE user_id = ?1",
            (user, room_id, message_id),
        )
    }
}

from_row!(Erasure: user, user_id, phone, email, started_at, event_id, room_id, message_id, rows_at,
    memories_at, memory_failed, provider_waits);
from_row!(DueAccount: id, user_id, scheduled_for);
from_row!(RoomAuthor: user, erased);
