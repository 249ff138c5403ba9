//! Moves committed pages from the write-ahead log into the database, beside the writer:
//! passive checkpoints every few thousand rows, a truncating one when it is quiet, and, when
//! the log grows beyond its cap all the same, one by the writer itself between two batches.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::Connection;

use super::sql_error;

const ROWS_BETWEEN: usize = 4_000;
/// Beyond this size the writer itself restarts the log; readers may delay that a little.
const WAL_BYTES_CAP: u64 = 24 << 20;
/// Rows between two looks at the log's size.
const ROWS_BETWEEN_LOOKS: usize = 2_000;
const QUIET: Duration = Duration::from_secs(2);

/// The writer's end: counts rows and wakes the thread.
pub(super) struct Checkpointer {
    wake: SyncSender<()>,
    wal: PathBuf,
    rows: usize,
    rows_since_look: usize,
}

/// Starts the thread on a connection of its own; it ends with the writer.
pub(super) fn start(
    conn: Connection,
    database: &Path,
) -> std::io::Result<(Checkpointer, std::thread::JoinHandle<()>)> {
    let (wake, woken) = sync_channel(1);
    let handle = std::thread::Builder::new()
        .name("checkpoint".into())
        .spawn(move || run(&conn, &woken))?;
    let checkpointer = Checkpointer {
        wake,
        wal: wal_path(database),
        rows: 0,
        rows_since_look: 0,
    };
    Ok((checkpointer, handle))
}

pub(super) fn wal_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

impl Checkpointer {
    /// Called by the writer after each commit with the number of closures in it.
    pub(super) fn committed(&mut self, conn: &Connection, rows: usize) {
        self.rows += rows;
        self.rows_since_look += rows;
        if self.rows >= ROWS_BETWEEN {
            self.rows = 0;
            let _ = self.wake.try_send(()); // full: it is at work already
        }
        if self.rows_since_look >= ROWS_BETWEEN_LOOKS {
            self.rows_since_look = 0;
            if std::fs::metadata(&self.wal).is_ok_and(|m| m.len() > WAL_BYTES_CAP) {
                // Most of it has been moved by the thread: this is short, and it lets the
                // log start again from its beginning.
                checkpoint(conn, "TRUNCATE");
            }
        }
    }
}

fn run(conn: &Connection, woken: &Receiver<()>) {
    let mut dirty = true;
    loop {
        match woken.recv_timeout(QUIET) {
            Ok(()) => {
                checkpoint(conn, "PASSIVE");
                dirty = true;
            }
            Err(RecvTimeoutError::Timeout) => {
                if dirty || log_has_pages(conn) {
                    checkpoint(conn, "TRUNCATE");
                    dirty = false;
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Whether anything was committed since the log was last emptied.
fn log_has_pages(conn: &Connection) -> bool {
    conn.path()
        .and_then(|path| std::fs::metadata(wal_path(Path::new(path))).ok())
        .is_some_and(|m| m.len() > 0)
}

fn checkpoint(conn: &Connection, mode: &str) {
    // A busy answer is no failure: the next round moves what this one could not.
    let done = conn.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()));
    if let Err(error) = done {
        log::warn!("checkpoint: {}", sql_error(&error));
    }
}
