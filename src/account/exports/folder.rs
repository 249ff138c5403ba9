//! The directory of export files. They are readable by the service's user only, and have their
//! final name only when complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::files::{self, remove_if_present};

const PREFIX: &str = "service_export_";
const SUFFIX: &str = ".json";
/// Suffix of an unfinished file.
const DRAFT: &str = ".part";
/// Limit of names read in one sweep.
const SWEPT_MAX: usize = 100_000;

#[derive(Clone)]
pub(super) struct Folder {
    dir: PathBuf,
}

/// An unfinished file.
pub(super) struct ExportDraft {
    /// Absent while a write is running.
    file: Option<File>,
    path: PathBuf,
    target: PathBuf,
}

/// The file's name, also for the download.
pub fn name(job_id: &str) -> String {
    format!("{PREFIX}{job_id}{SUFFIX}")
}

impl Folder {
    pub(super) const fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Creates a new draft, replacing one of an earlier attempt.
    pub(super) async fn draft(&self, job_id: &str) -> io::Result<ExportDraft> {
        let target = self.dir.join(name(job_id));
        let path = self.dir.join(name(job_id) + DRAFT);
        let (dir, draft) = (self.dir.clone(), path.clone());
        let file = blocking(move || {
            files::make_private_folder(&dir)?;
            remove_if_present(&draft)?;
            files::open_private(&draft, OpenOptions::new().write(true).create_new(true))
        });
        Ok(ExportDraft {
            file: Some(file.await?),
            path,
            target,
        })
    }

    /// The file and its length.
    pub(super) async fn open(&self, job_id: &str) -> io::Result<(File, u64)> {
        let path = self.dir.join(name(job_id));
        blocking(move || {
            let file = File::open(path)?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        })
        .await
    }

    /// Whether the directory exists.
    pub(super) async fn exists(&self) -> bool {
        let dir = self.dir.clone();
        blocking(move || Ok(dir.is_dir())).await.unwrap_or(false)
    }

    /// Removes the file, finished or not.
    pub(super) async fn remove(&self, job_id: &str) -> io::Result<()> {
        let path = self.dir.join(name(job_id));
        let draft = self.dir.join(name(job_id) + DRAFT);
        blocking(move || remove_if_present(&path).and(remove_if_present(&draft))).await
    }

    /// Removes drafts, at a time when none is written, and returns the jobs that have files.
    pub(super) async fn sweep_drafts(&self) -> io::Result<Vec<String>> {
        let dir = self.dir.clone();
        blocking(move || {
            let entries = match fs::read_dir(dir) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                entries => entries?,
            };
            let mut job_ids = Vec::new();
            for entry in entries.take(SWEPT_MAX) {
                let entry = entry?;
                let name = entry.file_name();
                let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
                    continue; // not an export file
                };
                if rest.ends_with(DRAFT) {
                    remove_if_present(&entry.path())?;
                } else if let Some(job_id) = rest.strip_suffix(SUFFIX) {
                    job_ids.push(job_id.to_owned());
                }
            }
            Ok(job_ids)
        })
        .await
    }
}

impl ExportDraft {
    pub(super) async fn write(&mut self, bytes: Vec<u8>) -> io::Result<()> {
        let mut file = self.take()?;
        let writing = blocking(move || {
            file.write_all(&bytes)?;
            Ok(file)
        });
        self.file = Some(writing.await?);
        Ok(())
    }

    /// The file is synced and has its final name when this returns.
    pub(super) async fn finish(mut self) -> io::Result<()> {
        let file = self.take()?;
        blocking(move || {
            file.sync_all()?;
            fs::rename(&self.path, &self.target)?;
            files::sync_folder_of(&self.target)
        })
        .await
    }

    fn take(&mut self) -> io::Result<File> {
        let file = self.file.take();
        file.ok_or_else(|| io::Error::other("an earlier write failed"))
    }
}

/// If the process ends meanwhile this never resolves. An error would be taken for a disk failure,
/// and the job would fail instead of being resumed.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_cancelled() => std::future::pending().await,
        Err(panic) => Err(io::Error::other(panic)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, chown};

    use super::*;

    /// Only root can make a file for others; for everybody else nothing is to be done.
    #[tokio::test]
    async fn a_file_that_root_makes_belongs_to_the_folders_owner() {
        const OWNER: u32 = 65534;
        let parent = tempfile::tempdir().unwrap();
        if chown(parent.path(), Some(OWNER), Some(OWNER)).is_err() {
            return;
        }
        let folder = Folder::new(parent.path().join("exports"));
        let draft = folder.draft("1").await.unwrap();
        draft.finish().await.unwrap();
        let made = fs::metadata(parent.path().join("exports").join(name("1"))).unwrap();
        assert_eq!((made.uid(), made.gid()), (OWNER, OWNER));
    }
}
