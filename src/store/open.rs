//! Opens the database file, or says in one sentence why not and what to do, leaving the file
//! as it was: damaged, cut off, empty, foreign or newer files are refused before anything is
//! written. Makes a fresh database and brings an older one up to date.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::checkpoint::wal_path;

/// "CHKP": whose file this is, in the header's application_id.
const APPLICATION_ID: i32 = 0x4348_4B50;
/// What the header holds when the very first start was cut off before its one transaction.
const UNFINISHED: (i32, i32) = (0, 0);
/// The schema in `schema.sql`.
const SCHEMA_VERSION: i32 = 1;
const SCHEMA: &str = include_str!("../../schema.sql");
/// SQLite before this may lose commits when the log is reset (sqlite.org/wal.html).
const SQLITE_VERSION_MIN: i32 = 3_051_003;
/// Files up to this size are read whole before each start; `chatkeep check` reads any.
const CHECKED_WHOLE_BYTES_MAX: u64 = 32 << 20;
const HEADER_BYTES: usize = 100;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const BACKUP_HINT: &str = "put a backup in its place, or move the file away to start anew";

/// Keeps a second process off the same file while it lives.
pub struct Lock {
    file: File,
}

/// Who holds a lock, as they wrote it: process id and admin address, one a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holder {
    pub pid: Option<u32>,
    pub address: Option<String>,
}

impl Lock {
    /// Takes the lock beside the database, or says who has it. The lock is on a file of its
    /// own, since closing any descriptor of the database would drop SQLite's locks.
    pub fn take(database: &Path) -> Result<Self, String> {
        if let Some(dir) = database.parent().filter(|d| !d.as_os_str().is_empty()) {
            fs::create_dir_all(dir)
                .map_err(|e| format!("can't make the folder {}: {e}", dir.display()))?;
        }
        let path = lock_path(database);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|e| format!("can't open {}: {e}", path.display()))?;
        if file.try_lock().is_err() {
            let pid = read_holder(&mut file).pid;
            let who = pid.map_or("another process".to_owned(), |pid| format!("process {pid}"));
            return Err(format!(
                "{} is in use by {who}; stop it first, or point storage.path elsewhere",
                database.display()
            ));
        }
        let mut lock = Self { file };
        lock.announce(None)?;
        Ok(lock)
    }

    /// Writes who holds the lock, for the second process that asks.
    pub fn announce(&mut self, address: Option<&str>) -> Result<(), String> {
        let text = format!("{}\n{}\n", std::process::id(), address.unwrap_or_default());
        self.file
            .set_len(0)
            .and_then(|()| self.file.seek(SeekFrom::Start(0)))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .map_err(|e| format!("can't write the lock file: {e}"))
    }
}

/// Who holds the database now; `None` when nobody does.
pub fn holder(database: &Path) -> Option<Holder> {
    let mut file = File::open(lock_path(database)).ok()?;
    match file.try_lock_shared() {
        Ok(()) => None,
        Err(_) => Some(read_holder(&mut file)),
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn read_holder(file: &mut File) -> Holder {
    let mut text = String::new();
    let _ = file.take(1024).read_to_string(&mut text);
    let mut lines = text.lines();
    Holder {
        pid: lines.next().and_then(|l| l.parse().ok()),
        address: lines.next().filter(|l| !l.is_empty()).map(str::to_owned),
    }
}

/// Says why a file can't be used; `Ok(false)` when there is none yet.
pub fn inspect(path: &Path, whole: bool) -> Result<bool, String> {
    let shown = path.display();
    let wal = wal_path(path);
    let wal_bytes = fs::metadata(&wal).map_or(0, |m| m.len());
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            if wal.exists() {
                return Err(format!(
                    "{shown} is missing, but its log {} is there: put the database file back \
                     beside it, or move the log away to start anew",
                    wal.display()
                ));
            }
            return Ok(false);
        }
        Err(e) => return Err(format!("can't open {shown}: {e}")),
    };
    let bytes = file.metadata().map_err(|e| format!("{shown}: {e}"))?.len();
    if bytes == 0 {
        return Err(format!(
            "{shown} is empty, as after a copy that failed: {BACKUP_HINT}"
        ));
    }
    let mut header = [0; HEADER_BYTES];
    if file.read_exact(&mut header).is_err() || &header[..16] != MAGIC {
        return Err(format!("{shown} is not a SQLite database: {BACKUP_HINT}"));
    }
    // With a log beside it the file alone is not the whole truth; SQLite reads both below.
    if wal_bytes == 0 {
        check_header(&header, bytes).map_err(|why| format!("{shown} {why}"))?;
    }
    check_pages(
        path,
        wal_bytes > 0,
        whole || bytes <= CHECKED_WHOLE_BYTES_MAX,
    )
    .map_err(|why| format!("{shown} {why}"))?;
    Ok(true)
}

/// The header's fields (sqlite.org/fileformat.html section 1.3) against ours.
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
            "is cut off ({file_bytes} bytes of {expected}): {BACKUP_HINT}"
        ));
    }
    check_identity(field(68) as i32, field(60) as i32)
}

fn check_identity(application_id: i32, version: i32) -> Result<(), String> {
    if application_id != APPLICATION_ID && (application_id, version) != UNFINISHED {
        return Err(
            "belongs to another program: point storage.path at Chatkeep's own file".to_owned(),
        );
    }
    if version > SCHEMA_VERSION {
        return Err(format!(
            "was written by a newer Chatkeep (schema {version}, this one knows \
             {SCHEMA_VERSION}): install that version"
        ));
    }
    Ok(())
}

/// Lets SQLite read the file without changing it, log included.
fn check_pages(path: &Path, with_log: bool, whole: bool) -> Result<(), String> {
    let damaged = |why: String| format!("is damaged ({why}): {BACKUP_HINT}");
    let conn = if with_log {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    } else {
        let uri = format!("file:{}?immutable=1", percent_encoded(path));
        Connection::open_with_flags(
            uri,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        )
    }
    .map_err(|e| damaged(e.to_string()))?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(|e| damaged(e.to_string()))?;
    let number = |name| {
        conn.pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .map_err(|e| damaged(e.to_string()))
    };
    let identity = (number("application_id")?, number("user_version")?);
    let objects: i64 = conn
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|e| damaged(e.to_string()))?;
    if identity == UNFINISHED && objects == 0 {
        return Ok(());
    }
    if identity == UNFINISHED || objects == 0 {
        return check_identity(0, 1);
    }
    check_identity(identity.0, identity.1)?;
    let check = if whole {
        "PRAGMA quick_check(1)"
    } else {
        "PRAGMA quick_check(users)"
    };
    let verdict: String = conn
        .query_row(check, [], |row| row.get(0))
        .map_err(|e| damaged(e.to_string()))?;
    if verdict != "ok" {
        return Err(damaged(verdict.lines().next().unwrap_or("?").to_owned()));
    }
    Ok(())
}

fn percent_encoded(path: &Path) -> String {
    let mut encoded = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                encoded.push(char::from(*byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

/// Opens for writing: makes the file when it is missing, brings it up to date.
pub(super) fn open_writing(path: &Path, full: bool) -> Result<Connection, String> {
    if rusqlite::version_number() < SQLITE_VERSION_MIN {
        return Err(format!("SQLite {} is too old", rusqlite::version()));
    }
    let shown = |e: rusqlite::Error| format!("can't open {}: {e}", path.display());
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(shown)?;
    set_common(&conn).map_err(shown)?;
    conn.pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| {
            conn.pragma_update(None, "synchronous", if full { "FULL" } else { "NORMAL" })
        })
        .and_then(|()| conn.pragma_update(None, "foreign_keys", false))
        .and_then(|()| migrate(&mut conn))
        .map_err(shown)?;
    private(path)?;
    Ok(conn)
}

/// Opens for reading only.
pub(super) fn set_reading(conn: &Connection) -> rusqlite::Result<()> {
    set_common(conn)?;
    conn.pragma_update(None, "query_only", true)
}

fn set_common(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(64);
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "cache_size", -16_384)?;
    conn.pragma_update(None, "mmap_size", 256 << 20)?;
    conn.pragma_update(None, "temp_store", "MEMORY")
}

/// A fresh file gets `schema.sql`; each later version will be one step, one transaction.
fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    let version: i32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == SCHEMA_VERSION {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    tx.execute_batch(SCHEMA)?;
    tx.execute(
        "INSERT INTO meta (key, value) VALUES ('edge_epoch', ?1)",
        [hex::encode(crate::random::bytes::<6>())],
    )?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    tx.commit()
}

/// People's words are in it: nobody else on the machine reads it.
fn private(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
        .map_err(|e| format!("can't make {} private: {e}", path.display()))
}
