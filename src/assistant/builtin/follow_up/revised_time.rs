//! The new time of what was told last: "it's at 10", "it was moved to dec 4".

use crate::assistant::builtin::subject;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day};
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
    "it was pushed back to", "moved to", "rescheduled to", "postponed to", "pushed to",
    "pushed back to", "they moved me to", "theyve moved me to", "they have moved me to",
    "they rescheduled me to",
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

/// "at 11" of "it's at 11 instead", "at 9" of "they moved me to 9".
pub(super) fn told(words: &Words) -> Option<String> {
    const HOUR_MAX: u32 = 24;
    static LAST: Phrases = Phrases::new(&[
        "instead", "now", "now instead", "same time", "at the same time", "please",
    ]);
    let told = revised_time(words, 0)?;
    let end = (told.from + 1..words.len()).find(|at| words.after(*at, &LAST) == Some(words.len()));
    let value = subject(words.original(told.from..end.unwrap_or(words.len())));
    let is_hour = value.parse::<u32>().is_ok_and(|hour| hour <= HOUR_MAX);
    if told.is_moved && is_hour {
        return Some(format!("at {value}"));
    }
    whole_time(&Words::new(&value)).map(|_| value)
}

/// What a value names that is only a time; the default is a time of day.
#[derive(Default)]
pub(super) struct ValueTime {
    pub(super) day: Option<Day>,
    pub(super) has_clock: bool,
}

pub(super) fn whole_time(new: &Words) -> Option<ValueTime> {
    let at = new.skip(0, phrases!["on", "at"]);
    let day = when::day_at(new, at).filter(|(_, end)| *end == new.len());
    let time = when::read(new, 0).filter(|(_, end)| *end == new.len());
    let whole = time.map(|(spec, _)| ValueTime {
        day: spec.day,
        has_clock: spec.clock.is_some(),
    });
    whole.or_else(|| {
        day.map(|(day, _)| ValueTime {
            day: Some(day),
            has_clock: false,
        })
    })
}
