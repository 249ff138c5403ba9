//! Which booking a person means: by its name, its number in the list, and its day where several
//! have that name.

use chrono::NaiveDate;

use super::ReservationState;
use super::kinds;
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::entries::Entry;
use crate::assistant::wording::texts;

/// A booking as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookingRef {
    pub(super) about: String,
    /// The day that was named with it.
    pub(super) on: Option<NaiveDate>,
}

/// The bookings that a name matches.
pub(super) enum BookingMatch<'a> {
    One(&'a Entry),
    /// Which of these, soonest first, is open.
    Several(Vec<u32>),
    Nothing,
}

impl BookingRef {
    pub(super) const fn named(about: String) -> Self {
        Self { about, on: None }
    }
}

impl ReservationState {
    pub(super) fn find_one(
        &self,
        which: &BookingRef,
        context: &PowerContext<'_>,
    ) -> BookingMatch<'_> {
        let found = self.named(which, context);
        match found.as_slice() {
            [] => BookingMatch::Nothing,
            [only] => BookingMatch::One(only),
            several => BookingMatch::Several(several.iter().map(|entry| entry.id).collect()),
        }
    }

    /// Soonest first.
    pub(super) fn named(&self, which: &BookingRef, context: &PowerContext<'_>) -> Vec<&Entry> {
        let name = which.about.to_lowercase();
        let name = name.strip_prefix("the ").unwrap_or(&name);
        if name.trim_start_matches('#').parse::<u32>().is_ok() {
            let id = self.bookings.find(name, context);
            return id
                .and_then(|id| self.bookings.get(id))
                .into_iter()
                .collect();
        }
        let sorted = self.bookings.sorted(context);
        let is_on = |entry: &Entry| {
            let day = which.on;
            day.is_none_or(|day| entry.date(context.today()) == Some(day))
        };
        let all = |is_so: &dyn Fn(&Entry) -> bool| {
            let each = sorted.iter().copied();
            let meant = each.filter(|entry| is_on(entry) && is_so(entry));
            meant.collect::<Vec<_>>()
        };
        let with = |text: &str| text.to_lowercase().contains(name);
        let readings = [
            all(&|entry| texts::same(&entry.what, name)),
            all(&|entry| with(&entry.what)),
            all(&|_| kinds::is_any(name)),
            all(&|entry| with(&entry.details)),
        ];
        let mut readings = readings.into_iter();
        readings.find(|found| !found.is_empty()).unwrap_or_default()
    }
}
