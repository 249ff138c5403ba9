//! What a language model may do with the morning briefing.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, changes, minute, reads};
use super::MorningAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: MorningOperation,
    /// For every_morning: HH:MM in the person's time zone.
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MorningOperation {
    Show,
    EveryMorning,
}

impl super::super::operations::Arguments for Arguments {
    type Action = MorningAction;

    const DESCRIPTION: &str =
        "The briefing of the day from connected calendars, now or at another time each morning.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<MorningAction>> {
        match self.operation {
            MorningOperation::Show => reads(MorningAction::Show),
            MorningOperation::EveryMorning => {
                let at = minute(self.time.as_deref(), "time")?;
                let at = at.ok_or("\"time\" is needed for that operation.")?;
                changes(MorningAction::At(at))
            }
        }
    }
}
