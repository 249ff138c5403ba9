//! Reminders on the day of what was told before: "on the day at 8", "that day at 5 to pick it up".

use std::ops::Range;

use super::{BeforeEvent, EventReading, Offset};
use crate::assistant::builtin::reminder::parts::split_words;
use crate::assistant::builtin::reminder::waking::WAKE_UP;
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::when::{self, DAY_HOUR, TimeExpression, TimeOfDay};
use crate::assistant::text::words::Words;

static THAT_DAY: Phrases = Phrases::new(&[
    "on the day", "on that day", "on the same day", "that day", "that same day", "the same day",
    "same day",
]);

/// `None`: the day is said otherwise, as in "on the day of the exam".
pub(super) fn read(words: &Words, range: Range<usize>) -> Option<BeforeEvent> {
    let day = |at: usize| Some((at, words.after(at, &THAT_DAY)?));
    let (at, next) = range.clone().find_map(day)?;
    // "to take both pills on the same day"
    if (range.start..at).any(|at| words.get(at) == "to") {
        return None;
    }
    let goes_on = matches!(words.get(next), "to" | "at" | "" | "please")
        || next >= range.end
        || when::read(words, next).is_some();
    if !goes_on {
        return None;
    }
    let rest = [
        words.original(range.start..at),
        words.original(next.min(range.end)..range.end),
    ];
    let rest = rest.join(" ");
    let rest = Words::new(&rest);
    let parts = split_words(&rest, 0..rest.len(), false);
    let is_waking = (0..range.start).any(|at| words.get(at) == "wake");
    let hour = match parts.spec {
        Some(spec) if spec.day.is_some() || spec.delay.is_some() => return None,
        Some(spec) => {
            // A bare 4 is in the morning.
            let clock = spec.clock.map(|clock| TimeOfDay {
                bare: clock.bare && !is_waking,
                ..clock
            });
            when::time_of_day(&TimeExpression { clock, ..spec }).ok()?
        }
        None => (DAY_HOUR, 0),
    };
    let text = match is_waking && parts.text.is_empty() {
        true => WAKE_UP.to_owned(),
        false => parts.text,
    };
    let readings = vec![EventReading {
        event: String::new(),
        text,
    }];
    Some(BeforeEvent {
        readings,
        offset: Offset::Days(0, hour),
    })
}
