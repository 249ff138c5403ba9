//! What a language model may do with the diary of moods.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{
    CallContext, DAYS_BACK_MAX, OwnOperation, Result, changes, clean, reads, undo,
};
use super::MoodAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: MoodOperation,
    /// For log: from 1 (bad) to 10 (good).
    score: Option<u8>,
    /// For log.
    note: Option<String>,
    /// For past: how many days back, 7 if not given.
    days: Option<i64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MoodOperation {
    Log,
    Past,
    Undo,
}

impl super::super::operations::Arguments for Arguments {
    type Action = MoodAction;

    const DESCRIPTION: &str = "A diary of moods from 1 to 10.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<MoodAction>> {
        match self.operation {
            MoodOperation::Past => {
                let days = self.days.unwrap_or(7).clamp(1, DAYS_BACK_MAX);
                reads(MoodAction::Past { days })
            }
            MoodOperation::Undo => undo(),
            MoodOperation::Log => {
                let score = self.score.filter(|score| (1..=10).contains(score));
                changes(MoodAction::Log {
                    score: score.ok_or("\"score\" must be from 1 to 10.")?,
                    note: clean(&self.note.unwrap_or_default()),
                })
            }
        }
    }
}
