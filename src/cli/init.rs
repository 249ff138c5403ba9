//! `chatkeep init`: writes a commented `service.toml` for production with fresh secrets. It
//! never overwrites a file and never prints a secret.

use std::io;
use std::path::Path;

use crate::{config, files, random};

/// The error is one sentence for the operator.
pub(super) fn run(path: &Path) -> Result<(), String> {
    write(path)?;
    super::print(&next_steps(path))
}

fn write(path: &Path) -> Result<(), String> {
    let [edge, admin, hs256, sealing] = [(); 4].map(|()| random::secret());
    let text = config::production_file(&edge, &admin, &hs256, &sealing);
    let shown = path.display();
    files::create_private(path, &text).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => format!(
            "{shown} exists already and is left as it is; move it away first, or edit it and run `chatkeep check`"
        ),
        _ => format!("{shown} can't be written: {e}"),
    })
}

fn next_steps(path: &Path) -> String {
    let shown = path.display();
    format!(
        "\
Wrote {shown} (mode 0600) with environment = \"production\" and fresh secrets.

Next:
  1. Open it and set server.public_url, and server.listen if no proxy runs on this machine.
  2. chatkeep check --config {shown}
  3. chatkeep serve --config {shown}
  4. A token for each relay: chatkeep token edge --agent-id NAME --phone PHONE --config {shown}"
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
        write(&path).unwrap();
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
        let refused = write(&path).unwrap_err();
        assert!(refused.contains("exists already"), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_missing_directory_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let told = write(&dir.path().join("no/service.toml")).unwrap_err();
        assert!(told.contains("can't be written"), "{told}");
    }
}
