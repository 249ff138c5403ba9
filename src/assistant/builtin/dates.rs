//! Questions about a day of the calendar: "what's the date tomorrow?", "how many days until
//! christmas?".

use super::{Intent, ParsedMessage, agenda, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// A longer message is no such question.
const WORDS_MAX: usize = 12;

static ASKING: Phrases = Phrases::new(&[
    "whats the date", "what is the date", "what date is it", "what date is", "what day is it",
    "what day is", "what weekday is", "when is", "whens",
]);

/// "how many days are left until": where the day begins.
fn asked_until(words: &Words, at: usize) -> Option<usize> {
    let from = words.after(
        at,
        phrases![
            "how many more days", "how many days", "how many sleeps", "how long", "days", "sleeps",
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
    let end = match words.get(words.len().saturating_sub(1)) {
        "please" | "pls" => words.len() - 1,
        _ => words.len(),
    };
    if from >= end || matches!(words.get(from), "today" | "now") {
        return None;
    }
    let (now, zone) = (message.context.now, message.zone());
    // A holiday's name is a day only after a word like "on".
    let named = format!("on {}", words.phrase(from..end));
    let named = Words::new(&named);
    let day = agenda::day(&named, 1..named.len(), now, zone)?;
    Some(Intent::Say(wording::date_of(
        day.start,
        now,
        message.timezone(),
    )))
}
