//! Creates a database file, opens an inspected one, and upgrades an older schema. A new file gets
//! its name only when it is complete.

use std::fs;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Transaction, TransactionBehavior, ffi};

use super::advice::{self, sqlite_failed};
use super::copies;
use super::copy::busy;
use super::database_files::{mend_modes, remove_log};
use super::schema::{APPLICATION_ID, schema};
use crate::clock::Clock;
use crate::files;

#[cfg(test)]
mod upgrade_tests;

/// Older versions of SQLite may lose commits when the log is reset (sqlite.org/wal.html).
const SQLITE_VERSION_MIN: i32 = 3_051_003;
/// Prepared statements cached per connection: more than there are.
const STATEMENTS_KEPT: usize = 512;
/// Pages that the writing connection keeps.
const CACHE_KIB_MAX: i32 = 16_384;
/// Pages that each reading connection keeps: only those of the log, as the others are mapped, and
/// only until the next commit.
const READER_CACHE_KIB_MAX: i32 = 2_048;

/// Creates a new database under a temporary name, so that an interrupted start leaves no partial
/// file. The next start removes it.
pub(in crate::store) fn make(path: &Path) -> Result<(), String> {
    let failed = |e: std::io::Error| advice::failed("make", path, &e);
    let draft = files::beside(path, ".new");
    remove_log(&draft)
        .and_then(|()| files::remove_if_present(&draft))
        .and_then(|()| files::create_private(&draft, ""))
        .map_err(failed)?;
    let created = Connection::open(&draft).and_then(|mut conn| {
        conn.pragma_update(None, "journal_mode", "WAL")?;
        migrate(&mut conn)?;
        conn.close().map_err(|(_, error)| error)
    });
    created.map_err(|e| sqlite_failed("make", path, &e))?;
    fs::rename(&draft, path)
        .and_then(|()| files::sync_folder_of(path))
        .map_err(failed)
}

/// Opens an existing file for writing and upgrades its schema.
pub(in crate::store) fn open_writing(path: &Path, full: bool) -> Result<Connection, String> {
    if rusqlite::version_number() < SQLITE_VERSION_MIN {
        return Err(format!("SQLite {} is too old", rusqlite::version()));
    }
    let open_error = |e: rusqlite::Error| sqlite_failed("open", path, &e);
    copies::remove_unfinished(path);
    mend_modes(path);
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(open_error)?;
    // SQLite would go on, and make files beside it that can't be written either.
    if conn.is_readonly(MAIN_DB).map_err(open_error)? {
        let code = ffi::Error::new(ffi::SQLITE_READONLY);
        return Err(open_error(rusqlite::Error::SqliteFailure(code, None)));
    }
    set_common(&conn).map_err(open_error)?;
    conn.pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| {
            conn.pragma_update(None, "synchronous", if full { "FULL" } else { "NORMAL" })
        })
        .and_then(|()| conn.pragma_update(None, "foreign_keys", true))
        // Deleted data is overwritten: people may request deletion, and a copy of the file or disk
        // must not reveal it.
        .and_then(|()| conn.pragma_update(None, "secure_delete", true))
        .map_err(open_error)?;
    make_private(path);
    keep_copy(&conn, path)?;
    migrate(&mut conn).map_err(open_error)?;
    Ok(conn)
}

/// Upgrades a copy that nobody else uses, and leaves no log beside it.
pub(in crate::store) fn bring_up_to_date(path: &Path) -> rusqlite::Result<()> {
    let mut conn = open_beside(path)?;
    conn.pragma_update(None, "secure_delete", true)?;
    migrate(&mut conn)?;
    merge_log(conn)
}

/// Moves the whole log into the file and closes it, which removes the log.
pub(in crate::store) fn merge_log(conn: Connection) -> rusqlite::Result<()> {
    let is_busy: i64 = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if is_busy != 0 {
        return Err(busy("somebody has it open"));
    }
    conn.close().map_err(|(_, error)| error)
}

/// Copies the file before its schema changes, so that the old version can be restored.
fn keep_copy(conn: &Connection, path: &Path) -> Result<(), String> {
    let failed = |why: String| {
        format!(
            "{} is of an older Chatkeep and is left as it is, since it can't be copied before \
             its upgrade ({why}): make room beside it",
            path.display()
        )
    };
    let version = conn.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0));
    let version = version.map_err(|e| failed(e.to_string()))?;
    if (1..schema().version).contains(&version) {
        // The time is used for the file name only.
        let now = Clock::system().now();
        let copy = copies::keep_schema(conn, path, version, now).map_err(failed)?;
        log::info!(
            "the database as it was before its upgrade is kept in {}",
            copy.display()
        );
    }
    Ok(())
}

/// A second writing connection, for checkpoints.
pub(in crate::store) fn open_beside(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// Opens for reading only.
pub(in crate::store) fn set_reading(conn: &Connection) -> rusqlite::Result<()> {
    set_common(conn)?;
    conn.pragma_update(None, "cache_size", -READER_CACHE_KIB_MAX)?;
    conn.pragma_update(None, "query_only", true)
}

/// For reading a large part of the file once: caching it would be useless, and mapped pages would
/// count as the process's memory.
pub(in crate::store) fn set_frugal(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "cache_size", -1_024)?;
    conn.pragma_update(None, "mmap_size", 0)
}

fn set_common(conn: &Connection) -> rusqlite::Result<()> {
    // Plans don't depend on values: otherwise a statement is prepared anew for each new value.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "cache_size", -CACHE_KIB_MAX)?;
    conn.pragma_update(None, "mmap_size", 256 << 20)?;
    conn.pragma_update(None, "temp_store", "MEMORY")
}

/// A reader needs the current schema; only writing upgrades it.
pub(in crate::store) fn check_version(conn: &Connection, path: &Path) -> Result<(), String> {
    match conn.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0)) {
        Ok(version) if version < schema().version => Err(format!(
            "{} was written by an older Chatkeep: start the service once, which brings it up to date",
            path.display()
        )),
        Ok(_) => Ok(()),
        Err(e) => Err(format!("can't read {}: {e}", path.display())),
    }
}

/// A new file gets `schema.sql`. An older one is upgraded step by step, each in a transaction.
fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    let version: i32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let schema = schema();
    if version == 0 {
        return step(conn, schema.version, |tx| {
            tx.execute_batch(schema.sql)?;
            tx.pragma_update(None, "application_id", APPLICATION_ID)?;
            name_epoch(tx)
        });
    }
    for (to, sql) in (2..).zip(schema.steps).filter(|(to, _)| *to > version) {
        log::info!("the database is upgraded to schema version {to}");
        step(conn, to, |tx| tx.execute_batch(sql))?;
    }
    Ok(())
}

/// For a copy that replaces a database: it misses later changes. Payment events since its newest
/// one are requested again.
pub(in crate::store) fn begin_epoch(conn: &Connection) -> rusqlite::Result<()> {
    if conn.table_exists(None, "payment_events")? {
        conn.execute(
            "INSERT OR IGNORE INTO meta (key, value)
             SELECT 'payments_lost_since', CAST(coalesce(max(received_at), 0) AS TEXT)
             FROM payment_events",
            [],
        )?;
    }
    name_epoch(conn)
}

/// Starts a new edge epoch: relays' last seqs from before are invalid.
fn name_epoch(conn: &Connection) -> rusqlite::Result<()> {
    let epoch = hex::encode(crate::random::bytes::<6>());
    conn.execute(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('edge_epoch', ?1)",
        [epoch],
    )
    .map(drop)
}

/// One transaction: an interrupted start leaves the previous version.
fn step(
    conn: &mut Connection,
    to: i32,
    work: impl FnOnce(&Transaction) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    work(&tx)?;
    tx.pragma_update(None, "user_version", to)?;
    tx.commit()
}

/// The file holds people's messages: only its owner may read it. A file system without permissions
/// is accepted.
fn make_private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if let Err(error) = fs::set_permissions(path, fs::Permissions::from_mode(0o600)) {
        log::warn!("can't make {} private: {error}", path.display());
    }
}
