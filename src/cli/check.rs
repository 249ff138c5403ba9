//! `chatkeep check`: says everything that is wrong at once, and changes nothing: no secret is
//! made, no directory, no database.

use crate::config::{Config, Loaded, Problem, Source};
use crate::store;

/// Checks the configuration and, when that is sound, what `database` finds with it. Prints
/// what was found sound; the error holds every problem, one sentence each.
pub(super) fn run(
    source: &Source,
    database: impl FnOnce(&Config) -> Vec<String>,
) -> Result<(), Vec<String>> {
    let loaded = check(source, database)?;
    super::print(&summary(&loaded)).map_err(super::one)
}

/// What is wrong with the database, a missing one excepted; it may be in use.
pub(super) fn database(config: &Config) -> Vec<String> {
    match store::inspect(&config.storage.path, true) {
        Ok(_) => Vec::new(),
        Err(problem) => vec![format!("storage.path: {problem}")],
    }
}

fn check(
    source: &Source,
    database: impl FnOnce(&Config) -> Vec<String>,
) -> Result<Loaded, Vec<String>> {
    let sentences = |problems: Vec<Problem>| problems.iter().map(Problem::to_string).collect();
    let loaded = Config::load(source)
        .map_err(|problems: Vec<Problem>| -> Vec<String> { sentences(problems) })?;
    let problems = database(&loaded.config);
    if problems.is_empty() {
        Ok(loaded)
    } else {
        Err(problems)
    }
}

fn summary(loaded: &Loaded) -> String {
    let from = match &loaded.file {
        Some(path) => path.display().to_string(),
        None => "No configuration file".to_owned(),
    };
    let mode = if loaded.config.is_production() {
        "production"
    } else {
        "development"
    };
    let warnings: String = loaded
        .warnings
        .iter()
        .map(|w| format!("warning: {w}\n"))
        .collect();
    format!("{warnings}{from}: no problem found ({mode}).")
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
    fn tells_all_problems_of_the_configuration_and_leaves_the_database_alone() {
        let dir = tempfile::tempdir().unwrap();
        let text = "[server]\nlisten = 1\n[edge]\nhartbeat_s = 2\n";
        let source = source(&dir.path().join("s.toml"), text);
        let problems = check(&source, |_| panic!("not asked")).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("server.listen: "), "{problems:?}");
        assert!(problems[1].contains("edge.heartbeat_s"), "{problems:?}");
    }

    #[test]
    fn tells_what_the_database_says() {
        let dir = tempfile::tempdir().unwrap();
        let source = source(&dir.path().join("s.toml"), "");
        let problems = check(&source, |_| vec!["storage.path: broken".to_owned()]).unwrap_err();
        assert_eq!(problems, ["storage.path: broken"]);
        let sound = check(&source, |_| Vec::new()).unwrap();
        let summary = summary(&sound);
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
