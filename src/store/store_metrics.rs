//! The store's metrics: batches, commits and failures of the writer thread, file sizes, and the
//! backlog of commands.

use std::path::Path;
use std::time::Duration;

use super::file::database_files::wal_path;
use super::query::from_row;
use super::{Store, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::metrics::{self, Histogram, IntCounter, MetricsRegistry};

/// Histogram bounds: writes per transaction.
const BATCH_BOUNDS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Metrics of the writer thread.
#[derive(Debug)]
pub struct WriterMetrics {
    batch: Histogram,
    commit: Histogram,
    pub(super) failed: IntCounter,
    pub(super) refused: IntCounter,
}

impl Default for WriterMetrics {
    fn default() -> Self {
        Self {
            batch: metrics::histogram(
                "chatkeep_writer_batch_writes", "Writes that shared a transaction.", BATCH_BOUNDS,
            ),
            commit: metrics::durations(
                "chatkeep_writer_commit_duration_seconds",
                "Commits alone, with the wait for the disk.",
            ),
            failed: metrics::counter(
                "chatkeep_writer_failures_total", "Transactions that the disk refused.",
            ),
            refused: metrics::counter(
                "chatkeep_writer_refused_total",
                "Writes that were answered 503: the queue was full, or they waited too long.",
            ),
        }
    }
}

impl WriterMetrics {
    pub fn show(&self, page: &MetricsRegistry) -> metrics::MetricsResult {
        page.add(&self.batch)?;
        page.add(&self.commit)?;
        page.add(&self.failed)?;
        page.add(&self.refused)
    }

    pub(super) fn committed(&self, writes: usize, took: Duration) {
        self.batch.observe(writes as f64);
        self.commit.observe(took.as_secs_f64());
    }
}

/// Sizes in bytes on disk.
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
    pub fn writer_metrics(&self) -> &WriterMetrics {
        &self.metrics
    }

    /// Reads file sizes, so call it off async threads.
    pub fn sizes(&self) -> Sizes {
        let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        Sizes {
            database: bytes(&self.path),
            log: bytes(&wal_path(&self.path)),
        }
    }
}

impl View<'_> {
    /// Totals over all agents.
    pub fn backlog(&self) -> Result<Backlog> {
        self.one(
            "SELECT count(*), min(created_at) FROM commands INDEXED BY commands_unfinished
             WHERE (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing')",
            [],
        )
    }
}

from_row!(Backlog: unfinished, oldest_at);
