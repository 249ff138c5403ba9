//! The log and the index that SQLite keeps beside a database file.

use std::path::{Path, PathBuf};

use crate::files;

/// The log beside a database.
pub(in crate::store) fn wal_path(database: &Path) -> PathBuf {
    files::beside(database, "-wal")
}

/// Removes the log and index beside a file whose log isn't needed.
pub(in crate::store) fn remove_log(path: &Path) -> std::io::Result<()> {
    for suffix in ["-journal", "-wal", "-shm"] {
        files::remove_if_present(&files::beside(path, suffix))?;
    }
    Ok(())
}
