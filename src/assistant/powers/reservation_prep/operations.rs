//! What a language model may do with bookings.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::entries::EntryMention;
use super::super::operations::{
    self, CallContext, Result, clean, needed, needed_time, planned_time,
};
use super::ReservationAction;
use crate::assistant::powers::entry_ref::EntryRef;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: ReservationOperation,
    /// What is booked and where; for show and remove a part of it.
    what: Option<String>,
    /// For keep: number, address, people, whatever else is known.
    details: Option<String>,
    /// For keep; for remove where several have that name: YYYY-MM-DD.
    date: Option<String>,
    /// HH:MM
    time: Option<String>,
    /// For keep: true if it was on another day before, which this one replaces.
    moved: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReservationOperation {
    Keep,
    List,
    Show,
    Remove,
    Undo,
}

impl operations::Arguments<ReservationAction> for Arguments {
    const DESCRIPTION: &str = "Keeps what the person has booked (tables, rooms, appointments) and tells of it before. It books nothing.";

    fn action(self, context: CallContext) -> Result<Option<ReservationAction>> {
        let what = || needed(self.what.as_deref(), "what");
        Ok(Some(match self.operation {
            ReservationOperation::List => ReservationAction::List,
            ReservationOperation::Show => ReservationAction::Show(EntryRef::of_name(what()?)),
            ReservationOperation::Undo => return Ok(None),
            ReservationOperation::Keep => ReservationAction::Keep {
                what: what()?,
                details: clean(self.details.as_deref().unwrap_or_default()),
                time: needed_time(self.date.as_deref(), self.time.as_deref(), context)?,
                part: None,
                last: None,
                mention: EntryMention::moved_if(self.moved.unwrap_or_default()),
            },
            ReservationOperation::Remove => ReservationAction::Remove(EntryRef {
                on: planned_time(self.date.as_deref(), None, context)?.map(|time| time.day),
                ..EntryRef::of_name(what()?)
            }),
        }))
    }
}
