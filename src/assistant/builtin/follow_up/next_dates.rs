//! Parses questions about when a reminder comes next: "when is it next?", "the next three of my
//! swim reminder".

use std::ops::Range;

use super::change::numbers;
use super::{FollowUp, ReminderRef};
use crate::assistant::builtin::subject;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

static NEXT_DATES: Phrases = Phrases::new(&[
    "when is it next", "when is that next", "when does it come next", "when does it come",
    "whens it next", "when will it come", "when is the next one", "whens the next one",
    "next three dates", "next 3 dates", "the next three dates", "next dates", "next times",
    "show me the next three dates", "show me the next dates", "show the next dates",
    "show next dates", "show the next three dates", "show me the next 3 dates",
    "what are the next dates", "what are the next three dates", "what are the next 3 dates",
    "what are its next dates", "whats the next date", "when next", "when are the next dates",
    "when are the next times", "when are the next ones", "when are the next three dates",
    "when are the next three times",
]);
static NEXT_FEW: Phrases = Phrases::new(&[
    "when are the next three", "when are the next 3", "what are the next three",
    "what are the next 3", "next three", "next 3", "show me the next three", "show me the next 3",
    "show the next three", "show the next 3",
]);

/// "when is it next?", "next three dates", "next dates of my swim reminder".
pub(super) fn next_dates(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    // "when is 1 next?"
    if let Some(from) = words.after(range.start, phrases!["when is", "whens", "when does"])
        && let Some((numbers, end)) = numbers(words, from)
        && (end == range.end
            || words.after(end, phrases!["next", "due", "come"]) == Some(range.end))
    {
        return Some(FollowUp::Dates(ReminderRef::Numbered(numbers)));
    }
    // "the next three", unlike "the next three days".
    let count = words.after(range.start, &NEXT_FEW);
    let count = count.filter(|end| *end == range.end || matches!(words.get(*end), "of" | "for"));
    let dates = || words.after(range.start, &NEXT_DATES);
    let from = count.or_else(dates)?;
    let of = words.skip(
        from,
        phrases!["of my", "for my", "of the", "for the", "of", "for"],
    );
    if of > from
        && let Some((numbers, end)) = numbers(words, of)
        && end == range.end
    {
        return Some(FollowUp::Dates(ReminderRef::Numbered(numbers)));
    }
    let about = words.original(of..range.end);
    let about = subject(
        about
            .trim_end_matches("reminder")
            .trim_end_matches("reminders"),
    );
    let which = match about.is_empty() {
        true => ReminderRef::Latest,
        false if of > from => ReminderRef::About(about),
        false => return None,
    };
    Some(FollowUp::Dates(which))
}
