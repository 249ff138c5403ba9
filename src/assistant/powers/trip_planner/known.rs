//! Trips by their places, and how long it is until one.

use std::collections::BTreeSet;

use super::{NO_TRIP, Trip, TripState};
use crate::assistant::powers::parsers::which;
use crate::assistant::powers::{PowerContext, RequestChoice, local_time};
use crate::assistant::wording::texts::{counted, same};

impl TripState {
    pub(super) fn cancel(&mut self, place: &str, context: &PowerContext) -> String {
        let places = self.trips.iter().map(|trip| trip.place.clone());
        let places: BTreeSet<String> = places.collect();
        if place.is_empty() && places.len() > 1 {
            let choice = |trip: &Trip| RequestChoice {
                name: trip.title(context),
                request: format!("cancel my trip to {}", trip.place),
            };
            self.choices = self.trips.iter().map(choice).collect();
            return RequestChoice::question(&self.choices);
        }
        let at = if place.is_empty() {
            self.trips.len().checked_sub(1)
        } else {
            self.position(place)
        };
        match at {
            Some(at) => {
                let removed = self.trips.remove(at);
                let title = removed.title(context).replacen("Trip", "trip", 1);
                let mut reply = format!("Okay, no {title}. “undo” brings it back.");
                let mut others = self.trips.iter();
                if let Some(other) = others.find(|other| same(&other.place, &removed.place)) {
                    reply.push_str(&format!(" This one stays: {}.", other.title(context)));
                }
                reply
            }
            None if self.trips.is_empty() => NO_TRIP.to_owned(),
            None => format!("I know of no trip to {place}."),
        }
    }

    /// The position of the trip to a place; of several, the one that was spoken of last.
    pub(super) fn position(&self, place: &str) -> Option<usize> {
        let found = which(place, self.trips.iter().map(|trip| trip.place.as_str()))?;
        let place = &self.trips[found].place;
        self.trips.iter().rposition(|trip| same(&trip.place, place))
    }

    /// Makes the trip the current one.
    pub(super) fn speak_of(&mut self, place: &str) -> Option<&Trip> {
        if !place.is_empty() {
            let at = self.position(place)?;
            let trip = self.trips.remove(at);
            self.trips.push(trip);
        }
        self.trips.last()
    }

    /// The days until a trip; "": until the next one. `None`: there is no such trip.
    pub(super) fn wait(&mut self, place: &str, context: &PowerContext) -> Option<String> {
        let today = local_time::number(context.today());
        if !place.is_empty() {
            self.speak_of(place)?;
        } else if let Some(at) = self.next(today) {
            let next = self.trips.remove(at);
            self.trips.push(next);
        }
        let Some(trip) = self.trips.last() else {
            return context.sure.then(|| NO_TRIP.to_owned());
        };
        let (place, title) = (&trip.place, trip.title(context));
        let Some((from, to)) = trip.from.zip(trip.to) else {
            return Some(format!("{title}, so I can't count the days."));
        };
        let days = |count: i32| counted(count.unsigned_abs() as usize, "day");
        Some(match from - today {
            wait @ 1.. => format!("{} until your trip to {place}. {title}.", days(wait)),
            _ if to < today => format!("Your trip to {place} is over. {title}."),
            past => format!("It's day {} of your trip to {place}. {title}.", 1 - past),
        })
    }

    /// The one that is on or begins next.
    fn next(&self, today: i32) -> Option<usize> {
        let trips = self.trips.iter().enumerate();
        let coming = trips.filter_map(|(at, trip)| {
            let (from, to) = trip.from.zip(trip.to)?;
            (to >= today).then_some((from, at))
        });
        coming.min().map(|(_, at)| at)
    }
}
