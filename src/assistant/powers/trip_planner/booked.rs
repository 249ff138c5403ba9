//! Planned trips for others, and what mails and calendars know of a planned trip.

use super::super::facts::PlannedTrip;
use super::super::{PowerContext, StoredState, travel_brain};
use super::{Trip, TripState};
use crate::assistant::local_time;

/// The trips that the person planned.
pub fn planned_trips(stored: &StoredState) -> Vec<PlannedTrip> {
    let state: TripState = serde_json::from_str(&stored.state).unwrap_or_default();
    let planned = |trip: Trip| PlannedTrip {
        days: trip
            .from
            .zip(trip.to)
            .map(|(from, to)| (local_time::day(from), local_time::day(to))),
        lines: trip
            .plans
            .iter()
            .map(|plan| format!("Day {}: {}", plan.day, plan.what))
            .collect(),
        place: trip.place,
    };
    state.trips.into_iter().map(planned).collect()
}

impl Trip {
    /// Flights, rides and stays of these days; never shown to a group.
    pub(super) fn booked(&self, context: &PowerContext) -> Vec<String> {
        let Some((from, to)) = self.from.zip(self.to) else {
            return Vec::new();
        };
        let days = (local_time::day(from - 1), local_time::day(to + 1));
        travel_brain::lines_between(days, context)
    }
}
