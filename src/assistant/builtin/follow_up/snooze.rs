//! Parses what puts a reminder off: "snooze 10 min", "snooze 1 and 2 till friday", "5 more minutes".

use std::ops::Range;

use super::change::numbers;
use super::new_time::time_alone;
use super::{FollowUp, NewTimeText, TimeChange};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Words for the reminders that came last, together.
static SNOOZED: Phrases = Phrases::new(&[
    "both of them", "all of them", "them all", "them both", "both", "all", "them", "it", "that",
]);

/// "snooze 10 min", "snooze it for an hour", "snooze till tomorrow".
pub(super) fn snooze(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    if let Some(found) = nth(words, range.clone()) {
        return Some(found);
    }
    let at = words.skip(range.start, &SNOOZED);
    if at == range.end {
        return Some(FollowUp::Snooze(None));
    }
    let at = words.skip(
        at,
        phrases!["for another", "for", "until", "till", "til", "to", "by"],
    );
    let rest = at..range.end;
    if at == range.start
        && let Some((numbers, from)) = numbers(words, at)
    {
        let from = words.skip(from, phrases!["for", "until", "till", "til", "to", "by"]);
        let time = time_after_numbers(words, from..range.end);
        if from == range.end || time.is_some() {
            return Some(FollowUp::SnoozeNumbered { numbers, time });
        }
    }
    let is_end = at > 0 && matches!(words.get(at - 1), "until" | "till" | "til" | "to");
    // "snooze 10", "snooze for ten"
    let number = when::amount::count(words, at);
    let minutes = match number.filter(|(_, end)| *end == range.end && !is_end) {
        Some((n @ 1..=600, _)) => Some(TimeChange(NewTimeText::Later(i64::from(n) * 60))),
        _ => None,
    };
    let delay = || {
        let (spec, end) = when::read_duration(words, at)?;
        (end == range.end).then_some(TimeChange(NewTimeText::At(spec)))
    };
    if let Some((first, second)) = two_durations(words, at, range.end) {
        return Some(FollowUp::SnoozeUnclear { first, second });
    }
    let time = minutes.or_else(delay).or_else(|| time_alone(words, rest))?;
    Some(FollowUp::Snooze(Some(time)))
}

/// "the first one", "the second for an hour", "one": of those that came.
fn nth(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    static ONE: Phrases = Phrases::new(&["one of them", "just one", "only one", "one"]);
    if words.after(range.start, &ONE) == Some(range.end) {
        let (nth, time) = (None, None);
        return Some(FollowUp::SnoozeNth { nth, time });
    }
    let from = words.skip(range.start, phrases!["only the", "just the", "the"]);
    let number = when::ordinal(words.get(from))?;
    let noun = words.after(from + 1, phrases!["one", "reminder"]);
    let end = noun.or((from > range.start).then_some(from + 1))?;
    let link = words.skip(end, phrases!["for", "until", "till", "til", "to", "by"]);
    let time = time_after_numbers(words, link..range.end);
    (end == range.end || time.is_some()).then_some(FollowUp::SnoozeNth {
        nth: Some(number as usize),
        time,
    })
}

/// "10 min and 20 min", "10 or 20 minutes" as all of these words: each as typed.
pub(in crate::assistant) fn two_durations(
    words: &Words,
    from: usize,
    end: usize,
) -> Option<(String, String)> {
    let link = (from + 1..end).find(|at| matches!(words.get(*at), "and" | "or" | "then"))?;
    let first = when::read_duration(words, from).is_some_and(|(_, next)| next == link)
        || link == from + 1 && words.get(from).parse::<u32>().is_ok();
    let second = when::read_duration(words, link + 1).is_some_and(|(_, next)| next == end);
    // "1 hour and 20 minutes" is one.
    let is_one = when::read_duration(words, from).is_some_and(|(_, next)| next == end);
    let typed = |from: usize, to: usize| words.original(from..to).to_owned();
    (first && second && !is_one).then(|| (typed(from, link), typed(link + 1, end)))
}

/// "till friday", "for 2 hours", but not the unit of "snooze 10 min".
fn time_after_numbers(words: &Words, range: Range<usize>) -> Option<TimeChange> {
    let is_linked = matches!(
        words.get(range.start.saturating_sub(1)),
        "for" | "until" | "till" | "til" | "to" | "by"
    );
    let is_nth = words.get(range.start.saturating_sub(1)) == "one";
    let delay = || {
        let (spec, end) = when::read_duration(words, range.start)?;
        (end == range.end && (is_linked || is_nth)).then_some(TimeChange(NewTimeText::At(spec)))
    };
    delay().or_else(|| time_alone(words, range.clone()))
}

/// "10 more minutes", "5 min more".
pub(super) fn more_minutes(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let count = words.get(range.start).parse::<i64>().ok();
    let count = count.filter(|n| (1..=600).contains(n))?;
    let rest = words.phrase(range.start + 1..range.end);
    let seconds = match rest.as_str() {
        "more minutes" | "more min" | "more mins" | "min more" | "mins more" | "minutes more" => 60,
        "more hours" | "more hour" | "hours more" | "hour more" => 3_600,
        _ => return None,
    };
    let time = TimeChange(NewTimeText::Later(count * seconds));
    Some(FollowUp::Snooze(Some(time)))
}
