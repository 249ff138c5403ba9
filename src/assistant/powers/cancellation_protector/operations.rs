//! What a language model may do with trials and free cancellations.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{self, CallContext, Result, clean, needed, needed_time};
use super::CancellationAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: CancellationOperation,
    /// What can be cancelled, as "netflix trial"; for remove a part of it, or its
    /// number in the list.
    what: Option<String>,
    /// For keep: whatever else is known.
    details: Option<String>,
    /// For keep: the last day on which it is free, YYYY-MM-DD.
    date: Option<String>,
    /// HH:MM
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CancellationOperation {
    Keep,
    List,
    Remove,
    Undo,
}

impl operations::Arguments<CancellationAction> for Arguments {
    const DESCRIPTION: &str =
        "Warns before trials and free cancellations end. It cancels nothing with anybody.";

    fn action(self, context: CallContext) -> Result<Option<CancellationAction>> {
        let what = || needed(self.what.as_deref(), "what");
        Ok(Some(match self.operation {
            CancellationOperation::List => CancellationAction::List,
            CancellationOperation::Undo => return Ok(None),
            CancellationOperation::Keep => CancellationAction::Keep {
                what: what()?,
                details: clean(self.details.as_deref().unwrap_or_default()),
                time: needed_time(self.date.as_deref(), self.time.as_deref(), context)?,
            },
            CancellationOperation::Remove => CancellationAction::Remove(what()?),
        }))
    }
}
