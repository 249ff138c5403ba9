//! Converts a parsed recurrence into RFC 5545 rules with their first time.

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Weekday};

use super::frequency::{Days, Frequency, Unit};
use super::{Repeat, RepeatProblem, RuleEnd};
use crate::assistant::text::when::{self, PartOfDay, Problem, TimeExpression};
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::{Recurrence, RecurrenceError};

impl Repeat {
    /// The days of the week that it names, in their order.
    pub(in crate::assistant) fn named_weekdays(&self) -> Option<Vec<Weekday>> {
        let Days::Weekdays(days) = &self.frequency.days else {
            return None;
        };
        let mut days = days.clone();
        days.sort_by_key(Weekday::num_days_from_monday);
        Some(days)
    }

    /// Whether a time of day was named.
    pub(in crate::assistant) fn has_time(&self) -> bool {
        !self.times.is_empty() || self.between.is_some() || self.frequency.is_through_the_day()
    }

    /// "every night" of what is at 22:00 names no other time.
    pub(in crate::assistant) fn forget_part_of(&mut self, time: NaiveTime) {
        if let [spec] = self.times.as_slice()
            && spec.clock.is_none()
            && spec.part.is_some_and(|part| has_hour(part, time.hour()))
        {
            self.times.clear();
        }
    }

    /// Whether it was said when it ends.
    pub(in crate::assistant) const fn has_start(&self) -> bool {
        self.start.is_some()
    }

    pub(in crate::assistant) const fn has_end(&self) -> bool {
        self.end.is_some()
    }

    /// Whether it comes every few hours or minutes.
    pub(in crate::assistant) fn is_through_the_day(&self) -> bool {
        self.frequency.is_through_the_day()
    }

    /// Adds a time of day that was found elsewhere; false if it isn't one.
    pub(in crate::assistant) fn take_time(&mut self, spec: TimeExpression) -> bool {
        let is_time = spec.day.is_none() && spec.delay.is_none();
        if is_time {
            self.times.push(spec);
        }
        is_time
    }

    /// The rules with their first time after now: one, or one per named minute of the hour.
    pub(in crate::assistant) fn recurrences(
        &self,
        now: Timestamp,
        zone: Zone,
    ) -> Result<Vec<Recurrence>, RepeatProblem> {
        let zone = self.times.iter().find_map(|spec| spec.zone).unwrap_or(zone);
        if self.frequency.is_through_the_day() && self.between.is_none() {
            return Ok(vec![self.through_the_day(now, zone)?]);
        }
        let mut hours: Vec<(u32, Vec<u32>)> = Vec::new();
        for (hour, minute) in self.times_of_day()? {
            match hours.iter_mut().find(|(known, _)| *known == minute) {
                Some((_, same)) => same.push(hour),
                None => hours.push((minute, vec![hour])),
            }
        }
        let each = hours
            .iter()
            .map(|(minute, hours)| self.on_days(hours, *minute, now, zone));
        each.collect()
    }

    fn times_of_day(&self) -> Result<Vec<(u32, u32)>, RepeatProblem> {
        let of_day = |spec: &TimeExpression| when::time_of_day(spec).map_err(RepeatProblem::Time);
        if let Some((first, last)) = &self.between {
            let (first, mut last) = (of_day(first)?, of_day(last)?);
            if last < first && last.0 < 12 {
                last.0 += 12;
            }
            let step = match self.frequency.unit {
                Unit::Hour => self.frequency.interval,
                _ => return Err(RepeatProblem::Rule(RecurrenceError::Unreadable)),
            };
            let hours = (first.0..=last.0).step_by(step.max(1) as usize);
            return Ok(hours.map(|hour| (hour, first.1)).collect());
        }
        match self.times.as_slice() {
            [] => Ok(vec![(when::DAY_HOUR, 0)]),
            times => {
                let mut each: Vec<(u32, u32)> =
                    times.iter().map(of_day).collect::<Result<_, _>>()?;
                for n in 1..each.len() {
                    let is_open = times[n].part.is_none() && times[n].clock.is_some_and(|c| c.bare);
                    let (hour, minute) = each[n];
                    // "at 8, 1 and 7": said in the order of the day.
                    let later = (hour + 12, minute);
                    if is_open && hour < 12 && each[n] < each[n - 1] && later > each[n - 1] {
                        each[n] = later;
                    }
                }
                Ok(each)
            }
        }
    }

    fn on_days(
        &self,
        hours: &[u32],
        minute: u32,
        now: Timestamp,
        zone: Zone,
    ) -> Result<Recurrence, RepeatProblem> {
        let local = now.utc().with_timezone(&zone).naive_local();
        let from = match &self.start {
            Some(spec) => {
                let at = when::resolve(spec, now, zone).map_err(RepeatProblem::Time)?;
                at.utc().with_timezone(&zone).date_naive()
            }
            None => self.frequency.begins_after(local.date()),
        };
        let hours: Vec<String> = hours.iter().map(u32::to_string).collect();
        let today = self.start.map_or(local.date(), |_| from);
        let mut parts = self.frequency.parts(today);
        parts.push(format!("BYHOUR={}", hours.join(",")));
        parts.push(format!("BYMINUTE={minute}"));
        let rule = |parts: &[String]| parts.join(";");
        let problem = RepeatProblem::Rule;
        // The first time doesn't depend on the interval.
        let first = Recurrence::new(&rule(&parts), from.and_time(NaiveTime::MIN), zone);
        let first = first.map_err(problem)?.progress(now).next;
        let (first, at) = first.ok_or(problem(RecurrenceError::Never))?;
        if self.frequency.interval > 1 && self.between.is_none() {
            parts.push(format!("INTERVAL={}", self.frequency.interval));
        }
        if let Some(RuleEnd::Count(count)) = self.end {
            // "for 10 days at 8 and 20"
            let count = count * u32::try_from(hours.len()).unwrap_or(1);
            parts.push(format!("COUNT={count}"));
        } else if let Some(end) = self.end_of(now, at, zone)? {
            parts.push(format!("UNTIL={}", end.format("%Y%m%dT%H%M%S")));
        }
        let found = Recurrence::new(&rule(&parts), first.next_on_wall(), zone);
        // "for 3 days" ends with the last time, which is said.
        match self.end {
            Some(RuleEnd::After(_)) => found.map(Recurrence::until_last).map_err(problem),
            _ => found.map_err(problem),
        }
    }

    /// Every few hours or minutes, from now on or from a time of day.
    fn through_the_day(&self, now: Timestamp, zone: Zone) -> Result<Recurrence, RepeatProblem> {
        let Frequency { unit, interval, .. } = self.frequency;
        let (name, seconds) = match unit {
            Unit::Hour => ("HOURLY", 3_600),
            _ => ("MINUTELY", 60),
        };
        let first = match self.times.first() {
            Some(spec) => {
                let day = self.start.and_then(|start| start.day);
                let spec = TimeExpression { day, ..*spec };
                when::resolve(&spec, now, zone).map_err(RepeatProblem::Time)?
            }
            None => now.plus_s(i64::from(interval) * seconds),
        };
        let start = first.utc().with_timezone(&zone).naive_local();
        let start = start.date().and_hms_opt(start.hour(), start.minute(), 0);
        let start = start.ok_or(RepeatProblem::Time(Problem::NoSuchTime))?;
        let mut rule = format!("FREQ={name};INTERVAL={interval}");
        if let Some(end) = self.end_of(now, first, zone)? {
            rule.push_str(&format!(";UNTIL={}", end.format("%Y%m%dT%H%M%S")));
        }
        let found = Recurrence::new(&rule, start, zone).map_err(RepeatProblem::Rule)?;
        // In an hour that the clock repeats, it means the first pass, which may be over.
        if found.next().is_some_and(|at| at > now) {
            return Ok(found);
        }
        let next = found.progress(now).next.map(|(next, _)| next);
        next.ok_or(RepeatProblem::Rule(RecurrenceError::Never))
    }

    /// A day ends with its last second; a duration begins with the first time.
    fn end_of(
        &self,
        now: Timestamp,
        first: Timestamp,
        zone: Zone,
    ) -> Result<Option<NaiveDateTime>, RepeatProblem> {
        let local = |at: Timestamp| at.utc().with_timezone(&zone).naive_local();
        Ok(match &self.end {
            None | Some(RuleEnd::Count(_)) => None,
            Some(RuleEnd::After(delay)) => {
                let spec = TimeExpression {
                    delay: Some(*delay),
                    ..TimeExpression::default()
                };
                let end = when::resolve(&spec, first, zone).map_err(RepeatProblem::Time)?;
                Some(local(end.plus_s(-1)))
            }
            Some(RuleEnd::At(spec)) => {
                let end = when::resolve(spec, now, zone).map_err(RepeatProblem::Time)?;
                match spec.clock.is_some() || spec.part.is_some() {
                    true => Some(local(end)),
                    false => local(end).date().and_hms_opt(23, 59, 59),
                }
            }
        })
    }
}

fn has_hour(part: PartOfDay, hour: u32) -> bool {
    match part {
        PartOfDay::Morning => (4..12).contains(&hour),
        PartOfDay::Afternoon => (12..18).contains(&hour),
        PartOfDay::Evening => (17..23).contains(&hour),
        PartOfDay::Night => !(4..19).contains(&hour),
    }
}

/// Weekdays in RFC 5545's names, Monday first.
fn day_names(days: &[Weekday]) -> String {
    let mut days = days.to_vec();
    days.sort_by_key(Weekday::num_days_from_monday);
    days.dedup();
    let names = days.iter().map(|day| match day {
        Weekday::Mon => "MO",
        Weekday::Tue => "TU",
        Weekday::Wed => "WE",
        Weekday::Thu => "TH",
        Weekday::Fri => "FR",
        Weekday::Sat => "SA",
        Weekday::Sun => "SU",
    });
    names.collect::<Vec<_>>().join(",")
}

impl Frequency {
    /// The first day that may be meant: what comes every few months or years, or every three weeks and
    /// more, on no named day, comes so long from now.
    fn begins_after(&self, today: NaiveDate) -> NaiveDate {
        const WEEKS_MIN: u32 = 3;
        if self.days == Days::Unsaid && self.unit == Unit::Week && self.interval >= WEEKS_MIN {
            let days = chrono::Days::new(u64::from(self.interval) * 7);
            return today.checked_add_days(days).unwrap_or(today);
        }
        let months = match (&self.days, self.unit) {
            (Days::Unsaid, Unit::Month) => self.interval,
            (Days::Unsaid, Unit::Year) => self.interval.saturating_mul(12),
            _ => 0,
        };
        let is_rare = self.interval > 1;
        let first = today.checked_add_months(Months::new(months));
        first.filter(|_| is_rare).unwrap_or(today)
    }

    /// FREQ and days without the interval. Unnamed parts are those of `today`.
    fn parts(&self, today: NaiveDate) -> Vec<String> {
        let one = |part: &str| part.to_owned();
        match (&self.days, self.unit) {
            (Days::Weekdays(days), _) => {
                vec![one("FREQ=WEEKLY"), format!("BYDAY={}", day_names(days))]
            }
            (Days::NthWeekday(nth, day), _) => {
                vec![
                    one("FREQ=MONTHLY"),
                    format!("BYDAY={nth}{}", day_names(&[*day])),
                ]
            }
            (Days::OfMonth(days), _) => of_month(days),
            (Days::OfYear { month, day }, _) => vec![
                one("FREQ=YEARLY"),
                format!("BYMONTH={month}"),
                format!("BYMONTHDAY={day}"),
            ],
            (Days::Unsaid, Unit::Week) => {
                vec![
                    one("FREQ=WEEKLY"),
                    format!("BYDAY={}", day_names(&[today.weekday()])),
                ]
            }
            (Days::Unsaid, Unit::Month) => of_month(&[today.day() as i32]),
            (Days::Unsaid, Unit::Year) => vec![
                one("FREQ=YEARLY"),
                format!("BYMONTH={}", today.month()),
                format!("BYMONTHDAY={}", today.day()),
            ],
            (Days::Unsaid, _) => vec![one("FREQ=DAILY")],
        }
    }
}

/// A day that a month lacks becomes its last day.
fn of_month(days: &[i32]) -> Vec<String> {
    let mut parts = vec!["FREQ=MONTHLY".to_owned()];
    match days {
        [day] if *day > 28 => {
            let days: Vec<String> = (28..=*day).map(|day| day.to_string()).collect();
            parts.push(format!("BYMONTHDAY={}", days.join(",")));
            parts.push("BYSETPOS=-1".to_owned());
        }
        days => {
            let days: Vec<String> = days.iter().map(i32::to_string).collect();
            parts.push(format!("BYMONTHDAY={}", days.join(",")));
        }
    }
    parts
}
