//! The moment that a new time means: of a new reminder, and of one that is set.

mod of_series;

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Weekday};

use of_series::after_pause;

use super::{NewTime, NewTimeText, TimeChange, near_day};
use crate::assistant::builtin::reminder::repeats::{Repeat, RepeatProblem};
use crate::assistant::builtin::wording;
use crate::assistant::text::when::{self, Day, Problem, TimeExpression, TimeOfDay};
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::{Recurrence, RecurrenceError};

/// Earlier hours are meant only where a reminder was as early.
const DAY_BEGINS_HOUR: u32 = 7;
/// Bare hours from this one on are not meant.
const DAY_ENDS_HOUR: u32 = 23;
const HALF_DAY_MINUTES: u32 = 12 * 60;
/// A time so little before the one of a morning is of that morning, too.
const SHORTLY_MINUTES: u32 = 60;

impl TimeChange {
    /// For a reminder without a time. The error is the reply.
    pub fn of_new(&self, now: Timestamp, zone: Zone) -> Result<NewTime, String> {
        if let Some(hour) = self.as_hour() {
            return hour.of_new(now, zone);
        }
        match &self.0 {
            NewTimeText::Number { count, .. } => Err(wording::number_unclear(*count)),
            NewTimeText::At(spec) => once(spec, now, zone),
            NewTimeText::Repeat(repeat)
            | NewTimeText::OnDays(repeat)
            | NewTimeText::OnlyOn(repeat, _) => repeated(repeat, now, zone),
            NewTimeText::NotOn(_) | NewTimeText::Limits(_) => {
                Err(wording::REMINDER_REPEATS_UNCLEAR.to_owned())
            }
            NewTimeText::Hours(_) => Err(wording::CHANGE_UNCLEAR.to_owned()),
            NewTimeText::Later(seconds) => check(now.plus_s(*seconds), now, None),
            NewTimeText::Forward => Err(wording::EARLIER_OR_LATER.to_owned()),
            NewTimeText::Once => Err(wording::CHANGE_UNCLEAR.to_owned()),
        }
    }

    /// For a reminder that has come: an unnamed hour is the one at which it was due.
    #[must_use]
    pub fn at_hour_of(self, due: Timestamp, zone: Zone) -> Self {
        let time = due.utc().with_timezone(&zone).time();
        Self(match self.0 {
            NewTimeText::At(spec) if spec.lacks_hour() && spec.part.is_none() => {
                NewTimeText::At(spec.merged(when::exact_time(time)).unwrap_or(spec))
            }
            NewTimeText::Repeat(mut repeat) if !repeat.has_time() => {
                take_times(&mut repeat, None, time);
                NewTimeText::Repeat(repeat)
            }
            other => other,
        })
    }

    /// "also at 13" of what comes at several hours: as often, at that hour.
    pub fn also_of(
        &self,
        recurrence: &Recurrence,
        now: Timestamp,
    ) -> Option<Result<NewTime, String>> {
        let NewTimeText::At(spec) = &self.0 else {
            return None;
        };
        let has_several = recurrence.times_of_day().len() > 1;
        let (hour, minute) = when::time_of_day(spec).ok()?;
        (has_several && self.is_hour()).then(|| next_of(recurrence.at_time(hour, minute, now)))
    }

    /// For an existing reminder: an unnamed day or time of day stays.
    pub fn of_set(
        &self,
        send_at: Timestamp,
        recurrence: Option<&Recurrence>,
        now: Timestamp,
        zone: Zone,
    ) -> Result<NewTime, String> {
        if let Some(hour) = self.as_hour() {
            return hour.of_set(send_at, recurrence, now, zone);
        }
        let own = recurrence.map_or(zone, Recurrence::zone);
        let local = send_at.utc().with_timezone(&own).naive_local();
        match (&self.0, recurrence) {
            (NewTimeText::Number { count, .. }, _) => Err(wording::number_unclear(*count)),
            (NewTimeText::OnDays(_), Some(_)) => Err(wording::OTHER_DAYS_STAY.to_owned()),
            (NewTimeText::OnlyOn(_, days), Some(rule)) => {
                on_weekdays(rule, now, |day| days.contains(&day))
            }
            (NewTimeText::NotOn(days), Some(rule)) => {
                on_weekdays(rule, now, |day| !days.contains(&day))
            }
            (NewTimeText::Hours(repeat), Some(recurrence)) => at_hours(repeat, recurrence, now),
            (NewTimeText::Hours(_), None) => Err(wording::CHANGE_UNCLEAR.to_owned()),
            (NewTimeText::NotOn(_) | NewTimeText::Limits(_), None) => {
                Err(wording::COMES_ONLY_ONCE.to_owned())
            }
            (NewTimeText::Limits(limits), Some(rule)) => within(limits, rule, local.time(), now),
            (NewTimeText::Once, _) => at_next_only(send_at, recurrence),
            (
                NewTimeText::Repeat(repeat)
                | NewTimeText::OnDays(repeat)
                | NewTimeText::OnlyOn(repeat, _),
                _,
            ) => {
                let mut repeat = repeat.as_ref().clone();
                repeat.forget_part_of(local.time());
                if !repeat.has_time() {
                    take_times(&mut repeat, recurrence, local.time());
                }
                if local.date() > now.utc().with_timezone(&own).date_naive() {
                    repeat.start_on(day_of(local.date(), now, own));
                }
                let new = repeated(&repeat, now, zone)?;
                // The end of one day is none of what comes on several.
                let is_kept = |before: &&Recurrence| {
                    !repeat.has_end() && repeat.is_through_the_day() == before.is_through_the_day()
                };
                let new = match recurrence.filter(is_kept) {
                    Some(before) => with_end_of(new, before)?,
                    None => new,
                };
                Ok(match recurrence {
                    Some(before) => after_pause(new, (before, send_at), now),
                    None => new,
                })
            }
            (NewTimeText::At(spec), Some(rule)) => at_other_hour(spec, rule, local.time(), now),
            (NewTimeText::Forward, _) => Err(wording::EARLIER_OR_LATER.to_owned()),
            (NewTimeText::Later(_), Some(_)) => Err(wording::RECURRING_STAYS.to_owned()),
            (NewTimeText::Later(seconds), None) => check(send_at.plus_s(*seconds), now, None),
            (NewTimeText::At(spec), None) => moved_once(spec, (send_at, local), now, (own, zone)),
        }
    }
}

/// What repeats at another hour, on its days.
fn at_other_hour(
    spec: &TimeExpression,
    recurrence: &Recurrence,
    time: NaiveTime,
    now: Timestamp,
) -> Result<NewTime, String> {
    if spec.day.is_some() || spec.delay.is_some() {
        return Err(wording::RECURRING_STAYS.to_owned());
    }
    if recurrence.times_of_day().len() > 1 {
        return Err(wording::comes_at_hours(&recurrence.times_of_day()));
    }
    let spec = in_same_half(*spec, time);
    let (hour, minute) = when::time_of_day(&spec).map_err(problem)?;
    next_of(recurrence.at_time(hour, minute, now))
}

/// The same from another day on, or until one.
fn within(
    limits: &Repeat,
    recurrence: &Recurrence,
    time: NaiveTime,
    now: Timestamp,
) -> Result<NewTime, String> {
    if recurrence.is_through_the_day() {
        return Err(wording::CHANGE_UNCLEAR.to_owned());
    }
    let mut daily = limits.clone();
    take_times(&mut daily, Some(recurrence), time);
    let NewTime {
        recurrence: Some(daily),
        ..
    } = repeated(&daily, now, recurrence.zone())?
    else {
        return Err(wording::CHANGE_UNCLEAR.to_owned());
    };
    next_of(recurrence.limited_by(&daily, limits.has_start()))
}

/// What repeats comes at its next time, and not again.
fn at_next_only(next: Timestamp, recurrence: Option<&Recurrence>) -> Result<NewTime, String> {
    match recurrence {
        Some(_) => Ok(NewTime::at(next)),
        None => Err(wording::COMES_ONLY_ONCE.to_owned()),
    }
}

/// A reminder that comes once, at another time. `own`: the zone of its time before.
fn moved_once(
    spec: &TimeExpression,
    (send_at, local): (Timestamp, NaiveDateTime),
    now: Timestamp,
    (own, zone): (Zone, Zone),
) -> Result<NewTime, String> {
    let is_time_only = spec.delay.is_none() && spec.day.is_none();
    let day = day_of(local.date(), now, own);
    let day = Some(day).filter(|_| is_time_only && send_at > now);
    let said = spec;
    let today = now.utc().with_timezone(&own).date_naive();
    let near = near_day::day_in_place(spec, local.date(), today);
    let spec = TimeExpression {
        day: near.or(spec.day).or(day),
        ..*spec
    };
    let is_whole_hour = spec.clock.is_some_and(|clock| clock.minute == 0);
    let same = in_same_half(spec, local.time());
    // A whole hour of a day that was named is the first one of it.
    match once(&same, now, zone) {
        Ok(new) if is_time_only => Ok(new),
        // "6 in the morning" for a reminder of this evening
        Err(_) if day == Some(Day::Today) && said.is_in_the_morning() => once(said, now, zone),
        // "11" after that hour is 23:00.
        Err(_) if is_time_only && once(&said.in_the_evening(), now, zone).is_ok() => {
            once(&spec.in_the_evening(), now, zone)
        }
        _ if is_whole_hour => at_own_time(spec, local.time(), now, zone),
        _ => at_own_time(same, local.time(), now, zone),
    }
}

/// On the same days at other hours.
fn at_hours(repeat: &Repeat, recurrence: &Recurrence, now: Timestamp) -> Result<NewTime, String> {
    if recurrence.is_through_the_day() {
        return Err(wording::RECURRING_STAYS.to_owned());
    }
    let daily = repeat.recurrences(now, recurrence.zone());
    let daily = daily.map_err(|_| wording::CHANGE_UNCLEAR.to_owned())?;
    let [daily] = daily.as_slice() else {
        return Err(wording::MINUTES_DIFFER.to_owned());
    };
    let times = daily.times_of_day();
    let minute = times.first().map_or(0, |(_, minute)| *minute);
    let hours: Vec<u32> = times.iter().map(|(hour, _)| u32::from(*hour)).collect();
    next_of(recurrence.at_hours(&hours, minute.into(), now))
}

fn next_of(moved: Result<Recurrence, RecurrenceError>) -> Result<NewTime, String> {
    let moved = moved.map_err(wording::recurrence_refused)?;
    let send_at = moved.next().ok_or(wording::REMINDER_NO_SUCH_TIME)?;
    Ok(NewTime {
        send_at,
        recurrence: Some(moved),
        zone: None,
    })
}

/// At the time of day that it had, where none was named.
fn at_own_time(
    spec: TimeExpression,
    before: NaiveTime,
    now: Timestamp,
    zone: Zone,
) -> Result<NewTime, String> {
    let day_only = spec.clock.is_none() && spec.part.is_none();
    let spec = match day_only && spec.delay.is_none_or(|delay| delay.seconds == 0) {
        true => spec.merged(when::exact_time(before)).unwrap_or(spec),
        false => spec,
    };
    once(&spec, now, zone)
}

/// "5:30" for a reminder of the afternoon is 17:30, and for one of 06:00 it is 05:30. A whole hour is
/// so where the other half of the day is no nearer, and never late at night: "7" for one of 18:00 is
/// 19:00, "11" is 11:00.
fn in_same_half(spec: TimeExpression, before: NaiveTime) -> TimeExpression {
    let is_open = |clock: &TimeOfDay| !clock.exact && clock.hour < 12;
    let Some(clock) = spec
        .clock
        .filter(|clock| is_open(clock) && spec.part.is_none())
    else {
        return spec;
    };
    let (before_minute, minute) = (
        before.hour() * 60 + before.minute(),
        clock.hour * 60 + clock.minute,
    );
    let is_nearer_late = before_minute.abs_diff(minute + HALF_DAY_MINUTES)
        <= before_minute.abs_diff(minute)
        && clock.hour + 12 < DAY_ENDS_HOUR;
    // Noon and the hour after it have no half of the day to keep.
    let keeps_half = clock.minute > 0 && before.hour() >= 14 && clock.hour + 12 < DAY_ENDS_HOUR;
    let earlier_by = before_minute.checked_sub(minute);
    let is_shortly_before = earlier_by.is_some_and(|minutes| minutes <= SHORTLY_MINUTES);
    let hour = match before.hour() {
        12.. if is_nearer_late || keeps_half => clock.hour + 12,
        12.. => return spec,
        early if is_shortly_before || clock.hour >= DAY_BEGINS_HOUR.min(early) => clock.hour,
        _ => return spec,
    };
    let clock = Some(TimeOfDay {
        hour,
        exact: true,
        ..clock
    });
    TimeExpression { clock, ..spec }
}

/// Names today as "today", because a bare hour then means the next one.
fn day_of(date: NaiveDate, now: Timestamp, zone: Zone) -> Day {
    if now.utc().with_timezone(&zone).date_naive() == date {
        return Day::Today;
    }
    Day::Date {
        year: date.year(),
        month: date.month(),
        day: date.day(),
    }
}

fn once(spec: &TimeExpression, now: Timestamp, zone: Zone) -> Result<NewTime, String> {
    let at = when::resolve(spec, now, zone).map_err(problem)?;
    check(at, now, spec.zone)
}

fn check(send_at: Timestamp, now: Timestamp, zone: Option<Zone>) -> Result<NewTime, String> {
    if send_at <= now {
        return Err(wording::REMINDER_PAST.to_owned());
    }
    Ok(NewTime {
        send_at,
        recurrence: None,
        zone,
    })
}

fn repeated(repeat: &Repeat, now: Timestamp, zone: Zone) -> Result<NewTime, String> {
    let recurrences = repeat.recurrences(now, zone).map_err(|error| match error {
        RepeatProblem::Time(error) => problem(error),
        RepeatProblem::Rule(error) => wording::recurrence_refused(error),
    })?;
    let [recurrence] = recurrences.as_slice() else {
        return Err(wording::REMINDER_ONE_TIME.to_owned());
    };
    let send_at = recurrence.next();
    Ok(NewTime {
        send_at: send_at.ok_or(wording::REMINDER_NO_SUCH_TIME)?,
        recurrence: Some(recurrence.clone()),
        zone: None,
    })
}

/// Until the end that it had before.
fn with_end_of(new: NewTime, before: &Recurrence) -> Result<NewTime, String> {
    let recurrence = new.recurrence.map(|changed| changed.until_end_of(before));
    Ok(NewTime {
        recurrence: recurrence
            .transpose()
            .map_err(wording::recurrence_refused)?,
        ..new
    })
}

/// The times of day of a reminder that comes once, or of all its days.
fn take_times(repeat: &mut Repeat, recurrence: Option<&Recurrence>, once: NaiveTime) {
    let pattern = recurrence.and_then(Recurrence::pattern);
    let known = pattern.map(|pattern| pattern.times).unwrap_or_default();
    let known = known
        .into_iter()
        .filter_map(|(hour, minute)| NaiveTime::from_hms_opt(hour.into(), minute.into(), 0));
    let mut times: Vec<NaiveTime> = known.collect();
    if times.is_empty() {
        times.push(once);
    }
    for time in times {
        repeat.take_time(when::exact_time(time));
    }
}

/// The recurrence on fewer days of the week.
fn on_weekdays(
    recurrence: &Recurrence,
    now: Timestamp,
    is_kept: impl Fn(Weekday) -> bool,
) -> Result<NewTime, String> {
    let changed = recurrence.on_weekdays(is_kept, now);
    let changed = changed.ok_or(wording::RECURRING_STAYS)?;
    Ok(NewTime {
        send_at: changed.next().ok_or(wording::REMINDER_NO_SUCH_TIME)?,
        recurrence: Some(changed),
        zone: None,
    })
}

pub(in crate::assistant::builtin) fn problem(problem: Problem) -> String {
    match problem {
        Problem::Past => wording::REMINDER_PAST.to_owned(),
        Problem::TooFar => wording::reminder_too_far(when::YEARS_AHEAD_MAX),
        Problem::Ambiguous(a, b) => wording::reminder_date_ambiguous(a, b),
        Problem::NoSuchTime => wording::REMINDER_NO_SUCH_TIME.to_owned(),
        Problem::WeekdayMismatch => wording::WEEKDAY_MISMATCH.to_owned(),
        Problem::NotSummerTime => wording::NOT_SUMMER_TIME.to_owned(),
        Problem::PartMismatch => wording::PART_OF_DAY_MISMATCH.to_owned(),
        Problem::HalfHour(hour) => wording::half_hour_unsure(hour),
    }
}
