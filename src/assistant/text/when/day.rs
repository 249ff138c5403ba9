//! Days: "tomorrow", "on friday", "next week", "2026-12-24", "december 24th", "on the 3rd".

use chrono::Weekday;

use super::Day;
use super::holiday::holiday;
use super::names::{month, ordinal, ordinal_at, weekday};
use super::of_month::{month_end, nth_weekday};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// The day at `at`. `on`: the word before was "on", so "sat" and "the 3rd" are days.
pub(super) fn day(words: &Words, at: usize, on: bool) -> Option<(Day, usize)> {
    if let Some(end) = words.after(at, phrases!["the day after tomorrow", "day after tomorrow"]) {
        return Some((Day::InDays(2), end));
    }
    // "friday week" and "a week from friday" are not that friday.
    if weekday(words.get(at), on).is_some() && is_weeks_from(words, at) {
        return None;
    }
    named_day(words, at, on)
}

/// The day itself, wherever it is counted from.
pub(super) fn named_day(words: &Words, at: usize, on: bool) -> Option<(Day, usize)> {
    let next = at + 1;
    if let Some(end) = over(words, at, on) {
        return Some((Day::Over, end));
    }
    if let Some(from) = words.after(at, &COMING)
        && let Some(day) = named(words, from, false)
    {
        return Some((day, from + 1));
    }
    let found = holiday(words, at).or_else(|| nth_weekday(words, at));
    if let Some(found) = found.or_else(|| month_end(words, at)) {
        return Some(found);
    }
    if let Some(found) = of_next_week(words, at) {
        return Some(found);
    }
    match words.get(at) {
        "today" => return Some((Day::Today, next)),
        "yesterday" => return Some((Day::InDays(-1), next)),
        "tomorrow" => return Some((Day::InDays(1), next)),
        "tom" if is_tomorrow(words, at) => return Some((Day::InDays(1), next)),
        "later" if words.get(next) == "today" => return Some((Day::Today, at + 2)),
        word @ ("next" | "this" | "coming") => {
            return named(words, next, word == "next").map(|day| (day, at + 2));
        }
        "the" if on || next < words.len() => {
            if let Some(found) = of_year(words, next) {
                return Some(found);
            }
            return after_the(words, next, on);
        }
        _ => {}
    }
    if let Some(found) = weekday_and_date(words, at) {
        return Some(found);
    }
    if let Some(day) = weekday(words.get(at), on || is_short_day(words, at)) {
        let of_this = words.skip(next, phrases!["this week"]);
        return Some((
            Day::Weekday {
                day,
                next_week: false,
            },
            of_this,
        ));
    }
    if let Some(day) = dotted(words, at, on) {
        return Some((day, next));
    }
    date(words.get(at))
        .or_else(|| dashed(words.get(at)))
        .or_else(|| slashed(words.get(at), on))
        .map(|day| (day, next))
        .or_else(|| of_year(words, at))
}

/// "next week on friday", "friday next week".
fn of_next_week(words: &Words, at: usize) -> Option<(Day, usize)> {
    let of = |name: &str| weekday(name, true);
    static NEXT_WEEK: Phrases =
        Phrases::new(&["next week on", "next week", "next wk on", "next wk"]);
    let (day, end) = match words.after(at, &NEXT_WEEK) {
        Some(from) => (of(words.get(from))?, from + 1),
        None => {
            let end = words.after(at + 1, phrases!["next week", "of next week"])?;
            (of(words.get(at))?, end)
        }
    };
    let day = Day::Weekday {
        day,
        next_week: true,
    };
    Some((day, end))
}

/// The day after "the": "the next friday", "the weekend", "the 3rd of the month".
fn after_the(words: &Words, at: usize, on: bool) -> Option<(Day, usize)> {
    let is_next = words.get(at) == "next";
    if let ("next" | "coming", Some(day)) = (words.get(at), named(words, at + 1, is_next)) {
        return Some((day, at + 2));
    }
    if let (true, "weekend") = (on, words.get(at)) {
        return named(words, at, false).map(|day| (day, at + 1));
    }
    let (day, at) = ordinal_at(words, at).filter(|_| on)?;
    let other_month = words.after(at, phrases!["of next month", "of the next month"]);
    if other_month.is_some() {
        return None;
    }
    let end = words.after(at, phrases!["of the month", "of this month"]);
    Some((Day::OfMonth(day), end.unwrap_or(at)))
}

/// "remind me tom at 9", unlike the name in "call tom at 9".
fn is_tomorrow(words: &Words, at: usize) -> bool {
    let is_lower = words.original(at..at + 1).starts_with('t');
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    let is_time = |word: &str| {
        matches!(
            word,
            "at" | "morning" | "afternoon" | "evening" | "night" | "noon"
        ) || word.starts_with(|c: char| c.is_ascii_digit())
    };
    is_lower && matches!(before, "me" | "us") && is_time(words.get(at + 1))
}

static COMING: Phrases =
    Phrases::new(&["this coming", "this upcoming", "the upcoming", "upcoming"]);

/// The index after a day that is over: "last friday", "friday last week", "earlier today".
fn over(words: &Words, at: usize, on: bool) -> Option<usize> {
    static OVER: Phrases = Phrases::new(&[
        "last night", "earlier today", "earlier this week", "last weekend",
    ]);
    static LAST: Phrases = Phrases::new(&[
        "this past", "this last", "the past", "the last", "the previous", "last", "past",
        "previous",
    ]);
    if let Some(end) = words.after(at, &OVER) {
        return Some(end);
    }
    if weekday(words.get(at), true).is_some() {
        return words.after(at + 1, phrases!["last week", "of last week"]);
    }
    let from = words.after(at, &LAST)?;
    // "the last friday of december" may be to come.
    let is_nth = matches!(words.get(from + 1), "of" | "in" | "before");
    let is_day = weekday(words.get(from), on || is_short_day(words, from)).is_some();
    (is_day && !is_nth).then_some(from + 1)
}

/// "friday 27 november", "friday the 13th".
fn weekday_and_date(words: &Words, at: usize) -> Option<(Day, usize)> {
    let weekday = weekday(words.get(at), true)?;
    let from = words.skip(at + 1, phrases!["the"]);
    let whole = |year, month, day| Day::WeekdayAndDate {
        weekday,
        year,
        month,
        day,
    };
    let dated = date(words.get(from)).or_else(|| dotted(words, from, false));
    let dated = dated.map(|day| (day, from + 1));
    match dated.or_else(|| of_year(words, from)) {
        Some((Day::OfYear { month, day }, end)) => {
            return Some((whole(None, Some(month), day), end));
        }
        Some((Day::Date { year, month, day }, end)) => {
            return Some((whole(Some(year), Some(month), day), end));
        }
        _ => {}
    }
    let word = words.get(from);
    let is_ordinal = word.starts_with(|c: char| c.is_ascii_digit());
    let day = ordinal(word).filter(|_| is_ordinal)?;
    Some((whole(None, None, day), from + 1))
}

/// Whether "week" follows, or "a week from" or "last" stands before.
fn is_weeks_from(words: &Words, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    if matches!(before, "last" | "previous" | "past")
        || words
            .after(at + 1, phrases!["after next", "before last"])
            .is_some()
    {
        return true;
    }
    let unit = at.checked_sub(2).map_or("", |n| words.get(n));
    // "every day from monday", "every 2 days from monday"
    let is_repeat = |back: usize| {
        let before = at.checked_sub(back).map_or("", |n| words.get(n));
        matches!(before, "every" | "each")
    };
    let is_after = matches!(unit, "week" | "weeks" | "day" | "days" | "month" | "months")
        && !is_repeat(3)
        && !is_repeat(4);
    words.get(at + 1) == "week" || is_after && words.get(at - 1) == "from"
}

/// Whether a short name is a day without "on": "fri at 5", "call mom thu". "sat" and "sun" are
/// words too, so they need what follows.
fn is_short_day(words: &Words, at: usize) -> bool {
    let next = words.get(at + 1);
    let is_followed = matches!(
        next,
        "at" | "to" | "morning" | "afternoon" | "evening" | "night"
    ) || next.starts_with(|c: char| c.is_ascii_digit());
    let is_listed = matches!(next, "and" | "&") && weekday(words.get(at + 2), true).is_some();
    // "remind me wed vacuum", unlike "remind me sun cream"
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    let is_of_request = matches!(before, "me" | "us") && words.get(at) != "sun";
    is_followed
        || is_listed
        || is_of_request
        || next.is_empty() && at > 0 && !matches!(words.get(at), "sat" | "sun" | "mon" | "wed")
}

/// "24.12." and, after "on", "24.12": not after "at", where it is a time of day.
fn dotted(words: &Words, at: usize, on: bool) -> Option<Day> {
    let is_time = at > 0 && matches!(words.get(at - 1), "at" | "by" | "around");
    let typed = words.original(at..at + 1).trim_end_matches(',');
    let has_dot = typed.ends_with('.') && at + 1 < words.len();
    if is_time || !(on || has_dot) {
        return None;
    }
    let (day, month) = words.get(at).split_once('.')?;
    // "1.5 hours"
    if matches!(
        words.get(at + 1),
        "hour" | "hours" | "hrs" | "hr" | "h" | "day" | "days" | "week" | "weeks" | "minutes"
    ) {
        return None;
    }
    let number = |part: &str| {
        let digits = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (day, month) = (number(day)?, number(month)?);
    ((1..=31).contains(&day) && (1..=12).contains(&month)).then_some(Day::OfYear { month, day })
}

/// "24.12." and "24.12" at the end, where a time of day stands before: "at noon 24.12.".
pub(super) fn dotted_after_time(words: &Words, at: usize) -> Option<(Day, usize)> {
    let ends = matches!(words.get(at + 1), "" | "to");
    let day = dotted(words, at, true).filter(|_| ends)?;
    Some((day, at + 1))
}

/// "24-12-2026"; "01-12-2026" has two readings.
fn dashed(word: &str) -> Option<Day> {
    let (rest, year) = word.rsplit_once('-')?;
    let is_date = year.len() == 4 && rest.contains('-');
    slashed(&word.replace('-', "/"), false).filter(|_| is_date)
}

/// "24/12/2026", "12/24/2026", "24/12". Fractions and "24/7" are dates only after "on" (`short`).
fn slashed(word: &str, short: bool) -> Option<Day> {
    let mut parts = word.split('/').map(|part| {
        let digits = (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<u32>().ok()).flatten()
    });
    let (a, b) = (parts.next()??, parts.next()??);
    let year = match parts.next() {
        Some(year) => Some(i32::try_from(year?).ok()?),
        None if short => None,
        None if b <= 10 && a < b || (a, b) == (24, 7) => return None,
        None if (1..=31).contains(&a) && (1..=31).contains(&b) => None,
        None => return None,
    };
    if parts.next().is_some() {
        return None;
    }
    if let (1000.., Some(day)) = (a, year.and_then(|day| u32::try_from(day).ok())) {
        return Some(Day::Date {
            year: i32::try_from(a).ok()?,
            month: b,
            day,
        });
    }
    let (month, day) = match (a, b) {
        (13.., _) => (b, a),
        (_, 13..) => (a, b),
        _ if a == b => (a, b),
        _ => {
            let year = year.map(|year| if year < 100 { 2000 + year } else { year });
            return Some(Day::Ambiguous {
                first: a,
                second: b,
                year,
            });
        }
    };
    Some(match year {
        Some(year) if year < 100 => Day::Date {
            year: 2000 + year,
            month,
            day,
        },
        Some(year) => Day::Date { year, month, day },
        None => Day::OfYear { month, day },
    })
}

/// The day after "next" or "this".
fn named(words: &Words, at: usize, next: bool) -> Option<Day> {
    match words.get(at) {
        "week" | "wk" if next => Some(Day::InDays(7)),
        "month" if next => Some(Day::InMonths(1)),
        "year" if next => Some(Day::InMonths(12)),
        "weekend" => Some(Day::Weekday {
            day: Weekday::Sat,
            next_week: next,
        }),
        name => weekday(name, true).map(|day| Day::Weekday {
            day,
            next_week: next,
        }),
    }
}

/// "2026-12-24" or "24.12.2026"; an impossible date is kept, to be refused later.
pub(super) fn date(word: &str) -> Option<Day> {
    let (separator, year_first) = match word.as_bytes() {
        [a, b, c, d, b'-', ..] if [a, b, c, d].iter().all(|x| x.is_ascii_digit()) => ('-', true),
        [b'0'..=b'9', ..] if word.matches('.').count() == 2 => ('.', false),
        _ => return None,
    };
    let mut parts = word.split(separator).map(|part| {
        let digits =
            !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<u32>().ok()).flatten()
    });
    let (a, b, c) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() {
        return None;
    }
    let (year, month, day) = if year_first { (a, b, c) } else { (c, b, a) };
    Some(Day::Date {
        year: i32::try_from(year).ok()?,
        month,
        day,
    })
}

/// "december 24th", "dec 24 2027", "24 december", "24th of december, 2027".
fn of_year(words: &Words, at: usize) -> Option<(Day, usize)> {
    let (month, day, end) = match month(words.get(at)) {
        Some(month) => {
            let at = words.skip(at + 1, phrases!["the"]);
            (month, number_of_day(words.get(at))?, at + 1)
        }
        None => {
            let day = number_of_day(words.get(at))?;
            let of = words.after(at + 1, phrases!["day of", "of"]);
            let number = at;
            let at = of.unwrap_or(at + 1);
            // "at 10 dec 4"
            let is_hour = number > 0 && words.get(number - 1) == "at";
            if is_hour && number_of_day(words.get(at + 1)).is_some() {
                return None;
            }
            (month(words.get(at))?, day, at + 1)
        }
    };
    let year = words
        .get(end)
        .parse::<i32>()
        .ok()
        .filter(|year| (1900..=9999).contains(year));
    Some(match year {
        Some(year) => (Day::Date { year, month, day }, end + 1),
        None => (Day::OfYear { month, day }, end),
    })
}

fn number_of_day(word: &str) -> Option<u32> {
    if word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit()) {
        return word.parse().ok();
    }
    ordinal(word)
}
