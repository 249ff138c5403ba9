//! `chatkeep init`: writes a commented `service.toml` for production with fresh secrets. Never
//! overwrites a file and never prints a secret.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::config::{self, NewSecrets, SealingKey};
use crate::{files, random};

#[derive(Args)]
pub(super) struct Options {
    /// Free users have a daily limit, and superpowers need a subscription.
    #[arg(long, conflicts_with = "charge_nobody")]
    charge: bool,
    /// Everybody may use everything; the default without a terminal.
    #[arg(long)]
    charge_nobody: bool,
}

/// The error is one sentence for the operator.
pub(super) fn run(path: &Path, options: &Options) -> Result<(), String> {
    if path.exists() {
        return Err(exists_already(path)); // checked before asking anything
    }
    let charge = match (options.charge, options.charge_nobody) {
        (false, false) if io::stdin().is_terminal() => {
            ask_about_charging().map_err(|e| format!("can't ask: {e}"))?
        }
        (charge, _) => charge,
    };
    let key_in_use = key_in_use(path);
    write(path, !charge, key_in_use.clone())?;
    super::print(&next_steps(path, !charge, key_in_use.as_deref()))
}

/// The sealing key of a trial in the configuration file's folder: what that encrypted stays readable
/// only with it.
fn key_in_use(path: &Path) -> Option<PathBuf> {
    let file = config::sealing_key_file(&files::folder_of(path).join(config::DATABASE));
    std::path::absolute(file).ok().filter(|file| file.exists())
}

fn ask_about_charging() -> io::Result<bool> {
    eprint!("Will people pay for subscriptions? Without them everybody may use everything. [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    let answer = answer.trim().to_ascii_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}

fn write(path: &Path, charge_nobody: bool, key_in_use: Option<PathBuf>) -> Result<(), String> {
    let secrets = NewSecrets {
        edge_secret: random::secret(),
        admin_token: random::secret(),
        hs256_secret: random::secret(),
        sealing_key: match key_in_use {
            Some(file) => SealingKey::InFile(file),
            None => SealingKey::New(random::secret()),
        },
    };
    let text = config::production_file(&secrets, charge_nobody);
    files::create_private(path, &text).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => exists_already(path),
        io::ErrorKind::NotFound => format!(
            "{} can't be written: there is no folder {1}; make it (mkdir -p {1})",
            path.display(),
            files::folder_of(path).display()
        ),
        _ => format!("{} can't be written: {e}", path.display()),
    })
}

fn exists_already(path: &Path) -> String {
    format!(
        "{} exists already and was not changed; move it away first, or edit it and run `chatkeep check`",
        path.display()
    )
}

fn next_steps(path: &Path, charge_nobody: bool, key_in_use: Option<&Path>) -> String {
    let file = path.display();
    let kept_key = key_in_use.map_or(String::new(), |key| {
        format!(
            "The sealing key stays {}, so that webhooks, calendars and mailboxes of the trial go on \
             working.\n",
            key.display()
        )
    });
    let charging = match charge_nobody {
        true => "Everybody counts as subscribed (access.charge_nobody = true).",
        false => {
            "Free users have a daily limit, and superpowers need a subscription (access.charge_nobody = false)."
        }
    };
    format!(
        "\
Wrote {file} (mode 0600) with environment = \"production\" and fresh secrets.
{charging}
{kept_key}
Next:
  1. Open it and set server.public_url, storage.path and exports.dir (absolute paths, so that
     commands find the database from any folder), server.trusted_proxies to the proxy's address,
     and server.listen if no proxy runs on this machine.
  2. chatkeep check --config {file}
  3. chatkeep serve --config {file}
  4. A token for each relay: chatkeep token edge --agent-id NAME --phone PHONE --config {file}

{}",
        superpowers_advice(Some(path))
    )
}

/// How to switch superpowers on in production, where they are off by default.
pub(super) fn superpowers_advice(file: Option<&Path>) -> String {
    let config = file.map_or(String::new(), |f| format!(" --config {}", f.display()));
    format!(
        "Superpowers (lists, habits, budgets, …) are off in production. This switches them on:\n  \
         chatkeep flags set superpower.enabled true{config}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Source};

    #[test]
    fn writes_a_private_file_that_loads_and_never_overwrites_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("service.toml");
        write(&path, true, None).unwrap();
        let source = Source {
            path: Some(path.clone()),
            ..Source::default()
        };
        let loaded = Config::load(&source).unwrap();
        assert!(loaded.config.is_production());
        let secrets = [
            loaded.config.edge.secret.unwrap(),
            loaded.config.admin.token.unwrap(),
            loaded.config.identity.hs256_secret.unwrap(),
        ];
        assert!(secrets.iter().all(|s| s.expose().len() == 64));
        assert_ne!(secrets[0].expose(), secrets[1].expose());
        assert_ne!(secrets[1].expose(), secrets[2].expose());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }

        let before = std::fs::read(&path).unwrap();
        let error = write(&path, true, None).unwrap_err();
        assert!(error.contains("exists already"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_missing_directory_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let error = write(&dir.path().join("no/service.toml"), true, None).unwrap_err();
        assert!(error.contains("can't be written"), "{error}");
    }
}
