//! Upgrades of the schema, with made-up steps: there is one version so far.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;

use super::super::backup::back_up;
use super::super::restore::PendingRestore;
use super::super::schema::{SCHEMA_OF_TEST, Schema};
use crate::clock::Timestamp;
use crate::store::{Options, Store};

const MESSAGES: i64 = 30_000;
const KILLS: u64 = 20;

const STEP_2: &str = "ALTER TABLE users ADD COLUMN shoe_size INTEGER;
    UPDATE messages SET text = text || '!';";
const STEP_3: &str = "CREATE TABLE shoes (id INTEGER PRIMARY KEY) STRICT;
    UPDATE messages SET text = text || '?';";
const FAILS: &str = "CREATE TABLE shoes (id INTEGER PRIMARY KEY) STRICT;
    INSERT INTO no_such_table VALUES (1);";

const THIRD: Schema = Schema {
    version: 3,
    sql: concat!(
        include_str!("../../../../schema.sql"),
        "ALTER TABLE users ADD COLUMN shoe_size INTEGER;
         CREATE TABLE shoes (id INTEGER PRIMARY KEY) STRICT;"
    ),
    steps: &[STEP_2, STEP_3],
};
const BROKEN: Schema = Schema {
    version: 3,
    sql: THIRD.sql,
    steps: &[STEP_2, FAILS],
};

fn options(folder: &Path) -> Options {
    Options {
        path: folder.join("chatkeep.db"),
        full_durability: false,
        readers: 1,
        payment_provider: true,
    }
}

/// A database of the first version with messages in it, closed.
fn first_version(folder: &Path) -> PathBuf {
    SCHEMA_OF_TEST.set(None);
    let options = options(folder);
    drop(Store::open(&options).unwrap());
    Connection::open(&options.path)
        .unwrap()
        .execute_batch(&format!(
            "INSERT INTO users (id, user_id, phone, created_at) VALUES (7, 'u', '+15550100', 1);
             INSERT INTO rooms (id, chat_guid, mode, owner_id, members, created_at)
               VALUES (3, 'chat', 'direct', 7, x'', 1);
             INSERT INTO agents (agent_id, tokens_valid_from_s, created_at) VALUES ('ended', 7, 1);
             WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {MESSAGES})
             INSERT INTO messages (id, room_id, user_id, previous_id, sent_s, received_at, sender,
                 text, counted, unwritten)
               SELECT n, 3, 7, nullif(n - 1, 0), 1, 1, '+15550100', 'tea', 0, -1 FROM n;
             INSERT INTO room_heads VALUES (3, {MESSAGES}, 0);"
        ))
        .unwrap();
    options.path
}

fn query<T: rusqlite::types::FromSql>(database: &Path, sql: &str) -> T {
    let conn = Connection::open(database).unwrap();
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Version, what the messages say, whether the file is whole.
fn state(database: &Path) -> (i64, String, String) {
    let texts =
        format!("SELECT group_concat(DISTINCT text) FROM messages HAVING count(*) = {MESSAGES}");
    (
        query(database, "PRAGMA user_version"),
        query(database, &texts),
        query(database, "PRAGMA integrity_check"),
    )
}

fn is(version: i64, texts: &str) -> (i64, String, String) {
    (version, texts.to_owned(), "ok".to_owned())
}

/// Tables, columns, indexes, as SQLite understood them.
fn shape(database: &Path) -> String {
    query(
        database,
        "SELECT group_concat(line, char(10)) FROM (SELECT m.type || ' ' || m.name || ': ' ||
           coalesce(group_concat(c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' ' ||
             coalesce(c.dflt_value, '-') || ' ' || c.pk, ', '), '') ||
           CASE m.type WHEN 'index' THEN coalesce(m.sql, '') ELSE '' END AS line
         FROM sqlite_schema m LEFT JOIN pragma_table_xinfo(m.name) c GROUP BY m.name ORDER BY m.name)",
    )
}

/// The copies that were made before upgrades from version 1, unfinished ones left out.
fn copies(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("chatkeep.db.v1-") && !name.contains(".part")
        })
        .collect()
}

#[test]
fn an_older_file_gets_the_schema_of_a_fresh_one_and_keeps_its_rows() {
    let (old, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let database = first_version(old.path());
    SCHEMA_OF_TEST.set(Some(&THIRD));
    drop(Store::open(&options(fresh.path())).unwrap());
    drop(Store::open(&options(old.path())).unwrap());
    assert_eq!(state(&database), is(3, "tea!?"));
    assert_eq!(shape(&database), shape(&options(fresh.path()).path));
    let copies = copies(old.path());
    assert_eq!(copies.len(), 1);
    assert_eq!(state(&copies[0]), is(1, "tea"));
    let mode = std::fs::metadata(&copies[0]).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_step_that_fails_changes_nothing_and_the_next_start_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let database = first_version(folder.path());
    SCHEMA_OF_TEST.set(Some(&BROKEN));
    let refused = Store::open(&options(folder.path())).err().unwrap();
    assert!(refused.contains("no_such_table"), "{refused}");
    assert_eq!(state(&database), is(2, "tea!"));
    SCHEMA_OF_TEST.set(Some(&THIRD));
    drop(Store::open(&options(folder.path())).unwrap());
    assert_eq!(state(&database), is(3, "tea!?"));
}

/// The process that the next test kills: it upgrades the database in its working directory.
#[test]
#[ignore = "is run by the next test"]
fn upgrades_until_it_is_killed() {
    let options = options(Path::new("."));
    if options.path.exists() {
        SCHEMA_OF_TEST.set(Some(&THIRD));
        drop(Store::open(&options).unwrap());
    }
}

/// Kills at any moment leave the schema of before or after a step, whole, and after the first
/// step a copy of the old.
#[test]
fn a_killed_upgrade_leaves_the_old_schema_or_a_newer_one() {
    let sound = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(first_version(sound.path())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let database = options(folder.path()).path;
    let mut before = 0;
    for round in 0..KILLS {
        std::fs::write(&database, &bytes).unwrap();
        let mut child = Command::new("/proc/self/exe")
            .args(["--ignored", "--exact"])
            .arg(
                concat!(module_path!(), "::upgrades_until_it_is_killed")
                    .split_once("::")
                    .unwrap()
                    .1,
            )
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(round * 13 % 160));
        let _ = child.kill();
        child.wait().unwrap();
        let left = state(&database);
        let possible = [is(1, "tea"), is(2, "tea!"), is(3, "tea!?")];
        assert!(possible.contains(&left), "round {round}: {left:?}");
        let copies = copies(folder.path());
        for copy in &copies {
            assert_eq!(state(copy), is(1, "tea"), "round {round}");
        }
        if left.0 > 1 {
            assert!(!copies.is_empty(), "round {round}");
        }
        // One more than before where it was killed before it could remove the oldest.
        assert!(copies.len() <= before.max(5) + 1, "{copies:?}");
        before = copies.len();
        for leftover in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("chatkeep.db{leftover}")));
        }
    }
    std::fs::write(&database, &bytes).unwrap();
    SCHEMA_OF_TEST.set(Some(&THIRD));
    drop(Store::open(&options(folder.path())).unwrap());
    assert_eq!(state(&database), is(3, "tea!?"));
}

/// Before its upgrade a database is backed up by the newer program too, as it is; and a backup of
/// an older schema goes up when it is restored.
#[test]
fn an_older_schema_is_backed_up_as_it_is_and_restored_as_the_present_one() {
    let folder = tempfile::tempdir().unwrap();
    let database = first_version(folder.path());
    SCHEMA_OF_TEST.set(Some(&THIRD));
    let backup = folder.path().join("b.db");
    let backup_made = back_up(&database, &backup, false, &mut |_| {}).unwrap();
    assert_eq!(backup_made.schema_version, 1);
    assert_eq!(state(&backup), is(1, "tea"));
    drop(Store::open(&options(folder.path())).unwrap());
    let restoring = PendingRestore::prepare(&backup, &database, &mut |_| {}).unwrap();
    assert_eq!(restoring.restored.schema_version, 1);
    restoring.put_in_place(Timestamp(1)).unwrap();
    assert_eq!(state(&database), is(3, "tea!?"));
}

/// What ended is known also where the program is newer than the present database.
#[test]
fn a_present_database_of_an_older_schema_is_read() {
    let (fresh, older) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    SCHEMA_OF_TEST.set(Some(&THIRD));
    drop(Store::open(&options(fresh.path())).unwrap());
    let backup = fresh.path().join("b.db");
    back_up(&options(fresh.path()).path, &backup, false, &mut |_| {}).unwrap();
    let database = first_version(older.path());
    SCHEMA_OF_TEST.set(Some(&THIRD));
    let restoring = PendingRestore::prepare(&backup, &database, &mut |_| {}).unwrap();
    assert_eq!(restoring.restored.present_unread, None);
    restoring.put_in_place(Timestamp(1)).unwrap();
    let revoked = "SELECT agent_id || tokens_valid_from_s FROM agents";
    assert_eq!(query::<String>(&database, revoked), "ended7");
    let names = std::fs::read_dir(older.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(
        names
            .into_iter()
            .all(|name| !name.starts_with("chatkeep.db.present"))
    );
}
