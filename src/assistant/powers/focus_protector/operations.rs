//! What a language model may do with focus time.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, changes, reads};
use super::FocusAction;

/// Minutes that somebody may focus.
const FOCUS_MINUTES_MAX: u32 = 12 * 60;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: FocusOperation,
    /// For start: at most 720.
    minutes: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FocusOperation {
    Start,
    Stop,
    Show,
}

impl super::super::operations::Arguments for Arguments {
    type Action = FocusAction;

    const DESCRIPTION: &str = "Holds reminders back while the person concentrates.";

    fn operation(self, context: CallContext) -> Result<OwnOperation<FocusAction>> {
        match self.operation {
            FocusOperation::Show => reads(FocusAction::Show),
            FocusOperation::Stop => changes(FocusAction::Stop),
            FocusOperation::Start => {
                let minutes = self.minutes.filter(|n| (1..=FOCUS_MINUTES_MAX).contains(n));
                let minutes = minutes.ok_or(format!(
                    "\"minutes\" must be from 1 to {FOCUS_MINUTES_MAX}."
                ))?;
                changes(FocusAction::Start {
                    until: context.now.plus_s(i64::from(minutes) * 60),
                })
            }
        }
    }
}
