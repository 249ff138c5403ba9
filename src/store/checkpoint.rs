//! Moves committed pages from the write-ahead log into the database, beside the writer:
//! passive checkpoints every few megabytes, a truncating one when nothing is written. When
//! the log grows beyond its cap all the same, the writer lets it start again between two
//! batches, and readers that hold it back are hurried.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::sql_error;
use super::writer::WriterHealth;

/// Pages of the log between two passive checkpoints: 8 MiB.
const PAGES_BETWEEN: u32 = 2_048;
/// Beyond this the writer itself lets the log start again: 24 MiB.
const LOG_PAGES_CAP: u32 = 6_144;
/// Beyond this readers that hold the log back are hurried: 32 MiB.
const LOG_PAGES_HURRY: u32 = 8_192;
/// Beyond this writing waits until they have let go: 40 MiB.
const LOG_PAGES_WAIT: u32 = 10_240;
const OVERGROWN_WAIT: Duration = Duration::from_secs(2);
/// How long the writer waits for readers when it restarts the log, and between two tries.
const RESTART_WAIT: Duration = Duration::from_millis(10);
const RESTART_PAUSE: Duration = Duration::from_millis(100);
/// Nothing was written for so long: the log is emptied.
const QUIET: Duration = Duration::from_secs(2);
/// How long the emptying waits for a reader; it holds the write lock meanwhile.
const TRUNCATE_WAIT: Duration = Duration::from_millis(50);

thread_local! {
    /// Pages in the log after the last commit of this thread; SQLite's hook takes no state.
    static LOG_PAGES: Cell<u32> = const { Cell::new(0) };
}

/// The writer's end: looks at the log after each commit and wakes the thread.
pub(super) struct Checkpointer {
    wake: SyncSender<()>,
    commits: Arc<AtomicU64>,
    hurry: Arc<AtomicBool>,
    woken_at_pages: u32,
    restart_not_before: Option<Instant>,
    turn: Arc<Mutex<()>>,
    health: Arc<WriterHealth>,
}

struct Thread {
    conn: Connection,
    commits: Arc<AtomicU64>,
    /// Held by who makes a checkpoint.
    turn: Arc<Mutex<()>>,
    health: Arc<WriterHealth>,
}

/// Starts the thread on a connection of its own; it ends with the writer. `hurry` is set
/// while readers must not hold the log back any longer.
pub(super) fn start(
    conn: Connection,
    hurry: Arc<AtomicBool>,
    health: Arc<WriterHealth>,
) -> std::io::Result<(Checkpointer, std::thread::JoinHandle<()>)> {
    let (wake, woken) = sync_channel(1);
    let (commits, turn) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(())));
    let thread = Thread {
        conn,
        commits: commits.clone(),
        turn: turn.clone(),
        health: health.clone(),
    };
    let handle = std::thread::Builder::new()
        .name("checkpoint".into())
        .spawn(move || thread.run(&woken))?;
    let checkpointer = Checkpointer {
        wake,
        commits,
        hurry,
        woken_at_pages: 0,
        restart_not_before: None,
        turn,
        health,
    };
    Ok((checkpointer, handle))
}

pub(super) fn wal_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Takes checkpoints out of the writer's commits and has the log's size noted instead.
pub(super) fn prepare_writer(conn: &Connection) -> rusqlite::Result<()> {
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
    pub(super) fn committed(&mut self, conn: &Connection) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        let pages = LOG_PAGES.get();
        if pages < self.woken_at_pages {
            self.woken_at_pages = 0; // the log has started again
        }
        if pages >= self.woken_at_pages + PAGES_BETWEEN {
            self.woken_at_pages = pages;
            let _ = self.wake.try_send(()); // full: it is at work already
        }
        let overgrown = pages > LOG_PAGES_HURRY;
        self.hurry.store(overgrown, Ordering::Relaxed);
        if pages > LOG_PAGES_CAP {
            let mode = if overgrown { "TRUNCATE" } else { "RESTART" };
            self.restart(conn, mode, pages > LOG_PAGES_WAIT);
        }
    }

    /// As after a commit: the thread empties the log when it has been quiet for a while.
    pub(super) fn postpone_emptying(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    /// Moves all of the log and cuts it to nothing, so that no bytes of it stay. A reader may
    /// hold that up; then the thread does it when it is quiet.
    pub(super) fn empty(&mut self, conn: &Connection) {
        let turn = self.turn.lock();
        self.hurry.store(true, Ordering::Relaxed);
        let _ = conn.busy_timeout(OVERGROWN_WAIT);
        checkpoint(conn, "TRUNCATE", &self.health);
        let _ = conn.busy_timeout(super::writer::LOCK_TRY);
        self.hurry.store(false, Ordering::Relaxed);
        self.commits.fetch_add(1, Ordering::Relaxed);
        drop(turn);
    }

    /// Most of the log has been moved by the thread, so this is short. The file keeps its
    /// size: writing over it is cheaper than making it grow again.
    fn restart(&mut self, conn: &Connection, mode: &str, at_any_cost: bool) {
        let now = Instant::now();
        if !at_any_cost && self.restart_not_before.is_some_and(|at| now < at) {
            return;
        }
        let wait = if at_any_cost {
            OVERGROWN_WAIT
        } else {
            RESTART_WAIT
        };
        self.restart_not_before = Some(now + RESTART_PAUSE);
        // While the thread is at work SQLite refuses; waiting for it also keeps the log from
        // outgrowing the disk.
        let turn = self.turn.lock();
        let _ = conn.busy_timeout(wait);
        if checkpoint(conn, mode, &self.health) {
            self.restart_not_before = None;
        }
        let _ = conn.busy_timeout(super::writer::LOCK_TRY);
        drop(turn);
    }
}

impl Thread {
    fn run(self, woken: &Receiver<()>) {
        let mut seen = self.commits.load(Ordering::Relaxed);
        let mut moved = None;
        loop {
            let quiet = match woken.recv_timeout(QUIET) {
                Ok(()) => false,
                Err(RecvTimeoutError::Timeout) => {
                    let before = std::mem::replace(&mut seen, self.commits.load(Ordering::Relaxed));
                    before == seen
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let _turn = self.turn.lock();
            if !quiet {
                checkpoint(&self.conn, "PASSIVE", &self.health);
            } else if moved != Some(seen) {
                let _ = self.conn.busy_timeout(TRUNCATE_WAIT);
                if checkpoint(&self.conn, "TRUNCATE", &self.health) {
                    moved = Some(seen);
                }
            }
        }
    }
}

/// True when all of the log was moved. Being held up by a reader is no failure: the next
/// round moves what this one could not. A failing disk is: nobody knows what reached it.
fn checkpoint(conn: &Connection, mode: &str, health: &WriterHealth) -> bool {
    if health.is_lost() {
        return false;
    }
    let pragma = format!("PRAGMA wal_checkpoint({mode})");
    match conn.query_row(&pragma, [], |row| row.get::<_, i64>(0)) {
        Ok(busy) => busy == 0,
        Err(error) => {
            log::warn!("checkpoint: {}", sql_error(&error));
            health.judge(&error);
            false
        }
    }
}
