//! The files that a relay keeps beside the database: replaced whole, locked against a second relay,
//! and put aside where they are damaged. Blocking.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::files;

/// The lock of a state file, held while this lives.
#[derive(Debug)]
pub(super) struct StateLock(File);

impl Drop for StateLock {
    /// Closing the file isn't enough: a child process that is being started has it open too.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Locks a state file for this process. The error is `WouldBlock` while another process, or
/// another relay of this one, holds the lock.
pub(super) fn lock(path: &Path) -> io::Result<StateLock> {
    let lock_path = files::beside(path, ".lock");
    let file = files::open_private(&lock_path, OpenOptions::new().create(true).append(true))?;
    match file.try_lock() {
        Ok(()) => Ok(StateLock(file)),
        Err(TryLockError::Error(error)) => Err(error),
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "another relay uses it; end that one, or give this one another storage.path",
        )),
    }
}

/// The value in a JSON file. `None` without a file, or for a damaged one, which is renamed.
/// `lost`: the log's sentence about the consequences.
pub(super) fn read<T: DeserializeOwned>(path: &Path, lost: &str) -> io::Result<Option<T>> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match serde_json::from_slice(&text) {
        Ok(stored) => Ok(Some(stored)),
        Err(error) => {
            let aside = files::beside(path, ".damaged");
            log::error!(
                "{} is damaged ({error}) and now called {}: {lost}",
                path.display(),
                aside.display()
            );
            fs::rename(path, aside)?;
            Ok(None)
        }
    }
}

/// Replaces a file atomically. Synced when this returns.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    create_folder_of(path)?;
    let draft = files::beside(path, ".new");
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true);
    let mut file = files::open_private(&draft, &mut options)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

/// The files whose paths begin with `prefix`.
pub fn state_files(prefix: &Path) -> Vec<PathBuf> {
    let begins = |file: &PathBuf| {
        let (file, prefix) = (file.as_os_str(), prefix.as_os_str());
        file.as_encoded_bytes()
            .starts_with(prefix.as_encoded_bytes())
    };
    let entries = fs::read_dir(files::folder_of(prefix));
    let entries = entries.into_iter().flatten().flatten();
    let files = entries.map(|entry| prefix.with_file_name(entry.file_name()));
    files.filter(begins).collect()
}

pub(super) fn create_folder_of(path: &Path) -> io::Result<()> {
    files::make_private_folder(files::folder_of(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let read = || read::<u32>(&path, "the count starts again").unwrap();
        assert_eq!(read(), None);
        replace(&path, b"7").unwrap();
        assert_eq!(read(), Some(7));
        replace(&path, b"\xff{").unwrap();
        assert_eq!(read(), None);
        assert_eq!(
            fs::read(folder.path().join("state.damaged")).unwrap(),
            b"\xff{"
        );
        assert_eq!(read(), None);
    }

    #[test]
    fn only_one_process_has_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let held = lock(&path).unwrap();
        let error = lock(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        drop(held);
        lock(&path).unwrap();
    }
}
