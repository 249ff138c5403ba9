//! What is planned for the days of a trip.

use super::{DAYS_MAX, NO_TRIP, PLANS_MAX, Plan, TEXT_CHARS_MAX, TripState};
use crate::assistant::memory_matches;
use crate::assistant::powers::PowerContext;
use crate::assistant::wording::texts::{counted, same, too_long};

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
        context: &PowerContext,
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
        if matches!(
            what.to_lowercase().as_str(),
            "nothing" | "none" | "nothing yet" | "nothing planned"
        ) {
            return Err(format!(
                "I've added nothing to day {day} in {}. Say “remove …” with a plan to take it off.",
                trip.place
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

    /// `None`: nothing of that name is planned.
    pub(super) fn replan(
        &mut self,
        what: &str,
        day: u32,
        context: &PowerContext,
    ) -> Option<String> {
        let (trip, at) = match self.plan_named(what, None, context)? {
            Ok(found) => found,
            Err(question) => return Some(question),
        };
        let trip = &mut self.trips[trip];
        let days = trip.days().unwrap_or(DAYS_MAX);
        if !(1..=days).contains(&i64::from(day)) {
            return Some(format!(
                "The trip to {} has {}, so there's no day {day}.",
                trip.place,
                counted(days as usize, "day")
            ));
        }
        let at = split_plan(&mut trip.plans, at, what);
        let before = std::mem::replace(&mut trip.plans[at].day, day);
        let what = trip.plans[at].what.clone();
        trip.plans.sort_by_key(|plan| plan.day);
        let date = trip.date(day, context);
        let place = &trip.place;
        Some(format!(
            "Day {day}{date} in {place}: {what}. Before it was on day {before}."
        ))
    }

    /// `None`: nothing of that name is planned.
    pub(super) fn unplan(
        &mut self,
        what: &str,
        day: Option<u32>,
        context: &PowerContext,
    ) -> Option<String> {
        let (trip, at) = match self.plan_named(what, day, context)? {
            Ok(found) => found,
            Err(question) => return Some(question),
        };
        let trip = &mut self.trips[trip];
        let at = split_plan(&mut trip.plans, at, what);
        let removed = trip.plans.remove(at);
        Some(format!(
            "Removed from day {} in {}: {}. “undo” brings it back.",
            removed.day, trip.place, removed.what
        ))
    }

    /// A plan of the current trip, else of another: its trip, and its index there. An error asks
    /// which of several; `None`: there is none of that name.
    fn plan_named(
        &self,
        what: &str,
        day: Option<u32>,
        context: &PowerContext,
    ) -> Option<Result<(usize, usize), String>> {
        for (trip_at, trip) in self.trips.iter().enumerate().rev() {
            let of_day = |plan: &Plan| day.is_none_or(|day| plan.day == day);
            let matching = |fits: &dyn Fn(&Plan) -> bool| -> Vec<usize> {
                let plans = trip.plans.iter().enumerate();
                let found = plans.filter(|(_, plan)| of_day(plan) && fits(plan));
                found.map(|(at, _)| at).collect()
            };
            let mut found = matching(&|plan| same(&plan.what, what));
            if found.is_empty() {
                found = matching(&|plan| memory_matches(&plan.what, what));
            }
            match found.as_slice() {
                [] => {}
                [only] => return Some(Ok((trip_at, *only))),
                several => {
                    let line = |at: &usize| {
                        format!("day {}: {}", trip.plans[*at].day, trip.plans[*at].what)
                    };
                    let lines: Vec<String> = several.iter().map(line).collect();
                    return Some(Err(format!(
                        "Which one do you mean? {}. I've changed nothing.",
                        lines.join("; ")
                    )));
                }
            }
        }
        let missing = || format!("I see no plan “{what}” for your trip, so I've changed nothing.");
        (context.sure && !self.trips.is_empty() && day.is_some()).then(|| Err(missing()))
    }

    /// All of them or none.
    pub(super) fn add_days(&mut self, plans: Vec<(u32, String)>, context: &PowerContext) -> String {
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

/// Makes what is named a plan of its own: "sushi" of "teamlab at 10, then sushi at 1". Returns where
/// it is.
fn split_plan(plans: &mut Vec<Plan>, at: usize, what: &str) -> usize {
    let parts: Vec<&str> = plans[at].what.split([',', ';']).map(without_link).collect();
    // "Schönbrunn and Prater", of which exactly one is named
    let of_and: Vec<&str> = plans[at].what.split(" and ").collect();
    let is_one = parts.len() == 1 && of_and.iter().any(|part| same(part, what));
    let parts = if is_one { of_and } else { parts };
    let (meant, rest): (Vec<&str>, Vec<&str>) = parts
        .into_iter()
        .partition(|part| memory_matches(part, what));
    let ([only], false) = (meant.as_slice(), rest.is_empty()) else {
        return at;
    };
    let own = Plan {
        what: (*only).to_owned(),
        ..plans[at].clone()
    };
    plans[at].what = rest.join(", ");
    plans.insert(at + 1, own);
    at + 1
}

/// "sushi" of "then sushi".
fn without_link(part: &str) -> &str {
    let part = part.trim();
    let mut links = ["and then ", "then ", "and "].into_iter();
    let rest = links.find_map(|link| part.strip_prefix(link));
    rest.unwrap_or(part)
}
