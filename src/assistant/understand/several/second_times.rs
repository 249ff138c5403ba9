//! Times of a request that follows another one in the same message, which may depend on the first.

use super::MessagePart;
use crate::assistant::builtin::Intent;
use crate::assistant::builtin::reminder::counts_from_another;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;
use crate::assistant::wording;

/// A reminder after a request that named a day, without a day of its own: "I have an interview
/// tomorrow at 10, remind me at 7 to leave".
pub(super) fn with_unsure_day(intent: Intent, typed: &str) -> Intent {
    match intent {
        Intent::Remind {
            text,
            recurrence: None,
            ..
        } => Intent::AskWhen {
            reply: wording::reminder_day_unsure(&text),
            text,
            month: None,
        },
        Intent::AskWhat {
            recurrence: None, ..
        } => Intent::Unclear(wording::part_not_done(typed)),
        Intent::Power(_) | Intent::Statement(_) if names_hour(typed) => {
            Intent::Unclear(wording::part_not_done(typed))
        }
        intent => intent,
    }
}

/// Whether an hour is named.
pub(super) fn names_hour(text: &str) -> bool {
    let words = Words::new(text);
    (0..words.len()).any(|at| when::read(&words, at).is_some_and(|(spec, _)| spec.clock.is_some()))
}

/// "gym at 12 tomorrow", unlike "gym tomorrow at 12".
pub(super) fn ends_with_day(text: &str) -> bool {
    let words = Words::new(text);
    let is_day = |at: usize| {
        when::read(&words, at).is_some_and(|(spec, end)| {
            spec.day.is_some() && spec.clock.is_none() && end == words.len()
        })
    };
    names_hour(text) && (1..words.len()).any(is_day)
}

/// A reminder so long after the one before it.
pub(super) fn counts_from_first(part: &MessagePart) -> bool {
    matches!(part.intent, Intent::Remind { .. }) && counts_from_another(&Words::new(part.text))
}

/// Whether a day other than today is named.
pub(super) fn names_day(text: &str) -> bool {
    let words = Words::new(text);
    let day = |at: usize| when::read(&words, at)?.0.day;
    let mut days = (0..words.len()).filter_map(day);
    days.any(|day| day != when::Day::Today)
}

/// Whether a time from now on is named: "in 2 hours".
pub(super) fn names_wait(text: &str) -> bool {
    let words = Words::new(text);
    (0..words.len()).any(|at| when::read(&words, at).is_some_and(|(spec, _)| spec.delay.is_some()))
}
