//! What a language model may do with questions how something was.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{Moment, OwnOperation, Result, changes, needed, needed_time, reads};
use super::CheckinAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: Verb,
    /// As "job interview".
    what: Option<String>,
    /// For keep: YYYY-MM-DD.
    date: Option<String>,
    /// HH:MM
    time: Option<String>,
    /// For keep: true if it was on another day before, which this one replaces.
    moved: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verb {
    Keep,
    List,
    Remove,
}

impl super::super::operations::Arguments for Arguments {
    type Action = CheckinAction;

    const DESCRIPTION: &str = "Asks the person afterwards how something was that mattered to them.";

    fn operation(self, moment: Moment) -> Result<OwnOperation<CheckinAction>> {
        let what = || needed(self.what.as_deref(), "what");
        let action = match self.operation {
            Verb::List => return reads(CheckinAction::List),
            Verb::Keep => CheckinAction::Keep {
                what: what()?,
                time: needed_time(self.date.as_deref(), self.time.as_deref(), moment)?,
                is_moved: self.moved.unwrap_or_default(),
            },
            Verb::Remove => CheckinAction::Remove(what()?),
        };
        changes(action)
    }
}
