//! Which flights, rides and stays belong to one trip.

use super::super::PowerContext;
use super::bookings;
use super::stops::{Stop, StopKind};
use crate::assistant::local_time;
use crate::clock::Timestamp;

/// Stops that are not further apart than this belong to one trip.
const GAP_MS: i64 = 24 * 60 * 60_000;
/// A journey back begins where the last one ended, at most so long after it.
const RETURN_MS: i64 = 30 * 24 * 60 * 60_000;
/// A hotel begins so long before or after the arrival, at most.
const ARRIVAL_MS: i64 = 30 * 60 * 60_000;

/// In order of time; at least one stop.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trip {
    pub(super) stops: Vec<Stop>,
}

/// The trips of stops that are in order of time.
pub(super) fn of(stops: &[Stop]) -> Vec<Trip> {
    let mut trips: Vec<Trip> = Vec::new();
    for stop in stops {
        match trips.last_mut().filter(|trip| trip.continues_with(stop)) {
            Some(trip) => trip.stops.push(stop.clone()),
            None => trips.push(Trip {
                stops: vec![stop.clone()],
            }),
        }
    }
    trips
}

impl Trip {
    pub(super) fn until(&self) -> Timestamp {
        let ends = self.stops.iter().map(Stop::until);
        ends.max().unwrap_or(Timestamp(0))
    }

    fn continues_with(&self, stop: &Stop) -> bool {
        let until = self.until();
        if stop.starts.0 - until.0 <= GAP_MS {
            return true;
        }
        let last = self.journeys().last();
        stop.kind != StopKind::Hotel
            && stop.starts.0 - until.0 <= RETURN_MS
            && last.is_some_and(|last| stop.continues_from(last))
    }

    fn journeys(&self) -> impl Iterator<Item = &Stop> {
        self.stops
            .iter()
            .filter(|stop| stop.kind != StopKind::Hotel)
    }

    /// Where the longest stay is: the end of the journey before it.
    fn destination(&self) -> String {
        let journeys: Vec<&Stop> = self.journeys().collect();
        let stays = journeys.windows(2);
        let longest = stays.max_by_key(|pair| pair[1].starts.0 - pair[0].until().0);
        let before = longest.map(|pair| pair[0]).or(journeys.last().copied());
        match before.filter(|stop| !stop.to.is_empty()) {
            Some(stop) => stop.to.clone(),
            None => self
                .stops
                .first()
                .map_or_else(String::new, |stop| match stop.to.as_str() {
                    "" => stop.name.clone(),
                    to => to.to_owned(),
                }),
        }
    }

    /// "Trip to Lisbon"
    pub(super) fn name(&self) -> String {
        format!("Trip to {}", self.destination())
    }

    /// Each hotel with the arrival of the journey that leads to it.
    pub(super) fn arrivals(&self) -> impl Iterator<Item = (&Stop, Timestamp)> {
        let hotels = self
            .stops
            .iter()
            .filter(|stop| stop.kind == StopKind::Hotel);
        hotels.filter_map(|hotel| {
            let near = self.journeys().filter(|stop| {
                stop.until() < hotel.until()
                    && (stop.until().0 - hotel.starts.0).abs() <= ARRIVAL_MS
            });
            Some((hotel, near.last()?.until()))
        })
    }

    /// The trip planner's lines for the same place or the same days.
    pub(super) fn planned(&self, context: &PowerContext) -> Vec<String> {
        let date = |at| local_time::date(at, context.zone());
        let Some(first) = self.stops.first() else {
            return Vec::new();
        };
        let (from, to) = (date(first.starts), date(self.until()));
        let place = self.destination();
        let trips = context.facts.trips.iter();
        let matching = trips.filter(|trip| {
            let meets = trip
                .days
                .is_none_or(|(first, last)| first <= to && last >= from);
            meets && (trip.days.is_some() || bookings::overlap(&trip.place, &place))
        });
        matching.flat_map(|trip| trip.lines.clone()).collect()
    }
}
