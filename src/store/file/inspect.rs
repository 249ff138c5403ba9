//! Checks a database file before it is opened. Damaged, truncated, empty, foreign or newer files
//! are refused without changing them; the error says why and what to do.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags, config::DbConfig, ffi};

use super::advice::{self, failed};
use super::database_files::wal_path;
use super::schema::{APPLICATION_ID, schema};
use crate::files;

/// Files up to this size are checked completely at each start; `chatkeep check` checks any size.
const CHECKED_WHOLE_BYTES_MAX: u64 = 32 << 20;
/// How long another program may hold the write lock without being reported.
const LOCK_WAIT: Duration = Duration::from_secs(1);
const HEADER_BYTES: usize = 100;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const BACKUP_HINT: &str = ": put a backup in its place, or move the file away to start anew";
const FOREIGN_HINT: &str = ": point storage.path at Chatkeep's own file";
/// Characters of a path that are encoded in a URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

/// An error says why the file can't be used; `Ok(false)` means there is no file yet.
pub fn inspect(path: &Path, whole: bool) -> Result<bool, String> {
    let name = path.display();
    let wal = wal_path(path);
    let wal_bytes = fs::metadata(&wal).map_or(0, |m| m.len());
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            if wal.exists() {
                return Err(format!(
                    "{name} is missing, but its log {} is there: put the database file back \
                     beside it, or move the log away to start anew",
                    wal.display()
                ));
            }
            return Ok(false);
        }
        Err(e) => return Err(failed("open", path, &e)),
    };
    let bytes = file.metadata().map_err(|e| failed("read", path, &e))?.len();
    if bytes == 0 {
        return Err(format!(
            "{name} is empty, as after a copy that failed{BACKUP_HINT}"
        ));
    }
    let mut header = [0; HEADER_BYTES];
    if file.read_exact(&mut header).is_err() || &header[..16] != MAGIC {
        return Err(format!("{name} is not a SQLite database{BACKUP_HINT}"));
    }
    // With a log the file alone is incomplete; SQLite reads both below.
    if wal_bytes == 0 {
        check_header(&header, bytes).map_err(|why| format!("{name} {why}"))?;
    }
    check_pages(path, whole || bytes <= CHECKED_WHOLE_BYTES_MAX)
        .map_err(|why| format!("{name} {why}"))?;
    Ok(true)
}

/// The message for a backup: without the hints about the database's own file, which don't apply.
pub(in crate::store) fn of_backup(why: &str) -> String {
    let hints = [BACKUP_HINT, FOREIGN_HINT].into_iter();
    let bare = hints.filter_map(|hint| why.strip_suffix(hint)).next();
    format!("{}; nothing was changed", bare.unwrap_or(why))
}

/// Compares the header's fields (sqlite.org/fileformat.html section 1.3) with ours.
fn check_header(header: &[u8; HEADER_BYTES], file_bytes: u64) -> Result<(), String> {
    let field = |at: usize| {
        u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    let expected = page * u64::from(field(28));
    if page < 512 || file_bytes < expected {
        return Err(format!(
            "is cut off ({file_bytes} bytes of {expected}){BACKUP_HINT}"
        ));
    }
    check_identity(field(68) as i32, field(60) as i32)
}

pub(in crate::store) fn check_identity(application_id: i32, version: i32) -> Result<(), String> {
    if application_id != APPLICATION_ID {
        return Err(format!("belongs to another program{FOREIGN_HINT}"));
    }
    let known = schema().version;
    if version > known {
        return Err(format!(
            "was written by a newer Chatkeep (schema {version}, this one knows {known}): install \
             that version"
        ));
    }
    Ok(())
}

/// An error if another program keeps the database from being written. Changes nothing.
pub fn check_unlocked(path: &Path) -> Result<(), String> {
    if !wal_path(path).exists() {
        return Ok(()); // nobody has it open
    }
    let tried = open_to_inspect(path).and_then(|conn| {
        conn.busy_timeout(LOCK_WAIT)?;
        conn.execute_batch("BEGIN IMMEDIATE; ROLLBACK")
    });
    match tried {
        Err(error) if advice::is_busy(&error) => {
            let file = path.display();
            Err(format!(
                "{file} can't be written: {}",
                advice::locked(&file)
            ))
        }
        _ => Ok(()), // `inspect` finds other errors
    }
}

/// Opens a file that a service may have open, to read it and its log without changing them.
pub(in crate::store) fn open_to_inspect(path: &Path) -> rusqlite::Result<Connection> {
    // A log, even an empty one, means that a service may have the file open.
    let conn = match wal_path(path).exists() {
        true => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
        false => open_unchanging(path)?,
    };
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(conn)
}

/// Lets SQLite check the file and its log.
fn check_pages(path: &Path, whole: bool) -> Result<(), String> {
    let failed = |error| complain(&error);
    let conn = open_to_inspect(path).map_err(failed)?;
    let number = |name| {
        conn.pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .map_err(failed)
    };
    let identity = (number("application_id")?, number("user_version")?);
    let objects: i64 = conn
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    // A file with our application_id also has our tables, or none at all.
    check_identity(if objects == 0 { 0 } else { identity.0 }, identity.1)?;
    let check = if whole {
        "PRAGMA quick_check(1)"
    } else {
        "PRAGMA quick_check(users)"
    };
    let verdict: String = conn
        .query_row(check, [], |row| row.get(0))
        .map_err(failed)?;
    if verdict != "ok" {
        return Err(damaged(complaint(&verdict)));
    }
    if identity.1 == schema().version {
        check_columns(&conn)?;
    }
    Ok(())
}

/// Builds of one version from before its release may have made a file with other columns.
fn check_columns(conn: &Connection) -> Result<(), String> {
    let failed = |error| complain(&error);
    let stored = columns(conn).map_err(failed)?;
    let expected = Connection::open_in_memory().and_then(|expected| {
        expected.execute_batch(schema().sql)?;
        columns(&expected)
    });
    match expected.map_err(failed)?.difference(&stored).next() {
        None => Ok(()),
        Some((table, column)) => Err(format!(
            "was made by an earlier build of this unreleased version, and lacks {table}.{column}: go \
             on with that build, or move the file away to start anew"
        )),
    }
}

/// Tables with their columns.
fn columns(conn: &Connection) -> rusqlite::Result<BTreeSet<(String, String)>> {
    let mut reading = conn.prepare(
        "SELECT tables.name, columns.name
         FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table'",
    )?;
    let columns = reading.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    columns.collect()
}

fn damaged(why: &str) -> String {
    format!("is damaged ({why}){BACKUP_HINT}")
}

/// Not every read error means damage: the disk may be full, or the file may belong to another user.
fn complain(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode as Code;
    let Some(code) = error.sqlite_error() else {
        return damaged(&error.to_string());
    };
    match (code.code, code.extended_code) {
        (Code::DiskFull, _) | (_, ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_WRITE) => format!(
            "can't be opened, as nothing can be written beside it ({error}): make room on its \
             disk"
        ),
        (Code::CannotOpen | Code::PermissionDenied | Code::ReadOnly, _) => format!(
            "can't be opened ({error}): look at the owner and the mode of the file and its folder"
        ),
        (Code::DatabaseBusy | Code::DatabaseLocked, _) => {
            format!("can't be read now ({error}): another program has locked it")
        }
        (Code::SystemIoFailure, _) => format!("can't be read ({error}): check its disk"),
        _ => damaged(&error.to_string()),
    }
}

/// The first finding of SQLite's check, without the line that only names the database.
pub(in crate::store) fn complaint(verdict: &str) -> &str {
    let first_problem = verdict.lines().find(|line| !line.starts_with("***"));
    first_problem.unwrap_or("its check fails")
}

/// Opens a database for reading. A cleanly closed one on a disk that is mounted read-only is read
/// without a log, since none can be made there; nobody writes it.
pub(in crate::store) fn open_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let folder = files::check_writable(files::folder_of(path));
    let is_fixed = folder.is_err_and(|why| why.kind() == ErrorKind::ReadOnlyFilesystem);
    if is_fixed && !wal_path(path).exists() {
        return open_unchanging(path);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// Opens a file that nobody writes, for reading, without creating files beside it.
pub(in crate::store) fn open_unchanging(path: &Path) -> rusqlite::Result<Connection> {
    let path = percent_encode(path.as_os_str().as_encoded_bytes(), ENCODED);
    let uri = format!("file:{path}?immutable=1");
    Connection::open_with_flags(
        uri,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    )
}
