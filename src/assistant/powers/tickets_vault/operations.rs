//! What a language model may do with tickets.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{
    self, CallContext, Result, given, needed_time, optional, planned_time,
};
use super::TicketAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: TicketOperation,
    /// For keep: all that the ticket says, without its day. For show and remove: a part of it, or
    /// its number in the list; show without it lists all.
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

impl operations::Arguments<TicketAction> for Arguments {
    const DESCRIPTION: &str = "Keeps tickets and shows them before.";

    fn action(self, context: CallContext) -> Result<Option<TicketAction>> {
        let (date, time) = (self.date.as_deref(), self.time.as_deref());
        let ticket = optional(self.ticket.as_deref());
        Ok(Some(match self.operation {
            TicketOperation::Show => TicketAction::Show(ticket),
            TicketOperation::Undo => return Ok(None),
            TicketOperation::Keep => TicketAction::Keep {
                text: match context.has_photos {
                    true => ticket.unwrap_or_default(),
                    false => given(ticket, "ticket")?,
                },
                time: planned_time(date, time, context)?,
                has_photo: context.has_photos,
            },
            TicketOperation::SetDay => {
                let time = needed_time(date, time, context)?;
                TicketAction::SetTime {
                    time,
                    in_the_evening: time,
                    details: String::new(),
                }
            }
            TicketOperation::Remove => TicketAction::Remove(given(ticket, "ticket")?),
        }))
    }
}
