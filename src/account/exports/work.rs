//! The export jobs: makes files, a few at once, and removes expired ones. The work is in the
//! database, so it continues after a restart and may be interrupted anywhere.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{Id, JoinSet};

use super::document::{self, ExportFailure};
use super::{DAY_S, Exports, FORGOTTEN_AFTER_DAYS};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::metrics::JobMetrics;
use crate::store::ExportJob;

/// Concurrent exports: with two, a small export need not wait for a large one.
const CONCURRENT_MAX: usize = 2;
/// After this many starts without success the export fails.
const STARTS_MAX: i64 = 20;
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// A file that could not be removed is tried again after this.
const REMOVAL_PAUSE_MS: u64 = 60 * 60 * 1000;

const NOT_FINISHED: &str = "The export could not be finished. Ask for another one.";
/// The person is told no more; the log has the cause.
pub const NOT_WRITTEN: &str = "The file could not be written. Ask for another export later.";
const NOT_READ: &str = "Your data could not be read. Ask for another export later.";

/// Runs until the service ends.
pub async fn run(exports: Arc<Exports>, metrics: Arc<JobMetrics>) {
    if let Err(error) = sweep(&exports).await {
        log::warn!("files of interrupted exports can't be removed: {error}");
    }
    let mut work = RunningExports {
        exports,
        tasks: JoinSet::new(),
        jobs: HashMap::new(),
    };
    let mut failed_at = HashMap::new();
    loop {
        let now = work.exports.clock.now();
        let started = work.start_waiting().await;
        metrics.ran(&started, work.exports.clock.now().0);
        if let Err(error) = started {
            log::warn!("waiting exports could not be started: {error}");
        }
        if let Err(error) = expire(&work.exports, &mut failed_at).await {
            log::warn!("expired exports can't be removed: {error}");
        }
        tokio::select! {
            () = work.exports.wake.notified() => {}
            Some(task_ended) = work.tasks.join_next_with_id() => match task_ended {
                Ok((task, ())) => work.task_ended(task, None).await,
                Err(panic) => work.task_ended(panic.id(), Some(NOT_FINISHED)).await,
            },
            () = work.exports.clock.pause(now, POLL_INTERVAL) => {}
        }
    }
}

/// Makes the waiting exports one after another, without a service that runs.
pub async fn run_waiting(exports: &Exports) -> Result<()> {
    while let Some(job) = (exports.store).write(|tx| tx.start_export_job(&[])).await? {
        run_job(exports, &job).await;
    }
    Ok(())
}

struct RunningExports {
    exports: Arc<Exports>,
    tasks: JoinSet<()>,
    /// The row of each task.
    jobs: HashMap<Id, i64>,
}

impl RunningExports {
    async fn start_waiting(&mut self) -> Result<()> {
        while self.tasks.len() < CONCURRENT_MAX {
            let under_way: Vec<i64> = self.jobs.values().copied().collect();
            // Reads first, because usually there is nothing to start.
            let count = under_way.len();
            let store = &self.exports.store;
            if store.read(|view| view.count_unfinished_exports()).await? <= count {
                return Ok(());
            }
            let started = store.write(move |tx| tx.start_export_job(&under_way));
            let Some(job) = started.await? else {
                return Ok(());
            };
            let (id, exports) = (job.id, self.exports.clone());
            let task = self
                .tasks
                .spawn(async move { run_job(&exports, &job).await });
            self.jobs.insert(task.id(), id);
        }
        Ok(())
    }

    async fn task_ended(&mut self, task: Id, error: Option<&'static str>) {
        let Some(id) = self.jobs.remove(&task) else {
            return;
        };
        self.exports.progress.lock().remove(&id);
        if let Some(error) = error {
            log::error!("an export panicked");
            fail(&self.exports, id, error).await;
        }
    }
}

async fn run_job(exports: &Exports, job: &ExportJob) {
    let failure = match write_file(exports, job).await {
        Ok(()) => return,
        Err(failure) => failure,
    };
    if let Err(error) = exports.folder.remove(&job.job_id).await {
        log::warn!("export {}: its draft can't be removed: {error}", job.job_id);
    }
    match failure {
        ExportFailure::JobDeleted => {}
        ExportFailure::Disk(cause) => {
            log::warn!("export {}: {cause}", job.job_id);
            fail(exports, job.id, NOT_WRITTEN).await;
        }
        ExportFailure::Reading(cause) => {
            log::warn!("export {}: {cause}", job.job_id);
            fail(exports, job.id, NOT_READ).await;
        }
    }
}

async fn write_file(exports: &Exports, job: &ExportJob) -> std::result::Result<(), ExportFailure> {
    if job.starts >= STARTS_MAX {
        fail(exports, job.id, NOT_FINISHED).await;
        return Err(ExportFailure::JobDeleted);
    }
    let mut draft = exports.folder.draft(&job.job_id).await?;
    document::write(exports, job, &mut draft).await?;
    draft.finish().await?;
    let expires_at = exports.clock.now().plus_s(exports.lifetime_days * DAY_S);
    let forgotten_at = expires_at.plus_s(FORGOTTEN_AFTER_DAYS * DAY_S);
    let id = job.id;
    let setting = exports
        .store
        .write(move |tx| tx.set_export_ready(id, expires_at, forgotten_at));
    match setting.await {
        Ok(true) => Ok(()),
        Ok(false) => Err(ExportFailure::JobDeleted),
        Err(error) => Err(ExportFailure::Reading(error)),
    }
}

/// If even this write fails, the job is started again later.
async fn fail(exports: &Exports, id: i64, error: &'static str) {
    let forgotten_at = exports.clock.now().plus_s(FORGOTTEN_AFTER_DAYS * DAY_S);
    let writing = exports
        .store
        .write(move |tx| tx.set_export_failed(id, error, forgotten_at));
    if let Err(error) = writing.await {
        log::warn!("a failed export can't be marked as failed: {error}");
    }
}

/// Removes expired files, then updates their rows. `failed_at`: when a file could not be removed, by
/// its job's row. It is tried again after an hour.
async fn expire(exports: &Exports, failed_at: &mut HashMap<i64, Timestamp>) -> Result<()> {
    let Some(now) = exports.clock.steady_now() else {
        return Ok(());
    };
    let expired = exports.store.read(move |view| view.expired_exports(now));
    let expired = expired.await?;
    failed_at.retain(|id, at| {
        now.0.abs_diff(at.0) < REMOVAL_PAUSE_MS && expired.iter().any(|job| job.id == *id)
    });
    for job in expired {
        if failed_at.contains_key(&job.id) {
            continue;
        }
        if let Err(error) = exports.folder.remove(&job.job_id).await {
            log::warn!(
                "export {}: its file can't be removed, which is tried again every hour: {error}",
                job.job_id
            );
            failed_at.insert(job.id, now);
            continue;
        }
        let expires_at = job.expires_at.unwrap_or(now);
        let forgotten_at = expires_at.plus_s(FORGOTTEN_AFTER_DAYS * DAY_S);
        exports
            .store
            .write(move |tx| tx.set_export_expired(job.id, expires_at, forgotten_at))
            .await?;
    }
    Ok(())
}

/// At the start: handles unfinished jobs of an earlier run, and files without a job.
async fn sweep(exports: &Exports) -> std::result::Result<(), String> {
    let swept = exports.folder.sweep_drafts().await;
    let files = swept.map_err(|e| e.to_string())?;
    let ready = exports.store.read(|view| view.ready_exports(0));
    let ready = ready.await.map_err(|e| e.to_string())?;
    if !ready.is_empty() && !ready.iter().any(|job| files.contains(&job.job_id)) {
        log::warn!(
            "no file of the exports that are ready is in exports.dir: if that was another directory before, move its service_export_*.json files, or delete them; the service does not"
        );
    }
    for job_id in files {
        let id = job_id.clone();
        let job = exports.store.read(move |view| view.export_job(&id));
        let job = job.await.map_err(|e| e.to_string())?;
        if job.is_none_or(|job| job.status != "ready") {
            let removed = exports.folder.remove(&job_id).await;
            removed.map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}
