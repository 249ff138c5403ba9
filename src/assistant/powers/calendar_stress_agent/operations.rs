//! What a language model may ask about the fullness of weeks.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, reads};
use super::StressAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    week: Week,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Week {
    This,
    Next,
}

impl super::super::operations::Arguments for Arguments {
    type Action = StressAction;

    const DESCRIPTION: &str =
        "How full a week is in connected calendars: hours, breaks, lunches, evenings.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<StressAction>> {
        reads(match self.week {
            Week::This => StressAction::ThisWeek,
            Week::Next => StressAction::NextWeek,
        })
    }
}
