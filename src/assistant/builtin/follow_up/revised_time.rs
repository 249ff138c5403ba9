//! The new time of what was told last: "it's at 10", "it was moved to dec 4".

use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Words before the new time of the thing that was told last.
static TOLD: Phrases = Phrases::new(&["its now", "it is now", "its", "it is"]);
/// Words before the time to which something was moved.
static TOLD_MOVED: Phrases = Phrases::new(&[
    "it was moved to", "it got moved to", "it has been moved to", "its been moved to",
    "its moved to", "it is moved to", "it moved to", "they moved it to", "they have moved it to",
    "theyve moved it to", "it was rescheduled to", "it got rescheduled to",
    "its been rescheduled to", "they rescheduled it to", "it was pushed to", "it got pushed to",
    "its been pushed to", "they pushed it to", "it was postponed to", "it got postponed to",
    "its been postponed to", "they postponed it to", "it was changed to", "it got changed to",
    "its been changed to", "they changed it to", "it was moved forward to",
    "it was pushed back to",
]);

/// A time that is told of what was spoken of.
pub(super) struct RevisedTime {
    /// Where its words begin.
    pub(super) from: usize,
    pub(super) is_moved: bool,
}

/// "it's at 10", "it was moved to dec 4".
pub(super) fn revised_time(words: &Words, at: usize) -> Option<RevisedTime> {
    if let Some(from) = words.after(at, &TOLD_MOVED) {
        let is_moved = true;
        return Some(RevisedTime { from, is_moved });
    }
    let from = words.after(at, &TOLD)?;
    // "it's 10" may be a sum.
    let is_time = matches!(words.get(from), "at" | "on")
        || when::day_at(words, from).is_some_and(|(_, end)| end == words.len());
    is_time.then_some(RevisedTime {
        from,
        is_moved: words.get(from - 1) == "now",
    })
}
