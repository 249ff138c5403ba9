//! Parses messages about spending: "spent 12.50 on lunch", "budget 400 for food".

use super::{BudgetAction, Span, Spending};
use crate::assistant::builtin::Talk;
use crate::assistant::powers::Strength;
use crate::assistant::powers::{money, pieces};

pub(in crate::assistant::powers) fn parse(talk: &Talk<'_>) -> Option<(Strength, BudgetAction)> {
    use Strength::{Clear, Soft};
    let words = &talk.words;
    match talk.request() {
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
    let (at, end) = (talk.start, pieces::end(words));
    if let Some(from) = words.after(at, &SPENT) {
        return spent(talk, from, end);
    }
    if let Some(from) = words.after(
        at,
        &[
            "how much have i spent",
            "how much did i spend",
            "how much have we spent",
            "how much i spent",
            "what have i spent",
        ],
    ) {
        return how_much(talk, from, end).map(|action| (Clear, action));
    }
    if let Some(from) = words.after(
        at,
        &[
            "remove budget for",
            "delete budget for",
            "remove my budget for",
            "delete my budget for",
            "remove the budget for",
        ],
    ) {
        return Some((
            Clear,
            BudgetAction::RemoveBudget(pieces::original(words, from, end)),
        ));
    }
    budget(talk, end).map(|action| (Clear, action))
}

const SPENT: [&str; 8] = [
    "i spent",
    "ive spent",
    "i just spent",
    "spent",
    "paid",
    "i paid",
    "log expense",
    "expense",
];

/// Limit of expenses in one message.
const SPENT_MAX: usize = 5;

/// "spent 12.50 on lunch", "spent 5 on bus and 12 on lunch yesterday", "I paid the taxi, 30".
fn spent(talk: &Talk<'_>, from: usize, end: usize) -> Option<(Strength, BudgetAction)> {
    let (words, at) = (&talk.words, talk.start);
    let talked = matches!(words.get(at), "i" | "ive" | "paid");
    let strength = if talked {
        Strength::Soft
    } else {
        Strength::Clear
    };
    let (to, days_ago) = match words.get(end - 1) {
        "today" | "now" => (end - 1, 0),
        "yesterday" => (end - 1, 1),
        _ => (end, 0),
    };
    let mut at = from;
    let mut spent = Vec::new();
    while at < to && spent.len() < SPENT_MAX {
        let Some((amount, next)) = money::read(words, at) else {
            // "paid the taxi, 30"
            let (amount, next) = money::read(words, to.checked_sub(1)?)?;
            if words.get(from) != "the" || next != to {
                return None;
            }
            spent.push((Spending(amount), pieces::original(words, from + 1, to - 1)));
            break;
        };
        let purpose = words.after(next, &["on", "for", "at"]);
        let another = (next..to).find(|n| {
            let after = money::read(words, n + 1).map(|(_, after)| after);
            words.get(*n) == "and"
                && after.is_some_and(|after| matches!(words.get(after), "on" | "for" | "at"))
        });
        let until = another.unwrap_or(to);
        let purpose = match purpose {
            Some(from) => pieces::original(words, from, until),
            None if next >= until => String::new(),
            None => return None,
        };
        spent.push((Spending(amount), purpose));
        at = until + 1;
    }
    let has_day = spent
        .iter()
        .any(|(_, purpose)| pieces::has_day(purpose) || purpose.split(' ').any(is_span));
    let action = if spent.is_empty() || at < to && spent.len() >= SPENT_MAX || has_day {
        BudgetAction::DayUnclear
    } else {
        BudgetAction::Spent { spent, days_ago }
    };
    Some((strength, action))
}

fn is_span(word: &str) -> bool {
    matches!(word, "yesterday" | "ago" | "week" | "month")
}

/// "this month on food", "on food", "today".
fn how_much(talk: &Talk<'_>, from: usize, end: usize) -> Option<BudgetAction> {
    let words = &talk.words;
    let (mut at, mut span, mut purpose) = (from, Span::Month, String::new());
    while at < end {
        if let Some(next) = words.after(at, &["this month", "so far", "in total", "already"]) {
            at = next;
        } else if let Some(next) = words.after(at, &["last month"]) {
            (at, span) = (next, Span::LastMonth);
        } else if let Some(next) = words.after(at, &["this week"]) {
            (at, span) = (next, Span::Week);
        } else if let Some(next) = words.after(at, &["today"]) {
            (at, span) = (next, Span::Today);
        } else if let Some(next) = words.after(at, &["on", "for"]) {
            let to = (next..end)
                .find(|n| {
                    words
                        .after(
                            *n,
                            &["this month", "last month", "this week", "today", "so far"],
                        )
                        .is_some()
                })
                .unwrap_or(end);
            purpose = pieces::original(words, next, to);
            at = to.max(next);
        } else {
            return None;
        }
    }
    Some(BudgetAction::HowMuch { span, purpose })
}

/// "budget 400 for food", "set my budget to 400", "set a budget of 400 for food", "food budget 400".
fn budget(talk: &Talk<'_>, end: usize) -> Option<BudgetAction> {
    let words = &talk.words;
    let at = words
        .after(
            talk.start,
            &[
                "set my",
                "set a",
                "set the",
                "set",
                "my",
                "change my",
                "new",
                "a",
            ],
        )
        .unwrap_or(talk.start);
    let word = (at..end.min(at + 4)).find(|n| words.get(*n) == "budget")?;
    let before = pieces::original(words, at, word);
    let from = words.after(word + 1, &["for"]);
    if let Some(from) = from {
        let to = (from..end).find(|n| {
            matches!(words.get(*n), "to" | "is" | "of") || money::read(words, *n).is_some()
        })?;
        let (amount, next) = money::read(words, to).or_else(|| money::read(words, to + 1))?;
        return whole(talk, next, end).then(|| BudgetAction::Budget {
            money: Spending(amount),
            purpose: pieces::original(words, from, to),
        });
    }
    let from = words
        .after(word + 1, &["of", "to", "is", "at"])
        .unwrap_or(word + 1);
    let Some((amount, next)) = money::read(words, from) else {
        return (from == end && words.get(talk.start) == "set").then_some(BudgetAction::Unclear);
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
            pieces::original(words, from, to)
        }
        None if whole(talk, next, end) => before,
        None => return None,
    };
    Some(BudgetAction::Budget {
        money: Spending(amount),
        purpose: purpose.trim_start_matches("monthly ").to_owned(),
    })
}

fn whole(talk: &Talk<'_>, next: usize, end: usize) -> bool {
    next == end
        || talk.words.after(
            next,
            &[
                "a month",
                "per month",
                "each month",
                "this month",
                "monthly",
            ],
        ) == Some(end)
}
