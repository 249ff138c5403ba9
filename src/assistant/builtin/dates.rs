//! Questions about a day of the calendar: "what's the date tomorrow?", "how many days until
//! christmas?".

use super::{Intent, ParsedMessage, agenda, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// A longer message is no such question.
const WORDS_MAX: usize = 12;

static ASKING: Phrases = Phrases::new(&[
    "whats the date", "what is the date", "what date is it", "what date is", "what day is it",
    "what day is", "what weekday is", "when is", "whens", "which day is", "which weekday is",
    "which date is", "which day of the week is", "what day of the week is", "whats the weekday of",
    "what is the weekday of", "what day will", "which day will", "what day does", "which day does",
    "what day of the week does", "which day of the week does", "on what day is", "on which day is",
    "on what day does", "on which day does", "on which weekday is", "on what day of the week is",
]);

/// After the day: "what day does christmas fall on this year?"
static ASKED_OF: Phrases = Phrases::new(&[
    "fall on this year", "fall on", "fall this year", "fall", "be on", "be this year", "be",
    "this year", "please", "pls",
]);

/// "how many days are left until": where the day begins.
fn asked_until(words: &Words, at: usize) -> Option<usize> {
    let from = words.after(
        at,
        phrases![
            "how many more days", "how many days", "how many sleeps", "how long", "days", "sleeps",
            "how many more weeks", "how many weeks",
        ],
    )?;
    let links = phrases![
        "is it", "are there", "there are", "it is", "are left", "left", "do i have", "have i got",
    ];
    let from = words.skip(from, links);
    let from = words.skip(from, phrases!["left"]);
    words.after(from, phrases!["until", "till", "til", "to"])
}

pub(super) fn command(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    if words.len() > WORDS_MAX || !message.is_addressed {
        return None;
    }
    let until = || asked_until(words, message.start);
    let from = words.after(message.start, &ASKING).or_else(until)?;
    let from = words.skip(from, phrases!["on", "of", "for"]);
    let is_end = |at: &usize| words.after(*at, &ASKED_OF) == Some(words.len());
    let end = (from..words.len()).find(is_end).unwrap_or(words.len());
    if from >= end || matches!(words.get(from), "today" | "now") {
        return None;
    }
    let (now, zone) = (message.context.now, message.zone());
    // A holiday's name is a day only after a word like "on".
    let named = format!("on {}", words.phrase(from..end));
    let named = Words::new(&named);
    let day = agenda::day(&named, 1..named.len(), now, zone)?;
    let in_weeks = (message.start..from).any(|at| words.get(at) == "weeks");
    let answer = match in_weeks {
        true => wording::weeks_until,
        false => wording::date_of,
    };
    Some(Intent::Say(answer(day.start, message.local_now())))
}
