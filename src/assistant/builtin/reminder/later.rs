//! Two reminders, where the time of the second is counted from that of the first: "at 5 to drink and
//! an hour later to eat", "tomorrow to call ann and ben the day after".

use std::ops::Range;

use super::finished;
use super::half_understood::{NEXT_DAY, NEXT_MORNING, has_time_left};
use super::parts::{split_request, text_of};
use crate::assistant::builtin::{Intent, ParsedMessage, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Delay, PartOfDay, TimeExpression};
use crate::assistant::text::words::Words;

/// A longer message is not read.
const WORDS_MAX: usize = 60;

static LINKS: Phrases = Phrases::new(&[
    "and then again", "and then", "and again", "and", "then again", "then", "&",
]);
static LATER: Phrases = Phrases::new(&[
    "later on", "later", "after that", "afterwards", "after this", "after",
]);
static SAME_TIME: Phrases = Phrases::new(&[
    "tomorrow at the same time", "tomorrow same time", "tomorrow at this time",
    "same time tomorrow", "at the same time tomorrow", "the same time tomorrow",
]);

pub(super) fn read(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    let words = &message.words;
    if range.len() > WORDS_MAX {
        return None;
    }
    let (link, second) = range.clone().skip(1).find_map(|at| {
        let is_linked = words.is_set_off(at - 1) || words.after(at, &LINKS).is_some();
        let from = words.skip(at, &LINKS);
        is_linked
            .then(|| SecondTime::find(words, from..range.end))
            .flatten()
            .map(|second| (at, second))
    })?;
    let first = split_request(message, range.start..link, false);
    let text = match text_of(words, second.text) {
        text if text.is_empty() => first.text.clone(),
        text => text,
    };
    let unclear = Intent::Unclear(wording::reminder_half_understood(&text_of(words, range)));
    let Some(spec) = first.spec else {
        return Some(unclear);
    };
    if first.text.is_empty() || has_time_left(&first.text) || has_time_left(&text) {
        return Some(unclear);
    }
    let one = finished(message, &spec, &first.text);
    let Intent::Remind { send_at, .. } = one else {
        return Some(unclear);
    };
    let (later, from) = match second.time {
        CountedTime::After(later) => (later, send_at),
        CountedTime::Tomorrow => (
            TimeExpression {
                day: Some(when::Day::InDays(1)),
                ..spec
            },
            message.context.now,
        ),
    };
    let send_at = when::resolve(&later, from, message.zone()).ok()?;
    let other = Intent::Remind {
        text,
        send_at,
        zone: spec.zone,
        recurrence: None,
    };
    Some(Intent::Several(vec![one, other]))
}

/// The time of the second reminder, and the words of its text; empty where it is that of the first.
struct SecondTime {
    time: CountedTime,
    text: Range<usize>,
}

enum CountedTime {
    After(TimeExpression),
    /// At the time of day of the first.
    Tomorrow,
}

impl SecondTime {
    /// "an hour later to eat", "ben the day after".
    fn find(words: &Words, range: Range<usize>) -> Option<Self> {
        if let Some((time, end)) = counted_time(words, range.start) {
            let end = words.skip(end, phrases!["again"]);
            let text = words.skip(end, phrases!["to"]).min(range.end)..range.end;
            return Some(Self { time, text });
        }
        (range.start + 1..range.end).find_map(|at| {
            let (time, _) = counted_time(words, at).filter(|(_, end)| *end == range.end)?;
            Some(Self {
                time,
                text: words.skip(range.start, phrases!["to"])..at,
            })
        })
    }
}

/// Whether a time counts from that of another reminder.
pub(in crate::assistant) fn counts_from_another(words: &Words) -> bool {
    (0..words.len().min(WORDS_MAX)).any(|at| counted_time(words, at).is_some())
}

/// The time at `at`, and the index after it.
fn counted_time(words: &Words, at: usize) -> Option<(CountedTime, usize)> {
    if let Some(end) = words.after(at, &SAME_TIME) {
        return Some((CountedTime::Tomorrow, end));
    }
    let is_day_of_another = |end: usize| !matches!(words.get(end), "" | "to" | "again");
    let is_timed = |end: usize| matches!(words.get(end), "at" | "on" | "than");
    if let Some(end) = words.after(at, &NEXT_DAY) {
        let day = TimeExpression {
            delay: Some(Delay {
                days: 1,
                ..Delay::default()
            }),
            ..TimeExpression::default()
        };
        return (!is_day_of_another(end)).then_some((CountedTime::After(day), end));
    }
    if let Some(end) = words.after(at, &NEXT_MORNING) {
        let morning = TimeExpression {
            day: Some(when::Day::InDays(1)),
            part: Some(PartOfDay::Morning),
            ..TimeExpression::default()
        };
        return (!is_day_of_another(end)).then_some((CountedTime::After(morning), end));
    }
    let another = words.after(at, phrases!["in another", "another"]);
    let (later, end) = when::read_duration(words, another.unwrap_or(at))?;
    let is_later = matches!(words.get(end - 1), "later" | "after");
    let after = words.after(end, &LATER).or(is_later.then_some(end));
    let end = match another {
        Some(_) => after.unwrap_or(end),
        None => after?,
    };
    // "2 hours after dinner"
    let is_after_another = words.get(end - 1) == "after" && is_day_of_another(end);
    (!is_timed(end) && !is_after_another).then_some((CountedTime::After(later), end))
}
