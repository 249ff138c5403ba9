//! A weekday in place of a known day: beside a day that is some weeks ahead, the one next to it; in
//! place of a nearer day, today's weekday is that of next week.

use chrono::{Datelike, NaiveDate};

use super::TimeChange;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::{self, Day, NamedDay, TimeExpression};
use crate::assistant::text::words::Words;
use crate::clock::{Timestamp, Zone};

/// A nearer day is corrected by a weekday of this week.
const DAYS_AHEAD_MIN: i64 = 7;

/// The date of the weekday that is meant in place of `known`. `None`: as it is.
fn next_to(day: Day, known: NaiveDate, today: NaiveDate) -> Option<NaiveDate> {
    let Day::Weekday {
        day: weekday,
        next_week: false,
    } = day
    else {
        return None;
    };
    let of_week = |day: chrono::Weekday| i64::from(day.num_days_from_monday());
    let ahead = (known - today).num_days();
    if (1..DAYS_AHEAD_MIN).contains(&ahead) && weekday == today.weekday() {
        // today is called so
        return today.checked_add_signed(chrono::Duration::days(7));
    }
    let later = (of_week(weekday) - of_week(known.weekday()) + 3).rem_euclid(7) - 3;
    let date = known.checked_add_signed(chrono::Duration::days(later));
    date.filter(|_| ahead >= DAYS_AHEAD_MIN && later != 0)
}

/// The day of a time in place of `known`.
pub(super) fn day_in_place(
    spec: &TimeExpression,
    known: NaiveDate,
    today: NaiveDate,
) -> Option<Day> {
    let date = next_to(spec.day?, known, today)?;
    Some(Day::Date {
        year: date.year(),
        month: date.month(),
        day: date.day(),
    })
}

/// With "this saturday" as the coming one, also where the day before was weeks ahead.
pub(super) fn with_named_week(spec: TimeExpression, words: &Words, at: usize) -> TimeExpression {
    let Some(Day::Weekday { day, next_week }) = spec.day else {
        return spec;
    };
    let from = words.skip(at, phrases!["on the", "on", "the"]);
    let is_coming = matches!(words.get(from), "this" | "coming");
    let first = NamedDay::Weekday { day, next_week };
    match is_coming {
        true => TimeExpression {
            day: Some(Day::After { days: 0, first }),
            ..spec
        },
        false => spec,
    }
}

/// "saturday 19 december" for the value "saturday" of a message that names Friday, 18 December.
pub fn value_near(message: &str, value: &str, now: Timestamp, zone: Zone) -> Option<String> {
    let (words, new) = (Words::new(message), Words::new(value));
    let from = new.skip(0, phrases!["on"]);
    let (day, end) = when::day_at(&new, from).filter(|_| new.get(from) != "this")?;
    let weekday = new.original(from..end);
    let (known, _) = (0..words.len())
        .find_map(|at| when::read(&words, at).filter(|(spec, _)| spec.day.is_some()))?;
    let date = |moment: Timestamp| moment.utc().with_timezone(&zone).date_naive();
    let known = when::day_of(&known, now, zone).map(|span| date(span.start))?;
    let today = date(now);
    let near = next_to(day, known, today)?;
    let year = match near.year() == today.year() {
        true => String::new(),
        false => format!(" {}", near.year()),
    };
    let rest = new.original(end..new.len());
    let weekday = weekday.trim_end_matches([',', '.']);
    Some(
        format!("{weekday} {}{year} {rest}", near.format("%-d %B"))
            .trim_end()
            .to_owned(),
    )
}

impl TimeChange {
    /// Whether it names its day by a weekday alone, also with an hour.
    pub(in crate::assistant) fn is_weekday(&self) -> bool {
        let super::NewTimeText::At(spec) = &self.0 else {
            return false;
        };
        matches!(
            spec.day,
            Some(Day::Weekday {
                next_week: false,
                ..
            })
        )
    }
}
