//! The one writing thread. Callers send it closures; it runs what is queued in one
//! transaction, each closure in a savepoint of its own, commits once, and only then tells
//! every caller. Batches form by themselves while a commit is under way. It must not know
//! what the closures do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, ffi};
use tokio::sync::{mpsc, oneshot, watch};

use super::checkpoint::Checkpointer;
use super::directory::Directory;
use super::{Tx, sql_error};
use crate::error::{Error, Result};

/// Closures waiting for the writer: about 50 ms of work. More are refused with 503.
const QUEUE_JOBS_MAX: usize = 2048;
/// Closures in one transaction.
const BATCH_JOBS_MAX: usize = 256;
/// A closure that waited longer is refused with 503 and not run.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How long one try for the write lock takes while another process holds it.
const LOCK_TRY: Duration = Duration::from_millis(100);

/// What ran, and how to tell its caller once it is known whether it was kept.
struct Ran {
    ok: bool,
    tell: Box<dyn FnOnce(Option<Error>) + Send>,
}

type Run = Box<dyn FnOnce(&mut Tx<'_>) -> Ran + Send>;

struct Job {
    queued: Instant,
    run: Run,
}

/// What the rest of the service may see of the writer.
#[derive(Default)]
pub(super) struct Health {
    /// The last commit failed (a full disk, say); the next that works clears it.
    pub(super) failing: AtomicBool,
    pub(super) commits: AtomicU64,
}

pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
    pub(super) health: Arc<Health>,
    /// Turns true when writing can't be trusted any more: the process must end.
    pub(super) lost: watch::Receiver<bool>,
}

impl Writer {
    /// Starts the thread; it ends when every handle is dropped.
    pub(super) fn start(
        conn: Connection,
        directory: Directory,
        checkpointer: Checkpointer,
    ) -> Result<(Self, std::thread::JoinHandle<()>)> {
        let (queue, jobs) = mpsc::channel(QUEUE_JOBS_MAX);
        let (lost_tx, lost) = watch::channel(false);
        let health = Arc::new(Health::default());
        let thread = Thread {
            conn,
            directory,
            checkpointer,
            health: health.clone(),
            lost: lost_tx,
        };
        let handle = std::thread::Builder::new()
            .name("writer".into())
            .spawn(move || thread.run(jobs))
            .map_err(Error::internal)?;
        Ok((
            Self {
                queue,
                health,
                lost,
            },
            handle,
        ))
    }

    /// Runs `f` in a transaction and resolves after the commit. An error from `f` undoes
    /// what `f` did and nothing else.
    pub(super) async fn write<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job = Job {
            queued: Instant::now(),
            run: Box::new(move |tx| {
                let result = catch_unwind(AssertUnwindSafe(|| f(tx)))
                    .unwrap_or_else(|_| Err(Error::internal("a write panicked")));
                Ran {
                    ok: result.is_ok(),
                    tell: Box::new(move |failed| {
                        let _ = answer.send(match failed {
                            Some(error) if result.is_ok() => Err(error),
                            _ => result,
                        });
                    }),
                }
            }),
        };
        if self.queue.try_send(job).is_err() {
            return Err(Error::unavailable(
                "The service is busy; try again in a second.",
            ));
        }
        answered
            .await
            .unwrap_or_else(|_| Err(not_written("the write was dropped")))
    }

    pub(super) fn queued(&self) -> usize {
        QUEUE_JOBS_MAX - self.queue.capacity()
    }
}

fn not_written(cause: impl std::fmt::Display) -> Error {
    Error::unavailable("The service can't write at the moment; try again.").because(cause)
}

struct Thread {
    conn: Connection,
    directory: Directory,
    checkpointer: Checkpointer,
    health: Arc<Health>,
    lost: watch::Sender<bool>,
}

impl Thread {
    fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = Vec::with_capacity(BATCH_JOBS_MAX);
        while jobs.blocking_recv_many(&mut batch, BATCH_JOBS_MAX) > 0 {
            if *self.lost.borrow() {
                batch.clear(); // dropping a job answers its caller
                continue;
            }
            if let Some(batch) = self.begin(&mut batch, &mut jobs) {
                self.commit(batch);
            }
        }
    }

    /// Gets the write lock, giving up on jobs that waited too long for it.
    fn begin<'b>(
        &mut self,
        batch: &'b mut Vec<Job>,
        jobs: &mut mpsc::Receiver<Job>,
    ) -> Option<std::vec::Drain<'b, Job>> {
        loop {
            let started = self.execute("BEGIN IMMEDIATE");
            while batch.len() < BATCH_JOBS_MAX {
                match jobs.try_recv() {
                    Ok(job) => batch.push(job),
                    Err(_) => break,
                }
            }
            let refused = batch.len();
            match started {
                Ok(()) => return Some(batch.drain(..)),
                Err(error) if is_busy(&error) => {
                    batch.retain(|job| job.queued.elapsed() < WAIT_MAX);
                }
                Err(error) => {
                    self.failed(&error);
                    batch.clear();
                }
            }
            if batch.len() < refused {
                log::warn!("{} writes were refused", refused - batch.len());
            }
            if batch.is_empty() {
                return None;
            }
        }
    }

    fn commit(&mut self, batch: std::vec::Drain<'_, Job>) {
        let mut ran = Vec::with_capacity(batch.len());
        let mut after = Vec::new();
        for job in batch {
            match self.run_one(job, &mut after) {
                Ok(done) => ran.push(done),
                Err(error) => {
                    self.failed(&error);
                    break;
                }
            }
        }
        // A full disk or a lost file may have rolled back the whole transaction already.
        let outcome = if self.conn.is_autocommit() {
            Err(rolled_back())
        } else {
            self.execute("COMMIT")
        };
        match outcome {
            Ok(()) => {
                self.health.failing.store(false, Ordering::Relaxed);
                self.health.commits.fetch_add(1, Ordering::Relaxed);
                let rows = ran.len();
                for effect in after {
                    effect();
                }
                for done in ran {
                    (done.tell)(None);
                }
                self.checkpointer.committed(&self.conn, rows);
            }
            Err(error) => {
                self.failed(&error);
                if !self.conn.is_autocommit() {
                    let _ = self.execute("ROLLBACK");
                }
                self.directory.forget();
                for done in ran {
                    (done.tell)(Some(not_written(&error)));
                }
            }
        }
    }

    fn run_one(
        &mut self,
        job: Job,
        after: &mut Vec<Box<dyn FnOnce() + Send>>,
    ) -> rusqlite::Result<Ran> {
        self.execute("SAVEPOINT job")?;
        let effects = after.len();
        self.directory.touched = false;
        let mut tx = Tx {
            conn: &self.conn,
            directory: &mut self.directory,
            after,
        };
        let done = (job.run)(&mut tx);
        if self.conn.is_autocommit() {
            // SQLite gave the whole transaction up: nothing of this batch is kept.
            (done.tell)(Some(not_written("the transaction was rolled back")));
            return Err(rolled_back());
        }
        if !done.ok {
            after.truncate(effects);
            self.execute("ROLLBACK TO job")?;
            if self.directory.touched {
                self.directory.forget();
            }
        }
        self.execute("RELEASE job")?;
        Ok(done)
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.conn.prepare_cached(sql)?.execute([]).map(drop)
    }

    /// After an I/O error nobody knows what reached the disk (pages may be marked clean
    /// after a failed sync), so nothing more is written and the process must end. A full
    /// disk heals by itself.
    fn failed(&mut self, error: &rusqlite::Error) {
        self.health.failing.store(true, Ordering::Relaxed);
        log::error!("writing failed: {}", sql_error(error));
        let fatal = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::SystemIoFailure | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        );
        if fatal {
            let _ = self.lost.send(true);
        }
    }
}

/// SQLite gave the whole transaction up by itself, as it does on a full disk.
fn rolled_back() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ABORT_ROLLBACK), None)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// The writer's own settings on its connection.
pub(super) fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(LOCK_TRY)?;
    conn.pragma_update(None, "wal_autocheckpoint", 0)
}
