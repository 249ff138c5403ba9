//! The log and the index that SQLite keeps beside a database file.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::files;

/// The log beside a database.
pub(in crate::store) fn wal_path(database: &Path) -> PathBuf {
    files::beside(database, "-wal")
}

/// Whether a file that SQLite made beside a database, while that could not be written, is to get
/// its mode now.
pub fn takes_mode_of(file: &Path, database: &Path) -> bool {
    const OWNER_WRITES: u32 = 0o200;
    let (Ok(file), Ok(database)) = (fs::metadata(file), fs::metadata(database)) else {
        return false;
    };
    let is_writable = |found: &Metadata| found.mode() & OWNER_WRITES != 0;
    file.uid() == database.uid() && is_writable(&database) && !is_writable(&file)
}

/// Gives the log and the index the database's mode where they can't be written otherwise.
pub(in crate::store) fn mend_modes(database: &Path) {
    for suffix in ["-wal", "-shm"] {
        let file = files::beside(database, suffix);
        if takes_mode_of(&file, database)
            && let Ok(found) = fs::metadata(database)
        {
            // If it fails, opening the database says so.
            let _ = fs::set_permissions(&file, found.permissions());
        }
    }
}

/// Removes the log and index beside a file whose log isn't needed.
pub(in crate::store) fn remove_log(path: &Path) -> std::io::Result<()> {
    for suffix in ["-journal", "-wal", "-shm"] {
        files::remove_if_present(&files::beside(path, suffix))?;
    }
    Ok(())
}
