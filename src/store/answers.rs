//! Answers stored for a repeated request: those with an idempotency key for 7 days, and those that
//! couldn't be delivered, once and for 10 minutes.

use std::cmp::Ordering;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use sha2::{Digest as _, Sha256};

use super::Tx;
use super::query::{from_row, values};
use crate::clock::Timestamp;
use crate::error::Result;

/// How long an idempotency key is stored: 7 days.
pub(super) const KEYS_KEPT_MS: i64 = 7 * 24 * 60 * 60 * 1000;
const KEPT_MS: i64 = 10 * 60 * 1000;
/// Limit of undelivered answers; beyond it the oldest is dropped.
const UNDELIVERED_ANSWERS_MAX: usize = 100_000;

/// A SHA-256 digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of several parts. Each part's length precedes it, so that different parts can't
    /// give the same input.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

impl ToSql for Digest {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.0)))
    }
}

impl FromSql for Digest {
    fn column_result(value: ValueRef) -> FromSqlResult<Self> {
        <[u8; 32]>::column_result(value).map(Self)
    }
}

values! { Digest }

/// An answer that wasn't delivered.
#[derive(Clone, Copy)]
pub(super) struct StoredAnswer {
    pub(super) id: i64,
    pub(super) message_id: i64,
    pub(super) created_at: i64,
}

/// A used idempotency key.
pub struct KeyUse {
    pub body: Digest,
    pub message_id: i64,
}

impl Tx<'_> {
    pub fn key_use(&self, key: &Digest, now: Timestamp) -> Result<Option<KeyUse>> {
        self.find(
            "SELECT body, message_id FROM idempotency_keys WHERE key = ?1 AND created_at > ?2",
            (key, now.0 - KEYS_KEPT_MS),
        )
    }

    pub fn insert_key_use(
        &self,
        key: &Digest,
        body: &Digest,
        message_id: i64,
        now: Timestamp,
    ) -> Result<()> {
        // A key whose message is erased may be used again.
        self.run(
            "INSERT OR REPLACE INTO idempotency_keys (key, body, message_id, created_at)
             VALUES (?1, ?2, ?3, ?4)",
            (key, body, message_id, now),
        )
    }

    /// Stores an undelivered answer for the client's retry.
    pub fn keep_answer(&mut self, request: Digest, message_id: i64, now: Timestamp) -> Result<()> {
        self.cache.refresh(self.conn)?;
        self.cache.touched = true;
        if self.cache.undelivered_answers.len() >= UNDELIVERED_ANSWERS_MAX {
            self.drop_undelivered_answers(now)?;
        }
        self.run(
            "INSERT INTO undelivered_answers (request, message_id, created_at) VALUES (?1, ?2, ?3)",
            (request, message_id, now),
        )?;
        let answer = StoredAnswer {
            id: self.conn.last_insert_rowid(),
            message_id,
            created_at: now.0,
        };
        self.cache
            .undelivered_answers
            .entry(request)
            .or_default()
            .push_back(answer);
        Ok(())
    }

    /// Takes the oldest undelivered answer for such a request, if there is one. It is returned
    /// once.
    pub fn take_kept_answer(&mut self, request: &Digest, now: Timestamp) -> Result<Option<i64>> {
        self.cache.refresh(self.conn)?;
        let waiting = self.cache.undelivered_answers.get(request);
        let current = |answer: &&StoredAnswer| now.0.saturating_sub(answer.created_at) <= KEPT_MS;
        // Earlier ones have expired; housekeeping removes them.
        let Some(answer) = waiting.and_then(|queue| queue.iter().find(current).copied()) else {
            return Ok(None);
        };
        self.cache.touched = true;
        self.run("DELETE FROM undelivered_answers WHERE id = ?1", [answer.id])?;
        if let Some(queue) = self.cache.undelivered_answers.get_mut(request) {
            queue.retain(|other| other.id != answer.id);
            if queue.is_empty() {
                self.cache.undelivered_answers.remove(request);
            }
        }
        Ok(Some(answer.message_id))
    }

    /// Whether any undelivered answer is stored. This reads memory, so most requests need no
    /// digest.
    pub fn any_kept_answer(&mut self) -> Result<bool> {
        self.cache.refresh(self.conn)?;
        Ok(!self.cache.undelivered_answers.is_empty())
    }

    /// Removes the answers of erased messages: keys, undelivered answers and delivery state.
    /// Message ids are not reused.
    pub(super) fn remove_answers_of(&mut self, messages: &[i64], now: Timestamp) -> Result<()> {
        if messages.is_empty() {
            return Ok(());
        }
        for message in messages {
            self.delete_key_use_of(*message)?;
        }
        self.cache.refresh(self.conn)?;
        let of_them = |answer: &&StoredAnswer| messages.contains(&answer.message_id);
        let answers = self
            .cache
            .undelivered_answers
            .values()
            .flatten()
            .filter(of_them);
        let ids: Vec<i64> = answers.map(|answer| answer.id).collect();
        for id in &ids {
            self.run("DELETE FROM undelivered_answers WHERE id = ?1", [id])?;
        }
        if !ids.is_empty() {
            self.cache.forget();
            self.cache.touched = true;
        }
        let newest = self.cache.last_message_id;
        if messages.contains(&newest) {
            self.set_meta_number("last_message_id", newest)?;
            self.note_written(now)?;
        }
        Ok(())
    }

    /// Keys are in the order of their messages, so a binary search finds the key.
    fn delete_key_use_of(&self, message_id: i64) -> Result<()> {
        let ends = "SELECT (SELECT min(id) FROM idempotency_keys),
                           (SELECT max(id) FROM idempotency_keys)";
        let (low, high): (Option<i64>, Option<i64>) = self.one(ends, [])?;
        let (mut low, mut high) = (low.unwrap_or(1), high.unwrap_or(0));
        while low <= high {
            let middle = low + (high - low) / 2;
            let (id, message): (i64, i64) = self.one(
                "SELECT id, message_id FROM idempotency_keys WHERE id >= ?1 ORDER BY id LIMIT 1",
                [middle],
            )?;
            match message.cmp(&message_id) {
                Ordering::Equal => {
                    self.run("DELETE FROM idempotency_keys WHERE id = ?1", [id])?;
                    return Ok(());
                }
                Ordering::Less => low = id + 1,
                Ordering::Greater => high = middle - 1,
            }
        }
        Ok(())
    }

    /// Removes expired undelivered answers.
    pub fn drop_undelivered_answers(&mut self, now: Timestamp) -> Result<()> {
        let removed = self.execute(
            "DELETE FROM undelivered_answers WHERE created_at < ?1",
            [now.0 - KEPT_MS],
        )?;
        if removed > 0 {
            self.cache.forget();
            self.cache.touched = true;
        }
        Ok(())
    }
}

from_row!(KeyUse: body, message_id);
