//! What a language model may do with trips.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{
    self, CallContext, Result, all_needed, clean, coming_day, date, given, needed,
};
use super::{TripAction, TripState};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::{date_text, newest};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: TripOperation,
    /// The trip's; the one in use if empty. Needed to plan or cancel.
    place: Option<String>,
    /// For plan and set_dates: the first day, YYYY-MM-DD.
    from: Option<String>,
    /// The last day.
    to: Option<String>,
    /// For add_day_plan: the day of the trip, from 1.
    day: Option<u32>,
    /// For add_day_plan.
    plan: Option<String>,
    /// For pack (puts on the packing list) and packed.
    #[serde(default)]
    things: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TripOperation {
    Plan,
    SetDates,
    AddDayPlan,
    Pack,
    Packed,
    Show,
    List,
    PackingList,
    Cancel,
    Undo,
}

impl operations::Arguments<TripAction> for Arguments {
    const DESCRIPTION: &str = "Trips: dates, plans by day, packing list.";

    fn action(self, context: CallContext) -> Result<Option<TripAction>> {
        let from = date(self.from.as_deref(), "from")?;
        let to = coming_day(self.to.as_deref(), "to", context)?;
        let place = clean(self.place.as_deref().unwrap_or_default());
        let things = || all_needed(&self.things, "things");
        let of_trip = |action| match place.as_str() {
            "" => action,
            place => TripAction::OfTrip(place.to_owned(), Box::new(action)),
        };
        Ok(Some(match self.operation {
            TripOperation::Show => TripAction::Show(place),
            TripOperation::List => TripAction::List,
            TripOperation::PackingList => of_trip(TripAction::PackingList),
            TripOperation::Undo => return Ok(None),
            TripOperation::Plan if from.is_some() != to.is_some() => {
                return Err("\"from\" and \"to\" go together.".to_owned());
            }
            TripOperation::Plan => TripAction::Plan {
                place: needed(Some(&place), "place")?,
                from,
                to,
                with: String::new(),
            },
            TripOperation::SetDates => of_trip(TripAction::Dates {
                from: given(from, "from")?,
                to: given(to, "to")?,
            }),
            TripOperation::AddDayPlan => of_trip(TripAction::AddDay {
                day: given(self.day, "day")?,
                what: needed(self.plan.as_deref(), "plan")?,
            }),
            TripOperation::Pack => of_trip(TripAction::Pack(things()?)),
            TripOperation::Packed => of_trip(TripAction::Packed(things()?)),
            TripOperation::Cancel => TripAction::Cancel(needed(Some(&place), "place")?),
        }))
    }
}

impl TripState {
    pub(super) fn to_json(&self, _context: &PowerContext) -> Value {
        let trips = self.trips.iter().map(|trip| {
            let (plans, more) = newest(
                &trip.plans,
                |plan| json!({"day": plan.day, "what": plan.what}),
            );
            let packing = trip.packing.iter();
            let packing = packing.map(|one| json!({"what": one.what, "packed": one.packed}));
            json!({
                "place": trip.place,
                "from": trip.from.map(date_text),
                "to": trip.to.map(date_text),
                "plans": plans,
                "more_plans": more,
                "packing": packing.collect::<Vec<Value>>(),
            })
        });
        json!({"trips": trips.collect::<Vec<Value>>()})
    }
}
