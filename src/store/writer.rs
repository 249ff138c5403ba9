//! The one writing thread. Callers send it closures; it runs what is queued in one
//! transaction, each closure in a savepoint of its own, commits once, and only then tells
//! every caller. Batches form by themselves while a commit is under way. It must not know
//! what the closures do.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Statement, config::DbConfig, ffi};
use tokio::sync::{mpsc, oneshot, watch};

use super::checkpoint::{self, Checkpointer};
use super::directory::Directory;
use super::{Numbers, Tx, sql_error};
use crate::error::{Error, Result};

/// Closures waiting for the writer: about 50 ms of work. More are refused with 503.
const QUEUE_JOBS_MAX: usize = 2048;
/// Closures in one transaction.
const BATCH_JOBS_MAX: usize = 256;
/// No further closure is started in a transaction that has taken this long.
const BATCH_TIME_MAX: Duration = Duration::from_millis(25);
/// A closure that waited longer is refused with 503 and not run.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How long one try for the write lock takes while another process holds it.
pub(super) const LOCK_TRY: Duration = Duration::from_millis(100);

/// A closure and its caller: run once, then told once whether what it did was kept. A
/// caller whose work is dropped untold hears that it was not.
trait Work: Send {
    /// Whether what it did is to be kept.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// `failed`: why it was not kept although it was to be.
    fn tell(self: Box<Self>, failed: Option<Error>);
}

struct Call<T, F> {
    f: Option<F>,
    result: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<T, F> Work for Call<T, F>
where
    T: Send,
    F: FnOnce(&mut Tx<'_>) -> Result<T> + Send,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        let Some(f) = self.f.take() else {
            return false;
        };
        let result = catch_unwind(AssertUnwindSafe(|| f(tx)))
            .unwrap_or_else(|_| Err(Error::internal("a write panicked")));
        self.result.insert(result).is_ok()
    }

    fn tell(self: Box<Self>, failed: Option<Error>) {
        let result = match (self.result, failed) {
            (Some(Ok(_)), Some(error)) => Err(error),
            (Some(result), _) => result,
            (None, _) => return,
        };
        let _ = self.answer.send(result); // an error: the caller went away
    }
}

struct Job {
    queued: Instant,
    task: Task,
}

enum Task {
    Write(Box<dyn Work>),
    /// Between two transactions: take what was deleted out of the file's bytes, writing the
    /// file anew if that is asked for.
    Compact {
        anew: bool,
        answer: oneshot::Sender<Result<()>>,
    },
}

type Effects = Vec<Box<dyn FnOnce() + Send>>;

/// What has gone wrong with the disk; shared by all who write.
pub(super) struct Trouble {
    /// A commit failed (a full disk, say); a probe that works clears it.
    failing: AtomicBool,
    /// Turns true when writing can't be trusted any more: the process must end.
    lost: watch::Sender<bool>,
}

impl Trouble {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            failing: AtomicBool::new(false),
            lost: watch::Sender::new(false),
        })
    }

    pub(super) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) {
        self.failing.store(self.is_lost(), Ordering::Relaxed);
    }

    pub(super) fn is_lost(&self) -> bool {
        *self.lost.borrow()
    }

    pub(super) fn watch_lost(&self) -> watch::Receiver<bool> {
        self.lost.subscribe()
    }

    /// After an I/O error nobody knows what reached the disk (pages may be marked clean
    /// after a failed sync), so nothing more is written and the process must end. A full
    /// disk heals by itself, also where there was no room for the log's index.
    pub(super) fn judge(&self, error: &rusqlite::Error) {
        let code = error.sqlite_error();
        let fatal = matches!(
            code.map(|code| code.code),
            Some(ErrorCode::SystemIoFailure | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        ) && code.is_some_and(|code| code.extended_code != ffi::SQLITE_IOERR_SHMSIZE);
        if fatal {
            self.give_up();
        }
    }

    fn give_up(&self) {
        self.failing.store(true, Ordering::Relaxed);
        self.lost.send_replace(true);
    }
}

pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
    numbers: Arc<Numbers>,
}

impl Writer {
    /// Starts the thread; it ends when every handle is dropped.
    pub(super) fn start(
        conn: Connection,
        directory: Directory,
        checkpointer: Checkpointer,
        (trouble, numbers): (Arc<Trouble>, Arc<Numbers>),
    ) -> std::io::Result<(Self, std::thread::JoinHandle<()>)> {
        let (queue, jobs) = mpsc::channel(QUEUE_JOBS_MAX);
        let counted = numbers.clone();
        let handle = std::thread::Builder::new()
            .name("writer".into())
            .spawn(move || {
                let run = || {
                    Thread::new(&conn, directory, checkpointer, (&trouble, &counted))
                        .map(|thread| thread.run(jobs))
                };
                match catch_unwind(AssertUnwindSafe(run)) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        log::error!("the writer can't start: {}", sql_error(&error));
                        trouble.give_up();
                    }
                    // What followed a commit broke: memory may differ from the disk.
                    Err(_) => trouble.give_up(),
                }
                if trouble.is_lost() {
                    // What is in the log is judged by the next start, not by a last checkpoint.
                    let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
                }
            })?;
        Ok((Self { queue, numbers }, handle))
    }

    /// Runs `f` in a transaction and resolves after the commit. An error from `f` undoes
    /// what `f` did and nothing else.
    pub(super) async fn write<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (task, answered) = write(f);
        self.send(task)?;
        answered
            .await
            .unwrap_or_else(|_| Err(not_written("the write was dropped")))
    }

    pub(super) async fn compact(&self, anew: bool) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        self.send(Task::Compact { anew, answer })?;
        answered
            .await
            .unwrap_or_else(|_| Err(not_written("it was dropped")))
    }

    fn send(&self, task: Task) -> Result<()> {
        let queued = Instant::now();
        let sent = self.queue.try_send(Job { queued, task });
        sent.inspect_err(|_| self.numbers.refused.inc())
            .map_err(|_| Error::unavailable("The service is busy; try again in a second."))
    }

    /// As `write`, with nobody waiting.
    pub(super) fn post<F>(&self, f: F)
    where
        F: FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
    {
        if self.send(write(f).0).is_err() {
            log::debug!("a write that nobody waits for was dropped: the queue is full");
        }
    }

    pub(super) fn queued(&self) -> usize {
        QUEUE_JOBS_MAX - self.queue.capacity()
    }
}

fn write<T, F>(f: F) -> (Task, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
{
    let (answer, answered) = oneshot::channel();
    let call = Call {
        f: Some(f),
        result: None,
        answer,
    };
    (Task::Write(Box::new(call)), answered)
}

fn not_written(cause: impl std::fmt::Display) -> Error {
    Error::unavailable("The service can't write at the moment; try again.").because(cause)
}

/// The thread's state; the statements that frame every transaction are prepared once.
struct Thread<'c> {
    conn: &'c Connection,
    begin: Statement<'c>,
    commit: Statement<'c>,
    rollback: Statement<'c>,
    savepoint: Statement<'c>,
    release: Statement<'c>,
    undo: Statement<'c>,
    directory: Directory,
    checkpointer: Checkpointer,
    trouble: &'c Trouble,
    numbers: &'c Numbers,
}

impl<'c> Thread<'c> {
    fn new(
        conn: &'c Connection,
        directory: Directory,
        checkpointer: Checkpointer,
        (trouble, numbers): (&'c Trouble, &'c Numbers),
    ) -> rusqlite::Result<Self> {
        Ok(Self {
            conn,
            begin: conn.prepare("BEGIN IMMEDIATE")?,
            commit: conn.prepare("COMMIT")?,
            rollback: conn.prepare("ROLLBACK")?,
            savepoint: conn.prepare("SAVEPOINT job")?,
            release: conn.prepare("RELEASE job")?,
            undo: conn.prepare("ROLLBACK TO job")?,
            directory,
            checkpointer,
            trouble,
            numbers,
        })
    }

    fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = VecDeque::with_capacity(BATCH_JOBS_MAX);
        loop {
            if batch.is_empty() {
                match jobs.blocking_recv() {
                    Some(job) => batch.push_back(job),
                    None => return,
                }
            }
            if self.trouble.is_lost() {
                batch.clear(); // dropping a job answers its caller
            } else if let Some((anew, answer)) = pop_compact(&mut batch) {
                let _ = answer.send(self.compact(anew)); // an error: the caller went away
            } else if self.begin(&mut batch, &mut jobs) {
                self.run_batch(&mut batch);
            }
        }
    }

    /// Gets the write lock, giving up on jobs that waited too long for it. False when no
    /// job is left.
    fn begin(&mut self, batch: &mut VecDeque<Job>, jobs: &mut mpsc::Receiver<Job>) -> bool {
        loop {
            let started = self.begin.execute([]);
            while batch.len() < BATCH_JOBS_MAX {
                match jobs.try_recv() {
                    Ok(job) => batch.push_back(job),
                    Err(_) => break,
                }
            }
            let waiting = batch.len();
            match started {
                Ok(_) => return true,
                Err(error) if is_busy(&error) => {
                    batch.retain(|job| job.queued.elapsed() < WAIT_MAX);
                }
                Err(error) => {
                    self.failed(&error);
                    batch.clear();
                }
            }
            if batch.len() < waiting {
                self.numbers.refused.inc_by((waiting - batch.len()) as u64);
                log::warn!("{} writes were refused", waiting - batch.len());
            }
            if batch.is_empty() {
                return false;
            }
        }
    }

    /// Runs what is in the batch, commits it and tells every caller. What there was no time
    /// for stays in the batch.
    fn run_batch(&mut self, batch: &mut VecDeque<Job>) {
        let mut ran = Vec::with_capacity(batch.len());
        let mut after = Effects::new();
        let outcome = self
            .run_jobs(batch, &mut ran, &mut after)
            .and_then(|()| self.commit(ran.len()));
        match outcome {
            Ok(()) => {
                for effect in after {
                    effect();
                }
                for work in ran {
                    work.tell(None);
                }
                self.checkpointer.committed(self.conn);
            }
            Err(error) => {
                self.failed(&error);
                // A full disk or a lost file may have rolled everything back already.
                if !self.conn.is_autocommit() && self.rollback.execute([]).is_err() {
                    self.trouble.give_up();
                }
                self.directory.forget();
                for work in ran {
                    work.tell(Some(not_written(sql_error(&error))));
                }
                batch.clear();
            }
        }
    }

    fn commit(&mut self, writes: usize) -> rusqlite::Result<()> {
        let began = Instant::now();
        self.commit.execute([])?;
        self.numbers.committed(writes, began.elapsed());
        Ok(())
    }

    /// An error means that nothing of the transaction may be kept.
    fn run_jobs(
        &mut self,
        batch: &mut VecDeque<Job>,
        ran: &mut Vec<Box<dyn Work>>,
        after: &mut Effects,
    ) -> rusqlite::Result<()> {
        let started = Instant::now();
        while let Some(work) = pop_write(batch) {
            ran.push(work);
            if let Some(work) = ran.last_mut() {
                self.run_one(&mut **work, after)?;
            }
            if started.elapsed() > BATCH_TIME_MAX {
                break;
            }
        }
        Ok(())
    }

    fn run_one(&mut self, work: &mut dyn Work, after: &mut Effects) -> rusqlite::Result<()> {
        self.savepoint.execute([])?;
        let effects = after.len();
        self.directory.touched = false;
        let keep = work.run(&mut Tx {
            conn: self.conn,
            directory: &mut self.directory,
            after,
        });
        if self.conn.is_autocommit() {
            return Err(rolled_back());
        }
        if !keep {
            after.truncate(effects);
            self.undo.execute([])?;
            if self.directory.touched {
                self.directory.forget();
            }
        }
        self.release.execute([]).map(drop)
    }

    /// A failure leaves the file as it was.
    fn compact(&mut self, anew: bool) -> Result<()> {
        if anew {
            // The new file is put together beside the old one, not in memory.
            self.conn
                .execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")
                .inspect_err(|error| self.trouble.judge(error))?;
        }
        self.checkpointer.empty(self.conn);
        Ok(())
    }

    fn failed(&self, error: &rusqlite::Error) {
        self.numbers.failed.inc();
        self.trouble.failing.store(true, Ordering::Relaxed);
        log::error!("writing failed: {}", sql_error(error));
        self.trouble.judge(error);
    }
}

/// Takes the next closure, if a closure is next.
fn pop_write(batch: &mut VecDeque<Job>) -> Option<Box<dyn Work>> {
    match batch.pop_front()? {
        Job {
            task: Task::Write(work),
            ..
        } => Some(work),
        other => {
            batch.push_front(other);
            None
        }
    }
}

fn pop_compact(batch: &mut VecDeque<Job>) -> Option<(bool, oneshot::Sender<Result<()>>)> {
    match batch.pop_front()? {
        Job {
            task: Task::Compact { anew, answer },
            ..
        } => Some((anew, answer)),
        other => {
            batch.push_front(other);
            None
        }
    }
}

/// SQLite gave the whole transaction up by itself, as it does on a full disk.
fn rolled_back() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        ffi::Error::new(ffi::SQLITE_ABORT_ROLLBACK),
        Some("the transaction was rolled back".to_owned()),
    )
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
    checkpoint::prepare_writer(conn)
}
