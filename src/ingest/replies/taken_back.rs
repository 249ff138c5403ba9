//! What the calls for one message made and took away again: nothing of it is left. Pure.

use super::call_effects::CallEffects;
use super::result::CallRecord;
use crate::assistant::tools::Tool;

/// The tool of a new reminder.
const NEW_REMINDER: &str = Tool::SetReminder.name();

/// Whether a call is about what calls for the message made and took away again.
pub(super) fn is_taken_back(record: &CallRecord, all: &[CallRecord]) -> bool {
    let Some(reminder) = &record.reminder else {
        return are_things_taken_back(record, all);
    };
    let mut same = all.iter().filter(|other| {
        let other = other.reminder.as_ref();
        other.is_some_and(|other| other.id == reminder.id)
    });
    let is_new = same.clone().any(|other| other.tool == NEW_REMINDER);
    let last = same.next_back().and_then(|last| last.reminder.as_ref());
    is_new && last.is_some_and(|last| last.at.is_none())
}

/// Whether a later call removes all that `record` makes, or earlier ones made all that it removes.
fn are_things_taken_back(record: &CallRecord, all: &[CallRecord]) -> bool {
    let Some(at) = all.iter().position(|one| std::ptr::eq(one, record)) else {
        return false;
    };
    let CallEffects { made, removed, .. } = &record.effects;
    let changes = |one: &&CallRecord| one.is_change;
    let mut later = all[at + 1..].iter().filter(changes);
    let made_before = || {
        all[..at]
            .iter()
            .filter(changes)
            .flat_map(|one| &one.effects.made)
    };
    let is_removed = later.any(|one| made.iter().all(|thing| one.effects.removed.contains(thing)));
    let is_of_before = || {
        removed
            .iter()
            .all(|thing| made_before().any(|one| one == thing))
    };
    !made.is_empty() && is_removed || !removed.is_empty() && is_of_before()
}
