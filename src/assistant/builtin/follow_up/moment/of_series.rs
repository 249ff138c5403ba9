//! The moment that a new time means for what comes again and again.

use chrono::Weekday;

use super::day_of;
use crate::assistant::builtin::follow_up::{NewTime, NewTimeText, TimeChange};
use crate::clock::Timestamp;
use crate::model::recurrence::Recurrence;

impl TimeChange {
    /// "every other friday" of what has come: counted from that time. `None`: it does not fit the new rule.
    pub fn counted_from(
        &self,
        came_at: Timestamp,
        recurrence: &Recurrence,
        now: Timestamp,
    ) -> Option<NewTime> {
        let (just_before, zone) = (came_at.plus_s(-60), recurrence.zone());
        let mut from_then = self.clone();
        if let NewTimeText::Repeat(repeat) = &mut from_then.0 {
            let day = came_at.utc().with_timezone(&zone).date_naive();
            repeat.start_on(day_of(day, just_before, zone));
        }
        let new = from_then.of_set(came_at, Some(recurrence), just_before, zone);
        let new = new.ok().filter(|new| new.send_at.0 - came_at.0 < 60_000)?;
        let rule = new.recurrence.as_ref()?;
        let (rule, send_at) = match rule.pattern()?.interval {
            1 => return None,
            _ => rule.progress(now).next?,
        };
        Some(NewTime {
            send_at,
            recurrence: Some(rule),
            ..new
        })
    }

    /// Whether "every friday at 4" names all the days of the week on which that comes.
    pub fn keeps_weekdays(&self, rule: &Recurrence) -> bool {
        let (NewTimeText::Repeat(repeat) | NewTimeText::OnDays(repeat)) = &self.0 else {
            return false;
        };
        let mut days = weekdays_of(rule);
        days.sort_by_key(Weekday::num_days_from_monday);
        !days.is_empty() && repeat.named_weekdays() == Some(days)
    }

    /// Whether "fridays at 11" would end the other days of what comes on mondays and fridays.
    pub fn ends_other_days(&self, new: &NewTime, recurrence: Option<&Recurrence>) -> bool {
        let rules = new.recurrence.as_ref().zip(recurrence);
        let is_for_some = rules.is_some_and(|(new, before)| has_fewer_weekdays(new, before));
        self.gives_days_an_hour() && is_for_some
    }
}

/// Without the days that were left out, and not before the time at which what is paused, or begins later,
/// comes again.
pub(super) fn after_pause(
    new: NewTime,
    (before, again_at): (&Recurrence, Timestamp),
    now: Timestamp,
) -> NewTime {
    let new = without_days_of(new, before);
    let is_paused = || {
        // What comes just now is not paused.
        let soon = now.plus_s(60);
        let local = soon.utc().with_timezone(&before.zone()).naive_local();
        let is_each = before
            .pattern()
            .is_some_and(|pattern| pattern.interval == 1);
        let usual = Recurrence::new(before.rule(), local, before.zone());
        is_each && usual.is_ok_and(|usual| usual.next() < Some(again_at))
    };
    if new.send_at >= again_at || !is_paused() {
        return new;
    }
    let before_it = again_at.plus_ms(-1);
    match new
        .recurrence
        .as_ref()
        .map(|rule| rule.progress(before_it).next)
    {
        Some(Some((recurrence, send_at))) => NewTime {
            send_at,
            recurrence: Some(recurrence),
            ..new
        },
        _ => new,
    }
}

fn weekdays_of(rule: &Recurrence) -> Vec<Weekday> {
    let weekdays = rule.pattern().map(|pattern| pattern.weekdays);
    weekdays.into_iter().flatten().map(|(_, day)| day).collect()
}

/// Whether it comes on some weekdays of the other rule.
fn has_fewer_weekdays(new: &Recurrence, other: &Recurrence) -> bool {
    let (new, other) = (weekdays_of(new), weekdays_of(other));
    let is_some = !new.is_empty() && new.len() < other.len();
    is_some && new.iter().all(|day| other.contains(day))
}

/// Days that were left out of the rule before stay left out.
fn without_days_of(new: NewTime, before: &Recurrence) -> NewTime {
    let recurrence = new.recurrence.map(|rule| rule.without_days_of(before));
    NewTime { recurrence, ..new }
}
