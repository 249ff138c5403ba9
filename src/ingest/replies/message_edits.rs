//! An edited message that a language model answers: what its earlier versions did is taken back
//! with the first change that a tool makes for the new version, except what a call names, so that
//! nothing is done twice.

use serde_json::{Value, json};

use super::model_turn::ModelTurn;
use super::reminder_json::to_json;
use super::result::{ReplacedVersions, ToolCall};
use crate::assistant::powers::PowerAction;
use crate::assistant::tools::Tool;
use crate::error::Result;
use crate::ingest::memories;
use crate::ingest::powers::{self, PowerReply, attempt};
use crate::ingest::turn::MessageTurn;
use crate::store::Tx;

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

/// What was taken back, without what is private in a group.
pub(super) fn take_back(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    earlier: &ReplacedVersions,
) -> Result<Vec<Value>> {
    let mut taken_back = Vec::new();
    for at in &earlier.times {
        for reminder in tx.view().reminders_made_at(turn.user.id, *at)? {
            if earlier.names(&reminder.schedule_id) {
                continue;
            }
            tx.delete_reminder(reminder.id)?;
            if !turn.in_group() || reminder.room == turn.room.id {
                taken_back.push(to_json(turn, &reminder));
            }
        }
        for power in powers::changed_at(turn, tx, *at)? {
            let undone = attempt::act(turn, tx, power, PowerAction::Undo)?;
            if matches!(undone, Some(PowerReply::Said { changed: true, .. })) {
                taken_back.push(json!({ "last_change_of": power.name() }));
            }
        }
        if turn.in_group() {
            continue;
        }
        for memory in memories::known(turn, tx)?.memories {
            if memory.created_at == Some(*at) && !earlier.names(&memory.id) {
                let memories = &turn.ingest.memories;
                memories.forget(tx, turn.user.id, &memory, turn.now)?;
                taken_back.push(json!({ "memory": memory.text }));
            }
        }
    }
    Ok(taken_back)
}
