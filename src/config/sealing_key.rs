//! The key that seals webhooks' secrets if `marketplace.sealing_key` is not set. It is a file
//! beside the database, never in the database.

use std::path::{Path, PathBuf};

use super::secret::Secret;
use crate::{files, random};

const FILE_NAME: &str = "sealing.key";

/// The path of the generated key.
pub fn sealing_key_file(database: &Path) -> PathBuf {
    database.with_file_name(FILE_NAME)
}

/// The key in that file; `None` without a file. The error is a sentence for the operator.
pub fn read_sealing_key(path: &Path) -> Result<Option<Secret>, String> {
    match path.try_exists() {
        Ok(false) => Ok(None),
        _ => Secret::read_file(path).map(Some),
    }
}

/// Creates that file (mode 0600) with a new key.
pub fn generate_sealing_key(path: &Path) -> Result<Secret, String> {
    let key = random::secret();
    files::create_private(path, &format!("{key}\n")).map_err(|e| {
        format!(
            "the key that seals webhooks' secrets can't be stored in {}: {e}; make the directory writable, or set marketplace.sealing_key",
            path.display()
        )
    })?;
    Ok(Secret::new(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_generated_once_in_a_private_file_and_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = sealing_key_file(&dir.path().join("chatkeep.db"));
        assert_eq!(path, dir.path().join("sealing.key"));
        assert!(read_sealing_key(&path).unwrap().is_none());
        let generated = generate_sealing_key(&path).unwrap();
        let read = read_sealing_key(&path).unwrap().unwrap();
        assert_eq!(generated.expose(), read.expose());
        assert_eq!(generated.len_bytes(), 64);
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(
            generate_sealing_key(&path).is_err(),
            "an existing key is never replaced"
        );
        std::fs::write(&path, "").unwrap();
        assert!(read_sealing_key(&path).is_err());
    }
}
