//! `chatkeep check`: reports every problem of configuration and database at once. Changes nothing:
//! creates no secret, directory or database.

pub(super) mod places;

use clap::Args;
use serde_json::json;

use super::Failure;
use crate::config::{Config, ConfigProblem, LoadedConfig, Source};
use crate::store::{self, LockHolder};

#[derive(Args)]
pub(super) struct Options {
    /// Prints JSON, also for problems.
    #[arg(long)]
    json: bool,
}

/// Prints the result; the error lists every problem, one sentence each.
pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    let mut checked = Config::load_and(source, places::problems);
    if let Ok(loaded) = &mut checked {
        loaded.warnings.extend(places::warnings(&loaded.config));
    }
    let output = match (&checked, options.json) {
        (_, true) => Some(as_json(&checked)),
        (Ok(loaded), false) => Some(summary(loaded)),
        (Err(_), false) => None, // problems are printed to standard error
    };
    if let Some(output) = output {
        super::print(&output)?;
    }
    Ok(checked.map(drop)?)
}

fn mode(config: &Config) -> &'static str {
    if config.is_production() {
        "production"
    } else {
        "development"
    }
}

fn summary(loaded: &LoadedConfig) -> String {
    let from = match &loaded.file {
        Some(path) => path.display().to_string(),
        None => "No configuration file".to_owned(),
    };
    let warnings: String = loaded
        .warnings
        .iter()
        .map(|w| format!("warning: {w}\n"))
        .collect();
    let mode = mode(&loaded.config);
    let running = match store::holder(&loaded.config.storage.path) {
        Some(holder) => running(&holder),
        None => String::new(),
    };
    format!("{warnings}{from}: no problem found ({mode}).{running}")
}

/// Says who uses the database.
fn running(holder: &LockHolder) -> String {
    let process = holder
        .pid
        .map_or("Another process".to_owned(), |pid| format!("Process {pid}"));
    match &holder.address {
        Some(address) => format!("\n{process} serves this database at {address}."),
        None => format!("\n{process}, a command or a starting service, uses this database now."),
    }
}

fn as_json(checked: &Result<LoadedConfig, Vec<ConfigProblem>>) -> String {
    match checked {
        Ok(loaded) => json!({
            "file": loaded.file,
            "environment": mode(&loaded.config),
            "warnings": loaded.warnings,
            "problems": [],
        }),
        Err(problems) => {
            let entry =
                |problem: &ConfigProblem| json!({"key": problem.key, "message": problem.message});
            json!({ "problems": problems.iter().map(entry).collect::<Vec<_>>() })
        }
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(file: &std::path::Path, text: &str) -> Source {
        std::fs::write(file, text).unwrap();
        Source {
            path: Some(file.to_owned()),
            ..Source::default()
        }
    }

    #[test]
    fn reports_all_problems_of_the_configuration_and_its_paths() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("notes.txt");
        std::fs::write(&database, "no database").unwrap();
        let text = format!(
            "[server]\nlisten = 1\n[edge]\nhartbeat_s = 2\n[storage]\npath = {database:?}\n[exports]\ndir = {database:?}\n"
        );
        let source = source(&dir.path().join("s.toml"), &text);
        let problems = Config::load_and(&source, places::problems).unwrap_err();
        let keys: Vec<&str> = problems.iter().map(|p| p.key.as_str()).collect();
        let expected = [
            "server.listen", "edge.hartbeat_s", "storage.path", "exports.dir",
        ];
        assert_eq!(keys, expected, "{problems:?}");
        assert!(problems[2].message.contains("not a SQLite database"));
        assert!(problems[3].message.contains("is no folder"));
    }

    #[test]
    fn an_invalid_key_is_not_checked_further() {
        let dir = tempfile::tempdir().unwrap();
        let source = source(&dir.path().join("s.toml"), "[storage]\npath = 1\n");
        let about_default = |_: &Config| {
            vec![ConfigProblem {
                key: "storage.path".to_owned(),
                message: "of the default".to_owned(),
            }]
        };
        let problems = Config::load_and(&source, about_default).unwrap_err();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("must be"), "{problems:?}");
    }

    #[test]
    fn a_valid_configuration_is_reported_with_its_warnings() {
        let dir = tempfile::tempdir().unwrap();
        let source = source(&dir.path().join("s.toml"), "");
        let checked = Config::load_and(&source, |_| Vec::new());
        let json: serde_json::Value = serde_json::from_str(&as_json(&checked)).unwrap();
        assert_eq!(json["environment"], "development");
        assert_eq!(json["problems"], json!([]));
        assert!(json["warnings"][0].as_str().unwrap().contains("RELAY_"));
        let summary = summary(&checked.unwrap());
        assert!(
            summary.starts_with("warning: RELAY_WEBHOOK_SECRET"),
            "{summary}"
        );
        assert!(
            summary.ends_with("s.toml: no problem found (development)."),
            "{summary}"
        );
    }
}
