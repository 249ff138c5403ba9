//! Detects words of a request that neither its time nor its text accounts for: between "remind me"
//! and "to", and after the time.

use std::ops::Range;

use super::correction;
use super::day_in_text;
use super::parts::{ReminderParts, WORDS_MAX, text_of, without_unknown_time};
use super::spans;
use super::task_words::{ASKS, begins_task, is_task_word};
use super::vague;
use super::zones;
use crate::assistant::builtin::{Intent, ParsedMessage, subject, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, amount};
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;
use crate::assistant::text::zone;
use crate::clock::Zone;

/// Words before "to" beyond this many belong to the text.
const LEAD_WORDS_MAX: usize = 12;

/// Words of "for the next two weeks".
const DAYS_WORDS_MAX: usize = 5;

/// Whether the words after "remind me" are the text itself: "remind me to …", "don't forget to …".
pub(super) fn begins_with_text(words: &Words, at: usize) -> bool {
    let links = phrases!["to", "that", "about", "of", "titled", "called", "not to"];
    at > 0 && words.get(at - 1) == "to" || words.after(at, links).is_some()
}

/// What stands before "to" after the time was taken out: "in town" of "at 5 in town to run". Words
/// that may begin the text are not left over: "the flight to Rome". `is_timed`: beside a time, words
/// with which no text begins are left over, whatever they are.
fn before_text(text: &Words, is_timed: bool) -> Option<Range<usize>> {
    let to = (1..text.len().min(LEAD_WORDS_MAX)).find(|at| text.get(*at) == "to")?;
    let is_left = match text.get(0) {
        "not" | "never" if to == 1 => false,
        "family" | "july" | "fly" | "reply" => false,
        adverb if to == 1 && adverb.ends_with("ly") => true,
        link => {
            LINKS.contains(&link)
                || (0..to).any(|at| is_of_time(text, at))
                || is_timed && !begins_task(text)
        }
    };
    is_left.then_some(0..to)
}

/// How a text doesn't begin.
const LINKS: [&str; 36] = [
    "in", "at", "on", "by", "from", "um", "and", "or", "but", "no", "not", "if", "unless", "once",
    "twice", "thrice", "always", "just", "only", "maybe", "sometime", "sometimes", "often",
    "during", "within", "between", "until", "till", "before", "after", "every", "each", "since",
    "when", "whenever", "while",
];
/// Words of a time.
const TIME_WORDS: [&str; 25] = [
    "uhr", "hundred", "clock", "oclock", "day", "days", "week", "weeks", "month", "months", "year",
    "years", "hour", "hours", "minute", "minutes", "mins", "yearly", "times", "latest", "earliest",
    "tomorrow", "today", "next", "half",
];

fn is_of_time(words: &Words, at: usize) -> bool {
    let word = words.get(at);
    word.starts_with(|c: char| c.is_ascii_digit())
        || amount::is_number(word)
        || when::weekday_name(word).is_some()
        || when::month(word).is_some() && !matches!(word, "may" | "march")
        || word.contains('/')
        || TIME_WORDS.contains(&word)
        || when::is_like_day(word)
}

/// Whether words before a request may say when or on what condition: "if it rains", "each time".
pub(super) fn tells_when(words: &Words, range: Range<usize>) -> bool {
    range.into_iter().any(|at| {
        let word = words.get(at);
        is_of_time(words, at)
            || when::read(words, at).is_some()
            || matches!(
                word,
                "if" | "unless"
                    | "once"
                    | "when"
                    | "whenever"
                    | "while"
                    | "before"
                    | "after"
                    | "every"
                    | "each"
                    | "until"
                    | "till"
                    | "during"
                    | "since"
                    | "as"
                    | "time"
                    | "not"
                    | "dont"
                    | "never"
                    | "case"
                    | "morning"
                    | "evening"
                    | "night"
            )
    })
}

/// A month without a day, and the text: "in january to see the dentist", "see the dentist in
/// january". `is_text`: no time stands before the text.
fn of_month(words: &Words, is_text: bool) -> Option<(u32, String)> {
    let len = words.len();
    let (month, text) = if let Some(to) = before_text(words, false).filter(|_| !is_text) {
        let at = words.skip(0, phrases!["in", "sometime in", "during"]);
        (at..to.end, to.end + 1..len)
    } else {
        let at = len.checked_sub(2).filter(|at| words.get(*at) == "in")?;
        (at + 1..len, 0..at)
    };
    let number = when::month(words.get(month.start)).filter(|_| month.len() == 1)?;
    let text = text_of(words, text);
    (!text.is_empty()).then_some((number, text))
}

/// The question for the time. `is_text`: no time stands before the text.
pub(super) fn without_time(text: String, is_text: bool) -> Intent {
    let words = Words::new(&text);
    // "5 tell bo": the number may be an hour.
    let begins_with_number = words.get(0) != "2" && words.get(0).parse::<u8>().is_ok();
    if !is_text && begins_with_number && words.len() > 2 && is_task_word(words.get(1)) {
        return Intent::Unclear(wording::reminder_half_understood(&text));
    }
    if let Some((month, text)) = of_month(&words, is_text) {
        return Intent::AskWhen {
            reply: wording::reminder_day_of_month(month, &text),
            text,
            month: Some(month),
        };
    }
    let left = before_text(&words, false).filter(|_| !is_text);
    let left = left.map(|left| {
        let rest = text_of(&words, left.end + 1..words.len());
        (subject(words.original(left)), rest)
    });
    let unknown = left.filter(|(_, rest)| !rest.is_empty());
    let zone = || {
        let (_, at) = zones::trailing(&words)?;
        Some((
            subject(words.original(at..words.len())),
            text_of(&words, 0..at),
        ))
    };
    let unknown = unknown
        .or_else(|| without_unknown_time(&text))
        .or_else(|| vague::without_vague_time(&words));
    match unknown.or_else(zone) {
        // The words that were not understood don't belong to the text.
        Some((time, text)) => Intent::AskWhen {
            reply: wording::reminder_time_unknown(&time, &text),
            text,
            month: None,
        },
        None => Intent::AskWhen {
            reply: wording::reminder_without_time(&text),
            text,
            month: None,
        },
    }
}

/// The question about words that are left over beside a time; `None` where there are none.
pub(super) fn of_request(
    message: &ParsedMessage,
    range: Range<usize>,
    parsed: &ReminderParts,
) -> Option<Intent> {
    let text = Words::new(&parsed.text);
    if text.len() > WORDS_MAX {
        return None;
    }
    if is_condition_alone(&text) {
        return Some(Intent::Unclear(wording::reminder_with_condition(
            &parsed.text,
        )));
    }
    // "every werktag"
    let repeats =
        matches!(text.get(0), "every" | "each") && message.words.get(range.start) == text.get(0);
    if repeats {
        let words = subject(text.original(0..text.len().min(2)));
        return Some(Intent::Unclear(wording::reminder_words_unknown(&words)));
    }
    let is_limited = parsed.spec.is_some_and(|spec| spec.day.is_none()) && names_day(&text)
        || after_time(message, &message.words, parsed.tail.clone())
        || correction::is_within(&message.words, range.clone())
        || parsed.is_trailing && before_time(&text)
        || is_taken_back(&text);
    if is_limited {
        return Some(Intent::Unclear(wording::reminder_half_understood(
            &parsed.text,
        )));
    }
    if let Some(span) = of_span(&message.words, range.clone()) {
        let span = subject(message.words.original(span));
        return Some(Intent::Unclear(wording::reminder_words_unknown(&span)));
    }
    if !parsed.is_clause && is_done_within(&text) {
        return Some(Intent::Unclear(wording::reminder_half_understood(
            &parsed.text,
        )));
    }
    let is_text = parsed.is_linked || begins_with_text(&message.words, range.start);
    if !parsed.is_clause && day_in_text::has_condition(&text, parsed.is_trailing) {
        return Some(Intent::Unclear(wording::reminder_with_condition(
            &parsed.text,
        )));
    }
    if let Some(unknown) = unknown_before(&text, is_text) {
        return Some(unknown);
    }
    let has_left = day_in_text::has_left(&text, parsed, is_text)
        || parsed.is_trailing && day_in_text::ends_with_day_of_month(&message.words, &text);
    has_left.then(|| Intent::Unclear(wording::reminder_half_understood(&parsed.text)))
}

/// "the 5th dentist", "pay the 1st": beside an hour the number is hardly part of the text, unlike that
/// of "the 2nd dose".
fn names_day(text: &Words) -> bool {
    const COUNTED: [&str; 24] = [
        "dose", "doses", "pill", "shot", "jab", "round", "set", "half", "draft", "coat", "load",
        "alarm", "reminder", "call", "lesson", "class", "period", "session", "grade", "floor",
        "time", "one", "batch", "attempt",
    ];
    let is_day = |at: usize| {
        let word = text.get(at + 1);
        let day = when::ordinal(word).is_some_and(|day| day <= 31);
        text.get(at) == "the" && day && word.starts_with(|c: char| c.is_ascii_digit())
    };
    let len = text.len();
    let ends = len >= 2 && is_day(len - 2);
    ends || is_day(0) && !COUNTED.contains(&text.get(2))
}

/// "of my trip" after a time: the day may be one of the trip.
fn of_span(words: &Words, range: Range<usize>) -> Option<Range<usize>> {
    let of = range.clone().find(|at| words.get(*at) == "of")?;
    let end = spans::before_task(words, of)?;
    let times = (range.start..of).filter_map(|at| when::read(words, at));
    let ends: Vec<usize> = times.map(|(_, end)| end).collect();
    // "the first monday of next month" is one time.
    let is_after_time = ends.contains(&of) && ends.iter().all(|end| *end <= of);
    is_after_time.then_some(of..end)
}

/// Whether a text says at its end on how many days or in which month something is done: "run for 3
/// days", "water the plants in april". What is arranged may be for later: "book a hotel in april".
fn is_done_within(text: &Words) -> bool {
    /// Sorted.
    static DONE: WordSet<128> = WordSet::new(&[
        "call", "clean", "do", "drink", "eat", "exercise", "fast", "feed", "go", "jog", "meditate",
        "meet", "phone", "practice", "practise", "run", "start", "stop", "stretch", "study",
        "swim", "take", "text", "train", "visit", "walk", "wash", "water", "work",
    ]);
    let len = text.len();
    let is_at_end = |at: usize| match text.get(at) {
        // "take meds until monday"
        "until" | "till" => when::read(text, at + 1).is_some_and(|(_, end)| end == len),
        "all" | "whole" => at + 2 == len && matches!(text.get(at + 1), "week" | "month"),
        "in" if text.after(at, phrases!["in a row"]) == Some(len) => true,
        "in" | "during" => at + 2 == len && when::month(text.get(at + 1)).is_some(),
        "for" => {
            let count = text.after(at + 1, phrases!["the next", "the"]);
            amount::delay(text, count.unwrap_or(at + 1), true)
                .is_some_and(|(delay, end)| end == len && (delay.days > 0 || delay.months > 0))
        }
        _ => false,
    };
    // "call bo about the trip in april"
    let is_of_thing = || {
        text.iter()
            .any(|word| matches!(word, "about" | "if" | "that"))
    };
    let mut last = len.saturating_sub(DAYS_WORDS_MAX).max(1)..len;
    DONE.contains(text.get(0)) && last.any(is_at_end) && !is_of_thing()
}

/// The question about words before the text. `is_text`: the words are the text itself.
pub(super) fn unknown_before(text: &Words, is_text: bool) -> Option<Intent> {
    let left = before_text(text, true).filter(|_| !is_text)?;
    let is_private =
        ["privately", "in private", "secretly"].contains(&text.phrase(left.clone()).as_str());
    Some(Intent::Unclear(match is_private {
        true => wording::REMINDER_OF_THIS_CHAT.to_owned(),
        false => wording::reminder_words_unknown(&subject(text.original(left))),
    }))
}

/// Whether the words after a time, within the text, limit or repeat it: "for 3 days", "but not if it
/// rains", "in London" for somebody who lives elsewhere.
pub(super) fn after_time(message: &ParsedMessage, words: &Words, tail: Range<usize>) -> bool {
    let at = tail.start;
    if tail.is_empty() {
        return false;
    }
    match words.get(at) {
        "for" => {
            let from = words.skip(at + 1, phrases!["the next", "the"]);
            let whole = phrases!["all week", "all day", "all month", "a while"];
            amount::delay(words, from, true)
                .is_some_and(|(delay, _)| delay.days > 0 || delay.months > 0)
                || words.after(at + 1, whole).is_some()
        }
        "all" => matches!(
            words.get(at + 1),
            "week" | "day" | "month" | "year" | "night"
        ),
        "in" => is_elsewhere(message, &words.phrase(at + 1..tail.end)),
        // "ask Bo at 5 if he comes"
        "if" => !(0..at).any(|at| ASKS.contains(&words.get(at))),
        "but" | "unless" | "except" | "twice" | "thrice" | "daily" | "each" | "every" | "until"
        | "till" | "not" | "or" => true,
        _ => {
            words.get(at + 1) == "times"
                || words.after(at, phrases!["on a"]).is_some() && words.get(at + 3) == "basis"
        }
    }
}

/// Whether the end takes the request back or limits it: "actually don't", "but not if it rains".
pub(super) fn is_taken_back(words: &Words) -> bool {
    static ENDS: Phrases = Phrases::new(&[
        "actually dont", "actually no", "actually not", "no dont", "on second thought dont",
        "never mind", "nevermind", "nvm", "forget it", "forget that", "scratch that", "cancel it",
        "cancel that", "and cancel it", "and undo it", "and undo that", "or dont", "just kidding",
        "jk", "not anymore", "maybe not", "or maybe not",
    ]);
    static LIMITS: Phrases = Phrases::new(&[
        "but not if", "but not when", "but not on", "but not at", "but if", "only if", "only when",
        "unless",
    ]);
    if words.len() > WORDS_MAX {
        return false;
    }
    (1..words.len())
        .any(|at| words.after(at, &ENDS) == Some(words.len()) || words.after(at, &LIMITS).is_some())
}

/// "if bo calls", without a "to" that ends the condition.
fn is_condition_alone(words: &Words) -> bool {
    matches!(words.get(0), "if" | "unless" | "whenever")
        || words
            .after(0, phrases!["in case", "as soon as", "as long as"])
            .is_some()
}

/// Whether a place is named where the clock shows another time.
fn is_elsewhere(message: &ParsedMessage, place: &str) -> bool {
    let now = message.context.now.utc();
    let wall = |zone: Zone| now.with_timezone(&zone).naive_local();
    zone::find(place).is_some_and(|zone| wall(zone) != wall(message.zone()))
}

/// Whether the words before a time at the end belong to it: "run twice at 5", "call christmas day at
/// 9", "pray for the next 3 days at 8".
fn before_time(text: &Words) -> bool {
    let end = text.len();
    let ends_with = |at: usize| {
        let count = amount::count(text, at).map(|(_, end)| end);
        let is_counted = count.is_some_and(|end| text.get(end) == "times" && end + 1 == text.len());
        let following = text.after(at, phrases!["the next", "next"]);
        let days = following.and_then(|from| amount::delay(text, from, true));
        is_counted || days.is_some_and(|(_, end)| end == text.len()) || when::is_holiday(text, at)
    };
    matches!(text.get(end.saturating_sub(1)), "twice" | "thrice" | "um")
        || (end.saturating_sub(4)..end).any(ends_with)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::builtin::{MessageContext, parsing::read_message};
    use crate::clock::Timestamp;

    #[test]
    fn words_before_the_text_that_nothing_accounts_for() {
        let cases = [
            ("in town to run", "in town"),
            ("privately to call", "privately"),
            ("twice yearly to run", "twice yearly"),
            ("every full moon to howl", "every full moon"),
            ("hundred to run", "hundred"),
            ("the 13th to stay home", "the 13th"),
            ("and to run", "and"),
            ("the flight to Rome", ""),
            ("family to airport", ""),
            ("weekly report to boss", ""),
            ("not to smoke", ""),
            ("reply to bo", ""),
            ("call mom", ""),
            ("go to bed", ""),
            ("satruday to call", "satruday"),
            ("bo to call", ""),
            ("", ""),
        ];
        for (text, expected) in cases {
            let words = Words::new(text);
            let left = before_text(&words, false);
            assert_eq!(words.phrase(left.unwrap_or(0..0)), expected, "{text}");
        }
    }

    #[test]
    fn words_before_the_text_beside_a_time() {
        let cases = [
            ("the flight to Rome", ""),
            ("go to bed", ""),
            ("call mom to say hi", ""),
            ("family to airport", ""),
            ("not to smoke", ""),
            ("call mom", ""),
            ("satruday to call", "satruday"),
            ("bo to call", "bo"),
            ("nächsten samstag to call", "nächsten samstag"),
            ("first of to pay", "first of"),
        ];
        for (text, expected) in cases {
            let words = Words::new(text);
            let left = before_text(&words, true);
            assert_eq!(words.phrase(left.unwrap_or(0..0)), expected, "{text}");
        }
    }

    #[test]
    fn words_after_a_time_that_limit_it() {
        let cases = [
            ("run", "for 3 days", true),
            ("run", "for 30 minutes", false),
            ("run", "all week", true),
            ("join", "in tokyo", true),
            ("join", "in paris", false),
            ("run", "in the park", false),
            ("run", "on a daily basis", true),
            ("run", "3 times", true),
            ("run", "if it rains", true),
            ("ask bo", "if he comes", false),
            ("ask", "about the trip", false),
            ("run", "", false),
        ];
        for (text, tail, expected) in cases {
            let request = format!("{text} {tail}");
            let context = MessageContext {
                text: &request,
                now: Timestamp::parse("2026-11-23T13:00:00Z").unwrap(),
                timezone: Some("Europe/Berlin".parse().unwrap()),
                persona: "Juno",
                group: false,
                has_photos: false,
            };
            let message = read_message(&context);
            let start = Words::new(text).len();
            let tail = start..message.words.len();
            assert_eq!(
                after_time(&message, &message.words, tail),
                expected,
                "{request}"
            );
        }
    }

    #[test]
    fn words_before_a_time_at_the_end() {
        for (text, expected) in [
            ("run twice", true),
            ("drink 3 times", true),
            ("call mom christmas day", true),
            ("pray for the next 3 days", true),
            ("read chapter 7", false),
            ("book a table for 4", false),
            ("plan the day", false),
            ("", false),
        ] {
            assert_eq!(before_time(&Words::new(text)), expected, "{text}");
        }
    }

    #[test]
    fn days_and_months_in_which_something_is_done() {
        for (text, expected) in [
            ("run for 3 days", true),
            ("take pills for the next two weeks", true),
            ("water the plants in april", true),
            ("take pills until monday", true),
            ("take pills the whole week", true),
            ("take pills 3 days in a row", true),
            ("run for 30 minutes", false),
            ("walk in april showers", false),
            ("call april", false),
            ("call bo about the trip in april", false),
            ("book a hotel in april", false),
            ("pack for 3 days", false),
            ("", false),
        ] {
            assert_eq!(is_done_within(&Words::new(text)), expected, "{text}");
        }
    }

    #[test]
    fn requests_that_are_taken_back() {
        for (text, expected) in [
            ("run actually don't", true),
            ("run but not if it rains", true),
            ("run and cancel it", true),
            ("cancel that", false),
            ("ask bo if he comes or not", false),
            ("buy apples but not red ones", false),
        ] {
            assert_eq!(is_taken_back(&Words::new(text)), expected, "{text}");
        }
    }
}
