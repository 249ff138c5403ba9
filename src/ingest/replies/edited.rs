//! An edited message that a language model answers: the reminders of its earlier versions, which
//! the model is told of, and which those that it sets for the new one replace, so that none stays
//! beside them.

use serde_json::{Value, json};

use super::result::ToolCall;
use super::tool_outcomes::CallResult;
use crate::error::Result;
use crate::ingest::dialog::{self, Latest};
use crate::ingest::turn::MessageTurn;
use crate::store::{MessageRow, Tx};

/// The ids of the reminders that a message set.
pub(super) fn reminders_of(message: &MessageRow) -> Vec<String> {
    let parsed = |json: Option<&str>| -> Value {
        let value = json.and_then(|json| serde_json::from_str(json).ok());
        value.unwrap_or_default()
    };
    let decision = parsed(message.decision.as_deref());
    let schedule = parsed(message.schedule.as_deref());
    let by_model = decision["reminders"].as_array().into_iter().flatten();
    let all = by_model.chain(schedule.get("schedule_id"));
    let mut ids: Vec<String> = all
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

impl MessageTurn<'_> {
    /// Sets a reminder in the place of those of the earlier version that are still open.
    pub(super) fn replace_reminders(&self, tx: &mut Tx<'_>, call: &ToolCall) -> Result<CallResult> {
        let mut replaced = Vec::new();
        for id in &call.replaced {
            let reminder = tx.reminder(id)?;
            replaced.extend(reminder.filter(|reminder| reminder.user == self.user.id));
        }
        let mut result = self.run_operation(tx, &call.operation, &call.new_id)?;
        if result.is_ok() && !replaced.is_empty() {
            let texts: Vec<Value> = replaced.iter().map(|one| self.to_json(one)).collect();
            let set = tx.dialog(self.room.id, self.user.id)?.latest;
            self.cancel_reminders(tx, &replaced)?;
            // "it" and "undo" mean the new one.
            if let Some(set) = dialog::recent::<Latest>(set.as_ref(), 0, self.now) {
                set.0.note(tx, self.room.id, self.user.id, self.now)?;
            }
            result.json["replaced"] = json!(texts);
        }
        Ok(result)
    }
}
