//! Corrections of what was just said ("no, saturday"), and more time ("10 more minutes").

use std::ops::Range;

use super::read::{change, time_alone};
use super::{FollowUp, NewTimeText, ReminderRef, TimeChange};
use crate::assistant::builtin::words::Words;

/// "no, saturday", "actually make it 11", "sorry, at 5": a correction of the last one.
pub(super) fn corrected(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let from = words.after(
        range.start,
        &[
            "no i meant",
            "sorry i meant",
            "i meant",
            "actually",
            "no sorry",
            "no wait",
            "no",
            "sorry",
        ],
    )?;
    if let Some(found) = words.after(from, &["make", "change", "move"]) {
        return change(words, found - 1..range.end);
    }
    let from = words.after(from, &["i meant"]).unwrap_or(from);
    let to = time_alone(words, from..range.end)?;
    let which = ReminderRef::Latest;
    Some(FollowUp::Change { which, to })
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
