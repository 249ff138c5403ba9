//! Recurring times: an RFC 5545 rule in the local time of one zone. "Every day at 9" is nine
//! o'clock before and after a change to daylight saving time.

mod pattern;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Timelike, Weekday};
pub use rrule::Frequency;
use rrule::{RRule, RRuleSet, Tz, Unvalidated};

use crate::clock::{Timestamp, Zone, at_wall_time};
pub use pattern::Pattern;

/// Shortest interval between occurrences.
pub const GAP_S_MIN: i64 = 300;
/// Longest rule in characters.
const RULE_CHARS_MAX: usize = 500;
/// Most occurrences of a rule with COUNT.
const COUNT_MAX: u32 = 1_000;
/// Most occurrences that are left out.
pub const LEFT_OUT_MAX: usize = 60;
/// Occurrences examined to find a rule's interval.
const SAMPLE: usize = 50;

const WEEK: [Weekday; 7] = [
    Weekday::Mon,
    Weekday::Tue,
    Weekday::Wed,
    Weekday::Thu,
    Weekday::Fri,
    Weekday::Sat,
    Weekday::Sun,
];

const LOCAL: &str = "%Y%m%dT%H%M%S";

/// Why a rule is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecurrenceError {
    /// Not an RFC 5545 rule.
    Unreadable,
    /// More often than every `GAP_S_MIN` seconds.
    TooOften,
    /// The rule has no occurrence, or has ended.
    Never,
}

/// A rule with its next occurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurrence {
    /// The next occurrence in local time, even in a gap.
    next: NaiveDateTime,
    /// "FREQ=WEEKLY;BYDAY=MO", without COUNT; UNTIL is a local time.
    rule: String,
    /// Occurrences after the next one that are left out, in local time.
    left_out: Vec<NaiveDateTime>,
    zone: Zone,
}

/// The state of a rule at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProgress {
    /// Occurrences that are due.
    pub due: usize,
    /// The last due occurrence.
    pub last: Option<Timestamp>,
    /// `None` when there is no further occurrence.
    pub next: Option<(Recurrence, Timestamp)>,
}

impl Recurrence {
    /// Parses a rule ("FREQ=…", with or without "RRULE:"), with its first occurrence at or after
    /// `from`, a local time of `zone`.
    pub fn new(rule: &str, from: NaiveDateTime, zone: Zone) -> Result<Self, RecurrenceError> {
        let unreadable = RecurrenceError::Unreadable;
        let rule = rule.trim();
        let rule = rule.strip_prefix("RRULE:").unwrap_or(rule);
        if !rule.is_ascii() || rule.len() > RULE_CHARS_MAX {
            return Err(unreadable);
        }
        let (mut parts, mut count) = (Vec::new(), None);
        for part in rule.split(';').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or(unreadable)?;
            match key.to_ascii_uppercase().as_str() {
                "COUNT" => count = Some(value.parse::<u32>().map_err(|_| unreadable)?),
                "UNTIL" => {
                    let until = wall_time(value, zone).ok_or(unreadable)?;
                    parts.push(format!("UNTIL={}", until.format(LOCAL)));
                }
                key => parts.push(format!("{key}={}", value.to_ascii_uppercase())),
            }
        }
        let mut recurrence = Self {
            next: from.with_nanosecond(0).ok_or(unreadable)?,
            rule: parts.join(";"),
            left_out: Vec::new(),
            zone,
        };
        let set = recurrence.set()?;
        if let Some(count) = count {
            let last = set.into_iter().take(count.min(COUNT_MAX) as usize).last();
            let last = last.ok_or(RecurrenceError::Never)?.naive_local();
            // An UNTIL beside it has been applied.
            parts.retain(|part| !part.starts_with("UNTIL="));
            parts.push(format!("UNTIL={}", last.format(LOCAL)));
            recurrence.rule = parts.join(";");
        }
        let sample = recurrence.set()?;
        let sample = sample.into_iter().take(SAMPLE);
        let sample: Vec<NaiveDateTime> = sample.map(|date| date.naive_local()).collect();
        let too_often = |pair: &[NaiveDateTime]| (pair[1] - pair[0]).num_seconds() < GAP_S_MIN;
        if sample.windows(2).any(too_often) {
            return Err(RecurrenceError::TooOften);
        }
        recurrence.next = *sample.first().ok_or(RecurrenceError::Never)?;
        Ok(recurrence)
    }

    /// The recurrence with its last occurrence as UNTIL; unchanged without UNTIL, and when there
    /// are more than `COUNT_MAX` occurrences.
    #[must_use]
    pub fn until_last(mut self) -> Self {
        let has_end = self.part("UNTIL").is_some();
        let Some(set) = self.set().ok().filter(|_| has_end) else {
            return self;
        };
        let mut dates = set.into_iter().take(COUNT_MAX as usize + 1);
        let last = dates.by_ref().take(COUNT_MAX as usize).last();
        if let (Some(last), None) = (last, dates.next()) {
            let last = last.naive_local().format(LOCAL);
            self.rule = format!("{};UNTIL={last}", self.rule_without(&["UNTIL"]));
        }
        self
    }

    /// Its last moment; `None` without an end.
    pub fn last(&self) -> Option<Timestamp> {
        self.clone().until_last().end()
    }

    /// The end that its rule names.
    pub fn end(&self) -> Option<Timestamp> {
        let end = NaiveDateTime::parse_from_str(self.part("UNTIL")?, LOCAL).ok()?;
        at_wall_time(end, self.zone)
    }

    /// Whether it comes every few hours or minutes.
    pub fn is_through_the_day(&self) -> bool {
        matches!(self.part("FREQ"), Some("HOURLY" | "MINUTELY"))
    }

    /// The recurrence until the end of another one; unchanged where that has none, or it has its own.
    /// The error: it would have ended before its first time.
    pub fn until_end_of(&self, other: &Self) -> Result<Self, RecurrenceError> {
        match (self.part("UNTIL"), other.part("UNTIL")) {
            (None, Some(until)) => {
                let rule = format!("{};UNTIL={until}", self.rule);
                let ended = Self::new(&rule, self.next, self.zone)?;
                Ok(ended.leaving_out(self.left_out.clone()))
            }
            _ => Ok(self.clone()),
        }
    }

    /// This rule with the end of another one, if that has one, and with `from_start` from its next
    /// occurrence on: of what comes every other week, that is in the first week.
    pub fn limited_by(&self, other: &Self, from_start: bool) -> Result<Self, RecurrenceError> {
        let rule = match other.part("UNTIL") {
            Some(until) => format!("{};UNTIL={until}", self.rule_without(&["UNTIL"])),
            None => self.rule.clone(),
        };
        let from = if from_start { other.next } else { self.next };
        let limited = Self::new(&rule, from, self.zone)?;
        Ok(limited.leaving_out(self.left_out.clone()))
    }

    /// Leaves out these as well. The next occurrence stays.
    fn leaving_out(mut self, times: Vec<NaiveDateTime>) -> Self {
        self.left_out.extend(times);
        self.left_out.retain(|time| *time > self.next);
        self.left_out.sort_unstable();
        self.left_out.dedup();
        self
    }

    /// Leaves out the days that another rule leaves out.
    pub fn without_days_of(self, other: &Self) -> Self {
        other.left_out.iter().fold(self, |rule, time| {
            let midnight = |day: NaiveDate| at_wall_time(day.and_time(NaiveTime::MIN), rule.zone);
            let next_day = time.date().succ_opt().unwrap_or(NaiveDate::MAX);
            let day = midnight(time.date()).zip(midnight(next_day));
            let fewer = day.and_then(|(from, to)| rule.without(&(from..to)));
            fewer.unwrap_or(rule)
        })
    }

    /// Leaves out later occurrences, those within `span`. `None`: the next one is in it, there are none, or
    /// too many are left out.
    pub fn without(&self, span: &std::ops::Range<Timestamp>) -> Option<Self> {
        let is_later = self.next()? < span.start;
        let times = self.within(span, LEFT_OUT_MAX + 1);
        let is_some = is_later && !times.is_empty();
        let times = times.iter().map(|at| at.utc().with_timezone(&self.zone));
        let times = times.map(|at| at.naive_local()).collect();
        let fewer = self.clone().leaving_out(times);
        (is_some && fewer.left_out.len() <= LEFT_OUT_MAX).then_some(fewer)
    }

    /// The occurrences that are left out.
    pub fn left_out(&self) -> Vec<Timestamp> {
        let times = self.left_out.iter();
        times
            .filter_map(|time| at_wall_time(*time, self.zone))
            .collect()
    }

    /// Parses the result of `to_text`.
    pub fn parse(text: &str, zone: Zone) -> Option<Self> {
        let mut lines = text.lines();
        let next = lines.next()?.strip_prefix("DTSTART:")?;
        let rule = lines.next()?.strip_prefix("RRULE:")?.to_owned();
        let time = |text: &str| NaiveDateTime::parse_from_str(text, LOCAL).ok();
        let left_out = match lines.next() {
            Some(line) => line.strip_prefix("EXDATE:")?.split(',').map(time).collect(),
            None => Some(Vec::new()),
        };
        Some(Self {
            next: time(next)?,
            rule,
            left_out: left_out?,
            zone,
        })
    }

    /// The RFC 5545 lines DTSTART and RRULE, and EXDATE where times are left out, in local time.
    pub fn to_text(&self) -> String {
        let text = format!("DTSTART:{}\nRRULE:{}", self.next.format(LOCAL), self.rule);
        let times = self.left_out.iter();
        let times: Vec<String> = times.map(|time| time.format(LOCAL).to_string()).collect();
        match times.is_empty() {
            true => text,
            false => format!("{text}\nEXDATE:{}", times.join(",")),
        }
    }

    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// "FREQ=…".
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// The next occurrence in local time.
    pub fn next_on_wall(&self) -> NaiveDateTime {
        self.next
    }

    /// The moment of the next occurrence.
    pub fn next(&self) -> Option<Timestamp> {
        at_wall_time(self.next, self.zone)
    }

    /// The next `count` moments, beginning with `next`.
    pub fn upcoming(&self, count: usize) -> Vec<Timestamp> {
        let set = self.set();
        let moments = set.iter().flat_map(|set| self.moments(set));
        moments.map(|(_, at)| at).take(count).collect()
    }

    /// At most `max` occurrences within `span`.
    pub fn within(&self, span: &std::ops::Range<Timestamp>, max: usize) -> Vec<Timestamp> {
        let set = self.set();
        let moments = set.iter().flat_map(|set| self.moments(set));
        moments
            .map(|(_, at)| at)
            .take_while(|at| *at < span.end)
            .filter(|at| *at >= span.start)
            .take(max)
            .collect()
    }

    /// The occurrences that were due up to `now`, and the next one.
    pub fn progress(&self, now: Timestamp) -> RuleProgress {
        let mut progress = RuleProgress {
            due: 0,
            last: None,
            next: None,
        };
        let set = self.set();
        for (local, at) in set.iter().flat_map(|set| self.moments(set)) {
            if at > now {
                let next = Self {
                    next: local,
                    ..self.clone()
                };
                progress.next = Some((next.leaving_out(Vec::new()), at));
                break;
            }
            progress.due += 1;
            progress.last = Some(at);
        }
        progress
    }

    /// This rule at another time of day, from the next such moment after `now`.
    pub fn at_time(&self, hour: u32, minute: u32, now: Timestamp) -> Result<Self, RecurrenceError> {
        self.at_hours(&[hour], minute, now)
    }

    /// This rule at other hours, each with the same minute, from the next such moment after `now`.
    pub fn at_hours(
        &self,
        hours: &[u32],
        minute: u32,
        now: Timestamp,
    ) -> Result<Self, RecurrenceError> {
        let unreadable = RecurrenceError::Unreadable;
        let rule = self.rule_without(&["BYHOUR", "BYMINUTE"]);
        let names: Vec<String> = hours.iter().map(u32::to_string).collect();
        let rule = format!("{rule};BYHOUR={};BYMINUTE={minute}", names.join(","));
        let midnight = self.next.date().and_time(NaiveTime::MIN);
        let hours_of = |day: NaiveDate| {
            let time = move |hour: &u32| day.and_hms_opt(*hour, minute, 0);
            hours.iter().filter_map(time).collect::<Vec<_>>()
        };
        let days = self.left_out.iter().map(NaiveDateTime::date);
        let left_out = days.flat_map(hours_of).collect();
        let moved = Self::new(&rule, midnight, self.zone)?.leaving_out(left_out);
        match moved.next() {
            Some(next) if next > now => Ok(moved),
            _ => moved
                .progress(now)
                .next
                .map(|(moved, _)| moved)
                .ok_or(unreadable),
        }
    }

    /// The same only on those of its days of the week. `None`: it comes on no other days than some
    /// of each week, or on none of those.
    pub fn on_weekdays(&self, is_kept: impl Fn(Weekday) -> bool, now: Timestamp) -> Option<Self> {
        let pattern = self.pattern()?;
        let days: Vec<Weekday> = match pattern.frequency {
            Frequency::Daily | Frequency::Weekly if !pattern.weekdays.is_empty() => {
                pattern.weekdays.iter().map(|(_, day)| *day).collect()
            }
            Frequency::Daily => WEEK.to_vec(),
            _ => return None,
        };
        let day_names: Vec<String> = days
            .into_iter()
            .filter(|day| is_kept(*day))
            .map(|day| day.to_string()[..2].to_ascii_uppercase())
            .collect();
        if pattern.interval > 1 || day_names.is_empty() {
            return None;
        }
        let rest = self.rule_without(&["FREQ", "BYDAY"]);
        let rule = format!("FREQ=WEEKLY;BYDAY={};{rest}", day_names.join(","));
        let changed = Self::new(&rule, self.next, self.zone).ok()?;
        let changed = changed.leaving_out(self.left_out.clone());
        match changed.next() {
            Some(next) if next > now => Some(changed),
            _ => changed.progress(now).next.map(|(changed, _)| changed),
        }
    }

    /// The value of a part of the rule: "WEEKLY" of `FREQ`.
    fn part(&self, key: &str) -> Option<&str> {
        let mut parts = self.rule.split(';').filter_map(|part| part.split_once('='));
        parts.find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    fn rule_without(&self, keys: &[&str]) -> String {
        let is_kept = |part: &&str| {
            !part
                .split_once('=')
                .is_some_and(|(key, _)| keys.contains(&key))
        };
        let parts: Vec<&str> = self.rule.split(';').filter(is_kept).collect();
        parts.join(";")
    }

    /// The occurrences with their moments. Times that a change of the clock skips are one moment,
    /// with the first time after them.
    fn moments<'a>(
        &self,
        set: &'a RRuleSet,
    ) -> impl Iterator<Item = (NaiveDateTime, Timestamp)> + use<'a> {
        let (zone, mut last) = (self.zone, None);
        set.into_iter()
            .map_while(move |date| {
                let local = date.naive_local();
                Some((local, at_wall_time(local, zone)?))
            })
            .filter(move |(_, at)| last.replace(*at) != Some(*at))
    }

    /// The rule from its next occurrence on, in local time without a zone.
    fn set(&self) -> Result<RRuleSet, RecurrenceError> {
        let unreadable = RecurrenceError::Unreadable;
        let rule = self.rule_without(&["UNTIL"]).parse();
        let mut rule: RRule<Unvalidated> = rule.map_err(|_| unreadable)?;
        let wall = |time: NaiveDateTime| Tz::UTC.from_utc_datetime(&time);
        if let Some(until) = self.part("UNTIL") {
            let until = NaiveDateTime::parse_from_str(until, LOCAL).map_err(|_| unreadable)?;
            if until < self.next {
                return Err(RecurrenceError::Never);
            }
            rule = rule.until(wall(until));
        }
        let built = rule.build(wall(self.next)).map_err(|_| unreadable)?;
        let set = self.left_out.iter();
        let set = set.fold(built, |set, time| set.exdate(wall(*time)));
        Ok(set.limit())
    }
}

/// The end of a rule as local time. A date includes the whole day; a UTC time is converted.
fn wall_time(value: &str, zone: Zone) -> Option<NaiveDateTime> {
    if let Some(utc) = value.strip_suffix('Z') {
        let utc = NaiveDateTime::parse_from_str(utc, LOCAL).ok()?;
        return Some(utc.and_utc().with_timezone(&zone).naive_local());
    }
    if value.len() == 8 {
        let date = NaiveDate::parse_from_str(value, "%Y%m%d").ok()?;
        return date.and_hms_opt(23, 59, 59);
    }
    NaiveDateTime::parse_from_str(value, LOCAL).ok()
}

#[cfg(test)]
mod tests;
