//! The origin of settings: a file and environment variables. No other file reads settings of the
//! service from the environment.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::report::ConfigProblem;
use super::unknown_keys::{ENV_PREFIX, OLD_VARIABLES};

const CONFIG_FILE_BYTES_MAX: u64 = 1024 * 1024;
const DEFAULT_FILE: &str = "service.toml";
const FILE_VARIABLE: &str = "CHATKEEP_CONFIG";

#[derive(Debug, Clone, Default)]
pub struct Source {
    /// `--config`.
    pub path: Option<PathBuf>,
    /// Environment variables by name. An empty value counts as unset.
    pub env: BTreeMap<String, String>,
}

impl Source {
    /// The variables of this process that concern the service.
    pub fn process(path: Option<PathBuf>) -> Self {
        let env = std::env::vars_os()
            .map(|(name, value)| {
                // Invalid UTF-8 becomes a replacement character, which the reader refuses.
                let text = |part: std::ffi::OsString| part.to_string_lossy().into_owned();
                (text(name), text(value))
            })
            .filter(|(name, _)| is_service_variable(name))
            .collect();
        Self { path, env }
    }

    /// The named file, else `service.toml` in the working directory if it exists.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let is_there = |path: &PathBuf| self.is_named() || path.exists();
        Some(self.file_to_write()).filter(is_there)
    }

    /// The named file, else `service.toml` in the working directory; it may be missing.
    pub fn file_to_write(&self) -> PathBuf {
        let named = self.path.clone().or_else(|| self.variable());
        named.unwrap_or_else(|| DEFAULT_FILE.into())
    }

    fn is_named(&self) -> bool {
        self.path.is_some() || self.variable().is_some()
    }

    fn variable(&self) -> Option<PathBuf> {
        let value = self.env.get(FILE_VARIABLE).filter(|v| !v.is_empty());
        value.map(PathBuf::from)
    }
}

/// Reads a file as TOML. Messages name the place of an error, never the text: it may be a secret.
pub(super) fn read_table(path: &Path) -> Result<toml::Table, ConfigProblem> {
    let problem = |message: String| ConfigProblem {
        key: path.display().to_string(),
        message,
    };
    let mut text = String::new();
    File::open(path)
        .and_then(|file| {
            file.take(CONFIG_FILE_BYTES_MAX + 1)
                .read_to_string(&mut text)
        })
        .map_err(|e| problem(format!("the configuration file can't be read: {e}")))?;
    if text.len() as u64 > CONFIG_FILE_BYTES_MAX {
        return Err(problem(format!(
            "the configuration file is larger than {CONFIG_FILE_BYTES_MAX} bytes"
        )));
    }
    parse_table(&text).map_err(problem)
}

pub(super) fn parse_table(text: &str) -> Result<toml::Table, String> {
    text.parse::<toml::Table>().map_err(|e| {
        let start = e.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        let row = before.matches('\n').count();
        let line = row + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        // These two messages of the parser repeat the value, which may be an unquoted secret of
        // digits.
        let message = match e.message() {
            m if m.starts_with("invalid type") || m.starts_with("invalid value") => {
                "the number is too large; a text needs quotes"
            }
            "duplicate key" => {
                let written = text.lines().nth(row).unwrap_or_default();
                let why = standing_twice(written.trim());
                return format!("line {line}, column {column}: {why}");
            }
            m => m,
        };
        format!("line {line}, column {column}: not valid TOML: {message}")
    })
}

/// About a line that repeats a section's head or a key, without the key's value.
fn standing_twice(line: &str) -> String {
    match line.split_once(']') {
        Some((head, _)) if line.starts_with('[') => {
            format!("the section {head}] stands twice; move its keys into the first one")
        }
        _ => {
            let key = line.split('=').next().unwrap_or_default().trim();
            format!("the key {key} stands twice in its section; remove one of them")
        }
    }
}

fn is_service_variable(name: &str) -> bool {
    name.starts_with(ENV_PREFIX) || OLD_VARIABLES.iter().any(|(_, fixed)| *fixed == name)
}
