//! Parses frequencies and days: "every other week on monday", "weekdays", "on the 1st of each
//! month".

use chrono::Weekday;

use super::times_a_year;
use super::weekdays::{ALL_DAYS, dashed, is_compact, weekdays};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::{self, Day, Delay, PartOfDay, amount, weekday_name};
use crate::assistant::text::words::Words;

/// Limit of listed days.
const DAYS_MAX: usize = 7;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Days {
    Unsaid,
    Weekdays(Vec<Weekday>),
    /// -1 is the last.
    NthWeekday(i32, Weekday),
    /// -1 is the last.
    OfMonth(Vec<i32>),
    OfYear {
        month: u32,
        day: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frequency {
    pub(super) unit: Unit,
    pub(super) interval: u32,
    pub(super) days: Days,
    /// "every morning".
    pub(super) part: Option<PartOfDay>,
}

impl Frequency {
    pub(super) fn of(unit: Unit, interval: u32) -> Self {
        Self {
            unit,
            interval,
            days: Days::Unsaid,
            part: None,
        }
    }

    pub(super) fn weekly(days: Vec<Weekday>) -> Self {
        Self::on(Unit::Week, Days::Weekdays(days))
    }

    fn on(unit: Unit, days: Days) -> Self {
        Self {
            days,
            ..Self::of(unit, 1)
        }
    }

    /// Whether it repeats within a day.
    pub(super) fn is_through_the_day(&self) -> bool {
        matches!(self.unit, Unit::Hour | Unit::Minute)
    }

    /// Whether it comes every day, or more often.
    pub(super) fn is_each_day(&self) -> bool {
        self.is_through_the_day() || matches!((self.unit, &self.days), (Unit::Day, Days::Unsaid))
    }

    /// Whether it comes more than once in that time of less than a day: a shorter one is how long
    /// the thing itself takes, as in "every day at 7 for 10 minutes".
    pub(super) fn is_within(&self, delay: &Delay) -> bool {
        let unit_s = match self.unit {
            Unit::Minute => 60,
            Unit::Hour => 3_600,
            _ => return false,
        };
        delay.seconds > i64::from(self.interval) * unit_s
    }

    /// Whether it comes on more than one day of a week.
    pub(super) fn is_within_week(&self) -> bool {
        match &self.days {
            Days::Weekdays(days) => days.len() > 1,
            _ => matches!(self.unit, Unit::Minute | Unit::Hour | Unit::Day),
        }
    }

    /// Whether it comes once a week at most, and names no day: "weekly".
    pub(super) fn goes_by_today(&self) -> bool {
        self.days == Days::Unsaid && matches!(self.unit, Unit::Week | Unit::Month | Unit::Year)
    }

    /// Excludes days: "every day except sunday". False when there are no days to exclude.
    pub(super) fn leave_out(&mut self, days: &[Weekday]) -> bool {
        let from = match &self.days {
            Days::Weekdays(days) => days.clone(),
            Days::Unsaid if self.unit == Unit::Day && self.interval == 1 => ALL_DAYS.to_vec(),
            _ => return false,
        };
        let left: Vec<Weekday> = from.into_iter().filter(|day| !days.contains(day)).collect();
        let some = !left.is_empty();
        (self.unit, self.days) = (Unit::Week, Days::Weekdays(left));
        some
    }
}

pub(super) fn read(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    if let Some(found) = once_a(words, at).or_else(|| adverb(words, at)) {
        return Some(found);
    }
    if let Some(end) = words.after(at, phrases!["every month end", "each month end"]) {
        return Some((Frequency::on(Unit::Month, Days::OfMonth(vec![-1])), end));
    }
    if let Some(from) = words.after(at, phrases!["every single", "every", "each"]) {
        return every(words, from);
    }
    plural(words, at).or_else(|| of_each_month(words, at))
}

pub(super) fn part_of_day(word: &str) -> Option<PartOfDay> {
    Some(match word {
        "morning" | "mornings" => PartOfDay::Morning,
        "afternoon" | "afternoons" => PartOfDay::Afternoon,
        "evening" | "evenings" => PartOfDay::Evening,
        "night" | "nights" => PartOfDay::Night,
        _ => return None,
    })
}

/// "once a week", "once every two weeks".
fn once_a(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    if let Some(from) = words.after(at, phrases!["once every", "once each"]) {
        return every(words, from);
    }
    if let Some((months, end)) = times_a_year::months(words, at) {
        return Some((Frequency::of(Unit::Month, months), end));
    }
    let from = words.after(at, phrases!["once a", "once per", "one time a"])?;
    let unit = unit(words.get(from))?;
    Some(on_day(words, Frequency::of(unit, 1), from + 1))
}

fn adverb(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    let frequency = match words.get(at) {
        "daily" | "everyday" => Frequency::of(Unit::Day, 1),
        "nightly" => Frequency {
            part: Some(PartOfDay::Night),
            ..Frequency::of(Unit::Day, 1)
        },
        "weekly" => Frequency::of(Unit::Week, 1),
        "biweekly" | "fortnightly" => Frequency::of(Unit::Week, 2),
        "monthly" => Frequency::of(Unit::Month, 1),
        "quarterly" => Frequency::of(Unit::Month, 3),
        "semi-annually" | "half-yearly" | "biannually" => Frequency::of(Unit::Month, 6),
        "yearly" | "annually" => Frequency::of(Unit::Year, 1),
        "hourly" => Frequency::of(Unit::Hour, 1),
        _ => return None,
    };
    Some(on_day(words, frequency, at + 1))
}

/// "the next 3 mondays", "for the next 3 days": days, how many of them, and the index after.
pub(super) fn next_days(words: &Words, at: usize) -> Option<(Frequency, u32, usize)> {
    let from = words.after(
        at,
        phrases![
            "for the next", "on the next", "over the next", "the next", "next", "for",
        ],
    )?;
    let (count, end) = amount::count(words, from).filter(|(count, _)| *count > 1)?;
    let frequency = match words.get(end) {
        "days" => Frequency::of(Unit::Day, 1),
        days if days.ends_with("days") && words.get(from - 1) == "next" => {
            Frequency::on(Unit::Week, Days::Weekdays(vec![weekday_name(days)?]))
        }
        _ => return None,
    };
    Some((frequency, count, end + 1))
}

/// "every 1.5 hours", "every hour and a half".
fn every_part_of_hour(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    for (phrase, minutes) in [
        ("hour and a half", 90),
        ("half an hour", 30),
        ("half hour", 30),
    ] {
        if let Some(end) = words.after(at, &[phrase]) {
            return Some((Frequency::of(Unit::Minute, minutes), end));
        }
    }
    let (delay, end) = amount::delay(words, at, true)?;
    let is_uneven = delay.seconds % 3_600 != 0 && delay.seconds % 60 == 0;
    let minutes = u32::try_from(delay.seconds / 60).ok()?;
    let is_minutes = is_uneven && minutes > 60 && delay.days == 0 && delay.months == 0;
    is_minutes.then(|| (Frequency::of(Unit::Minute, minutes), end))
}

/// The words after "every".
fn every(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    if let Some(found) = every_part_of_hour(words, at) {
        return Some(found);
    }
    if let Some((days, end)) = weekdays(words, at) {
        // "every friday the 13th"
        if words
            .after(end, phrases!["the"])
            .is_some_and(|next| when::ordinal(words.get(next)).is_some())
        {
            return None;
        }
        let end = after_larger_unit(words, Unit::Week, end);
        return Some((Frequency::on(Unit::Week, Days::Weekdays(days)), end));
    }
    if let Some(found) = dated(words, at) {
        return Some(found);
    }
    let (interval, from) = match words.get(at) {
        "other" => (2, at + 1),
        _ => match amount::count(words, at) {
            Some((n, from)) => (n, from),
            None => (1, at),
        },
    };
    if interval == 0 {
        return None;
    }
    if let Some((days, end)) = weekdays(words, from) {
        // "every other monday" is valid; "every 3 fridays" isn't.
        let frequency = Frequency {
            interval,
            ..Frequency::on(Unit::Week, Days::Weekdays(days))
        };
        return Some((frequency, end));
    }
    let frequency = match words.get(from) {
        word if part_of_day(word).is_some() => Frequency {
            part: part_of_day(word),
            ..Frequency::of(Unit::Day, interval)
        },
        "quarter" => Frequency::of(Unit::Month, 3 * interval),
        "fortnight" => Frequency::of(Unit::Week, 2 * interval),
        "half" if words.get(from + 1) == "year" => {
            return Some((Frequency::of(Unit::Month, 6 * interval), from + 2));
        }
        word => Frequency::of(unit(word)?, interval),
    };
    let end = after_larger_unit(words, frequency.unit, from + 1);
    Some(on_day(words, frequency, end))
}

/// The index after "of the week" of "every day of the week", which adds nothing. "of the year end
/// report" is what it is about.
fn after_larger_unit(words: &Words, unit: Unit, at: usize) -> usize {
    let end = match unit {
        Unit::Minute => words.after(at, phrases!["of the hour", "of the day"]),
        Unit::Hour => words.after(at, phrases!["of the day", "of every day", "of each day"]),
        Unit::Day => words.after(at, phrases!["of the week", "of the month", "of the year"]),
        Unit::Week => words.after(
            at,
            phrases![
                "of the month", "of each month", "of every month", "of the year"
            ],
        ),
        Unit::Month => words.after(at, phrases!["of the year", "of every year"]),
        Unit::Year => None,
    };
    let ends = |end: usize| {
        words.is_set_off(end - 1)
            || matches!(
                words.get(end),
                "" | "to" | "that" | "at" | "on" | "in" | "from" | "until" | "till" | "starting"
            )
    };
    end.filter(|end| ends(*end)).unwrap_or(at)
}

/// "every 15th", "every first monday of the month", "every last day of the month", "every 3 may".
fn dated(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    if let Some((Day::OfYear { month, day }, end)) = when::day_at(words, at) {
        return Some((Frequency::on(Unit::Year, Days::OfYear { month, day }), end));
    }
    let (days, end) = days_of_month(words, at)?;
    let after = words.after(
        end,
        phrases![
            "of the month", "of each month", "of every month", "in the month",
        ],
    );
    // "every second day" is a frequency; "every 15th" is a day of the month.
    let alone = match &days {
        Days::OfMonth(days) => days.len() == 1 && days[0] > 3 && unit(words.get(end)).is_none(),
        // "every second monday" is every other week.
        Days::NthWeekday(nth, _) => matches!(nth, -1 | 1),
        _ => false,
    };
    (after.is_some() || alone).then(|| (Frequency::on(Unit::Month, days), after.unwrap_or(end)))
}

/// "on mondays", "weekdays", "monday to friday", "on weekends".
fn plural(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    let on = words.get(at) == "on";
    let from = at + usize::from(on);
    let is_plural = phrases![
        "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays",
        "weekdays", "workdays", "weeknights"
    ]
    .contains(words.get(from))
        || matches!(words.get(from), "school" | "working") && words.get(from + 1) == "days"
        || words.get(from) == "weekends" && (on || words.get(from + 1) == "at")
        || weekday_name(words.get(from)).is_some()
            && matches!(words.get(from + 1), "to" | "through" | "thru")
            && weekday_name(words.get(from + 2)).is_some()
        || is_compact(words, from);
    // "two fridays from now" is one friday, and "about fridays exam" lacks an apostrophe.
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    if matches!(before, "about" | "of") {
        return None;
    }
    let is_count = amount::is_number(before) || before.starts_with(|c: char| c.is_ascii_digit());
    if is_count && words.after(from + 1, phrases!["from"]).is_some() {
        return None;
    }
    let night = words.get(from) == "weeknights";
    let (days, end) = weekdays(words, from).filter(|_| is_plural)?;
    let frequency = Frequency {
        part: night.then_some(PartOfDay::Night),
        ..Frequency::on(Unit::Week, Days::Weekdays(days))
    };
    Some((frequency, end))
}

/// "on the 1st of each month", "first monday of every month", "on the last day of the month".
fn of_each_month(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    let link = words.after(at, phrases!["on the", "at the", "the", "on"]);
    let from = link.unwrap_or(at);
    if let Some(end) = words.after(from, phrases!["end of each month", "end of every month"]) {
        return Some((Frequency::on(Unit::Month, Days::OfMonth(vec![-1])), end));
    }
    let (days, end) = days_of_month(words, from)?;
    if let Some((interval, end)) = every_few_months(words, end) {
        let frequency = Frequency {
            interval,
            ..Frequency::on(Unit::Month, days)
        };
        return Some((frequency, end));
    }
    let end = match words.after(
        end,
        phrases![
            "of each month", "of every month", "each month", "every month", "monthly",
        ],
    ) {
        Some(end) => end,
        // "on the 3rd of the month" is one date; "the last day of the month" recurs.
        None if link.is_some()
            && (matches!(&days, Days::OfMonth(days) if days == &[-1])
                || matches!(days, Days::NthWeekday(..))) =>
        {
            words.after(end, phrases!["of the month"])?
        }
        None => return None,
    };
    Some((Frequency::on(Unit::Month, days), end))
}

/// "of every second month", "every 3 months" after a day of it.
fn every_few_months(words: &Words, at: usize) -> Option<(u32, usize)> {
    let from = words.after(
        at,
        phrases!["of every", "of each", "in every", "every", "each"],
    )?;
    let (interval, end) = match words.get(from) {
        "other" => (2, from + 1),
        _ => amount::count(words, from)?,
    };
    let is_months = matches!(words.get(end), "month" | "months") && interval > 0;
    is_months.then_some((interval, end + 1))
}

/// "1st and 15th", "last day", "first monday".
fn days_of_month(words: &Words, at: usize) -> Option<(Days, usize)> {
    if let Some(end) = words.after(at, phrases!["last day"]) {
        return Some((Days::OfMonth(vec![-1]), end));
    }
    let nth = match words.get(at) {
        "last" => Some(-1),
        word => when::ordinal(word).and_then(|n| i32::try_from(n).ok()),
    }?;
    if let Some(day) = weekday_name(words.get(at + 1)).filter(|_| (-1..=5).contains(&nth)) {
        return Some((Days::NthWeekday(nth, day), at + 2));
    }
    if !(1..=31).contains(&nth) {
        return None;
    }
    let (mut days, mut end) = (vec![nth], at + 1);
    while days.len() < DAYS_MAX
        && let Some(next) = words.after(end, phrases!["and the", "and", "&"])
        && let Some(day) = when::ordinal(words.get(next)).filter(|day| (1..=31).contains(day))
    {
        days.push(day as i32);
        end = next + 1;
    }
    Some((Days::OfMonth(days), end))
}

/// "every week on monday", "monthly on the 15th", "every year on may 3".
fn on_day(words: &Words, frequency: Frequency, at: usize) -> (Frequency, usize) {
    let found = words
        .after(at, phrases!["on the", "on"])
        .and_then(|from| match frequency.unit {
            Unit::Week => weekdays(words, from).map(|(days, end)| (Days::Weekdays(days), end)),
            Unit::Month => days_of_month(words, from),
            Unit::Year => match when::day_at(words, from)? {
                (Day::OfYear { month, day }, end) => Some((Days::OfYear { month, day }, end)),
                _ => None,
            },
            _ => None,
        });
    match found {
        Some((days, end)) => (Frequency { days, ..frequency }, end),
        None => (frequency, at),
    }
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "minute" | "minutes" | "min" | "mins" => Unit::Minute,
        "hour" | "hours" | "hr" | "hrs" => Unit::Hour,
        "day" | "days" => Unit::Day,
        "week" | "weeks" | "wk" | "wks" => Unit::Week,
        "month" | "months" => Unit::Month,
        "year" | "years" => Unit::Year,
        _ => return None,
    })
}

/// Whether a word after "every" is a unit of time.
pub(super) fn is_unit(word: &str) -> bool {
    unit(word).is_some()
        || word.contains('/') && word.split('/').all(|day| weekday_name(day).is_some())
        || dashed(word).is_some()
        || when::month(word).is_some()
        || word.starts_with(|c: char| c.is_ascii_digit()) && when::ordinal(word).is_some()
        || weekday_name(word).is_some()
        || part_of_day(word).is_some()
        || matches!(
            word,
            "noon" | "weekday" | "workday" | "weekend" | "quarter" | "fortnight"
        )
}
