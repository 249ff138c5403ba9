//! Words at the end of a text that say by when, but no time: "soon", "before friday", "by the end of
//! the week". It must not guess the time.

use super::parts::{ReminderParts, text_of};
use crate::assistant::builtin::{Intent, ParsedMessage, subject, wording};
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

/// "from time to time to drink": no rule.
pub(super) fn sometimes(words: &Words, at: usize) -> Option<Intent> {
    static SOMETIMES: Phrases = Phrases::new(&[
        "from time to time", "every now and then", "now and then", "once in a while",
        "every once in a while",
    ]);
    let is_said = words.after(at, &SOMETIMES).is_some();
    is_said.then(|| Intent::unclear(wording::REMINDER_REPEATS_UNCLEAR))
}

/// "tomorrow after lunch": the question at which hour that is. `None`: no such words stand beside the time.
pub(super) fn hour_of_occasion(message: &ParsedMessage, parsed: &ReminderParts) -> Option<Intent> {
    let spec = parsed.spec?;
    if !spec.lacks_hour() || spec.part.is_some() || parsed.is_linked {
        return None;
    }
    let text = Words::new(&parsed.text);
    let len = text.len();
    let (time, rest) = match occasion(&text, 0) {
        Some(end) if end == len || text.get(end) == "to" => (0..end, len.min(end + 1)..len),
        _ => {
            let at = len.checked_sub(parsed.tail.len()).filter(|at| *at < len)?;
            (at..occasion(&text, at).filter(|end| *end == len)?, 0..at)
        }
    };
    let (time, rest) = (text.original(time), text_of(&text, rest));
    if rest.is_empty() {
        return Some(Intent::Unclear(wording::reminder_words_unknown(time)));
    }
    let zone = message.zone();
    let at = when::resolve(&spec, message.context.now, zone).ok()?;
    let day = at.utc().with_timezone(&zone).date_naive();
    Some(Intent::AskRest {
        reply: wording::reminder_time_unknown(time, &rest),
        before: format!("remind me on {day} at "),
        after: format!(" to {rest}"),
    })
}

/// The end of "right after lunch".
fn occasion(words: &Words, at: usize) -> Option<usize> {
    let at = words.skip(at, phrases!["right", "straight", "just", "shortly"]);
    let from = words.after(at, phrases!["after", "before"])?;
    let from = words.skip_article(from);
    let occasions = phrases![
        "breakfast", "brunch", "lunch", "dinner", "supper", "bed", "bedtime", "work", "school",
        "class", "training", "practice"
    ];
    words.after(from, occasions)
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
