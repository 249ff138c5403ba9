//! Parses the new time of a reminder.

use std::ops::Range;

use super::{MINUTE_S, NewTimeText, TimeChange, near_day};
use crate::assistant::builtin::reminder::repeats;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

const HOUR_S: i64 = 3_600;
/// Larger numbers are no minutes.
const COUNT_MAX: u32 = 600;
/// Words in which it is looked for a count from now.
const COUNT_WORDS_MAX: usize = 60;

/// The unit in seconds in which a message counts minutes or hours from now: 60 of "in 30 min".
pub fn counted_unit_s(text: &str) -> Option<i64> {
    let words = Words::new(text);
    let is_timer = words.iter().any(|word| word == "timer");
    let mut unit_s = None;
    for at in 0..words.len().min(COUNT_WORDS_MAX) {
        let read = when::read(&words, at);
        let read = read.or_else(|| is_timer.then(|| when::read_duration(&words, at)).flatten());
        let Some((spec, _)) = read else {
            continue;
        };
        if spec.day.is_some() || spec.clock.is_some() {
            return None;
        }
        let delay = spec
            .delay
            .filter(|delay| delay.days == 0 && delay.months == 0);
        let seconds = delay.map_or(0, |delay| delay.seconds);
        unit_s = unit_s.or((seconds > 0).then(|| unit_of_s(seconds)));
    }
    unit_s
}

/// Whether a time of day is named, or a time from now on.
pub fn names_hour(text: &str) -> bool {
    let words = Words::new(text);
    let read = |at| when::read(&words, at);
    (0..words.len().min(COUNT_WORDS_MAX))
        .any(|at| read(at).is_some_and(|(spec, _)| !spec.lacks_hour()))
}

/// The time of day that a text names, if it names no other time.
pub fn only_hour(text: &str) -> Option<TimeChange> {
    let words = Words::new(text);
    let (mut found, mut at) = (None, 0);
    while at < words.len().min(COUNT_WORDS_MAX) {
        match when::read(&words, at) {
            Some(_) if found.is_some() => return None,
            Some((spec, end)) => (found, at) = (Some(spec), end),
            None => at += 1,
        }
    }
    found
        .map(|spec| TimeChange(NewTimeText::At(spec)))
        .filter(TimeChange::is_hour)
}

/// Whether a day is named.
pub fn names_day(text: &str) -> bool {
    let words = Words::new(text);
    let has_day = |at| when::read(&words, at).is_some_and(|(spec, _)| spec.day.is_some());
    (0..words.len().min(COUNT_WORDS_MAX)).any(|at| {
        let is_ordinal = when::ordinal(words.get(at)).is_some();
        has_day(at) || is_ordinal || when::day_at(&words, at).is_some()
    })
}

/// Whether words tell of a time, also one that isn't understood: "the next 3 days", "evening".
pub fn names_time(text: &str) -> bool {
    let words = Words::new(text);
    let is_part = |word: &str| matches!(word, "morning" | "afternoon" | "evening" | "night");
    words.len() <= COUNT_WORDS_MAX
        && (mentions_time(&words, 0..words.len()) || words.iter().any(is_part))
}

/// The unit of a delay, in seconds.
pub fn unit_of_s(delay_s: i64) -> i64 {
    match delay_s % HOUR_S {
        0 => HOUR_S,
        _ => MINUTE_S,
    }
}

/// "20", "to 20", unlike "at 20".
pub(super) fn number_alone(words: &Words, range: Range<usize>) -> Option<TimeChange> {
    let at = words.skip(range.start, phrases!["to"]);
    let count = words.get(at).parse().ok();
    let count = count.filter(|count| (1..=COUNT_MAX).contains(count) && at + 1 == range.end)?;
    let hour = when::read_hour_alone(words, at).map(|(spec, _)| spec);
    Some(TimeChange(NewTimeText::Number { count, hour }))
}

/// "9 and 20", "at 8, 12 and 18": several hours.
pub(super) fn hours(words: &Words, range: Range<usize>) -> Option<TimeChange> {
    let from = words.skip(range.start, phrases!["to", "at", "for"]);
    let is_listed = (from..range.end).any(|at| matches!(words.get(at), "and" | "&"));
    if !is_listed {
        return None; // most changes
    }
    let daily = format!("every day at {}", words.original(from..range.end));
    let daily = Words::new(&daily);
    let (repeat, end) = repeats::read(&daily, 0)?;
    let is_whole = end == daily.len() && repeat.names_hours();
    is_whole.then(|| TimeChange(NewTimeText::Hours(Box::new(repeat))))
}

/// Whether a message that is only a time may begin with this word: a cheap check before parsing a
/// time.
pub(super) fn begins_time(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        || phrases![
            "in", "at", "on", "by", "after", "around", "for", "the", "this", "next", "a", "an",
            "every", "each", "daily", "weekly", "monthly", "yearly", "hourly", "nightly",
            "everyday", "once", "today", "tonight", "tomorrow", "later", "noon", "midday",
            "midnight", "half", "quarter", "weekdays", "weekends", "morning", "afternoon",
            "evening", "day", "coming", "mon-fri"
        ]
        .contains(word)
        || when::weekday_name(word).is_some()
        || when::month(word).is_some()
        || when::ordinal(word).is_some()
        || when::amount::is_number(word)
}

/// Whether words tell of a time, also one that isn't understood: "9 or 10", "after dinner", "2x a
/// week". They are no new name.
pub(super) fn mentions_time(words: &Words, range: Range<usize>) -> bool {
    range.clone().any(|at| {
        let word = words.get(at);
        is_of_time(word)
            || word.starts_with(|c: char| c.is_ascii_digit())
            || when::weekday_name(word).is_some()
            || when::amount::is_number(word)
            || when::read(words, at).is_some()
    })
}

/// Words of times that are not understood alone.
pub(super) fn is_of_time(word: &str) -> bool {
    phrases![
        "later", "earlier", "sooner", "soon", "asap", "after", "before", "every", "each", "daily",
        "weekly", "monthly", "yearly", "hourly", "once", "twice", "sometime"
    ]
    .contains(word)
}

/// "19h", "17h30" after "to" or "it": a time of day. "make it 2h" may count from now.
fn hour_of_day(words: &Words, range: &Range<usize>) -> Option<TimeChange> {
    const COUNTED_MAX: u32 = 12;
    let at = range.start;
    let (hour, minutes) = words.get(at).split_once('h')?;
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (spec, end) = when::read_hour_alone(words, at)?;
    let before = |n: usize| at.checked_sub(n).map_or("", |at| words.get(at));
    let is_linked = matches!(before(1), "to" | "it" | "at" | "till" | "until");
    let may_count = minutes.is_empty()
        && hour.parse::<u32>().ok()? <= COUNTED_MAX
        && (before(1) == "it" || before(2) == "it");
    let is_hour = is_digits(hour) && is_digits(minutes) && is_linked && !may_count;
    (is_hour && end == range.end).then_some(TimeChange(NewTimeText::At(spec)))
}

/// "16h" alone is an hour of the day, unlike "2h".
fn late_hour(words: &Words, range: &Range<usize>) -> Option<TimeChange> {
    const HOURS: Range<u32> = 13..24;
    let hour: u32 = words.get(range.start).strip_suffix('h')?.parse().ok()?;
    let (spec, end) = when::read_hour_alone(words, range.start)?;
    let is_hour = HOURS.contains(&hour) && end == range.end;
    is_hour.then_some(TimeChange(NewTimeText::At(spec)))
}

/// The words after "make it" and "move it": "10", "to friday", "by an hour", "10 minutes earlier".
pub(in crate::assistant) fn read_new_time(
    words: &Words,
    range: Range<usize>,
) -> Option<TimeChange> {
    static ONCE: Phrases =
        Phrases::new(&["once", "only once", "just once", "one time", "not repeat"]);
    if words.after(range.start, &ONCE) == Some(range.end) {
        return Some(TimeChange(NewTimeText::Once));
    }
    let direction = words.get(range.start);
    let to = words.after(range.start, phrases!["to", "till", "until"]);
    if let Some(hour) = hour_of_day(words, &(to.unwrap_or(range.start)..range.end)) {
        return Some(hour);
    }
    let at = words.skip(range.start, phrases!["back", "up", "forward", "ahead"]);
    let shift = words.skip(at, phrases!["by", "for"]);
    let earlier = |end: usize| words.after(end, phrases!["earlier", "sooner"]) == Some(range.end);
    if let Some((spec, end)) = when::read_duration(words, shift)
        && let Some(delay) = spec.delay
        && delay.months == 0
        && (end == range.end || earlier(end))
    {
        let seconds = delay.days * 86_400 + delay.seconds;
        let is_later = end == range.end && words.get(range.end - 1) == "later";
        let is_brought = (0..range.start).any(|at| words.get(at) == "bring");
        match direction {
            _ if earlier(end) => return Some(TimeChange(NewTimeText::Later(-seconds))),
            "up" => return Some(TimeChange(NewTimeText::Later(-seconds))),
            "forward" | "ahead" if is_brought => {
                return Some(TimeChange(NewTimeText::Later(-seconds)));
            }
            "forward" | "ahead" if !is_later => return Some(TimeChange(NewTimeText::Forward)),
            _ => {}
        }
        let is_delayed =
            (0..range.start).any(|at| matches!(words.get(at), "delay" | "postpone" | "push"));
        if shift > at || is_later || is_delayed || at > range.start {
            return Some(TimeChange(NewTimeText::Later(seconds)));
        }
    }
    let at = words.skip(at, phrases!["to", "till", "until", "for"]);
    // "to an hour later"
    let later = when::read_duration(words, at).filter(|(_, end)| *end == range.end);
    if let Some((spec, end)) = later
        && words.get(end - 1) == "later"
        && let Some(delay) = spec.delay.filter(|delay| delay.months == 0)
    {
        let seconds = delay.days * 86_400 + delay.seconds;
        return Some(TimeChange(NewTimeText::Later(seconds)));
    }
    time_alone(words, at..range.end)
}

/// "by 2 days", "an hour", "2 days later" where something is delayed: so long after its time.
pub(in crate::assistant) fn read_shift(words: &Words, range: Range<usize>) -> Option<TimeChange> {
    let from = words.skip(range.start, phrases!["by another", "by", "for", "another"]);
    let (spec, end) = when::read_duration(words, from)?;
    let earlier = words.after(end, phrases!["earlier", "sooner", "early"]);
    let delay = spec.delay.filter(|delay| delay.months == 0)?;
    let seconds = delay.days * 86_400 + delay.seconds;
    let end = earlier.unwrap_or(end);
    let sign = if earlier.is_some() { -1 } else { 1 };
    let is_from_now = matches!(words.get(from), "in" | "within");
    (end == range.end && !is_from_now).then_some(TimeChange(NewTimeText::Later(sign * seconds)))
}

/// "an hour later", "2 days earlier", and nothing else.
pub fn time_shift(text: &str) -> Option<TimeChange> {
    let words = Words::new(text);
    let last = words.get(words.len().checked_sub(1)?);
    let is_shift = matches!(last, "later" | "earlier" | "sooner");
    is_shift
        .then(|| read_shift(&words, 0..words.len()))
        .flatten()
}

/// "on 6 june" of "it's on 6 june".
pub fn answered_time(text: &str) -> String {
    let words = Words::new(text);
    let from = words.skip(0, phrases!["its", "it is"]);
    words.original(from..words.len()).to_owned()
}

/// Whether words answer the question for a day: a time, or days of a span, with at most a detail after
/// it. "call bo tomorrow at 9" is something else.
pub fn is_time_answer(text: &str) -> bool {
    let words = Words::new(text);
    let time = |at: usize| {
        let read = when::read(&words, at).or_else(|| when::read_hour_alone(&words, at));
        let read = read.map(|(_, end)| end);
        let day = || when::day_at(&words, at).map(|(_, end)| end);
        let repeat = || repeats::read(&words, at).map(|(_, end)| end);
        read.or_else(day).or_else(repeat)
    };
    let is_number = |at: usize| words.get(at).parse::<u32>().is_ok();
    let is_part = |at: usize| {
        let links = [
            "to", "until", "till", "and", "the", "of", "at", "on", "from", "now", "-",
        ];
        let is_ordinal = when::ordinal(words.get(at)).is_some();
        links.contains(&words.get(at)) || is_number(at) || is_ordinal
    };
    let first = words.skip(0, phrases!["its", "it is"]);
    let mut at = first;
    let mut names_time = false;
    while at < words.len() {
        match time(at) {
            Some(end) if end > at => {
                names_time = true;
                at = end;
            }
            _ if is_part(at) => {
                names_time |= when::ordinal(words.get(at)).is_some();
                at += 1;
            }
            _ => break,
        }
    }
    let rest = words.get(at);
    let is_detail = || {
        let details = [
            "with", "at", "in", "for", "near", "room", "row", "seat", "seats", "please", "pls",
            "thanks", "instead", "i",
        ];
        details.contains(&rest) || rest.starts_with(|c: char| !c.is_alphabetic())
    };
    names_time && (at == words.len() || is_detail())
}

/// "10" of "push it by 10", "delay it 10": minutes, unlike those of "move it by 10".
pub(super) fn minutes_alone(words: &Words, range: Range<usize>, verb: &str) -> Option<TimeChange> {
    let by = words.after(range.start, phrases!["by", "back by"]);
    let is_delay = matches!(verb, "push" | "delay" | "postpone");
    let at = by.or(is_delay.then_some(range.start))?;
    let count: u32 = words.get(at).parse().ok()?;
    let is_count = (1..=COUNT_MAX).contains(&count) && at + 1 == range.end;
    is_count.then_some(TimeChange(match is_delay {
        true => NewTimeText::Later(i64::from(count) * MINUTE_S),
        false => NewTimeText::Number { count, hour: None },
    }))
}

/// A message that is only a time.
pub(super) fn time_alone(words: &Words, range: Range<usize>) -> Option<TimeChange> {
    /// "just a sec" asks for patience, "24/7" is no day.
    static NO_TIMES: Phrases = Phrases::new(&[
        "24/7", "just a sec", "just a second", "just a minute", "just a moment", "a sec",
        "one sec", "a second", "one second", "1 sec",
    ]);
    if range.is_empty() || words.after(range.start, &NO_TIMES) == Some(range.end) {
        return None;
    }
    if let Some(hour) = late_hour(words, &range) {
        return Some(hour);
    }
    let repeat = || repeats::read(words, range.start).filter(|(_, end)| *end == range.end);
    if repeats::repeats(words, range.clone())
        && let Some((repeat, _)) = repeat()
    {
        let begins_with_time = when::read(words, range.start).is_some()
            || when::read_hour_alone(words, range.start).is_some();
        let has = |word: &str| range.clone().any(|at| words.get(at) == word);
        let is_on_days = begins_with_time && has("on") && !has("month");
        let repeat = Box::new(repeat);
        return Some(TimeChange(match is_on_days {
            true => NewTimeText::OnDays(repeat),
            false => NewTimeText::Repeat(repeat),
        }));
    }
    if let Some((spec, end)) = when::read(words, range.start)
        && end == range.end
    {
        let spec = near_day::with_named_week(spec, words, range.start);
        return Some(TimeChange(NewTimeText::At(spec)));
    }
    // "the 5th", "5th at 10"
    let numbered = || {
        let word = words.get(range.start);
        let day = when::ordinal(word).filter(|_| word.starts_with(|c: char| c.is_ascii_digit()));
        Some((when::Day::OfMonth(day?), range.start + 1))
    };
    if let Some((day, end)) = when::day_at(words, range.start).or_else(numbered) {
        let day = when::TimeExpression {
            day: Some(day),
            ..when::TimeExpression::default()
        };
        let more = when::read(words, end).filter(|(_, end)| *end == range.end);
        let whole = more.and_then(|(more, _)| day.merged(more));
        if let Some(spec) = whole.or((end == range.end).then_some(day)) {
            return Some(TimeChange(NewTimeText::At(spec)));
        }
    }
    let delay = when::read_duration(words, range.start).filter(|(_, end)| *end == range.end);
    // "7 tonight"
    let hour = || {
        let (hour, end) = when::read_hour_alone(words, range.start)?;
        let more = when::read(words, end).filter(|(_, end)| *end == range.end);
        let both = more.and_then(|(more, end)| Some((hour.merged(more)?, end)));
        Some(both.unwrap_or((hour, end)))
    };
    let (spec, end) = delay.or_else(hour)?;
    (end == range.end).then_some(TimeChange(NewTimeText::At(spec)))
}
