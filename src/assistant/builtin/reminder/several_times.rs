//! One message that sets several reminders: one thing at several times, or several things.

use std::ops::Range;

use super::finished;
use super::half_understood::has_time_left;
use super::parts::{self, split_request, text_of};
use super::task_words::{is_task_word, with_verb};
use super::{is_early, names_nothing};
use crate::assistant::builtin::{Intent, ParsedMessage, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, TimeExpression, TimeOfDay};
use crate::assistant::text::words::{Words, begins_with_digit, has_digit};

/// Times that one message sets.
const TIMES_MAX: usize = 6;
/// A longer text names no list of times.
pub(super) const SEVERAL_WORDS_MAX: usize = 60;

/// "at 9, 12 and 18 to drink", "to take meds at 8am and 8pm", "in 10 min and 20 min to stir": the
/// same at several times.
/// `nothing`: the text of an alarm, which needs no other: "for 6, 6:15 and 6:30".
pub(super) fn at_several_times(
    message: &ParsedMessage,
    range: Range<usize>,
    nothing: &str,
) -> Option<Intent> {
    let words = &message.words;
    if range.len() > SEVERAL_WORDS_MAX {
        return None;
    }
    if let Some(specs) = alarm_times(words, range.clone()).filter(|_| !nothing.is_empty()) {
        return each_at(message, specs, nothing);
    }
    let is_link = |at: usize| matches!(words.get(at), "to" | "that" | "about" | "for");
    // "twice, at 5 and at 6, to leave"
    let count = phrases!["twice", "two times", "three times"];
    let first = words.skip(range.start, count);
    let leading = times_at(words, first, false)
        .filter(|(_, end)| is_link(*end) || is_task_word(words.get(*end)));
    let (specs, text, times) = match leading {
        Some((specs, end)) => (specs, parts::after_link(words, end)..range.end, first..end),
        None => {
            // "pay rent, due friday, tomorrow": the first day is that of the thing.
            let is_due = |at: usize| matches!(words.get(at - 1), "due" | "by");
            let mut starts = (range.start + 1..range.end).filter(|at| !is_due(*at));
            let (at, specs) = starts.find_map(|at| {
                let (specs, end) = times_at(words, at, true)?;
                (end == range.end).then_some((at, specs))
            })?;
            (
                specs,
                parts::after_link(words, range.start)..at,
                at..range.end,
            )
        }
    };
    let text = parts::without_question(message, text_of(words, text));
    let is_number = text.chars().all(|c| c.is_ascii_digit());
    if is_number || has_time_left(&text) {
        return None;
    }
    if names_nothing(&text) && !nothing.is_empty() {
        return each_at(message, specs, nothing);
    }
    if names_nothing(&text) {
        return Some(Intent::AskRest {
            reply: wording::REMINDER_WITHOUT_TEXT.to_owned(),
            before: format!("remind me {} to ", words.original(times)),
            after: String::new(),
        });
    }
    each_at(message, specs, &text)
}

/// "for 6, 6:15 and 6:30": nothing but times.
fn alarm_times(words: &Words, range: Range<usize>) -> Option<Vec<TimeExpression>> {
    let from = words.skip(range.start, phrases!["for", "at"]);
    let first = times_at(words, range.start, false).or_else(|| times_at(words, from, true));
    let whole = |(specs, end): (Vec<TimeExpression>, usize)| (end == range.end).then_some(specs);
    first.and_then(whole).or_else(|| {
        let hour = when::read_hour_alone(words, from)?;
        whole(times_after(words, hour)?)
    })
}

/// One text at each of these times.
fn each_at(message: &ParsedMessage, mut specs: Vec<TimeExpression>, text: &str) -> Option<Intent> {
    if specs.len() > TIMES_MAX {
        return Some(Intent::Unclear(wording::reminder_times_max(TIMES_MAX)));
    }
    let early = specs.iter_mut().filter_map(|spec| spec.clock.as_mut());
    early
        .filter(|clock| is_early(text, clock.hour))
        .for_each(|clock| clock.bare = false);
    let now = message.context.now;
    let moments = |specs: &[TimeExpression]| -> Vec<_> {
        let each = specs
            .iter()
            .map(|spec| when::resolve(spec, now, message.zone()).ok());
        each.collect()
    };
    let is_twice =
        |moments: &[Option<_>]| (1..moments.len()).any(|n| moments[..n].contains(&moments[n]));
    // "at 9, 12 and 18", "at 8:00 and 20:00": the hours are those of 24.
    let clocks = || specs.iter().filter_map(|spec| spec.clock);
    if clocks().any(is_of_24) || clocks().any(|clock| clock.bare) && is_twice(&moments(&specs)) {
        let clocks = specs.iter_mut().filter_map(|spec| spec.clock.as_mut());
        clocks.for_each(|clock| clock.bare = false);
    }
    for n in 1..specs.len() {
        if specs[n].day.is_some() && specs[n].day == specs[n - 1].day {
            specs[n] = after_the_one_before(message, &specs[n - 1], specs[n]);
        }
    }
    if is_twice(&moments(&specs)) {
        return Some(Intent::unclear(wording::REMINDER_ONE_TIME));
    }
    let is_each_day = specs
        .iter()
        .all(|spec| spec.day.is_none() && spec.delay.is_none());
    let each = specs.iter().map(|spec| finished(message, spec, text));
    let mut each: Vec<Intent> = each.collect();
    let all = each.iter().all(|one| matches!(one, Intent::Remind { .. }));
    if all && is_each_day {
        each.push(Intent::Say(wording::EVERY_DAY_OFFERED.to_owned()));
    }
    all.then_some(Intent::Several(each))
}

/// A later one is not in the morning before: "tomorrow at 6 and dad at 7".
pub(super) fn after_the_one_before(
    message: &ParsedMessage,
    before: &TimeExpression,
    later: TimeExpression,
) -> TimeExpression {
    let at = |spec: &TimeExpression| when::resolve(spec, message.context.now, message.zone()).ok();
    let evening = later.in_the_evening();
    match at(&later) < at(before) && at(&evening) > at(before) {
        true => evening,
        false => later,
    }
}

/// "18", unlike "6pm".
pub(super) const fn is_of_24(clock: TimeOfDay) -> bool {
    clock.bare && clock.exact && clock.hour > 12
}

/// At least two times in a row: "at 9, 12 and 18", "on tuesday and thursday at 5". What one of
/// them lacks is that of its neighbour.
fn times_at(words: &Words, at: usize, within: bool) -> Option<(Vec<TimeExpression>, usize)> {
    if let Some(delays) = delays_at(words, at, within) {
        return Some(delays);
    }
    let first = if within {
        when::time_at(words, at)
    } else {
        when::read(words, at)
    };
    let first = first.or_else(|| {
        // "mon, wed and fri at 7"
        let is_day = |at: usize| when::weekday_name(words.get(at)).is_some();
        let next = words.skip(at + 1, phrases!["and", "&"]);
        let (day, end) = when::day_at(words, at).filter(|_| is_day(at) && is_day(next))?;
        let day = TimeExpression {
            day: Some(day),
            ..TimeExpression::default()
        };
        Some((day, end))
    });
    times_after(words, first.filter(|(spec, _)| spec.delay.is_none())?)
}

/// The first time, and those in a row after it.
fn times_after(
    words: &Words,
    (first, mut end): (TimeExpression, usize),
) -> Option<(Vec<TimeExpression>, usize)> {
    let mut specs = vec![first];
    while specs.len() < TIMES_MAX {
        let next = match words.get(end) {
            "and" | "&" | "n" => end + 1,
            day if when::weekday_name(day).is_some() => end,
            _ if words.is_set_off(end - 1) => words.skip(end, phrases!["and", "&"]),
            _ => break,
        };
        let more = when::read(words, next)
            .or_else(|| when::read_hour_alone(words, next))
            .or_else(|| short_day(words, next));
        let Some((more, after)) = more.filter(|(spec, _)| spec.delay.is_none()) else {
            break;
        };
        specs.push(more);
        end = after;
    }
    if specs.len() < 2 {
        return None;
    }
    // "7, 8 and 9 tomorrow"
    let has_day = specs.iter().any(|spec| spec.day.is_some());
    if let (false, Some((day, after))) = (has_day, when::read(words, end))
        && day.day.is_some()
        && !day.has_time()
    {
        specs.iter_mut().for_each(|spec| spec.day = day.day);
        end = after;
    }
    if let Some(all) = each_day_at_each_hour(&specs) {
        return Some((all, end));
    }
    let (day, last) = (first.day, *specs.last()?);
    let lacks_time = |spec: &TimeExpression| spec.clock.is_none() && spec.part.is_none();
    let said = specs.clone();
    for (n, spec) in specs.iter_mut().enumerate() {
        spec.day = spec.day.or(day).or(last.day);
        spec.zone = spec.zone.or(last.zone);
        if lacks_time(spec) {
            let has_time = |spec: &&TimeExpression| !lacks_time(spec);
            let before = || said[..n].iter().rev().find(has_time);
            let like = said[n..].iter().find(has_time).or_else(before);
            (spec.clock, spec.part) = like.map_or((None, None), |like| (like.clock, like.part));
        }
    }
    Some((specs, end))
}

/// "wed", "the 10th", also without "on", and the time after it. In "the first pill at 8 and the second at
/// 20" there is none.
fn short_day(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let is_of_row = words.get(at) == "the" && !begins_with_digit(words.get(at + 1));
    let (day, end) = when::day_at(words, at).filter(|_| !is_of_row)?;
    let day = TimeExpression {
        day: Some(day),
        ..TimeExpression::default()
    };
    let more = when::read(words, end).and_then(|(spec, end)| Some((day.merged(spec)?, end)));
    Some(more.unwrap_or((day, end)))
}

/// "on monday and tuesday at 6 and 7": each of several days at each of several times of day.
fn each_day_at_each_hour(specs: &[TimeExpression]) -> Option<Vec<TimeExpression>> {
    let days_end = specs.iter().position(|spec| spec.clock.is_some())? + 1;
    let (days, hours) = specs.split_at(days_end);
    let is_hours = hours
        .iter()
        .all(|spec| spec.day.is_none() && spec.clock.is_some());
    if days.len() < 2 || hours.is_empty() || !is_hours || days.iter().any(|spec| spec.day.is_none())
    {
        return None;
    }
    let clocks = specs.iter().filter_map(|spec| spec.clock);
    let clocks: Vec<TimeOfDay> = clocks.collect();
    let each = days.iter().flat_map(|day| {
        clocks.iter().map(|clock| TimeExpression {
            clock: Some(*clock),
            ..*day
        })
    });
    Some(each.collect())
}

/// At least two spans in a row: "in 10 min and 20 min".
fn delays_at(words: &Words, at: usize, within: bool) -> Option<(Vec<TimeExpression>, usize)> {
    let read = |at: usize| {
        if within {
            when::time_at(words, at)
        } else {
            when::read(words, at)
        }
    };
    let is_delay = |(spec, _): &(TimeExpression, usize)| spec.delay.is_some();
    let (first, mut end) = read(at).filter(is_delay)?;
    let mut specs = vec![first];
    while specs.len() < TIMES_MAX {
        let next = match words.get(end) {
            "and" | "&" => end + 1,
            _ if words.is_set_off(end - 1) => words.skip(end, phrases!["and", "&"]),
            _ => break,
        };
        let next = words.skip(next, phrases!["in"]);
        let Some((more, after)) = when::read_duration(words, next) else {
            break;
        };
        specs.push(more);
        end = after;
    }
    (specs.len() > 1).then_some((specs, end))
}

/// "the 10th", without the "on" of the day before it.
fn day_alone(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let is_date = words.get(at) == "the" || when::ordinal(words.get(at)).is_some();
    let (day, end) = when::day_at(words, at).filter(|_| is_date)?;
    let day = TimeExpression {
        day: Some(day),
        ..TimeExpression::default()
    };
    Some((day, end))
}

/// "at 5 to call mom, at 6 to call dad and at 7 to call bo": a time and a text each.
pub(super) fn each_with_text(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    let words = &message.words;
    if range.len() > SEVERAL_WORDS_MAX {
        return None;
    }
    // "5 call dad" after "at 4 call mom", unlike "5 eggs"
    let task = when::read(words, range.start).map(|(_, end)| words.get(end));
    let task = task.filter(|task| is_task_word(task));
    let is_same_task = |at: usize| task == Some(words.get(at));
    let begins = |at: usize| {
        let is_apart = words.is_set_off(at - 1) || words.get(at - 1) == "and";
        if !is_apart && at != range.start {
            return None;
        }
        let time = when::read(words, at).or_else(|| day_alone(words, at));
        let (spec, end) = time
            .or_else(|| when::read_hour_alone(words, at).filter(|(_, end)| is_same_task(*end)))?;
        let is_when = spec.has_time() || spec.day.is_some();
        let rest = end..range.end;
        let is_next = at != range.start
            && spec.clock.is_some()
            && (names_thing(words, rest.clone()) || is_word_alone(words, rest));
        (is_when && (words.get(end) == "to" || is_same_task(end) || is_next)).then_some((spec, end))
    };
    let starts: Vec<(usize, (TimeExpression, usize))> = range
        .clone()
        .filter_map(|at| Some((at, begins(at)?)))
        .take(TIMES_MAX + 1)
        .collect();
    let is_first = starts.first().is_some_and(|(at, _)| *at == range.start);
    let ends: Vec<usize> = starts.iter().map(|(_, (_, end))| *end).collect();
    let is_count = (2..=TIMES_MAX).contains(&starts.len());
    if !is_first || !is_count || ends_unclear(words, &ends, range.end) {
        return None;
    }
    // "at 8 to take vitamins and at 20 to take iron": the hours are those of 24.
    let mut clocks = starts.iter().filter_map(|(_, (time, _))| time.clock);
    let are_of_24 = clocks.any(is_of_24);
    let mut day = None;
    let each = starts.iter().enumerate().map(|(n, (_, (time, from)))| {
        let end = starts.get(n + 1).map_or(range.end, |(next, _)| *next);
        let end = end - usize::from(words.get(end - 1) == "and" && end < range.end);
        if *from > end {
            return None; // one time, set apart by a dot: "24.12. at 18:00"
        }
        let parsed = split_request(message, *from..end, false);
        let spec = match parsed.spec {
            Some(more) => time.merged(more)?,
            None => *time,
        };
        day = spec.day.or(day);
        let mut spec = TimeExpression {
            day: spec.day.or(day.filter(|_| spec.delay.is_none())),
            ..spec
        };
        if let Some(clock) = spec.clock.as_mut().filter(|_| are_of_24) {
            clock.bare = false;
        }
        let is_clear = !parsed.text.is_empty() && !has_time_left(&parsed.text);
        is_clear.then(|| finished(message, &spec, &parsed.text))
    });
    let each: Vec<Intent> = each.collect::<Option<_>>()?;
    let all = each.iter().all(|one| matches!(one, Intent::Remind { .. }));
    all.then_some(Intent::Several(each))
}

/// "the bank", "call bo" after "at 10 to call the baker, at 11": the next thing, without "to".
fn names_thing(words: &Words, range: Range<usize>) -> bool {
    let at = range.start;
    let ends =
        |end: usize| end == range.end || words.is_set_off(end - 1) || words.get(end) == "and";
    // "the shop closes" tells why.
    let is_thing = |noun: usize| {
        let is_latest = matches!(words.get(noun), "latest" | "earliest" | "same" | "dear");
        noun < range.end && !is_latest && ends(noun + 1)
    };
    match words.after(at, phrases!["the", "my", "our"]) {
        Some(noun) => is_thing(noun),
        None => at < range.end && is_task_word(words.get(at)),
    }
}

/// Whether the last thing is a word alone, which may be anything but a meal: "at 6 actually".
/// `starts`: where each begins.
fn ends_unclear(words: &Words, starts: &[usize], end: usize) -> bool {
    static MEALS: Phrases = Phrases::new(&["breakfast", "brunch", "lunch", "dinner", "supper"]);
    let is_thing = |at: usize| {
        names_thing(words, at..end) || starts.len() > 2 && words.after(at, &MEALS).is_some()
    };
    starts
        .last()
        .is_some_and(|last| is_word_alone(words, *last..end) && !is_thing(*last))
}

/// "lunch" after "at 10 to call the baker, at 11 the bank and at 12", and nothing else.
fn is_word_alone(words: &Words, range: Range<usize>) -> bool {
    let at = range.start;
    at < range.end
        && (at + 1 == range.end || words.is_set_off(at) || words.get(at + 1) == "and")
        && !has_digit(words.get(at))
}

/// "call mom at 5, buy milk at 6 and pay rent at 7": at least three texts, each with its time. A day
/// that is missing is that of the one before.
pub(super) fn each_with_time(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    let words = &message.words;
    if range.len() > SEVERAL_WORDS_MAX {
        return None;
    }
    let is_and = |at: usize| matches!(words.get(at), "and" | "then" | "&");
    let ends = |at: usize| is_and(at) || words.is_set_off(at - 1);
    let mut parts: Vec<(TimeExpression, String)> = Vec::new();
    let mut from = range.start;
    while from < range.end && parts.len() <= TIMES_MAX {
        let mut found = (from + 2..=range.end).filter(|at| *at == range.end || ends(*at));
        let (end, parsed) = found.find_map(|end| {
            let parsed = split_request(message, from..end, false);
            let has_hour = parsed.spec.is_some_and(|spec| !spec.lacks_hour());
            let is_clear = has_hour && !parsed.text.is_empty() && !has_time_left(&parsed.text);
            (is_clear && parsed.is_trailing).then_some((end, parsed))
        })?;
        parts.push((parsed.spec?, parsed.text));
        from = (end..range.end)
            .find(|at| !is_and(*at) && words.get(*at) != "to")
            .unwrap_or(range.end);
    }
    if !(3..=TIMES_MAX).contains(&parts.len()) {
        return None;
    }
    for n in 1..parts.len() {
        let before = parts[n - 1].0;
        let mut spec = parts[n].0;
        if spec.delay.is_none() && spec.day.is_none() {
            spec.day = before.day;
        }
        parts[n].0 = after_the_one_before(message, &before, spec);
        parts[n].1 = with_verb(&parts[0].1, &parts[n].1);
    }
    let each = parts
        .iter()
        .map(|(spec, text)| finished(message, spec, text));
    let each: Vec<Intent> = each.collect();
    let all = each.iter().all(|one| matches!(one, Intent::Remind { .. }));
    all.then_some(Intent::Several(each))
}
