//! What a message asks for, as the builtin assistant understands it for certain. Pure.

use crate::assistant::powers::Strength;
use crate::assistant::tools::{OfferedTool, Tool};
use crate::assistant::{Intent, Understanding};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    /// To set, note or change something.
    Change,
    /// A superpower, to change or to tell something.
    Power,
}

impl Request {
    /// `None`: nothing that is certain, or nothing that a model has a tool for here.
    pub(super) fn of(
        understood: &Understanding,
        tools: &[OfferedTool],
        group: bool,
    ) -> Option<Self> {
        if tools.is_empty() {
            return None;
        }
        if changes(&understood.intent, group) {
            return Some(Self::Change);
        }
        let mut calls = understood.calls.calls.iter();
        let is_called = calls.any(|call| {
            let tool = OfferedTool::Own(Tool::Power(call.power));
            call.strength == Strength::Clear && tools.contains(&tool)
        });
        is_called.then_some(Self::Power)
    }
}

/// It lacks no part, and refers to nothing said before.
fn changes(intent: &Intent, group: bool) -> bool {
    match intent {
        Intent::Remind { .. } | Intent::CancelReminders(_) => true,
        Intent::Remember { .. } | Intent::SetTimezone(_) | Intent::SetName(_) => !group,
        Intent::Several(all) => all.iter().any(|one| changes(one, group)),
        _ => false,
    }
}
