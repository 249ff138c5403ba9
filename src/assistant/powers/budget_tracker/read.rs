//! Parses messages about spending: "spent 12.50 on lunch", "budget 400 for food".

use super::expense_words::{budget_named, is_other_than_month, names_end};
use super::past_day::names_day;
use super::read_spending::{self, AMOUNTS_MAX};
use super::{BudgetAction, Span, corrected, purchases, questions};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::money::{self, Money};
use crate::assistant::powers::{parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

static SHOW: Phrases = Phrases::new(&[
    "my budget", "budget", "show my budget", "budgets", "my budgets", "show my budgets",
    "show budget", "how is my budget", "hows my budget", "budget tracker", "my expenses",
    "expenses", "my spending", "show my spending", "show my expenses", "how much budget is left",
    "how much of my budget is left", "spending by category", "expenses by category",
    "my spending by category", "my expenses by category", "show my spending by category",
    "show my expenses by category", "show spending by category", "spending breakdown",
    "expense breakdown", "show my spending breakdown", "break down my spending",
    "break down my expenses", "spending per category", "expenses per category",
    "breakdown of my spending", "breakdown of my expenses", "list my expenses", "list expenses",
    "what are my expenses", "list my spending",
]);

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, BudgetAction)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    match message.request() {
        request if SHOW.contains(request) => {
            return Some((Clear, BudgetAction::Show));
        }
        "whats my budget" | "what is my budget" | "what did i spend" => {
            return Some((Soft, BudgetAction::ShowIfAny));
        }
        _ => {}
    }
    let (at, end) = (message.start, parsers::end(words));
    if let Some(spent) = read_spending::parse(message, at, end) {
        return spent;
    }
    if let Some(from) = words.after(
        at,
        phrases![
            "how much have i spent", "how much did i spend", "how much have we spent",
            "how much i spent", "what have i spent",
        ],
    ) {
        return how_much(message, from, end).map(|action| (Clear, action));
    }
    if let Some(found) = asked(message, at, end) {
        return Some(found);
    }
    if let Some(action) = asked_again(message, at, end) {
        return Some((RequestStrength::InSession, action));
    }
    if let Some(found) = purchases::removed(message, at) {
        return Some(found);
    }
    if let Some(found) = questions::parse(message, at, end) {
        return Some(found);
    }
    if let "remove" | "delete" | "cancel" | "drop" | "clear" = words.get(at)
        && let Some(purpose) = budget_named(words, at + 1, end)
    {
        return Some((Clear, BudgetAction::RemoveBudget(purpose)));
    }
    // "budget 60 for wine instead"
    let last = phrases!["instead", "from now on", "now"];
    let until = (at + 1..end).find(|n| words.after(*n, last) == Some(end));
    budgets(message, until.unwrap_or(end))
        .map(|action| (Clear, action))
        .or_else(|| corrected(message, at, end))
        .or_else(|| purchases::parse(message, at, end))
}

/// "that parking was 15 actually". A question corrects nothing.
fn corrected(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    let is_told = !message.words.is_question();
    is_told.then(|| corrected::parse(message, at, end))?
}

/// "what did i spend on food", "how much on food?", "how much this week?".
fn asked(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    let words = &message.words;
    // "what's my food budget"
    static MINE: Phrases = Phrases::new(&[
        "whats my", "what is my", "how much is my", "hows my", "how is my", "whats the",
    ]);
    if let Some(from) = words.after(at, &MINE)
        && let Some(purpose) = budget_named(words, from, end)
    {
        return Some((RequestStrength::Soft, BudgetAction::Left(purpose)));
    }
    // It may as well be looked up in memories.
    let from = words.after(at, phrases!["what did i spend"]);
    let from = from.or_else(|| {
        words
            .after(at, phrases!["how much on"])
            .map(|from| from - 1)
    });
    let from = from.or_else(|| {
        let from = words.after(
            at,
            phrases![
                "did i spend anything", "did i spend any money", "did i spend",
            ],
        )?;
        (from == end || words.get(from) == "on" || Span::read(message, from).is_some())
            .then_some(from)
    });
    if let Some(from) = words.after(at, phrases!["how much"])
        && Span::read(message, from).is_some()
    {
        return how_much(message, from, end).map(|action| (RequestStrength::InSession, action));
    }
    if let Some(from) = from {
        return how_much(message, from, end).map(|action| (RequestStrength::Soft, action));
    }
    None
}

/// "and on books?", "what about on food?": the question before, of something else.
fn asked_again(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    let from = words.after(at, phrases!["and what about", "what about", "how about"]);
    let is_more = at > 0 && words.get(at - 1) == "and";
    let from = from.or(is_more.then_some(at))?;
    static NO_PURPOSES: Phrases = Phrases::new(&[
        "on time", "on the way", "on my way", "on what", "on it", "on that",
    ]);
    if words.after(from, &NO_PURPOSES) == Some(end) {
        return None;
    }
    let asks = message.context.text.trim_end().ends_with('?') && words.get(from) == "on";
    let action = asks.then(|| how_much(message, from, end)).flatten()?;
    // "and on friday?" is about a day.
    (action != BudgetAction::SpanUnclear).then_some(action)
}

/// "this month on food", "on food", "today".
fn how_much(message: &ParsedMessage, from: usize, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    // "what did i spend most on": all of it, the most first
    static MOST: Phrases = Phrases::new(&[
        "most of my money on", "the most money on", "the most on", "most on",
    ]);
    let from = words.skip(from, &MOST);
    let (mut at, mut named, mut purpose) = (from, Span::Month, String::new());
    while at < end {
        if let Some((span, next)) = Span::read(message, at) {
            (at, named) = (next, span);
        } else if let Some(next) = words.after(at, phrases!["on", "for"]) {
            let to = (next..end)
                .find(|n| Span::read(message, *n).is_some())
                .unwrap_or(end);
            purpose = parsers::original(words, next, to);
            at = to.max(next);
        } else {
            return Some(BudgetAction::SpanUnclear);
        }
    }
    let names_month = |word: &str| parsers::read_month(word).is_some();
    if names_day(&purpose) || purpose.to_lowercase().split(' ').any(names_month) {
        return Some(BudgetAction::SpanUnclear);
    }
    Some(BudgetAction::HowMuch {
        span: named,
        purpose,
    })
}

/// "budget 400 for food", "set food budget to 200 and rent to 900".
fn budgets(message: &ParsedMessage, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    if !words.iter().any(|word| word == "budget") {
        return None; // most messages
    }
    let parts = money::parts(words, message.start, end);
    let (first, others) = parts.split_first()?;
    let first = budget(message, first.1)?;
    let is_other = |at: usize| is_other_than_month(words, at) || names_end(words, at);
    if (message.start..end).any(is_other) {
        return Some(BudgetAction::NotMonthly);
    }
    if first == BudgetAction::Unclear || others.is_empty() {
        return Some(first);
    }
    let BudgetAction::Budgets(mut all) = first else {
        return Some(first);
    };
    for (from, to) in others {
        match another_budget(words, *from, *to) {
            Some(budget) if all.len() < AMOUNTS_MAX => all.push(budget),
            _ => return Some(BudgetAction::AmountsUnclear),
        }
    }
    let is_named = all.iter().all(|(_, purpose)| !purpose.is_empty());
    Some(match is_named {
        true => BudgetAction::Budgets(all),
        false => BudgetAction::AmountsUnclear,
    })
}

/// "rent to 900", "900 for rent", "for rent 900 a month".
fn another_budget(words: &Words, from: usize, to: usize) -> Option<(Money, String)> {
    if let Some((amount, next)) = money::read(words, from) {
        let from = words.after(next, phrases!["for", "on"])?;
        let purpose = parsers::original(words, from, to);
        return (from < to).then_some((amount, purpose));
    }
    let from = words.skip(from, phrases!["for", "set", "my", "the"]);
    let (at, (amount, next)) = (from..to).find_map(|n| Some((n, money::read(words, n)?)))?;
    let link = matches!(words.get(at - 1), "to" | "is" | "of" | "at");
    let name_to = at - usize::from(link);
    let is_word = name_to > from && words.get(name_to - 1) == "budget";
    let name_to = name_to - usize::from(is_word);
    (name_to > from && whole(words, next, to))
        .then(|| (amount, parsers::original(words, from, name_to)))
}

static A_MONTH: Phrases = Phrases::new(&["a month", "per month", "each month", "this month"]);

/// "budget 400 for food", "set my budget to 400", "set a budget of 400 for food", "food budget 400".
fn budget(message: &ParsedMessage, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    let at = words.skip(
        message.start,
        phrases![
            "set my", "set a", "set the", "set", "my", "change my", "change the", "change",
            "update my", "update the", "update", "raise my", "raise the", "raise", "lower my",
            "lower the", "lower", "increase my", "increase the", "increase", "reduce my",
            "reduce the", "reduce", "make my", "make the", "new", "the", "a",
        ],
    );
    let word = (at..end.min(at + 4)).find(|n| words.get(*n) == "budget")?;
    let before = parsers::original(words, at, word);
    let from = words.after(word + 1, phrases!["for"]);
    if let Some(from) = from {
        let to = (from..end).find(|n| {
            matches!(words.get(*n), "to" | "is" | "of") || money::read(words, *n).is_some()
        })?;
        let (amount, next) = money::read(words, to).or_else(|| money::read(words, to + 1))?;
        let purpose = parsers::original(words, from, to);
        return whole(words, next, end).then(|| BudgetAction::Budgets(vec![(amount, purpose)]));
    }
    let from = words.skip(word + 1, phrases!["of", "to", "is", "at"]);
    let Some((amount, next)) = money::read(words, from) else {
        // "set budget food 300"
        let at = (from + 1..end.min(from + 4)).find(|n| money::read(words, *n).is_some());
        if let Some((at, (amount, next))) = at.and_then(|at| Some((at, money::read(words, at)?)))
            && before.is_empty()
            && (from..at).all(|n| words.get(n).chars().all(char::is_alphabetic))
            && statement::is_thing(words.original(from..at))
        {
            let purpose = parsers::original(words, from, at);
            return whole(words, next, end).then(|| BudgetAction::Budgets(vec![(amount, purpose)]));
        }
        return (from == end && words.get(message.start) == "set").then_some(BudgetAction::Unclear);
    };
    let purpose = match words.after(next, phrases!["for", "on"]) {
        Some(from) => {
            let to = (from..end).find(|n| words.after(*n, &A_MONTH).is_some());
            parsers::original(words, from, to.unwrap_or(end))
        }
        None if whole(words, next, end) => before,
        None => return None,
    };
    let purpose = purpose.strip_prefix("monthly ").unwrap_or(&purpose);
    let is_total = matches!(
        purpose.to_lowercase().as_str(),
        "monthly" | "total" | "overall" | "whole" | "general"
    );
    let purpose = match is_total {
        true => String::new(),
        false => purpose.to_owned(),
    };
    if !statement::is_thing(&purpose) {
        return None;
    }
    // "food and tell bo"
    if statement::has_errand(&Words::new(&purpose)) {
        return Some(BudgetAction::PurposeUnclear);
    }
    Some(BudgetAction::Budgets(vec![(amount, purpose)]))
}

fn whole(words: &Words, next: usize, end: usize) -> bool {
    next == end
        || words.after(
            next,
            phrases![
                "a month", "per month", "each month", "this month", "monthly",
            ],
        ) == Some(end)
}
