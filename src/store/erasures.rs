//! Which accounts are due for erasure, and the ledger of running erasures (`erasure` removes the
//! rows). Each step is recorded in its own
//! transaction, so an interrupted erasure continues where it stopped.

use rusqlite::{OptionalExtension, Row};

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
       message_id, rows_at, memories_at,
       EXISTS (SELECT 1 FROM json_each(customers) JOIN provider_tasks ON subject = json_each.value)
     FROM erasures";

impl View<'_> {
    /// Accounts due for erasure, those due longest first.
    pub fn due_accounts(&self, now: Timestamp, limit: usize) -> Result<Vec<DueAccount>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id, user_id, deletion_scheduled_for FROM users
             WHERE deletion_scheduled_for < ?1 ORDER BY deletion_scheduled_for LIMIT ?2",
        )?;
        let rows = statement.query_map((now.0, limit as i64), |row| {
            Ok(DueAccount {
                id: UserId(row.get(0)?),
                user_id: row.get(1)?,
                scheduled_for: Timestamp(row.get(2)?),
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Running erasures, oldest first.
    pub fn erasures(&self, limit: usize) -> Result<Vec<Erasure>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{COLUMNS} ORDER BY user_id LIMIT ?1"))?;
        let rows = statement.query_map([limit as i64], erasure_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// All authors in a room.
    pub fn room_authors(&self, room: RoomId) -> Result<Vec<RoomAuthor>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT users.id, users.user_id GLOB 'erased-[0-9]*'
             FROM room_authors JOIN users ON users.id = room_authors.user_id WHERE room_id = ?1",
        )?;
        let rows = statement.query_map([room.0], |row| {
            Ok(RoomAuthor {
                user: UserId(row.get(0)?),
                erased: row.get(1)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether the erasure of one of these accounts has begun, or ended.
    pub fn is_any_erased(&self, users: &[UserId]) -> Result<bool> {
        let mut present = self.conn.prepare_cached(
            "SELECT 1 FROM users WHERE id = ?1 AND user_id NOT GLOB 'erased-[0-9]*'",
        )?;
        for user in users {
            if !present.exists([user.0])? {
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
        Ok(self
            .conn
            .prepare_cached("SELECT value + 0 FROM meta WHERE key = ?1")?
            .query_row([key], |row| row.get(0))
            .optional()?)
    }
}

impl Tx<'_> {
    /// Begins an erasure. From this commit on nobody can sign in to the account, its phone number
    /// is free, and its id is never reused. The ledger lists what must still be removed. False when
    /// the deletion was cancelled or has already begun.
    pub fn begin_erasure(&mut self, account: &DueAccount, now: Timestamp) -> Result<bool> {
        let customers = serde_json::Value::from(self.customers_of(account.id)?);
        let begun = self.execute(
            "INSERT INTO erasures (user_id, public_id, phone, email, customers, started_at)
             SELECT id, user_id, phone, email, ?3, ?2 FROM users
             WHERE id = ?1 AND deletion_scheduled_for < ?2",
            (account.id.0, now.0, customers.to_string()),
        )?;
        if begun == 0 {
            return Ok(false);
        }
        self.delete_customer_of(account.id, now)?;
        self.execute(
            "INSERT OR IGNORE INTO erased_users (user_id, erased_at) VALUES (?1, ?2)",
            (&account.user_id, now.0),
        )?;
        self.execute(
            "DELETE FROM ended_access WHERE kind = 'grant' AND target = ?1",
            [&account.user_id],
        )?;
        self.replace_identities_by_digests(account)?;
        let phone: Option<String> = self
            .conn
            .prepare_cached("SELECT phone FROM erasures WHERE user_id = ?1")?
            .query_row([account.id.0], |row| row.get(0))?;
        // The row stays for a while without data, because other rows refer to it.
        self.execute(
            "UPDATE users SET user_id = 'erased-' || id, phone = NULL, name = NULL, email = NULL,
               display_name = NULL, pronouns = NULL, language = NULL, timezone = NULL,
               status = 'free', plan = NULL,
               granted_plan = NULL, granted_until = NULL, customer_id = NULL,
               deletion_requested_at = NULL, deletion_scheduled_for = NULL
             WHERE id = ?1",
            [account.id.0],
        )?;
        self.cache.touched = true;
        if let Some(phone) = phone {
            self.cache.users.remove(&phone);
        }
        Ok(true)
    }

    /// The last row is removed: the ledger drops the phone number, and rewriting the file is due.
    pub(super) fn end_rows(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE erasures SET rows_at = ?2, phone = NULL WHERE user_id = ?1",
            (user.0, now.0),
        )?;
        self.set_meta_number("compaction_due", now.0)
    }

    /// The memory service has deleted the person's data.
    pub fn end_memories(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE erasures SET memories_at = ?2 WHERE user_id = ?1",
            (user.0, now.0),
        )?;
        Ok(())
    }

    /// Ends an erasure; only the tombstone is left.
    pub fn end_erasure(&self, user: UserId) -> Result<()> {
        self.execute("DELETE FROM erasures WHERE user_id = ?1", [user.0])?;
        Ok(())
    }

    pub fn set_purged_at(&self, now: Timestamp) -> Result<()> {
        self.set_meta_number("purged_at", now.0)
    }

    /// The file was rewritten when `due` was the newest erasure.
    pub fn end_compaction(&self, due: Timestamp) -> Result<()> {
        self.execute(
            "DELETE FROM meta WHERE key = 'compaction_due' AND value + 0 <= ?1",
            [due.0],
        )?;
        Ok(())
    }

    pub(super) fn set_meta_number(&self, key: &str, number: i64) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)",
            (key, number.to_string()),
        )?;
        Ok(())
    }

    pub(super) fn set_event_looked_at(&self, user: UserId, event_id: i64) -> Result<()> {
        self.execute(
            "UPDATE erasures SET event_id = ?2 WHERE user_id = ?1",
            (user.0, event_id),
        )?;
        Ok(())
    }

    pub(super) fn set_room_at_work(
        &self,
        user: UserId,
        room_id: i64,
        message_id: Option<i64>,
    ) -> Result<()> {
        self.execute(
            "UPDATE erasures SET room_id = ?2, message_id = ?3 WHERE user_id = ?1",
            (user.0, room_id, message_id),
        )?;
        Ok(())
    }
}

fn erasure_from(row: &Row<'_>) -> rusqlite::Result<Erasure> {
    Ok(Erasure {
        user: UserId(row.get(0)?),
        user_id: row.get(1)?,
        phone: row.get(2)?,
        email: row.get(3)?,
        started_at: Timestamp(row.get(4)?),
        event_id: row.get(5)?,
        room_id: row.get(6)?,
        message_id: row.get(7)?,
        rows_at: row.get::<_, Option<i64>>(8)?.map(Timestamp),
        memories_at: row.get::<_, Option<i64>>(9)?.map(Timestamp),
        provider_waits: row.get(10)?,
    })
}
