//! Two things in one request: each with its time, or with a day that is that of both.

use std::ops::Range;

use super::day_in_text;
use super::finished;
use super::half_understood::{has_time_left, is_condition};
use super::parts::{self, split_request};
use super::several_times::{SEVERAL_WORDS_MAX, after_the_one_before, is_of_24};
use super::task_words::{is_task_word, with_verb};
use crate::assistant::builtin::{Intent, ParsedMessage};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::TimeExpression;
use crate::assistant::text::words::Words;

/// Positions where a second reminder may begin.
const ANDS_MAX: usize = 8;

/// "buy milk tomorrow at 6pm and call dad at 8pm", "take meds at 8am and 8pm": two times. A text or
/// day missing in the second is that of the first.
pub(super) fn two(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    let ands = range.clone().filter(|at| message.words.get(*at) == "and");
    ands.take(ANDS_MAX).find_map(|and| {
        let first = split_request(message, range.start..and, false);
        // "call mom at 5, buy milk and …": whose time is which?
        let is_apart = (range.start..and - 1).any(|at| message.words.is_set_off(at));
        let typed = message.words.original(range.start..and);
        if is_apart && !typed.contains(&first.text) {
            return None;
        }
        let next = message.words.skip(and + 1, phrases!["then"]);
        let second = split_request(message, next..range.end, false);
        let (Some(mut time), Some(mut later)) = (first.spec, second.spec) else {
            return None;
        };
        if later.delay.is_none() && later.day.is_none() {
            later.day = time.day;
        }
        // "the pill at 8 and the cream at 20": the hours are those of 24.
        if let (Some(clock), Some(other)) = (&mut time.clock, later.clock)
            && is_of_24(other)
        {
            clock.bare = false;
        }
        let mut later = after_the_one_before(message, &time, later);
        let is_again = matches!(second.text.as_str(), "" | "again");
        let whole = with_verb(&first.text, &second.text);
        let text = if is_again { &first.text } else { &whole };
        // "at 5 to drink today and tomorrow"
        if is_again && later.delay.is_none() && later.clock.is_none() && later.part.is_none() {
            (later.clock, later.part) = (time.clock, time.part);
        }
        let both = [(time, &first.text), (later, text)].map(|(spec, text)| {
            let is_number = text.chars().all(|c| c.is_ascii_digit());
            let words = Words::new(text);
            let is_limited =
                day_in_text::has_repeat(&words) || is_condition(&words, 0) || words.get(0) == "and";
            let is_clear = !has_time_left(text) && !is_number && !is_limited;
            is_clear.then(|| finished(message, &spec, text))
        });
        let both: Vec<Intent> = both.into_iter().flatten().collect();
        let all = both.len() == 2 && both.iter().all(|one| matches!(one, Intent::Remind { .. }));
        all.then_some(Intent::Several(both))
    })
}

/// "tomorrow to water plants, call joe at 7pm": a day for both, and the hour of the second.
pub(super) fn day_for_both(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    let words = &message.words;
    let (day, next) = parts::leading_time(words, range.start, false)?;
    let has_hour = day.clock.is_some() || day.delay.is_some();
    if day.day.is_none() || has_hour || words.get(next) != "to" || range.len() > SEVERAL_WORDS_MAX {
        return None;
    }
    let is_task = |at: &usize| words.is_set_off(at - 1) && is_task_word(words.get(*at));
    let mut tasks = (next + 2..range.end).filter(is_task);
    let (second, None) = (tasks.next()?, tasks.next()) else {
        return None;
    };
    let first = split_request(message, next + 1..second, false);
    let later = split_request(message, second..range.end, false);
    let hour = later
        .spec
        .filter(|spec| spec.clock.is_some() && spec.delay.is_none());
    let both = [(day, first.text), (day.merged(hour?)?, later.text)];
    let is_clear = |(_, text): &(TimeExpression, String)| !text.is_empty() && !has_time_left(text);
    if first.spec.is_some() || !later.is_trailing || !both.iter().all(is_clear) {
        return None;
    }
    let both = both
        .iter()
        .map(|(spec, text)| finished(message, spec, text));
    let both: Vec<Intent> = both.collect();
    let all = both.iter().all(|one| matches!(one, Intent::Remind { .. }));
    all.then_some(Intent::Several(both))
}
