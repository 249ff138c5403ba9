//! How trips are shown.

use super::{NO_TRIP, Trip, TripState};
use crate::assistant::local_time;
use crate::assistant::powers::PowerContext;
use crate::assistant::wording::texts::{self, counted};

impl Trip {
    pub(super) fn days(&self) -> Option<i64> {
        Some(i64::from(self.to? - self.from?) + 1)
    }

    /// " (Friday, 5 June)", when the dates are known.
    pub(super) fn date(&self, day: u32, context: &PowerContext) -> String {
        self.from.map_or_else(String::new, |from| {
            let date = local_time::day(from + day as i32 - 1);
            format!(" ({})", texts::display(date, context.today()))
        })
    }

    /// "Trip to Lisbon, Wednesday, 3 June to Sunday, 7 June, 5 days".
    pub(super) fn title(&self, context: &PowerContext) -> String {
        match (self.from, self.to, self.days()) {
            (Some(from), Some(to), Some(days)) => format!(
                "Trip to {}, {} to {} ({})",
                self.place,
                texts::display(local_time::day(from), context.today()),
                texts::display(local_time::day(to), context.today()),
                counted(days as usize, "day")
            ),
            _ => format!("Trip to {}, no dates yet", self.place),
        }
    }

    pub(super) fn display(&self, context: &PowerContext) -> String {
        let mut text = format!("{}:", self.title(context));
        if self.plans.is_empty() {
            text.push_str("\nNothing planned yet. Say “add day 1: museum”.");
        }
        for plan in &self.plans {
            let date = self.date(plan.day, context);
            text.push_str(&format!("\n• Day {}{date}: {}", plan.day, plan.what));
        }
        for line in self.booked(context) {
            text.push_str(&format!("\n• {line}"));
        }
        let open = self.packing.iter().filter(|one| !one.packed).count();
        if open > 0 {
            text.push_str(&format!("\n{} left to pack.", counted(open, "thing")));
        }
        text
    }

    pub(super) fn packing_list(&self) -> String {
        if self.packing.is_empty() {
            return format!(
                "Nothing on the packing list for {} yet. Say “pack sunscreen and a hat”.",
                self.place
            );
        }
        let mut text = format!("To pack for {}:", self.place);
        for (n, one) in (1..).zip(&self.packing) {
            let done = if one.packed { " ✓" } else { "" };
            text.push_str(&format!("\n{n}. {}{done}", one.what));
        }
        text
    }
}

impl TripState {
    pub(super) fn list(&self, context: &PowerContext) -> String {
        if self.trips.is_empty() {
            return NO_TRIP.to_owned();
        }
        let mut text = format!("{}:", counted(self.trips.len(), "trip"));
        for trip in self.trips.iter().rev() {
            text.push_str(&format!("\n• {}", trip.title(context)));
        }
        text
    }
}
