//! What a message asks for, as the builtin assistant understands it for certain. Pure.

use crate::assistant::powers::{Facts, PowerCall, PowerContext, Strength};
use crate::assistant::tools::{OfferedTool, Tool};
use crate::assistant::{Intent, Understanding};
use crate::clock::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertainRequest {
    /// To set, note or change something.
    Change,
    /// A superpower, to change or to tell something.
    Power,
}

impl CertainRequest {
    /// `None`: nothing that is certain.
    pub(super) fn of(
        understood: &Understanding,
        tools: &[OfferedTool],
        group: bool,
        now: Timestamp,
    ) -> Option<Self> {
        if tools.is_empty() {
            return None;
        }
        if changes(&understood.intent, group) {
            return Some(Self::Change);
        }
        let is_called = |call: &&PowerCall| {
            let tool = OfferedTool::Own(Tool::Power(call.power));
            call.strength == Strength::Clear && tools.contains(&tool)
        };
        let called: Vec<&PowerCall> = understood.calls.calls.iter().filter(is_called).collect();
        match called.iter().any(|call| keeps(call, now)) {
            true => Some(Self::Change),
            false => (!called.is_empty()).then_some(Self::Power),
        }
    }
}

/// Whether a superpower would keep something of it that has kept nothing so far.
fn keeps(call: &PowerCall, now: Timestamp) -> bool {
    let facts = Facts::default();
    let context = PowerContext::alone(now, 0, &facts);
    let outcome = call.power.act(None, call.action.clone(), &context);
    outcome.is_ok_and(|outcome| outcome.stored.is_some() && !outcome.is_only_shown)
}

/// It lacks no part, and refers to nothing said before. A name or a place is often only told to the
/// others of a group.
fn changes(intent: &Intent, group: bool) -> bool {
    match intent {
        Intent::Remind { .. } | Intent::CancelReminders(_) | Intent::Remember { .. } => true,
        Intent::SetTimezone(_) | Intent::SetName(_) => !group,
        Intent::Several(all) => all.iter().any(|one| changes(one, group)),
        _ => false,
    }
}
