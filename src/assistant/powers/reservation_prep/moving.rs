//! Bookings at another time, which the place knows nothing of.

use chrono::NaiveDate;

use super::which::BookingMatch;
use super::{EVENING, NEW_TIME_UNCLEAR, ReservationState, kinds};
use crate::assistant::builtin::TimeChange;
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::entries::TimeProblem;
use crate::assistant::powers::entry_ref::EntryRef;
use crate::assistant::powers::planned_time::{self, PlannedTime};
use crate::assistant::text::words::Words;

impl ReservationState {
    /// The place knows nothing of it.
    pub(super) fn relocate(
        &mut self,
        which: &EntryRef,
        (to, said): (TimeChange, &str),
        context: &PowerContext<'_>,
    ) -> Option<String> {
        let entry = match self.find_one(which, context) {
            BookingMatch::One(entry) => entry,
            BookingMatch::Several(found) => {
                let request = |n| format!("move my booking {n} {said}");
                return Some(self.ask_which(found, request, context));
            }
            // "the plumber moved to friday"
            BookingMatch::Nothing if !Words::new(&which.said).iter().any(kinds::is_kind) => {
                return None;
            }
            BookingMatch::Nothing => return self.none_of(which, context),
        };
        let id = entry.id;
        self.relocate_one(id, to, context)
    }

    /// Moves the one with that id.
    pub(super) fn relocate_one(
        &mut self,
        id: u32,
        to: TimeChange,
        context: &PowerContext<'_>,
    ) -> Option<String> {
        let entry = self.bookings.get(id)?;
        let words = Words::new(&entry.what);
        let is_late = match entry.minute {
            Some(minute) => minute >= EVENING,
            None => kinds::is_in_the_evening(&words, 0..words.len()),
        };
        let to = if is_late { to.in_the_evening() } else { to };
        let time = match entry.moved(&to, context) {
            Ok(time) => time,
            Err(TimeProblem::ComesAgain) => return Some(planned_time::comes_again()),
            Err(TimeProblem::Unclear) => return Some(NEW_TIME_UNCLEAR.to_owned()),
        };
        let id = self.bookings.set_time(id, time, context)?;
        self.new_time(id, context)
    }

    /// A stay is on other days.
    pub(super) fn move_stay(
        &mut self,
        which: &EntryRef,
        (first, last): (NaiveDate, NaiveDate),
        said: &str,
        context: &PowerContext<'_>,
    ) -> Option<String> {
        let id = match self.find_one(which, context) {
            BookingMatch::One(entry) => entry.id,
            BookingMatch::Several(found) => {
                let request = |n| format!("move my booking {n} {said}");
                return Some(self.ask_which(found, request, context));
            }
            BookingMatch::Nothing => return self.none_of(which, context),
        };
        let time = PlannedTime {
            day: first,
            minute: None,
        };
        let id = self.bookings.set_time(id, time, context)?;
        self.bookings.set_last(id, last);
        self.new_time(id, context)
    }

    fn new_time(&mut self, id: u32, context: &PowerContext<'_>) -> Option<String> {
        let notice = self.announced(id, context);
        let line = self.bookings.get(id)?.display(context);
        Some(format!(
            "Okay, I noted the new time: {line}. I can't change it with them; please do that yourself. {notice}"
        ))
    }
}
