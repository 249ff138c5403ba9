//! What the store counts of itself, for the page of metrics.

use std::path::Path;
use std::time::Duration;

use super::checkpoint::wal_path;
use super::{Store, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::metrics::{Counter, Histogram};

/// Writes that shared a transaction.
const BATCH_BOUNDS: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];

/// Of the writing thread.
#[derive(Debug)]
pub struct Numbers {
    /// Writes in each transaction.
    pub batch: Histogram,
    /// What the commits alone took.
    pub commit: Histogram,
    /// Transactions that could not be kept.
    pub failed: Counter,
    /// Writes that were turned away: the queue was full, or they waited too long.
    pub refused: Counter,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            batch: Histogram::of_numbers(BATCH_BOUNDS),
            commit: Histogram::of_durations(),
            failed: Counter::default(),
            refused: Counter::default(),
        }
    }
}

impl Numbers {
    pub(super) fn committed(&self, writes: usize, took: Duration) {
        self.batch.observe(writes as u64);
        self.commit.observe_duration(took);
    }
}

/// Bytes on the disk.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sizes {
    pub database: u64,
    pub log: u64,
}

/// Commands that relays have not finished.
#[derive(Debug, Default, Clone, Copy)]
pub struct Backlog {
    pub unfinished: u64,
    pub oldest_at: Option<Timestamp>,
}

impl Store {
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Looks at the files, so it belongs off async threads.
    pub fn sizes(&self) -> Sizes {
        let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        Sizes {
            database: bytes(&self.path),
            log: bytes(&wal_path(&self.path)),
        }
    }
}

impl View<'_> {
    /// Of all agents together; each has its count in its row.
    pub fn backlog(&self) -> Result<Backlog> {
        let mut statement = self.conn.prepare_cached(
            "SELECT coalesce(sum(unfinished), 0), min(
               (SELECT created_at FROM commands
                WHERE agent_id = agents.id AND state IN ('queued', 'sent', 'received', 'executing')
                ORDER BY seq LIMIT 1))
             FROM agents WHERE unfinished > 0",
        )?;
        Ok(statement.query_row([], |row| {
            Ok(Backlog {
                unfinished: row.get::<_, i64>(0)?.max(0) as u64,
                oldest_at: row.get::<_, Option<i64>>(1)?.map(Timestamp),
            })
        })?)
    }
}
