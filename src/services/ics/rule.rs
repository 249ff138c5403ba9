//! The occurrences of a recurrence rule, in local time, in order and bounded.

use calcard::icalendar::ICalendarRecurrenceRule;
use chrono::{DateTime, NaiveDateTime, TimeZone};
use rrule::{RRule, Tz, Unvalidated};

/// Occurrences of a rule that are looked at: those before the window count, too.
const OCCURRENCES_MAX: usize = 100_000;
/// Occurrences after which `is_late` is asked again.
pub(super) const LOOKED_AT_ONCE: usize = 64;

/// The moments on the wall at which `rule` comes from `start` up to `to`, oldest first.
pub(super) fn occurrences(
    rule: &ICalendarRecurrenceRule,
    start: NaiveDateTime,
    until: Option<NaiveDateTime>,
    to: NaiveDateTime,
    is_late: &dyn Fn() -> bool,
) -> Vec<NaiveDateTime> {
    let mut plain = rule.clone();
    plain.until = None;
    let wall = |time: NaiveDateTime| Tz::UTC.from_utc_datetime(&time);
    let parsed: Result<RRule<Unvalidated>, _> = plain.to_string().parse();
    let set = parsed.and_then(|parsed| {
        let parsed = match until {
            Some(until) => parsed.until(wall(until.max(start))),
            None => parsed,
        };
        parsed.build(wall(start))
    });
    let Ok(set) = set else {
        return vec![start];
    };
    let mut found: Vec<NaiveDateTime> = Vec::new();
    let set = set.limit();
    for (looked_at, at) in set.into_iter().take(OCCURRENCES_MAX).enumerate() {
        let at: DateTime<Tz> = at;
        let at = at.naive_utc();
        if at > to || looked_at % LOOKED_AT_ONCE == LOOKED_AT_ONCE - 1 && is_late() {
            break;
        }
        found.push(at);
    }
    // The start counts as the first, also where the rule misses it.
    if found.first() != Some(&start) {
        found.insert(0, start);
        if let Some(count) = rule.count {
            found.truncate(count.max(1) as usize);
        }
    }
    found
}
