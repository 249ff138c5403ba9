//! What is said with an amount: when it was spent, whether it is a month's, and whether the rest of
//! the words can be what it was for.

use crate::assistant::builtin::when;
use crate::assistant::builtin::words::Words;
use crate::assistant::powers::{money, planned_time, statement};

/// Where the words end before the day or the time of day at the end, and how many days ago it was.
pub(super) fn day_at_end(words: &Words<'_>, from: usize, end: usize) -> (usize, i32) {
    let (mut to, mut days_ago) = (end, 0);
    while to > from + 1 {
        let said = |phrase: &&str| {
            let start = to.checked_sub(phrase.split(' ').count())?;
            (start > from && words.after(start, &[phrase]) == Some(to)).then_some(start)
        };
        let today = [
            "today", "right now", "just now", "now", "earlier", "this morning", "this afternoon",
            "this evening", "tonight",
        ];
        let of_day = || {
            let mut starts = from + 1..to;
            starts.find(|start| {
                let is_linked = matches!(words.get(*start), "at" | "around" | "in");
                let time = when::read(words, *start).filter(|(_, end)| *end == to);
                let is_hour =
                    |spec: when::TimeExpression| spec.day.is_none() && spec.delay.is_none();
                is_linked && time.is_some_and(|(spec, _)| is_hour(spec))
            })
        };
        if let Some(start) = said(&"yesterday") {
            (to, days_ago) = (start, 1);
        } else if let Some(start) = today.iter().find_map(said).or_else(of_day) {
            to = start;
        } else {
            break;
        }
    }
    (to, days_ago)
}

/// Whether what an amount was for holds another amount, or how often it was: "food 30 gas",
/// "coffee twice". "dinner for 2" and "2 movies" are none.
pub(super) fn has_number(purpose: &str) -> bool {
    let words = Words::new(purpose);
    let is_amount = |at: usize| {
        let is_count = at == 0 || matches!(words.get(at - 1), "for" | "no" | "number" | "of");
        money::read(&words, at).is_some() && !is_count
    };
    (0..words.len()).any(|at| {
        is_amount(at)
            || matches!(
                words.get(at),
                "twice" | "thrice" | "times" | "x2" | "x3" | "each"
            )
    })
}

/// Whether that is what an amount was spent on: no clause, no other request.
pub(super) fn is_purpose(purpose: &str) -> bool {
    let words = Words::new(purpose);
    let is_changed = words.iter().any(|word| {
        matches!(
            word,
            "less" | "instead" | "no" | "wait" | "sorry" | "oops" | "actually"
        )
    });
    statement::is_thing(purpose) && !is_changed
}

/// "until friday", "next month", "today": a budget has no such days.
pub(super) fn names_end(words: &Words<'_>, at: usize) -> bool {
    let word = words.get(at);
    planned_time::is_open_span(words, at)
        || matches!(
            word,
            "until" | "till" | "til" | "today" | "tomorrow" | "tonight"
        )
        || when::weekday_name(word).is_some_and(|_| word.ends_with("day"))
}

/// "weekly", "a week", "per day".
pub(super) fn is_other_than_month(words: &Words<'_>, at: usize) -> bool {
    let spans = [
        "a week", "per week", "each week", "every week", "a day", "per day", "each day",
        "every day", "a year", "per year", "each year", "every year",
    ];
    matches!(
        words.get(at),
        "weekly" | "daily" | "yearly" | "annual" | "annually" | "quarterly"
    ) || words.after(at, &spans).is_some()
}
