//! A secret value that is never printed, and reading it from a file.

use std::fmt;
use std::io::Read as _;
use std::path::Path;

const SECRET_FILE_BYTES_MAX: u64 = 16 * 1024;

/// Debug and Display print `[secret]`. There is no `==`, because comparing must take constant time.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn len_bytes(&self) -> usize {
        self.0.len()
    }

    /// Checks a value. The error never repeats the value.
    pub(super) fn parse(value: &str) -> Result<Self, String> {
        if value.is_empty() {
            return Err("is empty".to_owned());
        }
        if value.chars().any(char::is_control) {
            return Err("contains a line break or another control character".to_owned());
        }
        Ok(Self(value.to_owned()))
    }

    /// The content of a file, without one trailing newline.
    pub(super) fn read_file(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let mut content = String::new();
        std::fs::File::open(path)
            .and_then(|file| {
                file.take(SECRET_FILE_BYTES_MAX + 1)
                    .read_to_string(&mut content)
            })
            .map_err(|e| format!("the file {name} can't be read: {e}"))?;
        if content.len() as u64 > SECRET_FILE_BYTES_MAX {
            return Err(format!(
                "the file {name} contains more than {SECRET_FILE_BYTES_MAX} bytes"
            ));
        }
        let line = content.strip_suffix('\n').unwrap_or(&content);
        let line = line.strip_suffix('\r').unwrap_or(line);
        Self::parse(line).map_err(|why| format!("the file {name} {why}"))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("[secret]")
    }
}
