//! Read-only connections for scans, lists and look-ups, on the blocking pool. Each read is one
//! transaction with a time limit, because the write-ahead log can't restart while it runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::Semaphore;

use super::View;
use super::deferred::CommittedCounts;
use super::file::open;
use super::file::open_files::OpenFiles;
use crate::error::{Error, Result};

const CHECKOUT_MAX: Duration = Duration::from_secs(5);
/// A longer read is cancelled.
const AGE_MAX: Duration = Duration::from_secs(30);
/// A longer read is cancelled while `short_reads` is set.
const SHORT_AGE_MAX: Duration = Duration::from_millis(250);
/// SQLite virtual machine steps between two checks of the clock: about half a millisecond.
const STEPS_BETWEEN_CHECKS: std::ffi::c_int = 10_000;

pub(super) struct Readers {
    pool: r2d2::Pool<SqliteConnectionManager>,
    /// One permit per connection; waiting takes no thread.
    permits: Arc<Semaphore>,
    /// Set while the write-ahead log exceeds its limit: reads must end sooner.
    short_reads: Arc<AtomicBool>,
    counts: CommittedCounts,
    files: Arc<OpenFiles>,
    age_max: Duration,
}

impl Readers {
    pub(super) fn open(
        path: &Path,
        connections: u32,
        short_reads: Arc<AtomicBool>,
        (counts, files): (CommittedCounts, Arc<OpenFiles>),
    ) -> Result<Self, String> {
        let opened = files.clone();
        let manager = SqliteConnectionManager::file(path)
            .with_flags(OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .with_init(move |conn| {
                opened.check_opened()?;
                open::set_reading(conn)
            });
        let pool = r2d2::Pool::builder()
            .max_size(connections)
            .min_idle(Some(0)) // each is opened when it is needed
            .connection_timeout(CHECKOUT_MAX)
            .test_on_check_out(false)
            .build(manager)
            .map_err(|e| format!("can't open {} for reading: {e}", path.display()))?;
        Ok(Self {
            pool,
            permits: Arc::new(Semaphore::new(connections as usize)),
            short_reads,
            counts,
            files,
            age_max: AGE_MAX,
        })
    }

    pub(super) async fn read<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&View<'_>) -> Result<T> + Send + 'static,
    {
        let (pool, short_reads, age_max) =
            (self.pool.clone(), self.short_reads.clone(), self.age_max);
        let counts = self.counts.clone();
        let busy = || Error::unavailable("The database is busy; try again.");
        let waiting = self.permits.clone().acquire_owned();
        let permit = tokio::time::timeout(CHECKOUT_MAX, waiting).await;
        let permit = permit.map_err(|_| busy())?;
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            // A permit is there, so this is no wait for others.
            let mut conn = pool.get().map_err(|e| {
                Error::unavailable("The database can't be read at the moment; try again.").because(
                    format!(
                        "it can't be opened; is the limit of open files too low (ulimit -n)? {e}"
                    ),
                )
            })?;
            read_with(&mut conn, &counts, short_reads, age_max, f)
        })
        .await
        .unwrap_or_else(|e| Err(Error::internal(e)))
    }

    pub(super) async fn open_long(&self, path: PathBuf) -> Result<LongReader> {
        let parts = (self.counts.clone(), self.files.clone());
        LongReader::open(path, self.short_reads.clone(), parts).await
    }
}

/// A separate connection for a job that reads much in small steps. It uses none of the shared
/// connections and little memory. It closes when dropped.
pub struct LongReader {
    conn: Arc<Mutex<Connection>>,
    short_reads: Arc<AtomicBool>,
    counts: CommittedCounts,
}

impl LongReader {
    async fn open(
        path: PathBuf,
        short_reads: Arc<AtomicBool>,
        (counts, files): (CommittedCounts, Arc<OpenFiles>),
    ) -> Result<Self> {
        let opening = tokio::task::spawn_blocking(move || {
            let conn = Connection::open_with_flags(
                &path,
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )?;
            files.check_opened()?;
            open::set_reading(&conn)?;
            open::set_frugal(&conn)?;
            Ok(Self {
                conn: Arc::new(Mutex::new(conn)),
                short_reads,
                counts,
            })
        });
        opening.await.unwrap_or_else(|e| Err(Error::internal(e)))
    }

    /// Runs `f` in a transaction on the blocking pool. It should take a few milliseconds at most; a
    /// second call waits for the first. If the process ends meanwhile, this never resolves, because
    /// that is no failure of the job.
    pub async fn read<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&View<'_>) -> Result<T> + Send + 'static,
    {
        let (conn, short_reads) = (self.conn.clone(), self.short_reads.clone());
        let counts = self.counts.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let mut conn = conn.lock();
            read_with(&mut conn, &counts, short_reads, AGE_MAX, f)
        });
        match reading.await {
            Ok(read) => read,
            Err(ended) if ended.is_cancelled() => std::future::pending().await,
            Err(panic) => Err(Error::internal(panic)),
        }
    }
}

fn read_with<T>(
    conn: &mut Connection,
    counts: &CommittedCounts,
    short_reads: Arc<AtomicBool>,
    age_max: Duration,
    f: impl FnOnce(&View) -> Result<T>,
) -> Result<T> {
    let started = Instant::now();
    conn.progress_handler(
        STEPS_BETWEEN_CHECKS,
        Some(move || {
            let is_short = short_reads.load(Ordering::Relaxed);
            started.elapsed() > if is_short { SHORT_AGE_MAX } else { age_max }
        }),
    )?;
    // One transaction, so that everything `f` reads is consistent.
    let tx = conn.transaction()?;
    f(&counts.view(&tx))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As for lack of descriptors: this is no database that others keep busy.
    #[tokio::test]
    async fn a_database_that_can_not_be_opened_is_not_called_busy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        for suffix in ["", "-wal"] {
            std::fs::write(crate::files::beside(&path, suffix), "").unwrap();
        }
        let parts = (
            CommittedCounts::default(),
            Arc::new(OpenFiles::of(&path).unwrap()),
        );
        let readers = Readers::open(&path, 1, Arc::default(), parts).unwrap();
        std::fs::remove_file(&path).unwrap();
        let error = readers.read(|_| Ok(())).await.unwrap_err();
        assert_eq!(error.kind, crate::error::ErrorKind::Unavailable, "{error}");
        let error = error.to_string();
        assert!(
            error.contains("ulimit -n") && !error.contains("busy"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_read_that_takes_too_long_is_broken_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TABLE t (a)")
            .unwrap();
        std::fs::write(folder.path().join("a.db-wal"), "").unwrap();
        let parts = (
            CommittedCounts::default(),
            Arc::new(OpenFiles::of(&path).unwrap()),
        );
        let mut readers = Readers::open(&path, 1, Arc::default(), parts).unwrap();
        let endless = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n)
                       SELECT count(*) FROM n";
        for is_short in [false, true] {
            readers.age_max = if is_short { AGE_MAX } else { SHORT_AGE_MAX };
            readers.short_reads.store(is_short, Ordering::Relaxed);
            let error = readers
                .read(|view| {
                    Ok(view
                        .conn
                        .query_row(endless, [], |row| row.get::<_, i64>(0))?)
                })
                .await
                .unwrap_err();
            assert_eq!(error.kind, crate::error::ErrorKind::Unavailable, "{error}");
        }
        // The connection is still usable.
        let count = readers
            .read(|view| {
                Ok(view
                    .conn
                    .query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0))?)
            })
            .await
            .unwrap();
        assert_eq!(count, 0);
    }
}
