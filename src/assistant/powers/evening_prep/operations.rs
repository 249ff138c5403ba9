//! What a language model may do with the look at tomorrow.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, changes, minute, reads};
use super::EveningAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: EveningOperation,
    /// For every_evening: HH:MM in the person's time zone.
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EveningOperation {
    Show,
    EveryEvening,
    Stop,
}

impl super::super::operations::Arguments for Arguments {
    type Action = EveningAction;

    const DESCRIPTION: &str = "What tomorrow brings and needs, now or every evening.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<EveningAction>> {
        let action = match self.operation {
            EveningOperation::Show => return reads(EveningAction::Show),
            EveningOperation::EveryEvening => {
                EveningAction::Daily(minute(self.time.as_deref(), "time")?)
            }
            EveningOperation::Stop => EveningAction::Stop,
        };
        changes(action)
    }
}
