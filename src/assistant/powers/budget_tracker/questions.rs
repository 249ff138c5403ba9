//! Parses questions about what was spent and what is left: "am i over budget?", "total for november",
//! "what was my biggest expense".

use super::expense_words::budget_named;
use super::{BudgetAction, Span};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength::{self, InSession, Soft};
use crate::assistant::powers::parsers;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Words of what a budget is for.
const PURPOSE_WORDS_MAX: usize = 3;

pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    let words = &message.words;
    if let Some(left) = left(message, at, end) {
        return Some(left);
    }
    if let Some(purpose) = whether_over(words, at, end) {
        return Some((Soft, BudgetAction::Left(purpose)));
    }
    let asked = can_spend(message, at, end)
        .or_else(|| total(message, at, end))
        .or_else(|| price(words, at, end))
        .or_else(|| biggest(message, at, end))
        .or_else(|| bought(message, at, end))?;
    Some((Soft, asked))
}

/// "what's left for food", "how much food budget is left": of which budget; "" of all.
fn left(message: &ParsedMessage, at: usize, end: usize) -> Option<(RequestStrength, BudgetAction)> {
    let words = &message.words;
    let request = message.request();
    let is_open = matches!(
        request,
        "how much is left" | "whats left" | "how much do i have left" | "how much money is left"
    );
    if is_open {
        return Some((InSession, BudgetAction::Left(String::new())));
    }
    let soft = |purpose: String| Some((Soft, BudgetAction::Left(purpose)));
    // "how much food budget is left"
    let asked = words.after(
        at,
        phrases!["how much of my", "how much of the", "how much"],
    );
    if let Some(from) = asked
        && let Some(to) = (from..end).find(|n| {
            words.after(
                *n,
                phrases!["budget left", "budget is left", "budget do i have left"],
            ) == Some(end)
        })
        && to - from <= PURPOSE_WORDS_MAX
    {
        return soft(parsers::original(words, from, to));
    }
    static LEFT_FOR: Phrases = Phrases::new(&[
        "how much is left for", "whats left for", "what is left for", "what do i have left for",
        "how much do i have left for", "how much budget do i have left for",
    ]);
    static LEFT_OF: Phrases = Phrases::new(&[
        "whats left in my", "how much is left in my", "whats left of", "what is left of",
        "how much is left of", "how much do i have left of", "how much do i have left in",
        "how much budget do i have left",
    ]);
    if let Some(from) = words.after(at, &LEFT_FOR) {
        let is_budget = words.get(end - 1) == "budget" && end > from + 1;
        let from = words.skip_article(from);
        return soft(parsers::original(words, from, end - usize::from(is_budget)));
    }
    let from = words.after(at, &LEFT_OF)?;
    let has_budget = words.iter().any(|word| word == "budget");
    let named = budget_named(words, from, end);
    match named {
        Some(purpose) => soft(purpose),
        None if has_budget => soft(String::new()),
        None => None,
    }
}

/// "how much can i still spend on food", "how much more can i spend this month".
fn can_spend(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    static ASKED: Phrases = Phrases::new(&[
        "how much can i still spend", "how much can i spend", "how much more can i spend",
        "what can i still spend", "how much am i allowed to spend",
    ]);
    let words = &message.words;
    let from = words.after(at, &ASKED)?;
    let month = (from..end).find(|n| Span::read(message, *n) == Some((Span::Month, end)));
    let to = month.unwrap_or(end);
    match words.after(from, phrases!["on my", "on", "for"]) {
        Some(name) if name < to && to - name <= PURPOSE_WORDS_MAX => {
            Some(BudgetAction::Left(parsers::original(words, name, to)))
        }
        None if from == to => Some(BudgetAction::Left(String::new())),
        _ => None,
    }
}

/// "how much was the jacket", "when did i buy petrol": the newest expense for it.
fn price(words: &Words, at: usize, end: usize) -> Option<BudgetAction> {
    static ASKED: Phrases = Phrases::new(&[
        "how much was", "how much were", "how much did i pay for", "how much did the",
        "what did the", "when did i buy", "when did i last buy", "when did i pay for",
    ]);
    let from = words.skip_article(words.after(at, &ASKED)?);
    let is_cost = words.get(end - 1) == "cost";
    let needs_cost = words.get(from - 1) == "the" && words.get(from - 2) == "did";
    let to = end - usize::from(is_cost);
    let is_short = (1..=PURPOSE_WORDS_MAX).contains(&to.saturating_sub(from));
    (is_short && is_cost == needs_cost)
        .then(|| BudgetAction::Price(parsers::original(words, from, to)))
}

/// "am i over budget?", "did i go over my food budget": of which budget; "" of all.
fn whether_over(words: &Words, at: usize, end: usize) -> Option<String> {
    static ASKED: Phrases = Phrases::new(&[
        "am i over", "am i already over", "am i still within", "am i within", "am i in",
        "am i still in", "am i on", "am i still on", "am i under", "am i still under",
        "did i go over", "have i gone over", "did i exceed", "have i exceeded", "did i blow",
        "have i blown", "am i close to", "am i staying within",
    ]);
    static OVERSPENDING: Phrases = Phrases::new(&[
        "am i overspending", "did i overspend", "have i overspent", "am i spending too much",
        "did i spend too much",
    ]);
    static LASTS: Phrases = Phrases::new(&[
        "yet", "already", "now", "this month", "so far", "for this month", "for the month",
    ]);
    let to = (at + 1..end).find(|n| words.after(*n, &LASTS) == Some(end));
    let to = to.unwrap_or(end);
    if words.after(at, &OVERSPENDING) == Some(to) {
        return Some(String::new());
    }
    let from = words.after(at, &ASKED)?;
    let purpose = budget_named(words, from, to)?;
    (purpose.split_whitespace().count() <= PURPOSE_WORDS_MAX).then_some(purpose)
}

/// "total for november", "my spending this week".
fn total(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    static TOTALS: Phrases = Phrases::new(&[
        "total for", "total spent", "total spending", "total expenses", "total", "spending",
        "expenses", "spent", "sum for", "sum of",
    ]);
    let words = &message.words;
    static BEGINS: Phrases = Phrases::new(&[
        "whats my", "what is my", "what was my", "whats the", "what is the", "what was the",
        "show me my", "show my", "show me", "show", "my", "the",
    ]);
    let from = words.skip(at, &BEGINS);
    let from = words.after(from, &TOTALS)?;
    let from = words.skip(from, phrases!["for", "of"]);
    let (span, next) = Span::read(message, from)?;
    (next == end).then_some(BudgetAction::HowMuchIfAny(span))
}

/// "what was my biggest expense this week"
fn biggest(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    static BEGINS: Phrases = Phrases::new(&[
        "whats my", "what is my", "what was my", "whats the", "what is the", "what was the",
        "show me my", "show my", "my", "which was my", "which is my",
    ]);
    static BIGGEST: Phrases = Phrases::new(&[
        "biggest expense", "largest expense", "highest expense", "most expensive expense",
        "biggest purchase", "largest purchase", "most expensive purchase", "biggest spend",
        "most expensive thing i bought",
    ]);
    static MOST: Phrases = Phrases::new(&[
        "what did i spend most on", "what did i spend the most on",
        "what did i spend most of my money on", "what did i spend the most money on",
        "what do i spend most on", "what do i spend the most on", "where does my money go",
        "where did my money go", "where did all my money go", "what did i spend money on",
        "what did i spend my money on",
    ]);
    let words = &message.words;
    let spanned = |from: usize| match from == end {
        true => Some(Span::Month),
        false => Span::read(message, from)
            .filter(|(_, next)| *next == end)
            .map(|(span, _)| span),
    };
    if let Some(from) = words.after(at, &MOST) {
        return spanned(from).map(BudgetAction::HowMuchIfAny);
    }
    let from = words.after(words.after(at, &BEGINS)?, &BIGGEST)?;
    spanned(from).map(BudgetAction::Biggest)
}

/// "what did i buy yesterday"
fn bought(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    let asked = phrases!["what did i buy", "what have i bought", "what did i pay for"];
    let from = message.words.after(at, asked)?;
    let (span, next) = Span::read(message, from)?;
    (next == end).then_some(BudgetAction::Bought(span))
}
