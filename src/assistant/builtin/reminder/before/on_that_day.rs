//! Reminders on the day of what was told before: "on the day at 8", "that day at 5 to pick it up".

use std::ops::Range;

use super::{BeforeEvent, EventReading, Offset, at_time};
use crate::assistant::builtin::reminder::parts::split_words;
use crate::assistant::builtin::reminder::waking::WAKE_UP;
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::when::{self, DAY_HOUR, TimeExpression, TimeOfDay};
use crate::assistant::text::words::Words;

static THAT_DAY: Phrases = Phrases::new(&[
    "on the day", "on that day", "on the same day", "that day", "that same day", "the same day",
    "same day",
]);
/// The hour of an evening; that of a night is later.
pub(super) const EVENING_HOUR: u32 = 19;
/// A part of that day, and its hour.
const PARTS: [(&str, u32); 4] = [
    ("that morning", DAY_HOUR),
    ("that afternoon", 15),
    ("that evening", EVENING_HOUR),
    ("that night", 20),
];

/// `None`: the day is said otherwise, as in "on the day of the exam".
pub(super) fn read(words: &Words, range: Range<usize>) -> Option<BeforeEvent> {
    let part = |at: usize| {
        let found = |(name, hour): &(&str, u32)| Some((at, words.after(at, &[*name])?, *hour));
        PARTS.iter().find_map(found)
    };
    let day = |at: usize| Some((at, words.after(at, &THAT_DAY)?, DAY_HOUR));
    let (at, next, part) = range.clone().find_map(|at| day(at).or_else(|| part(at)))?;
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
    let is_waking = wakes(words, range.start);
    let hour = match parts.spec {
        Some(spec) if spec.day.is_some() || spec.delay.is_some() => return None,
        Some(spec) => {
            let is_early = is_waking || words.get(next - 1) == "morning";
            let spec = of_part_of_day(of_waking(spec, is_early), (part, 0));
            when::time_of_day(&spec).ok()?
        }
        None => (part, 0),
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

/// "at 7" of "at 7 on the day of the trip", and where the words before it end.
pub(super) fn leading_hour(words: &Words, lead: Range<usize>) -> (Option<TimeExpression>, usize) {
    // Alone, as "at 8 the evening" may be read together.
    let alone = Words::new(words.original(lead.clone()));
    let leading = when::trailing_time(&alone, 0..alone.len());
    let hour = leading.filter(|(spec, _)| spec.day.is_none() && spec.delay.is_none());
    let Some((spec, at)) = hour else {
        return (None, lead.end);
    };
    (
        Some(of_waking(spec, wakes(words, lead.start))),
        lead.start + at,
    )
}

/// "at 8" of "at 8 the evening before" counts with that day, and where the words before it end.
pub(super) fn with_leading_hour(
    words: &Words,
    lead: Range<usize>,
    offset: Offset,
) -> Option<(Offset, usize)> {
    match (offset, leading_hour(words, lead.clone())) {
        (Offset::Days(..), (hour @ Some(_), at)) => Some((at_time(offset, hour)?, at)),
        _ => Some((offset, lead.end)),
    }
}

/// "on bo's birthday": on the day itself.
pub(super) fn of_birthday(words: &Words, range: Range<usize>) -> Option<(usize, usize, Offset)> {
    const NAME_WORDS_MAX: usize = 3;
    let at = range.clone().find(|at| {
        let is_birthday = |n: usize| matches!(words.get(n), "birthday" | "bday" | "b-day");
        let noun = (at + 2..range.end.min(at + 3 + NAME_WORDS_MAX)).find(|n| is_birthday(*n));
        let ends = |n: usize| {
            n + 1 == range.end || matches!(words.get(n + 1), "to" | "at" | "that" | "about" | "in")
        };
        words.get(*at) == "on" && noun.is_some_and(ends)
    })?;
    Some((at, at + 1, Offset::Days(0, (DAY_HOUR, 0))))
}

fn wakes(words: &Words, end: usize) -> bool {
    (0..end).any(|at| words.get(at) == "wake")
}

/// Somebody who is woken at a bare 4 is so in the morning.
fn of_waking(spec: TimeExpression, is_waking: bool) -> TimeExpression {
    let clock = spec.clock.map(|clock| TimeOfDay {
        bare: clock.bare && !is_waking,
        ..clock
    });
    TimeExpression { clock, ..spec }
}

/// "at 8" of the evening before is 20:00. `time`: that of the part of the day that was named.
pub(super) fn of_part_of_day(spec: TimeExpression, (hour, _): (u32, u32)) -> TimeExpression {
    let is_late = |spec: &TimeExpression| spec.clock.is_some_and(|clock| clock.hour >= 5);
    match hour >= EVENING_HOUR && is_late(&spec) {
        true => spec.in_the_evening(),
        false => spec,
    }
}
