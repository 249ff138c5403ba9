//! The lock beside the database file: one database, one service. The lock file names its holder,
//! and identifies the database file, so that a replaced file is noticed.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::advice::failed;
use crate::clock::Timestamp;
use crate::files;

/// Prevents a second process from opening the file, while it lives.
pub struct Lock {
    file: File,
    database: PathBuf,
    is_foreign: bool,
}

/// The holder written in a lock file: process id and admin address, one per line. A third line
/// identifies the database file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockHolder {
    pub pid: Option<u32>,
    pub address: Option<String>,
}

impl Lock {
    /// Takes the lock beside the database; the error names its holder. It is a separate file,
    /// because closing any descriptor of the database would drop SQLite's locks.
    pub fn take(database: &Path) -> Result<Self, String> {
        if let Some(dir) = database.parent().filter(|d| !d.as_os_str().is_empty()) {
            // Readable by the owner only: the database's files hold people's messages.
            files::make_private_folder(dir).map_err(|e| failed("make the folder", dir, &e))?;
        }
        let path = lock_path(database);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|e| failed("open", &path, &e))?;
        files::give_to_owner(&file, &path, Some(database))
            .map_err(|e| failed("give its owner", &path, &e))?;
        if file.try_lock().is_err() {
            let pid = read_holder(&mut file).pid;
            let who = pid.map_or("another process".to_owned(), |pid| format!("process {pid}"));
            return Err(format!(
                "{} is in use by {who}; stop it first, or point storage.path elsewhere",
                database.display()
            ));
        }
        let is_foreign = is_foreign(&mut file, database);
        let mut lock = Self {
            file,
            database: database.to_owned(),
            is_foreign,
        };
        lock.announce(None)?;
        Ok(lock)
    }

    /// Whether the database is another file than when the lock was last held: it was replaced or
    /// copied from elsewhere.
    pub fn finds_another_file(&self) -> bool {
        self.is_foreign
    }

    /// Writes the holder into the lock file.
    pub fn announce(&mut self, address: Option<&str>) -> Result<(), String> {
        let which = which(&self.database).unwrap_or_default();
        let address = address.unwrap_or_default();
        let text = format!("{}\n{address}\n{which}\n", std::process::id());
        self.file
            .set_len(0)
            .and_then(|()| self.file.seek(SeekFrom::Start(0)))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .map_err(|e| failed("write", &lock_path(&self.database), &e))
    }
}

impl Drop for Lock {
    /// Closing the file isn't enough: a child process that is being started has it open too.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// The current holder; `None` when the database isn't in use.
pub fn holder(database: &Path) -> Option<LockHolder> {
    let mut file = File::open(lock_path(database)).ok()?;
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = file.unlock();
            None
        }
        Err(_) => Some(read_holder(&mut file)),
    }
}

/// True for a new lock file beside an existing database, or one that names another file. A lock
/// file without an identity was written by an older version or an interrupted first start.
fn is_foreign(lock: &mut File, database: &Path) -> bool {
    let Some(now) = which(database) else {
        return false;
    };
    let mut text = String::new();
    let _ = lock.take(1024).read_to_string(&mut text);
    let before = text.lines().nth(2).unwrap_or_default();
    text.is_empty() || !before.is_empty() && before != now
}

/// The file's inode and creation time, where the file system has them. Inodes are reused, and
/// device numbers change with every boot.
fn which(database: &Path) -> Option<String> {
    let found = fs::metadata(database).ok()?;
    let made_at = found.created().map_or(Timestamp(0), Timestamp::from);
    Some(format!("{} {}", found.ino(), made_at.0))
}

fn lock_path(database: &Path) -> PathBuf {
    files::beside(database, ".lock")
}

fn read_holder(file: &mut File) -> LockHolder {
    let mut text = String::new();
    let _ = file.take(1024).read_to_string(&mut text);
    let mut lines = text.lines();
    LockHolder {
        pid: lines.next().and_then(|l| l.parse().ok()),
        address: lines.next().filter(|l| !l.is_empty()).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_has_the_file_open_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("chatkeep.db");
        let lock = Lock::take(&database).unwrap();
        // As a child has it between fork and exec.
        let inherited = lock.file.try_clone().unwrap();
        assert!(Lock::take(&database).is_err(), "held");
        drop(lock);
        assert!(Lock::take(&database).is_ok());
        drop(inherited);
    }
}
