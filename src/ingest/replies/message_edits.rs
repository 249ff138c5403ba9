//! An edited message that a language model answers: what its earlier versions did is taken back
//! with the first change that a tool makes for the new version, except what a call names, so that
//! nothing is done twice.

use serde_json::{Value, json};

use super::model_turn::ModelTurn;
use super::result::{ReplacedVersions, ToolCall};
use super::tool_outcomes::{CHANGED_NOTHING, CallResult};
use crate::assistant::powers::PowerAction;
use crate::assistant::tools::Tool;
use crate::error::Result;
use crate::ingest::memories;
use crate::ingest::powers::{self, PowerReply, attempt};
use crate::ingest::turn::MessageTurn;
use crate::store::Tx;

/// What a result says beside what was taken back.
const TAKEN_BACK: &str = "This was done for the earlier version of the message and was taken \
                          back. What the new version still asks for has to be done again.";

impl ModelTurn<'_> {
    /// Notes with each call that changes something what it replaces. `before`: earlier calls for the
    /// message; `committed`: how many of them were committed with a part of the reply, and have
    /// replaced it.
    pub(super) fn replace_versions(
        &self,
        before: &[ToolCall],
        calls: &mut [ToolCall],
        committed: usize,
    ) {
        if committed > 0 || !self.context.done_calls.is_empty() {
            return;
        }
        let named = before.iter().chain(&*calls);
        let replaced = ReplacedVersions::of(&self.context.dialog.earlier_times, named);
        // Who changes or ends one thing of the earlier version says nothing of the others.
        let is_change = |call: &&mut ToolCall| {
            call.operation.changes()
                && !matches!(
                    call.tool,
                    Tool::AnswerPrivately
                        | Tool::ChangeReminder
                        | Tool::CancelReminder
                        | Tool::Forget
                )
        };
        for call in calls.iter_mut().filter(is_change) {
            call.replaces.clone_from(&replaced);
        }
    }
}

impl MessageTurn<'_> {
    /// Carries out a call that changes something in the place of what earlier versions did.
    pub(super) fn run_in_place(
        mut self,
        tx: &mut Tx<'_>,
        call: &ToolCall,
        earlier: &ReplacedVersions,
    ) -> Result<CallResult> {
        let is_admitted = std::mem::replace(&mut self.is_admitted, true);
        let taken_back = self.take_back(tx, earlier)?;
        self.is_admitted = is_admitted;
        let mut result = self.run_call(tx, call)?;
        if !taken_back.is_empty() {
            // "Not milk" is done by taking it back.
            if result.outcome == CHANGED_NOTHING {
                result = CallResult::done(json!({}));
            }
            // What a refused call took back is not committed.
            if result.is_ok() {
                result.json["replaced"] = taken_back.into();
                result.json["note"] = TAKEN_BACK.into();
            }
        }
        Ok(result)
    }

    /// What was taken back, without what is private in a group.
    fn take_back(&self, tx: &mut Tx<'_>, earlier: &ReplacedVersions) -> Result<Vec<Value>> {
        let mut taken_back = Vec::new();
        for at in &earlier.times {
            for reminder in tx.view().reminders_made_at(self.user.id, *at)? {
                if earlier.names(&reminder.schedule_id) {
                    continue;
                }
                tx.delete_reminder(reminder.id)?;
                if !self.in_group() || reminder.room == self.room.id {
                    taken_back.push(self.to_json(&reminder));
                }
            }
            for power in powers::changed_at(self, tx, *at)? {
                let undone = attempt::act(self, tx, power, PowerAction::Undo)?;
                if matches!(undone, Some(PowerReply::Said { changed: true, .. })) {
                    taken_back.push(json!({ "last_change_of": power.name() }));
                }
            }
            if self.in_group() {
                continue;
            }
            for memory in memories::known(self, tx)?.memories {
                if memory.created_at == Some(*at) && !earlier.names(&memory.id) {
                    let memories = &self.ingest.memories;
                    memories.forget(tx, self.user.id, &memory, self.now)?;
                    taken_back.push(json!({ "memory": memory.text }));
                }
            }
        }
        Ok(taken_back)
    }
}
