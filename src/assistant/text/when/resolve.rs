//! Converts a parsed time to an instant in a zone. A local time in a gap becomes the first instant
//! after it; an ambiguous one becomes the earlier.

use chrono::{
    Datelike, Days, Duration, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Weekday,
};

use super::{
    BARE_HOUR_PM_MAX, BARE_HOUR_TWICE_MAX, DAY_HOUR, Day, Delay, NamedDay, NamedMonth, PartOfDay,
    TimeExpression, TimeOfDay,
};
use crate::assistant::text::zone;
use crate::clock::{Timestamp, Zone, at_wall_time};

/// How many years ahead a time may be.
pub(in crate::assistant) const YEARS_AHEAD_MAX: u32 = 5;

/// From this hour "this morning" and "this afternoon" are over.
const MORNING_END_HOUR: u32 = 12;
const AFTERNOON_END_HOUR: u32 = 18;
/// Hours before this one belong to the night of the day before.
const NIGHT_END_HOUR: u32 = 5;

/// February 29th recurs within eight years in any century.
const YEARS_SEARCHED: i32 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum Problem {
    Past,
    TooFar,
    /// Such as 30 February or 25 o'clock.
    NoSuchTime,
    /// Such as 5/6: these two dates.
    Ambiguous(NaiveDate, NaiveDate),
    /// The weekday is not that of the date.
    WeekdayMismatch,
    /// The hour is in another part of the day: "8pm in the morning".
    PartMismatch,
    /// The zone was named by its summer time, and has another time then: "PDT" in winter.
    NotSummerTime,
    /// "half 9"; the hour is that of the later reading.
    HalfHour(u32),
}

pub(in crate::assistant) fn resolve(
    spec: &TimeExpression,
    now: Timestamp,
    zone: Zone,
) -> Result<Timestamp, Problem> {
    if let Some(problem) = unsure(spec) {
        return Err(problem);
    }
    let zone = spec.zone.unwrap_or(zone);
    let local = now.utc().with_timezone(&zone).naive_local();
    let moment = match spec.delay {
        Some(delay) => waited(spec, delay, now, local, zone)?,
        None => dated(spec, now, local, zone)?,
    };
    let latest = now
        .utc()
        .checked_add_months(Months::new(12 * YEARS_AHEAD_MAX));
    if moment <= now {
        Err(Problem::Past)
    } else if spec.is_summer_time && !zone::has_summer_time(zone, moment) {
        Err(Problem::NotSummerTime)
    } else if latest.is_some_and(|latest| moment.0 > latest.timestamp_millis()) {
        Err(Problem::TooFar)
    } else {
        Ok(moment)
    }
}

/// Why the time of day is not clear.
fn unsure(spec: &TimeExpression) -> Option<Problem> {
    if spec.contradicts_itself() {
        return Some(Problem::PartMismatch);
    }
    let half = spec.clock.filter(|_| spec.is_half);
    half.map(|clock| Problem::HalfHour(clock.hour))
}

fn waited(
    spec: &TimeExpression,
    delay: Delay,
    now: Timestamp,
    local: NaiveDateTime,
    zone: Zone,
) -> Result<Timestamp, Problem> {
    if delay.months == 0 && delay.days == 0 && spec.clock.is_none() && spec.part.is_none() {
        return Ok(now.plus_s(delay.seconds));
    }
    let date = ahead(local.date(), delay).ok_or(Problem::TooFar)?;
    let at = if spec.clock.is_some() || spec.part.is_some() {
        at_time(date, spec)?
    } else {
        date.and_time(local.time())
    };
    Ok(instant(at, zone)?.plus_s(delay.seconds))
}

fn ahead(date: NaiveDate, delay: Delay) -> Option<NaiveDate> {
    date.checked_add_months(Months::new(u32::try_from(delay.months).ok()?))?
        .checked_add_days(Days::new(u64::try_from(delay.days).ok()?))
}

fn dated(
    spec: &TimeExpression,
    now: Timestamp,
    local: NaiveDateTime,
    zone: Zone,
) -> Result<Timestamp, Problem> {
    let today = local.date();
    let on = |date: NaiveDate| instant(at_time(date, spec)?, zone);
    match spec.day {
        None => match later_today(spec, today, now, zone)? {
            Some(moment) => Ok(moment),
            None => on(in_days(today, 1)?),
        },
        Some(Day::Today) => on_today(spec, today, now, zone),
        Some(Day::InDays(days)) => on(in_days(today, days)?),
        Some(Day::InMonths(months)) => on(in_months(today, months)?),
        Some(Day::Weekday { day, next_week }) => {
            let (days, again) = days_to(day, next_week, today);
            let moment = on(in_days(today, days)?)?;
            match moment <= now && again {
                true => on(in_days(today, days + 7)?),
                false => Ok(moment),
            }
        }
        Some(Day::OfMonth(day)) => {
            let first = today.with_day(1).ok_or(Problem::NoSuchTime)?;
            let dates =
                (0..=12).filter_map(|n| first.checked_add_months(Months::new(n))?.with_day(day));
            next_of(dates, now, on)
        }
        Some(Day::NthWeekday {
            nth,
            weekday,
            month,
        }) => next_of(nth_weekdays(today, (nth, weekday), month), now, on),
        Some(Day::OfYear { month, day }) => {
            let dates = (0..=YEARS_SEARCHED)
                .filter_map(|n| NaiveDate::from_ymd_opt(today.year() + n, month, day));
            next_of(dates, now, on)
        }
        Some(Day::After { days, first }) => {
            on(in_days(named_day(first, (now, local), zone)?, days)?)
        }
        Some(Day::FirstOfMonth(month)) => next_of(firsts_of_months(today, month), now, on),
        Some(Day::LastOfMonth(month)) => next_of(ends_of_months(today, month), now, on),
        Some(Day::Easter(days)) => next_of(from_easter(today, days), now, on),
        Some(Day::Ambiguous {
            first,
            second,
            year,
        }) => Err(ambiguous(today, (first, second), year)?),
        Some(Day::Over) => Err(Problem::Past),
        Some(Day::WeekdayAndDate {
            weekday,
            year,
            month,
            day,
        }) => on(agreed(today, weekday, (year, month, day))?),
        Some(Day::Date { year, month, day }) => {
            on(NaiveDate::from_ymd_opt(year, month, day).ok_or(Problem::NoSuchTime)?)
        }
    }
}

/// "5/6": its two dates.
fn ambiguous(
    today: NaiveDate,
    (first, second): (u32, u32),
    year: Option<i32>,
) -> Result<Problem, Problem> {
    let date = |month, day| date_of(today, year, month, day);
    Ok(Problem::Ambiguous(
        date(second, first)?,
        date(first, second)?,
    ))
}

/// Days to a weekday, and whether it may as well be the one a week later.
fn days_to(day: Weekday, next_week: bool, today: NaiveDate) -> (i64, bool) {
    let [day, first] = [day, today.weekday()].map(|day| i64::from(day.num_days_from_monday()));
    match next_week {
        true => (7 - first + day, false),
        false => ((7 + day - first) % 7, true),
    }
}

/// The coming such date, or that of the year.
fn date_of(
    today: NaiveDate,
    year: Option<i32>,
    month: u32,
    day: u32,
) -> Result<NaiveDate, Problem> {
    let years = match year {
        Some(year) => year..=year,
        None => today.year()..=today.year() + YEARS_SEARCHED,
    };
    let mut dates = years.filter_map(|year| NaiveDate::from_ymd_opt(year, month, day));
    let date = dates.find(|date| year.is_some() || *date >= today);
    date.ok_or(Problem::NoSuchTime)
}

/// The day from which others are counted: today counts to its end.
fn named_day(
    day: NamedDay,
    (now, local): (Timestamp, NaiveDateTime),
    zone: Zone,
) -> Result<NaiveDate, Problem> {
    let day = match day {
        NamedDay::Weekday { day, next_week } => Day::Weekday { day, next_week },
        NamedDay::OfYear { month, day } => Day::OfYear { month, day },
        NamedDay::Date { year, month, day } => Day::Date { year, month, day },
        NamedDay::Easter(days) => Day::Easter(days),
    };
    let end_of_day = NaiveTime::from_hms_opt(23, 59, 59).unwrap_or_default();
    let spec = TimeExpression {
        day: Some(day),
        ..super::exact_time(end_of_day)
    };
    let moment = dated(&spec, now, local, zone)?;
    Ok(moment.utc().with_timezone(&zone).date_naive())
}

/// "today" and "tonight" late in the day mean soon, while it is still that day.
fn on_today(
    spec: &TimeExpression,
    today: NaiveDate,
    now: Timestamp,
    zone: Zone,
) -> Result<Timestamp, Problem> {
    let hour = now.utc().with_timezone(&zone).hour();
    if spec.part == Some(PartOfDay::Night) && hour < NIGHT_END_HOUR {
        // After midnight "tonight at 2" is still to come.
        let moment = instant(at_time(in_days(today, -1)?, spec)?, zone)?;
        if moment > now {
            return Ok(moment);
        }
    }
    if let Some(moment) = later_today(spec, today, now, zone)? {
        return Ok(moment);
    }
    let moment = instant(at_time(today, spec)?, zone)?;
    let an_hour_on = now.plus_s(3600);
    let same_day = an_hour_on.utc().with_timezone(&zone).date_naive() == today;
    let soon = moment <= now && spec.clock.is_none() && same_day && !is_over(spec.part, hour);
    Ok(if soon { an_hour_on } else { moment })
}

/// Whether "this morning" or "this afternoon" is over at `hour`.
fn is_over(part: Option<PartOfDay>, hour: u32) -> bool {
    match part {
        Some(PartOfDay::Morning) => hour >= MORNING_END_HOUR,
        Some(PartOfDay::Afternoon) => hour >= AFTERNOON_END_HOUR,
        _ => false,
    }
}

/// The coming date of this year, month and day, which must be that weekday.
fn agreed(
    today: NaiveDate,
    weekday: chrono::Weekday,
    (year, month, day): (Option<i32>, Option<u32>, u32),
) -> Result<NaiveDate, Problem> {
    let date = match month {
        Some(month) => date_of(today, year, month, day)?,
        None => {
            let first = today.with_day(1).ok_or(Problem::NoSuchTime)?;
            let mut dates =
                (0..=12).filter_map(|n| first.checked_add_months(Months::new(n))?.with_day(day));
            let date = dates.find(|date| *date >= today);
            date.ok_or(Problem::NoSuchTime)?
        }
    };
    match date.weekday() == weekday {
        true => Ok(date),
        false => Err(Problem::WeekdayMismatch),
    }
}

/// The first moment after now at that time of day today: a bare 7 occurs twice.
fn later_today(
    spec: &TimeExpression,
    today: NaiveDate,
    now: Timestamp,
    zone: Zone,
) -> Result<Option<Timestamp>, Problem> {
    let evening = spec.clock.filter(|clock| {
        clock.bare
            && !clock.exact
            && spec.part.is_none()
            && (BARE_HOUR_PM_MAX + 1..=BARE_HOUR_TWICE_MAX).contains(&clock.hour)
    });
    let evening = evening.map(|clock| TimeExpression {
        clock: Some(TimeOfDay {
            hour: clock.hour + 12,
            ..clock
        }),
        ..*spec
    });
    for spec in [Some(*spec), evening].into_iter().flatten() {
        let moment = instant(at_time(today, &spec)?, zone)?;
        if moment > now {
            return Ok(Some(moment));
        }
    }
    Ok(None)
}

/// The candidates: such weekdays of the possible months.
fn nth_weekdays(
    today: NaiveDate,
    (nth, weekday): (i32, chrono::Weekday),
    named: NamedMonth,
) -> impl Iterator<Item = NaiveDate> {
    firsts_of_months(today, named).filter_map(move |first| {
        let (year, month) = (first.year(), first.month());
        match u8::try_from(nth) {
            Ok(nth) => NaiveDate::from_weekday_of_month_opt(year, month, weekday, nth),
            Err(_) => (4..=5)
                .rev()
                .find_map(|nth| NaiveDate::from_weekday_of_month_opt(year, month, weekday, nth)),
        }
    })
}

/// The first days of the possible months.
fn firsts_of_months(today: NaiveDate, named: NamedMonth) -> impl Iterator<Item = NaiveDate> {
    let first = today.with_day(1);
    let months = match named {
        NamedMonth::Next => 1..=1,
        NamedMonth::Coming | NamedMonth::OfYear(_) => 0..=12,
    };
    let firsts = months.filter_map(move |n| first?.checked_add_months(Months::new(n)));
    firsts.filter(move |first| match named {
        NamedMonth::OfYear(month) => first.month() == month,
        _ => true,
    })
}

fn ends_of_months(today: NaiveDate, named: NamedMonth) -> impl Iterator<Item = NaiveDate> {
    let end = |first: NaiveDate| first.checked_add_months(Months::new(1))?.pred_opt();
    firsts_of_months(today, named).filter_map(end)
}

fn from_easter(today: NaiveDate, days: i64) -> impl Iterator<Item = NaiveDate> {
    let easters = (0..=1).filter_map(move |n| easter(today.year() + n));
    easters.filter_map(move |date| in_days(date, days).ok())
}

/// Easter Sunday of the western churches: J. Meeus, Astronomical Algorithms, chapter 8.
fn easter(year: i32) -> Option<NaiveDate> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let g = (b - (b + 8) / 25 + 1) / 3;
    let h = (19 * a + b - b / 4 - g + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let n = h + l - 7 * m + 114;
    NaiveDate::from_ymd_opt(year, (n / 31) as u32, (n % 31 + 1) as u32)
}

/// The first of `dates` that is in the future; `None` if no calendar has it.
fn next_of(
    dates: impl Iterator<Item = NaiveDate>,
    now: Timestamp,
    on: impl Fn(NaiveDate) -> Result<Timestamp, Problem>,
) -> Result<Timestamp, Problem> {
    for date in dates {
        let moment = on(date)?;
        if moment > now {
            return Ok(moment);
        }
    }
    Err(Problem::NoSuchTime)
}

fn in_months(date: NaiveDate, months: i64) -> Result<NaiveDate, Problem> {
    let delay = Delay {
        months,
        ..Delay::default()
    };
    ahead(date, delay).ok_or(Problem::TooFar)
}

fn in_days(date: NaiveDate, days: i64) -> Result<NaiveDate, Problem> {
    date.checked_add_signed(Duration::days(days))
        .ok_or(Problem::TooFar)
}

/// Hour and minute of the first such time of a day.
pub(in crate::assistant) fn time_of_day(spec: &TimeExpression) -> Result<(u32, u32), Problem> {
    if let Some(problem) = unsure(spec) {
        return Err(problem);
    }
    let at = at_time(NaiveDate::default(), spec)?.time();
    Ok((at.hour(), at.minute()))
}

/// Whether it is in the later half of a night: "night at 1".
pub(in crate::assistant) fn is_after_midnight(spec: &TimeExpression) -> bool {
    let hour = spec.clock.map(|clock| in_part(clock, spec.part).hour);
    spec.part == Some(PartOfDay::Night) && hour.is_some_and(|hour| hour < NIGHT_END_HOUR)
}

/// The local time on `date`; late night hours of a named day belong to the next day.
fn at_time(date: NaiveDate, spec: &TimeExpression) -> Result<NaiveDateTime, Problem> {
    let is_of_night = spec.part == Some(PartOfDay::Night) && spec.day.is_some();
    let clock = match spec.clock {
        Some(clock) if clock.hour == 24 && clock.minute == 0 => {
            return Ok(in_days(date, 1)?.and_time(NaiveTime::MIN));
        }
        // "in the afternoon at 10"
        Some(TimeOfDay {
            hour: 8..=11,
            exact: false,
            ..
        }) if spec.part == Some(PartOfDay::Afternoon) => return Err(Problem::NoSuchTime),
        Some(clock) => in_part(clock, spec.part),
        None => TimeOfDay {
            hour: part_hour(spec.part),
            minute: 0,
            exact: true,
            bare: false,
        },
    };
    let date = if is_of_night && clock.hour < NIGHT_END_HOUR {
        in_days(date, 1)?
    } else {
        date
    };
    date.and_hms_opt(clock.hour, clock.minute, 0)
        .ok_or(Problem::NoSuchTime)
}

/// "7 in the evening" is 19:00.
fn in_part(clock: TimeOfDay, part: Option<PartOfDay>) -> TimeOfDay {
    let hour = match (part, clock.hour) {
        _ if clock.exact => clock.hour,
        (Some(PartOfDay::Afternoon | PartOfDay::Evening), 1..=11)
        | (Some(PartOfDay::Night), 5..=11) => clock.hour + 12,
        (Some(PartOfDay::Night | PartOfDay::Morning), 12) => 0,
        (None, 1..=BARE_HOUR_PM_MAX) if clock.bare => clock.hour + 12,
        _ => clock.hour,
    };
    TimeOfDay { hour, ..clock }
}

fn part_hour(part: Option<PartOfDay>) -> u32 {
    match part {
        None | Some(PartOfDay::Morning) => DAY_HOUR,
        Some(PartOfDay::Afternoon) => 15,
        Some(PartOfDay::Evening) => 19,
        Some(PartOfDay::Night) => 20,
    }
}

pub(super) fn instant(local: NaiveDateTime, zone: Zone) -> Result<Timestamp, Problem> {
    at_wall_time(local, zone).ok_or(Problem::NoSuchTime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easter_is_on_the_known_dates() {
        for date in [
            "1818-03-22", "1943-04-25", "1961-04-02", "2000-04-23", "2024-03-31", "2025-04-20",
            "2026-04-05", "2027-03-28", "2038-04-25", "2285-03-22",
        ] {
            let date: NaiveDate = date.parse().unwrap();
            assert_eq!(easter(date.year()), Some(date));
        }
    }
}
