//! On which day money was spent: "yesterday", "on saturday", "on the 1st", "2 days ago".

use chrono::{Datelike, Duration, NaiveDate, Weekday};

use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{local_time, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day, TimeExpression};
use crate::assistant::text::words::Words;

/// The most days ago. A day of the year that would be longer ago is rather one to come.
const DAYS_AGO_MAX: i64 = 180;
/// Words of a day at the end.
const DAY_WORDS_MAX: usize = 6;

/// The day that is said with an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PastDay {
    Ago(i32),
    /// It is ahead, long ago, or may be one of two.
    Unclear,
}

/// Where the words end before the day or the time of day at the end, and the day.
pub(super) fn at_end(message: &ParsedMessage, from: usize, end: usize) -> (usize, Option<PastDay>) {
    let words = &message.words;
    let (mut to, mut day) = (end, None);
    while to > from + 1 {
        static TODAY: Phrases = Phrases::new(&[
            "today", "right now", "just now", "now", "earlier", "this morning", "this afternoon",
            "this evening", "tonight",
        ]);
        let mut starts = to.saturating_sub(DAY_WORDS_MAX).max(from + 1)..to;
        let said = |start: usize| words.after(start, &TODAY) == Some(to);
        if let Some(start) = starts.clone().find(|start| said(*start)) {
            (to, day) = (start, day.or(Some(PastDay::Ago(0))));
        } else if let Some(start) = starts.clone().find(|start| is_time(words, *start, to)) {
            to = start;
        } else if let Some((start, found)) = starts.find_map(|start| {
            let found = read(message, start).filter(|(_, end)| *end == to);
            found.map(|(found, _)| (start, found))
        }) {
            (to, day) = (start, day.or(Some(found)));
        } else {
            break;
        }
    }
    (to, day)
}

/// "at noon", "around 8", also where a day follows them.
fn is_time(words: &Words, start: usize, to: usize) -> bool {
    let is_linked = matches!(words.get(start), "at" | "around" | "in");
    let is_hour = |spec: TimeExpression| {
        spec.delay.is_none() && (spec.clock.is_some() || spec.part.is_some())
    };
    let time = is_linked.then(|| when::read(words, start)).flatten();
    time.is_some_and(|(spec, end)| {
        let is_whole = end == to && spec.day.is_none() || end > to && spec.day.is_some();
        is_hour(spec) && is_whole
    })
}

/// The day at `at`, and the index after it.
pub(super) fn read(message: &ParsedMessage, at: usize) -> Option<(PastDay, usize)> {
    const NEAR: [(&str, i32); 5] = [
        ("the day before yesterday", 2),
        ("day before yesterday", 2),
        ("yesterday", 1),
        ("last night", 1),
        ("today", 0),
    ];
    let words = &message.words;
    let near = |(name, days): &(&str, i32)| Some((*days, words.after(at, &[*name])?));
    let may_be_near = matches!(
        words.get(at),
        "the" | "day" | "yesterday" | "last" | "today"
    );
    if may_be_near && let Some((days, next)) = NEAR.iter().find_map(near) {
        return Some((PastDay::Ago(days), after_part_of_day(words, next)));
    }
    let today = || local_time::date(message.context.now, message.zone());
    if let Some(found) = ago(message, at) {
        return Some(found);
    }
    let linked = words.after(at, phrases!["on"]);
    let from = linked.unwrap_or(at);
    let last = words.after(from, phrases!["last", "this past", "this last"]);
    let weekday = last.and_then(|last| Some((when::weekday_name(words.get(last))?, last + 1)));
    let (days, next) = match weekday {
        Some((weekday, next)) => (Some(days_since(weekday, today()).unwrap_or(7)), next),
        None => {
            let (day, next) = when::day_at(words, from)?;
            let mut named = (from..next).map(|n| words.get(n));
            let is_named = named.any(|word| {
                when::weekday_name(word).is_some()
                    || parsers::read_month(word).is_some()
                    || word == "tomorrow"
            });
            let is_holiday = matches!(day, Day::OfYear { .. } | Day::Easter(_))
                && !words
                    .phrase(from..next)
                    .contains(|c: char| c.is_ascii_digit());
            // "lunch 4.12" is no day.
            if is_holiday || linked.is_none() && !is_named {
                return None;
            }
            (days_ago(day, today()), next)
        }
    };
    let day = days.map_or(PastDay::Unclear, |days| PastDay::Ago(days as i32));
    Some((day, after_part_of_day(words, next)))
}

/// "yesterday evening"
fn after_part_of_day(words: &Words, at: usize) -> usize {
    let parts = phrases!["morning", "afternoon", "evening", "night"];
    words.skip(at, parts)
}

/// "2 days ago", "an hour ago"
fn ago(message: &ParsedMessage, at: usize) -> Option<(PastDay, usize)> {
    let words = &message.words;
    let is_ago = |n: usize| words.get(n) == "ago";
    if !(at + 1..at + DAY_WORDS_MAX).any(is_ago) {
        return None; // most words
    }
    let (spec, next) = when::read_duration(words, at)?;
    let next = words.after(next, phrases!["ago"])?;
    let delay = spec.delay?;
    let now = message.context.now;
    let date = |at| local_time::date(at, message.zone());
    let days = match delay.seconds {
        0 => delay.days,
        seconds => (date(now) - date(now.plus_s(-seconds))).num_days(),
    };
    let day = match delay.months == 0 && days <= DAYS_AGO_MAX {
        true => PastDay::Ago(days as i32),
        false => PastDay::Unclear,
    };
    Some((day, next))
}

/// How many days ago it was; `None` where that is not clear.
fn days_ago(day: Day, today: NaiveDate) -> Option<i64> {
    let since = |date: NaiveDate| Some((today - date).num_days());
    let days = match day {
        Day::Today => 0,
        Day::InDays(days) => -days,
        Day::Weekday {
            day,
            next_week: false,
        } => days_since(day, today)?,
        Day::OfMonth(day) => since(last_of_month(day, today)?)?,
        Day::OfYear { month, day } => since(last_of_year(month, day, today)?)?,
        Day::Date { year, month, day } => since(NaiveDate::from_ymd_opt(year, month, day)?)?,
        Day::WeekdayAndDate {
            weekday,
            year,
            month,
            day,
        } => {
            let date = match (year, month) {
                (Some(year), Some(month)) => NaiveDate::from_ymd_opt(year, month, day),
                (None, Some(month)) => last_of_year(month, day, today),
                _ => last_of_month(day, today),
            };
            since(date.filter(|date| date.weekday() == weekday)?)?
        }
        _ => return None,
    };
    (0..=DAYS_AGO_MAX).contains(&days).then_some(days)
}

/// Days from the last such weekday before today; `None` where today is one.
fn days_since(weekday: Weekday, today: NaiveDate) -> Option<i64> {
    (1..7).find(|days| (today - Duration::days(*days)).weekday() == weekday)
}

fn last_of_month(day: u32, today: NaiveDate) -> Option<NaiveDate> {
    let before = today.with_day(1)?.pred_opt()?;
    let dates = [today, before].map(|date| date.with_day(day));
    dates.into_iter().flatten().find(|date| *date <= today)
}

fn last_of_year(month: u32, day: u32, today: NaiveDate) -> Option<NaiveDate> {
    let years = [today.year(), today.year() - 1];
    let mut dates = years.map(|year| NaiveDate::from_ymd_opt(year, month, day));
    let mut dates = dates.iter_mut().flatten().map(|date| *date);
    dates.find(|date| *date <= today)
}

/// Whether a day is named in what money was spent on; a holiday may be what it was for.
pub(super) fn names_day(purpose: &str) -> bool {
    let words = Words::new(purpose);
    let is_day = |at: usize| {
        when::read(&words, at).is_some_and(|(spec, end)| match spec.day {
            Some(Day::OfYear { .. } | Day::Easter(_)) => {
                words.phrase(at..end).contains(|c: char| c.is_ascii_digit())
            }
            day => day.is_some() || spec.delay.is_some(),
        })
    };
    let is_span = |word: &str| matches!(word, "yesterday" | "ago" | "week" | "month");
    (0..words.len()).any(|at| is_day(at) || is_span(words.get(at)))
        || ends_in_month(purpose)
        || ends_in_repetition(&words)
}

/// "lunch weekly", "coffee every morning": an expense is of one day.
fn ends_in_repetition(words: &Words) -> bool {
    let last = words.len().saturating_sub(1);
    last > 0
        && (matches!(
            words.get(last),
            "daily" | "weekly" | "monthly" | "yearly" | "nightly"
        ) || words.get(last - 1) == "every")
}

/// "food in march"
fn ends_in_month(purpose: &str) -> bool {
    let last = purpose.rsplit_once(" in ");
    let last = last.map(|(_, last)| last.to_lowercase());
    last.is_some_and(|last| parsers::read_month(&last).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::MessageContext;
    use crate::assistant::builtin::parsing::read_message;
    use crate::clock::Timestamp;

    #[test]
    fn a_day_is_the_last_one() {
        // Monday, 23 November 2026
        let monday = Timestamp(1_795_435_200_000);
        use PastDay::{Ago, Unclear};
        for (text, expected) in [
            ("5 on tea", ("5 on tea", None)),
            ("5 on tea yesterday", ("5 on tea", Some(Ago(1)))),
            ("5 on tea yesterday evening", ("5 on tea", Some(Ago(1)))),
            ("5 on tea last night", ("5 on tea", Some(Ago(1)))),
            ("5 on tea at noon today", ("5 on tea", Some(Ago(0)))),
            ("5 on tea on saturday", ("5 on tea", Some(Ago(2)))),
            ("5 on tea last saturday", ("5 on tea", Some(Ago(2)))),
            ("5 on tea on monday", ("5 on tea", Some(Unclear))),
            ("5 on tea last monday", ("5 on tea", Some(Ago(7)))),
            ("5 on tea next friday", ("5 on tea", Some(Unclear))),
            ("5 on tea tomorrow", ("5 on tea", Some(Unclear))),
            ("5 on tea on the 1st", ("5 on tea", Some(Ago(22)))),
            ("5 on tea on the 30th", ("5 on tea", Some(Ago(24)))),
            ("5 on tea on 3 november", ("5 on tea", Some(Ago(20)))),
            ("5 on tea on 3 december", ("5 on tea", Some(Unclear))),
            ("5 on tea 3 days ago", ("5 on tea", Some(Ago(3)))),
            ("5 on tea an hour ago", ("5 on tea", Some(Ago(0)))),
            ("5 on christmas", ("5 on christmas", None)),
            ("tea 4.12", ("tea 4.12", None)),
        ] {
            let context = MessageContext::direct(text, monday);
            let message = read_message(&context);
            let (to, day) = at_end(&message, 0, message.words.len());
            assert_eq!((message.words.original(0..to), day), expected, "{text}");
        }
        assert!(names_day("lunch on friday") && names_day("food in march"));
        assert!(!names_day("christmas gifts") && !names_day("lunch"));
    }
}
