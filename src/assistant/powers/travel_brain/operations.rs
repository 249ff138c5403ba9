//! What a language model may ask about travel.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{self, CallContext, Result, clean};
use super::{StopKind, TravelAction};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: TravelOperation,
    /// For next and remove; without it any journey.
    kind: Option<Kind>,
    /// A part of where it goes, or of the hotel's name.
    to: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TravelOperation {
    /// The next flight, ride or stay, with gate, seat, address and booking.
    Next,
    /// When to check in for the next flight.
    CheckIn,
    /// When to leave for the next journey.
    Leave,
    /// All trips that are to come.
    Trips,
    /// Leaves out what isn't the person's; it cancels nothing.
    Remove,
    Undo,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Flight,
    Train,
    Bus,
    Hotel,
}

impl operations::Arguments<TravelAction> for Arguments {
    const DESCRIPTION: &str =
        "Tells of flights, trains, buses and hotels in the person's mails and calendars.";

    fn action(self, _: CallContext) -> Result<Option<TravelAction>> {
        let to = clean(self.to.as_deref().unwrap_or_default());
        let kind = match self.kind {
            Some(Kind::Flight) => StopKind::Flight,
            Some(Kind::Train) => StopKind::Train,
            Some(Kind::Bus) => StopKind::Bus,
            Some(Kind::Hotel) => StopKind::Hotel,
            None => StopKind::Journey,
        };
        Ok(Some(match self.operation {
            TravelOperation::Next => TravelAction::Next { kind, to },
            TravelOperation::CheckIn => TravelAction::CheckIn,
            TravelOperation::Leave => TravelAction::Leave,
            TravelOperation::Trips => TravelAction::Trips,
            TravelOperation::Remove => TravelAction::Remove { kind, to },
            TravelOperation::Undo => return Ok(None),
        }))
    }
}
