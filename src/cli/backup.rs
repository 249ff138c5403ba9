//! `chatkeep backup FILE`: copies the database. A running service makes the copy beside its
//! database and this command takes it over; without a service the command copies the database
//! itself.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::progress::Progress;
use super::running;
use crate::clock::Clock;
use crate::config::{self, Config, LoadedConfig, Source};
use crate::outbound::Method;
use crate::store::{self, Backup, Stage};

const ROUTE: &str = "/admin/backup";
/// Interval of status requests. The service cancels a backup without them.
const LOOK_EVERY: Duration = Duration::from_millis(100);

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

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Vec<String>> {
    if options.file.as_os_str() == "-" {
        let why = "a backup is checked before it has its name, so it can't go to standard output; \
                   name a file (./- for one of that name)";
        return Err(super::one(why.to_owned()));
    }
    let loaded = super::loaded(source)?;
    let database = &loaded.config.storage.path;
    if !database.exists() {
        return Err(super::one(format!(
            "there is no database at {}, so nothing to back up; start the service, or name its configuration with --config",
            database.display()
        )));
    }
    let others = others(&loaded);
    refuse_others(&options.file, &others).map_err(super::one)?;
    store::check_backup_name(database, &options.file, options.force).map_err(super::one)?;
    let clock = Clock::system();
    let began = clock.monotonic();
    let made = if running::is_answering(&loaded.config) {
        // Loads the token for the service.
        let config = super::configuration(source)?.config;
        by_service(&config, options)
    } else {
        let progress = Progress::new();
        store::back_up(database, &options.file, options.force, &mut |stage| {
            progress.show(stage);
        })
    };
    let made = made.map_err(super::one)?;
    let seconds = clock.monotonic().since(began) as f64 / 1000.0;
    super::print(&match options.json {
        true => as_json(&options.file, &made, seconds, &others),
        false => in_words(&options.file, &made, seconds, &others),
    })
    .map_err(super::one)
}

/// Makes the running service copy the database, and takes the copy over.
fn by_service(config: &Config, options: &Options) -> Result<Backup, String> {
    let (database, progress) = (&config.storage.path, Progress::new());
    let id = start(config, &progress)?;
    loop {
        let seen = running::ask(config, Method::Get, ROUTE, None)?.ok_or(SERVICE_ENDED)?;
        if seen["id"].as_u64() != Some(id) {
            return Err(SERVICE_ENDED.to_owned());
        }
        match seen["state"].as_str().unwrap_or_default() {
            "copying" => {
                let number = |name: &str| seen[name].as_u64().unwrap_or_default();
                let (pages, of) = (number("pages"), number("pages_total"));
                progress.show(Stage::Copying { pages, of });
            }
            "ready" => break,
            "failed" => return Err(seen["error"].as_str().unwrap_or_default().to_owned()),
            _ => return Err(SERVICE_ENDED.to_owned()),
        }
        std::thread::sleep(LOOK_EVERY);
    }
    let path = store::live_copy_path(database);
    let copy = File::open(&path).map_err(|e| {
        format!(
            "can't read {}, which the running service made: {e}; run this as the service's user",
            path.display()
        )
    });
    // The open file outlives its name. A service that has ended already removed it.
    let _ = running::ask(config, Method::Delete, ROUTE, None);
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
    "the running service ended or gave the backup up, and nothing was kept; try again";

/// Waits until no other backup is running. Returns the number of ours.
fn start(config: &Config, progress: &Progress) -> Result<u64, String> {
    loop {
        let told = running::ask(config, Method::Post, ROUTE, None)?.ok_or(SERVICE_ENDED)?;
        if told["started"] == Value::Bool(true) {
            return told["id"].as_u64().ok_or(SERVICE_ENDED.to_owned());
        }
        progress.spin("waiting for another backup");
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Existing files that belong in a backup too, such as keys.
fn others(loaded: &LoadedConfig) -> Vec<PathBuf> {
    let database = &loaded.config.storage.path;
    let sealing_key = match loaded.config.marketplace.sealing_key {
        None => Some(config::sealing_key_file(database)),
        Some(_) => None, // the operator's own file or variable holds it
    };
    let beside = [Some(database.with_file_name("secrets.toml")), sealing_key];
    let files = beside.into_iter().chain([loaded.file.clone()]).flatten();
    files.filter(|file| file.exists()).collect()
}

/// Replacing one of these files with `--force` would make the backup nearly useless.
fn refuse_others(to: &Path, others: &[PathBuf]) -> Result<(), String> {
    let place = fs::canonicalize(to).ok();
    let is_one = |other: &PathBuf| place.is_some() && fs::canonicalize(other).ok() == place;
    match others.iter().any(is_one) {
        true => Err(format!(
            "{} is needed beside the database; name another file",
            to.display()
        )),
        false => Ok(()),
    }
}

fn as_json(file: &Path, made: &Backup, seconds: f64, others: &[PathBuf]) -> String {
    json!({
        "path": file,
        "bytes": made.bytes,
        "pages": made.pages,
        "seconds": seconds,
        "schema_version": made.schema_version,
        "keep_too": others,
    })
    .to_string()
}

fn in_words(file: &Path, made: &Backup, seconds: f64, others: &[PathBuf]) -> String {
    let head = format!(
        "{} holds the database, checked: {:.1} MiB (schema {}) in {seconds:.1} s.",
        file.display(),
        made.bytes as f64 / f64::from(1 << 20),
        made.schema_version,
    );
    let names: Vec<String> = others.iter().map(|p| p.display().to_string()).collect();
    match names.is_empty() {
        true => head,
        false => format!("{head}\nKeep with it, elsewhere: {}.", names.join(", ")),
    }
}
