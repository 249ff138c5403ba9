//! The occurrences of a recurrence rule, in local time, in order and bounded.

use calcard::icalendar::{ICalendarFrequency, ICalendarRecurrenceRule};
use chrono::{DateTime, Duration, NaiveDateTime, TimeZone};
use rrule::{RRule, Tz, Unvalidated};

/// Occurrences of a rule that are looked at: those before the window count, too.
const OCCURRENCES_MAX: usize = 100_000;
/// Occurrences after which `is_late` is asked again.
pub(super) const CHECK_INTERVAL: usize = 64;

/// The last start before `from` from which `rule` has the same later occurrences, so that those of
/// many years need not be computed. `start` itself where that isn't certain: with a COUNT, or where
/// short months leave occurrences out.
pub(super) fn later_start(
    rule: &ICalendarRecurrenceRule,
    start: NaiveDateTime,
    from: NaiveDateTime,
) -> NaiveDateTime {
    let step = match rule.freq {
        _ if rule.count.is_some() => return start,
        ICalendarFrequency::Yearly | ICalendarFrequency::Monthly => return start,
        // `rrule` steps from hour to hour here, and keeps no count of the minutes.
        ICalendarFrequency::Minutely | ICalendarFrequency::Secondly
            if !(rule.byhour.is_empty() && rule.byminute.is_empty()) =>
        {
            return start;
        }
        ICalendarFrequency::Weekly => Duration::weeks(1),
        ICalendarFrequency::Daily => Duration::days(1),
        ICalendarFrequency::Hourly => Duration::hours(1),
        ICalendarFrequency::Minutely => Duration::minutes(1),
        ICalendarFrequency::Secondly => Duration::seconds(1),
    };
    let step_s = step.num_seconds() * i64::from(rule.interval.unwrap_or(1).max(1));
    let before_s = (from - start).num_seconds() - 1;
    start + Duration::seconds(before_s.max(0) / step_s * step_s)
}

/// The local times of the occurrences of `rule` from `start` to `to`, oldest first.
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
    for (examined, at) in set.into_iter().take(OCCURRENCES_MAX).enumerate() {
        let at: DateTime<Tz> = at;
        let at = at.naive_utc();
        if at > to || examined % CHECK_INTERVAL == CHECK_INTERVAL - 1 && is_late() {
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

#[cfg(test)]
mod tests {
    use calcard::icalendar::{ICalendarProperty, ICalendarValue};
    use calcard::{Entry, Parser};

    use super::*;

    fn rule(text: &str) -> ICalendarRecurrenceRule {
        let event = format!("BEGIN:VEVENT\nRRULE:{text}\nEND:VEVENT\n");
        let calendar = format!("BEGIN:VCALENDAR\n{event}END:VCALENDAR\n");
        let Entry::ICalendar(calendar) = Parser::new(&calendar).entry() else {
            panic!("{text}");
        };
        let mut parts = calendar.components.iter();
        let entry = parts.find_map(|part| part.property(&ICalendarProperty::Rrule));
        match entry.and_then(|entry| entry.values.first()) {
            Some(ICalendarValue::RecurrenceRule(rule)) => (**rule).clone(),
            _ => panic!("{text}"),
        }
    }

    fn at(text: &str) -> NaiveDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn a_later_start_has_the_same_occurrences() {
        let (start, to) = (at("2024-02-29T09:40:05"), at("2026-12-20T00:00:00"));
        let cases = [
            ("FREQ=HOURLY", true),
            ("FREQ=HOURLY;INTERVAL=7", true),
            ("FREQ=HOURLY;BYMINUTE=10,50;BYDAY=MO", true),
            ("FREQ=HOURLY;INTERVAL=5;BYHOUR=9,14;BYSETPOS=1", true),
            ("FREQ=MINUTELY;INTERVAL=50", true),
            ("FREQ=MINUTELY;INTERVAL=45;BYDAY=SU", true),
            ("FREQ=SECONDLY;INTERVAL=3601", true),
            ("FREQ=DAILY;INTERVAL=3", true),
            ("FREQ=DAILY;BYMONTH=11;BYHOUR=8,20", true),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU", true),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=MO", true),
            ("FREQ=WEEKLY;INTERVAL=3", true),
            ("FREQ=WEEKLY;BYDAY=TU,FR;BYSETPOS=-1", true),
            ("FREQ=HOURLY;COUNT=24000", false),
            ("FREQ=MONTHLY;BYMONTHDAY=30", false),
            ("FREQ=MINUTELY;BYDAY=SU;BYHOUR=8", false),
            ("FREQ=YEARLY", false),
        ];
        for (text, is_later) in cases {
            let rule = rule(text);
            for from in ["2026-11-22T08:00:00", "2026-11-22T09:40:05"] {
                let from = at(from);
                let later = later_start(&rule, start, from);
                assert_eq!(later > start, is_later, "{text}");
                assert!(later < from, "{text}");
                let found = |start| {
                    let mut found = occurrences(&rule, start, None, to, &|| false);
                    found.retain(|at| *at >= from);
                    found
                };
                assert!(found(start) == found(later), "{text}");
                assert!(!found(later).is_empty() || !is_later, "{text}");
            }
        }
        // The start is not before the window.
        let rule = rule("FREQ=HOURLY");
        assert_eq!(later_start(&rule, start, at("2020-01-01T00:00:00")), start);
        assert_eq!(later_start(&rule, start, start), start);
    }
}
