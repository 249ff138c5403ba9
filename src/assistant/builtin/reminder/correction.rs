//! A time that is corrected in the same sentence: "at 5, I mean 6, to call".

use std::ops::Range;

use super::parts;
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::when::{self, TimeExpression};
use crate::assistant::text::words::Words;

/// A longer message corrects no time.
const WORDS_MAX: usize = 60;

/// The time that is meant, and the request without both times.
pub(super) struct CorrectedTime {
    pub(super) spec: TimeExpression,
    pub(super) rest: String,
}

pub(super) fn read(words: &Words, range: Range<usize>) -> Option<CorrectedTime> {
    if range.len() > WORDS_MAX {
        return None;
    }
    range.clone().find_map(|mark| {
        let from = after_marks(words, mark)?;
        let (mut new, mut end) = read_time(words, from)?;
        // "no 7, no 8"
        while let Some(next) = after_marks(words, end).filter(|_| end < range.end)
            && let Some((more, after)) = read_time(words, next)
        {
            (new, end) = (in_place_of(new, more), after);
        }
        if end == range.end && (words.is_set_off(mark - 1) || is_plain(words, mark)) {
            return corrected_at_end(words, range.start..mark, new);
        }
        let (old, start) = when::trailing_time(words, range.start..mark)?;
        let rest = format!(
            "{} {}",
            words.original(range.start..start),
            words.original(end..range.end)
        );
        (end <= range.end).then(|| CorrectedTime {
            spec: in_place_of(old, new),
            rest,
        })
    })
}

/// "two hours" is no time of day.
fn read_time(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let time = when::read(words, at).or_else(|| when::read_hour_alone(words, at));
    let delay = when::read_duration(words, at);
    match (time, delay) {
        (Some((_, end)), Some((delay, after))) if after > end => Some((delay, after)),
        (time, delay) => time.or(delay),
    }
}

/// "at 5 to run, I mean 6"; the words in `range` are those before the correction.
fn corrected_at_end(
    words: &Words,
    range: Range<usize>,
    new: TimeExpression,
) -> Option<CorrectedTime> {
    let parsed = parts::split_words(words, range, false);
    let spec = in_place_of(parsed.spec?, new);
    Some(CorrectedTime {
        spec,
        rest: parsed.text,
    })
}

/// The first word after "no wait, I mean".
fn after_marks(words: &Words, at: usize) -> Option<usize> {
    let (mut end, _) = corrections::after_mark(words, at)?;
    while let Some((next, _)) = corrections::after_mark(words, end) {
        end = next;
    }
    Some(corrections::skip_links(words, end))
}

/// Whether these words correct also without a comma before them.
fn is_plain(words: &Words, mark: usize) -> bool {
    // "no make it 6", unlike "make it 6"
    corrections::after_mark(words, mark).is_some_and(|(end, strength)| {
        strength == MarkStrength::Sure || words.get(end) == "make" && words.get(mark) != "make"
    })
}

/// Combines two times: a day or a time of day that the new time lacks is the old one's.
fn in_place_of(old: TimeExpression, new: TimeExpression) -> TimeExpression {
    if new.delay.is_some() {
        return new;
    }
    let has_time = new.clock.is_some() || new.part.is_some();
    TimeExpression {
        delay: None,
        day: new.day.or(old.day),
        part: new.part.or(old.part),
        clock: if has_time { new.clock } else { old.clock },
        zone: new.zone.or(old.zone),
        is_summer_time: match has_time {
            true => new.is_summer_time,
            false => old.is_summer_time,
        },
        is_half: if has_time { new.is_half } else { old.is_half },
    }
}

/// Whether a correction is left that was not understood: "I mean later to call".
pub(super) fn is_left(words: &Words) -> bool {
    let last = words.len().saturating_sub(2);
    [0, last].into_iter().any(|at| is_clear(words, at))
}

/// Whether a comma and a correction stand within these words: "call bo tomorrow, I mean kim".
pub(super) fn is_within(words: &Words, range: Range<usize>) -> bool {
    (range.start + 1..range.end).any(|at| words.is_set_off(at - 1) && is_clear(words, at))
}

/// Whether what begins there corrects also what is no time.
fn is_clear(words: &Words, at: usize) -> bool {
    corrections::after_mark(words, at)
        .is_some_and(|(_, strength)| strength >= MarkStrength::BeforeAny)
}

/// The text of the request and its time; `None` when another time is left in it.
pub(super) fn merged(found: &CorrectedTime) -> (String, Option<TimeExpression>) {
    let words = Words::new(&found.rest);
    let parsed = parts::split_words(&words, 0..words.len(), false);
    let spec = match parsed.spec {
        Some(more) => found.spec.merged(more),
        None => Some(found.spec),
    };
    (parsed.text, spec)
}
