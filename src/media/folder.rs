//! The folder of photos beside the database. Files are readable by the service's user only, and
//! have their name only when complete. Blocking.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::format::Format;
use crate::clock::Timestamp;
use crate::files;

/// Suffix of the folder's name, after the database's.
const SUFFIX: &str = ".photos";
/// Suffix of an unfinished file.
const DRAFT: &str = ".part";
/// Limit of names read in one sweep.
const SWEPT_MAX: usize = 100_000;

#[derive(Clone)]
pub(super) struct Folder {
    dir: PathBuf,
}

/// A file of the folder.
pub(super) struct PhotoEntry {
    /// `None` for an unfinished file.
    pub(super) photo_id: Option<String>,
    pub(super) path: PathBuf,
    pub(super) written_at: Timestamp,
}

/// The folder of photos beside a database.
pub fn folder_beside(database: &Path) -> PathBuf {
    files::beside(database, SUFFIX)
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.dir.display().fmt(f)
    }
}

impl Folder {
    pub(super) fn beside(database: &Path) -> Self {
        Self {
            dir: folder_beside(database),
        }
    }

    /// The file is synced and has its name when this returns. After an error nothing is left of it.
    pub(super) fn write(&self, photo_id: &str, format: Format, photo: &[u8]) -> io::Result<()> {
        files::make_private_folder(&self.dir)?;
        let path = self.path(photo_id, format);
        let draft = self.dir.join(format!("{photo_id}{DRAFT}"));
        let written = files::write_new(&draft, &mut &photo[..]).and_then(|_| {
            fs::rename(&draft, &path)?;
            files::sync_folder_of(&path)
        });
        if written.is_err() {
            // The first error is returned; removing may fail too.
            let _ = [draft, path].map(fs::remove_file);
        }
        written
    }

    pub(super) fn read(&self, photo_id: &str, format: Format) -> io::Result<Vec<u8>> {
        fs::read(self.path(photo_id, format))
    }

    /// Removes a file that may not exist.
    pub(super) fn remove(&self, photo_id: &str, format: Format) -> io::Result<()> {
        files::remove_if_present(&self.path(photo_id, format))
    }

    /// All files, finished or not.
    pub(super) fn entries(&self) -> io::Result<Vec<PhotoEntry>> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries.take(SWEPT_MAX) {
            let entry = entry?;
            let name = entry.file_name();
            let Some((photo_id, ending)) = name.to_str().and_then(|name| name.split_once('.'))
            else {
                continue; // not a photo
            };
            let is_photo = Format::named(ending).is_some();
            if is_photo || DRAFT.ends_with(ending) {
                files.push(PhotoEntry {
                    photo_id: is_photo.then(|| photo_id.to_owned()),
                    path: entry.path(),
                    written_at: entry.metadata()?.modified()?.into(),
                });
            }
        }
        Ok(files)
    }

    fn path(&self, photo_id: &str, format: Format) -> PathBuf {
        self.dir.join(format!("{photo_id}.{}", format.name()))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, chown};

    use super::*;

    /// Only root can make a file for others; for everybody else nothing is to be done.
    #[test]
    fn what_root_makes_belongs_to_the_owner_of_the_databases_folder() {
        const OWNER: u32 = 65534;
        let parent = tempfile::tempdir().unwrap();
        if chown(parent.path(), Some(OWNER), Some(OWNER)).is_err() {
            return;
        }
        let folder = Folder::beside(&parent.path().join("x.db"));
        folder.write("1", Format::Png, b"a photo").unwrap();
        for made in [&folder.dir, &folder.path("1", Format::Png)] {
            let made = fs::metadata(made).unwrap();
            assert_eq!((made.uid(), made.gid()), (OWNER, OWNER));
        }
    }
}
