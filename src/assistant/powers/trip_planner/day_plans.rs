//! What is planned for the days of a trip.

use super::{DAYS_MAX, NO_TRIP, PLANS_MAX, Plan, TEXT_CHARS_MAX, TripState};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::texts::{counted, same, too_long};

/// Before "to" and a place.
const WAYS: [&str; 12] = [
    "train", "flight", "bus", "ferry", "drive", "ride", "taxi", "fly", "travel", "transfer", "go",
    "trip",
];

impl TripState {
    pub(super) fn add_day(
        &mut self,
        day: u32,
        what: String,
        context: &PowerContext<'_>,
    ) -> Result<String, String> {
        if let Some(reply) = too_long(&[&what], TEXT_CHARS_MAX) {
            return Err(reply);
        }
        let (place, what) = self.place_of_plan(what);
        self.speak_of(&place);
        let Some(trip) = self.trips.last_mut() else {
            return Err(NO_TRIP.to_owned());
        };
        let days = trip.days().unwrap_or(DAYS_MAX);
        if !(1..=days).contains(&i64::from(day)) {
            return Err(format!(
                "The trip to {} has {}, so there's no day {day}.",
                trip.place,
                counted(days as usize, "day")
            ));
        }
        if trip.plans.len() >= PLANS_MAX {
            return Err(format!(
                "A trip holds {PLANS_MAX} plans, and this one is full."
            ));
        }
        let reply = format!(
            "Day {day}{} in {}: {what}.",
            trip.date(day, context),
            trip.place
        );
        trip.plans.push(Plan {
            day,
            what,
            by: context.by,
        });
        trip.plans.sort_by_key(|plan| plan.day);
        Ok(reply)
    }

    /// The place of a trip that is named with a plan, and the plan: "colosseum to rome", "in rome:
    /// colosseum". "": none is named.
    fn place_of_plan(&self, what: String) -> (String, String) {
        let is_place = |place: &str| self.trips.iter().any(|trip| same(&trip.place, place));
        let links = ["to ", "in ", "of ", "for "];
        let first = links.iter().find_map(|link| {
            let (place, plan) = what.strip_prefix(link)?.split_once([':', ','])?;
            Some((place.trim(), plan.trim()))
        });
        let last = links.iter().find_map(|link| {
            let (plan, place) = what.rsplit_once(&format!(" {link}"))?;
            let place = place.strip_prefix("my ").unwrap_or(place);
            let place = place.strip_suffix(" trip").unwrap_or(place);
            // "train to florence" is the plan.
            let way = plan.rsplit(' ').next().unwrap_or_default().to_lowercase();
            let is_way = *link == "to " && WAYS.contains(&way.as_str());
            let plan = if is_way { what.as_str() } else { plan };
            Some((place, plan)).filter(|(place, _)| is_place(place))
        });
        let named = first.filter(|(place, _)| is_place(place)).or(last);
        match named {
            Some((place, plan)) if !plan.is_empty() => (place.to_owned(), plan.to_owned()),
            _ => (String::new(), what),
        }
    }

    /// All of them or none.
    pub(super) fn add_days(
        &mut self,
        plans: Vec<(u32, String)>,
        context: &PowerContext<'_>,
    ) -> String {
        let before = self.clone();
        let each = plans.into_iter();
        let each = each.map(|(day, what)| self.add_day(day, what, context));
        match each.collect::<Result<Vec<String>, String>>() {
            Ok(replies) => replies.join("\n"),
            Err(why) => {
                *self = before;
                why
            }
        }
    }
}
