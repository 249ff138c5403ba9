//! Reads a time out of words ("tomorrow at 9", "in 1h30", "on december 24th at 5pm") and turns it
//! into an instant in a person's time zone.
//!
//! A bare time ("at 6", "at 1:30") is the next moment the clock shows it between 07:00 and 22:59;
//! on a named day it is the first such moment of that day. Other times are read on the 24-hour
//! clock. A time of day that has passed today is tomorrow's; a day without a time means `DAY_HOUR`;
//! "friday" is the coming one, "next friday" that of the following ISO week.

mod alike;
pub(in crate::assistant) mod amount;
mod clock;
mod counted;
mod day;
mod first_words;
mod holiday;
mod names;
mod of_month;
mod particle;
mod resolve;

pub(in crate::assistant) use super::time_expression::{
    Day, Delay, NamedDay, NamedMonth, PartOfDay, TimeExpression, TimeOfDay,
};
use super::words::Words;
use super::zone;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::clock::{Timestamp, Zone};
pub(in crate::assistant) use alike::is_like_day;
pub(in crate::assistant) use clock::half_hour;
pub(in crate::assistant) use clock::is_dashed_span;
use first_words::may_begin_time;
pub(in crate::assistant) use holiday::{is_holiday, names_holiday};
pub(in crate::assistant) use names::ordinal;
pub(in crate::assistant) use names::{month, weekday_name};
pub(in crate::assistant) use particle::{is_particle, lacks_particle};
pub(in crate::assistant) use resolve::is_after_midnight;
pub(in crate::assistant) use resolve::{Problem, YEARS_AHEAD_MAX, resolve, time_of_day};

/// The hour of a day named without a time.
pub(in crate::assistant) const DAY_HOUR: u32 = 9;

/// The last bare hour that means the afternoon or evening, because people are asleep earlier.
const BARE_HOUR_PM_MAX: u32 = 6;

/// The last bare hour that also occurs in the evening: 22:00.
const BARE_HOUR_TWICE_MAX: u32 = 10;

/// Whether a day is named within those words.
pub(in crate::assistant) fn names_day(words: &Words, mut range: std::ops::Range<usize>) -> bool {
    range.any(|at| read(words, at).is_some_and(|(spec, _)| spec.day.is_some()))
}

impl TimeExpression {
    /// Parses one more part at `at`. Returns the index after it. `linked`: the word before.
    fn take(&mut self, words: &Words, at: usize, linked: &str) -> Option<usize> {
        let is_first = *self == Self::default();
        if is_first && let Some((spec, end)) = counted::delay_or_day(words, at, linked) {
            *self = spec;
            return Some(end);
        }
        if self.delay.is_some_and(|w| w.seconds != 0) {
            return None;
        }
        if self.day.is_none()
            && self.delay.is_none()
            && self.clock.is_none()
            && let Some((day, clock)) = clock::date_time(words.get(at))
        {
            (self.day, self.clock) = (Some(day), Some(clock));
            return Some(at + 1);
        }
        if self.day.is_none()
            && self.delay.is_none()
            && let Some((day, end)) = (!is_first)
                .then(|| counted::read(words, at))
                .flatten()
                .or_else(|| day::day(words, at, linked == "on"))
                .or_else(|| numbered_day(words, at))
                .or_else(|| {
                    self.clock?;
                    day::dotted_after_time(words, at)
                })
        {
            self.day = Some(day);
            return Some(end);
        }
        if self.part.is_none()
            && let Some((part, day, end)) =
                clock::part(words, at, self.day.is_some() || self.clock.is_some())
            && (day.is_none() || self.day.is_none() || self.day == day)
        {
            self.part = Some(part);
            self.day = self.day.or(day);
            // "the morning of 5 december"
            let of = words
                .after(end, phrases!["of"])
                .filter(|_| self.day.is_none());
            let of_day = of.and_then(|from| day::day(words, from, true));
            self.day = self.day.or(of_day.map(|(day, _)| day));
            return Some(of_day.map_or(end, |(_, end)| end));
        }
        // "in 2:30" may be a duration.
        if self.clock.is_none()
            && !(linked == "in" && words.get(at).contains(':'))
            && let Some((clock, end)) =
                clock::clock(words, at, self.allows_bare_hour(words, at, linked))
        {
            self.clock = Some(clock);
            self.is_half = clock::half_hour(words, at).is_some();
            return Some(end);
        }
        if self.clock.is_some()
            && self.zone.is_none()
            && let Some((zone, end)) = zone::after_time(words, at)
        {
            self.zone = Some(zone);
            self.is_summer_time = zone::is_summer_time(words.get(at));
            return Some(end);
        }
        None
    }

    /// Whether "9" alone is an hour here: after "at", or at the end of "tomorrow 9".
    fn allows_bare_hour(&self, words: &Words, at: usize, linked: &str) -> bool {
        let ends = matches!(words.get(at + 1), "" | "to" | "that");
        let has_minutes = |word: &str| {
            let parts = word.split_once('h');
            // "930" of "tomorrow 930 delivery"
            let is_plain = (3..=4).contains(&word.len())
                && word.bytes().all(|b| b.is_ascii_digit())
                && ["15", "30", "45"].iter().any(|end| word.ends_with(end));
            is_plain || parts.is_some_and(|(hour, minute)| hour.len() < 3 && minute.len() == 2)
        };
        matches!(linked, "at" | "by" | "around")
            || linked.is_empty() && self.day.is_some() && has_minutes(words.get(at))
            || (matches!(linked, "" | "for") && ends && (self.day.is_some() || self.part.is_some()))
    }
}

/// "the 5th" before "at 4" or "4pm", "5th" before "at 4": a day also without "on". "the second" is
/// rather the second pill, unless it comes first: "remind me the second at 4".
fn numbered_day(words: &Words, at: usize) -> Option<(Day, usize)> {
    let from = words.skip(at, phrases!["the"]);
    let is_number = words.get(from).starts_with(|c: char| c.is_ascii_digit());
    let day = ordinal(words.get(from))?;
    let hour = words.skip(from + 1, phrases!["at"]);
    let is_linked = hour > from + 1;
    let is_first = at > 0 && matches!(words.get(at - 1), "me" | "us");
    let is_named = from > at && (is_number || is_first) || is_number && is_linked;
    let is_timed = is_named && clock::clock(words, hour, is_linked).is_some();
    is_timed.then_some((Day::OfMonth(day), from + 1))
}

/// How exactly a time is meant, before it and after it.
static ROUGHLY: Phrases = Phrases::new(&[
    "exactly", "precisely", "roughly", "approximately", "approx", "about", "around", "like",
]);
static AFTER_TIME: Phrases = Phrases::new(&[
    "sharp", "on the dot", "exactly", "precisely", "or so", "my time", "local time",
    "at the latest", "or thereabouts", "approximately", "roughly", "ish",
]);

static SPANS: Phrases = Phrases::new(&["the next week", "the next month", "the next year"]);

/// The time that starts at word `at`, and the index after it.
pub(in crate::assistant) fn read(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    words.time_cache.get_or_read(at, || {
        if !may_begin_time(words, at) {
            // All that tests read shows that no word is missing.
            debug_assert_eq!(read_any(words, at), None, "{}", words.phrase(at..at + 3));
            return None; // most words
        }
        read_any(words, at)
    })
}

fn read_any(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let mut spec = TimeExpression::default();
    let mut end = at;
    // A time has at most five parts, one per field.
    for _ in 0..5 {
        let begin = words.skip(end, phrases!["first thing"]);
        // "roughly at 5"
        let begin = words
            .after(begin, &ROUGHLY)
            .filter(|next| matches!(words.get(*next), "at" | "in" | "around" | "on"))
            .unwrap_or(begin);
        let linked = match words.get(begin) {
            link @ ("in" | "on" | "at" | "for" | "by" | "around" | "after" | "within") => link,
            // "about 5pm", unlike "about 5"
            "about"
                if words
                    .get(begin + 1)
                    .starts_with(|c: char| c.is_ascii_digit()) =>
            {
                "about"
            }
            _ => "",
        };
        let from = begin + usize::from(!linked.is_empty());
        let is_at = matches!(linked, "at" | "by" | "in" | "on");
        let exact = words.after(from, &ROUGHLY);
        let from = exact.filter(|_| is_at).unwrap_or(from);
        let (had_day, before_link) = (spec.day.is_some(), Some((spec, end)));
        let taken = match spec.take(words, from, linked) {
            // "after friday" is not friday.
            Some(_) if linked == "after" && spec.day.is_some() && !had_day => {
                return before_link.filter(|(_, end)| *end > at);
            }
            // "for the next week" is a span.
            Some(_) if linked == "for" && words.after(from, &SPANS).is_some() => return None,
            // "in the morning" and "at night" begin with a linking word.
            None if from > begin => spec.take(words, begin, ""),
            taken => taken,
        };
        // "tomorrow first thing"
        let last = (begin > end && spec.day.is_some()).then_some(begin);
        let Some(next) = taken.or(last) else {
            break;
        };
        let is_exact = spec.clock.is_some() || spec.delay.is_some();
        let exact = words.after(next, &AFTER_TIME);
        end = exact.filter(|_| is_exact).unwrap_or(next);
    }
    (end > at).then_some((spec, end))
}

/// Whether a time may stand in a text, at little cost: most have none.
pub(in crate::assistant) fn may_stand_in(words: &Words) -> bool {
    let cache = &words.time_cache;
    (0..words.len()).any(|at| cache.may_begin(at, || may_begin_time(words, at)))
}

/// The earliest time that extends to the end of `range`, and its start.
pub(in crate::assistant) fn trailing_time(
    words: &Words,
    range: std::ops::Range<usize>,
) -> Option<(TimeExpression, usize)> {
    range.clone().find_map(|at| {
        time_at(words, at)
            .filter(|(_, end)| *end == range.end)
            .map(|(spec, _)| (spec, at))
    })
}

/// A time at `at` that isn't part of the text, unlike "before 5pm", "the start of next month" and
/// "the 9 o'clock news".
pub(in crate::assistant) fn time_at(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let found = read(words, at)?;
    if is_particle(words, at) {
        return None;
    }
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    // "in 2:30" may be a duration.
    if before == "in" && words.get(at).contains(':') {
        return None;
    }
    let is_other = phrases![
        "before", "until", "till", "after", "since", "of", "the", "a", "an", "my", "our", "your",
        "his", "her", "their"
    ]
    .contains(before);
    // "option a at 8"
    let is_letter = before == "a" && words.get(at) == "at";
    // "call her on friday"
    let is_her = before == "her"
        && matches!(
            words.get(at),
            "on" | "at" | "in" | "by" | "around" | "about"
        );
    (!is_other || is_letter || is_her).then_some(found)
}

/// The hour after "for", as for an alarm: "7", "7 tomorrow". A count ("7 people") isn't one.
pub(in crate::assistant) fn read_hour(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let (hour, end) = read_hour_alone(words, at)?;
    let more = read(words, end).and_then(|(spec, end)| Some((hour.merged(spec)?, end)));
    let (spec, end) = more.unwrap_or((hour, end));
    matches!(words.get(end), "" | "to" | "that").then_some((spec, end))
}

/// The hour at `at`, also where it is only a number, as between "from" and "to".
pub(in crate::assistant) fn read_hour_alone(
    words: &Words,
    at: usize,
) -> Option<(TimeExpression, usize)> {
    let (clock, end) = clock::clock(words, at, true)?;
    let hour = TimeExpression {
        clock: Some(clock),
        ..TimeExpression::default()
    };
    Some((hour, end))
}

/// The day at `at`, such as after "on".
pub(in crate::assistant) fn day_at(words: &Words, at: usize) -> Option<(Day, usize)> {
    let read = || counted::read(words, at).or_else(|| day::day(words, at, true));
    if !may_begin_time(words, at) {
        debug_assert_eq!(read(), None, "{}", words.phrase(at..at + 3));
        return None; // most words
    }
    read()
}

/// This time of day, to the minute.
pub(in crate::assistant) fn exact_time(time: chrono::NaiveTime) -> TimeExpression {
    use chrono::Timelike;
    TimeExpression {
        clock: Some(TimeOfDay {
            hour: time.hour(),
            minute: time.minute(),
            exact: true,
            bare: false,
        }),
        ..TimeExpression::default()
    }
}

/// The duration after "for", as for a timer: "20 minutes".
pub(in crate::assistant) fn read_duration(
    words: &Words,
    at: usize,
) -> Option<(TimeExpression, usize)> {
    let (delay, end) = amount::delay(words, at, true)?;
    Some((
        TimeExpression {
            delay: Some(delay),
            ..TimeExpression::default()
        },
        end,
    ))
}

/// The day of `spec`, from midnight to midnight. Today is today at any hour.
pub(in crate::assistant) fn day_of(
    spec: &TimeExpression,
    now: Timestamp,
    zone: Zone,
) -> Option<std::ops::Range<Timestamp>> {
    let at = match spec.day? {
        Day::Today => now,
        _ => resolve(spec, now, zone).ok()?,
    };
    let date = at.utc().with_timezone(&zone).date_naive();
    Some(at_hour(date, 0, 0, zone)?..at_hour(date.succ_opt()?, 0, 0, zone)?)
}

/// This time of day on a date. A time in a gap becomes the first moment after it.
pub(in crate::assistant) fn at_hour(
    date: chrono::NaiveDate,
    hour: u32,
    minute: u32,
    zone: Zone,
) -> Option<Timestamp> {
    resolve::instant(date.and_hms_opt(hour, minute, 0)?, zone).ok()
}
