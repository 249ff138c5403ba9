//! "before my flight to pack", where it is not said how long before: these words are no text.

use std::ops::Range;

use super::is_event;
use crate::assistant::builtin::reminder::parts::ReminderParts;
use crate::assistant::builtin::{Intent, subject, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// The question how long before. `None`: the text does not begin so.
pub(in crate::assistant::builtin::reminder) fn without_length(
    words: &Words,
    range: &Range<usize>,
    parsed: &ReminderParts,
) -> Option<Intent> {
    let event = event_of(&parsed.text)?;
    // "tomorrow that before my trip i must pack"
    let mut lead = range
        .clone()
        .map(|at| words.get(at))
        .take_while(|word| !matches!(*word, "before" | "ahead" | "time"));
    let is_text = lead.any(|word| matches!(word, "that" | "of" | "about" | "to"));
    (!is_text).then(|| Intent::Unclear(wording::how_long_before(&event)))
}

fn event_of(text: &str) -> Option<String> {
    static BEFORE: Phrases = Phrases::new(&[
        "before", "right before", "just before", "shortly before", "some time before",
        "sometime before", "in time for", "in good time for", "ahead of", "in good time before",
    ]);
    let words = Words::new(text);
    let at = words.skip(0, phrases!["on the", "the", "on"]);
    let is_day = when::weekday_name(words.get(at)).is_some() || words.get(at) == "weekend";
    let from = words.after(at + usize::from(is_day), &BEFORE)?;
    let is_own = matches!(words.get(from), "my" | "our") || is_day && words.get(from) == "the";
    let to = (from + 1..words.len()).find(|n| words.get(*n) == "to");
    let to = to.unwrap_or(words.len());
    let is_named = is_own && is_event(&words, from, to);
    is_named.then(|| subject(words.original(from..to)))
}
