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

pub(crate) fn commands(database: &Path) -> Result<u64> {
    count(database, "SELECT count(*) FROM commands")
}

/// Calls of webhooks that were refused and recorded.
pub(crate) fn refused_calls(database: &Path) -> Result<u64> {
    let sql = "SELECT count(*) FROM webhook_events WHERE result_status <> 'ok'";
    count(database, sql)
}

/// The public ids of all users.
pub(crate) fn user_ids(database: &Path) -> Result<Vec<String>> {
    let connection = open(database)?;
    let mut statement = connection.prepare("SELECT user_id FROM users ORDER BY id")?;
    let ids = statement.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
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
