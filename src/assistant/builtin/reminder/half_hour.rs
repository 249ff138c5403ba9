//! Hours that are a number alone: "9 in the morning", and "half 9", which is 08:30 to some and 09:30 to
//! others.

use std::ops::Range;

use super::{ReminderText, repeats};
use crate::assistant::builtin::{Intent, wording};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::{self, TimeExpression, amount};
use crate::assistant::text::words::Words;

/// "half 9" as the time of the reminder: the question which of two it is.
pub(super) fn asked(words: &Words, range: Range<usize>, request: &ReminderText) -> Option<Intent> {
    let reads_to = |at: usize| {
        let time = when::read(words, range.start).is_some_and(|(_, end)| end == at);
        let repeat = || repeats::read(words, range.start).is_some_and(|(_, end)| end == at);
        time || repeat() || matches!(words.get(at - 1), "at" | "by" | "around")
    };
    let (at, (hour, end)) = range.clone().find_map(|at| {
        let is_time = at == range.start || when::half_hour(words, at).is_some() || reads_to(at);
        let number = || amount::count(words, words.after(at, phrases!["half"])?);
        Some((
            at,
            number().filter(|(hour, _)| is_time && (1..=12).contains(hour))?,
        ))
    })?;
    let (before, after) = (
        words.original(range.start..at),
        words.original(end..range.end),
    );
    let after = match after {
        "" if !request.nothing.is_empty() => format!("to {}", request.nothing),
        after => after.to_owned(),
    };
    let is_led = request.lead.is_some();
    (!is_led).then(|| Intent::AskRest {
        reply: wording::half_hour_unsure(hour),
        before: format!("remind me {before} "),
        after: format!(" {after}"),
    })
}

/// "9 in the morning", "6 tonight": a number and the part of the day, and nothing else.
pub(super) fn of_day(words: &Words, range: Range<usize>) -> Option<TimeExpression> {
    if when::read(words, range.start).is_some() {
        return None;
    }
    let (hour, end) = when::read_hour_alone(words, range.start)?;
    let (more, end) = when::read(words, end).filter(|(_, end)| *end == range.end)?;
    hour.merged(more).filter(|_| end > range.start)
}
