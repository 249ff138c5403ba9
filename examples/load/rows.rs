//! What is really in the databases, read past the service: every 200 must be a row.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::Result;

fn open(database: &Path) -> Result<Connection> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(connection)
}

pub(crate) fn messages(database: &Path) -> Result<u64> {
    count(database, "SELECT count(*) FROM messages")
}

/// Commands whose ack is committed.
pub(crate) fn commands_completed(database: &Path) -> Result<u64> {
    count(
        database,
        "SELECT count(*) FROM commands WHERE state = 'completed'",
    )
}

pub(crate) fn commands_unfinished(database: &Path) -> Result<u64> {
    count(
        database,
        "SELECT count(*) FROM commands
         WHERE state NOT IN ('completed', 'failed', 'expired', 'moved')",
    )
}

fn count(database: &Path, sql: &str) -> Result<u64> {
    let rows: i64 = open(database)?.query_row(sql, [], |row| row.get(0))?;
    Ok(u64::try_from(rows)?)
}
