//! What is really in the databases, read past the service: every 200 must be a row.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};
use sha2::{Digest, Sha256};

use crate::{Result, message};

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
    let sql = "SELECT count(*) FROM (SELECT event_id, result_status FROM webhook_events
                 UNION SELECT event_id, result_status FROM new_webhook_events)
               WHERE result_status <> 'ok'";
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

/// Otherwise the service's next start adds the messages to the counts of days.
const ROOMS_ARE_UP_TO_DATE: &str = "INSERT OR REPLACE INTO meta (key, value)
    SELECT 'deferred_to', CAST(max(id) AS TEXT) FROM messages";

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
         {ROOMS_ARE_UP_TO_DATE};
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

/// Adds people, each with a direct chat, and messages with their answers, spread evenly over
/// them and over the last 30 days, while no service has the file. The senders before `first`
/// are there already, one of each relay, and each has written one message.
pub(crate) fn populate(database: &Path, first: u64, people: u64, messages: u64) -> Result<()> {
    let mut connection = Connection::open(database)?;
    // No log of all that is written; the service turns it on again.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    let agents: Vec<i64> = connection
        .prepare("SELECT id FROM agents WHERE agent_id LIKE 'agent-%' ORDER BY agent_id")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let now: i64 = connection.query_row("SELECT max(received_at) FROM messages", [], |row| {
        row.get(0)
    })?;
    let tx = connection.transaction()?;
    {
        let mut user = tx.prepare(
            "INSERT INTO users (id, user_id, phone, created_at)
             VALUES (?1, printf('%08x-0000-4000-8000-000000000000', ?1), ?2, ?3)",
        )?;
        let mut room = tx.prepare(
            "INSERT INTO rooms (id, chat_guid, mode, owner_id, agent_id, members, created_at)
             VALUES (?1, ?2, 'direct', ?1, ?3, ?4, ?5)",
        )?;
        let mut member =
            tx.prepare("INSERT INTO room_members (handle, room_id) VALUES (?1, ?2)")?;
        let mut author = tx.prepare("INSERT INTO room_authors VALUES (?1, ?1)")?;
        let mut day = tx.prepare("INSERT INTO usage_days VALUES (?1, ?2, 1)")?;
        for number in first..people {
            let (id, phone) = (i64::try_from(number)? + 1, message::sender(number));
            let agent = agents[usize::try_from(number)? % agents.len()];
            let handles = [phone.as_str(), message::ASSISTANT];
            user.execute(params![id, phone, now])?;
            let guid = message::chat_guid(&phone);
            room.execute(params![id, guid, agent, members(&handles), now])?;
            for handle in handles {
                member.execute(params![handle, id])?;
            }
            author.execute([id])?;
            day.execute([id, now / 86_400_000])?;
        }
    }
    tx.execute(
        "INSERT INTO messages (id, room_id, user_id, agent_id, previous_id, sent_s, received_at,
           sender, text, context, counted, request, unwritten, bubbles)
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)
         SELECT ?1 + 1 + i, rooms.id, rooms.id, agent_id, iif(i < ?2, NULL, ?1 + 1 + i - ?2),
           (?4 - (?3 - i) * (2592000000 / ?3)) / 1000, ?4 - (?3 - i) * (2592000000 / ?3),
           'sender', 'Hello, this is note ' || i || ' about our table on the terrace', ?5, 1,
           zeroblob(32), -1, '[\"An answer of the usual length to message ' || i || '.\"]'
         FROM n CROSS JOIN rooms ON rooms.id = ?1 + 1 + i % ?2",
        params![
            i64::try_from(first)?,
            i64::try_from(people - first)?,
            i64::try_from(messages)?,
            now,
            message::context(),
        ],
    )?;
    tx.execute(
        "INSERT INTO room_heads
         SELECT room_id, max(id), 0 FROM messages WHERE room_id > ?1 GROUP BY room_id",
        [i64::try_from(first)?],
    )?;
    tx.execute_batch(ROOMS_ARE_UP_TO_DATE)?;
    Ok(tx.commit()?)
}

/// As the service knows who takes part.
fn members(handles: &[&str]) -> Vec<u8> {
    let mut hash = Sha256::new();
    for handle in handles {
        hash.update((handle.len() as u64).to_le_bytes());
        hash.update(handle);
    }
    hash.finalize().to_vec()
}

/// Lets people ask for exports anew.
pub(crate) fn forget_exports(database: &Path) -> Result<()> {
    let connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.execute("DELETE FROM limit_uses WHERE kind = 'exports'", [])?;
    Ok(())
}
