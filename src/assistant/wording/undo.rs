//! Wording of answers to "undo" and to what takes something back.

use super::reminders::reminders_cancelled;
use super::{list, quoted, times};
use crate::assistant::LocalNow;
use crate::clock::Timestamp;
/// "delete it" after a change that took something away or replaced it.
pub const NOT_DELETED_BY_UNDO: &str = "I'm not sure what is to go, so I've changed nothing. “undo” takes back the last change; to delete something, name it.";

pub const NOTHING_TO_UNDO: &str =
    "There's nothing I can undo. What I set, moved or took away can be undone for 10 minutes.";

/// "undo" after a message that changed nothing. `changed_by`: the message whose change it would take
/// back.
pub fn undo_unsure(changed_by: Option<&str>) -> String {
    let change = match changed_by {
        Some(text) => format!("what “{}” changed", quoted(text)),
        None => "the change before it".to_owned(),
    };
    format!(
        "There's nothing to take back of your last message. Shall I take back {change}? Say “yes”."
    )
}

pub const UNDONE_ALREADY: &str =
    "I've taken back the last change already, and can't go back further. Nothing has changed.";

pub const TOO_LATE_TO_UNDO: &str =
    "That's more than 10 minutes ago, so I can't take it back any more. Nothing has changed.";

/// "undo" while the message before it is not answered yet.
pub const STILL_ANSWERING: &str =
    "I'm still on your last message. Say “undo” once I've answered it.";

/// After "undo" in a group, of what somebody else changed by that message.
pub fn changed_by_another(text: &str) -> String {
    format!(
        "The last change was not yours but what “{}” did, so I've taken nothing back.",
        quoted(text)
    )
}

/// After "undo", of a reminder that somebody else has changed since.
pub fn changed_since(what: &str, send_at: Timestamp, now: LocalNow) -> String {
    format!(
        "Somebody has changed “{}” since, so it stays as it is, {}. “cancel my reminder to …” ends it.",
        quoted(what),
        times::day_and_time(send_at, now)
    )
}

/// After "undo" of "snooze": the reminders that it set are cancelled.
pub fn snooze_taken_back(reminders: &[(&str, Timestamp)]) -> String {
    let cancelled = reminders_cancelled(reminders);
    match reminders {
        [_] => format!("{cancelled} It has come already; “snooze 10 min” puts it off again."),
        _ => format!("{cancelled}\nThey have come already; “snooze 10 min” puts them off again."),
    }
}

/// After "undo": the newest memory is forgotten.
pub fn memory_taken_back(text: &str) -> String {
    format!("Okay, I've forgotten that: {}", quoted(text))
}

/// After "undo", where the last change was the name.
pub const NAME_STAYS: &str = "I can't take back a name. Tell me the right one: “my name is …”. What came before it stays as it is.";

/// After "undo", where the last change was the time zone.
pub const TIMEZONE_STAYS: &str = "I can't take back a time zone. Tell me the right one: “my time zone is …”. What came before it stays as it is.";

/// After "undo", where the last change was the language or the pronouns.
pub const FORM_OF_ADDRESS_STAYS: &str = "That can't be undone: it was how I write to you. Tell me the right language or pronouns instead. What came before it stays as it is.";

/// After "undo", where the last change was about the assistant's own messages.
pub const NOTICES_STAY: &str = "That can't be undone: it was what I send you by myself. Tell me how it should be instead. What came before it stays as it is.";

/// Deleted items were restored.
pub fn brought_back(reminders: &[(&str, Timestamp)], memories: &[String], now: LocalNow) -> String {
    let lines = reminders
        .iter()
        .map(|(what, at)| format!("{}: {}", times::listed_in_full(*at, now), quoted(what)));
    let lines: Vec<String> = lines
        .chain(memories.iter().map(|text| quoted(text)))
        .collect();
    let count = lines.len();
    list(
        "Okay, I've taken that back. Here again:",
        lines.into_iter(),
        count,
    )
}
