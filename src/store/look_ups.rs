//! Read-only connections for point look-ups of microseconds, right on the thread that asks,
//! an async worker too: to hand such a thing to the blocking pool costs several times what
//! it takes. Scans, lists and anything that grows belong to `readers`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, OpenFlags};

use super::{View, open};
use crate::error::Result;

/// Connections, opened when first needed: as many as workers are likely to look something up
/// in the same microseconds.
const CONNECTIONS_MAX: usize = 4;
/// Nothing is looked up any longer while another process holds the file; a worker waits.
const BUSY_MAX: Duration = Duration::from_millis(100);
/// Pages that each keeps beside those mapped.
const CACHE_KIB_MAX: i32 = 1_024;

pub(super) struct PointReaders {
    path: PathBuf,
    connections: [Mutex<Option<Connection>>; CONNECTIONS_MAX],
}

impl PointReaders {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            connections: Default::default(),
        }
    }

    /// Every statement of `f` sees what was committed when it began: there is no transaction
    /// around them.
    pub(super) fn run<T>(&self, f: impl FnOnce(&View<'_>) -> Result<T>) -> Result<T> {
        let mut place = self.free();
        let conn = match &mut *place {
            Some(conn) => conn,
            none => none.insert(self.open()?),
        };
        f(&View { conn })
    }

    /// The first that nobody holds, else the last as soon as it is free.
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
        open::set_reading(&conn)?;
        conn.busy_timeout(BUSY_MAX)?;
        conn.pragma_update(None, "cache_size", -CACHE_KIB_MAX)?;
        Ok(conn)
    }
}
