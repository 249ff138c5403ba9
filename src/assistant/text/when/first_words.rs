//! The pre-filter of times: words with which a time may begin. At any other word no time needs to
//! be parsed.

use crate::assistant::text::word_set::{HashedWord, WordSet};
use crate::assistant::text::words::Words;

/// Words before those of a time: "in about the".
const LINKS_MAX: usize = 3;

/// Whether a time may begin at this word.
pub(super) fn may_begin_time(words: &Words, at: usize) -> bool {
    match (at..at + LINKS_MAX).find(|n| !LINKS.contains(words.hashed(*n))) {
        None => true,
        Some(first) => {
            let word = words.hashed(first);
            match is_long_number(word.word) {
                true => is_counted(words.hashed(first + 1)),
                false => is_first(word) || first > at && SECOND_WORDS.contains(word),
            }
        }
    }
}

static LINKS: WordSet = WordSet::new(&[
    "a", "about", "after", "an", "approx", "approximately", "around", "at", "by", "exactly", "for",
    "in", "like", "on", "precisely", "roughly", "the", "this", "within",
]);

/// A number that is no time by itself, such as of a phone: "15550000".
fn is_long_number(word: &str) -> bool {
    const TIME_DIGITS_MAX: usize = 4;
    word.len() > TIME_DIGITS_MAX && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a number before this word may count seconds and the like.
fn is_counted(next: HashedWord) -> bool {
    let is_unit = SECOND_WORDS.contains(next) || FIRST_WORDS.contains(next);
    is_unit || matches!(next.word, "and" | "more" | "1/2")
}

fn is_first(hashed: HashedWord) -> bool {
    let word = hashed.word;
    // "9am", "+5", "24.12."; "twenty-five" and its like are the only names in two parts.
    word.starts_with(|c: char| c.is_ascii_digit() || c == '+')
        || FIRST_WORDS.contains(hashed)
        || word.len() >= "sixty-one".len() && word.contains('-')
}

/// Every word that the readers of days, times of day and durations look for first. Sorted.
static FIRST_WORDS: WordSet = WordSet::new(&[
    "another", "apr", "april", "aug", "august", "boxing", "christmas", "coming", "couple", "day",
    "dec", "december", "earlier", "easter", "eight", "eighteen", "eighteenth", "eighth", "eighty",
    "eleven", "eleventh", "end", "feb", "february", "fifteen", "fifteenth", "fifth", "fifty",
    "first", "five", "forty", "four", "fourteen", "fourteenth", "fourth", "fri", "friday", "good",
    "half", "halloween", "jan", "january", "jul", "july", "jun", "june", "last", "later",
    "lunchtime", "mar", "march", "may", "mid", "midafternoon", "midday", "midmorning", "midnight",
    "mon", "monday", "new", "next", "nine", "nineteen", "nineteenth", "ninety", "ninth", "noon",
    "nov", "november", "oct", "october", "one", "past", "previous", "quarter", "same", "sat",
    "saturday", "second", "sep", "sept", "september", "seven", "seventeen", "seventeenth",
    "seventh", "seventy", "six", "sixteen", "sixteenth", "sixth", "sixty", "sun", "sunday", "ten",
    "tenth", "third", "thirteen", "thirteenth", "thirtieth", "thirty", "three", "thu", "thur",
    "thurs", "thursday", "today", "tom", "tomorrow", "tonight", "tue", "tues", "tuesday",
    "twelfth", "twelve", "twentieth", "twenty", "two", "upcoming", "valentines", "wed",
    "wednesday", "weds", "xmas", "yesterday",
]);

/// Other words that may follow links. Sorted.
static SECOND_WORDS: WordSet = WordSet::new(&[
    "afternoon", "d", "days", "evening", "few", "fortnight", "fortnights", "h", "hour", "hours",
    "hr", "hrs", "m", "min", "mins", "minute", "minutes", "month", "months", "morning", "night",
    "s", "sec", "seconds", "secs", "time", "w", "week", "weekend", "weeks", "wk", "wks", "y",
    "year", "years", "yr", "yrs",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_number_begins_a_time_only_where_it_counts() {
        for (text, expected) in [
            ("15550000 about the table", false),
            ("in 15550000", false),
            ("in 10000 minutes", true),
            ("86400 seconds", true),
            ("10000 and a half hours", true),
            ("0930", true),
            ("9 to call", true),
            ("terrace", false),
        ] {
            assert_eq!(may_begin_time(&Words::new(text), 0), expected, "{text}");
        }
    }
}
