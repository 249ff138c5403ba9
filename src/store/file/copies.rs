//! The copies of the database that the service keeps beside it, their names and removal: from
//! before a schema change and from before a restore. Their names contain their time. They hold
//! personal data, so they are removed when somebody is erased, and after 30 days at the latest.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::super::Store;
use super::copy::{self, Draft};
use super::database_files;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::files;

/// Copies of one kind that are kept; older ones are removed.
const KEPT_MAX: usize = 5;
/// How long a copy is kept.
const AGE_MAX_MS: i64 = 30 * 24 * 60 * 60 * 1000;
/// Limit of names read in the folder.
const NAMES_MAX: usize = 10_000;
const BEFORE_RESTORE: &str = ".before-restore-";
const BEFORE_SCHEMA: &str = ".v";
const LIVE: &str = ".backup";
const PRESENT: &str = ".present";

/// Copies the file of schema `version`. `conn` must see all of its content.
pub(in crate::store) fn keep_schema(
    conn: &Connection,
    path: &Path,
    version: i32,
    now: Timestamp,
) -> std::result::Result<PathBuf, String> {
    let kind = format!("{BEFORE_SCHEMA}{version}-");
    let target = files::beside(path, &format!("{kind}{}", now.stamp()));
    let draft = Draft::of_service(&target, path)?;
    copy::pages(conn, draft.path(), &mut |_, _| {}).map_err(|e| e.to_string())?;
    copy::check(draft.path(), false).map_err(|why| format!("the copy {why}"))?;
    draft.keep_as(&target)?;
    thin_out(path);
    Ok(target)
}

/// Takes back what an interrupted restore did to the database at `path`, which it had not replaced
/// yet: its second name, and the log of a damaged one that was moved under that name. The caller
/// holds the database's lock.
pub(in crate::store) fn undo_interrupted_restore(path: &Path) {
    for name in names_of_database(path) {
        let (log, saved_log) = (
            database_files::wal_path(path),
            database_files::wal_path(&name.path),
        );
        let undone = match saved_log.exists() && !log.exists() {
            true => fs::rename(&saved_log, &log),
            false => Ok(()),
        };
        match undone.and_then(|()| name.remove()) {
            Ok(()) => log::info!(
                "a restore did not finish, and {} is as it was before: its second name {} is removed",
                path.display(),
                name.path.display()
            ),
            Err(error) => log::warn!("can't remove {}: {error}", name.path.display()),
        }
    }
}

/// Removes unfinished files of an interrupted restore or backup. The caller holds the database's
/// lock, so none is in use.
pub(in crate::store) fn remove_unfinished(path: &Path) {
    for target in [path, &live(path), &present(path)] {
        let draft = Draft::name_of(target);
        let removed =
            database_files::remove_log(&draft).and_then(|()| files::remove_if_present(&draft));
        if let Err(error) = removed {
            log::warn!("can't remove {}: {error}", draft.display());
        }
    }
}

/// Second names of the database at `path`, which a restore gave it before it was interrupted.
fn names_of_database(path: &Path) -> Vec<Copy> {
    let copies = all(path).unwrap_or_default();
    let is_database = |copy: &Copy| files::is_same(&copy.path, path);
    copies.into_iter().filter(is_database).collect()
}

/// An error if the file has another name, a hard link: a second service could be started with that
/// one, and two services destroy the database. A name that an interrupted restore left is no error.
pub fn check_only_name(path: &Path) -> std::result::Result<(), String> {
    let of_restore = names_of_database(path).len() as u64;
    let names = fs::metadata(path).map_or(1, |found| found.nlink());
    if names <= 1 + of_restore {
        return Ok(());
    }
    Err(format!(
        "{0} has {names} names (hard links), and a service on another one of them would destroy \
         the database: find them (find / -xdev -samefile {0}) and remove the others; copies are \
         made with `chatkeep backup FILE`",
        path.display(),
    ))
}

/// The final name of the service's copy for `chatkeep backup`. The file stays a draft.
pub(in crate::store) fn live(path: &Path) -> PathBuf {
    files::beside(path, LIVE)
}

/// A draft that a restore reads instead of a current database with an older schema.
pub(in crate::store) fn present(path: &Path) -> PathBuf {
    files::beside(path, PRESENT)
}

/// The name under which a restore keeps the previous database.
pub(in crate::store) fn before_restore(path: &Path, now: Timestamp) -> PathBuf {
    files::beside(path, &format!("{BEFORE_RESTORE}{}", now.stamp()))
}

/// Removes all but the newest copies of each kind.
pub(in crate::store) fn thin_out(path: &Path) {
    let Ok(mut copies) = all(path) else { return };
    copies.sort_by_key(|copy| std::cmp::Reverse(copy.made_at));
    for kind in [BEFORE_RESTORE, BEFORE_SCHEMA] {
        let of_kind = copies.iter().filter(|copy| copy.kind == kind);
        for copy in of_kind.skip(KEPT_MAX) {
            if let Err(error) = copy.remove() {
                log::warn!("can't remove {}: {error}", copy.path.display());
            }
        }
    }
}

impl Store {
    /// Removes copies that may hold a person whose rows were erased at `erased_at`. Returns how
    /// many. A copy dated in the future counts as one of them.
    pub async fn remove_copies(&self, erased_at: Timestamp, now: Timestamp) -> Result<usize> {
        self.remove_where(move |made_at| made_at <= erased_at || made_at > now)
            .await
    }

    /// Removes expired copies.
    pub async fn remove_old_copies(&self, now: Timestamp) -> Result<()> {
        let end = now.plus_ms(-AGE_MAX_MS);
        let removed = self.remove_where(move |made_at| made_at <= end).await?;
        if removed > 0 {
            log::info!("{removed} copies of the database were older than 30 days and were removed");
        }
        Ok(())
    }

    async fn remove_where(
        &self,
        which: impl Fn(Timestamp) -> bool + Send + 'static,
    ) -> Result<usize> {
        let path = self.path().to_owned();
        let removing = tokio::task::spawn_blocking(move || remove(&path, which));
        let removed = removing.await.map_err(Error::internal)?;
        removed
            .map_err(|e| Error::unavailable("A copy of the database can't be removed.").because(e))
    }
}

/// A copy beside the database.
struct Copy {
    path: PathBuf,
    kind: &'static str,
    made_at: Timestamp,
}

impl Copy {
    /// Removes the copy, and the log beside a damaged database that was kept.
    fn remove(&self) -> io::Result<()> {
        database_files::remove_log(&self.path)?;
        files::remove_if_present(&self.path)
    }
}

fn remove(path: &Path, which: impl Fn(Timestamp) -> bool) -> io::Result<usize> {
    let (mut removed, mut failure) = (0, None);
    for copy in all(path)?.iter().filter(|copy| which(copy.made_at)) {
        match copy.remove() {
            Ok(()) => removed += 1,
            Err(error) => failure = Some(error),
        }
    }
    if removed > 0 {
        files::sync_folder_of(path)?;
    }
    failure.map_or(Ok(removed), Err)
}

fn all(path: &Path) -> io::Result<Vec<Copy>> {
    let Some(database) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(Vec::new());
    };
    let mut copies = Vec::new();
    for entry in fs::read_dir(files::folder_of(path))?.take(NAMES_MAX) {
        let entry = entry?;
        let name = entry.file_name();
        let suffix = name.to_str().and_then(|name| name.strip_prefix(database));
        if let Some((kind, made_at)) = suffix.and_then(kind_and_time) {
            copies.push(Copy {
                path: entry.path(),
                kind,
                made_at,
            });
        }
    }
    Ok(copies)
}

/// Parses a copy's kind and time from the part of its name after the database's name. This includes
/// unfinished copies, whose process has ended.
fn kind_and_time(suffix: &str) -> Option<(&'static str, Timestamp)> {
    let suffix = suffix.strip_suffix(".part").unwrap_or(suffix);
    if let Some(stamp) = suffix.strip_prefix(BEFORE_RESTORE) {
        return Some((BEFORE_RESTORE, Timestamp::from_stamp(stamp)?));
    }
    let (version, stamp) = suffix.strip_prefix(BEFORE_SCHEMA)?.split_once('-')?;
    let is_version = !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit());
    is_version.then_some((BEFORE_SCHEMA, Timestamp::from_stamp(stamp)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_known_by_their_names() {
        let at = Timestamp::parse("2026-11-21T14:58:00.250Z").unwrap();
        assert_eq!(at.stamp(), "20261121T145800.250Z");
        for (suffix, expected) in [
            (".v1-20261121T145800.250Z", Some(BEFORE_SCHEMA)),
            (".v12-20261121T145800.250Z", Some(BEFORE_SCHEMA)),
            (".v1-20261121T145800.250Z.part", Some(BEFORE_SCHEMA)),
            (".before-restore-20261121T145800.250Z", Some(BEFORE_RESTORE)),
            (".v1-", None),
            (".v-20261121T145800.250Z", None),
            (".vx-20261121T145800.250Z", None),
            (".v1-20261121T145800.250Z.gz", None),
            (".v1-2026", None),
            ("-wal", None),
            (".lock", None),
            ("", None),
        ] {
            let read = kind_and_time(suffix);
            assert_eq!(read.map(|(kind, _)| kind), expected, "{suffix}");
            assert!(read.is_none_or(|(_, made_at)| made_at == at), "{suffix}");
        }
    }

    #[test]
    fn the_newest_few_of_a_kind_stay_and_old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chatkeep.db");
        let at = |n: i64| Timestamp(1_700_000_000_000 + n * 1_000);
        let named = |kind: &str, n| files::beside(&path, &format!("{kind}{}", at(n).stamp()));
        for n in 0..8 {
            fs::write(named(".v1-", n), "x").unwrap();
            fs::write(named(BEFORE_RESTORE, n), "x").unwrap();
        }
        fs::write(folder.path().join("chatkeep.db"), "x").unwrap();
        fs::write(folder.path().join("chatkeep.db.v1-mine"), "x").unwrap();
        thin_out(&path);
        let left = |kind| {
            (0..8)
                .filter(|n| named(kind, *n).exists())
                .collect::<Vec<_>>()
        };
        assert_eq!(left(".v1-"), [3, 4, 5, 6, 7]);
        assert_eq!(left(BEFORE_RESTORE), [3, 4, 5, 6, 7]);
        assert_eq!(remove(&path, |made_at| made_at <= at(4)).unwrap(), 4);
        assert_eq!(left(".v1-"), [5, 6, 7]);
        assert_eq!(remove(&path, |_| true).unwrap(), 6);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
