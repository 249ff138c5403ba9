//! Statements that a habit is still to be done: "have to run", "yoga at 6".

use super::completion_day;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::parsers;
use crate::assistant::text::when;

/// Words of what is to be named.
const PLANNED_WORDS_MAX: usize = 6;
/// Words before what is still to be done.
const TO_COME: [&str; 30] = [
    "will", "ill", "go", "going", "am", "im", "gonna", "to", "need", "want", "wanna", "should",
    "must", "can", "could", "might", "may", "would", "id", "plan", "planning", "about", "supposed",
    "hope", "hoping", "lets", "try", "trying", "gotta", "doing",
];

/// The planned habit: "have to run", "yoga at 6", "have yoga today". `is_had`: said with "have".
/// `None`: it may be done already.
pub(super) fn planned(
    message: &ParsedMessage,
    at: usize,
    end: usize,
    is_had: bool,
) -> Option<String> {
    let words = &message.words;
    let is_coming = |word: &str| TO_COME.contains(&word);
    let from = (at..end).find(|n| !is_coming(words.get(*n)))?;
    let is_future = |n: &usize| {
        let Some((spec, _)) = when::read(words, *n) else {
            return matches!(words.get(*n), "later" | "soon");
        };
        let is_other_day = spec.day.is_some_and(|day| {
            !matches!(day, when::Day::Today) && when::weekday_name(words.get(*n)).is_none()
        });
        // "run for 20 minutes"
        let is_length = [*n, *n - 1].iter().any(|at| words.get(*at) == "for");
        let has_time = spec.clock.is_some() || spec.part.is_some() || spec.delay.is_some();
        (has_time && !is_length || is_other_day)
            && when::resolve(&spec, message.context.now, message.zone()).is_ok()
    };
    let time = (from + 1..end).find(is_future);
    let is_planned = from > at || is_had || time.is_some();
    let to = time.unwrap_or_else(|| completion_day::read(words, from, end).0);
    let is_short = (1..=PLANNED_WORDS_MAX).contains(&to.saturating_sub(from));
    (is_planned && is_short).then(|| parsers::original(words, from, to))
}
