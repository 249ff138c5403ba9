//! The first and the last day of a trip, as messages name them.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};

use super::DAYS_MAX;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{local_time, parsers};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Days of a trip that begins in the month before the one that was named: a longer one was
/// probably meant the other way round.
const TURNING_DAYS_MAX: i64 = 14;
/// "3 to 7 June", "June 3 to 7", "3 June to 2 July", "2026-06-03 to 2026-06-07", "June 3 for
/// 5 days": the first and the last day, and the index after them.
pub(in crate::assistant::powers) fn dates(
    message: &ParsedMessage,
    at: usize,
) -> Option<(NaiveDate, NaiveDate, usize)> {
    const LINKS: [&str; 6] = ["to", "until", "till", "and", "-", "through"];
    let words = &message.words;
    let found = days_from(message, at).or_else(|| weekend(message, at));
    if let Some(found) = found.or_else(|| month_first(message, at)) {
        return Some(found);
    }
    let today = local_time::date(message.context.now, message.zone());
    // "from now until sunday"
    let read = |at: usize| match words.get(at) {
        "now" => Some((today, at + 1)),
        _ => parsers::read_day(words, at, message.context.now, message.zone()),
    };
    // "3 to 7 June", "the 3rd to the 7th": the month comes with the second.
    let at = words.skip(at, phrases!["the"]);
    if let Some(day) = day_number(words.get(at))
        && LINKS.contains(&words.get(at + 1))
        && let Some((last, next)) = read(at + 2).or_else(|| day_of_month(message, at + 2))
    {
        let first = last.with_day(day)?;
        // "28 to 3 december" begins in November, "7 to 3" ends before it begins.
        let before = first.checked_sub_months(chrono::Months::new(1))?;
        let days = (last - before).num_days();
        let begins_before = first > last && before >= today && days < TURNING_DAYS_MAX;
        return Some((if begins_before { before } else { first }, last, next));
    }
    if let Some((a, b)) = words.get(at).split_once(['-', '–'])
        && let (Some(day), Some(_)) = (day_number(a), day_number(b))
    {
        // "3-7 June": read as 7 June, at the month's word.
        let month = parsers::read_month(words.get(at + 1))?;
        return month_days(message, month, day, day_number(b)?).map(|(a, b)| (a, b, at + 2));
    }
    let (first, next) = read(at)?;
    if words.get(next) == "for"
        && let Some((days, end)) = length(words, next + 1)
    {
        let last = first.checked_add_days(chrono::Days::new(days.checked_sub(1)?))?;
        return Some((first, last, end));
    }
    // "30 dec - 2 jan": a dash alone is no word.
    let is_dashed = next < words.len() && words.original(next - 1..next + 1).contains(" - ");
    if is_dashed && let Some((last, end)) = read(next) {
        return turned(message, (first, last), at..end);
    }
    if !LINKS.contains(&words.get(next)) {
        return Some((first, first, next));
    }
    // "June 3 to 7": the month came with the first.
    if let Some(day) = day_number(words.get(next + 1))
        && parsers::read_month(words.get(next + 2)).is_none()
    {
        return Some((first, first.with_day(day)?, next + 2));
    }
    let (last, end) = read(next + 1)?;
    // "next friday to sunday": the sunday after that friday.
    if when::weekday_name(words.get(next + 1)).is_some() && last < first {
        let weeks = u64::try_from((first - last).num_days()).ok()?.div_ceil(7);
        return Some((
            first,
            last.checked_add_days(chrono::Days::new(7 * weeks))?,
            end,
        ));
    }
    turned(message, (first, last), at..end)
}

/// "5 days", "a week", "3 nights": the number of days, and the index after it.
fn length(words: &Words, at: usize) -> Option<(u64, usize)> {
    let number = match words.get(at) {
        "a" | "one" => 1,
        number => number.parse().ok()?,
    };
    let unit_days = match words.get(at + 1) {
        // The last one ends on the day after.
        "night" | "nights" => return Some((u64::checked_add(number, 1)?, at + 2)),
        "day" | "days" => 1,
        "week" | "weeks" => 7,
        _ => return None,
    };
    Some((u64::checked_mul(number, unit_days)?, at + 2))
}

/// "for 3 days from 5 jan", "3 days from 5 jan"
fn days_from(message: &ParsedMessage, at: usize) -> Option<(NaiveDate, NaiveDate, usize)> {
    let words = &message.words;
    let from = words.skip(at, phrases!["for"]);
    let (days, end) = length(words, from)?;
    let is_on = from > at && words.get(end) == "on";
    let first = words.after(end, phrases!["from", "starting", "starting on"]);
    let first = first.or(is_on.then_some(end + 1))?;
    let (first, end) = parsers::read_day(words, first, message.context.now, message.zone())?;
    let last = first.checked_add_days(chrono::Days::new(days.checked_sub(1)?))?;
    Some((first, last, end))
}

/// "the 7th": the next one.
fn day_of_month(message: &ParsedMessage, at: usize) -> Option<(NaiveDate, usize)> {
    let (day, end) = when::day_at(&message.words, at)?;
    let spec = when::TimeExpression {
        day: Some(day),
        ..when::TimeExpression::default()
    };
    let moment = when::resolve(&spec, message.context.now, message.zone()).ok()?;
    Some((local_time::date(moment, message.zone()), end))
}

/// The days of a trip over the turn of the year: it is under way, or its last day is in the year
/// after. `range`: its words.
fn turned(
    message: &ParsedMessage,
    (first, last): (NaiveDate, NaiveDate),
    mut range: Range<usize>,
) -> Option<(NaiveDate, NaiveDate, usize)> {
    let end = range.end;
    if last >= first {
        return Some((first, last, end));
    }
    let today = local_time::date(message.context.now, message.zone());
    let is_year = |at: usize| {
        message
            .words
            .get(at)
            .parse()
            .is_ok_and(|year: u32| year > 1_000)
    };
    let earlier = first.with_year(first.year() - 1)?;
    let is_under_way = earlier <= today && (last - earlier).num_days() < DAYS_MAX;
    if is_under_way && !range.any(is_year) {
        return Some((earlier, last, end));
    }
    let later = last.with_year(last.year() + 1)?;
    let turns = (later - first).num_days() < DAYS_MAX;
    Some((first, if turns { later } else { last }, end))
}

fn weekend(message: &ParsedMessage, at: usize) -> Option<(NaiveDate, NaiveDate, usize)> {
    let words = &message.words;
    let end = words.after(at, phrases!["next weekend", "this weekend"])?;
    let (saturday, _) = parsers::read_day(words, at, message.context.now, message.zone())?;
    Some((saturday, saturday.succ_opt()?, end))
}

/// "June 3-7"
fn month_first(message: &ParsedMessage, at: usize) -> Option<(NaiveDate, NaiveDate, usize)> {
    let words = &message.words;
    let month = parsers::read_month(words.get(at))?;
    let (first, last) = words.get(at + 1).split_once(['-', '–'])?;
    let days = month_days(message, month, day_number(first)?, day_number(last)?);
    days.map(|(first, last)| (first, last, at + 2))
}

/// The coming days of that month.
fn month_days(
    message: &ParsedMessage,
    month: u32,
    first: u32,
    last: u32,
) -> Option<(NaiveDate, NaiveDate)> {
    let today = local_time::date(message.context.now, message.zone());
    let on = |year, day| NaiveDate::from_ymd_opt(year, month, day);
    let year = if on(today.year(), last)? < today {
        today.year() + 1
    } else {
        today.year()
    };
    Some((on(year, first)?, on(year, last)?))
}

fn day_number(word: &str) -> Option<u32> {
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|tail| word.strip_suffix(tail))
        .unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}
