//! Read-only connections for look-ups by key, which take microseconds and run on the calling
//! thread, also on async workers: handing them to the blocking pool would cost several times as
//! much. Scans and lists use `readers`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, OpenFlags};

use super::View;
use super::deferred::CommittedCounts;
use super::file::open;
use super::file::open_files::OpenFiles;
use crate::error::Result;

/// Connections, opened when first needed. About as many as workers look something up at the same
/// time.
const CONNECTIONS_MAX: usize = 4;
/// Busy timeout while another process has the file locked. It is short, because a worker waits.
const BUSY_MAX: Duration = Duration::from_millis(100);
/// Page cache of each connection, besides mapped pages.
const CACHE_KIB_MAX: i32 = 1_024;

pub(super) struct PointReaders {
    path: PathBuf,
    counts: CommittedCounts,
    files: Arc<OpenFiles>,
    connections: [Mutex<Option<Connection>>; CONNECTIONS_MAX],
}

impl PointReaders {
    pub(super) fn new(path: &Path, counts: CommittedCounts, files: Arc<OpenFiles>) -> Self {
        Self {
            path: path.to_owned(),
            counts,
            files,
            connections: Default::default(),
        }
    }

    /// Each statement of `f` sees the newest commit when it begins; there is no surrounding
    /// transaction.
    pub(super) fn run<T>(&self, f: impl FnOnce(&View) -> Result<T>) -> Result<T> {
        let mut place = self.free();
        let conn = match &mut *place {
            Some(conn) => conn,
            none => none.insert(self.open()?),
        };
        f(&self.counts.view(conn))
    }

    /// The first unused connection, or else the last one as soon as it is free.
    fn free(&self) -> MutexGuard<'_, Option<Connection>> {
        for place in &self.connections {
            if let Some(free) = place.try_lock() {
                return free;
            }
        }
        let last = &self.connections[CONNECTIONS_MAX - 1];
        last.lock()
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(&self.path, flags)?;
        self.files.check_opened()?;
        open::set_reading(&conn)?;
        conn.busy_timeout(BUSY_MAX)?;
        conn.pragma_update(None, "cache_size", -CACHE_KIB_MAX)?;
        Ok(conn)
    }
}
