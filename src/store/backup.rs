//! Copies a database that may be in use to a file elsewhere, reading only, and leaves the disk
//! and the processor to the service while that writes. Only the last sweep, which makes the copy
//! one of one moment, keeps the write-ahead log from starting again: it lets go before the log
//! outgrows its bounds and begins anew, a few times.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::checkpoint::{LOG_PAGES_CAP, LOG_PAGES_WAIT};
use super::copy::{self, Draft};
use super::mirror::{Failure, Look, Mirror, TABLE_OF_PAGES};
use super::{inspect, open};

/// Sweeps that hold nothing back, each shorter than the one before it; fewer when one found no
/// more than so many pages changed, 4 MiB.
const SWEEPS_MAX: u32 = 3;
const FEW_PAGES: u64 = 1_024;
/// Beside a service that writes: so many times as long as a look took.
const PAUSE: u32 = 3;
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// While nobody writes, what so many looks copied is synced at once: 2 MiB.
const LOOKS_A_SYNC: u32 = 16;
/// Tries in which the log may grow until the service would have to do something about it, and
/// then those in which it may do so, short of making its writes wait.
const GENTLE_TRIES: u32 = 3;
const TRIES_MAX: u32 = 6;
/// The log grows by as much between two looks at it, on a fast disk under full load.
const PAGES_SPARED: i64 = 1_024;
/// A try begins when the log is as short as this, or when nothing is written.
const SHORT_LOG_PAGES: i64 = 1_024;
const SHORT_LOG_WAIT: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(2);
const QUIET: Duration = Duration::from_millis(50);

/// A backup that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backup {
    pub bytes: u64,
    pub pages: u64,
    pub schema_version: i32,
    /// How often the last sweep was begun.
    pub tries: u32,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Copying {
        pages: u64,
        of: u64,
    },
    /// What was written since is copied.
    CatchingUp,
    /// What was copied is read and checked.
    Checking,
}

/// Copies the database at `from`, as of one moment, to `to`: checked, on the disk, for its
/// owner's eyes only, under its name only when complete. What stands there is replaced if
/// `replace` is set. The error is a sentence for the operator.
pub fn back_up(
    from: &Path,
    to: &Path,
    replace: bool,
    told: &mut dyn FnMut(Stage),
) -> Result<Backup, String> {
    refuse_own_files(from, to)?;
    refuse_to_overwrite(to, replace)?;
    let failed = |failure: Failure| in_words(&failure, from, to);
    let reading = Reading::open(from).map_err(|e| failed(e.into()))?;
    reading.check_identity(from)?;
    let draft = Draft::of(to)?;
    let mut mirror = Mirror::new(&reading.copying, draft.file()).map_err(failed)?;
    reading.follow(&mut mirror, &draft, told).map_err(failed)?;
    let mut tries = 0;
    let copied = loop {
        tries += 1;
        let log_pages_max = match tries {
            ..=GENTLE_TRIES => LOG_PAGES_CAP,
            _ => LOG_PAGES_WAIT,
        };
        let log_pages_max = i64::from(log_pages_max) - PAGES_SPARED;
        let settled = reading.settle(&mut mirror, log_pages_max);
        if settled.map_err(failed)? {
            break true;
        }
        if tries == TRIES_MAX {
            break false;
        }
    };
    if !copied {
        return Err(format!(
            "the service writes faster than {} can be copied, and was not to be held up: \
             nothing was kept; try again at a quieter time",
            from.display()
        ));
    }
    told(Stage::Checking);
    let facts = copy::check(draft.path(), true)
        .map_err(|why| format!("{} {why}: nothing was kept", from.display()))?;
    let bytes = fs::metadata(draft.path()).map_or(0, |file| file.len());
    refuse_to_overwrite(to, replace)?;
    draft.keep_as(to)?;
    Ok(Backup {
        bytes,
        pages: facts.pages,
        schema_version: facts.schema_version,
        tries,
    })
}

/// Two connections that read: one that copies, one that watches the log meanwhile.
struct Reading {
    copying: Connection,
    watching: Connection,
}

impl Reading {
    fn open(path: &Path) -> rusqlite::Result<Self> {
        let open = || -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let conn = Connection::open_with_flags(path, flags)?;
            open::set_reading(&conn)?;
            open::set_frugal(&conn)?;
            Ok(conn)
        };
        Ok(Self {
            copying: open()?,
            watching: open()?,
        })
    }

    fn check_identity(&self, path: &Path) -> Result<(), String> {
        let failed = |e: rusqlite::Error| format!("can't read {}: {e}", path.display());
        let number = |name| {
            let read = |row: &rusqlite::Row<'_>| row.get::<_, i32>(0);
            self.copying
                .pragma_query_value(None, name, read)
                .map_err(failed)
        };
        inspect::check_identity(number("application_id")?, number("user_version")?)
            .map_err(|why| format!("{} {why}", path.display()))
    }

    /// Most of it, with looks so short that they hold nothing up.
    fn follow(
        &self,
        mirror: &mut Mirror<'_>,
        draft: &Draft,
        told: &mut dyn FnMut(Stage),
    ) -> Result<(), Failure> {
        let mut log_pages = self.log_pages()?;
        for sweep in 0..SWEEPS_MAX {
            let (mut began, mut unsynced, mut is_quiet) = (Instant::now(), 0, true);
            let written = mirror.follow(|Look { pages, of, written }| {
                told(match sweep {
                    0 => Stage::Copying { pages, of },
                    _ => Stage::CatchingUp,
                });
                let before = std::mem::replace(&mut log_pages, self.log_pages()?);
                let is_written = before != log_pages;
                is_quiet &= !is_written;
                unsynced += u32::from(written > 0);
                let at_once = if is_written { 1 } else { LOOKS_A_SYNC };
                if unsynced >= at_once {
                    // Much at once would keep the service's own syncs waiting. A sync tells its
                    // failure once; a later one knows nothing of it.
                    draft.sync()?;
                    unsynced = 0;
                }
                if is_written {
                    std::thread::sleep((began.elapsed() * PAUSE).min(PAUSE_MAX));
                }
                began = Instant::now();
                Ok(())
            })?;
            if is_quiet || written <= FEW_PAGES {
                break;
            }
        }
        Ok(())
    }

    /// False when it had to let go.
    fn settle(&self, mirror: &mut Mirror<'_>, log_pages_max: i64) -> Result<bool, Failure> {
        self.await_short_log()?;
        mirror.settle(|_| Ok(self.log_pages()? < log_pages_max))
    }

    /// The shorter the log, the longer the copying may take.
    fn await_short_log(&self) -> rusqlite::Result<()> {
        let began = Instant::now();
        let (mut seen, mut since) = (self.log_pages()?, began);
        while seen > SHORT_LOG_PAGES && since.elapsed() < QUIET && began.elapsed() < SHORT_LOG_WAIT
        {
            std::thread::sleep(LOOK_EVERY);
            let pages = self.log_pages()?;
            if pages != seen {
                (seen, since) = (pages, Instant::now());
            }
        }
        Ok(())
    }

    /// Pages in the log; it only looks, and moves nothing.
    fn log_pages(&self) -> rusqlite::Result<i64> {
        let sql = "PRAGMA wal_checkpoint(NOOP)";
        self.watching.query_row(sql, [], |row| row.get(1))
    }
}

fn in_words(failure: &Failure, from: &Path, to: &Path) -> String {
    match failure {
        Failure::Reading(error) if error.to_string().contains(TABLE_OF_PAGES) => format!(
            "this executable was built without SQLite's {TABLE_OF_PAGES}, which backups read: \
             build it in the project's own folder, whose .cargo/config.toml asks for it"
        ),
        Failure::Reading(error) => format!("can't copy {}: {error}", from.display()),
        Failure::Writing(error) if error.kind() == std::io::ErrorKind::StorageFull => {
            format!("there is no room for {}", to.display())
        }
        Failure::Writing(error) => format!("can't write {}: {error}", to.display()),
    }
}

fn refuse_to_overwrite(to: &Path, replace: bool) -> Result<(), String> {
    match fs::symlink_metadata(to) {
        Ok(found) if found.is_dir() => Err(format!("{} is a directory", to.display())),
        Ok(_) if !replace => Err(format!(
            "{} is there already; name another file, or add --force",
            to.display()
        )),
        // A device or a pipe would be gone, and a file in its place.
        Ok(_) if fs::metadata(to).is_ok_and(|found| !found.is_file()) => {
            Err(format!("{} is not a file; name another", to.display()))
        }
        _ => Ok(()),
    }
}

/// A backup must not replace what it is a backup of, by whatever name.
fn refuse_own_files(database: &Path, to: &Path) -> Result<(), String> {
    let same = |own: &Path| match (fs::metadata(own), fs::metadata(to)) {
        (Ok(own), Ok(to)) => (own.dev(), own.ino()) == (to.dev(), to.ino()),
        _ => place(own).is_some_and(|own| place(to) == Some(own)),
    };
    let own = ["", "-wal", "-shm", "-journal", ".lock", ".new"];
    match own
        .iter()
        .any(|suffix| same(&open::beside(database, suffix)))
    {
        true => Err(format!(
            "{} belongs to the database itself; name another file",
            to.display()
        )),
        false => Ok(()),
    }
}

/// Where a name leads that may have no file yet.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(copy::folder_of(path)).ok()?;
    Some(folder.join(path.file_name()?))
}
