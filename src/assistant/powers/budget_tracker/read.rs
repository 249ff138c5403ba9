//! Parses messages about spending: "spent 12.50 on lunch", "budget 400 for food".

use super::expense_words::{day_at_end, has_number, is_other_than_month, is_purpose, names_end};
use super::purchases;
use super::{BudgetAction, Span, Spending};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::words::Words;
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::bill_split::shared_with;
use crate::assistant::powers::usual_purchases::is_usual;
use crate::assistant::powers::{money, parsers, statement};

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage<'_>,
) -> Option<(RequestStrength, BudgetAction)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    match message.request() {
        "my budget"
        | "budget"
        | "show my budget"
        | "budgets"
        | "my budgets"
        | "show my budgets"
        | "show budget"
        | "how is my budget"
        | "hows my budget"
        | "budget tracker"
        | "my expenses"
        | "expenses"
        | "my spending"
        | "show my spending"
        | "show my expenses"
        | "how much budget is left"
        | "how much of my budget is left" => {
            return Some((Clear, BudgetAction::Show));
        }
        "whats my budget" | "what is my budget" | "what did i spend" => {
            return Some((Soft, BudgetAction::ShowIfAny));
        }
        _ => {}
    }
    let (at, end) = (message.start, parsers::end(words));
    let day = words.after(at, &["yesterday", "today"]);
    if let Some(from) = words.after(day.unwrap_or(at), &SPENT) {
        return spent(message, from, end);
    }
    if let Some(from) = words.after(
        at,
        &[
            "how much have i spent", "how much did i spend", "how much have we spent",
            "how much i spent", "what have i spent",
        ],
    ) {
        return how_much(message, from, end).map(|action| (Clear, action));
    }
    if let Some(found) = asked(message, at, end) {
        return Some(found);
    }
    if let Some(action) = purchases::last_or_left(message, at) {
        return Some(action);
    }
    if let "remove" | "delete" | "cancel" | "drop" | "clear" = words.get(at)
        && let Some(purpose) = removed(words, at + 1, end)
    {
        return Some((Clear, BudgetAction::RemoveBudget(purpose)));
    }
    // "budget 60 for wine instead"
    let last = ["instead", "from now on", "now"];
    let until = (at + 1..end).find(|n| words.after(*n, &last) == Some(end));
    budgets(message, until.unwrap_or(end))
        .map(|action| (Clear, action))
        .or_else(|| purchases::parse(message, at, end))
}

/// "what did i spend on food", "how much on food?", "how much this week?".
fn asked(
    message: &ParsedMessage<'_>,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    let words = &message.words;
    // It may as well be looked up in memories.
    let from = words.after(at, &["what did i spend"]);
    let from = from.or_else(|| words.after(at, &["how much on"]).map(|from| from - 1));
    let from = from.or_else(|| {
        let from = words.after(
            at,
            &[
                "did i spend anything", "did i spend any money", "did i spend",
            ],
        )?;
        (from == end || words.get(from) == "on" || span(words, from).is_some()).then_some(from)
    });
    if let Some(from) = words.after(at, &["how much"])
        && span(words, from).is_some()
    {
        return how_much(message, from, end).map(|action| (RequestStrength::InSession, action));
    }
    if let Some(from) = from {
        return how_much(message, from, end).map(|action| (RequestStrength::Soft, action));
    }
    None
}

/// "my budget for food", "my food budget", "my budget".
fn removed(words: &Words<'_>, from: usize, end: usize) -> Option<String> {
    let from = words.after(from, &["my", "the"]).unwrap_or(from);
    if let Some(from) = words.after(from, &["budget for", "budget on"]) {
        return Some(parsers::original(words, from, end));
    }
    (end > from && words.get(end - 1) == "budget").then(|| parsers::original(words, from, end - 1))
}

const SPENT: [&str; 12] = [
    "i spent", "ive spent", "i have spent", "i just spent", "spent", "paid", "i paid", "payed",
    "i payed", "spend", "log expense", "expense",
];

/// Words before an amount, which is noted as it was said.
const ROUGHLY: [&str; 12] = [
    "like", "about", "around", "roughly", "approximately", "approx", "almost", "nearly", "exactly",
    "only", "just", "some",
];

/// Limit of amounts in one message.
const AMOUNTS_MAX: usize = 10;

/// How an amount and its purpose are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// "12 on lunch", also "12 euros lunch", and an amount alone.
    Linked,
    /// "12 lunch"
    Bare,
    /// "lunch 12"
    PurposeFirst,
}

/// "spent 12.50 on lunch", "spent 5 on bus, 12 on lunch yesterday", "I paid the taxi, 30".
fn spent(
    message: &ParsedMessage<'_>,
    from: usize,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    let (words, at) = (&message.words, message.start);
    let is_yesterday = words.get(at) == "yesterday";
    let at = words.after(at, &["yesterday", "today"]).unwrap_or(at);
    let talked = matches!(words.get(at), "i" | "ive" | "paid" | "payed" | "spend");
    let strength = if talked {
        RequestStrength::Soft
    } else {
        RequestStrength::Clear
    };
    let from = words.after(from, &ROUGHLY).unwrap_or(from);
    let (to, days_ago) = day_at_end(words, from, end);
    let is_within = (from..to).any(|n| words.get(n) == "yesterday");
    let days_ago = days_ago.max(i32::from(is_yesterday || is_within));
    let parts = money::parts(words, from, to);
    let read = |(from, to): &(usize, usize)| expense(words, *from, *to);
    let found: Option<Vec<_>> = parts.iter().map(read).collect();
    let Some(found) = found else {
        // "spent 3 hours on it and 2 on that" is about no money.
        let mut amounts = (from..to).filter_map(|n| money::read(words, n));
        let is_time = amounts.clone().any(|(_, next)| is_unit(words.get(next)));
        let is_unclear = !is_time && amounts.nth(1).is_some();
        return is_unclear.then_some((strength, BudgetAction::AmountsUnclear));
    };
    let first = found.first()?.0;
    // "I paid Bo 30" isn't for something.
    let is_to_somebody = matches!(words.get(from - 1), "paid" | "payed")
        && first == Order::PurposeFirst
        && !matches!(words.get(from), "the" | "my" | "for" | "on")
        && !found.iter().any(|(_, (_, purpose))| is_usual(purpose));
    // "I paid 30 for Bo and me" is for a bill.
    let is_paid = (at..from).any(|n| matches!(words.get(n), "paid" | "payed"));
    let is_shared =
        |(_, (_, purpose)): &(Order, (Spending, String))| shared_with(purpose).is_some();
    if is_to_somebody || is_paid && found.iter().any(is_shared) {
        return None;
    }
    let is_alike = |(order, (money, purpose)): &(Order, (Spending, String))| {
        !purpose.is_empty() && (*order == first || money.0.currency.is_some())
    };
    let is_clear = found.len() <= AMOUNTS_MAX && (found.len() == 1 || found.iter().all(is_alike));
    let spent: Vec<(Spending, String)> = found.into_iter().map(|(_, one)| one).collect();
    let has_day = |(_, purpose): &(Spending, String)| {
        parsers::has_day(purpose) || purpose.split(' ').any(is_span) || ends_in_month(purpose)
    };
    let is_purpose = |(_, purpose): &(Spending, String)| is_purpose(purpose);
    let action = match is_clear {
        _ if spent.iter().any(has_day) => BudgetAction::DayUnclear,
        _ if spent.iter().any(|(_, purpose)| has_number(purpose)) => BudgetAction::AmountsUnclear,
        _ if !spent.iter().all(is_purpose) => BudgetAction::PurposeUnclear,
        true => BudgetAction::Spent { spent, days_ago },
        false => BudgetAction::AmountsUnclear,
    };
    Some((strength, action))
}

/// One amount and its purpose; `None` where there may be a second amount.
fn expense(words: &Words<'_>, from: usize, to: usize) -> Option<(Order, (Spending, String))> {
    /// Words of a purpose that nothing links to its amount.
    const BARE_WORDS_MAX: usize = 3;
    let has_second = |from: usize| {
        (from..to).any(|n| {
            let next = money::read(words, n).map(|(_, next)| next);
            next.is_some_and(|next| next < to && words.after(next, &LINKS).is_some())
        })
    };
    if let Some((amount, next)) = money::read(words, from) {
        if has_second(next) {
            return None;
        }
        let is_sure = amount.currency.is_some();
        // "20 yesterday on wine"
        let day = words.after(next, &["yesterday", "today"]);
        let next = day
            .filter(|day| words.after(*day, &LINKS).is_some())
            .unwrap_or(next);
        let (order, from) = match words.after(next, &LINKS) {
            Some(from) => (Order::Linked, from),
            None if next >= to || is_sure => (Order::Linked, next),
            None if is_unit(words.get(next)) || to - next > BARE_WORDS_MAX => return None,
            None => (Order::Bare, next),
        };
        let purpose = parsers::original(words, from.min(to), to);
        return Some((order, (Spending(amount), purpose)));
    }
    // "the taxi, 30", "30 euros"
    let last = (from + 1..to).rev().take(2);
    let mut last = last.filter_map(|n| Some((n, money::read(words, n)?)));
    let (at, (amount, _)) = last.find(|(_, (_, next))| *next == to)?;
    let from = words
        .after(from, &["on", "for", "for the", "the", "my"])
        .unwrap_or(from);
    let purpose = parsers::original(words, from, at);
    (!has_second(from)).then_some((Order::PurposeFirst, (Spending(amount), purpose)))
}

const LINKS: [&str; 3] = ["on", "for", "at"];

/// What a number may count that is no money: "spent 3 hours".
fn is_unit(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    [
        "second", "sec", "minute", "min", "hour", "hr", "h", "day", "night", "week", "weekend",
        "month", "year", "time", "people", "of", "more", "and", "to", "in", "with", "or",
        "percent", "k", "km", "mile", "calorie",
    ]
    .contains(&one)
}

/// "food in march"
fn ends_in_month(purpose: &str) -> bool {
    let last = purpose
        .rsplit_once(" in ")
        .map(|(_, last)| last.to_lowercase());
    last.is_some_and(|last| parsers::read_month(&last).is_some())
}

fn is_span(word: &str) -> bool {
    matches!(word, "yesterday" | "ago" | "week" | "month")
}

const SPANS: [(&str, Span); 11] = [
    ("this month", Span::Month),
    ("so far", Span::Month),
    ("in total", Span::Month),
    ("already", Span::Month),
    ("last month", Span::LastMonth),
    ("this week", Span::Week),
    ("last week", Span::LastWeek),
    ("today", Span::Today),
    ("yesterday", Span::Yesterday),
    ("this year", Span::Year),
    ("in this month", Span::Month),
];

/// The span of time that is named at `at`, and the index after it.
fn span(words: &Words<'_>, at: usize) -> Option<(Span, usize)> {
    let named = |(name, span): &(&str, Span)| Some((*span, words.after(at, &[name])?));
    SPANS.iter().find_map(named)
}

/// "this month on food", "on food", "today".
fn how_much(message: &ParsedMessage<'_>, from: usize, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    let (mut at, mut named, mut purpose) = (from, Span::Month, String::new());
    while at < end {
        if let Some((span, next)) = span(words, at) {
            (at, named) = (next, span);
        } else if let Some(next) = words.after(at, &["on", "for"]) {
            let to = (next..end)
                .find(|n| span(words, *n).is_some())
                .unwrap_or(end);
            purpose = parsers::original(words, next, to);
            at = to.max(next);
        } else {
            return Some(BudgetAction::SpanUnclear);
        }
    }
    let names_span = |word: &str| is_span(word) || parsers::read_month(word).is_some();
    if parsers::has_day(&purpose) || purpose.to_lowercase().split(' ').any(names_span) {
        return Some(BudgetAction::SpanUnclear);
    }
    Some(BudgetAction::HowMuch {
        span: named,
        purpose,
    })
}

/// "budget 400 for food", "set food budget to 200 and rent to 900".
fn budgets(message: &ParsedMessage<'_>, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    if !words.iter().any(|word| word == "budget") {
        return None; // most messages
    }
    let parts = money::parts(words, message.start, end);
    let (first, others) = parts.split_first()?;
    let first = budget(message, first.1)?;
    let is_of_month =
        |at: usize| words.get(at - 1) == "for" && parsers::read_month(words.get(at)).is_some();
    let is_other = |at: usize| {
        is_other_than_month(words, at) || names_end(words, at) || at > 0 && is_of_month(at)
    };
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
fn another_budget(words: &Words<'_>, from: usize, to: usize) -> Option<(Spending, String)> {
    if let Some((amount, next)) = money::read(words, from) {
        let from = words.after(next, &["for", "on"])?;
        let purpose = parsers::original(words, from, to);
        return (from < to).then_some((Spending(amount), purpose));
    }
    let from = words
        .after(from, &["for", "set", "my", "the"])
        .unwrap_or(from);
    let (at, (amount, next)) = (from..to).find_map(|n| Some((n, money::read(words, n)?)))?;
    let link = matches!(words.get(at - 1), "to" | "is" | "of" | "at");
    let name_to = at - usize::from(link);
    let is_word = name_to > from && words.get(name_to - 1) == "budget";
    let name_to = name_to - usize::from(is_word);
    (name_to > from && whole(words, next, to))
        .then(|| (Spending(amount), parsers::original(words, from, name_to)))
}

/// "budget 400 for food", "set my budget to 400", "set a budget of 400 for food", "food budget 400".
fn budget(message: &ParsedMessage<'_>, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    let at = words
        .after(
            message.start,
            &[
                "set my", "set a", "set the", "set", "my", "change my", "change the", "change",
                "update my", "update the", "update", "raise my", "raise the", "raise", "lower my",
                "lower the", "lower", "increase my", "increase the", "increase", "reduce my",
                "reduce the", "reduce", "make my", "make the", "new", "the", "a",
            ],
        )
        .unwrap_or(message.start);
    let word = (at..end.min(at + 4)).find(|n| words.get(*n) == "budget")?;
    let before = parsers::original(words, at, word);
    let from = words.after(word + 1, &["for"]);
    if let Some(from) = from {
        let to = (from..end).find(|n| {
            matches!(words.get(*n), "to" | "is" | "of") || money::read(words, *n).is_some()
        })?;
        let (amount, next) = money::read(words, to).or_else(|| money::read(words, to + 1))?;
        let purpose = parsers::original(words, from, to);
        return whole(words, next, end)
            .then(|| BudgetAction::Budgets(vec![(Spending(amount), purpose)]));
    }
    let from = words
        .after(word + 1, &["of", "to", "is", "at"])
        .unwrap_or(word + 1);
    let Some((amount, next)) = money::read(words, from) else {
        // "set budget food 300"
        let at = (from + 1..end.min(from + 4)).find(|n| money::read(words, *n).is_some());
        if let Some((at, (amount, next))) = at.and_then(|at| Some((at, money::read(words, at)?)))
            && before.is_empty()
            && (from..at).all(|n| words.get(n).chars().all(char::is_alphabetic))
            && statement::is_thing(words.original(from..at))
        {
            let purpose = parsers::original(words, from, at);
            return whole(words, next, end)
                .then(|| BudgetAction::Budgets(vec![(Spending(amount), purpose)]));
        }
        return (from == end && words.get(message.start) == "set").then_some(BudgetAction::Unclear);
    };
    let purpose = match words.after(next, &["for", "on"]) {
        Some(from) => {
            let to = (from..end)
                .find(|n| {
                    words
                        .after(*n, &["a month", "per month", "each month", "this month"])
                        .is_some()
                })
                .unwrap_or(end);
            parsers::original(words, from, to)
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
    Some(BudgetAction::Budgets(vec![(Spending(amount), purpose)]))
}

fn whole(words: &Words<'_>, next: usize, end: usize) -> bool {
    next == end
        || words.after(
            next,
            &[
                "a month", "per month", "each month", "this month", "monthly",
            ],
        ) == Some(end)
}
