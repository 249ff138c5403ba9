//! The folder of photos beside the database. Files are readable by the service's user only, and
//! have their name only when complete. Blocking.

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

impl Folder {
    pub(super) fn beside(database: &Path) -> Self {
        Self {
            dir: files::beside(database, SUFFIX),
        }
    }

    /// The file is synced and has its name when this returns.
    pub(super) fn write(&self, photo_id: &str, format: Format, photo: &[u8]) -> io::Result<()> {
        files::make_private_folder(&self.dir)?;
        let path = self.path(photo_id, format);
        let draft = self.dir.join(format!("{photo_id}{DRAFT}"));
        files::copy_private(&draft, &mut &photo[..])?;
        fs::rename(&draft, &path)?;
        files::sync_folder_of(&path)
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
