//! What a language model may do with the daily summary.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, changes, minute, reads};
use super::DailySummaryAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: DailySummaryOperation,
    /// For every_day: HH:MM in the person's time zone.
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DailySummaryOperation {
    Show,
    EveryDay,
    Stop,
}

impl super::super::operations::Arguments for Arguments {
    type Action = DailySummaryAction;

    const DESCRIPTION: &str = "Sums the day up, now or every day.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<DailySummaryAction>> {
        match self.operation {
            DailySummaryOperation::Show => reads(DailySummaryAction::Show),
            DailySummaryOperation::Stop => changes(DailySummaryAction::Stop),
            DailySummaryOperation::EveryDay => {
                let at = minute(self.time.as_deref(), "time")?;
                let at = at.ok_or("\"time\" is needed for that operation.")?;
                changes(DailySummaryAction::Daily {
                    hour: at / 60,
                    minute: at % 60,
                })
            }
        }
    }
}
