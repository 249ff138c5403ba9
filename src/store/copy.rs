//! A copy of a database as of one moment: page by page into a file that gets its name only
//! when it is complete, checked and on the disk. It must not change what it copies.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{inspect, open};

/// Pages copied between two words about how far it is: 2 MiB.
const PAGES_AT_ONCE: std::ffi::c_int = 512;
/// Steps of SQLite's machine between two pauses of a gentle check: about half a millisecond.
const STEPS_BETWEEN_PAUSES: std::ffi::c_int = 10_000;
/// So many times as long as it worked.
const PAUSE: u32 = 2;
const PAUSE_MAX: Duration = Duration::from_millis(20);
/// Behind the name of a file that is not complete.
const UNFINISHED: &str = ".part";

/// A file under another name until it is complete; removed when it never is.
pub(super) struct Draft {
    /// Open for as long as the file is a draft, which keeps a second command off it. Closing it
    /// while SQLite has the file would drop SQLite's own locks.
    file: File,
    path: PathBuf,
    is_kept: bool,
}

/// What a checked copy is.
pub(super) struct Facts {
    pub(super) schema_version: i32,
    pub(super) pages: u64,
}

impl Draft {
    /// Beside what it is to become; only its owner may read it. What a draft that was cut off
    /// left is cleared away.
    pub(super) fn of(target: &Path) -> Result<Self, String> {
        let path = Self::name_of(target);
        let failed = |e: std::io::Error| match e.kind() {
            ErrorKind::NotFound => format!(
                "there is no folder {}: make it first",
                folder_of(&path).display()
            ),
            _ => format!("can't write {}: {e}", path.display()),
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
        open::remove_log(&path).map_err(failed)?;
        file.set_permissions(Permissions::from_mode(0o600))
            .and_then(|()| file.set_len(0))
            .map_err(failed)?;
        Ok(Self {
            file,
            path,
            is_kept: false,
        })
    }

    /// What was written so far is on the disk.
    pub(super) fn sync(&self) -> std::io::Result<()> {
        self.file.sync_data()
    }

    pub(super) fn name_of(target: &Path) -> PathBuf {
        open::beside(target, UNFINISHED)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name, in place of whatever has it. On the disk when this returns.
    pub(super) fn keep_as(mut self, target: &Path) -> Result<(), String> {
        let kept = self
            .file
            .sync_all()
            .and_then(|()| fs::rename(&self.path, target))
            .and_then(|()| sync_folder_of(target));
        self.is_kept = kept.is_ok();
        kept.map_err(|e| format!("can't write {}: {e}", target.display()))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            // Whoever comes next clears away what can't be removed now.
            let _ = fs::remove_file(&self.path);
            let _ = open::remove_log(&self.path);
        }
    }
}

/// Copies what `from` sees at one moment into `draft`. `told` hears pages done and pages in all.
pub(super) fn pages(
    from: &Connection,
    draft: &Path,
    told: &mut dyn FnMut(u64, u64),
) -> rusqlite::Result<()> {
    let mut to = Connection::open_with_flags(
        draft,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    // Nobody reads it before it is complete, and then it is synced as a whole.
    to.pragma_update(None, "journal_mode", "OFF")?;
    to.pragma_update(None, "synchronous", "OFF")?;
    let backup = Backup::new(from, &mut to)?;
    loop {
        match backup.step(PAGES_AT_ONCE)? {
            StepResult::Done => break,
            StepResult::More => {
                let progress = backup.progress();
                let all = progress.pagecount as u64;
                told(all - progress.remaining as u64, all);
            }
            // After as long a wait as the connection is set to.
            _ => return Err(open::busy("somebody is writing it; try again later")),
        }
    }
    drop(backup);
    to.close().map_err(|(_, error)| error)
}

/// Reads all of a database file that nobody writes, without making a log beside it. The error
/// says what is wrong, to be put behind the file's name. A gentle check leaves most of its time
/// to others.
pub(super) fn check(path: &Path, gently: bool) -> Result<Facts, String> {
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
    Ok(Facts {
        schema_version,
        pages: u64::try_from(pages).unwrap_or_default(),
    })
}

/// A name in a folder is on the disk when the folder is.
pub(super) fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let named = folder.filter(|folder| !folder.as_os_str().is_empty());
    named.unwrap_or(Path::new("."))
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
