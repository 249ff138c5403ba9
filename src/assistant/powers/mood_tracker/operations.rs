//! What a language model may do with the diary of moods.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{self, CallContext, DAYS_BACK_MAX, Result, clean, within};
use super::{MoodAction, MoodState};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::newest;
use crate::clock::Timestamp;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: MoodOperation,
    /// For log: from 1 (bad) to 10 (good).
    #[schemars(range(min = 1, max = 10))]
    score: Option<u8>,
    /// For log.
    note: Option<String>,
    /// For past: how many days back, 7 if not given.
    #[schemars(range(min = 1))]
    days: Option<i64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MoodOperation {
    Log,
    Past,
    Undo,
}

impl operations::Arguments<MoodAction> for Arguments {
    const DESCRIPTION: &str = "A diary of moods from 1 to 10.";

    fn action(self, _: CallContext) -> Result<Option<MoodAction>> {
        Ok(Some(match self.operation {
            MoodOperation::Past => MoodAction::Past {
                days: self.days.unwrap_or(7).clamp(1, DAYS_BACK_MAX),
            },
            MoodOperation::Undo => return Ok(None),
            MoodOperation::Log => MoodAction::Log {
                score: within(self.score, 1..=10, "score")?,
                note: clean(&self.note.unwrap_or_default()),
            },
        }))
    }
}

impl MoodState {
    pub(super) fn to_json(&self, context: &PowerContext) -> Value {
        let (moods, more) = newest(&self.entries, |one| {
            let at = Timestamp(one.at).utc().with_timezone(&context.zone());
            let at = at.format("%Y-%m-%dT%H:%M").to_string();
            json!({"at": at, "score": one.score, "note": one.note})
        });
        json!({"moods": moods, "more": more})
    }
}
