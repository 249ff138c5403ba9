//! An edited message that a language model answers: what its earlier versions did is taken back
//! with the first change that a tool makes for the new version, except what a call names, so that
//! nothing is done twice.

use serde_json::{Value, json};

use super::model_turn::ModelTurn;
use super::reminder_json::to_json;
use super::result::{ReplacedVersion, ReplacedVersions, ToolCall};
use crate::assistant::powers::PowerAction;
use crate::assistant::tools::Tool;
use crate::error::{Error, Result};
use crate::ingest::open_reminders::{self, RemovedReminder};
use crate::ingest::powers::{self, PowerReply, attempt};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{birthdays, memories};
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
        let replaced = ReplacedVersions::of(&self.context.dialog.earlier_versions, named);
        let is_change =
            |call: &&mut ToolCall| call.operation.changes() && call.tool != Tool::AnswerPrivately;
        for call in calls.iter_mut().filter(is_change) {
            call.replaces.clone_from(&replaced);
        }
    }
}

/// Takes back earlier changes for a call. Returns them, without private ones in a group.
pub(super) fn take_back(
    turn: &MessageTurn,
    tx: &mut Tx,
    call: &ToolCall,
    earlier: &ReplacedVersions,
) -> Result<Vec<Value>> {
    // Who changes or ends one thing of the earlier version says nothing of the others.
    let is_of_one = matches!(
        call.tool,
        Tool::ChangeReminder | Tool::CancelReminder | Tool::Forget
    );
    let mut taken_back = Vec::new();
    for version in &earlier.versions {
        taken_back.extend(bring_back(turn, tx, earlier, version.message_id)?);
        if !is_of_one {
            taken_back.extend(take_back_version(turn, tx, earlier, *version)?);
        }
    }
    Ok(taken_back)
}

/// Restores what an earlier version cancelled or removed, unless another version had made it.
/// Returns its names.
fn bring_back(
    turn: &MessageTurn,
    tx: &mut Tx,
    earlier: &ReplacedVersions,
    message_id: i64,
) -> Result<Vec<Value>> {
    let mut brought_back = Vec::new();
    for (kind, user, item) in tx.take_removed(turn.user.id, message_id, false)? {
        let stated_at = memories::stated_at(&item);
        let mut versions = earlier.versions.iter();
        match kind.as_str() {
            "reminder" => {
                let removed: RemovedReminder =
                    serde_json::from_str(&item).map_err(Error::internal)?;
                if versions.any(|one| removed.set_by == Some(one.message_id)) {
                    continue;
                }
                let reminder = open_reminders::restore(turn, tx, user, &item)?;
                let here = reminder.filter(|one| !turn.in_group() || one.room == turn.room.id);
                brought_back.extend(here.map(|one| json!({ "back": to_json(turn, &one) })));
            }
            "birthday" => {
                let line = birthdays::restore(turn, tx, &item)?;
                brought_back.extend(line.map(|line| json!({ "back": line })));
            }
            _ if versions.any(|one| stated_at == Some(one.acted_at)) => {}
            _ => {
                let text = memories::restore(turn, tx, &item)?;
                brought_back.push(json!({ "back": text }));
            }
        }
    }
    Ok(brought_back)
}

/// Takes back the changes of one earlier version.
fn take_back_version(
    turn: &MessageTurn,
    tx: &mut Tx,
    earlier: &ReplacedVersions,
    version: ReplacedVersion,
) -> Result<Vec<Value>> {
    let mut taken_back = Vec::new();
    for reminder in tx.reminders_of_message(turn.user.id, version.message_id)? {
        if earlier.names(&reminder.schedule_id) {
            continue;
        }
        tx.delete_reminder(reminder.id)?;
        if !turn.in_group() || reminder.room == turn.room.id {
            taken_back.push(to_json(turn, &reminder));
        }
    }
    for power in powers::changed_by(turn, tx, version.message_id)? {
        let undone = attempt::act(turn, tx, power, PowerAction::Undo)?;
        if matches!(undone, Some(PowerReply::Said { changed: true, .. })) {
            taken_back.push(json!({ "last_change_of": power.name() }));
        }
    }
    if turn.in_group() {
        return Ok(taken_back);
    }
    for memory in memories::known(turn, tx)?.memories {
        if memory.created_at == Some(version.acted_at) && !earlier.names(&memory.id) {
            let memories = &turn.ingest.memories;
            memories.forget(tx, turn.user.id, &memory, turn.now)?;
            taken_back.push(json!({ "memory": memory.text }));
        }
    }
    Ok(taken_back)
}
