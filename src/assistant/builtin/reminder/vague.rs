//! Words at the end of a text that say by when, but no time: "soon", "before friday", "by the end of
//! the week". It must not guess the time.

use super::parts::text_of;
use crate::assistant::builtin::subject;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Words of such a time.
const WORDS_MAX: usize = 7;

static VAGUE: Phrases = Phrases::new(&[
    "as soon as possible", "as soon as you can", "as soon as i can", "asap", "soon",
    "sometime soon", "some time soon", "pretty soon", "very soon", "soonish", "eventually",
    "sometime", "some time", "someday", "some day", "one day", "some other time", "at some point",
    "before long", "in a bit", "in a while", "eod", "by eod", "by cob",
]);

/// The words of that time and the text before them. `None`: there is no such time.
pub(super) fn without_vague_time(words: &Words) -> Option<(String, String)> {
    let len = words.len();
    let first = len.saturating_sub(WORDS_MAX).max(1);
    let at =
        (first..len).find(|at| words.after(*at, &VAGUE) == Some(len) || is_limit(words, *at))?;
    let text = text_of(words, 0..at);
    (!text.is_empty()).then(|| (subject(words.original(at..len)), text))
}

/// "before friday", "by the 5th", "by the end of the week"
fn is_limit(words: &Words, at: usize) -> bool {
    if !matches!(words.get(at), "by" | "before" | "until" | "till") {
        return false;
    }
    let len = words.len();
    let is_time = when::read(words, at + 1).is_some_and(|(_, end)| end == len);
    let from = words.skip(at + 1, phrases!["the"]);
    let is_ordinal = from + 1 == len && when::ordinal(words.get(from)).is_some();
    let span = words.after(
        from,
        phrases![
            "end of the", "end of this", "end of next", "end of", "next", "this"
        ],
    );
    let is_span = span.is_some_and(|span| {
        let unit = words.get(span);
        span + 1 == len && matches!(unit, "day" | "week" | "month" | "year" | "weekend")
    });
    is_time || is_ordinal || is_span
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_tell_no_time() {
        for (text, time) in [
            ("send the form soon", "soon"),
            ("send the form as soon as possible", "as soon as possible"),
            (
                "send the form by the end of the week", "by the end of the week",
            ),
            ("send the form before friday", "before friday"),
            ("send the form by the 5th", "by the 5th"),
            ("send the form by eod", "by eod"),
            ("send the form", ""),
            ("stand by the door", ""),
            ("soon", ""),
            ("", ""),
        ] {
            let found = without_vague_time(&Words::new(text));
            assert_eq!(
                found.map_or(String::new(), |(time, _)| time),
                time,
                "{text}"
            );
        }
    }
}
