//! What the model is told, beside some photos of a message, of those that it saw before.

use super::model_turn::{CallTotals, ModelTurn};
use super::result::ToolCall;

impl ModelTurn<'_> {
    /// A note on the photos before number `first`: the last call gets the texts about them, and
    /// each call the changes.
    pub(super) fn of_earlier_photos(&self, first: usize, totals: &CallTotals) -> String {
        let is_last = self
            .photo_batches()
            .last()
            .is_some_and(|batch| batch.0 == first);
        let mut note = String::new();
        if first == 0 || !is_last && totals.changes.is_empty() {
            return note;
        }
        if !totals.texts.is_empty() {
            let known = totals.texts.join(" ");
            note.push_str(&format!("\n[you said of the photos before: {known}]"));
        }
        let call = |call: &ToolCall| format!("{} {}", call.tool.name(), call.arguments);
        let done: Vec<String> = totals.changes.iter().map(call).collect();
        if !done.is_empty() {
            note.push_str(&format!(
                "\n[tools were called for the photos before, which is not to be repeated: {}]",
                done.join(", ")
            ));
        }
        note
    }
}
