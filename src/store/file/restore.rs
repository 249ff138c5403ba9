//! Restoring a backup. All work happens in a draft beside the database, which takes its name in one
//! last step, so an interrupted restore leaves the old database intact. People's requests and
//! revoked access since the backup are carried over.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::backup::Stage;
use super::carry_over::{self, CarriedRows};
use super::copy::{self, Draft};
use super::{advice, copies, database_files, inspect, open, schema};
use crate::clock::Timestamp;
use crate::files;

/// A prepared backup that is not yet in place.
pub struct PendingRestore {
    draft: Draft,
    target: PathBuf,
    pub restored: RestoreReport,
}

/// Facts about a restore.
#[derive(Debug, Clone, Default)]
pub struct RestoreReport {
    pub bytes: u64,
    /// The backup's version; the restored database has the current one.
    pub schema_version: i32,
    /// The newest time the backup knows; `None` when it is empty.
    pub as_of: Option<Timestamp>,
    /// Rows taken from the current database; empty if it can't be read.
    pub carried_over: Vec<CarriedRows>,
    /// Why the current database could not be read.
    pub present_unread: Option<String>,
    /// Whether there was a database before.
    pub had_present: bool,
}

/// Starts a new epoch for a database that was replaced by other means; the caller holds its lock.
/// False for an unusable file, which is left unchanged: opening it reports why.
pub fn begin_epoch(path: &Path) -> Result<bool, String> {
    if inspect::inspect(path, false) != Ok(true) {
        return Ok(false);
    }
    let begun = open::open_beside(path).and_then(|conn| open::begin_epoch(&conn));
    begun
        .map(|()| true)
        .map_err(|e| format!("can't write {}: {e}", path.display()))
}

impl PendingRestore {
    /// Copies the backup beside the database at `target`, whose lock the caller holds, checks it,
    /// upgrades it and carries rows over. Changes nothing else.
    pub fn prepare(
        backup: &Path,
        target: &Path,
        progress: &mut dyn FnMut(Stage),
    ) -> Result<Self, String> {
        let mut restored = RestoreReport {
            schema_version: check(backup)?,
            ..RestoreReport::default()
        };
        (restored.had_present, restored.present_unread) = match look_at_present(target)? {
            PresentDatabase::Missing => (false, None),
            PresentDatabase::Readable => (true, None),
            PresentDatabase::Unreadable(why) => (true, Some(why)),
        };
        let failed = |e: rusqlite::Error| match e.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => {
                advice::sqlite_failed("copy the backup to", target, &e)
            }
            _ => format!("{}: {e}", backup.display()),
        };
        let draft = Draft::of_service(target, target)?;
        let from = open_backup(backup).map_err(failed)?;
        copy::pages(&from, draft.path(), &mut |pages, of| {
            progress(Stage::Copying { pages, of });
        })
        .map_err(failed)?;
        progress(Stage::Checking);
        let checked = copy::check(draft.path(), false);
        let facts = checked.map_err(|why| format!("{} {why}", backup.display()))?;
        restored.schema_version = facts.schema_version;
        open::bring_up_to_date(draft.path()).map_err(failed)?;
        prepare(draft.path(), target, &mut restored).map_err(failed)?;
        Ok(Self {
            draft,
            target: target.to_owned(),
            restored,
        })
    }

    /// The draft's path until it is in place.
    pub fn path(&self) -> &Path {
        self.draft.path()
    }

    /// Puts the restored database in place. The previous one is kept under the returned name.
    pub fn put_in_place(self, now: Timestamp) -> Result<Option<PathBuf>, String> {
        let failed = |what: &dyn std::fmt::Display| format!("can't write beside {what}");
        let draft = self.draft.path();
        open::open_beside(draft)
            .and_then(open::merge_log)
            .map_err(|e| format!("{}: {e}", failed(&draft.display())))?;
        database_files::remove_log(draft)
            .map_err(|e| format!("{}: {e}", failed(&draft.display())))?;
        let mut aside = None;
        if self.restored.had_present {
            let saved = copies::before_restore(&self.target, now);
            set_aside(&self.target, &saved, self.restored.present_unread.is_none())
                .map_err(|e| format!("{}: {e}", failed(&self.target.display())))?;
            aside = Some(saved);
        }
        // Until the next statement a damaged database is without its log, which was set aside with
        // it; an intact one has none. The new database must never be opened with the old log.
        database_files::remove_log(&self.target)
            .map_err(|e| format!("{}: {e}", failed(&self.target.display())))?;
        self.draft
            .set_permissions_of(&self.target)
            .map_err(|e| format!("{}: {e}", failed(&self.target.display())))?;
        self.draft.keep_as(&self.target)?;
        copies::thin_out(&self.target);
        Ok(aside)
    }
}

/// Checks the backup and returns its schema version.
fn check(backup: &Path) -> Result<i32, String> {
    if !backup.exists() {
        return Err(format!("there is no file {}", backup.display()));
    }
    let inspected = inspect::inspect(backup, false);
    if !inspected.map_err(|why| inspect::of_backup(&why))? {
        return Err(format!("there is no file {}", backup.display()));
    }
    let conn = open_backup(backup).map_err(|e| format!("{}: {e}", backup.display()))?;
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|e| format!("{}: {e}", backup.display()))
}

/// Opens it with its log, if there is one; otherwise without creating files beside it.
fn open_backup(path: &Path) -> rusqlite::Result<Connection> {
    if database_files::wal_path(path).exists() {
        return Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    }
    inspect::open_unchanging(path)
}

/// The database that a restore replaces.
enum PresentDatabase {
    Missing,
    Readable,
    /// With the reason.
    Unreadable(String),
}

/// A file of another program is refused.
fn look_at_present(target: &Path) -> Result<PresentDatabase, String> {
    if !target.exists() {
        let log_bytes = fs::metadata(database_files::wal_path(target)).map_or(0, |log| log.len());
        // A log alone is useless, but its database may be somewhere else. An empty one is left when
        // the file was deleted under a running service.
        return match log_bytes > 0 {
            true => Err(format!(
                "{0} is missing, but its log {0}-wal is there: put the database file back beside \
                 it, or move the log away",
                target.display()
            )),
            false => Ok(PresentDatabase::Missing),
        };
    }
    match inspect::inspect(target, false) {
        Ok(_) => Ok(PresentDatabase::Readable),
        Err(why) if why.contains("another program") => Err(why),
        Err(why) => Ok(PresentDatabase::Unreadable(why)),
    }
}

/// Makes the draft ready to replace the database: carries over rows from the current one at
/// `target`, and begins a new edge epoch.
fn prepare(draft: &Path, target: &Path, restored: &mut RestoreReport) -> rusqlite::Result<()> {
    let mut conn = open::open_beside(draft)?;
    conn.pragma_update(None, "secure_delete", true)?;
    restored.as_of = as_of(&conn)?;
    if restored.had_present && restored.present_unread.is_none() {
        let as_of = restored.as_of.map_or(0, |as_of| as_of.0);
        let carried = up_to_date(target).and_then(|newer| {
            let present = newer.as_ref().map_or(target, Draft::path);
            carry_over::carry_over(&mut conn, present, as_of).map_err(|e| e.to_string())
        });
        match carried {
            Ok(carried) => restored.carried_over = carried,
            Err(why) => restored.present_unread = Some(why),
        }
    }
    open::begin_epoch(&conn)?;
    open::merge_log(conn)?;
    restored.bytes = fs::metadata(draft).map_or(0, |file| file.len());
    Ok(())
}

/// A copy with the current schema of a database that has an older one.
fn up_to_date(database: &Path) -> Result<Option<Draft>, String> {
    let failed = |e: rusqlite::Error| e.to_string();
    let conn = open::open_beside(database).map_err(failed)?;
    let version: i32 = conn
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(failed)?;
    if version == schema::schema().version {
        return Ok(None);
    }
    let draft = Draft::of(&copies::present(database))?;
    copy::pages(&conn, draft.path(), &mut |_, _| {}).map_err(failed)?;
    open::bring_up_to_date(draft.path()).map_err(failed)?;
    Ok(Some(draft))
}

/// The newest message, or the last purge, which runs daily.
fn as_of(conn: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let message: Option<i64> = conn
        .query_row(
            "SELECT received_at FROM messages ORDER BY id DESC LIMIT 1",
            [],
            |row| row.get(0),
        )
        .optional()?;
    let purge: Option<i64> = conn
        .query_row(
            "SELECT value + 0 FROM meta WHERE key = 'purged_at'",
            [],
            |row| row.get(0),
        )
        .optional()?;
    Ok(message.max(purge).map(Timestamp))
}

/// Gives the current database a second name, under which it is kept. It keeps its own name until
/// the new one replaces it, so that a database always exists.
fn set_aside(target: &Path, saved: &Path, is_sound: bool) -> std::io::Result<()> {
    // An intact database is complete without its log from here on; a damaged one stays as it is.
    if is_sound {
        let folded = open::open_beside(target).and_then(open::merge_log);
        folded.map_err(std::io::Error::other)?;
    }
    link(target, saved)?;
    let log = database_files::wal_path(target);
    if log.exists() {
        link(&log, &files::beside(saved, "-wal"))?;
    }
    files::sync_folder_of(saved)
}

/// Copies where the file system has no links.
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    match fs::hard_link(from, to) {
        // A copy over another name of the file would empty it.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            fs::copy(from, to)?;
            let copy = fs::File::open(to)?;
            files::give_to_owner(&copy, to, Some(from))?;
            copy.sync_all()
        }
        linked => linked,
    }
}
