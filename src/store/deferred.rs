//! Rows that every message changes, written later: each room's newest message and each user's count
//! of a day; and the rings of webhooks' events. The writer thread keeps the changes in memory and
//! writes them together, at the latest a second after the first, so that most messages write only
//! their own row. On disk they are those of the messages up to `meta.deferred_to`; the next start
//! adds the messages above it. So only what an inserted message implies may wait: any other change
//! of these tables settles them first, in its transaction. Events are on disk at once, in a table
//! of their own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::rooms::RoomHead;
use super::webhook_events::{self, MovingEvents};
use super::{RoomId, Tx, UserId, View};
use crate::error::Result;

/// How long a row waits at most.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// With this many rows waiting, all are written.
const ROWS_MAX: usize = 8_192;
/// With this many events waiting, they are moved, some in each transaction. With 4,096 a call costs a
/// twentieth more: a ring has few of them then.
const EVENTS_MAX: usize = if cfg!(test) { 20 } else { 16_384 };

/// The counts of users on UTC days.
pub(super) type DayCounts = HashMap<(UserId, i64), i64>;

/// The rows that are not written yet, and what undoes the changes of the running transaction.
#[derive(Default)]
pub(super) struct DeferredRows {
    heads: HashMap<RoomId, RoomHead>,
    counts: DayCounts,
    /// At least the number of events that are not in the rings yet: a rollback doesn't lower it.
    webhook_events: usize,
    moving_events: MovingEvents,
    undo_log: Vec<UndoStep>,
    /// When the first of the rows began to wait.
    since: Option<Instant>,
    committed: CommittedCounts,
}

/// The value that a change replaced.
enum UndoStep {
    Head(RoomId, Option<RoomHead>),
    Count((UserId, i64), Option<i64>),
    /// All rows, which were written.
    Flushed {
        heads: HashMap<RoomId, RoomHead>,
        counts: DayCounts,
        /// Whether the tables are changed directly from here on.
        settled: bool,
    },
    /// Webhook events were moved into their ring buffers, this many that waited among them.
    WebhookEvents {
        waiting: usize,
        moving: MovingEvents,
    },
}

impl DeferredRows {
    pub(super) fn head(&self, room: RoomId) -> Option<RoomHead> {
        self.heads.get(&room).copied()
    }

    pub(super) fn set_head(&mut self, room: RoomId, head: RoomHead) {
        self.begin_to_wait();
        let before = self.heads.insert(room, head);
        self.undo_log.push(UndoStep::Head(room, before));
    }

    pub(super) fn count(&self, user: UserId, day: i64) -> Option<i64> {
        self.counts.get(&(user, day)).copied()
    }

    pub(super) fn set_count(&mut self, user: UserId, day: i64, count: i64) {
        self.begin_to_wait();
        let before = self.counts.insert((user, day), count);
        self.undo_log.push(UndoStep::Count((user, day), before));
    }

    pub(super) fn add_webhook_event(&mut self) {
        self.begin_to_wait();
        self.webhook_events += 1;
    }

    /// The counts for readers.
    pub(super) fn committed_counts(&self) -> &CommittedCounts {
        &self.committed
    }

    /// How long the rows may still wait; `None` without any.
    pub(super) fn due_in(&self) -> Option<Duration> {
        match (self.heads.len() + self.counts.len(), self.webhook_events) {
            (0, 0) if self.moving_events.is_over() => None,
            (ROWS_MAX.., _) | (_, EVENTS_MAX..) => Some(Duration::ZERO),
            _ => self
                .since
                .map(|since| WAIT_MAX.saturating_sub(since.elapsed())),
        }
    }

    /// The rows couldn't be written; they wait again.
    pub(super) fn postpone(&mut self) {
        self.since = Some(Instant::now());
    }

    /// A point in the running transaction, for `undo_to`.
    pub(super) fn savepoint(&self) -> usize {
        self.undo_log.len()
    }

    /// Undoes the changes since that point.
    pub(super) fn undo_to(&mut self, savepoint: usize) {
        for step in self.undo_log.drain(savepoint..).rev() {
            match step {
                UndoStep::Head(room, before) => restore(self.heads.entry(room), before),
                UndoStep::Count(day, before) => restore(self.counts.entry(day), before),
                UndoStep::Flushed { heads, counts, .. } => {
                    (self.heads, self.counts) = (heads, counts);
                    self.since = Some(Instant::now());
                }
                UndoStep::WebhookEvents { waiting, moving } => {
                    self.webhook_events += waiting;
                    self.moving_events = moving;
                    self.since = Some(Instant::now());
                }
            }
        }
    }

    /// Gives the readers what the transaction changed. Called after its commit.
    pub(super) fn publish(&mut self) {
        if self.undo_log.is_empty() {
            return;
        }
        let mut counts_of_readers = self.committed.0.lock();
        for step in self.undo_log.drain(..) {
            match step {
                UndoStep::Head(..) | UndoStep::WebhookEvents { .. } => {}
                UndoStep::Count(day, _) => {
                    // Written since: then the next entries say so.
                    if let Some(count) = self.counts.get(&day) {
                        counts_of_readers.newer.insert(day, *count);
                    }
                }
                UndoStep::Flushed { settled: true, .. } => *counts_of_readers = Default::default(),
                UndoStep::Flushed { counts, .. } => {
                    counts_of_readers.newer.clear();
                    counts_of_readers.written = counts;
                }
            }
        }
    }

    /// Writes the rows in the running transaction, in the order of their keys. `last_message_id` is
    /// the last one given. Without `all_events` some of many events are moved, and more the next time.
    pub(super) fn write(
        &mut self,
        conn: &Connection,
        last_message_id: i64,
        all_events: bool,
    ) -> rusqlite::Result<()> {
        match all_events {
            true => self.move_webhook_events(conn)?,
            false => self.move_some_events(conn)?,
        }
        self.put_in_tables(conn, last_message_id, false)
    }

    /// Writes what is due in a transaction of others, who wait meanwhile.
    pub(super) fn write_when_due(
        &mut self,
        conn: &Connection,
        last_message_id: i64,
    ) -> rusqlite::Result<()> {
        match self.due_in() {
            Some(Duration::ZERO) => self.write(conn, last_message_id, false),
            _ if self.moving_events.is_over() => Ok(()),
            _ => self.move_some_events(conn),
        }
    }

    fn put_in_tables(
        &mut self,
        conn: &Connection,
        last_message_id: i64,
        settled: bool,
    ) -> rusqlite::Result<()> {
        let heads = std::mem::take(&mut self.heads);
        let counts = std::mem::take(&mut self.counts);
        let is_none = heads.is_empty() && counts.is_empty();
        let mut by_room: Vec<_> = heads.iter().map(|(room, head)| (room.0, *head)).collect();
        let mut by_user: Vec<_> = counts.iter().map(|((u, d), n)| (u.0, *d, *n)).collect();
        // From here on `undo_to` puts them back.
        self.undo_log.push(UndoStep::Flushed {
            heads,
            counts,
            settled,
        });
        if is_none {
            return Ok(());
        }
        by_room.sort_unstable_by_key(|(room, _)| *room);
        by_user.sort_unstable();
        let mut write = conn.prepare_cached(
            "INSERT INTO room_heads (room_id, message_id, humans) VALUES (?1, ?2, ?3)
             ON CONFLICT (room_id) DO UPDATE
             SET message_id = excluded.message_id, humans = excluded.humans",
        )?;
        for (room, head) in by_room {
            write.execute((room, head.message_id, head.humans))?;
        }
        let mut write = conn.prepare_cached(
            "INSERT INTO usage_days (user_id, day, count) VALUES (?1, ?2, ?3)
             ON CONFLICT (user_id, day) DO UPDATE SET count = excluded.count",
        )?;
        for day in by_user {
            write.execute(day)?;
        }
        set_deferred_to(conn, last_message_id)
    }

    fn move_webhook_events(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        if self.webhook_events == 0 && self.moving_events.is_over() {
            return Ok(());
        }
        self.undo_log.push(UndoStep::WebhookEvents {
            waiting: std::mem::take(&mut self.webhook_events),
            moving: std::mem::take(&mut self.moving_events),
        });
        webhook_events::move_into_rings(conn)
    }

    fn move_some_events(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let moving = self.moving_events.clone();
        let waiting = match moving.is_over() {
            true if self.webhook_events == 0 => return Ok(()),
            true => std::mem::take(&mut self.webhook_events),
            false => 0,
        };
        self.undo_log.push(UndoStep::WebhookEvents {
            waiting,
            moving: moving.clone(),
        });
        self.moving_events = moving.move_some(conn)?;
        Ok(())
    }

    fn begin_to_wait(&mut self) {
        if self.heads.is_empty() && self.counts.is_empty() && self.webhook_events == 0 {
            self.since = Some(Instant::now());
        }
    }
}

fn restore<K, V>(entry: Entry<'_, K, V>, before: Option<V>) {
    match (entry, before) {
        (entry, Some(before)) => drop(entry.insert_entry(before)),
        (Entry::Occupied(entry), None) => drop(entry.remove()),
        (Entry::Vacant(_), None) => {}
    }
}

/// Committed counts of days for readers: those that the file may not have, and the last ones that
/// were written, for readers that still see the file as it was before.
#[derive(Clone, Default)]
pub(super) struct CommittedCounts(Arc<Mutex<ReaderCounts>>);

#[derive(Default)]
struct ReaderCounts {
    newer: DayCounts,
    written: DayCounts,
}

impl CommittedCounts {
    /// The view of a reader through this connection.
    pub(super) fn view<'a>(&'a self, conn: &'a Connection) -> View<'a> {
        View { conn, counts: self }
    }

    /// The count, of which the file says `in_file`.
    pub(super) fn count(&self, user: UserId, day: i64, in_file: i64) -> i64 {
        let shown = self.0.lock();
        let known = shown.newer.get(&(user, day));
        *known
            .or_else(|| shown.written.get(&(user, day)))
            .unwrap_or(&in_file)
    }

    /// The counts for a file that no writer of this process has open.
    pub(super) fn load(conn: &Connection) -> rusqlite::Result<Self> {
        let mut rows = conn.prepare(
            "SELECT tail.user_id, tail.day, tail.count + coalesce(usage_days.count, 0) FROM
               (SELECT user_id, received_at / 86400000 AS day, count(*) AS count FROM messages
                WHERE id > ?1 AND counted = 1 GROUP BY user_id, day) AS tail
             LEFT JOIN usage_days USING (user_id, day)",
        )?;
        let counts = rows.query_map([deferred_to(conn)?], |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
        })?;
        let shown = ReaderCounts {
            newer: counts.collect::<rusqlite::Result<_>>()?,
            written: DayCounts::new(),
        };
        Ok(Self(Arc::new(Mutex::new(shown))))
    }
}

impl Tx<'_> {
    /// Moves waiting webhook events into their rings, so that the rings can be read and changed in
    /// this transaction.
    pub fn settle_webhook_events(&mut self) -> Result<()> {
        Ok(self.cache.deferred.move_webhook_events(self.conn)?)
    }

    /// Writes the waiting rows, so that the tables can be read and changed directly in this
    /// transaction, and read by others after it.
    pub fn settle_deferred(&mut self) -> Result<()> {
        let (conn, cache) = (self.view.conn, &mut *self.cache);
        cache.deferred.move_webhook_events(conn)?;
        Ok(cache
            .deferred
            .put_in_tables(conn, cache.last_message_id, true)?)
    }
}

/// Adds the messages that a killed process had not counted and whose rooms it had not brought up to
/// date, and moves the webhook events that it had not moved.
pub(super) fn take_up_after_kill(conn: &mut Connection) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    webhook_events::move_into_rings(&tx)?;
    let newest = "SELECT id FROM messages ORDER BY id DESC LIMIT 1";
    let newest: Option<i64> = tx.query_row(newest, [], |row| row.get(0)).optional()?;
    let written_to = deferred_to(&tx)?;
    let Some(newest) = newest.filter(|newest| *newest > written_to) else {
        return tx.commit();
    };
    tx.execute(
        "INSERT INTO usage_days (user_id, day, count)
         SELECT user_id, received_at / 86400000, count(*) FROM messages
         WHERE id > ?1 AND counted = 1 GROUP BY 1, 2
         ON CONFLICT (user_id, day) DO UPDATE SET count = count + excluded.count",
        [written_to],
    )?;
    // SQLite takes `humans` from the row of the largest id.
    tx.execute(
        "INSERT INTO room_heads (room_id, message_id, humans)
         SELECT room_id, max(id), humans FROM messages WHERE id > ?1 GROUP BY room_id
         ON CONFLICT (room_id) DO UPDATE
         SET message_id = excluded.message_id, humans = excluded.humans",
        [written_to],
    )?;
    set_deferred_to(&tx, newest)?;
    tx.commit()
}

/// The message up to which the tables are written.
fn deferred_to(conn: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT value + 0 FROM meta WHERE key = 'deferred_to'";
    let mut statement = conn.prepare(sql)?;
    let found = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(0))
}

fn set_deferred_to(conn: &Connection, message_id: i64) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('deferred_to', CAST(?1 AS TEXT))";
    conn.prepare_cached(sql)?.execute([message_id]).map(drop)
}

#[cfg(test)]
mod tests;
