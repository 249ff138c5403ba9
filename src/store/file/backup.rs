//! Backups. While the service runs, its writer thread copies the database, some pages between two
//! transactions, into a file beside the database, and `chatkeep backup` takes that file over.
//! Without a running service the command copies the file itself.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::OwnedMutexGuard;

use super::super::Store;
use super::super::writer::Writer;
use super::advice::sqlite_failed;
use super::copy::{self, CopyStep, Draft};
use super::{copies, inspect, open};
use crate::files;

/// Bytes of a copy that are synced at once while the service runs: 1 MiB. Larger syncs would delay
/// the service's own.
const SYNC_BYTES: usize = 1 << 20;
const PAGE_BYTES: usize = 4096;
const SYNC_PAGES: u64 = (SYNC_BYTES / PAGE_BYTES) as u64;
/// Longest pause after a sync. The pause is as long as the part before it took.
const REST_MAX: Duration = Duration::from_secs(1);
/// How often a blocked copy is tried again, with a pause between: 5 s in all.
const BUSY_TRIES_MAX: u32 = 50;
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// A finished backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backup {
    pub bytes: u64,
    pub pages: u64,
    pub schema_version: i32,
}

/// The stage of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Copying {
        pages: u64,
        of: u64,
    },
    /// The service's copy is being taken over.
    TakingOver,
    /// The copy is being read and checked.
    Checking,
}

/// A copy that the service made beside its database. The file is removed when this is dropped.
pub struct LiveCopy {
    _draft: Arc<LiveDraft>,
}

/// The file of a live copy. A sync that is running keeps it when the copy is cancelled, and the
/// next copy waits for that.
struct LiveDraft {
    draft: Draft,
    _guard: OwnedMutexGuard<()>,
}

/// The path of the service's live copy.
pub fn live_copy_path(database: &Path) -> PathBuf {
    Draft::name_of(&copies::live(database))
}

impl Store {
    /// Copies the database beside itself, as of the moment when the copy ends. `progress` receives
    /// pages done and pages in total. The error is a sentence for the operator.
    pub async fn copy_beside(
        &self,
        progress: impl Fn(u64, u64) + Send + Sync,
    ) -> Result<LiveCopy, String> {
        let target = copies::live(self.path());
        let copy_path = live_copy_path(self.path());
        let failed =
            |why: String| format!("can't copy the database to {}: {why}", copy_path.display());
        let guard = self.copying.clone().lock_owned().await;
        let (draft, to) = blocking(move || {
            let draft = Draft::of(&target)?;
            let to = copy::open_draft(draft.path()).map_err(|e| copy::in_words(&e))?;
            Ok((
                Arc::new(LiveDraft {
                    draft,
                    _guard: guard,
                }),
                to,
            ))
        })
        .await
        .map_err(failed)?;
        self.writer().begin_copy(to).await.map_err(failed)?;
        let ending = CopyEnd(self.writer());
        let (mut synced_pages, mut busy_tries, mut began) = (0, 0, Instant::now());
        loop {
            match self.writer().copy_pages().await.map_err(failed)? {
                CopyStep::Done => break,
                CopyStep::Busy if busy_tries == BUSY_TRIES_MAX => {
                    return Err(failed("the service is too busy".to_owned()));
                }
                CopyStep::Busy => {
                    busy_tries += 1;
                    tokio::time::sleep(BUSY_PAUSE).await;
                }
                CopyStep::More { pages, of } => {
                    busy_tries = 0;
                    progress(pages, of);
                    if pages >= synced_pages + SYNC_PAGES {
                        sync(&draft).await.map_err(failed)?;
                        tokio::time::sleep(began.elapsed().min(REST_MAX)).await;
                        (synced_pages, began) = (pages, Instant::now());
                    }
                }
            }
        }
        drop(ending);
        sync(&draft).await.map_err(failed)?;
        Ok(LiveCopy { _draft: draft })
    }
}

/// Tells the writer at the end of a copy, successful or not, that nobody waits for it.
struct CopyEnd<'a>(&'a Writer);

impl Drop for CopyEnd<'_> {
    fn drop(&mut self) {
        self.0.end_copy();
    }
}

async fn sync(live: &Arc<LiveDraft>) -> Result<(), String> {
    let live = live.clone();
    blocking(move || live.draft.sync().map_err(|e| written_in_words(&e))).await
}

async fn blocking<T: Send + 'static>(
    f: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(f).await;
    done.unwrap_or_else(|error| Err(error.to_string()))
}

/// Refuses a path that a backup of `database` must not have.
pub fn check_backup_name(database: &Path, to: &Path, replace: bool) -> Result<(), String> {
    refuse_own_files(database, to)?;
    refuse_to_overwrite(to, replace)
}

/// Copies the database at `from`, which no service has open, to `to`. The copy is checked, synced,
/// readable by its owner only, and gets its name only when complete. An existing file is replaced
/// if `replace` is set. The error is a sentence for the operator.
pub fn back_up(
    from: &Path,
    to: &Path,
    replace: bool,
    progress: &mut dyn FnMut(Stage),
) -> Result<Backup, String> {
    check_backup_name(from, to, replace)?;
    let failed = |e: rusqlite::Error| {
        let (from, to) = (from.display(), to.display());
        format!("can't copy {from} to {to}: {}", copy::in_words(&e))
    };
    let conn = open_reading(from).map_err(|e| sqlite_failed("read", from, &e))?;
    let number = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let identity = (
        number("application_id").map_err(failed)?,
        number("user_version").map_err(failed)?,
    );
    inspect::check_identity(identity.0, identity.1)
        .map_err(|why| format!("{} {why}", from.display()))?;
    let draft = draft_of(to, from)?;
    // One read transaction, so that the copy is of one moment even if a service starts meanwhile.
    let reading = conn.unchecked_transaction().map_err(failed)?;
    number("schema_version").map_err(failed)?;
    copy::pages(&conn, draft.path(), &mut |pages, of| {
        progress(Stage::Copying { pages, of });
    })
    .map_err(failed)?;
    drop(reading);
    keep(draft, from, to, replace, progress)
}

/// Makes a backup of the copy that the running service made.
pub fn take_over(
    mut copy: File,
    database: &Path,
    to: &Path,
    replace: bool,
    progress: &mut dyn FnMut(Stage),
) -> Result<Backup, String> {
    check_backup_name(database, to, replace)?;
    progress(Stage::TakingOver);
    let draft = draft_of(to, database)?;
    copy_file(&mut copy, &draft)
        .map_err(|e| format!("can't write {}: {}", to.display(), written_in_words(&e)))?;
    keep(draft, database, to, replace, progress)
}

/// A draft of a backup. Where root replaces a backup of the database's owner, it remains theirs.
fn draft_of(to: &Path, database: &Path) -> Result<Draft, String> {
    let owner = |path: &Path| fs::symlink_metadata(path).map(|file| file.uid());
    match (owner(to), owner(database)) {
        (Ok(replaced), Ok(of_database)) if replaced == of_database => {
            Draft::of_service(to, database)
        }
        _ => Draft::of(to),
    }
}

/// Copies in parts with pauses, because a service is writing meanwhile.
fn copy_file(from: &mut File, to: &Draft) -> std::io::Result<()> {
    let (mut part, mut at) = (vec![0; SYNC_BYTES], 0);
    loop {
        let began = Instant::now();
        let read = match from.read(&mut part) {
            Ok(0) => return Ok(()),
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        to.file().write_all_at(&part[..read], at)?;
        to.sync()?;
        at += read as u64;
        std::thread::sleep(began.elapsed().min(REST_MAX));
    }
}

/// Checks the copy and gives it its name.
fn keep(
    draft: Draft,
    from: &Path,
    to: &Path,
    replace: bool,
    progress: &mut dyn FnMut(Stage),
) -> Result<Backup, String> {
    progress(Stage::Checking);
    let facts = copy::check(draft.path(), true)
        .map_err(|why| format!("{} {why}: nothing was kept", from.display()))?;
    let bytes = fs::metadata(draft.path()).map_or(0, |file| file.len());
    refuse_to_overwrite(to, replace)?;
    draft.keep_as(to)?;
    Ok(Backup {
        bytes,
        pages: facts.pages,
        schema_version: facts.schema_version,
    })
}

fn open_reading(path: &Path) -> rusqlite::Result<Connection> {
    let conn = inspect::open_to_read(path)?;
    open::set_reading(&conn)?;
    open::set_frugal(&conn)?;
    Ok(conn)
}

fn written_in_words(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull => "there is no room for the copy".to_owned(),
        _ => error.to_string(),
    }
}

fn refuse_to_overwrite(to: &Path, replace: bool) -> Result<(), String> {
    match fs::symlink_metadata(to) {
        Ok(found) if found.is_dir() => Err(format!("{} is a directory", to.display())),
        Ok(_) if !replace => Err(format!(
            "{} is there already; name another file, or add --force",
            to.display()
        )),
        // A device or pipe would be replaced by a file.
        Ok(_) if fs::metadata(to).is_ok_and(|found| !found.is_file()) => {
            Err(format!("{} is not a file; name another", to.display()))
        }
        _ => Ok(()),
    }
}

/// A backup must not replace a file of the database, under any path.
fn refuse_own_files(database: &Path, to: &Path) -> Result<(), String> {
    let same = |own: &Path| match (fs::metadata(own), fs::metadata(to)) {
        (Ok(own), Ok(to)) => (own.dev(), own.ino()) == (to.dev(), to.ino()),
        _ => place(own).is_some_and(|own| place(to) == Some(own)),
    };
    let own = ["", "-wal", "-shm", "-journal", ".lock", ".new", ".part"];
    let mut own = own.iter().map(|suffix| files::beside(database, suffix));
    match own.any(|file| same(&file)) || same(&live_copy_path(database)) {
        true => Err(format!(
            "{} belongs to the database itself; name another file",
            to.display()
        )),
        false => Ok(()),
    }
}

/// The target of a path that may not exist yet.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(files::folder_of(path)).ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use super::*;

    /// Both ends of the file say `n`, in one transaction.
    async fn write(store: &Store, n: u64) {
        let written = store.write(move |tx| {
            let text = format!("{n} {}", "x".repeat(3_000));
            tx.execute(
                "UPDATE memories SET text = ?1 WHERE id IN (1, 6000)",
                [&text],
            )?;
            tx.execute(
                "UPDATE memories SET text = ?1 WHERE id = 1 + ?2 % 6000",
                (&text, n as i64),
            )?;
            Ok(())
        });
        written.await.unwrap();
    }

    async fn fill(store: &Store) {
        let filled = store.write(|tx| {
            tx.execute(
                "INSERT INTO users (id, user_id, created_at) VALUES (1, 'u', 1)",
                [],
            )?;
            tx.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
                 INSERT INTO memories (id, memory_id, user_id, text, category, created_at)
                 SELECT i, i, 1, printf('%03000d', 0), 'c', 1 FROM n",
                [],
            )?;
            Ok(())
        });
        filled.await.unwrap();
    }

    fn first_and_last(copy: &Path) -> (String, String) {
        copy::check(copy, false).unwrap();
        let conn = inspect::open_unchanging(copy).unwrap();
        let text = |id: i64| -> String {
            let sql = "SELECT substr(text, 1, 8) FROM memories WHERE id = ?1";
            conn.query_row(sql, [id], |row| row.get(0)).unwrap()
        };
        (text(1), text(6000))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_copy_beside_writes_is_of_one_moment_and_begins_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open_in(folder.path()));
        fill(&store).await;
        let (stopping, written) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let writing = tokio::spawn({
            let (store, stopping, written) = (store.clone(), stopping.clone(), written.clone());
            async move {
                while !stopping.load(Ordering::SeqCst) {
                    let n = written.load(Ordering::SeqCst) + 1;
                    write(&store, n).await;
                    written.store(n, Ordering::SeqCst);
                }
            }
        });
        for _ in 0..3 {
            let before = written.load(Ordering::SeqCst);
            let (steps, furthest) = (AtomicU64::new(0), AtomicU64::new(0));
            let copy = store.copy_beside(|pages, of| {
                steps.fetch_add(1, Ordering::SeqCst);
                let before = furthest.swap(pages, Ordering::SeqCst);
                assert!(before <= pages && pages <= of, "{before} {pages} {of}");
            });
            let copy = copy.await.unwrap();
            assert!(steps.load(Ordering::SeqCst) > 100);
            assert!(written.load(Ordering::SeqCst) > before, "writes went on");
            let path = live_copy_path(store.path());
            let (first, last) = first_and_last(&path);
            assert_eq!(first, last);
            drop(copy);
            assert!(!path.exists());
        }
        stopping.store(true, Ordering::SeqCst);
        writing.await.unwrap();
    }

    /// What changes most of the file at once, an undone write, a copy that nobody waits for, and
    /// a second one.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_copy_bears_whatever_the_service_does() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open_in(folder.path()));
        fill(&store).await;
        let given_up = {
            let store = store.clone();
            tokio::spawn(async move { store.copy_beside(|_, _| {}).await.map(drop) })
        };
        write(&store, 1).await;
        given_up.abort();
        let _ = given_up.await;
        let disturb = async {
            write(&store, 2).await;
            store.compact(true).await.unwrap();
            let undone = store.write(|tx| {
                tx.execute("DELETE FROM memories", [])?;
                Err::<(), _>(crate::error::Error::not_found())
            });
            assert!(undone.await.is_err());
            let deleted = store.write(|tx| {
                tx.execute("DELETE FROM memories WHERE id BETWEEN 2 AND 4000", [])?;
                Ok(())
            });
            deleted.await.unwrap();
            store.compact(true).await.unwrap();
            write(&store, 3).await;
        };
        let (copy, ()) = tokio::join!(store.copy_beside(|_, _| {}), disturb);
        let _made = copy.unwrap();
        let (first, last) = first_and_last(&live_copy_path(store.path()));
        assert_eq!(first, last);
    }
}
