//! Error texts for files that can't be used, with advice for the operator.

use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

use super::super::sql_error;
use crate::files::{self, folder_of};

/// Advice for `error`, to be appended to a message.
pub fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::ReadOnlyFilesystem => {
            "its disk is mounted read-only: mount it for writing, or name another place"
        }
        ErrorKind::PermissionDenied => {
            "let the user that runs this read and write there (chown, or chmod for a file of its own), or name another place"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "its disk is full: make room there, or name another place"
        }
        _ => "name another place",
    }
}

/// `doing` is "open", "write" or the like.
pub(in crate::store) fn failed(doing: &str, path: &Path, error: &io::Error) -> String {
    format!(
        "can't {doing} {}: {error}; {}",
        path.display(),
        advice(error)
    )
}

/// The message for an error of SQLite; `doing` as in `failed`.
pub(in crate::store) fn sqlite_failed(doing: &str, path: &Path, error: &rusqlite::Error) -> String {
    let head = format!("can't {doing} {}", path.display());
    let folder = folder_of(path).display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            format!("{head}: the disk that holds {folder} is full; make room there and try again")
        }
        // The log's shared-memory index grows before anything is written.
        Some(ErrorCode::SystemIoFailure)
            if error.sqlite_error().map(|code| code.extended_code)
                == Some(ffi::SQLITE_IOERR_SHMSIZE) =>
        {
            format!(
                "{head}: nothing can be written in {folder} ({error}); make room on its disk and \
                 try again"
            )
        }
        Some(ErrorCode::SystemIoFailure) => {
            format!(
                "{head}: {}; check the disk that holds {folder}",
                sql_error(error)
            )
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            match refused_file(path) {
                Some((file, why)) => {
                    let (file, advice) = (file.display(), advice(&why));
                    format!("{head}: {file} can't be read and written: {why}; {advice}")
                }
                None => format!(
                    "{head}: {error}; let the user that runs this read and write the file and its \
                     folder"
                ),
            }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let file = path.display();
            format!("{head}: {}", locked(&file))
        }
        _ => format!("{head}: {}", sql_error(error)),
    }
}

/// Another connection has the file locked.
pub(in crate::store) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// The message for a file that another program has locked.
pub(in crate::store) fn locked(file: &impl Display) -> String {
    format!(
        "another program has locked it; end that program (`fuser -v {file}` names it) and try again"
    )
}

/// The folder of a database, or the first of its files, that this process may not use.
fn refused_file(database: &Path) -> Option<(PathBuf, io::Error)> {
    let folder = folder_of(database).to_owned();
    let files = ["", "-wal", "-shm"].map(|suffix| files::beside(database, suffix));
    std::iter::once(folder).chain(files).find_map(|path| {
        let refused = files::check_writable(&path).err();
        let refused = refused.filter(|why| why.kind() != ErrorKind::NotFound);
        refused.map(|why| (path, why))
    })
}

/// SQLite rolled the whole transaction back by itself, as on a full disk.
pub(in crate::store) fn rolled_back() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        ffi::Error::new(ffi::SQLITE_ABORT_ROLLBACK),
        Some("the transaction was rolled back".to_owned()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_which_disk_is_full_and_what_to_do() {
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        let full = rusqlite::Error::SqliteFailure(full, None);
        for (path, folder) in [("data/x.db", "data"), ("x.db", "."), ("/x.db", "/")] {
            let message = sqlite_failed("open", Path::new(path), &full);
            let expected = format!("the disk that holds {folder} is full; make room");
            assert!(message.contains(&expected), "{message}");
        }
        for (code, part) in [
            (ffi::SQLITE_IOERR_SHMSIZE, "make room on its disk"),
            (ffi::SQLITE_IOERR_FSYNC, "check the disk that holds data"),
        ] {
            let failure = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let message = sqlite_failed("write", Path::new("data/x.db"), &failure);
            assert!(message.starts_with("can't write data/x.db: "), "{message}");
            assert!(message.contains(part), "{message}");
        }
        for (kind, part) in [
            (ErrorKind::ReadOnlyFilesystem, "mounted read-only"),
            (ErrorKind::PermissionDenied, "chown"),
            (ErrorKind::StorageFull, "is full"),
            (ErrorKind::Other, "another place"),
        ] {
            let message = failed("open", Path::new("x.db.lock"), &kind.into());
            assert!(message.starts_with("can't open x.db.lock: "), "{message}");
            assert!(message.contains(part), "{message}");
        }
    }
}
