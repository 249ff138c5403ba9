//! How a database is copied, for backups and before schema changes: as of one moment, page by page,
//! into a file that gets its name only when it is complete, checked and synced. The source is never
//! changed.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{advice, database_files, inspect};
use crate::files;

/// Pages copied between two progress reports: 2 MiB.
const PAGES_AT_ONCE: std::ffi::c_int = 512;
/// Pages copied between two transactions of a service: 128 KiB.
const PAGES_BETWEEN_WRITES: std::ffi::c_int = 32;
/// SQLite virtual machine steps between two pauses of a gentle check: about half a millisecond.
const STEPS_BETWEEN_PAUSES: std::ffi::c_int = 10_000;
/// A gentle check pauses this many times as long as it worked.
const PAUSE: u32 = 2;
const PAUSE_MAX: Duration = Duration::from_millis(20);
/// Suffix of an unfinished file.
const UNFINISHED: &str = ".part";

/// A file under a temporary name until it is complete. It is removed if it never is.
pub(in crate::store) struct Draft {
    /// Kept open while the file is a draft, with a lock against a second command. Closing it while
    /// SQLite has the file open would drop SQLite's locks.
    file: File,
    path: PathBuf,
    is_kept: bool,
}

/// The progress of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum CopyStep {
    More {
        pages: u64,
        of: u64,
    },
    /// Nothing could be copied now.
    Busy,
    Done,
}

/// Facts about a checked copy.
pub(in crate::store) struct CopyFacts {
    pub(in crate::store) schema_version: i32,
    pub(in crate::store) pages: u64,
}

impl Draft {
    /// Creates a draft beside its target, readable by the owner only. Removes an interrupted draft
    /// first.
    pub(in crate::store) fn of(target: &Path) -> Result<Self, String> {
        let path = Self::name_of(target);
        let folder = files::folder_of(&path);
        let failed = |e: std::io::Error| match e.kind() {
            ErrorKind::NotFound if !folder.exists() => {
                let folder = folder.display();
                format!("there is no folder {folder}; make it first (mkdir -p {folder})")
            }
            // Some folders, such as /proc, report "not found" for any new file.
            ErrorKind::NotFound => format!(
                "no file can be made in the folder {}; name another one",
                folder.display()
            ),
            _ => advice::failed("write", &path, &e),
        };
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(format!(
                "{} is in the way and is no file: move it away",
                path.display()
            ));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.mode(0o600).open(&path).map_err(failed)?;
        if file.try_lock().is_err() {
            return Err(format!(
                "another command is writing {}; wait for it",
                path.display()
            ));
        }
        database_files::remove_log(&path).map_err(failed)?;
        file.set_permissions(Permissions::from_mode(0o600))
            .and_then(|()| file.set_len(0))
            .map_err(failed)?;
        Ok(Self {
            file,
            path,
            is_kept: false,
        })
    }

    /// A draft that will be a file of the service, with the owner of `replaced`.
    pub(in crate::store) fn of_service(target: &Path, replaced: &Path) -> Result<Self, String> {
        let draft = Self::of(target)?;
        files::give_to_owner(&draft.file, &draft.path, Some(replaced))
            .map_err(|e| format!("can't give {} its owner: {e}", draft.path.display()))?;
        Ok(draft)
    }

    /// Gives the draft the permissions of the file it replaces.
    pub(in crate::store) fn set_permissions_of(&self, replaced: &Path) -> std::io::Result<()> {
        match fs::metadata(replaced) {
            Ok(found) => self.file.set_permissions(found.permissions()),
            Err(_) => Ok(()),
        }
    }

    /// Syncs the file.
    pub(in crate::store) fn sync(&self) -> std::io::Result<()> {
        self.file.sync_data()
    }

    pub(in crate::store) fn name_of(target: &Path) -> PathBuf {
        files::beside(target, UNFINISHED)
    }

    pub(in crate::store) fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::store) fn file(&self) -> &File {
        &self.file
    }

    /// Renames the draft to `target`, replacing an existing file. It is synced when this returns.
    pub(in crate::store) fn keep_as(mut self, target: &Path) -> Result<(), String> {
        let renamed = self
            .file
            .sync_all()
            .and_then(|()| fs::rename(&self.path, target))
            .and_then(|()| files::sync_folder_of(target));
        self.is_kept = renamed.is_ok();
        renamed.map_err(|e| advice::failed("write", target, &e))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            // The next draft removes it if this fails.
            let _ = fs::remove_file(&self.path);
            let _ = database_files::remove_log(&self.path);
        }
    }
}

/// Copies what `from` sees at one moment into `draft`. `progress` receives pages done and pages in
/// total.
pub(in crate::store) fn pages(
    from: &Connection,
    draft: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> rusqlite::Result<()> {
    let mut to = open_draft(draft)?;
    let backup = Backup::new(from, &mut to)?;
    loop {
        match backup.step(PAGES_AT_ONCE)? {
            StepResult::Done => break,
            StepResult::More => {
                let state = backup.progress();
                let all = state.pagecount as u64;
                progress(all - state.remaining as u64, all);
            }
            // The connection's busy timeout has already passed.
            _ => return Err(busy("somebody is writing it; try again later")),
        }
    }
    drop(backup);
    to.close().map_err(|(_, error)| error)
}

/// Opens a draft as the target of a copy. Nobody reads it before it is complete, and this
/// connection doesn't sync.
pub(in crate::store) fn open_draft(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.pragma_update(None, "journal_mode", "OFF")?;
    conn.pragma_update(None, "synchronous", "OFF")?;
    Ok(conn)
}

/// Copies a few pages, between two transactions of a service.
pub(in crate::store) fn some_pages(backup: &Backup<'_, '_>) -> Result<CopyStep, String> {
    match backup.step(PAGES_BETWEEN_WRITES) {
        Ok(StepResult::Done) => Ok(CopyStep::Done),
        Ok(StepResult::More) => {
            let progress = backup.progress();
            let of = u64::try_from(progress.pagecount).unwrap_or_default();
            let left = u64::try_from(progress.remaining).unwrap_or_default();
            let pages = of.saturating_sub(left);
            Ok(CopyStep::More { pages, of })
        }
        Ok(_) => Ok(CopyStep::Busy),
        Err(error) => Err(in_words(&error)),
    }
}

/// The reason for a failed copy, to be appended to a message.
pub(in crate::store) fn in_words(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "there is no room for the copy".to_owned(),
        _ => error.to_string(),
    }
}

/// Reads and checks a whole database file that nobody writes, without creating a log. The error
/// says what is wrong, to be appended to the file's name. A gentle check leaves most CPU time to
/// others.
pub(in crate::store) fn check(path: &Path, gently: bool) -> Result<CopyFacts, String> {
    let damaged = |why: String| format!("is damaged ({why})");
    let conn = inspect::open_unchanging(path).map_err(|e| damaged(e.to_string()))?;
    let number = |name| {
        conn.pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .map_err(|e| damaged(e.to_string()))
    };
    let schema_version = number("user_version")?;
    inspect::check_identity(number("application_id")?, schema_version)?;
    let pages = number("page_count")?;
    if gently {
        let mut since = Instant::now();
        let pause = move || {
            std::thread::sleep((since.elapsed() * PAUSE).min(PAUSE_MAX));
            since = Instant::now();
            false
        };
        conn.progress_handler(STEPS_BETWEEN_PAUSES, Some(pause))
            .map_err(|e| damaged(e.to_string()))?;
    }
    let verdict: String = conn
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(|e| damaged(e.to_string()))?;
    if verdict != "ok" {
        return Err(damaged(inspect::complaint(&verdict).to_owned()));
    }
    Ok(CopyFacts {
        schema_version,
        pages: u64::try_from(pages).unwrap_or_default(),
    })
}

/// The error for an operation that is blocked by another connection.
pub(in crate::store) fn busy(why: &str) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    rusqlite::Error::SqliteFailure(code, Some(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_has_locked_is_refused_in_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.db");
        let other = Connection::open(&path).expect("a database");
        other
            .execute_batch("CREATE TABLE t (x); BEGIN EXCLUSIVE")
            .expect("locked");
        let from = Connection::open(&path).expect("a second connection");
        from.busy_timeout(Duration::ZERO).expect("no wait");
        let draft = folder.path().join("b.db");
        File::create(&draft).expect("a file");
        let failed = pages(&from, &draft, &mut |_, _| {}).expect_err("refused");
        assert!(failed.to_string().contains("try again"), "{failed}");
        other.execute_batch("ROLLBACK").expect("let go");
        pages(&from, &draft, &mut |_, _| {}).expect("copied");
    }
}
