//! The numbers of a list of entries: those that were shown last mean the same ones for ten minutes.

use serde::{Deserialize, Serialize};

use super::{Entries, Entry};
use crate::assistant::powers::PowerContext;
use crate::assistant::text::words::Words;

const KEPT_MS: i64 = 10 * 60_000;

/// The entries of a list in the order in which their numbers were shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ShownEntries {
    /// Milliseconds since the epoch.
    at: i64,
    sources: Vec<String>,
}

impl ShownEntries {
    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}

/// "delete 1", "forget #2": the number of an entry that is to be removed. `verbs`: how it begins.
pub(in super::super) fn removed_number(
    words: &Words,
    at: usize,
    end: usize,
    verbs: &[&str],
) -> Option<usize> {
    let number = words.get(at + 1).trim_start_matches('#');
    let is_whole = at + 2 == end && verbs.contains(&words.get(at));
    number.parse().ok().filter(|_| is_whole)
}

impl Entries {
    /// Before the list is shown: its numbers.
    pub(in super::super) fn number(&mut self, context: &PowerContext) {
        let sources = self.sorted(context).into_iter().map(Entry::source);
        self.shown = ShownEntries {
            sources: sources.collect(),
            at: context.now.0,
        };
    }

    /// The entry with that number in the list that was shown.
    pub(in super::super) fn numbered(&self, number: usize, context: &PowerContext) -> Option<u32> {
        let is_kept = (0..=KEPT_MS).contains(&(context.now.0 - self.shown.at));
        let at = number.checked_sub(1).filter(|_| is_kept)?;
        let source = self.shown.sources.get(at)?;
        let mut entries = self.list.iter();
        let found = entries.find(|entry| entry.source() == *source)?;
        Some(found.id)
    }

    pub(in super::super) fn with_shown(&self, other: &Self) -> Self {
        Self {
            shown: other.shown.clone(),
            ..self.clone()
        }
    }
}
