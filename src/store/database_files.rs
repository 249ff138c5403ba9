//! The names beside a database file: its log, its index, its folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The path with `suffix` appended to the file's name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The log beside a database.
pub(super) fn wal_path(database: &Path) -> PathBuf {
    beside(database, "-wal")
}

/// Removes the log and index beside a file whose log isn't needed.
pub(super) fn remove_log(path: &Path) -> std::io::Result<()> {
    for suffix in ["-journal", "-wal", "-shm"] {
        remove_file(&beside(path, suffix))?;
    }
    Ok(())
}

/// Removes a file that may not exist.
pub(super) fn remove_file(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Syncing a folder makes a new name in it durable.
pub(super) fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

/// "." for a name without a folder.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let named = folder.filter(|folder| !folder.as_os_str().is_empty());
    named.unwrap_or(Path::new("."))
}
