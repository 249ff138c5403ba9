//! Times and parts of a day: "7pm", "19:00", "half past seven", "noon", "tonight", "in the
//! morning".

use super::{Day, PartOfDay, TimeOfDay, amount, day, month, weekday_name};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// "2026-12-24T10:00", a local time.
pub(super) fn date_time(word: &str) -> Option<(Day, TimeOfDay)> {
    let (date, time) = word.split_once('t')?;
    let (clock, needs_more) = digits(time).filter(|_| time.contains(':'))?;
    (!needs_more).then_some((day::date(date)?, clock))
}

/// The time of day at `at`. `bare`: a plain number is an hour.
pub(super) fn clock(words: &Words, at: usize, bare: bool) -> Option<(TimeOfDay, usize)> {
    match words.get(at) {
        "noon" | "midday" | "lunchtime" => return Some((exactly(12, 0), at + 1)),
        "midnight" => return Some((exactly(0, 0), at + 1)),
        "mid-morning" | "midmorning" => return Some((exactly(10, 0), at + 1)),
        "mid-afternoon" | "midafternoon" => return Some((exactly(15, 0), at + 1)),
        "mid" if words.get(at + 1) == "morning" => return Some((exactly(10, 0), at + 2)),
        "mid" if words.get(at + 1) == "afternoon" => return Some((exactly(15, 0), at + 2)),
        _ => {}
    }
    if let Some(found) = clock_in_words(words, at) {
        return Some(found);
    }
    let word = words.get(at);
    let rough = word.strip_suffix("ish");
    let (clock, end, needs_more) = match digits(rough.unwrap_or(word)) {
        Some((clock, needs_more)) => (clock, at + 1, needs_more && rough.is_none()),
        None => {
            let (hour, end) = amount::spelled(words, at)?;
            let (minute, end) = minutes_in_words(words, end).unwrap_or((0, end));
            let clock = TimeOfDay {
                bare: true,
                ..parsed_clock(hour, minute, false)
            };
            (clock, end, true)
        }
    };
    let (clock, more) = with_meridiem(words, end, clock);
    if more == end && needs_more && !(bare && clock.hour <= 24) {
        return None;
    }
    // "18:30 h"
    let is_of_24 = more == end && clock.exact && word.contains(':') && words.get(end) == "h";
    Some((clock, more + usize::from(is_of_24)))
}

/// A part of the day, the day that it implies, and the index after it. `dated`: a day or time came
/// before, so "morning" alone is enough.
pub(super) fn part(
    words: &Words,
    at: usize,
    dated: bool,
) -> Option<(PartOfDay, Option<Day>, usize)> {
    if words.get(at) == "tonight" {
        return Some((PartOfDay::Night, Some(Day::Today), at + 1));
    }
    if let Some(end) = words.after(at, phrases!["later tonight"]) {
        return Some((PartOfDay::Night, Some(Day::Today), end));
    }
    let named = |at| match words.get(at) {
        "morning" => Some(PartOfDay::Morning),
        "afternoon" => Some(PartOfDay::Afternoon),
        "evening" => Some(PartOfDay::Evening),
        "night" => Some(PartOfDay::Night),
        _ => None,
    };
    if words.get(at) == "this" {
        return Some((named(at + 1)?, Some(Day::Today), at + 2));
    }
    if let Some(next) = words.after(at, phrases!["in the", "at", "the"]) {
        let part = named(next)?;
        // "the morning show"
        if words.get(at) == "the" && !may_follow_part(words.get(next + 1)) {
            return None;
        }
        return ((part == PartOfDay::Night) == (words.get(at) == "at") || words.get(at) != "at")
            .then_some((part, None, next + 1));
    }
    if dated {
        Some((named(at)?, None, at + 1))
    } else {
        None
    }
}

/// Whether a part of the day may end before this word: "the morning of 5 december".
fn may_follow_part(word: &str) -> bool {
    matches!(
        word,
        "" | "to"
            | "of"
            | "before"
            | "after"
            | "at"
            | "on"
            | "around"
            | "about"
            | "by"
            | "that"
            | "and"
            | "or"
            | "from"
            | "for"
            | "in"
            | "please"
    ) || word.starts_with(|c: char| c.is_ascii_digit())
        || weekday_name(word).is_some()
}

/// What is counted by numbers: "chapters 5 to 7" is no time.
fn is_numbered(word: &str) -> bool {
    matches!(
        word,
        "chapter"
            | "chapters"
            | "page"
            | "pages"
            | "episode"
            | "episodes"
            | "level"
            | "levels"
            | "lesson"
            | "lessons"
            | "unit"
            | "units"
            | "exercise"
            | "exercises"
            | "question"
            | "questions"
            | "problem"
            | "problems"
            | "part"
            | "parts"
            | "season"
            | "seasons"
            | "row"
            | "rows"
            | "seat"
            | "seats"
            | "room"
            | "rooms"
            | "number"
            | "numbers"
            | "item"
            | "items"
            | "ages"
            | "sizes"
    )
}

fn exactly(hour: u32, minute: u32) -> TimeOfDay {
    TimeOfDay {
        hour,
        minute,
        exact: true,
        bare: false,
    }
}

/// A parsed time, before am, pm or a part of the day is added.
fn parsed_clock(hour: u32, minute: u32, exact: bool) -> TimeOfDay {
    TimeOfDay {
        hour,
        minute,
        exact,
        bare: false,
    }
}

/// "half 9" as half past nine, unlike "half 9 volts".
pub(in crate::assistant) fn half_hour(words: &Words, at: usize) -> Option<(TimeOfDay, usize)> {
    let (hour, end) = number(words, words.after(at, phrases!["half"])?)?;
    let (clock, end) = with_meridiem(
        words,
        end,
        TimeOfDay {
            bare: true,
            ..parsed_clock(hour, 30, false)
        },
    );
    let ends = matches!(
        words.get(end),
        "" | "to" | "that" | "on" | "in" | "today" | "tomorrow" | "tonight"
    ) || weekday_name(words.get(end)).is_some();
    ((1..=12).contains(&hour) && ends).then_some((clock, end))
}

/// The minutes after an hour in words: "nine fifteen pm". "nine ten eggs" has none.
fn minutes_in_words(words: &Words, at: usize) -> Option<(u32, usize)> {
    let (minute, end) = amount::spelled(words, at)?;
    let ends = matches!(
        words.get(end),
        "" | "to" | "am" | "pm" | "a.m" | "p.m" | "in" | "on" | "tomorrow" | "today" | "tonight"
    );
    let is_minute = minute == 30 || ends && (10..60).contains(&minute);
    is_minute.then_some((minute, end))
}

/// "half past seven", "quarter to 8", "ten past nine".
fn clock_in_words(words: &Words, at: usize) -> Option<(TimeOfDay, usize)> {
    if let Some(found) = half_hour(words, at) {
        return Some(found);
    }
    let (minutes, next) = match words.after(at, phrases!["a quarter", "quarter"]) {
        Some(next) => (15, next),
        None if words.get(at) == "half" => (30, at + 1),
        None => number(words, at)?,
    };
    let after = words.get(next);
    let is_minutes = match after {
        "past" => minutes < 60,
        "to" => matches!(minutes, 5 | 10 | 15 | 20 | 25),
        _ => false,
    };
    if !is_minutes {
        return None;
    }
    let (hour, end) = number(words, next + 1).filter(|(hour, _)| *hour <= 24)?;
    // "from 10 to 12" and "10 to 12 march" are spans.
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    // "tuesday 10 to 12", unlike "tuesday at 10 to 12"
    let is_day = weekday_name(before).is_some()
        || month(before).is_some()
        || matches!(before, "today" | "tomorrow" | "tonight" | "add");
    let are_hours =
        is_day && minutes <= 12 && words.get(at).starts_with(|c: char| c.is_ascii_digit());
    let is_span = matches!(before, "from" | "between" | "to" | "in" | "within")
        || are_hours
        || is_numbered(before)
        || month(words.get(end)).is_some()
        || matches!(
            words.get(end),
            "minutes" | "mins" | "min" | "hours" | "days" | "weeks" | "months" | "people"
        )
        || words.get(end) == "of";
    if after == "to" && is_span {
        return None;
    }
    let clock = if after == "past" {
        TimeOfDay {
            bare: true,
            ..parsed_clock(hour, minutes, false)
        }
    } else {
        TimeOfDay {
            bare: true,
            ..parsed_clock((hour + 23) % 24, 60 - minutes, false)
        }
    };
    Some(with_meridiem(words, end, clock))
}

fn number(words: &Words, at: usize) -> Option<(u32, usize)> {
    match words.get(at).parse::<u32>() {
        Ok(n) => Some((n, at + 1)),
        Err(_) => amount::spelled(words, at),
    }
}

/// "7pm", "7:30", "7.30pm", "19h30", "1830", "930", "7"; and whether it needs another word to be
/// a time.
pub(super) fn digits(word: &str) -> Option<(TimeOfDay, bool)> {
    let split = word
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(word.len());
    let (head, tail) = word.split_at(split);
    if head.len() == 4 && tail.is_empty() {
        let clock = exactly(head[..2].parse().ok()?, head[2..].parse().ok()?);
        return (clock.hour < 24 && clock.minute < 60).then_some((clock, true));
    }
    // "930", unlike "100"
    if head.len() == 3 && tail.is_empty() && matches!(&head[1..], "15" | "30" | "45") {
        let clock = TimeOfDay {
            bare: true,
            ..parsed_clock(head[..1].parse().ok()?, head[1..].parse().ok()?, false)
        };
        return (clock.hour > 0).then_some((clock, true));
    }
    // "730pm", unlike "720p"
    if (3..=4).contains(&head.len()) && tail != "p" {
        let pm = meridiem(tail)?;
        let (hour, minute) = head.split_at(head.len() - 2);
        let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
        return (hour <= 12 && minute < 60).then_some((twelve_hours(hour, minute, pm), false));
    }
    let hour: u32 = (1..=2).contains(&head.len()).then(|| head.parse().ok())??;
    if let Some(pm) = meridiem(tail) {
        return Some((twelve_hours(hour, 0, pm), false));
    }
    match tail.chars().next() {
        None => Some((
            TimeOfDay {
                bare: true,
                ..parsed_clock(hour, 0, hour > 12 || head.starts_with('0'))
            },
            true,
        )),
        Some('h') if tail.len() == 1 => Some((exactly(hour, 0), true)),
        Some(separator @ (':' | '.' | 'h')) => {
            let (minute, rest) = (tail.get(1..3)?, tail.get(3..)?);
            // "18:30h"
            let is_of_24 = rest == "h" && separator != 'h';
            let rest = if is_of_24 { "" } else { rest };
            let minute: u32 = minute
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| minute.parse().ok())??;
            if let Some(pm) = meridiem(rest) {
                return Some((twelve_hours(hour, minute, pm), false));
            }
            // "12.99" is a price.
            if separator == '.' && minute >= 60 {
                return None;
            }
            let exact = hour > 12 || head.starts_with('0') || separator == 'h' || is_of_24;
            let seconds = rest.len() == 3 && rest.starts_with(':');
            let clock = TimeOfDay {
                bare: !exact,
                ..parsed_clock(hour, minute, exact)
            };
            (rest.is_empty() || seconds).then_some((clock, separator != ':' && !is_of_24))
        }
        Some(_) => None,
    }
}

/// Parses "pm", "p.m", "o'clock in" and similar after a time.
fn with_meridiem(words: &Words, at: usize, clock: TimeOfDay) -> (TimeOfDay, usize) {
    let oclock = words.after(at, phrases!["oclock", "o clock", "uhr"]);
    let (next, oclock) = (oclock.unwrap_or(at), oclock.is_some());
    match meridiem(words.get(next)) {
        Some(pm) if !clock.exact => (twelve_hours(clock.hour, clock.minute, pm), next + 1),
        _ if oclock => (clock, next),
        _ => (clock, at),
    }
}

/// `true` for pm, `false` for am.
fn meridiem(word: &str) -> Option<bool> {
    match word {
        "pm" | "p.m" | "p" => Some(true),
        "am" | "a.m" => Some(false),
        _ => None,
    }
}

/// "13am" and "0pm" are no times, and "15pm" is 15:00.
fn twelve_hours(hour: u32, minute: u32, pm: bool) -> TimeOfDay {
    const NO_HOUR: u32 = 99;
    let hour = match (hour, pm) {
        (12, false) => 0,
        (1..=11, true) => hour + 12,
        (13.., false) | (0, true) => NO_HOUR,
        _ => hour,
    };
    exactly(hour, minute)
}

/// "12-2", "14:00-16:00".
pub(in crate::assistant) fn is_dashed_span(word: &str) -> bool {
    let is_hour = |part: &str| digits(part).is_some() && part.len() <= "10:30pm".len();
    let parts = word.split_once(['-', '–']);
    parts.is_some_and(|(first, last)| is_hour(first) && is_hour(last))
}
