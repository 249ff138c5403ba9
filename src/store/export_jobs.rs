//! The table of export jobs; `exported` reads the data itself. A job is kept from the request until
//! some time after the file is removed.

use super::query::from_row;
use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone)]
pub struct ExportJob {
    pub id: i64,
    /// A UUID.
    pub job_id: String,
    pub user: UserId,
    /// The last written state: queued, processing, ready, failed or expired.
    pub status: String,
    pub error: Option<String>,
    /// How often work on it was started.
    pub starts: i64,
    /// The time when the file is removed.
    pub expires_at: Option<Timestamp>,
    /// The time when the row is removed.
    pub forgotten_at: Option<Timestamp>,
}

const COLUMNS: &str = "SELECT id, job_id, user_id, status, error, starts, expires_at, forgotten_at
     FROM export_jobs";

impl Tx<'_> {
    pub fn insert_export_job(&self, job_id: &str, user: UserId, now: Timestamp) -> Result<()> {
        self.run(
            "INSERT INTO export_jobs (job_id, user_id, status, created_at)
             VALUES (?1, ?2, 'queued', ?3)",
            (job_id, user, now),
        )
    }

    /// Starts the oldest unfinished job that is not in `under_way`.
    pub fn start_export_job(&self, under_way: &[i64]) -> Result<Option<ExportJob>> {
        let jobs: Vec<ExportJob> = self.all(
            "SELECT id, job_id, user_id, status, error, starts, expires_at, forgotten_at
             FROM export_jobs INDEXED BY export_jobs_unfinished
             WHERE status IN ('queued', 'processing') ORDER BY id LIMIT ?1",
            [under_way.len() as i64 + 1],
        )?;
        let free = jobs.into_iter().find(|job| !under_way.contains(&job.id));
        if let Some(job) = &free {
            self.run(
                "UPDATE export_jobs SET status = 'processing', starts = starts + 1 WHERE id = ?1",
                [job.id],
            )?;
        }
        Ok(free)
    }

    /// False when the job was deleted and the file isn't needed any more.
    pub fn set_export_ready(
        &self,
        id: i64,
        expires_at: Timestamp,
        forgotten_at: Timestamp,
    ) -> Result<bool> {
        let changed = self.execute(
            "UPDATE export_jobs SET status = 'ready', expires_at = ?2, forgotten_at = ?3
             WHERE id = ?1 AND status = 'processing'",
            (id, expires_at, forgotten_at),
        )?;
        Ok(changed == 1)
    }

    pub fn set_export_failed(&self, id: i64, error: &str, forgotten_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE export_jobs SET status = 'failed', error = ?2, forgotten_at = ?3
             WHERE id = ?1 AND status = 'processing'",
            (id, error, forgotten_at),
        )
    }

    pub fn set_export_expired(
        &self,
        id: i64,
        expires_at: Timestamp,
        forgotten_at: Timestamp,
    ) -> Result<()> {
        self.run(
            "UPDATE export_jobs SET status = 'expired', expires_at = ?2, forgotten_at = ?3
             WHERE id = ?1 AND status = 'ready'",
            (id, expires_at, forgotten_at),
        )
    }

    /// Removes a person's jobs, finished or not. The caller removes the files first, while the rows
    /// still name them.
    pub fn delete_export_jobs(&self, user: UserId) -> Result<usize> {
        self.execute("DELETE FROM export_jobs WHERE user_id = ?1", [user])
    }

    pub(super) fn delete_forgotten_export_jobs(
        &self,
        now: Timestamp,
        rows_max: i64,
    ) -> Result<usize> {
        self.execute(
            "DELETE FROM export_jobs WHERE status <> 'ready' AND id IN
             (SELECT id FROM export_jobs WHERE forgotten_at <= ?1 LIMIT ?2)",
            (now, rows_max),
        )
    }
}

impl View<'_> {
    pub fn export_job(&self, job_id: &str) -> Result<Option<ExportJob>> {
        self.find(&format!("{COLUMNS} WHERE job_id = ?1"), [job_id])
    }

    /// All jobs of a person, oldest first.
    pub fn export_jobs(&self, user: UserId) -> Result<Vec<ExportJob>> {
        self.export_jobs_where("WHERE user_id = ?1 ORDER BY id", user.0)
    }

    /// Jobs whose file has expired, at most 100.
    pub fn expired_exports(&self, now: Timestamp) -> Result<Vec<ExportJob>> {
        self.export_jobs_where(
            "WHERE status = 'ready' AND expires_at <= ?1 LIMIT 100",
            now.0,
        )
    }

    /// Jobs with a file, at most 100, after the given job.
    pub fn ready_exports(&self, after: i64) -> Result<Vec<ExportJob>> {
        self.export_jobs_where(
            "WHERE status = 'ready' AND id > ?1 ORDER BY id LIMIT 100",
            after,
        )
    }

    pub fn count_unfinished_exports(&self) -> Result<usize> {
        self.one(
            "SELECT count(*) FROM export_jobs INDEXED BY export_jobs_unfinished
             WHERE status IN ('queued', 'processing')",
            [],
        )
    }

    /// Whether the job must still be worked on. It must not when its row is gone.
    pub fn export_is_wanted(&self, id: i64) -> Result<bool> {
        self.exists(
            "SELECT 1 FROM export_jobs WHERE id = ?1 AND status = 'processing'",
            [id],
        )
    }

    fn export_jobs_where(&self, condition: &str, value: i64) -> Result<Vec<ExportJob>> {
        self.all(&format!("{COLUMNS} {condition}"), [value])
    }
}

from_row!(ExportJob: id, job_id, user, status, error, starts, expires_at, forgotten_at);
