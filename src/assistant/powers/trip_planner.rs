//! The trip planner: destination and dates, plans per day, and a packing list. It books nothing.

mod booked;
mod day_plans;
mod days;
mod known;
mod moves;
mod operations;
mod packing;
mod packing_requests;
mod questions;
mod read;
mod trip;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::day_span::DaySpan;
use super::local_time;
use super::texts::{self, counted, same, too_long};
use super::{PowerContext, PowerEffect, RequestChoice, Superpower};
pub use booked::planned_trips;
pub(super) use days::dates;
pub(super) use operations::Arguments;
pub(super) use read::parse;

/// Trips of one owner.
const TRIPS_MAX: usize = 20;
/// Plans per trip.
const PLANS_MAX: usize = 200;
/// Entries of a packing list.
const PACKED_MAX: usize = 100;
/// Days of one trip.
const DAYS_MAX: i64 = 60;
/// Characters of a place.
const PLACE_CHARS_MAX: usize = 60;
/// Characters of a plan or packing entry.
const TEXT_CHARS_MAX: usize = 200;

const TWO_REQUESTS: &str =
    "There's another request in that, so I've noted nothing. Please send them one by one.";

#[derive(Debug, Clone, PartialEq)]
pub enum TripAction {
    Plan {
        place: String,
        /// Both or none are set.
        from: Option<NaiveDate>,
        to: Option<NaiveDate>,
        /// Who comes along, which is not kept; "": nobody is named.
        with: String,
    },
    /// "my trip is from 3 to 7 June", for the newest one.
    Dates {
        from: NaiveDate,
        to: NaiveDate,
    },
    AddDay {
        day: u32,
        what: String,
    },
    /// Plans for several days: all of them or none.
    AddDays(Vec<(u32, String)>),
    Pack(Vec<String>),
    Packed(Vec<String>),
    /// Takes things off the packing list.
    Unpack(Vec<String>),
    ClearPacking,
    /// "the list", which is the packing list if that was shown or changed last.
    OfListInUse(Box<TripAction>),
    /// Without a trip it means something else: a list called packing.
    IfAny(Box<TripAction>),
    /// An action for the trip to that place, if there is one.
    OfTrip(String, Box<TripAction>),
    /// An empty place means the current trip.
    Show(String),
    List,
    PackingList,
    /// Shows the packing list of the trip to that place.
    PackingFor(String),
    Cancel(String),
    /// A trip that is there, to other days; without the last one it stays as long as it is.
    Move {
        which: TripRef,
        from: NaiveDate,
        to: Option<NaiveDate>,
        /// The words of the days.
        said: String,
    },
    /// A later last day of the trip to that place, or of the only one.
    Extend {
        place: String,
        to: TripEnd,
    },
    /// A plan of a day, to another day.
    Replan {
        what: String,
        day: u32,
    },
    /// Takes a plan off its day, if there is one of that name.
    Unplan {
        what: String,
        day: Option<u32>,
    },
    /// How long it is until a trip.
    Wait(String),
    Unclear,
    /// Something else is asked for with what is planned or packed.
    TwoRequests,
    /// A place with dates that weren't understood.
    DatesUnclear,
}

/// The last day that a trip gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TripEnd {
    On {
        date: NaiveDate,
        is_weekday: bool,
    },
    /// On that day of the month in which it ends.
    OfMonth(u32),
    /// So many days later.
    Later(u64),
}

/// A trip as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TripRef {
    To(String),
    /// By its number in a question, from 1.
    Number(usize),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TripState {
    /// Trips; the current one is the last.
    trips: Vec<Trip>,
    /// When the packing list was shown or changed last, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "is_zero")]
    packing_used_at: i64,
    /// The choices of the question which of several is meant.
    #[serde(skip)]
    choices: Vec<RequestChoice>,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Trip {
    place: String,
    /// Days, both or none.
    from: Option<i32>,
    to: Option<i32>,
    plans: Vec<Plan>,
    packing: Vec<Packing>,
    by: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    /// From 1.
    day: u32,
    what: String,
    by: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Packing {
    what: String,
    packed: bool,
    by: i64,
}

const NO_TRIP: &str = "There's no trip yet. Say “plan a trip to Lisbon from 3 to 7 June”.";
impl Superpower for TripState {
    type Action = TripAction;

    fn apply(&mut self, action: TripAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            TripAction::Plan {
                place,
                from,
                to,
                with,
            } => {
                let reply = self.plan(place, (from, to), &with, context);
                reply.unwrap_or_else(|why| why)
            }
            TripAction::Dates { from, to } => return self.set_dates(from, to, context),
            TripAction::AddDay { day, what } => match self.add_day(day, what, context) {
                Ok(reply) | Err(reply) => reply,
            },
            TripAction::AddDays(plans) => self.add_days(plans, context),
            TripAction::IfAny(_) if self.trips.is_empty() => return None,
            TripAction::IfAny(action) => return self.apply(*action, context),
            TripAction::OfTrip(place, action) => {
                self.speak_of(&place)?;
                return self.apply(*action, context);
            }
            TripAction::OfListInUse(action) => return self.of_list_in_use(*action, context),
            TripAction::Pack(things) => self.pack(things, context),
            TripAction::Packed(things) => return self.packed(&things, context),
            TripAction::Unpack(things) => self.unpack(&things, context),
            TripAction::ClearPacking => self.clear_packing(context),
            TripAction::Show(place)
                if !context.sure
                    && (self.trips.is_empty()
                        || !place.is_empty() && self.position(&place).is_none()) =>
            {
                return None;
            }
            TripAction::Show(_) if self.trips.is_empty() => NO_TRIP.to_owned(),
            TripAction::Show(place) => match self.speak_of(&place) {
                Some(trip) => trip.display(context),
                None => format!("I know of no trip to {place}. “my trips” shows them."),
            },
            TripAction::TwoRequests => TWO_REQUESTS.to_owned(),
            TripAction::List => self.list(context),
            TripAction::PackingList => self.show_packing(context),
            TripAction::PackingFor(place) => {
                self.speak_of(&place)?;
                self.show_packing(context)
            }
            TripAction::Cancel(place) => self.cancel(&place, context),
            TripAction::Move {
                which,
                from,
                to,
                said,
            } => return self.relocate(&which, (from, to), &said, context),
            TripAction::Extend { place, to } => return self.extend(&place, to, context),
            TripAction::Replan { what, day } => return self.replan(&what, day, context),
            TripAction::Unplan { what, day } => return self.unplan(&what, day, context),
            TripAction::Wait(place) => return self.wait(&place, context),
            TripAction::DatesUnclear => {
                "Which days exactly? I've planned nothing yet. For example: “plan a trip to Lisbon from 3 to 7 June”."
                    .to_owned()
            }
            TripAction::Unclear => {
                "Where to, and when? For example: “plan a trip to Lisbon from 3 to 7 June”."
                    .to_owned()
            }
        })
    }

    fn data(&self, context: &PowerContext) -> Option<Value> {
        Some(self.to_json(context))
    }

    fn overview(&self, context: &PowerContext) -> String {
        match self.trips.last() {
            Some(trip) => trip.display(context),
            None => NO_TRIP.to_owned(),
        }
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = local_time::number(context.today());
        self.trips.iter().find_map(|trip| {
            let (from, to) = (trip.from?, trip.to?);
            if (from..=to).contains(&today) {
                let day = (today - from + 1) as u32;
                let plans: Vec<&str> = trip
                    .plans
                    .iter()
                    .filter(|plan| plan.day == day)
                    .map(|plan| plan.what.as_str())
                    .collect();
                let plans = if plans.is_empty() {
                    String::new()
                } else {
                    format!(": {}", plans.join(", "))
                };
                return Some(format!("Day {day} in {}{plans}", trip.place));
            }
            let wait = from - today;
            (1..=7).contains(&wait).then(|| {
                format!(
                    "Trip to {} in {}",
                    trip.place,
                    counted(wait as usize, "day")
                )
            })
        })
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let (from, to) = span.days();
        let (from, to) = (local_time::number(from), local_time::number(to));
        let day = |number: i32| {
            let date = NaiveDate::from_num_days_from_ce_opt(number);
            date.map_or_else(String::new, |date| date.format("%A, %-d %B").to_string())
        };
        let trips = self.trips.iter().filter_map(|trip| {
            let (first, last) = (trip.from?, trip.to?);
            let meets = first <= to && last >= from;
            let line = || format!("Trip to {}: {} to {}", trip.place, day(first), day(last));
            meets.then(line)
        });
        trips.collect()
    }

    fn occasions(&self, _context: &PowerContext) -> Vec<super::Plan> {
        let trips = self.trips.iter();
        let day = |trip: &Trip| {
            Some((
                format!("trip to {}", trip.place),
                local_time::day(trip.from?),
            ))
        };
        trips
            .filter_map(day)
            .map(|(what, day)| super::Plan::on(what, day))
            .collect()
    }

    fn effect(&self) -> Option<PowerEffect> {
        (!self.choices.is_empty()).then(|| PowerEffect::AskWhich(self.choices.clone()))
    }

    fn equals_except_shown(&self, other: &Self) -> bool {
        self.trips == other.trips
    }

    fn undo_state(&self, after: &Self) -> Self {
        let mut trips = self.trips.clone();
        // The one that comes back is spoken of.
        trips.sort_by_key(|trip| !after.trips.contains(trip));
        Self {
            trips,
            packing_used_at: after.packing_used_at,
            ..self.clone()
        }
    }

    fn erase(&mut self, by: i64) {
        self.trips.retain(|trip| trip.by != by);
        for trip in &mut self.trips {
            trip.plans.retain(|plan| plan.by != by);
            trip.packing.retain(|thing| thing.by != by);
        }
    }
}

impl TripState {
    /// Of the newest trip, which one day moves.
    fn set_dates(
        &mut self,
        from: NaiveDate,
        to: NaiveDate,
        context: &PowerContext,
    ) -> Option<String> {
        match self.trips.len() {
            0 => Some(NO_TRIP.to_owned()),
            newest => {
                let last = (to != from).then_some(to);
                self.relocate(&TripRef::Number(newest), (from, last), "", context)
            }
        }
    }

    fn plan(
        &mut self,
        place: String,
        (from, to): (Option<NaiveDate>, Option<NaiveDate>),
        with: &str,
        context: &PowerContext,
    ) -> Result<String, String> {
        if let Some(reply) = too_long(&[&place], PLACE_CHARS_MAX) {
            return Err(reply);
        }
        if let (Some(from), Some(to)) = (from, to) {
            span(from, to, context)?;
        }
        let (from, to) = (from.map(local_time::number), to.map(local_time::number));
        let known = self.replaced(&place, from, to);
        let mut before = String::new();
        let trip = match known {
            Some(at) => {
                let mut trip = self.trips.remove(at);
                if let (Some(first), Some(last)) = (trip.from, trip.to)
                    && from.is_some_and(|from| from != first)
                {
                    before = format!(
                        " It takes the place of the one from {} to {}; “undo” brings that back.",
                        texts::display(local_time::day(first), context.today()),
                        texts::display(local_time::day(last), context.today())
                    );
                }
                (trip.from, trip.to) = (from.or(trip.from), to.or(trip.to));
                trip
            }
            None if self.trips.len() >= TRIPS_MAX => {
                return Err(format!(
                    "I already keep {TRIPS_MAX} trips, which is all I can hold. Say “cancel my trip to …” first."
                ));
            }
            None => Trip {
                place,
                from,
                to,
                plans: Vec::new(),
                packing: Vec::new(),
                by: context.by,
            },
        };
        let others = self
            .trips
            .iter()
            .filter(|other| same(&other.place, &trip.place));
        let others: Vec<String> = others.map(|other| other.title(context)).collect();
        if !others.is_empty() {
            before.push_str(&format!(" There's also: {}.", others.join("; ")));
        }
        if !with.is_empty() {
            before.push_str(&format!(" I don't keep who comes along: {with}."));
        }
        let reply = format!(
            "{}.{before} Say “add day 1: museum” to plan a day, or “pack sunscreen”.",
            trip.title(context)
        );
        self.trips.push(trip);
        Ok(reply)
    }

    /// The trip that a plan to the same place changes: one without dates, or one at that time. A
    /// trip at another time is another one.
    fn replaced(&self, place: &str, from: Option<i32>, to: Option<i32>) -> Option<usize> {
        let is_same_time = |trip: &Trip| match (trip.from, trip.to, from, to) {
            (Some(first), Some(last), Some(from), Some(to)) => first <= to && from <= last,
            _ => true,
        };
        let mut trips = self.trips.iter();
        trips.rposition(|trip| same(&trip.place, place) && is_same_time(trip))
    }
}

fn span(from: NaiveDate, to: NaiveDate, context: &PowerContext) -> Result<(), String> {
    let days = (to - from).num_days() + 1;
    if days < 1 {
        return Err("That trip would end before it begins. Could you check the dates?".to_owned());
    }
    if to < context.today() {
        return Err(
            "Those days have passed, so I've planned nothing. Which ones do you mean?".to_owned(),
        );
    }
    if days > DAYS_MAX {
        return Err(format!("A trip lasts at most {DAYS_MAX} days."));
    }
    Ok(())
}
