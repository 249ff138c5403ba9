//! `chatkeep backup FILE`: a copy of the database, whether a service is at work on it or not.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::progress::Progress;
use crate::clock::Clock;
use crate::config::{self, Loaded, Source};
use crate::store::{self, Backup};

#[derive(Args)]
pub(super) struct Options {
    /// Where the copy goes; it has this name only when it is complete.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replaces FILE if it is there.
    #[arg(long)]
    force: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Vec<String>> {
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
    let (clock, progress) = (Clock::system(), Progress::new());
    let began = clock.monotonic();
    let made = store::back_up(database, &options.file, options.force, &mut |stage| {
        progress.show(stage);
    });
    drop(progress);
    let made = made.map_err(super::one)?;
    let seconds = clock.monotonic().since(began) as f64 / 1000.0;
    super::print(&match options.json {
        true => as_json(&options.file, &made, seconds, &others),
        false => in_words(&options.file, &made, seconds, &others),
    })
    .map_err(super::one)
}

/// Files that are there and that a database is of little use without.
fn others(loaded: &Loaded) -> Vec<PathBuf> {
    let database = &loaded.config.storage.path;
    let sealing_key = match loaded.config.marketplace.sealing_key {
        None => Some(config::sealing_key_file(database)),
        Some(_) => None, // it stands in a file or variable of the operator's own
    };
    let beside = [Some(database.with_file_name("secrets.toml")), sealing_key];
    let files = beside.into_iter().chain([loaded.file.clone()]).flatten();
    files.filter(|file| file.exists()).collect()
}

/// With them gone, `--force` would have made a backup that is of little use.
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
        "tries": made.tries,
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
