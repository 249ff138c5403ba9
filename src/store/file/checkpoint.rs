//! Checkpoints: moves committed pages from the write-ahead log into the database, on a thread
//! beside the writer. Passive checkpoints run every few megabytes, a truncating one when the
//! service is idle. When the log still exceeds its limit, the thread moves what was added
//! meanwhile, until little is left; then the writer moves the rest and restarts the log between two
//! batches. Readers that hold the log back are cancelled.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::super::health::WriterHealth;
use super::super::sql_error;

/// How long one attempt to take the write lock lasts while another process holds it.
pub(in crate::store) const LOCK_TRY: Duration = Duration::from_millis(100);
/// Pages of the log between two passive checkpoints: 8 MiB.
const PAGES_BETWEEN: u32 = 2_048;
/// Above this the writer restarts the log: 24 MiB.
const LOG_PAGES_CAP: u32 = 6_144;
/// The writer restarts a log with at most this many pages left to move: 2 MiB. It stands still
/// meanwhile.
const PAGES_LEFT_MAX: u32 = 512;
/// Above this, the writer restarts the log however much is left, and readers that hold the log back
/// get a shorter time limit: 32 MiB.
const LOG_PAGES_OVERGROWN: u32 = 8_192;
/// Above this, writes wait until those readers have ended: 40 MiB.
const LOG_PAGES_WAIT: u32 = 10_240;
const OVERGROWN_WAIT: Duration = Duration::from_secs(2);
/// How long the writer waits for readers when it restarts the log, and the pause between two
/// attempts.
const RESTART_WAIT: Duration = Duration::from_millis(10);
const RESTART_PAUSE: Duration = Duration::from_millis(100);
/// The log is emptied after this time without writes.
const QUIET: Duration = Duration::from_secs(2);
/// How long emptying waits for a reader; it holds the write lock meanwhile.
const TRUNCATE_WAIT: Duration = Duration::from_millis(50);

thread_local! {
    /// Pages in the log after this thread's last commit. A thread-local, because SQLite's hook
    /// takes no state.
    static LOG_PAGES: Cell<u32> = const { Cell::new(0) };
}

/// The writer's part: checks the log after each commit and wakes the thread.
pub(in crate::store) struct Checkpointer {
    wake: SyncSender<()>,
    commits: Arc<AtomicU64>,
    /// Set while readers must end sooner.
    short_reads: Arc<AtomicBool>,
    moved_pages: Arc<AtomicU32>,
    woken_at_pages: u32,
    restart_not_before: Option<Instant>,
    checkpoint_lock: Arc<Mutex<()>>,
    health: Arc<WriterHealth>,
}

struct CheckpointThread {
    conn: Connection,
    commits: Arc<AtomicU64>,
    /// Pages of the current log that were moved, as last known.
    moved_pages: Arc<AtomicU32>,
    /// Held during a checkpoint.
    checkpoint_lock: Arc<Mutex<()>>,
    health: Arc<WriterHealth>,
}

/// Starts the thread with its own connection; it ends with the writer. `short_reads` is set while
/// readers must end sooner.
pub(in crate::store) fn start(
    conn: Connection,
    short_reads: Arc<AtomicBool>,
    health: Arc<WriterHealth>,
) -> std::io::Result<(Checkpointer, std::thread::JoinHandle<()>)> {
    // The log is opened now. Later SQLite would need the database's file at its path for that, and the
    // log of a file that was deleted meanwhile could not be emptied.
    let opened = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    opened.map_err(std::io::Error::other)?;
    let (wake, woken) = sync_channel(1);
    let (commits, checkpoint_lock) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(())));
    let moved_pages = Arc::new(AtomicU32::new(0));
    let thread = CheckpointThread {
        conn,
        commits: commits.clone(),
        moved_pages: moved_pages.clone(),
        checkpoint_lock: checkpoint_lock.clone(),
        health: health.clone(),
    };
    let handle = std::thread::Builder::new()
        .name("checkpoint".into())
        .spawn(move || thread.run(&woken))?;
    let checkpointer = Checkpointer {
        wake,
        commits,
        short_reads,
        moved_pages,
        woken_at_pages: 0,
        restart_not_before: None,
        checkpoint_lock,
        health,
    };
    Ok((checkpointer, handle))
}

/// Disables automatic checkpoints in the writer's commits, and records the log's size instead.
pub(in crate::store) fn prepare_writer(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    conn.wal_hook(Some(note_log_pages));
    Ok(())
}

fn note_log_pages(_: &Wal, pages: std::ffi::c_int) -> rusqlite::Result<()> {
    LOG_PAGES.set(u32::try_from(pages).unwrap_or_default());
    Ok(())
}

impl Checkpointer {
    /// Called by the writer after each commit.
    pub(in crate::store) fn committed(&mut self, conn: &Connection) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        let pages = LOG_PAGES.get();
        if pages < self.woken_at_pages {
            self.woken_at_pages = 0; // the log has restarted
            self.moved_pages.store(0, Ordering::Relaxed);
        }
        if pages >= self.woken_at_pages + PAGES_BETWEEN {
            self.woken_at_pages = pages;
            let _ = self.wake.try_send(()); // full: the thread is already awake
        }
        let overgrown = pages > LOG_PAGES_OVERGROWN;
        self.short_reads.store(overgrown, Ordering::Relaxed);
        let left = pages.saturating_sub(self.moved_pages.load(Ordering::Relaxed));
        if pages > LOG_PAGES_CAP && !overgrown && left > PAGES_LEFT_MAX {
            let _ = self.wake.try_send(());
        } else if pages > LOG_PAGES_CAP {
            let mode = if overgrown { "TRUNCATE" } else { "RESTART" };
            self.restart(conn, mode, overgrown, pages > LOG_PAGES_WAIT);
        }
    }

    /// Counts as a commit: the thread empties the log only after a quiet time.
    pub(in crate::store) fn postpone_emptying(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    /// Moves the whole log and truncates it, so that no deleted data stays in it. A reader may
    /// prevent that; then the thread does it later.
    pub(in crate::store) fn empty(&mut self, conn: &Connection) {
        let checkpoint_lock = self.checkpoint_lock.lock();
        self.short_reads.store(true, Ordering::Relaxed);
        let _ = conn.busy_timeout(OVERGROWN_WAIT);
        checkpoint(conn, "TRUNCATE", &self.health);
        let _ = conn.busy_timeout(LOCK_TRY);
        self.short_reads.store(false, Ordering::Relaxed);
        self.commits.fetch_add(1, Ordering::Relaxed);
        drop(checkpoint_lock);
    }

    /// The thread has moved most of the log, so this is short. The file keeps its size, because
    /// overwriting is cheaper than growing.
    fn restart(&mut self, conn: &Connection, mode: &str, overgrown: bool, at_any_cost: bool) {
        let now = Instant::now();
        if !at_any_cost && self.restart_not_before.is_some_and(|at| now < at) {
            return;
        }
        let wait = if at_any_cost {
            OVERGROWN_WAIT
        } else {
            RESTART_WAIT
        };
        // SQLite refuses while the thread makes a checkpoint. Waiting for it also limits the log's
        // size; before that is needed, the next commit tries again.
        let checkpoint_lock = match self.checkpoint_lock.try_lock() {
            Some(checkpoint_lock) => checkpoint_lock,
            None if !overgrown => return,
            None => self.checkpoint_lock.lock(),
        };
        self.restart_not_before = Some(now + RESTART_PAUSE);
        let _ = conn.busy_timeout(wait);
        if checkpoint(conn, mode, &self.health).is_complete {
            self.restart_not_before = None;
            self.moved_pages.store(0, Ordering::Relaxed);
        }
        let _ = conn.busy_timeout(LOCK_TRY);
        drop(checkpoint_lock);
    }
}

impl CheckpointThread {
    fn run(self, woken: &Receiver<()>) {
        let mut last_commits = self.commits.load(Ordering::Relaxed);
        let mut moved = None;
        loop {
            let quiet = match woken.recv_timeout(QUIET) {
                Ok(()) => false,
                Err(RecvTimeoutError::Timeout) => {
                    let before =
                        std::mem::replace(&mut last_commits, self.commits.load(Ordering::Relaxed));
                    before == last_commits
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let _guard = self.checkpoint_lock.lock();
            if !quiet {
                let moved = checkpoint(&self.conn, "PASSIVE", &self.health);
                self.moved_pages.store(moved.pages, Ordering::Relaxed);
            } else if moved != Some(last_commits) {
                let _ = self.conn.busy_timeout(TRUNCATE_WAIT);
                if checkpoint(&self.conn, "TRUNCATE", &self.health).is_complete {
                    moved = Some(last_commits);
                }
            }
        }
    }
}

/// The pages that a checkpoint moved.
#[derive(Default)]
struct CheckpointResult {
    /// The whole log was moved.
    is_complete: bool,
    /// Pages of the log that are moved, those of earlier checkpoints too.
    pages: u32,
}

/// Being blocked by a reader is no failure; the next round moves the rest. A disk error is one,
/// because it's unknown what was written.
fn checkpoint(conn: &Connection, mode: &str, health: &WriterHealth) -> CheckpointResult {
    if health.is_lost() {
        return CheckpointResult::default();
    }
    let pragma = format!("PRAGMA wal_checkpoint({mode})");
    let moved = conn.query_row(&pragma, [], |row| {
        Ok(CheckpointResult {
            is_complete: row.get::<_, i64>(0)? == 0,
            pages: u32::try_from(row.get::<_, i64>(2)?).unwrap_or_default(),
        })
    });
    moved.unwrap_or_else(|error| {
        log::warn!("the checkpoint failed: {}", sql_error(&error));
        health.note_error(&error);
        CheckpointResult::default()
    })
}
