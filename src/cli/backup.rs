//! `chatkeep backup FILE`: copies the database. A running service makes the copy beside its
//! database and this command takes it over; without a service the command copies the database
//! itself.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::Failure;
use super::progress::Progress;
use super::running;
use crate::app::{BackupPhase, BackupStatus};
use crate::clock::Clock;
use crate::config::{self, Config, LoadedConfig, Source};
use crate::outbound::Method;
use crate::store::{self, Backup, Stage};

const ROUTE: &str = "/admin/backup";
/// Interval of status requests. The service cancels a backup without them.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Args)]
pub(super) struct Options {
    /// The backup file. It gets this name only when it is complete.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replaces FILE if it exists.
    #[arg(long)]
    force: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    if options.file.as_os_str() == "-" {
        let reason = "a backup is checked before it has its name, so it can't go to standard output; \
                   name a file (./- for one of that name)";
        return Err(reason.into());
    }
    let loaded = super::load(source)?;
    let database = &loaded.config.storage.path;
    // A running service has its file open, even if somebody deleted it.
    let is_answering = running::is_answering(&loaded.config);
    if !is_answering {
        running::check_database(database, "nothing to back up")?;
    }
    let companions = companion_files(&loaded);
    refuse_companion(&options.file, &companions)?;
    store::check_backup_name(database, &options.file, options.force)?;
    let clock = Clock::system();
    let started = clock.monotonic();
    let backup = if is_answering {
        // Loads the token for the service.
        let config = super::load_with_secrets(source)?.config;
        back_up_by_service(&config, options)
    } else {
        let progress = Progress::new();
        store::back_up(database, &options.file, options.force, &mut |stage| {
            progress.show(stage);
        })
    };
    let backup = backup?;
    let seconds = clock.monotonic().since(started) as f64 / 1000.0;
    Ok(super::print(&match options.json {
        true => as_json(&options.file, &backup, seconds, &companions),
        false => as_text(&options.file, &backup, seconds, &companions),
    })?)
}

/// Requests a copy from the running service, and takes the copy over.
fn back_up_by_service(config: &Config, options: &Options) -> Result<Backup, String> {
    let (database, progress) = (&config.storage.path, Progress::new());
    let id = start(config, &progress)?;
    loop {
        let status: BackupStatus =
            running::ask(config, Method::Get, ROUTE, None)?.ok_or(SERVICE_ENDED)?;
        if status.id != id {
            return Err(SERVICE_ENDED.to_owned());
        }
        match status.state {
            BackupPhase::Copying => progress.show(Stage::Copying {
                pages: status.pages,
                of: status.pages_total,
            }),
            BackupPhase::Ready => break,
            BackupPhase::Failed => return Err(status.error.unwrap_or_default()),
            BackupPhase::None => return Err(SERVICE_ENDED.to_owned()),
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let path = store::live_copy_path(database);
    let copy = File::open(&path).map_err(|e| {
        format!(
            "can't read {}, which the running service made: {e}; run this as the service's user",
            path.display()
        )
    });
    // The open file outlives its name. A service that has ended already removed it.
    let _ = running::ask::<BackupStatus>(config, Method::Delete, ROUTE, None);
    store::take_over(
        copy?,
        database,
        &options.file,
        options.force,
        &mut |stage| {
            progress.show(stage);
        },
    )
}

const SERVICE_ENDED: &str =
    "the running service ended or cancelled the backup; no backup was written; try again";

/// The answer to `POST /admin/backup`.
#[derive(Deserialize)]
struct BackupAnswer {
    started: bool,
    id: Option<u64>,
}

/// Waits until no other backup is running. Returns this backup's number.
fn start(config: &Config, progress: &Progress) -> Result<u64, String> {
    loop {
        let answer: BackupAnswer =
            running::ask(config, Method::Post, ROUTE, None)?.ok_or(SERVICE_ENDED)?;
        if answer.started {
            return answer.id.ok_or(SERVICE_ENDED.to_owned());
        }
        progress.spin("waiting for another backup");
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Existing files that the operator must keep with a backup, such as keys.
fn companion_files(loaded: &LoadedConfig) -> Vec<PathBuf> {
    let database = &loaded.config.storage.path;
    let is_production = loaded.config.is_production();
    let secrets = (!is_production).then(|| database.with_file_name("secrets.toml"));
    // The key may be named in the configuration, as `init` does beside a trial.
    let sealing_key = Some(config::sealing_key_file(database));
    let files = [secrets, sealing_key, loaded.file.clone()]
        .into_iter()
        .flatten();
    files.filter(|file| file.exists()).collect()
}

/// Replacing one of these files with `--force` would make the backup nearly useless.
fn refuse_companion(to: &Path, companions: &[PathBuf]) -> Result<(), String> {
    let target = fs::canonicalize(to).ok();
    let is_companion =
        |companion: &PathBuf| target.is_some() && fs::canonicalize(companion).ok() == target;
    match companions.iter().any(is_companion) {
        true => Err(format!(
            "{} is one of the service's own files; name another file",
            to.display()
        )),
        false => Ok(()),
    }
}

fn as_json(file: &Path, backup: &Backup, seconds: f64, companions: &[PathBuf]) -> String {
    json!({
        "path": file,
        "bytes": backup.bytes,
        "pages": backup.pages,
        "seconds": seconds,
        "schema_version": backup.schema_version,
        "keep_too": companions,
    })
    .to_string()
}

fn as_text(file: &Path, backup: &Backup, seconds: f64, companions: &[PathBuf]) -> String {
    let head = format!(
        "{} holds the database, checked: {:.1} MiB (schema {}) in {seconds:.1} s.",
        file.display(),
        backup.bytes as f64 / f64::from(1 << 20),
        backup.schema_version,
    );
    let names: Vec<String> = companions.iter().map(|p| p.display().to_string()).collect();
    match names.is_empty() {
        true => head,
        false => format!("{head}\nKeep with it, elsewhere: {}.", names.join(", ")),
    }
}
