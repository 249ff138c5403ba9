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

/// Gives the first user so many messages in their first room, and as many memories, while no
/// service has the file; the user's id.
pub(crate) fn enlarge(database: &Path, rows: u64) -> Result<String> {
    let connection = Connection::open(database)?;
    connection.execute_batch(&format!(
        "BEGIN;
         CREATE TEMP TABLE base AS SELECT max(id) AS last,
           (SELECT room_id FROM room_authors WHERE user_id = 1) AS room,
           (SELECT message_id FROM room_heads JOIN room_authors USING (room_id)
            WHERE user_id = 1) AS head FROM messages;
         INSERT INTO messages (id, room_id, user_id, previous_id, sent_s, received_at, sender,
           text, counted, unwritten, bubbles)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
         SELECT last + i, room, 1, iif(i = 1, head, last + i - 1), 1700000000, 1700000000000 + i,
           'sender', 'message ' || i || ' with words of the usual length, as people write them',
           0, -1, '[\"An answer of the usual length to message ' || i || '.\"]' FROM n, base;
         UPDATE room_heads SET message_id = (SELECT max(id) FROM messages)
           WHERE room_id = (SELECT room FROM base);
         INSERT INTO memories (memory_id, user_id, text, category, created_at)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
         SELECT 'memory-' || i, 1, 'something worth remembering, number ' || i, 'said', i FROM n;
         COMMIT;"
    ))?;
    Ok(
        connection.query_row("SELECT user_id FROM users WHERE id = 1", [], |row| {
            row.get(0)
        })?,
    )
}

/// Lets people ask for exports anew.
pub(crate) fn forget_exports(database: &Path) -> Result<()> {
    let connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.execute("DELETE FROM limit_uses WHERE kind = 'exports'", [])?;
    Ok(())
}
