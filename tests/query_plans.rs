//! Every statement of the store is explained by SQLite: none on the path of a request reads
//! a growing table from end to end.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// Scans that are meant: a piece of the statement, and why it may.
const ALLOWED: &[(&str, &str)] = &[
    (
        "min(iif(instr(chat_guid, ?3), id, NULL))",
        "an erasure, 20,000 rooms at a time",
    ),
    (
        "UPDATE agents SET status =", "once an erasure; one row a relay",
    ),
    ("FROM messages ORDER BY id DESC LIMIT 1", "the last row"),
    (
        "pending_replies, json_each(sent)",
        "the parts of one reply that were sent, few",
    ),
    (
        "NOT IN (SELECT message_id FROM undelivered_answers)",
        "once at the start",
    ),
    (
        "SELECT count(*) FROM pending_replies", "once at the start; at most 10,000 rows",
    ),
    (
        "UPDATE pending_replies SET starts", "once at the start; at most 10,000 rows",
    ),
    ("FROM sqlite_schema", "once before the start"),
    (
        "SELECT DISTINCT user_id FROM connected_services",
        "once at the start",
    ),
    (
        "GROUP BY user_id, day) AS tail",
        "a command that reads the file; the messages of the last second",
    ),
    (
        "FROM idempotency_keys ORDER BY id LIMIT",
        "housekeeping, the first 500 rows",
    ),
    (
        "FROM audit ORDER BY id LIMIT", "housekeeping, the first 500 rows",
    ),
    (
        "UPDATE audit SET",
        "an erasure; what operators did, at most 100,000 rows",
    ),
    (
        "UPDATE flag_overrides SET set_by", "an erasure; one row a flag",
    ),
    (
        "UPDATE erasures SET email = NULL",
        "a purge; accounts under way, nearly always none",
    ),
    (
        "DELETE FROM outgoing_mails WHERE created_at",
        "a purge; the mails of three days at most",
    ),
    (
        "FROM commands ORDER BY id LIMIT", "housekeeping, the first 500 rows",
    ),
    (
        "FROM new_webhook_events WHERE webhook_id",
        "when a webhook's events are read; not many more than 16,384 rows",
    ),
    (
        "FROM new_webhook_events ORDER BY",
        "together, every second at least; not many more than 16,384 rows",
    ),
    (
        "FROM webhook_deliveries ORDER BY id LIMIT",
        "housekeeping, the first 500 rows",
    ),
    (
        "FROM webhooks ORDER BY id LIMIT 1", "once at the start; the first row",
    ),
    (
        "FROM edge_events ORDER BY id LIMIT", "housekeeping, the first 500 rows",
    ),
    (
        "FROM undelivered_answers ORDER BY id",
        "once at the start, and after a rollback; at most 100,000 rows",
    ),
    (
        "DELETE FROM undelivered_answers WHERE created_at",
        "housekeeping; nearly always empty",
    ),
    (
        "INDEXED BY commands_given_up",
        "those that failed or expired in 30 days: an operator's list, housekeeping, and when somebody \
         whose direct chat ended gets another one",
    ),
    (
        "ORDER BY commands.id DESC LIMIT ?2", "an operator's list, the newest first",
    ),
    (
        "FROM agents LEFT JOIN",
        "the operator's list; one row an agent, and unfinished commands",
    ),
    (
        "INDEXED BY commands_unfinished",
        "unfinished commands only, at most 10,000 an agent: at the start, an erasure, and asked by who \
         watches",
    ),
    (
        "FROM reminders ORDER BY due_at LIMIT 1", "the first of an index",
    ),
    (
        "FROM payment_events ORDER BY id LIMIT", "housekeeping, the first 500 rows",
    ),
    (
        "FROM provider_tasks ORDER BY due_at LIMIT 1",
        "the first of an index",
    ),
    (
        "SELECT service_id, credentials FROM connected_services",
        "once at the start; the first row",
    ),
    (
        "INDEXED BY connected_services_mail", "every minute, the first 64 mailboxes",
    ),
    (
        "INDEXED BY connected_services_refused",
        "services whose refusal is to be told, nearly always none",
    ),
    (
        "FROM power_alarms ORDER BY due_at LIMIT 1",
        "the first of an index",
    ),
    (
        "tokens_valid_from_s IS NOT NULL", "once at the start; one row an agent",
    ),
    (
        "INDEXED BY export_jobs_unfinished",
        "unfinished exports only: those of a day at most",
    ),
    (
        "SELECT count(*) FROM outgoing_mails",
        "at the end of `chatkeep purge`; nearly always empty",
    ),
    ("FROM flag_overrides", "as many rows as there are flags"),
    (
        "FROM erasures ORDER BY user_id LIMIT", "accounts under way, nearly always none",
    ),
    ("present.", "a restore, with no service beside it"),
    (
        "NOT IN (SELECT id FROM main.webhooks)", "a restore, with no service beside it",
    ),
    (
        "WITH RECURSIVE kinds(kind)",
        "as many rows as there are limits, each found by the index",
    ),
];

#[test]
fn no_statement_scans_a_growing_table() {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(include_str!("../schema.sql")).unwrap();
    // A restore has a second database of the same schema beside it.
    let folder = tempfile::tempdir().unwrap();
    let present = folder.path().join("present.db");
    let schema = include_str!("../schema.sql");
    Connection::open(&present)
        .unwrap()
        .execute_batch(schema)
        .unwrap();
    conn.execute("ATTACH ?1 AS present", [present.to_str()])
        .unwrap();
    // As the store has it: a deletion looks for nothing that refers to the row.
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    let statements = statements();
    assert!(statements.len() > 50, "{}", statements.len());
    let mut used = HashMap::new();
    let mut complaints = Vec::new();
    for (file, sql) in &statements {
        let scans = scans(&conn, sql).unwrap_or_else(|error| panic!("{file}: {error}: {sql}"));
        let reason = ALLOWED.iter().find(|(piece, _)| sql.contains(piece));
        match reason {
            Some((piece, _)) => *used.entry(*piece).or_insert(0) += scans.len(),
            None => complaints.extend(
                scans
                    .into_iter()
                    .map(|scan| format!("{file}: {scan}: {sql}")),
            ),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    for (piece, _) in ALLOWED {
        assert_ne!(
            used.get(piece).copied().unwrap_or(0),
            0,
            "no longer needed: {piece}"
        );
    }
}

/// Steps of the plan that read a whole table or index, or sort.
fn scans(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut explained = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let steps = explained
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Result<Vec<_>, _>>()?;
    let whole = |step: &String| step.starts_with("SCAN") && !step.starts_with("SCAN CONSTANT");
    Ok(steps.into_iter().filter(whole).collect())
}

/// The files of a folder and of those in it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false => found.push(path),
        }
    }
    found
}

/// The statements in the store's source with their file: its string literals that begin
/// with a word of SQL, its constants put in where a literal names them.
fn statements() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/store"))) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with("tests.rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let source = source.split("#[cfg(test)]").next().unwrap();
        let constants = constants(source);
        for literal in literals(source) {
            let mut sql = literal.clone();
            if sql.starts_with("WHERE ") {
                sql = format!("{} {sql}", constants["COLUMNS"]); // the rest of a select
            }
            for (name, value) in &constants {
                sql = sql.replace(&format!("{{{name}}}"), value);
            }
            let is_statement = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "]
                .iter()
                .any(|word| sql.starts_with(word));
            let mut parts = constants
                .iter()
                .filter(|(name, _)| name.ends_with("COLUMNS"));
            let is_part = parts.any(|(_, columns)| *columns == literal);
            // A superpower's state is a user's or a room's.
            let owners = match sql.contains("{owner}") {
                true => &["user_id", "room_id"][..],
                false => &[""],
            };
            for owner in owners {
                let sql = sql.replace("{owner}", owner);
                if is_statement && !is_part && !sql.contains('{') {
                    found.push((name.clone(), sql));
                }
            }
        }
    }
    found
}

fn constants(source: &str) -> HashMap<String, String> {
    let declared = source.split("const ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once(": &str =")?;
        Some((name.to_owned(), literals(rest).into_iter().next()?))
    });
    declared
        .filter(|(name, _)| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
        .collect()
}

/// Double-quoted strings outside comments; the store's have no escapes that matter here.
fn literals(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let parts = code.replace("\\\"", "'").replace("'\"'", "");
    parts
        .split('"')
        .skip(1)
        .step_by(2)
        .map(|text| text.trim().to_owned())
        .collect()
}
