//! The writer thread's loop: batches of closures, and between them the tasks that need the
//! connection for themselves.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::backup::Backup;
use rusqlite::{Connection, Statement};
use tokio::sync::mpsc;

use super::super::deferred::CommittedCounts;
use super::super::file::advice::{is_busy, rolled_back, sqlite_failed};
use super::super::file::checkpoint::Checkpointer;
use super::super::file::copy::{self, CopyStep};
use super::super::health::WriterHealth;
use super::super::prepared::PreparedStatements;
use super::super::writer_cache::{CacheSavepoint, WriterCache};
use super::super::{Tx, WriterMetrics};
use super::receive::{ReceiveError, receive_within};
use super::{CopyRequest, Job, PagesAnswer, Task, WaitingCallers, WriteJob};
use crate::error;

/// Closures in one transaction.
const BATCH_JOBS_MAX: usize = 256;
/// No further closure starts in a transaction that has taken this long.
const BATCH_TIME_MAX: Duration = Duration::from_millis(25);
/// A closure that waited longer is refused with 503 and not run.
const WAIT_MAX: Duration = Duration::from_secs(5);

type Effects = Vec<Box<dyn FnOnce() + Send>>;

/// The writer thread's next task.
enum NextTask {
    Batch,
    BeginCopy(CopyRequest),
    /// All handles were dropped.
    End,
}

/// The thread's state. The statements around every transaction are prepared once.
pub(super) struct WriterThread<'c> {
    conn: &'c Connection,
    begin: Statement<'c>,
    commit: Statement<'c>,
    rollback: Statement<'c>,
    savepoint: Statement<'c>,
    release: Statement<'c>,
    undo: Statement<'c>,
    prepared: PreparedStatements<'c>,
    counts: CommittedCounts,
    cache: WriterCache,
    checkpointer: Checkpointer,
    health: &'c WriterHealth,
    metrics: &'c WriterMetrics,
    notifier: mpsc::UnboundedSender<WaitingCallers>,
    /// The caller waiting for more pages of the copy.
    pages_wanted: Option<PagesAnswer>,
}

impl<'c> WriterThread<'c> {
    pub(super) fn new(
        conn: &'c Connection,
        cache: WriterCache,
        checkpointer: Checkpointer,
        (health, metrics): (&'c WriterHealth, &'c WriterMetrics),
        notifier: mpsc::UnboundedSender<WaitingCallers>,
    ) -> rusqlite::Result<Self> {
        Ok(Self {
            conn,
            begin: conn.prepare("BEGIN IMMEDIATE")?,
            commit: conn.prepare("COMMIT")?,
            rollback: conn.prepare("ROLLBACK")?,
            savepoint: conn.prepare("SAVEPOINT job")?,
            release: conn.prepare("RELEASE job")?,
            undo: conn.prepare("ROLLBACK TO job")?,
            prepared: PreparedStatements::prepare(conn)?,
            counts: cache.deferred.committed_counts().clone(),
            cache,
            checkpointer,
            health,
            metrics,
            notifier,
            pages_wanted: None,
        })
    }

    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = VecDeque::with_capacity(BATCH_JOBS_MAX);
        let mut next = NextTask::Batch;
        loop {
            next = match next {
                NextTask::Batch => self.run_next(&mut batch, &mut jobs),
                NextTask::BeginCopy(request) => self.copy(request, &mut batch, &mut jobs),
                NextTask::End => return,
            };
        }
    }

    /// Runs the next task of the batch, after waiting for one.
    fn run_next(&mut self, batch: &mut VecDeque<Job>, jobs: &mut mpsc::Receiver<Job>) -> NextTask {
        if batch.is_empty() {
            match self.next_job(jobs) {
                Ok(job) => self.take(job, batch),
                Err(ReceiveError::Due) => {
                    self.write_deferred(false);
                    return NextTask::Batch;
                }
                Err(ReceiveError::Ended) => {
                    self.write_deferred(true);
                    return NextTask::End;
                }
            }
        }
        if self.health.is_lost() {
            batch.clear(); // dropping a job answers its caller
            self.pages_wanted = None;
            return NextTask::Batch;
        }
        match batch.pop_front() {
            None => {} // only pages of a copy are requested
            Some(Job {
                task: Task::Compact { anew, answer },
                ..
            }) => {
                let _ = answer.send(self.compact(anew)); // fails when the caller has gone
            }
            Some(Job {
                task: Task::BeginCopy(request),
                ..
            }) => return NextTask::BeginCopy(request),
            Some(job) => {
                batch.push_front(job);
                if self.begin(batch, jobs) {
                    self.run_batch(batch);
                }
            }
        }
        NextTask::Batch
    }

    /// Waits for a job, at most until deferred rows are due.
    fn next_job(&self, jobs: &mut mpsc::Receiver<Job>) -> Result<Job, ReceiveError> {
        match self.cache.deferred.due_in() {
            None => jobs.blocking_recv().ok_or(ReceiveError::Ended),
            Some(wait) => receive_within(jobs, wait),
        }
    }

    /// Adds a job to the batch, unless it must wait for the end of the batch.
    fn take(&mut self, job: Job, batch: &mut VecDeque<Job>) {
        match job.task {
            Task::CopyPages(answer) => self.pages_wanted = Some(answer),
            _ => batch.push_back(job),
        }
    }

    /// Makes a copy, some pages after each transaction, and continues with all other tasks
    /// meanwhile. SQLite repeats this connection's writes in the copy, so the copy is of the moment
    /// of its last page.
    fn copy(
        &mut self,
        request: CopyRequest,
        batch: &mut VecDeque<Job>,
        jobs: &mut mpsc::Receiver<Job>,
    ) -> NextTask {
        let CopyRequest { mut to, begun } = request;
        self.pages_wanted = None;
        let backup = match Backup::new(self.conn, &mut to) {
            Ok(backup) => backup,
            Err(error) => {
                let _ = begun.send(Err(copy::in_words(&error)));
                return NextTask::Batch;
            }
        };
        let _ = begun.send(Ok(())); // fails when nobody will ask for pages
        loop {
            match self.run_next(batch, jobs) {
                NextTask::Batch => {}
                other => return other,
            }
            let Some(answer) = self.pages_wanted.take() else {
                continue;
            };
            if answer.is_closed() {
                return NextTask::Batch;
            }
            let step = copy::some_pages(&backup);
            // Emptying the log on another connection would restart the copy.
            self.checkpointer.postpone_emptying();
            if let Ok(CopyStep::More { .. } | CopyStep::Busy) = step {
                let _ = answer.send(step);
                continue;
            }
            // The file is closed before the copy is reported as complete.
            drop(backup);
            drop(to);
            let _ = answer.send(step);
            return NextTask::Batch;
        }
    }

    /// Takes the write lock. Jobs that waited too long are refused, and all of them while the
    /// database's file isn't in its place. False when no job is left.
    fn begin(&mut self, batch: &mut VecDeque<Job>, jobs: &mut mpsc::Receiver<Job>) -> bool {
        if !self.health.check_files() {
            // Copies and compactions go on.
            self.refuse(batch, |job| !matches!(job.task, Task::Write(_)));
            return false;
        }
        loop {
            let started = self.begin.execute([]);
            while batch.len() < BATCH_JOBS_MAX {
                match jobs.try_recv() {
                    Ok(job) => self.take(job, batch),
                    Err(_) => break,
                }
            }
            let Err(error) = started else { return true };
            let refused = if is_busy(&error) {
                self.refuse(batch, |job| job.queued.elapsed() < WAIT_MAX)
            } else {
                self.failed(&error);
                self.refuse(batch, |_| false)
            };
            if refused > 0 {
                log::warn!("{refused} writes were refused: {error}");
            }
            if batch.is_empty() {
                return false;
            }
        }
    }

    /// Drops the jobs that are not kept, which answers their callers. Returns how many.
    fn refuse(&self, batch: &mut VecDeque<Job>, keep: impl Fn(&Job) -> bool) -> usize {
        let waiting = batch.len();
        batch.retain(keep);
        let refused = waiting - batch.len();
        self.metrics.refused.inc_by(refused as u64);
        refused
    }

    /// Runs the batch, commits it and tells every caller. Jobs for which there was no time stay in
    /// the batch.
    fn run_batch(&mut self, batch: &mut VecDeque<Job>) {
        let mut ran = Vec::with_capacity(batch.len());
        let mut after = Effects::new();
        let outcome = self
            .run_jobs(batch, &mut ran, &mut after)
            .and_then(|()| self.write_deferred_when_due())
            .and_then(|()| self.commit(ran.len()));
        match outcome {
            Ok(()) => {
                for effect in after {
                    effect();
                }
                self.notify(ran, None);
                self.checkpointer.committed(self.conn);
            }
            Err(error) => {
                self.failed(&error);
                // A full disk or a missing file may already have rolled everything back.
                if !self.conn.is_autocommit() && self.rollback.execute([]).is_err() {
                    self.health.stop_writing();
                }
                self.cache.forget();
                self.cache.undo_to(CacheSavepoint::default());
                self.notify(ran, Some(self.failure(&error)));
                batch.clear();
            }
        }
    }

    /// Writes the deferred rows in a transaction of their own, of many events some or all. When that fails,
    /// they wait again.
    fn write_deferred(&mut self, all_events: bool) {
        if self.health.is_lost() || self.cache.deferred.due_in().is_none() {
            return;
        }
        let began = self.begin.execute([]);
        let written = began
            .and_then(|_| {
                let newest = self.cache.last_message_id;
                self.cache.deferred.write(self.conn, newest, all_events)
            })
            .and_then(|()| self.commit.execute([]));
        match written {
            Ok(_) => {
                self.cache.deferred.publish();
                self.checkpointer.committed(self.conn);
            }
            Err(error) => {
                if !is_busy(&error) {
                    self.failed(&error);
                }
                if !self.conn.is_autocommit() && self.rollback.execute([]).is_err() {
                    self.health.stop_writing();
                }
                self.cache.deferred.undo_to(0);
                self.cache.deferred.postpone();
            }
        }
    }

    fn write_deferred_when_due(&mut self) -> rusqlite::Result<()> {
        let newest = self.cache.last_message_id;
        self.cache.deferred.write_when_due(self.conn, newest)
    }

    fn notify(&self, works: Vec<Box<dyn WriteJob>>, failed: Option<String>) {
        // If sending fails, dropping the value tells the callers.
        let _ = self.notifier.send(WaitingCallers { works, failed });
    }

    fn commit(&mut self, writes: usize) -> rusqlite::Result<()> {
        let began = Instant::now();
        self.commit.execute([])?;
        self.metrics.committed(writes, began.elapsed());
        self.cache.keep_changes();
        Ok(())
    }

    /// An error means that nothing of the transaction may be kept.
    fn run_jobs(
        &mut self,
        batch: &mut VecDeque<Job>,
        ran: &mut Vec<Box<dyn WriteJob>>,
        after: &mut Effects,
    ) -> rusqlite::Result<()> {
        let started = Instant::now();
        let mut all_repeatable = true;
        while let Some(mut work) = pop_write(batch) {
            all_repeatable &= work.is_repeatable();
            let done = if all_repeatable {
                self.run_bare(&mut *work, after)
            } else {
                self.run_one(&mut *work, after).map(|()| true)
            };
            ran.push(work);
            if !done? {
                all_repeatable = false;
                self.run_again(ran, after)?;
            }
            if started.elapsed() > BATCH_TIME_MAX {
                break;
            }
        }
        Ok(())
    }

    /// Runs a closure without a savepoint. False when it failed after it had written.
    fn run_bare(&mut self, work: &mut dyn WriteJob, after: &mut Effects) -> rusqlite::Result<bool> {
        let (effects, changes) = (after.len(), self.conn.total_changes());
        let savepoint = self.cache.savepoint();
        if self.run_work(work, after)? {
            return Ok(true);
        }
        after.truncate(effects);
        self.cache.undo_to(savepoint);
        if self.cache.touched {
            self.cache.forget();
        }
        Ok(self.conn.total_changes() == changes)
    }

    /// Undoes the transaction and runs it again, each closure in a savepoint.
    fn run_again(
        &mut self,
        ran: &mut Vec<Box<dyn WriteJob>>,
        after: &mut Effects,
    ) -> rusqlite::Result<()> {
        log::debug!("a write failed halfway; its transaction is done again");
        after.clear();
        self.rollback.execute([])?;
        self.cache.forget();
        self.cache.undo_to(CacheSavepoint::default());
        self.begin.execute([])?;
        for work in ran {
            self.run_one(&mut **work, after)?;
        }
        Ok(())
    }

    fn run_one(&mut self, work: &mut dyn WriteJob, after: &mut Effects) -> rusqlite::Result<()> {
        self.savepoint.execute([])?;
        let (effects, savepoint) = (after.len(), self.cache.savepoint());
        if !self.run_work(work, after)? {
            after.truncate(effects);
            self.cache.undo_to(savepoint);
            self.undo.execute([])?;
            if self.cache.touched {
                self.cache.forget();
            }
        }
        self.release.execute([]).map(drop)
    }

    /// Returns whether its changes shall be kept.
    fn run_work(&mut self, work: &mut dyn WriteJob, after: &mut Effects) -> rusqlite::Result<bool> {
        self.cache.touched = false;
        self.cache.changes_before = self.conn.total_changes();
        let keep = work.run(&mut Tx {
            view: self.counts.view(self.conn),
            cache: &mut self.cache,
            prepared: &mut self.prepared,
            after,
        });
        if self.conn.is_autocommit() {
            return Err(rolled_back());
        }
        Ok(keep)
    }

    /// A failure leaves the file unchanged.
    fn compact(&mut self, anew: bool) -> error::Result<()> {
        self.write_deferred(true);
        if anew {
            // The new file is built on disk, not in memory.
            self.conn
                .execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")
                .inspect_err(|error| self.health.note_error(error))?;
        }
        self.checkpointer.empty(self.conn);
        Ok(())
    }

    fn failed(&self, error: &rusqlite::Error) {
        self.metrics.failed.inc();
        self.health.note_failure();
        log::error!("{}", self.failure(error));
        self.health.note_error(error);
    }

    /// The failure with the file's name and advice for the operator.
    fn failure(&self, error: &rusqlite::Error) -> String {
        let path = self.conn.path().unwrap_or_default();
        sqlite_failed("write", Path::new(path), error)
    }
}

/// Takes the next job if it is a closure.
fn pop_write(batch: &mut VecDeque<Job>) -> Option<Box<dyn WriteJob>> {
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
