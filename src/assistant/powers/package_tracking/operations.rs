//! What a language model may do with parcels.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::after_time::AfterTime;
use super::super::operations::{
    CallContext, OwnOperation, Result, changes, clean, needed, needed_time, planned_time, reads,
    undo,
};
use super::ParcelAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: ParcelOperation,
    /// For keep: what comes and from whom. For arrived and remove: a part of it; without it
    /// the only one.
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

impl super::super::operations::Arguments for Arguments {
    type Action = ParcelAction;

    const DESCRIPTION: &str =
        "Keeps which parcels are on their way, and tells of them on the day. It asks no carrier.";

    fn operation(self, context: CallContext) -> Result<OwnOperation<ParcelAction>> {
        let (date, time) = (self.date.as_deref(), self.time.as_deref());
        let parcel = clean(self.parcel.as_deref().unwrap_or_default());
        let about = (!parcel.is_empty()).then(|| parcel.clone());
        let action = match self.operation {
            ParcelOperation::List => return reads(ParcelAction::List),
            ParcelOperation::Undo => return undo(),
            ParcelOperation::Keep => ParcelAction::Keep {
                what: needed(Some(&parcel), "parcel")?,
                details: clean(self.details.as_deref().unwrap_or_default()),
                time: planned_time(date, time, context)?,
                after: AfterTime::default(),
            },
            ParcelOperation::SetDay => ParcelAction::SetTime {
                about,
                time: needed_time(date, time, context)?,
            },
            ParcelOperation::Arrived | ParcelOperation::Remove => ParcelAction::Remove {
                about,
                arrived: matches!(self.operation, ParcelOperation::Arrived),
            },
        };
        changes(action)
    }
}
