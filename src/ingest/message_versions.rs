//! Finds the earlier version of an edited message. What becomes of it is decided in `edited_messages`.

use serde_json::Value;

use super::Message;
use super::dialog::NUMBERS_MS;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::{MessageRow, Room, Tx, UserId};

/// Messages of a chat among which the earlier version is looked for.
const SEARCHED_MAX: usize = 20;

/// The earlier version of an edited message.
pub(super) struct EarlierVersion {
    /// All versions before it, newest first; at least one.
    pub(super) rows: Vec<MessageRow>,
    /// A version of today counts towards the daily limit.
    pub(super) is_counted: bool,
}

/// Versions by the same person in the same chat, some minutes ago at most.
pub(super) fn earlier_version(
    tx: &Tx,
    message: &Message,
    room: &Room,
    user: UserId,
    now: Timestamp,
) -> Result<Option<EarlierVersion>> {
    let (Some(key), Some(head)) = (corrected_key(message.context.as_deref()), room.head) else {
        return Ok(None);
    };
    let mut rows = tx.view().chain(head, SEARCHED_MAX)?;
    rows.retain(|row| is_version(row, &key, user, now));
    let is_counted = rows
        .iter()
        .any(|row| row.counted && row.received_at.utc_day() == now.utc_day());
    Ok((!rows.is_empty()).then_some(EarlierVersion { rows, is_counted }))
}

/// Whether an edit changes no word, adds no photo, and is addressed to the assistant as before.
pub(super) fn has_same_words(earlier: &MessageRow, edit: &Message) -> bool {
    let context = earlier.context.as_deref();
    let was_addressed = value_of(context, "reply_to_assistant") == Some(Value::Bool(true));
    earlier.text == edit.text && edit.photos == 0 && (was_addressed || !edit.reply_to_assistant)
}

pub(super) fn is_edited(message: &MessageRow) -> bool {
    corrected_key(message.context.as_deref()).is_some()
}

/// The earlier versions of an edited message among those before it in its chat.
pub(super) fn among<'r>(before: &'r [MessageRow], message: &MessageRow) -> Vec<&'r MessageRow> {
    let Some(key) = corrected_key(message.context.as_deref()) else {
        return Vec::new();
    };
    let (user, at) = (message.user, message.received_at);
    let versions = before.iter().filter(|row| is_version(row, &key, user, at));
    versions.collect()
}

/// When a message changed something, if it did: the time of what it made.
pub(super) fn acted_at(message: &MessageRow) -> Timestamp {
    let decision = message.decision.as_deref();
    let decision: Option<Value> = decision.and_then(|json| serde_json::from_str(json).ok());
    let at = decision.and_then(|decision| decision.get("acted_at")?.as_i64());
    at.map_or(message.received_at, Timestamp)
}

/// Whether it is the message with this key, or a correction of it.
fn is_version(row: &MessageRow, key: &str, user: UserId, now: Timestamp) -> bool {
    let context = row.context.as_deref();
    let is_first = || text_of(context, "message_id").as_deref() == Some(key);
    let is_recent = now.0 - row.received_at.0 <= NUMBERS_MS;
    row.user == user && is_recent && (is_first() || corrected_key(context).as_deref() == Some(key))
}

/// The key of the message that one corrects.
fn corrected_key(context: Option<&str>) -> Option<String> {
    // Most messages correct none.
    context.filter(|context| context.contains("\"corrects\""))?;
    text_of(context, "corrects")
}

fn text_of(context: Option<&str>, field: &str) -> Option<String> {
    value_of(context, field)?.as_str().map(str::to_owned)
}

fn value_of(context: Option<&str>, field: &str) -> Option<Value> {
    let mut context: Value = serde_json::from_str(context?).ok()?;
    context.get_mut(field).map(Value::take)
}
