//! Secrets generated in development and stored in `secrets.toml` beside the database, so that
//! tokens survive a restart. Production generates none. `edge.legacy_secret` is never generated:
//! without it the legacy endpoint is open in development, and a warning says so.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::report::Problem;
use super::source;
use super::{Config, Secret};
use crate::{files, random};

const FILE_NAME: &str = "secrets.toml";
const LOCK_TRIES_MAX: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
const HEAD: &str = "\
# Made by Chatkeep for development, so that tokens survive a restart. Keep it to yourself.
# Production takes its secrets from service.toml or the environment; `chatkeep init` makes one.
";

impl Config {
    /// Development only: reads unconfigured `edge.secret`, `admin.token` and
    /// `identity.hs256_secret` from `secrets.toml`, and generates missing ones there. Returns the
    /// file's path, or `None` when it wasn't needed.
    pub fn fill_development_secrets(&mut self) -> Result<Option<PathBuf>, Problem> {
        if self.is_production() {
            return Ok(None);
        }
        let slots = [
            ("edge", "secret", &mut self.edge.secret),
            ("admin", "token", &mut self.admin.token),
            ("identity", "hs256_secret", &mut self.identity.hs256_secret),
        ];
        let missing: Vec<_> = slots
            .into_iter()
            .filter(|(.., slot)| slot.is_none())
            .collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let dir = folder(&self.storage.path);
        let path = dir.join(FILE_NAME);
        let names: Vec<_> = missing
            .iter()
            .map(|(section, key, _)| (*section, *key))
            .collect();
        let secrets = read_or_make(dir, &path, &names)?;
        for ((.., slot), secret) in missing.into_iter().zip(secrets) {
            *slot = Some(secret);
        }
        Ok(Some(path))
    }

    /// The problem of an unusable `secrets.toml`, if any. Writes nothing.
    pub fn damaged_development_secrets(&self) -> Option<Problem> {
        let kept = [
            ("edge", "secret", &self.edge.secret),
            ("admin", "token", &self.admin.token),
            ("identity", "hs256_secret", &self.identity.hs256_secret),
        ];
        let missing = kept.iter().filter(|(.., given)| given.is_none());
        let names: Vec<_> = missing.map(|(section, key, _)| (*section, *key)).collect();
        if self.is_production() || names.is_empty() {
            return None;
        }
        let path = folder(&self.storage.path).join(FILE_NAME);
        read(&path)
            .and_then(|table| find_all(&table, &names, &path))
            .err()
    }
}

/// The database's folder.
fn folder(database: &Path) -> &Path {
    match database.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The named secrets, in order.
fn read_or_make(dir: &Path, path: &Path, names: &[(&str, &str)]) -> Result<Vec<Secret>, Problem> {
    let failed = |e: io::Error| {
        let cure = match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on its disk",
            _ => "make the directory writable",
        };
        Problem {
            key: path.display().to_string(),
            message: format!(
                "development secrets can't be kept here: {e}; {cure}, \
                 or set edge.secret, admin.token and identity.hs256_secret yourself"
            ),
        }
    };
    let mut table = read(path)?;
    if let Some(found) = find_all(&table, names, path)? {
        return Ok(found);
    }
    files::make_private_folder(dir).map_err(failed)?;
    let _lock = lock(dir);
    // Another process may have written the file since.
    table = read(path)?;
    for (section, key) in names {
        add_missing(&mut table, section, key, path)?;
    }
    replace(dir, path, &format!("{HEAD}\n{table}")).map_err(failed)?;
    let found = find_all(&table, names, path)?;
    found.ok_or_else(|| wrong_shape(path))
}

fn read(path: &Path) -> Result<toml::Table, Problem> {
    if path.exists() {
        source::read_table(path)
    } else {
        Ok(toml::Table::new())
    }
}

/// `None` when one is missing.
fn find_all(
    table: &toml::Table,
    names: &[(&str, &str)],
    path: &Path,
) -> Result<Option<Vec<Secret>>, Problem> {
    let find = |(section, key): &(&str, &str)| -> Option<Result<Secret, Problem>> {
        let value = table.get(*section)?.get(key)?;
        let text = value.as_str().ok_or_else(|| wrong_shape(path));
        Some(text.and_then(|text| Secret::parse(text).map_err(|_| wrong_shape(path))))
    };
    names.iter().map(|name| find(name).transpose()).collect()
}

fn add_missing(
    table: &mut toml::Table,
    section: &str,
    key: &str,
    path: &Path,
) -> Result<(), Problem> {
    let empty = toml::Value::Table(toml::Table::new());
    let section = table.entry(section).or_insert(empty);
    let section = section.as_table_mut().ok_or_else(|| wrong_shape(path))?;
    section
        .entry(key)
        .or_insert_with(|| random::secret().into());
    Ok(())
}

fn wrong_shape(path: &Path) -> Problem {
    Problem {
        key: path.display().to_string(),
        message: "must hold texts, as in [edge] secret = \"…\"; correct it, or remove it and a \
                  new one is made, which ends all tokens"
            .to_owned(),
    }
}

/// Locks the folder, so that two processes that start together use the same secrets. If the folder
/// can't be locked, the start continues without.
fn lock(dir: &Path) -> Option<File> {
    let handle = File::open(dir).ok()?;
    for _ in 0..LOCK_TRIES_MAX {
        match handle.try_lock() {
            Ok(()) => return Some(handle),
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(std::fs::TryLockError::Error(_)) => return None,
        }
    }
    None
}

/// Replaces the file atomically.
fn replace(dir: &Path, path: &Path, content: &str) -> io::Result<()> {
    let temporary = dir.join(format!(".{FILE_NAME}.{}", random::uuid()));
    files::create_private(&temporary, content)?;
    let renamed = std::fs::rename(&temporary, path);
    if renamed.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;

    fn config(dir: &Path, extra: &[(&str, &str)]) -> Config {
        let path = dir.join("data/chatkeep.db").display().to_string();
        let mut env: std::collections::BTreeMap<String, String> = extra
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        env.insert("CHATKEEP_STORAGE_PATH".to_owned(), path);
        let source = Source { path: None, env };
        let (config, report) = Config::from_table(toml::Table::new(), &source);
        assert_eq!(report.problems, []);
        config
    }

    fn all(config: &Config) -> [String; 3] {
        let secrets = [
            &config.edge.secret,
            &config.admin.token,
            &config.identity.hs256_secret,
        ];
        secrets.map(|secret| secret.as_ref().unwrap().expose().to_owned())
    }

    #[test]
    fn made_once_private_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut first = config(dir.path(), &[]);
        let path = first.fill_development_secrets().unwrap().unwrap();
        assert_eq!(path, dir.path().join("data/secrets.toml"));
        assert!(all(&first).iter().all(|s| s.len() == 64));
        assert!(first.edge.legacy_secret.is_none());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            assert_eq!(mode(path.parent().unwrap()), 0o700);
        }
        let mut second = config(dir.path(), &[]);
        second.fill_development_secrets().unwrap();
        assert_eq!(all(&first), all(&second));
        let left: Vec<_> = std::fs::read_dir(dir.path().join("data"))
            .unwrap()
            .collect();
        assert_eq!(left.len(), 1, "no temporary file stays");
    }

    #[test]
    fn what_is_configured_is_not_made_and_what_is_missing_is_added() {
        let dir = tempfile::tempdir().unwrap();
        let mut with_edge = config(dir.path(), &[("EDGE_SECRET", "mine")]);
        let path = with_edge.fill_development_secrets().unwrap().unwrap();
        assert_eq!(all(&with_edge)[0], "mine");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("mine") && !text.contains("[edge]"), "{text}");

        let mut without = config(dir.path(), &[]);
        without.fill_development_secrets().unwrap();
        assert_eq!(all(&without)[0].len(), 64);
        assert_eq!(all(&without)[1..], all(&with_edge)[1..]);
    }

    #[test]
    fn nothing_is_written_without_need() {
        let dir = tempfile::tempdir().unwrap();
        let long = "x".repeat(32);
        let given = [
            ("EDGE_SECRET", long.as_str()),
            ("CHATKEEP_ADMIN_TOKEN", &long),
            ("CHATKEEP_IDENTITY_HS256_SECRET", &long),
        ];
        let mut complete = config(dir.path(), &given);
        assert_eq!(complete.fill_development_secrets(), Ok(None));
        let mut production = config(dir.path(), &given);
        production.server.environment = crate::config::Environment::Production;
        production.admin.token = None;
        assert_eq!(production.fill_development_secrets(), Ok(None));
        assert!(production.admin.token.is_none());
        assert!(!dir.path().join("data").exists());
    }

    #[test]
    fn starts_at_once_agree() {
        let dir = tempfile::tempdir().unwrap();
        let made: Vec<[String; 3]> = std::thread::scope(|scope| {
            let start = || {
                let mut config = config(dir.path(), &[]);
                config.fill_development_secrets().unwrap();
                all(&config)
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(made.iter().all(|secrets| *secrets == made[0]));
    }

    #[test]
    fn a_broken_file_is_a_problem_and_stays() {
        for content in [
            "[edge\n",
            "edge = 1\n",
            "[edge]\nsecret = 1\n",
            "[edge]\nsecret = \"\"\n",
        ] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("data/secrets.toml");
            std::fs::create_dir(dir.path().join("data")).unwrap();
            std::fs::write(&path, content).unwrap();
            let problem = config(dir.path(), &[])
                .fill_development_secrets()
                .unwrap_err();
            assert_eq!(problem.key, path.display().to_string(), "{content}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
    }
}
