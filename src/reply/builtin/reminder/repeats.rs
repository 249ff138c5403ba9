//! Whether a reminder is to come more than once, which is not offered and not to be taken for
//! once. It reads no times.

use std::ops::Range;

use super::parts::WORDS_MAX;
use crate::reply::builtin::words::Words;

/// Words between "every" and what comes again: "every other", "every first".
const BETWEEN_MAX: usize = 2;

pub(super) fn repeats(words: &Words, range: Range<usize>) -> bool {
    range.clone().take(WORDS_MAX).any(|at| {
        let next = words.get(at + 1);
        match words.get(at) {
            "every" | "each" => (at + 1..=at + 1 + BETWEEN_MAX).any(|n| is_time(words.get(n))),
            // "the daily news" are read once.
            "daily" | "weekly" | "monthly" | "hourly" | "yearly" | "nightly" | "annually"
            | "biweekly" | "fortnightly" | "everyday" => {
                at + 1 == range.end
                    || at == range.start
                    || matches!(next, "at" | "to" | "until" | "till" | "from" | "on" | "in")
            }
            "weekdays" | "weeknights" | "workdays" | "mondays" | "tuesdays" | "wednesdays"
            | "thursdays" | "fridays" | "saturdays" | "sundays" | "mornings" | "afternoons"
            | "evenings" => true,
            "weekends" | "nights" => at > 0 && words.get(at - 1) == "on",
            "once" | "twice" | "times" | "time" => {
                matches!(next, "a" | "per" | "every" | "each") && is_time(words.get(at + 2))
            }
            _ => false,
        }
    })
}

fn is_time(word: &str) -> bool {
    matches!(
        word,
        "day"
            | "days"
            | "week"
            | "weeks"
            | "month"
            | "months"
            | "year"
            | "years"
            | "hour"
            | "hours"
            | "hr"
            | "hrs"
            | "minute"
            | "minutes"
            | "min"
            | "mins"
            | "morning"
            | "afternoon"
            | "evening"
            | "night"
            | "noon"
            | "weekday"
            | "workday"
            | "weekend"
            | "monday"
            | "tuesday"
            | "wednesday"
            | "thursday"
            | "friday"
            | "saturday"
            | "sunday"
            | "mon"
            | "tue"
            | "tues"
            | "wed"
            | "thu"
            | "thurs"
            | "fri"
            | "sat"
            | "sun"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_told_from_what_comes_once() {
        let cases = [
            ("every day at 9 to run", true),
            ("on mondays at 9 to run", true),
            ("weekdays at 7 to run", true),
            ("every other week to run", true),
            ("on the 1st of each month to pay", true),
            ("every 3 hours until 8pm to drink", true),
            ("to run every fri", true),
            ("to run daily", true),
            ("at 9 daily to run", true),
            ("twice a day to drink", true),
            ("3 times a week to drink", true),
            ("tomorrow to read the daily news", false),
            ("at 5 to check every door", false),
            ("at 5 to tell each other", false),
            ("tomorrow at 9 to run", false),
        ];
        for (said, expected) in cases {
            let words = Words::new(said);
            assert_eq!(repeats(&words, 0..words.len()), expected, "{said}");
        }
    }
}
