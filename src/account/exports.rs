//! Exports: a file with all data of a person, made on request and available for some days. A job is
//! a row, so a restart continues it; its file gets its name only when complete.

mod document;
mod folder;
mod json_file;
mod messages;
mod sections;
pub mod work;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Notify;

use super::identity::SignedInUser;
use crate::clock::{Clock, Timestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::memory::Memories;
use crate::model::public_id::PublicId;
use crate::random;
use crate::store::{Change, ExportJob, Operator, SharedStore, Store, Tx, UserId};
use folder::Folder;
pub use folder::name as file_name;
pub use sections::ExportDocument;

const DAY_S: i64 = 24 * 60 * 60;
/// How long a job is listed after its file is removed, or if it had no file.
const FORGOTTEN_AFTER_DAYS: i64 = 30;

pub struct ExportSettings {
    /// The directory of the files. No other service may use it.
    pub dir: PathBuf,
    pub lifetime_days: i64,
    /// The service's URL, without a trailing slash.
    pub public_url: String,
}

pub struct Exports {
    store: SharedStore,
    memories: Arc<Memories>,
    clock: Clock,
    folder: Folder,
    lifetime_days: i64,
    public_url: String,
    /// There may be work.
    wake: Notify,
    /// Progress from 0 to 1 of running jobs, by row.
    progress: Mutex<HashMap<i64, f64>>,
}

/// A job as its owner sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExportJob")]
pub struct ExportView {
    #[schemars(with = "PublicId")]
    pub job_id: String,
    pub status: ExportStatus,
    /// A relative URL; set when the export is ready.
    #[schemars(example = &"/account/export/0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11/download")]
    pub download_url: Option<String>,
    /// Set when the export is ready.
    pub expires_at: Option<Timestamp>,
    /// A sentence; set when the export failed.
    pub error: Option<String>,
    /// Progress from 0 to 1; present while the export is processing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 0, max = 1))]
    pub progress: Option<f64>,
    /// Present only in the answer to the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub message: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ExportStatus {
    Queued,
    Processing,
    Ready,
    Failed,
    Expired,
}

/// An open file to be sent.
pub struct Download {
    pub file: File,
    pub bytes: u64,
    pub name: String,
}

/// Marks jobs whose files are missing as expired: after a restore files and rows may be of
/// different times. Returns how many.
pub async fn expire_lost(store: &Store, dir: &Path, now: Timestamp) -> Result<usize> {
    let folder = Folder::new(dir.to_owned());
    let mut count = 0;
    let mut after = 0;
    loop {
        let jobs = store.read(move |view| view.ready_exports(after)).await?;
        let Some(last) = jobs.last() else {
            return Ok(count);
        };
        after = last.id;
        for job in jobs {
            let file = folder.open(&job.job_id).await;
            if !matches!(&file, Err(error) if error.kind() == io::ErrorKind::NotFound) {
                continue;
            }
            let forgotten_at = now.plus_s(FORGOTTEN_AFTER_DAYS * DAY_S);
            let recording = store.write(move |tx| tx.set_export_expired(job.id, now, forgotten_at));
            recording.await?;
            count += 1;
        }
    }
}

impl Exports {
    pub fn new(
        store: SharedStore,
        memories: Arc<Memories>,
        clock: Clock,
        settings: ExportSettings,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            memories,
            clock,
            folder: Folder::new(settings.dir),
            lifetime_days: settings.lifetime_days,
            public_url: settings.public_url,
            wake: Notify::new(),
            progress: Mutex::default(),
        })
    }

    /// Queues an export of the caller's data.
    pub async fn request(self: &Arc<Self>, person: &SignedInUser) -> Result<ExportView> {
        let (user, exports) = (person.id, self.clone());
        let job_id = self.store.write(move |tx| exports.queue(tx, user)).await?;
        Ok(ExportView {
            job_id,
            status: ExportStatus::Queued,
            download_url: None,
            expires_at: None,
            error: None,
            progress: None,
            message: Some("Your export is being prepared. Ask for its status until it is ready."),
        })
    }

    /// Queues an export for a user whose public id is `user_id`, and returns the job's id.
    pub async fn request_by_operator(
        self: &Arc<Self>,
        user_id: String,
        operator: Operator,
    ) -> Result<String> {
        let exports = self.clone();
        self.store
            .write(move |tx| {
                let now = exports.clock.now();
                let row = tx.view().user(&user_id, now.utc_day())?;
                let user = row.ok_or_else(Error::user_not_found)?.user.id;
                let change = Change {
                    subject: user_id,
                    ..Change::work("export.start")
                };
                tx.insert_audit(&operator, &change, now)?;
                exports.queue(tx, user)
            })
            .await
    }

    fn queue(self: Arc<Self>, tx: &mut Tx, user: UserId) -> Result<String> {
        let job_id = random::uuid().to_string();
        tx.insert_export_job(&job_id, user, self.clock.now())?;
        tx.after_commit(move || self.wake.notify_one());
        Ok(job_id)
    }

    pub async fn show(&self, person: &SignedInUser, job_id: &str) -> Result<ExportView> {
        let (job, status) = self.job(person, job_id).await?;
        let progress = self.progress.lock().get(&job.id).copied().unwrap_or(0.0);
        Ok(ExportView {
            download_url: (status == ExportStatus::Ready)
                .then(|| format!("/account/export/{}/download", job.job_id)),
            expires_at: job.expires_at,
            error: job.error,
            progress: (status == ExportStatus::Processing).then_some(progress),
            message: None,
            job_id: job.job_id,
            status,
        })
    }

    /// Opens the file of a finished job.
    pub async fn download(&self, person: &SignedInUser, job_id: &str) -> Result<Download> {
        let (job, status) = self.job(person, job_id).await?;
        match status {
            ExportStatus::Queued | ExportStatus::Processing => {
                return Err(not_ready(
                    "This export is not ready yet; ask for its status in a moment.",
                ));
            }
            ExportStatus::Failed => {
                return Err(not_ready("This export failed; ask for another one."));
            }
            ExportStatus::Expired => {
                return Err(expired("This export has expired; ask for another one."));
            }
            ExportStatus::Ready => {}
        }
        match self.folder.open(&job.job_id).await {
            Ok((file, bytes)) => Ok(Download {
                file,
                bytes,
                name: folder::name(&job.job_id),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.folder.exists().await => {
                self.mark_expired(job.id).await?;
                Err(expired(
                    "The file of this export no longer exists; ask for another one.",
                ))
            }
            Err(error) => Err(Error::unavailable(
                "The file can't be read at the moment; try again.",
            )
            .because(error)),
        }
    }

    /// Removes a person's exports: files first, then the jobs. Stops a running one. May be
    /// repeated.
    pub async fn erase(&self, user: UserId) -> Result<()> {
        let jobs = self.store.read(move |view| view.export_jobs(user)).await?;
        let mut failure = None;
        for job in jobs {
            let removed = self.folder.remove(&job.job_id).await;
            failure = failure.or(removed.err());
        }
        if let Some(error) = failure {
            return Err(Error::unavailable("A file can't be removed.").because(error));
        }
        self.store
            .write(move |tx| tx.delete_export_jobs(user))
            .await?;
        Ok(())
    }

    /// The caller's own job in its current state.
    async fn job(&self, person: &SignedInUser, job_id: &str) -> Result<(ExportJob, ExportStatus)> {
        let job_id = job_id.to_ascii_lowercase(); // stored ids are lower case
        let found = self
            .store
            .read(move |view| view.export_job(&job_id))
            .await?;
        let now = self.clock.now();
        let job = found.and_then(|job| Some((status(&job, now)?, job)));
        let (status, job) = job.ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "export_not_found",
                "There is no export with this id.",
            )
        })?;
        if job.user != person.id {
            return Err(Error::new(
                ErrorKind::Forbidden,
                "export_not_owned",
                "This export belongs to somebody else.",
            ));
        }
        Ok((job, status))
    }

    /// The file was removed from the folder: the job counts as expired.
    async fn mark_expired(&self, id: i64) -> Result<()> {
        let now = self.clock.now();
        let forgotten_at = now.plus_s(FORGOTTEN_AFTER_DAYS * DAY_S);
        self.store
            .write(move |tx| tx.set_export_expired(id, now, forgotten_at))
            .await
    }
}

/// `None` when the job is forgotten, even if its row still exists.
fn status(job: &ExportJob, now: Timestamp) -> Option<ExportStatus> {
    if job.forgotten_at.is_some_and(|at| at <= now) {
        return None;
    }
    let has_expired = job.expires_at.is_some_and(|at| at <= now);
    Some(match job.status.as_str() {
        "queued" => ExportStatus::Queued,
        "processing" => ExportStatus::Processing,
        "ready" if !has_expired => ExportStatus::Ready,
        "failed" => ExportStatus::Failed,
        _ => ExportStatus::Expired,
    })
}

fn not_ready(detail: &str) -> Error {
    Error::new(ErrorKind::BadRequest, "export_not_ready", detail)
}

fn expired(detail: &str) -> Error {
    Error::new(ErrorKind::Gone, "export_expired", detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_has_its_rows_status_until_it_expires() {
        let job = |status: &str, expires_at: Option<i64>, forgotten_at: Option<i64>| ExportJob {
            id: 1,
            job_id: "j".to_owned(),
            user: UserId(1),
            status: status.to_owned(),
            error: None,
            starts: 0,
            expires_at: expires_at.map(Timestamp),
            forgotten_at: forgotten_at.map(Timestamp),
        };
        let cases = [
            (job("queued", None, None), Some(ExportStatus::Queued)),
            (
                job("processing", None, None),
                Some(ExportStatus::Processing),
            ),
            (job("ready", Some(11), Some(20)), Some(ExportStatus::Ready)),
            (
                job("ready", Some(10), Some(20)),
                Some(ExportStatus::Expired),
            ),
            (
                job("expired", Some(9), Some(11)),
                Some(ExportStatus::Expired),
            ),
            (job("failed", None, Some(11)), Some(ExportStatus::Failed)),
            (job("failed", None, Some(10)), None),
            (job("ready", Some(5), Some(10)), None),
        ];
        for (job, expected) in cases {
            assert_eq!(status(&job, Timestamp(10)), expected, "{job:?}");
        }
    }
}
