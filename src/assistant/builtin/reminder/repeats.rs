//! Parses recurrences: "every day at 9", "weekdays at 7", "on the 1st of each month", "every 3
//! hours until 8pm".

mod frequency;
mod limits;
mod parts_of_day;
mod rules;
mod times_a_year;
mod weekdays;

use std::ops::Range;

use chrono::Weekday;

use super::parts::WORDS_MAX;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{
    self, Day, Delay, PartOfDay, Problem, TimeExpression, weekday_name,
};
use crate::assistant::text::words::Words;
use crate::model::recurrence::RecurrenceError;
use frequency::{Days, Frequency, Unit, part_of_day};
use limits::{after_onwards, first_of_span, read_between, read_end};
use parts_of_day::names_parts_of_day;

/// Limit of times of day in one recurrence.
const TIMES_MAX: usize = 6;
/// Limit of parts in one recurrence: frequency, times, start, end.
const PIECES_MAX: usize = 6;

/// A parsed recurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::assistant) struct Repeat {
    frequency: Frequency,
    /// Times of day; empty for the default hour.
    times: Vec<TimeExpression>,
    /// "from 9 to 17".
    between: Option<(TimeExpression, TimeExpression)>,
    /// A day.
    start: Option<TimeExpression>,
    end: Option<RuleEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleEnd {
    At(TimeExpression),
    After(Delay),
    Count(u32),
}

/// The days of the week at `at`, and the index after them.
pub(in crate::assistant) fn weekdays(words: &Words, at: usize) -> Option<(Vec<Weekday>, usize)> {
    weekdays::weekdays(words, at)
}

impl Repeat {
    pub(in crate::assistant) fn on_weekdays(days: Vec<Weekday>) -> Self {
        Self {
            frequency: Frequency::weekly(days),
            times: Vec::new(),
            between: None,
            start: None,
            end: None,
        }
    }

    /// With a bare 6 as 06:00.
    pub(in crate::assistant) fn take_24_hours(&mut self, is_early: impl Fn(u32) -> bool) {
        let clocks = self.times.iter_mut().filter_map(|spec| spec.clock.as_mut());
        let early = clocks.filter(|clock| is_early(clock.hour));
        early.for_each(|clock| clock.bare = false);
    }

    /// Whether it says on which days it comes, not only how often.
    pub(in crate::assistant) fn names_day(&self) -> bool {
        self.start.is_some() || self.frequency.days != Days::Unsaid
    }

    /// Whether it names several times of day and no more: "every day at 9 and 20".
    pub(in crate::assistant) fn names_hours(&self) -> bool {
        let is_hour = |spec: &TimeExpression| spec.clock.is_some() && spec.zone.is_none();
        let is_alone = self.between.is_none() && self.start.is_none() && self.end.is_none();
        is_alone && self.times.len() > 1 && self.times.iter().all(is_hour)
    }

    /// "for the next 3 days", without an hour.
    pub(in crate::assistant) fn is_span_of_days(&self) -> bool {
        matches!(self.end, Some(RuleEnd::Count(_))) && self.times.is_empty()
    }

    /// Whether it names times of day: "morning and evening".
    pub(in crate::assistant) fn names_time(&self) -> bool {
        !self.times.is_empty() || self.between.is_some()
    }

    /// Whether the words at the end, "this week", say how long it comes: it comes several times in
    /// that span. "every friday to review this week" doesn't.
    pub(super) fn is_limited_by_end(&self, words: &Words) -> bool {
        let at = words.len().saturating_sub(2);
        match words.after(at, phrases!["this week", "this month", "this year"]) {
            Some(_) if words.get(at + 1) == "week" => self.frequency.is_within_week(),
            Some(_) => !matches!(self.frequency.unit, Unit::Month | Unit::Year),
            None => false,
        }
    }

    /// Whether it comes once a week at most and names no day: "weekly".
    pub(super) fn goes_by_today(&self) -> bool {
        self.frequency.goes_by_today() && self.start.is_none()
    }

    /// Begins on that day, where it would go by today's.
    pub(in crate::assistant) fn start_on(&mut self, day: Day) {
        if self.goes_by_today() {
            self.start = Some(TimeExpression {
                day: Some(day),
                ..TimeExpression::default()
            });
        }
    }

    /// How far apart its days are; `None`: not evenly in days or months, or more than once a day.
    pub(in crate::assistant) fn step(&self) -> Option<Delay> {
        let interval = i64::from(self.frequency.interval);
        let is_even = match &self.frequency.days {
            Days::Unsaid | Days::OfYear { .. } => true,
            Days::Weekdays(days) => days.len() == 1,
            Days::OfMonth(days) => days.len() == 1 && days[0] > 0,
            Days::NthWeekday(..) => false,
        };
        let (days, months) = match self.frequency.unit {
            Unit::Minute | Unit::Hour => return None,
            Unit::Day => (interval, 0),
            Unit::Week => (7 * interval, 0),
            Unit::Month => (0, interval),
            Unit::Year => (0, 12 * interval),
        };
        is_even.then_some(Delay {
            days,
            months,
            seconds: 0,
        })
    }
}

/// Why a recurrence gives no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum RepeatProblem {
    Time(Problem),
    Rule(RecurrenceError),
}

/// The recurrence that starts at `at`, and the index after it.
pub(in crate::assistant) fn read(words: &Words, at: usize) -> Option<(Repeat, usize)> {
    let mut pieces = RuleParts::default();
    let mut next = at;
    for _ in 0..PIECES_MAX {
        match pieces.take(words, next) {
            Some(after) => next = after,
            None => break,
        }
    }
    pieces.move_time_of_end();
    let mut frequency = pieces.frequency?;
    if let Some(part) = frequency.part.take()
        && pieces.times.iter().all(|spec| spec.part.is_none())
    {
        match pieces.times.as_mut_slice() {
            [] => pieces.times.push(of_part(part)),
            times => times.iter_mut().for_each(|spec| spec.part = Some(part)),
        }
    }
    if let Days::Weekdays(days) = &mut frequency.days
        && pieces.times.iter().any(when::is_after_midnight)
    {
        // "sunday night at 12" is on Monday.
        if !pieces.times.iter().all(when::is_after_midnight) {
            return None;
        }
        days.iter_mut().for_each(|day| *day = day.succ());
    }
    let repeat = Repeat {
        frequency,
        times: pieces.times,
        between: pieces.between,
        start: pieces.start,
        end: pieces.end,
    };
    Some((repeat, next))
}

/// The parts parsed so far.
#[derive(Default)]
struct RuleParts {
    frequency: Option<Frequency>,
    times: Vec<TimeExpression>,
    between: Option<(TimeExpression, TimeExpression)>,
    start: Option<TimeExpression>,
    end: Option<RuleEnd>,
}

impl RuleParts {
    /// Parses one more part at `at`. Returns the index after it.
    fn take(&mut self, words: &Words, at: usize) -> Option<usize> {
        if self.frequency.is_none()
            && let Some((found, after)) =
                frequency::read(words, at).or_else(|| parts_of_day::read(words, at))
        {
            self.frequency = Some(found);
            return Some(after);
        }
        if self.frequency.is_none()
            && self.end.is_none()
            && let Some((found, count, after)) = frequency::next_days(words, at)
        {
            self.frequency = Some(found);
            self.end = Some(RuleEnd::Count(count));
            return Some(after);
        }
        if let Some(after) = words.after(at, phrases!["except on", "except", "but not on"])
            && let Some(found) = &mut self.frequency
            && let Some((days, after)) = weekdays::weekdays(words, after)
            && found.leave_out(&days)
        {
            return Some(after);
        }
        if self.end.is_none()
            && let Some((found, after)) = self.read_end(words, at)
        {
            self.end = Some(found);
            return Some(after);
        }
        if self.between.is_none()
            && self.times.is_empty()
            && let Some((found, after)) = read_between(words, at)
        {
            self.between = Some(found);
            return Some(after);
        }
        if self.start.is_none()
            && let Some(after) = self.take_start(words, at)
        {
            return Some(after);
        }
        if let Some(after) = self.take_part(words, at) {
            return Some(after);
        }
        if self.times.is_empty()
            && let Some((found, after)) = read_times(words, at, self.frequency.is_some())
        {
            self.times = found;
            return Some(after);
        }
        None
    }

    fn read_end(&self, words: &Words, at: usize) -> Option<(RuleEnd, usize)> {
        let frequency = self.frequency.as_ref();
        let is_within_day = frequency.is_some_and(Frequency::is_through_the_day);
        let year = || limits::read_year(words, at).filter(|_| !is_within_day);
        let is_length = |end: &RuleEnd| match (end, frequency) {
            (RuleEnd::After(delay), Some(frequency)) => {
                delay.is_within_day() && !frequency.is_within(delay)
            }
            _ => false,
        };
        let end = || read_end(words, at).filter(|(end, _)| !is_length(end));
        year().or_else(end)
    }

    /// "and evening" after "every morning".
    fn take_part(&mut self, words: &Words, at: usize) -> Option<usize> {
        let frequency = self.frequency.as_mut()?;
        let from = words.after(at, phrases!["and every", "and", "&"])?;
        let part = part_of_day(words.get(from))?;
        let first = frequency.part.filter(|_| self.times.is_empty())?;
        self.times = vec![of_part(first), of_part(part)];
        frequency.part = None;
        Some(from + 1)
    }

    /// "until friday at 8" without another hour: it comes at 8 each time.
    fn move_time_of_end(&mut self) {
        let frequency = self.frequency.as_ref();
        let is_within_day = frequency.is_some_and(Frequency::is_through_the_day);
        if let Some(RuleEnd::At(spec)) = &mut self.end
            && self.times.is_empty()
            && self.between.is_none()
            && spec.day.is_some()
            && spec.clock.is_some()
            && !is_within_day
        {
            self.times.push(TimeExpression { day: None, ..*spec });
            (spec.clock, spec.part) = (None, None);
        }
    }

    /// "starting tomorrow at 8", "from next week".
    fn take_start(&mut self, words: &Words, at: usize) -> Option<usize> {
        static LINKS: Phrases = Phrases::new(&[
            "starting on", "starting from", "starting", "beginning on", "beginning", "as of",
            "from",
        ]);
        let from = words.after(at, &LINKS)?;
        // "every month" goes by today's day.
        let goes_by_today = self
            .frequency
            .as_ref()
            .is_some_and(Frequency::goes_by_today);
        if !goes_by_today && let Some((day, after)) = first_of_span(words, from) {
            self.start = Some(TimeExpression {
                day: Some(day),
                ..TimeExpression::default()
            });
            return Some(after_onwards(words, after));
        }
        let (spec, after) = when::read(words, from)?;
        if spec.day.is_none() && spec.delay.is_none_or(|delay| delay.seconds != 0) {
            return None;
        }
        if spec.clock.is_some() || spec.part.is_some() {
            self.times.push(TimeExpression {
                day: None,
                delay: None,
                ..spec
            });
        }
        self.start = Some(TimeExpression {
            clock: None,
            part: None,
            ..spec
        });
        Some(after_onwards(words, after))
    }
}

fn of_part(part: PartOfDay) -> TimeExpression {
    TimeExpression {
        part: Some(part),
        ..TimeExpression::default()
    }
}

/// "at 9", "at 8am and 8pm", "morning".
fn read_times(
    words: &Words,
    at: usize,
    after_frequency: bool,
) -> Option<(Vec<TimeExpression>, usize)> {
    let time = |at: usize, bare: bool| {
        let found = when::read(words, at)
            .or_else(|| bare.then(|| when::read_hour_alone(words, at)).flatten());
        found.filter(|(spec, _)| spec.day.is_none() && spec.delay.is_none())
    };
    let mut times = Vec::new();
    let mut end = at;
    if after_frequency && let Some(part) = part_of_day(words.get(at)) {
        end = at + 1;
        match time(end, false) {
            Some((spec, after)) if spec.part.is_none() => {
                times.push(TimeExpression {
                    part: Some(part),
                    ..spec
                });
                end = after;
            }
            _ => times.push(of_part(part)),
        }
    } else {
        let (spec, after) = time(at, false)?;
        times.push(spec);
        end = end.max(after);
    }
    while times.len() < TIMES_MAX {
        let listed = match words.get(end) {
            "and" | "&" | "n" => end + 1,
            _ if end > at && words.is_set_off(end - 1) => end,
            _ => break,
        };
        let Some((spec, after)) = time(listed, true) else {
            break;
        };
        // "9 and 9" is once in the morning and once in the evening.
        let is_said = times.contains(&spec);
        times.push(if is_said { spec.in_the_evening() } else { spec });
        end = after;
    }
    Some((times, end))
}

/// Whether words mean that something recurs, even if `read` can't tell how often.
pub(in crate::assistant) fn repeats(words: &Words, range: Range<usize>) -> bool {
    let is_named = range.clone().take(WORDS_MAX).any(|at| {
        let next = words.get(at + 1);
        match words.get(at) {
            "every" | "each" => {
                (at + 1..=at + 3).any(|n| frequency::is_unit(words.get(n)))
                    || words.after(at + 2, phrases!["of the month"]).is_some()
            }
            // "the daily news" isn't a recurrence.
            "daily" | "weekly" | "monthly" | "hourly" | "yearly" | "nightly" | "annually"
            | "biweekly" | "fortnightly" | "everyday" | "quarterly" => {
                at + 1 == range.end
                    || at == range.start
                    || matches!(next, "at" | "to" | "until" | "till" | "from" | "on" | "in")
                    || next == "for" && read_end(words, at + 1).is_some()
            }
            "weekdays" | "weeknights" | "workdays" | "mondays" | "tuesdays" | "wednesdays"
            | "thursdays" | "fridays" | "saturdays" | "sundays" | "mornings" | "afternoons"
            | "evenings" => true,
            "school" | "working" => next == "days",
            _ if weekdays::is_compact(words, at) => true,
            "last" if next == "day" => words.after(at, phrases!["last day of the month"]).is_some(),
            day if matches!(next, "to" | "through" | "thru") && weekday_name(day).is_some() => {
                weekday_name(words.get(at + 2)).is_some()
            }
            "weekends" if next == "at" => true,
            "weekends" | "nights" => at > 0 && words.get(at - 1) == "on",
            "once" | "twice" | "times" | "time" => {
                matches!(next, "a" | "per" | "every" | "each")
                    && frequency::is_unit(words.get(at + 2))
                    || matches!(next, "daily" | "weekly" | "monthly" | "yearly" | "annually")
            }
            // "3x a day"
            times if times.ends_with('x') && times.starts_with(|c: char| c.is_ascii_digit()) => {
                matches!(next, "a" | "per" | "each" | "every")
                    && frequency::is_unit(words.get(at + 2))
                    || matches!(next, "daily" | "weekly" | "yearly")
            }
            _ => names_parts_of_day(words, at),
        }
    });
    is_named || begins_counted(words, range)
}

/// "at 5 for the next 3 days".
fn begins_counted(words: &Words, range: Range<usize>) -> bool {
    let at = range.start;
    // "days" or a weekday's plural; most texts have none.
    let has_days = range
        .take(WORDS_MAX)
        .any(|at| words.get(at).ends_with("days"));
    has_days
        && read(words, at).is_some_and(|(repeat, _)| matches!(repeat.end, Some(RuleEnd::Count(_))))
}

/// The first recurrence within `range`, with its words.
pub(super) fn find(words: &Words, range: Range<usize>) -> Option<(Repeat, Range<usize>)> {
    range.clone().take(WORDS_MAX).find_map(|at| {
        let (repeat, end) = read(words, at).filter(|(_, end)| *end <= range.end)?;
        // Elsewhere these words belong to the text: "plan for the next 3 days".
        if matches!(repeat.end, Some(RuleEnd::Count(_))) && at > range.start {
            return None;
        }
        let loose = phrases![
            "daily", "weekly", "monthly", "hourly", "yearly", "nightly", "annually", "biweekly",
            "fortnightly", "everyday", "quarterly"
        ]
        .contains(words.get(at));
        let stands_apart = at == range.start
            || end == range.end
            || end > at + 1
            || matches!(words.get(end), "to" | "that");
        (!loose || stands_apart).then_some((repeat, at..end))
    })
}

#[cfg(test)]
mod tests;
