//! The packing list of a trip.

use super::{NO_TRIP, PACKED_MAX, Packing, TEXT_CHARS_MAX, Trip, TripAction, TripState};
use crate::assistant::powers::parsers::which;
use crate::assistant::powers::{PowerContext, Superpower};
use crate::assistant::wording::texts::{counted, joined, same, too_long};

/// How long "the list" is the packing list that was shown or changed.
const IN_USE_MS: i64 = 10 * 60_000;

/// In a group others may mean its list.
const CLEAR_UNCLEAR: &str = "There are several lists here, so I've cleared nothing. Say “clear the packing list” or “clear our list”.";

impl TripState {
    /// The action for "the list"; `None` where that is no packing list.
    pub(super) fn of_list_in_use(
        &mut self,
        action: TripAction,
        context: &PowerContext,
    ) -> Option<String> {
        if !self.uses_packing_list(context) {
            return None;
        }
        match context.group && action == TripAction::ClearPacking {
            true => Some(CLEAR_UNCLEAR.to_owned()),
            false => self.apply(action, context),
        }
    }

    fn uses_packing_list(&self, context: &PowerContext) -> bool {
        let ago = context.now.0 - self.packing_used_at;
        !self.trips.is_empty() && (0..=IN_USE_MS).contains(&ago)
    }

    pub(super) fn show_packing(&mut self, context: &PowerContext) -> String {
        let Some(trip) = self.trips.last() else {
            return NO_TRIP.to_owned();
        };
        self.packing_used_at = context.now.0;
        trip.packing_list()
    }

    pub(super) fn clear_packing(&mut self, context: &PowerContext) -> String {
        let Some(trip) = self.trips.last_mut() else {
            return NO_TRIP.to_owned();
        };
        self.packing_used_at = context.now.0;
        let count = trip.packing.len();
        trip.packing.clear();
        match count {
            0 => format!("The packing list for {} is empty already.", trip.place),
            n => format!(
                "Okay, the packing list for {} is empty; {} gone. “undo” brings {} back.",
                trip.place,
                counted(n, "thing"),
                if n == 1 { "it" } else { "them" }
            ),
        }
    }

    pub(super) fn pack(&mut self, things: Vec<String>, context: &PowerContext) -> String {
        if let Some(reply) = too_long(&things, TEXT_CHARS_MAX) {
            return reply;
        }
        let Some(trip) = self.trips.last_mut() else {
            return NO_TRIP.to_owned();
        };
        let known = |trip: &Trip, what: &str| trip.packing.iter().any(|one| same(&one.what, what));
        let new: Vec<String> = things
            .into_iter()
            .filter(|thing| !known(trip, thing))
            .collect();
        if new.is_empty() {
            return "That's on the packing list already.".to_owned();
        }
        self.packing_used_at = context.now.0;
        if trip.packing.len() + new.len() > PACKED_MAX {
            return format!("A packing list holds {PACKED_MAX} things, and this one is full.");
        }
        let reply = format!("On the packing list for {}: {}.", trip.place, joined(&new));
        trip.packing.extend(new.into_iter().map(|what| Packing {
            what,
            packed: false,
            by: context.by,
        }));
        reply
    }

    /// All of them or none.
    pub(super) fn unpack(&mut self, things: &[String], context: &PowerContext) -> String {
        let Some(trip) = self.trips.last_mut() else {
            return NO_TRIP.to_owned();
        };
        let texts = || trip.packing.iter().map(|one| one.what.as_str());
        let found: Option<Vec<usize>> = things.iter().map(|thing| which(thing, texts())).collect();
        let Some(found) = found else {
            return format!(
                "I don't see {} on the packing list for {}.",
                joined(things),
                trip.place
            );
        };
        let mut at = 0;
        trip.packing.retain(|_| {
            at += 1;
            !found.contains(&(at - 1))
        });
        self.packing_used_at = context.now.0;
        let names = joined(things);
        format!("Off the packing list for {}: {names}.", trip.place)
    }

    pub(super) fn packed(&mut self, things: &[String], context: &PowerContext) -> Option<String> {
        let trip = self.trips.last_mut()?;
        let mut packed = Vec::new();
        for thing in things {
            if let Some(at) = which(thing, trip.packing.iter().map(|one| one.what.as_str())) {
                trip.packing[at].packed = true;
                packed.push(trip.packing[at].what.clone());
            }
        }
        if packed.is_empty() {
            return context
                .sure
                .then(|| format!("I don't see {} on the packing list.", joined(things)));
        }
        let left = trip.packing.iter().filter(|one| !one.packed).count();
        self.packing_used_at = context.now.0;
        Some(match left {
            0 => format!("✓ {}. All packed!", joined(&packed)),
            n => format!(
                "✓ {}. {} left to pack.",
                joined(&packed),
                counted(n, "thing")
            ),
        })
    }
}
