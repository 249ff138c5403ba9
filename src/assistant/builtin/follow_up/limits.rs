//! From when, or how long, what repeats comes: "starting next week", "until friday".

use std::ops::Range;

use super::{FollowUp, NewTimeText, TimeChange};
use crate::assistant::builtin::reminder::repeats;
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::words::Words;

/// "starting next week", "until friday", "stop it after new year": from when, or how long, what
/// repeats comes.
pub(super) fn from_or_until(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    static START: Phrases = Phrases::new(&[
        "starting from", "starting on", "starting", "beginning on", "beginning", "start on",
        "start it on", "start", "start it", "first on", "first one on", "as of", "only from",
    ]);
    static END: Phrases = Phrases::new(&[
        "until", "till", "only until", "only till", "just until", "stop it after", "stop after",
        "stop it on", "end it on", "end it after", "ends on", "end on", "last one on", "last on",
    ]);
    let start = words.after(range.start, &START);
    let (link, from) = match start {
        Some(from) => ("starting", from),
        None => ("until", words.after(range.start, &END)?),
    };
    // "until tomorrow" is a goodbye.
    let is_goodbye = start.is_none()
        && from == range.start + 1
        && matches!(
            words.get(from),
            "tomorrow" | "tonight" | "later" | "next" | "then"
        );
    if is_goodbye {
        return None;
    }
    let daily = format!("every day {link} {}", words.original(from..range.end));
    let daily = Words::new(&daily);
    let (limits, end) = repeats::read(&daily, 0)?;
    let is_whole = from < range.end && end == daily.len() && !limits.has_time();
    let to = TimeChange(NewTimeText::Limits(Box::new(limits)));
    is_whole.then_some(FollowUp::Time(to))
}
