//! `chatkeep user export`: writes all data of a user to a file. The running service makes the file
//! in its folder of exports, or this command without one; then it is copied.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Deserialize;

use super::UserArguments;
use crate::account::exports;
use crate::cli::progress::Progress;
use crate::cli::running::{self, IdleService};
use crate::config::Config;
use crate::files;
use crate::outbound::Method;
use crate::store::{self, ExportJob, UserRow};

/// Interval of looks at the job.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const SERVICE_ENDED: &str = "the running service ended before the export was ready, and nothing was written; \
     run this again";
const CANCELLED: &str = "the export was removed meanwhile; nothing was written";

#[derive(Args)]
pub(in crate::cli) struct ExportOptions {
    #[command(flatten)]
    pub(super) user: UserArguments,
    /// The file to write, as JSON. It must not exist.
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
}

/// The answer to the request.
#[derive(Deserialize)]
struct ExportAnswer {
    job_id: String,
}

/// An error when the file can't be written, before an export is made for nothing.
pub(super) fn check_target(file: &Path) -> Result<(), String> {
    let name = file.display();
    // A link that leads nowhere is there, too.
    let is_there = file.symlink_metadata().is_ok();
    match (is_there, files::folder_of(file).is_dir()) {
        (true, _) => Err(format!("{name} exists already; choose another name")),
        (false, false) => Err(format!("the folder of {name} does not exist; create it")),
        (false, true) => Ok(()),
    }
}

/// Returns the bytes written.
pub(super) fn export(config: &Config, row: &UserRow, file: &Path) -> Result<u64, String> {
    let progress = Progress::new();
    progress.spin("collecting the user's data");
    let user_id = row.user.public_id.clone();
    let route = format!("/admin/users/{user_id}/export");
    let job_id = match running::ask::<ExportAnswer>(config, Method::Post, &route, None)? {
        Some(answer) => answer.job_id,
        None => export_without_service(config, user_id)?,
    };
    wait_until_ready(config, &job_id)?;
    let made = config.exports.dir.join(exports::file_name(&job_id));
    copy(&made, file)
}

fn export_without_service(config: &Config, user_id: String) -> Result<String, String> {
    let idle = IdleService::start(config)?;
    let exports = &idle.app.exports;
    idle.run(async {
        let requesting = exports.request_by_operator(user_id, running::operator());
        let job_id = requesting.await?;
        exports::work::run_waiting(exports).await.map(|()| job_id)
    })
}

fn wait_until_ready(config: &Config, job_id: &str) -> Result<(), String> {
    loop {
        // Before the job is read: a service that ends then has written its outcome.
        let is_in_work = running::is_database_in_use(config);
        let job: Option<ExportJob> =
            store::look(&config.storage.path, |view| view.export_job(job_id))?;
        let job = job.ok_or(CANCELLED)?;
        match job.status.as_str() {
            "queued" | "processing" if is_in_work => std::thread::sleep(POLL_INTERVAL),
            "queued" | "processing" => return Err(SERVICE_ENDED.to_owned()),
            "ready" => return Ok(()),
            "failed" => {
                return Err(why_failed(
                    &config.exports.dir,
                    job.error.unwrap_or_default(),
                ));
            }
            _ => return Err(CANCELLED.to_owned()),
        }
    }
}

/// The person's sentence, for the operator with the place of the file.
fn why_failed(folder: &Path, error: String) -> String {
    match error == exports::work::NOT_WRITTEN {
        true => format!(
            "no file could be written in the folder {} (exports.dir): look whether its disk is full; \
             the log has the cause",
            folder.display()
        ),
        false => error,
    }
}

fn copy(made: &Path, file: &Path) -> Result<u64, String> {
    let mut from = File::open(made).map_err(|e| {
        format!(
            "can't read {}: {e}; run this in the service's folder and as its user",
            made.display()
        )
    })?;
    files::copy_private(file, &mut from).map_err(|e| format!("can't write {}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_could_not_be_written_is_named_with_its_folder() {
        let why = |error: &str| why_failed(Path::new("/var/exports"), error.to_owned());
        let written = why(exports::work::NOT_WRITTEN);
        assert!(written.contains("/var/exports (exports.dir)"), "{written}");
        assert!(written.contains("disk is full"), "{written}");
        assert_eq!(why("another"), "another");
    }
}
