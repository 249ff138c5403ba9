//! Reminders that the calls for one message set and cancelled again: nothing of them is left. Pure.

use super::result::CallRecord;
use crate::assistant::tools::Tool;

/// The tool of a new reminder.
const NEW_REMINDER: &str = Tool::SetReminder.name();

/// Whether a call is about a reminder that calls for the message set and cancelled again.
pub(super) fn is_taken_back(record: &CallRecord, all: &[CallRecord]) -> bool {
    let Some(reminder) = &record.reminder else {
        return false;
    };
    let mut same = all.iter().filter(|other| {
        let other = other.reminder.as_ref();
        other.is_some_and(|other| other.id == reminder.id)
    });
    let is_new = same.clone().any(|other| other.tool == NEW_REMINDER);
    let last = same.next_back().and_then(|last| last.reminder.as_ref());
    is_new && last.is_some_and(|last| last.at.is_none())
}
