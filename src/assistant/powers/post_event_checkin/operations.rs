//! What a language model may do with check-ins after events.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::after_time::WordsAfterTime;
use super::super::entries::EntryMention;
use super::super::operations::{self, CallContext, Result, needed, needed_time, planned_time};
use super::CheckinAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: CheckinOperation,
    /// As "job interview".
    what: Option<String>,
    /// For keep; for remove where several have that name: YYYY-MM-DD.
    date: Option<String>,
    /// HH:MM
    time: Option<String>,
    /// For keep: true if it was on another day before, which this one replaces.
    moved: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CheckinOperation {
    Keep,
    List,
    Remove,
}

impl operations::Arguments<CheckinAction> for Arguments {
    const DESCRIPTION: &str = "Asks the person afterwards how something was that mattered to them.";

    fn action(self, context: CallContext) -> Result<Option<CheckinAction>> {
        let what = || needed(self.what.as_deref(), "what");
        Ok(Some(match self.operation {
            CheckinOperation::List => CheckinAction::List,
            CheckinOperation::Keep => CheckinAction::Keep {
                what: what()?,
                time: needed_time(self.date.as_deref(), self.time.as_deref(), context)?,
                part: None,
                mention: EntryMention::moved_if(self.moved.unwrap_or_default()),
                after: WordsAfterTime::default(),
            },
            CheckinOperation::Remove => CheckinAction::Remove {
                about: what()?,
                on: planned_time(self.date.as_deref(), None, context)?.map(|time| time.day),
            },
        }))
    }
}
