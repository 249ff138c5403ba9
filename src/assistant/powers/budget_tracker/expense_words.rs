//! What is said with an amount: how it was paid, whether it is a month's, and whether the rest of the
//! words can be what it was for.

use crate::assistant::powers::{money, parsers, planned_time, statement};
use crate::assistant::text::corrections;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Where what an amount was for ends, before how it was paid, and that it is so once more: "lunch
/// with my card", "coffee again".
pub(super) fn without_payment(words: &Words, from: usize, end: usize) -> usize {
    static PAYMENTS: Phrases = Phrases::new(&[
        "again", "too", "also", "as well", "as usual", "with my card", "with card", "by card",
        "on my card", "on card", "with my credit card", "with credit card", "by credit card",
        "on my credit card", "with my debit card", "by debit card", "in cash", "with cash", "cash",
        "by cash", "with paypal", "via paypal", "with apple pay", "with google pay",
    ]);
    let mut to = end;
    while let Some(start) = (from + 1..to).find(|at| words.after(*at, &PAYMENTS) == Some(to)) {
        to = start;
    }
    to
}

/// What a budget is for: "my budget for food", "my food budget", "my budget".
pub(super) fn budget_named(words: &Words, from: usize, end: usize) -> Option<String> {
    let from = words.skip_article(from);
    if let Some(from) = words.after(from, phrases!["budget for", "budget on"]) {
        return Some(parsers::original(words, from, end));
    }
    (end > from && words.get(end - 1) == "budget").then(|| parsers::original(words, from, end - 1))
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
    let is_changed = words
        .iter()
        .any(|word| matches!(word, "less" | "instead") || corrections::is_interjection(word));
    // "spent 12 on it"
    let is_pronoun = matches!(
        purpose.to_lowercase().as_str(),
        "it" | "that" | "this" | "them" | "these" | "those" | "there" | "here" | "something"
    );
    let is_more = is_pronoun || statement::has_errand(&words) || purpose.contains('\n');
    statement::is_thing(purpose) && !is_changed && !is_more
}

/// "until friday", "next month", "in december", "for 3 months", "starting monday": a budget has no
/// such days.
pub(super) fn names_end(words: &Words, at: usize) -> bool {
    let word = words.get(at);
    let begins = phrases![
        "for", "in", "from", "since", "starting", "starting in", "only in"
    ];
    let is_month = |next: usize| parsers::read_month(words.get(next)).is_some();
    let is_count = |next: usize| {
        let unit = words.get(next + 1);
        when::read_duration(words, next).is_some()
            && matches!(unit, "days" | "weeks" | "months" | "years")
    };
    let is_bounded = |next: usize| is_month(next) || word == "for" && is_count(next);
    planned_time::is_open_span(words, at)
        || words.after(at, begins).is_some_and(is_bounded)
        || matches!(
            word,
            "until" | "till" | "til" | "today" | "tomorrow" | "tonight"
        )
        || when::weekday_name(word).is_some_and(|_| word.ends_with("day"))
}

/// "weekly", "a week", "per day".
pub(super) fn is_other_than_month(words: &Words, at: usize) -> bool {
    static SPANS: Phrases = Phrases::new(&[
        "a week", "per week", "each week", "every week", "a day", "per day", "each day",
        "every day", "a year", "per year", "each year", "every year",
    ]);
    matches!(
        words.get(at),
        "weekly" | "daily" | "yearly" | "annual" | "annually" | "quarterly"
    ) || words.after(at, &SPANS).is_some()
}

/// A purpose without an article, in the singular: "taxi" of "the taxis".
pub(super) fn bare(purpose: &str) -> String {
    let lower = purpose.to_lowercase();
    let articles = ["a ", "an ", "the ", "my "];
    let rest = articles.iter().find_map(|one| lower.strip_prefix(one));
    let rest = rest.unwrap_or(&lower);
    rest.strip_suffix('s').unwrap_or(rest).to_owned()
}
