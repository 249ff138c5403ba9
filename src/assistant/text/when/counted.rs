//! Durations from now, and days counted from another day: "two weeks from tomorrow", "3 days after 5
//! march".

use super::{Day, Delay, NamedDay, TimeExpression, amount, day};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// "two weeks from tomorrow", "3 days after 5 march".
pub(super) fn read(words: &Words, at: usize) -> Option<(Day, usize)> {
    if let Some(found) = before(words, at) {
        return Some(found);
    }
    let (delay, end) = amount::delay(words, at, true)?;
    // "chapter 5 day after tomorrow"
    let is_day_after = words.after(end - 1, phrases!["day after tomorrow"]);
    if is_day_after.is_some() && delay.days != 1 {
        return None;
    }
    let from = words.after(end, phrases!["from", "after"])?;
    let (first, end) = day::named_day(words, from, true)?;
    if delay.seconds != 0 || delay.months != 0 {
        return None;
    }
    let days = delay.days;
    let first = match first {
        Day::Today => return Some((Day::InDays(days), end)),
        Day::InDays(more) => return Some((Day::InDays(more + days), end)),
        day => countable(day)?,
    };
    Some((Day::After { days, first }, end))
}

/// "the day before christmas", "a week before 5 december".
fn before(words: &Words, at: usize) -> Option<(Day, usize)> {
    let the_day = words.after(at, phrases!["the day before", "day before"]);
    let (days, from) = match the_day {
        Some(from) => (1, from),
        None => {
            let (delay, end) = amount::delay(words, at, true)?;
            let is_days = delay.seconds == 0 && delay.months == 0;
            (
                delay.days,
                words.after(end, phrases!["before"]).filter(|_| is_days)?,
            )
        }
    };
    let (day, end) = day::named_day(words, from, true)?;
    let first = countable(day)?;
    Some((Day::After { days: -days, first }, end))
}

/// A day from which others are counted.
fn countable(day: Day) -> Option<NamedDay> {
    Some(match day {
        Day::Weekday { day, next_week } => NamedDay::Weekday { day, next_week },
        Day::OfYear { month, day } => NamedDay::OfYear { month, day },
        Day::Date { year, month, day } => NamedDay::Date { year, month, day },
        Day::Easter(days) => NamedDay::Easter(days),
        _ => return None,
    })
}

/// "in 20 minutes", "this time tomorrow", "two weeks from friday".
pub(super) fn delay_or_day(
    words: &Words,
    at: usize,
    linked: &str,
) -> Option<(TimeExpression, usize)> {
    let has_amount = amount::delay(words, at, true).is_some();
    let may_count = has_amount || matches!(words.get(at), "the" | "day");
    if may_count && let Some((day, end)) = read(words, at) {
        let day = TimeExpression {
            day: Some(day),
            ..TimeExpression::default()
        };
        return Some((day, end));
    }
    let same = amount::same_time(words, at).map(|(days, end)| {
        let delay = Delay {
            days,
            ..Delay::default()
        };
        (delay, end)
    });
    let bare = || {
        let minutes = amount::bare_minutes(words, at).filter(|_| linked == "in")?;
        let delay = Delay {
            seconds: minutes * 60,
            ..Delay::default()
        };
        Some((delay, at + 1))
    };
    let is_linked = matches!(linked, "in" | "after" | "within");
    let delay = || {
        has_amount
            .then(|| amount::delay(words, at, is_linked))
            .flatten()
    };
    let (delay, end) = same.or_else(bare).or_else(delay)?;
    let delay = TimeExpression {
        delay: Some(delay),
        ..TimeExpression::default()
    };
    Some((delay, end))
}
