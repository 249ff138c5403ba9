//! Detects words of time left in a reminder's text, which mean that its time was not understood. It
//! must not guess.

use super::parts::WORDS_MAX;
use crate::reply::builtin::when::{Day, time_at};
use crate::reply::builtin::words::Words;

pub(super) fn has_time_left(text: &str) -> bool {
    let words = Words::new(text);
    if words.len() > WORDS_MAX {
        return false;
    }
    if is_slashed(words.get(0)) || matches!(words.get(words.len().saturating_sub(1)), "and" | "or")
    {
        return true;
    }
    // A zone without a parsed time.
    let zone = |at: usize| {
        let shouted = words.original(at..at + 1);
        matches!(
            shouted.trim_end_matches(['.', ',', '!', '?']),
            "PST"
                | "PDT"
                | "EST"
                | "EDT"
                | "CST"
                | "CDT"
                | "MST"
                | "MDT"
                | "GMT"
                | "UTC"
                | "BST"
                | "CET"
                | "CEST"
                | "IST"
                | "JST"
                | "AEST"
        )
    };
    (0..words.len()).any(|at| {
        let is_time = time_at(&words, at).is_some_and(|(spec, _)| {
            // "march 5 miles" isn't a date.
            !(at == 0 && matches!(spec.day, Some(Day::OfYear { .. })))
        });
        is_time || zone(at)
    })
}

/// "9 gym" after a day without a time: the number is probably the hour.
pub(super) fn begins_with_hour(text: &str) -> bool {
    const HOUR_MAX: u32 = 24;
    let (first, rest) = text.split_once(' ').unwrap_or_default();
    let hour = first.parse::<u32>();
    !rest.trim().is_empty() && hour.is_ok_and(|hour| hour <= HOUR_MAX)
}

/// "5/6" where a date is expected.
fn is_slashed(word: &str) -> bool {
    word.split_once('/').is_some_and(|(a, b)| {
        let digits = |part: &str| (1..=2).contains(&part.len()) && part.parse::<u32>().is_ok();
        digits(a) && digits(b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_before_the_text_may_be_an_hour() {
        for (text, expected) in [
            ("9 gym", true),
            ("24 x", true),
            ("25 laps", false),
            ("buy 2 apples", false),
            ("9", false),
            ("gym", false),
            ("", false),
        ] {
            assert_eq!(begins_with_hour(text), expected, "{text}");
        }
    }

    #[test]
    fn words_of_time_that_are_left_over() {
        let cases = [
            ("take meds at 8am and", true),
            ("buy milk tomorrow at 6pm and call dad", true),
            ("5/6 to swim", true),
            ("call Ana PST", true),
            ("call tonight", true),
            ("march 5 miles", false),
            ("watch the 9 o'clock news", false),
            ("the store at 42 Main Street opens", false),
            ("read chapter 7", false),
            ("leave before 5pm", false),
            ("use 1/2 cup", false),
            ("call mom", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(has_time_left(text), expected, "{text}");
        }
    }
}
