//! Where a recurrence begins and ends, and between which hours it comes: "until 8pm", "for 2
//! weeks", "from 9 to 17", "starting next week".

use std::ops::Range;

use chrono::Weekday;

use super::{Repeat, RuleEnd, RuleParts, weekdays};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::{self, Day, NamedMonth, TimeExpression};
use crate::assistant::text::words::Words;

/// "until 2028": to its last day.
pub(super) fn read_year(words: &Words, at: usize) -> Option<(RuleEnd, usize)> {
    let from = words.after(
        at,
        phrases!["until the end of", "until", "till", "til", "through"],
    )?;
    let year: i32 = words.get(from).parse().ok()?;
    let day = Day::Date {
        year,
        month: 12,
        day: 31,
    };
    let end = TimeExpression {
        day: Some(day),
        ..TimeExpression::default()
    };
    let is_year = (2000..2100).contains(&year);
    is_year.then_some((RuleEnd::At(end), from + 1))
}

/// "until 8pm", "until friday", "for 2 weeks".
pub(super) fn read_end(words: &Words, at: usize) -> Option<(RuleEnd, usize)> {
    if let Some(from) = words.after(at, phrases!["until", "till", "til", "up to", "through"]) {
        let (spec, after) =
            when::read(words, from).or_else(|| when::read_hour_alone(words, from))?;
        return Some((RuleEnd::At(spec), after));
    }
    let from = words.after(at, phrases!["for the next", "for"])?;
    let (spec, after) = when::read_duration(words, from)?;
    Some((RuleEnd::After(spec.delay?), after))
}

/// "from 9 to 17", "between 9am and 5pm".
pub(super) fn read_between(
    words: &Words,
    at: usize,
) -> Option<((TimeExpression, TimeExpression), usize)> {
    let from = words.after(at, phrases!["from", "between"])?;
    let (first, after) = when::read_hour_alone(words, from)?;
    let to = words.after(after, phrases!["to", "until", "till", "and"])?;
    let (last, after) = when::read_hour_alone(words, to)?;
    Some(((first, last), after))
}
impl Repeat {
    /// Reads "starting tomorrow", "until friday" and "for 10 days" at the end of `range`, which begins after the
    /// rest of the rule. Returns the index where the text before them ends.
    pub(in crate::assistant) fn take_limits(
        &mut self,
        words: &Words,
        range: Range<usize>,
    ) -> usize {
        const LINKS: [&str; 5] = ["starting", "beginning", "until", "till", "til"];
        // "every friday to plan for 7 days" may be for the week.
        let is_daily = self.frequency.is_each_day();
        if self.start.is_some() || self.end.is_some() {
            return range.end;
        }
        let mut limits = range.clone().skip(1).filter(|at| {
            let word = words.get(*at);
            let is_from_on = word == "from" && is_onwards(words.get(range.end - 1));
            LINKS.contains(&word) || word == "for" && is_daily || is_from_on
        });
        let taken = limits.find_map(|at| {
            let mut parts = RuleParts {
                frequency: Some(self.frequency.clone()),
                times: self.times.clone(),
                between: self.between,
                ..RuleParts::default()
            };
            let mut next = at;
            while next < range.end {
                next = parts.take(words, next)?;
            }
            let is_limit = next == range.end && parts.times.len() == self.times.len();
            is_limit.then_some((at, parts))
        });
        let Some((at, parts)) = taken else {
            return range.end;
        };
        (self.start, self.end) = (parts.start, parts.end);
        at
    }
}

/// After the "on" of "from january on".
pub(super) fn after_onwards(words: &Words, at: usize) -> usize {
    let is_link = words.get(at) == "on"
        && when::read(words, at).is_none()
        && when::day_at(words, at + 1).is_none()
        && weekdays(words, at + 1).is_none();
    let is_onwards = is_link || matches!(words.get(at), "onwards" | "onward");
    at + usize::from(is_onwards)
}

/// "on" of "from january on".
fn is_onwards(word: &str) -> bool {
    matches!(word, "on" | "onwards" | "onward")
}

/// "next week", "january": its first day.
pub(super) fn first_of_span(words: &Words, at: usize) -> Option<(Day, usize)> {
    if let Some(after) = words.after(at, phrases!["next week", "the next week"]) {
        let monday = Day::Weekday {
            day: Weekday::Mon,
            next_week: true,
        };
        return Some((monday, after));
    }
    if let Some(after) = words.after(at, phrases!["next month", "the next month"]) {
        return Some((Day::FirstOfMonth(NamedMonth::Next), after));
    }
    let from = words.skip(at, phrases!["in"]);
    let month = when::month(words.get(from))?;
    let next = words.get(from + 1);
    let is_date = next == "the"
        || when::ordinal(next).is_some()
        || next.starts_with(|c: char| c.is_ascii_digit());
    let is_span = next == "to" && when::month(words.get(from + 2)).is_some();
    let first = Day::FirstOfMonth(NamedMonth::OfYear(month));
    (!is_date && !is_span).then_some((first, from + 1))
}
