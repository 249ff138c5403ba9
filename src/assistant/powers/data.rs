//! What superpowers keep as typed fields, for language models: parts that several of them share.

use serde_json::Value;

use super::local_time;

/// Entries of one kind; older ones are counted.
const ENTRIES_MAX: usize = 30;

/// The newest entries, which are the last, and the number of those before them.
pub(super) fn newest<T>(all: &[T], to_json: impl Fn(&T) -> Value) -> (Vec<Value>, usize) {
    let more = all.len().saturating_sub(ENTRIES_MAX);
    (all[more..].iter().map(to_json).collect(), more)
}

/// A stored day as "2026-12-24".
pub(super) fn date_text(day: i32) -> String {
    local_time::day(day).to_string()
}
