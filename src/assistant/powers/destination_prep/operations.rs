//! What a language model may do with travel times to events.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, changes, clean, reads};
use super::{DestinationAction, MINUTES_MAX};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: DestinationOperation,
    /// For set_way: how long it takes, at most 720.
    minutes: Option<i64>,
    /// For set_way: a part of the address; without it, to any place.
    place: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DestinationOperation {
    Next,
    SetWay,
}

impl super::super::operations::Arguments for Arguments {
    type Action = DestinationAction;

    const DESCRIPTION: &str =
        "When to leave for the next event elsewhere, and how long the way takes.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<DestinationAction>> {
        if matches!(self.operation, DestinationOperation::Next) {
            return reads(DestinationAction::Show);
        }
        let minutes = self.minutes.filter(|n| (1..=MINUTES_MAX).contains(n));
        let minutes = minutes.ok_or(format!("\"minutes\" must be from 1 to {MINUTES_MAX}."))?;
        let place = self.place.as_deref().map(clean);
        let takes = DestinationAction::TakesMinutes {
            place: place.filter(|place| !place.is_empty()),
            minutes,
        };
        changes(takes)
    }
}
