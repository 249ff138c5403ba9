//! Notices when the database's file or its log is deleted, moved or replaced while it is open.
//! What is written then is lost at the next start, so it must not be answered as kept.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::ffi;

use super::database_files::wal_path;

/// The database's file and its log, as they were opened.
pub(in crate::store) struct OpenFiles {
    database: OpenFile,
    log: OpenFile,
    in_place: AtomicBool,
}

struct OpenFile {
    path: PathBuf,
    /// Device and inode.
    id: (u64, u64),
}

/// What happened to an open file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileChange {
    Gone,
    Replaced,
}

impl OpenFiles {
    /// Whether one of the files has no room for another page below `limit` bytes.
    pub(in crate::store) fn have_reached(&self, limit: u64) -> bool {
        /// A page and its head in the log.
        const WRITE_BYTES_MAX: u64 = 8192;
        [&self.database, &self.log].into_iter().any(|file| {
            let found = fs::metadata(&file.path);
            found.is_ok_and(|found| found.len().saturating_add(WRITE_BYTES_MAX) > limit)
        })
    }

    /// Of a database that this process has just opened for writing.
    pub(in crate::store) fn of(database: &Path) -> io::Result<Self> {
        Ok(Self {
            database: OpenFile::at(database.to_owned())?,
            log: OpenFile::at(wal_path(database))?,
            in_place: AtomicBool::new(true),
        })
    }

    /// For a connection that was just opened by path: an error if that may be of another file.
    pub(in crate::store) fn check_opened(&self) -> rusqlite::Result<()> {
        if self.are_in_place() {
            return Ok(());
        }
        let code = ffi::Error::new(ffi::SQLITE_READONLY_DBMOVED);
        Err(rusqlite::Error::SqliteFailure(code, None))
    }

    /// Whether both files are still at their paths. Each change is logged once. Costs two calls of
    /// the operating system.
    pub(in crate::store) fn are_in_place(&self) -> bool {
        let problem = self.problem();
        let is_in_place = problem.is_none();
        let was_in_place = self.in_place.swap(is_in_place, Ordering::Relaxed);
        match problem {
            Some(problem) if was_in_place => log::error!("{problem}"),
            None if !was_in_place => {
                let name = self.database.path.display();
                log::info!("{name} is back in its place: messages are accepted again");
            }
            _ => {}
        }
        is_in_place
    }

    /// What happened, and what the operator can do.
    fn problem(&self) -> Option<String> {
        let (database, log) = (self.database.path.display(), self.log.path.display());
        let refused = "messages are refused with 503, as they would be lost";
        let saving = "`chatkeep backup FILE` saves what the service has; then stop it and put that \
                      in place with `chatkeep restore FILE`";
        if let Some(change) = self.database.change() {
            return Some(match change {
                FileChange::Gone => format!(
                    "{database} was deleted or moved while the service has it open: {refused}. Move \
                     it back, or before you stop the service: {saving}"
                ),
                FileChange::Replaced => format!(
                    "another file was put at {database} while the service has the database open: \
                     {refused}. Put the database's own file back. Otherwise the next start uses the \
                     new file; to keep the old data instead: {saving}"
                ),
            });
        }
        self.log.change().map(|_| {
            format!(
                "{log} was deleted, moved or replaced while the service has it open: {refused}. Stop \
                 the service with SIGTERM, which keeps what it has, and start it again"
            )
        })
    }
}

impl OpenFile {
    fn at(path: PathBuf) -> io::Result<Self> {
        let id = id_of(&path)?;
        Ok(Self { path, id })
    }

    /// An error that doesn't say that the file is gone is left to the next write.
    fn change(&self) -> Option<FileChange> {
        match id_of(&self.path) {
            Ok(id) if id == self.id => None,
            Ok(_) => Some(FileChange::Replaced),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Some(FileChange::Gone)
            }
            Err(_) => None,
        }
    }
}

fn id_of(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_happened_to_which_file() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("x.db");
        let (log, aside) = (wal_path(&database), folder.path().join("aside"));
        fs::write(&database, "data").unwrap();
        fs::write(&log, "log").unwrap();
        let files = OpenFiles::of(&database).unwrap();
        assert!(files.are_in_place());
        for (moved, is_replaced, expected) in [
            (&database, false, "x.db was deleted or moved"),
            (&database, true, "another file was put at"),
            (&log, false, "x.db-wal was deleted"),
            (&log, true, "x.db-wal was deleted, moved or replaced"),
        ] {
            fs::rename(moved, &aside).unwrap();
            if is_replaced {
                fs::write(moved, "other").unwrap();
            }
            let problem = files.problem().unwrap();
            assert!(problem.contains(expected), "{problem}");
            assert!(!files.are_in_place() && files.check_opened().is_err());
            fs::rename(&aside, moved).unwrap();
            assert!(files.are_in_place(), "{expected}");
        }
    }
}
