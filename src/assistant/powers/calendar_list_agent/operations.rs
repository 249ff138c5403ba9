//! What a language model may do with the list of connected calendars.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, changes, needed, reads};
use super::CalendarListAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: CalendarListOperation,
    /// For switch_on and switch_off: the calendar, as list names it.
    name: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CalendarListOperation {
    List,
    SwitchOn,
    SwitchOff,
}

impl super::super::operations::Arguments for Arguments {
    type Action = CalendarListAction;

    const DESCRIPTION: &str = "Which calendars are connected, and which of them are looked at.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<CalendarListAction>> {
        if matches!(self.operation, CalendarListOperation::List) {
            return reads(CalendarListAction::List);
        }
        changes(CalendarListAction::Switch {
            name: needed(self.name.as_deref(), "name")?,
            on: matches!(self.operation, CalendarListOperation::SwitchOn),
        })
    }
}
