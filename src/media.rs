//! Photos uploaded by relays: accepted formats, removal of metadata, storage in a folder beside the
//! database for some days, and how a language model gets them. This module must not know what a
//! message is.

mod folder;
pub mod format;
pub mod metadata;

use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::clock::{Clock, Timestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::files;
use crate::random;
use crate::store::{AgentId, Photo, SharedStore, UserId};
use folder::Folder;
pub use folder::folder_beside;
use format::Format;

/// Largest uploaded photo.
pub const UPLOAD_BYTES_MAX: usize = 20 * 1024 * 1024;
/// Concurrent uploads in memory; further ones wait.
const CONCURRENT_UPLOADS_MAX: usize = 4;
/// A larger photo isn't sent to a language model.
const MODEL_PHOTO_BYTES_MAX: usize = 5 * 1024 * 1024;
/// Concurrent replies with uploaded photos in memory.
const CONCURRENT_MODEL_READS_MAX: usize = 4;
/// A file without a row is an interrupted upload once it is older than this.
const UPLOAD_MS_MAX: i64 = 60 * 60 * 1000;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Photos removed in one transaction.
const REMOVED_PER_WRITE_MAX: usize = 100;

pub struct Photos {
    store: SharedStore,
    clock: Clock,
    folder: Folder,
    /// The prefix of photos' URLs.
    prefix: String,
    keep_days: u64,
    uploads: Semaphore,
    model_reads: Semaphore,
}

/// A stored photo file. Without a row it is removed after an hour.
#[derive(Debug, Clone)]
pub struct PhotoFile {
    /// UUID
    pub photo_id: String,
    pub format: Format,
    pub bytes: u64,
}

impl Photos {
    pub fn new(
        store: SharedStore,
        clock: Clock,
        database: &Path,
        public_url: &str,
        keep_days: u64,
    ) -> Self {
        Self {
            store,
            clock,
            folder: Folder::beside(database),
            prefix: format!("{}/photo/", public_url.trim_end_matches('/')),
            keep_days,
            uploads: Semaphore::new(CONCURRENT_UPLOADS_MAX),
            model_reads: Semaphore::new(CONCURRENT_MODEL_READS_MAX),
        }
    }

    /// Hold this while a photo is read into memory and stored.
    pub async fn upload_permit(&self) -> Result<SemaphorePermit<'_>> {
        self.uploads.acquire().await.map_err(Error::internal)
    }

    /// Hold this while photos are sent to a model.
    pub async fn showing_permit(&self) -> Result<SemaphorePermit<'_>> {
        self.model_reads.acquire().await.map_err(Error::internal)
    }

    /// The URL by which messages refer to a photo. It isn't served.
    pub fn url(&self, photo_id: &str) -> String {
        format!("{}{photo_id}", self.prefix)
    }

    /// The id of a photo from its URL, if it is one of ours.
    pub fn id_in<'u>(&self, url: &'u str) -> Option<&'u str> {
        url.strip_prefix(&self.prefix)
    }

    /// Stores the file without metadata. 415 for another format or an incomplete file.
    pub async fn store_photo(&self, photo: Vec<u8>) -> Result<PhotoFile> {
        let format =
            Format::detect(&photo).ok_or_else(|| unsupported("its format is another one"))?;
        let photo_id = random::uuid().to_string();
        let (folder, id) = (self.folder.clone(), photo_id.clone());
        let storing = tokio::task::spawn_blocking(move || {
            let cleaned = metadata::remove(format, photo).map_err(unsupported)?;
            folder.write(&id, format, &cleaned).map_err(|error| {
                log::warn!("a photo can't be stored in {folder}: {error}");
                unwritable(error)
            })?;
            Ok::<_, Error>(cleaned.len() as u64)
        });
        let bytes = storing.await.map_err(Error::internal)??;
        Ok(PhotoFile {
            photo_id,
            format,
            bytes,
        })
    }

    /// Removes a file without a row.
    pub async fn discard(&self, photo: &PhotoFile) {
        let (folder, photo) = (self.folder.clone(), photo.clone());
        let removing =
            tokio::task::spawn_blocking(move || folder.remove(&photo.photo_id, photo.format));
        // The hourly sweep removes it if this fails.
        let _ = removing.await;
    }

    /// The photo as a `data:` URL for a language model. `None` when it was removed, belongs to
    /// another agent, is too large, or has a format that models' servers don't accept.
    pub async fn data_url(&self, photo_id: &str, agent: AgentId) -> Result<Option<String>> {
        let id = photo_id.to_owned();
        let photo = self.store.read(move |view| view.photo(&id)).await?;
        let Some(photo) = photo.filter(|photo| photo.is_kept && photo.agent == agent) else {
            return Ok(None);
        };
        let Some(format) = Format::named(&photo.format) else {
            return Ok(None);
        };
        let Some(media_type) = format.model_media_type() else {
            return Ok(None);
        };
        let folder = self.folder.clone();
        let reading = tokio::task::spawn_blocking(move || folder.read(&photo.photo_id, format));
        let Ok(bytes) = reading.await.map_err(Error::internal)? else {
            return Ok(None);
        };
        let is_small = bytes.len() <= MODEL_PHOTO_BYTES_MAX;
        Ok(is_small.then(|| format!("data:{media_type};base64,{}", STANDARD.encode(bytes))))
    }

    /// Removes a person's photos: files first, then rows. May be repeated.
    pub async fn erase(&self, user: UserId) -> Result<()> {
        loop {
            let batch = self
                .store
                .read(move |view| view.photos_of(user, REMOVED_PER_WRITE_MAX));
            let batch = batch.await?;
            let (removed, failure) = self.remove_files(batch).await?;
            if removed.is_empty() {
                return failure.map_or(Ok(()), Err);
            }
            let deleting = self.store.write(move |tx| {
                removed
                    .iter()
                    .try_for_each(|photo| tx.delete_photo(&photo.photo_id))
            });
            deleting.await?;
        }
    }

    /// Removes expired files and those of interrupted uploads. One that can't be removed is tried
    /// again by the next call.
    pub async fn remove_old(&self) -> Result<()> {
        let Some(now) = self.clock.steady_now() else {
            return Ok(());
        };
        let before = now.plus_ms(-(self.keep_days as i64) * DAY_MS);
        let failure = loop {
            let old = self
                .store
                .read(move |view| view.photos_before(before, REMOVED_PER_WRITE_MAX));
            let (removed, failure) = self.remove_files(old.await?).await?;
            if removed.is_empty() {
                break failure;
            }
            let marking = self.store.write(move |tx| {
                removed
                    .iter()
                    .try_for_each(|photo| tx.set_photo_removed(&photo.photo_id, now))
            });
            marking.await?;
        };
        self.sweep(now).await?;
        failure.map_or(Ok(()), Err)
    }

    /// Removes files without a row.
    async fn sweep(&self, now: Timestamp) -> Result<()> {
        let folder = self.folder.clone();
        let listing = tokio::task::spawn_blocking(move || folder.entries());
        let entries = listing.await.map_err(Error::internal)?;
        let mut failure = None;
        for entry in entries.map_err(unremovable)? {
            if entry.written_at > now.plus_ms(-UPLOAD_MS_MAX) {
                continue;
            }
            let is_kept = match entry.photo_id {
                None => false,
                Some(id) => {
                    let photo = self.store.read(move |view| view.photo(&id)).await?;
                    photo.is_some_and(|photo| photo.is_kept)
                }
            };
            if !is_kept {
                let removing =
                    tokio::task::spawn_blocking(move || files::remove_if_present(&entry.path));
                let removed = removing.await.map_err(Error::internal)?;
                failure = failure.or(removed.err());
            }
        }
        failure.map_or(Ok(()), |error| Err(unremovable(error)))
    }

    /// The photos whose files are gone now, and why one of the others could not be removed.
    async fn remove_files(&self, photos: Vec<Photo>) -> Result<(Vec<Photo>, Option<Error>)> {
        let folder = self.folder.clone();
        let removing = tokio::task::spawn_blocking(move || {
            let mut failure = None;
            let is_removed = |photo: &Photo| {
                let format = Format::named(&photo.format);
                let removed =
                    format.map_or(Ok(()), |format| folder.remove(&photo.photo_id, format));
                let is_removed = removed.is_ok();
                failure = failure.take().or(removed.err());
                is_removed
            };
            let removed: Vec<Photo> = photos.into_iter().filter(is_removed).collect();
            (removed, failure)
        });
        let (removed, failure) = removing.await.map_err(Error::internal)?;
        Ok((removed, failure.map(unremovable)))
    }
}

fn unremovable(error: io::Error) -> Error {
    Error::unavailable("A photo can't be removed.").because(error)
}

fn unsupported(why: &str) -> Error {
    Error::new(
        ErrorKind::UnsupportedMediaType,
        "unsupported_media_type",
        format!("The file is no supported photo (JPEG, PNG, WebP or HEIC): {why}."),
    )
}

fn unwritable(error: io::Error) -> Error {
    Error::unavailable("The photo can't be stored now; try again.").because(error)
}
