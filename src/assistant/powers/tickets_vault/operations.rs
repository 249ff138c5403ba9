//! What a language model may do with tickets.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{
    CallContext, OwnOperation, Result, changes, clean, needed, needed_time, planned_time, reads,
    undo,
};
use super::TicketAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: TicketOperation,
    /// For keep: all that the ticket says, without its day. For show and remove: a part of it;
    /// show without it lists all.
    ticket: Option<String>,
    /// For keep, and for set_day of the ticket that was kept without one: YYYY-MM-DD.
    date: Option<String>,
    /// HH:MM
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TicketOperation {
    Keep,
    SetDay,
    Show,
    Remove,
    Undo,
}

impl super::super::operations::Arguments for Arguments {
    type Action = TicketAction;

    const DESCRIPTION: &str = "Keeps tickets and shows them before.";

    fn operation(self, context: CallContext) -> Result<OwnOperation<TicketAction>> {
        let (date, time) = (self.date.as_deref(), self.time.as_deref());
        let ticket = clean(self.ticket.as_deref().unwrap_or_default());
        let action = match self.operation {
            TicketOperation::Show => {
                let about = (!ticket.is_empty()).then_some(ticket);
                return reads(TicketAction::Show(about));
            }
            TicketOperation::Undo => return undo(),
            TicketOperation::Keep => TicketAction::Keep {
                text: match context.has_photos {
                    true => ticket,
                    false => needed(Some(&ticket), "ticket")?,
                },
                time: planned_time(date, time, context)?,
                has_photo: context.has_photos,
            },
            TicketOperation::SetDay => TicketAction::SetTime(needed_time(date, time, context)?),
            TicketOperation::Remove => TicketAction::Remove(needed(Some(&ticket), "ticket")?),
        };
        changes(action)
    }
}
