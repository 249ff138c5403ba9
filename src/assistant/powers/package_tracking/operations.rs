//! What a language model may do with parcels.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::after_time::WordsAfterTime;
use super::super::operations::{
    self, CallContext, Result, clean, given, needed_time, optional, planned_time,
};
use super::ParcelAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: ParcelOperation,
    /// For keep: what comes and from whom. For arrived and remove: a part of it, or its
    /// number in the list; without it the only one.
    parcel: Option<String>,
    /// For keep: carrier and number.
    details: Option<String>,
    /// For keep, and for set_day of the parcel that has none: YYYY-MM-DD.
    date: Option<String>,
    /// HH:MM
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ParcelOperation {
    Keep,
    SetDay,
    List,
    Arrived,
    Remove,
    Undo,
}

impl operations::Arguments<ParcelAction> for Arguments {
    const DESCRIPTION: &str =
        "Keeps which parcels are on their way, and tells of them on the day. It asks no carrier.";

    fn action(self, context: CallContext) -> Result<Option<ParcelAction>> {
        let (date, time) = (self.date.as_deref(), self.time.as_deref());
        let about = optional(self.parcel.as_deref());
        Ok(Some(match self.operation {
            ParcelOperation::List => ParcelAction::List,
            ParcelOperation::Undo => return Ok(None),
            ParcelOperation::Keep => ParcelAction::Keep {
                is_other: false,
                what: given(about, "parcel")?,
                details: clean(self.details.as_deref().unwrap_or_default()),
                time: planned_time(date, time, context)?,
                after: WordsAfterTime::default(),
            },
            ParcelOperation::SetDay => ParcelAction::SetTime {
                weekday: None,
                about,
                time: needed_time(date, time, context)?,
            },
            ParcelOperation::Arrived | ParcelOperation::Remove => ParcelAction::Remove {
                about,
                arrived: matches!(self.operation, ParcelOperation::Arrived),
            },
        }))
    }
}
