//! Read-only connections for scans, lists and look-ups, on the blocking pool.

use std::path::Path;
use std::time::Duration;

use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::OpenFlags;

use super::{View, open};
use crate::error::{Error, Result};

const CHECKOUT_MAX: Duration = Duration::from_secs(5);

pub(super) struct Readers(r2d2::Pool<SqliteConnectionManager>);

impl Readers {
    pub(super) fn open(path: &Path, connections: u32) -> Result<Self, String> {
        let manager = SqliteConnectionManager::file(path)
            .with_flags(OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .with_init(|conn| open::set_reading(conn));
        r2d2::Pool::builder()
            .max_size(connections)
            .min_idle(Some(1))
            .connection_timeout(CHECKOUT_MAX)
            .test_on_check_out(false)
            .build(manager)
            .map(Self)
            .map_err(|e| format!("can't open {} for reading: {e}", path.display()))
    }

    pub(super) async fn read<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&View<'_>) -> Result<T> + Send + 'static,
    {
        let pool = self.0.clone();
        tokio::task::spawn_blocking(move || {
            let mut conn = pool
                .get()
                .map_err(|e| Error::unavailable("The database is busy; try again.").because(e))?;
            // One transaction, so that everything `f` reads belongs together.
            let tx = conn.transaction()?;
            f(&View { conn: &tx })
        })
        .await
        .unwrap_or_else(|e| Err(Error::internal(e)))
    }
}
