//! What the model is told, beside some photos of a message, of those that it saw before; and what the
//! person is told of those that it did not see.

use super::model_turn::{CallTotals, ModelTurn, PHOTO_REQUESTS_MAX};
use super::result::ToolCall;
use crate::assistant::wording;

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

    /// The reply's text with the photos that were not looked at, of a message with others.
    pub(super) fn with_unseen_photos(&self, text: String, work: &CallTotals) -> String {
        let all = self.context.photos.len();
        let seen_max = self.plan.batch * PHOTO_REQUESTS_MAX;
        let failed = work.photos_unseen.iter();
        let mut unseen: Vec<usize> = failed
            .flat_map(|(first, count)| first + 1..=first + count)
            .collect();
        unseen.extend(seen_max + 1..=all);
        if self.pending.unprompted || text.is_empty() || unseen.is_empty() {
            return text;
        }
        let unseen = wording::unseen_photos(&unseen, self.language_with(&text));
        format!("{text}\n\n{unseen}")
    }
}
