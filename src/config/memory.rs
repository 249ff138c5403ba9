//! `[memory]`: where memories of people are kept.

use super::report::Report;
use super::secret::Secret;
use super::section::{Choice, Section};
use super::url;

pub(super) const ABOUT: &str = "Where memories of people are kept.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryProvider {
    Local,
    Mem0,
}

#[derive(Debug, Clone)]
pub struct Memory {
    pub provider: MemoryProvider,
    /// Without a trailing slash. With `MemoryProvider::Mem0`, it is there.
    pub base_url: Option<String>,
    pub api_key: Option<Secret>,
}

impl Choice for MemoryProvider {
    const VALUES: &'static [(&'static str, Self)] = &[("local", Self::Local), ("mem0", Self::Mem0)];
}

pub(super) fn read(s: &mut Section<'_>) -> Memory {
    Memory {
        provider: s.choice(
            "provider",
            MemoryProvider::Local,
            "\"local\" keeps them in the database, \"mem0\" in a service of that kind.",
        ),
        base_url: s.parsed_if_set(
            "base_url",
            "https://api.mem0.ai",
            "Address of that service.",
            url::base,
        ),
        api_key: s.secret("api_key", "The key of that service, if it wants one."),
    }
}

pub(super) fn check(memory: &Memory, report: &mut Report) {
    if memory.provider == MemoryProvider::Mem0 && memory.base_url.is_none() {
        report.problem(
            "memory.base_url",
            "is needed with memory.provider = \"mem0\"",
        );
    }
}
