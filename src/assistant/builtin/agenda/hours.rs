//! Parses spans that are no whole days: "friday evening", "today before 6", "the next 4 hours", and
//! days that follow each other: "friday and saturday".

use std::ops::Range;

use super::{Span, day, when, wording};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{Day, Delay, PartOfDay, TimeExpression};
use crate::assistant::text::words::Words;
use crate::clock::Timestamp;

static NEXT: Phrases = Phrases::new(&[
    "the next", "next", "in the next", "over the next", "within the next",
]);

const HOUR_S: i64 = 3_600;
const DAY_S: i64 = 24 * HOUR_S;

/// Parses all of these words, whose span is the same whenever it is asked for.
pub(super) fn read(message: &ParsedMessage, range: Range<usize>) -> Option<Span> {
    part_of_day(message, range.clone())
        .or_else(|| limited_day(message, range.clone()))
        .or_else(|| next_hours(message, range.clone()))
        .or_else(|| days_in_a_row(message, range))
}

/// Parses all of these words as a span of a question, which may be wider than meant: "at 9", "the
/// next 3 days".
pub(super) fn asked(message: &ParsedMessage, range: Range<usize>) -> Option<Span> {
    let (words, now, zone) = (&message.words, message.context.now, message.zone());
    if let Some((delay, true)) = next_delay(words, range.clone()) {
        let spec = TimeExpression {
            day: Some(Day::InDays(delay.days + 1)),
            ..TimeExpression::default()
        };
        let end = when::day_of(&spec, now, zone)?.start;
        return Some(Span {
            range: now..end,
            name: name_of_delay(words, &range),
        });
    }
    if let Some(span) = between_hours(message, range.clone()) {
        return Some(span);
    }
    let (spec, end) = read_time(words, range.start)?;
    if end != range.end || spec.delay.is_some() {
        return None;
    }
    if spec.clock.is_some() {
        let at = when::resolve(&spec, now, zone).ok()?;
        let range = at..at.plus_s(HOUR_S);
        let name = wording::hours_of_day(&range, now, zone);
        return Some(Span { range, name });
    }
    // "in the morning": the next one.
    let part = spec.part.filter(|_| spec.day.is_none())?;
    let of_day = |day: Day| of_part(message, day, part);
    of_day(Day::Today)
        .filter(|span| span.range.end > now)
        .or_else(|| of_day(Day::InDays(1)))
}

/// "between 4 and 6", "from 2 to 5pm": of today, or of tomorrow once the first has passed.
fn between_hours(message: &ParsedMessage, range: Range<usize>) -> Option<Span> {
    let (words, now, zone) = (&message.words, message.context.now, message.zone());
    let from = words.after(range.start, phrases!["between", "from"])?;
    let hour = |at: usize, from: Timestamp| {
        let found = when::read(words, at).or_else(|| when::read_hour_alone(words, at));
        let (spec, end) = found.filter(|(spec, _)| spec.clock.is_some() && spec.day.is_none())?;
        Some((when::resolve(&spec, from, zone).ok()?, end))
    };
    let (first, end) = hour(from, now)?;
    let to = words.after(end, phrases!["and", "to", "until", "till"])?;
    let (last, end) = hour(to, first)?;
    let range_of = first..last;
    (end == range.end && last.0 - first.0 <= DAY_S * 1_000).then(|| Span {
        name: wording::hours_of_day(&range_of, now, zone),
        range: range_of,
    })
}

/// Whether words count days or hours from now: "the next 3 days".
pub(super) fn is_count(words: &Words, at: usize) -> bool {
    let from = words.after(at, &NEXT);
    // "the next week" is seven days, "next week" is a week of the calendar.
    let is_week = |from: usize| words.get(at) == "the" && words.get(from) == "week";
    from.is_some_and(|from| when::read_duration(words, from).is_some() || is_week(from))
}

/// The time at `at`, also "the 3rd at 5" after "on".
fn read_time(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let on = at.checked_sub(1).filter(|on| words.get(*on) == "on");
    when::read(words, at).or_else(|| when::read(words, on?))
}

/// "friday evening", "tomorrow morning".
fn part_of_day(message: &ParsedMessage, range: Range<usize>) -> Option<Span> {
    let (spec, end) = read_time(&message.words, range.start)?;
    let is_part = end == range.end && spec.lacks_hour();
    of_part(message, spec.day.filter(|_| is_part)?, spec.part?)
}

fn of_part(message: &ParsedMessage, day: Day, part: PartOfDay) -> Option<Span> {
    let (now, zone) = (message.context.now, message.zone());
    let spec = TimeExpression {
        day: Some(day),
        ..TimeExpression::default()
    };
    let day = when::day_of(&spec, now, zone)?;
    let date = day.start.utc().with_timezone(&zone).date_naive();
    let at = |hour| when::at_hour(date, hour, 0, zone);
    let (range, words) = match part {
        PartOfDay::Morning => (day.start..at(12)?, "in the morning"),
        PartOfDay::Afternoon => (at(12)?..at(18)?, "in the afternoon"),
        PartOfDay::Evening => (at(18)?..day.end, "in the evening"),
        PartOfDay::Night => (at(18)?..day.end, "at night"),
    };
    let name = format!("{} {words}", wording::day_name(day.start, now, zone));
    Some(Span { range, name })
}

/// "friday after 10", "today before 6", "friday between 8 and 13".
fn limited_day(message: &ParsedMessage, range: Range<usize>) -> Option<Span> {
    let (words, now, zone) = (&message.words, message.context.now, message.zone());
    let is_link = |at: &usize| matches!(words.get(*at), "after" | "before" | "between" | "from");
    let link = (range.start + 1..range.end).find(is_link)?;
    let whole = day(words, range.start..link, now, zone)?;
    let (named_day, _) = when::day_at(words, range.start)?;
    let hour = |at: usize| {
        let found = when::read(words, at).or_else(|| when::read_hour_alone(words, at));
        let (spec, end) = found.filter(|(spec, _)| spec.clock.is_some() && spec.day.is_none())?;
        let spec = TimeExpression {
            day: Some(named_day),
            ..spec
        };
        let at = when::resolve(&spec, now, zone).ok()?;
        Some((at, end))
    };
    let (first, end) = hour(link + 1)?;
    let named = |link: &str| wording::limited_day(link, first, now, zone);
    let (limits, name, end) = match words.get(link) {
        link @ "after" => (first..whole.end, named(link), end),
        link @ "before" => (whole.start..first, named(link), end),
        _ => {
            let to = words.after(end, phrases!["and", "to", "until", "till"])?;
            let (last, end) = hour(to)?;
            (
                first..last,
                wording::hours_of_day(&(first..last), now, zone),
                end,
            )
        }
    };
    let is_whole = end == range.end && limits.start < limits.end;
    is_whole.then_some(Span {
        range: limits,
        name,
    })
}

/// "the next 4 hours".
fn next_hours(message: &ParsedMessage, range: Range<usize>) -> Option<Span> {
    let (delay, is_in_days) = next_delay(&message.words, range.clone())?;
    let now = message.context.now;
    (!is_in_days).then(|| Span {
        range: now..now.plus_s(delay.seconds),
        name: name_of_delay(&message.words, &range),
    })
}

/// "in the next 4 hours"
fn name_of_delay(words: &Words, range: &Range<usize>) -> String {
    let from = words.skip(range.start, &NEXT);
    format!("in the next {}", words.phrase(from..range.end))
}

/// The time from now on that all words name, and whether it is in days.
fn next_delay(words: &Words, range: Range<usize>) -> Option<(Delay, bool)> {
    let from = words.after(range.start, &NEXT)?;
    // "the next hour" is one.
    let read = when::read_duration(words, from);
    let read = read.or_else(|| when::read_duration(words, from.checked_sub(2)?));
    let (spec, end) = read.filter(|(_, end)| *end == range.end)?;
    let delay = spec.delay.filter(|delay| delay.months == 0)?;
    let is_short = delay.days <= 366 && delay.seconds <= DAY_S;
    (end == range.end && is_short).then_some((delay, delay.days > 0))
}

/// "friday and saturday": the second begins where the first ends.
fn days_in_a_row(message: &ParsedMessage, range: Range<usize>) -> Option<Span> {
    let (words, now, zone) = (&message.words, message.context.now, message.zone());
    let and = range.clone().find(|at| words.get(*at) == "and")?;
    let next = words.skip(and + 1, phrases!["on"]);
    let day = |range: Range<usize>| day(words, range, now, zone);
    let (first, second) = (day(range.start..and)?, day(next..range.end)?);
    let name = |day: Timestamp| wording::day_name(day, now, zone);
    let names = format!("{} and {}", name(first.start), name(second.start));
    (first.end == second.start).then_some(Span {
        range: first.start..second.end,
        name: names,
    })
}
