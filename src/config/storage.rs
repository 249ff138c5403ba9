//! `[storage]`: the one database file.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::section::{Choice, Section};
use super::text;

pub(super) const ABOUT: &str = "The one database file.";

const READERS: RangeInclusive<u64> = 1..=64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// What was answered 200 survives power loss.
    Full,
    /// What was answered 200 survives a crash of the process.
    Normal,
}

#[derive(Debug, Clone)]
pub struct Storage {
    /// Relative paths start at the working directory.
    pub path: PathBuf,
    pub durability: Durability,
    pub readers: u64,
}

impl Choice for Durability {
    const VALUES: &'static [(&'static str, Self)] =
        &[("full", Self::Full), ("normal", Self::Normal)];
}

pub(super) fn read(s: &mut Section<'_>) -> Storage {
    Storage {
        path: PathBuf::from(s.parsed(
            "path",
            "data/chatkeep.db".to_owned(),
            "The database. Relative paths start at the working directory.",
            database_path,
        )),
        durability: s.choice(
            "durability",
            Durability::Full,
            "\"full\": what was answered 200 survives a loss of power; \"normal\": a crash of the process.",
        ),
        readers: s.number(
            "readers",
            4,
            READERS,
            "Connections that read at the same time.",
        ),
    }
}

fn database_path(text: &str) -> Result<String, String> {
    let path = text::line(text)?;
    if path.ends_with('/') || std::path::Path::new(&path).file_name().is_none() {
        return Err("must name a file, like \"data/chatkeep.db\"".to_owned());
    }
    Ok(path)
}
