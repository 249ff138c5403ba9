//! What a language model may do with the notices before events.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, changes, reads};
use super::{BEFORE_MINUTES_MAX, EventReminderAction};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: EventReminderOperation,
    /// For set_minutes_before: at most 1440.
    minutes: Option<i64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EventReminderOperation {
    Show,
    SetMinutesBefore,
}

impl super::super::operations::Arguments for Arguments {
    type Action = EventReminderAction;

    const DESCRIPTION: &str =
        "The word before each event of connected calendars: how long before it comes.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<EventReminderAction>> {
        if matches!(self.operation, EventReminderOperation::Show) {
            return reads(EventReminderAction::Show);
        }
        let minutes = self
            .minutes
            .filter(|n| (1..=BEFORE_MINUTES_MAX).contains(n));
        let minutes = minutes.ok_or(format!(
            "\"minutes\" must be from 1 to {BEFORE_MINUTES_MAX}."
        ))?;
        let before = EventReminderAction::Before(minutes);
        changes(before)
    }
}
