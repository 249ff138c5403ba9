//! What a language model may do with the look at tomorrow.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{Moment, Operation, Result, changes, minute, reads};
use super::EveningAction;
use crate::assistant::powers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: Verb,
    /// For every_evening: HH:MM in the person's time zone.
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verb {
    Show,
    EveryEvening,
    Stop,
}

impl super::super::operations::Arguments for Arguments {
    const DESCRIPTION: &str = "What tomorrow brings and needs, now or every evening.";

    fn operation(self, _: Moment) -> Result<Operation> {
        let action = match self.operation {
            Verb::Show => return reads(powers::Action::EveningPrep(EveningAction::Show)),
            Verb::EveryEvening => EveningAction::Daily(minute(self.time.as_deref(), "time")?),
            Verb::Stop => EveningAction::Stop,
        };
        changes(powers::Action::EveningPrep(action))
    }
}
