//! The writer thread. Callers send closures; the thread runs the queued ones in one transaction,
//! commits once, and then answers every caller. Batches form while a commit is running. A closure
//! that fails is undone alone: by a savepoint, or, when all closures of the transaction so far are
//! repeatable, by running the others again. This file holds the callers' side; `thread` does the
//! work.

mod receive;
mod thread;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use rusqlite::{Connection, config::DbConfig};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::file::checkpoint::{self, Checkpointer};
use super::file::copy::CopyStep;
use super::health::WriterHealth;
use super::writer_cache::WriterCache;
use super::{Tx, WriterMetrics, sql_error};
use crate::error::{Error, Result};
use thread::WriterThread;

/// Closures waiting for the writer: about 50 ms of work. Further ones are refused with 503.
const QUEUE_JOBS_MAX: usize = 2048;

/// A closure and its caller. The caller is told once whether the changes were committed. If the job
/// is dropped, the caller is told that they were not.
trait WriteJob: Send {
    /// Returns whether its changes shall be kept.
    fn run(&mut self, tx: &mut Tx) -> bool;
    /// Whether it may run more than once after its changes were undone.
    fn is_repeatable(&self) -> bool;
    /// `failed` is the reason why changes that should be kept were not.
    fn notify(self: Box<Self>, failed: Option<&str>);
}

/// Whether a closure's changes are committed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteKind {
    Kept,
    /// Kept. The closure may run again after its changes were undone.
    Repeatable,
    Undone,
}

struct QueuedClosure<T, F> {
    f: F,
    kind: WriteKind,
    result: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<T, F> WriteJob for QueuedClosure<T, F>
where
    T: Send,
    F: FnMut(&mut Tx<'_>) -> Result<T> + Send,
{
    fn run(&mut self, tx: &mut Tx) -> bool {
        let result = catch_unwind(AssertUnwindSafe(|| (self.f)(tx)))
            .unwrap_or_else(|_| Err(Error::internal("a write panicked")));
        self.result.insert(result).is_ok() && self.kind != WriteKind::Undone
    }

    fn is_repeatable(&self) -> bool {
        self.kind == WriteKind::Repeatable
    }

    fn notify(self: Box<Self>, failed: Option<&str>) {
        let result = match (self.result, failed) {
            (Some(Ok(_)), Some(cause)) if self.kind != WriteKind::Undone => Err(not_written(cause)),
            (Some(result), _) => result,
            (None, _) => return,
        };
        let _ = self.answer.send(result); // fails when the caller has gone
    }
}

/// Finished closures whose callers haven't been told yet. Dropping this tells them.
struct WaitingCallers {
    works: Vec<Box<dyn WriteJob>>,
    failed: Option<String>,
}

impl Drop for WaitingCallers {
    fn drop(&mut self) {
        for work in self.works.drain(..) {
            work.notify(self.failed.as_deref());
        }
    }
}

/// Starts a task that tells callers from within the runtime. Waking a task from another thread
/// costs the writer several times as much; this way it wakes the runtime once per transaction.
/// Without a runtime the writer thread tells them.
fn start_notifier() -> mpsc::UnboundedSender<WaitingCallers> {
    // Bounded by the callers: each waits for one answer.
    let (notifier, mut waiting) = mpsc::unbounded_channel();
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(async move { while waiting.recv().await.is_some() {} });
    }
    notifier
}

struct Job {
    queued: Instant,
    task: Task,
}

enum Task {
    Write(Box<dyn WriteJob>),
    /// Between two transactions: remove deleted data from the file, rewriting the file if
    /// requested.
    Compact {
        anew: bool,
        answer: oneshot::Sender<Result<()>>,
    },
    /// Between two transactions: begin a copy of the database.
    BeginCopy(CopyRequest),
    /// After the next transaction: copy some more pages.
    CopyPages(PagesAnswer),
}

/// A copy to begin. It is cancelled when another one begins, and when nobody waits for its pages.
struct CopyRequest {
    to: Connection,
    begun: oneshot::Sender<Result<(), String>>,
}

type PagesAnswer = oneshot::Sender<Result<CopyStep, String>>;

pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
    metrics: Arc<WriterMetrics>,
}

impl Writer {
    /// Starts the thread; it ends when every handle is dropped.
    pub(super) fn start(
        conn: Connection,
        cache: WriterCache,
        checkpointer: Checkpointer,
        (health, metrics): (Arc<WriterHealth>, Arc<WriterMetrics>),
    ) -> std::io::Result<(Self, std::thread::JoinHandle<()>)> {
        let (queue, jobs) = mpsc::channel(QUEUE_JOBS_MAX);
        let (counted, notifier) = (metrics.clone(), start_notifier());
        let handle = std::thread::Builder::new()
            .name("writer".into())
            .spawn(move || {
                let run = || {
                    WriterThread::new(&conn, cache, checkpointer, (&health, &counted), notifier)
                        .map(|thread| thread.run(jobs))
                };
                match catch_unwind(AssertUnwindSafe(run)) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        log::error!("the writer can't start: {}", sql_error(&error));
                        health.stop_writing();
                    }
                    // A panic after a commit: memory may differ from the disk.
                    Err(_) => health.stop_writing(),
                }
                if health.is_lost() {
                    // The next start handles the log, not a last checkpoint.
                    let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
                }
            })?;
        Ok((Self { queue, metrics }, handle))
    }

    /// Runs `f` in a transaction and resolves after the commit. An error of `f` undoes only the
    /// changes of `f`.
    pub(super) async fn write<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (task, answered) = write(once(f), WriteKind::Kept);
        self.wait(task, answered).await
    }

    /// Runs `f` like `write`, and undoes its changes.
    pub(super) async fn dry_run<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (task, answered) = write(once(f), WriteKind::Undone);
        self.wait(task, answered).await
    }

    /// Like `write`. `f` may run again after its changes were undone, which saves a savepoint. Best
    /// for closures that check everything before they write.
    pub(super) async fn write_repeatable<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (task, answered) = write(f, WriteKind::Repeatable);
        self.wait(task, answered).await
    }

    async fn wait<T>(&self, task: Task, answered: oneshot::Receiver<Result<T>>) -> Result<T> {
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

    /// Begins a copy of the database into the file of `to`, which nobody else uses.
    pub(super) async fn begin_copy(&self, to: Connection) -> Result<(), String> {
        let (begun, answered) = oneshot::channel();
        self.send(Task::BeginCopy(CopyRequest { to, begun }))
            .map_err(|e| e.detail)?;
        answered.await.unwrap_or_else(|_| Err(GIVEN_UP.to_owned()))
    }

    /// Copies some more pages.
    pub(super) async fn copy_pages(&self) -> Result<CopyStep, String> {
        let (answer, answered) = oneshot::channel();
        let (queued, task) = (Instant::now(), Task::CopyPages(answer));
        if self.queue.try_send(Job { queued, task }).is_err() {
            return Ok(CopyStep::Busy);
        }
        answered.await.unwrap_or_else(|_| Err(GIVEN_UP.to_owned()))
    }

    /// Cancels the copy. When the queue is full, the copy stays until the next one begins.
    pub(super) fn end_copy(&self) {
        let (queued, task) = (Instant::now(), Task::CopyPages(oneshot::channel().0));
        let _ = self.queue.try_send(Job { queued, task });
    }

    fn send(&self, task: Task) -> Result<()> {
        let queued = Instant::now();
        let sent = self.queue.try_send(Job { queued, task });
        sent.inspect_err(|_| self.metrics.refused.inc())
            .map_err(|_| Error::unavailable("The service is busy; try again in a second."))
    }

    /// Like `write` without waiting.
    pub(super) fn post<F>(&self, f: F)
    where
        F: FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
    {
        if self.send(write(once(f), WriteKind::Kept).0).is_err() {
            log::debug!("a write that nobody waits for was dropped: the queue is full");
        }
    }

    pub(super) fn queued(&self) -> usize {
        QUEUE_JOBS_MAX - self.queue.capacity()
    }
}

fn write<T, F>(f: F, kind: WriteKind) -> (Task, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
{
    let (answer, answered) = oneshot::channel();
    let call = QueuedClosure {
        f,
        kind,
        result: None,
        answer,
    };
    (Task::Write(Box::new(call)), answered)
}

/// Wraps a closure that runs once as one that could be called again.
fn once<T, F>(f: F) -> impl FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static
where
    F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
{
    let mut f = Some(f);
    move |tx| match f.take() {
        Some(f) => f(tx),
        None => Err(Error::internal("a write was run twice")),
    }
}

fn not_written(cause: impl std::fmt::Display) -> Error {
    Error::unavailable("The database can't be written at the moment; try again.").because(cause)
}

const GIVEN_UP: &str = "the service gave the copy up";

/// The writer's own settings on its connection.
pub(super) fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(checkpoint::LOCK_TRY)?;
    checkpoint::prepare_writer(conn)
}
