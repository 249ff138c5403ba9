//! Parses what was spent: "spent 12.50 on lunch", "spent 5 on bus, 12 on lunch yesterday".

use super::expense_words::{has_number, is_purpose, without_payment};
use super::past_day::{self, PastDay, names_day};
use super::{BudgetAction, SpentAmount};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::bill_split::shared_with;
use crate::assistant::powers::money::{self, Money};
use crate::assistant::powers::parsers;
use crate::assistant::powers::usual_purchases::is_usual;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, TimeExpression};

static SPENT: Phrases = Phrases::new(&[
    "i spent", "ive spent", "i have spent", "i just spent", "spent", "paid", "i paid", "payed",
    "i payed", "spend", "log expense", "log an expense", "add expense", "add an expense",
    "new expense", "expense",
]);

/// Words before an amount, which is noted as it was said.
static ROUGHLY: Phrases = Phrases::new(&[
    "like", "about", "around", "roughly", "approximately", "approx", "almost", "nearly", "exactly",
    "only", "just", "some",
]);

/// Limit of amounts in one message.
pub(super) const AMOUNTS_MAX: usize = 10;

/// How an amount and its purpose are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AmountOrder {
    /// "12 on lunch", also "12 euros lunch", and an amount alone.
    Linked,
    /// "12 lunch"
    Bare,
    /// "lunch 12"
    PurposeFirst,
}

/// One amount, and its own day.
struct Expense {
    order: AmountOrder,
    money: Money,
    purpose: String,
    day: Option<PastDay>,
}

/// "spent 12.50 on lunch", "on saturday i spent 12 on lunch", "I paid the taxi, 30". `None`: it is
/// no such sentence; `Some(None)`: it is about something else.
pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<Option<(RequestStrength, BudgetAction)>> {
    let words = &message.words;
    let first = || past_day::read(message, at);
    match words.after(at, &SPENT) {
        Some(from) => Some(spent(message, (at, from), None, end)),
        None => {
            let has_verb = (at + 1..end).any(|n| words.after(n, &SPENT).is_some());
            let (day, next) = has_verb.then(first).flatten()?;
            let from = words.after(next, &SPENT)?;
            Some(spent(message, (next, from), Some(day), end))
        }
    }
}

/// `at`: the verb with what stands before it; `from`: the words after it.
fn spent(
    message: &ParsedMessage,
    (at, from): (usize, usize),
    first_day: Option<PastDay>,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    let words = &message.words;
    let talked = matches!(words.get(at), "i" | "ive" | "paid" | "payed" | "spend");
    let strength = match talked {
        true => RequestStrength::Soft,
        false => RequestStrength::Clear,
    };
    let verb = from - 1;
    // "i spent yesterday 20 on wine"
    let said = past_day::read(message, from).filter(|(_, next)| *next < end);
    let (first_day, from) = said.map_or((first_day, from), |(day, next)| (Some(day), next));
    let from = words.skip(from, &ROUGHLY);
    let (to, last_day) = past_day::at_end(message, from, end);
    let parts = money::parts(words, from, to);
    let read = |(from, to): &(usize, usize)| expense(message, *from, *to);
    let found: Option<Vec<Expense>> = parts.iter().map(read).collect();
    if found.is_none()
        && let Some(what) = bought(message, (from, to), words.get(verb))
    {
        return Some((strength, BudgetAction::AmountMissing(what)));
    }
    let Some(found) = found else {
        // "spent 3 hours on it and 2 on that" is about no money.
        let mut amounts = (from..to).filter_map(|n| money::read(words, n));
        let is_time = amounts.clone().any(|(_, next)| is_unit(words.get(next)));
        let is_unclear = !is_time && amounts.nth(1).is_some();
        return is_unclear.then_some((strength, BudgetAction::AmountsUnclear));
    };
    let first = found.first()?.order;
    // "I paid Bo 30" isn't for something.
    let is_paid = matches!(words.get(verb), "paid" | "payed");
    let is_to_somebody = is_paid
        && first == AmountOrder::PurposeFirst
        && !matches!(words.get(from), "the" | "my" | "for" | "on")
        && !found.iter().any(|one| is_usual(&one.purpose));
    // "I paid 30 for Bo and me" is for a bill.
    let is_shared = |one: &Expense| shared_with(&one.purpose).is_some();
    if is_to_somebody || is_paid && found.iter().any(is_shared) {
        return None;
    }
    let is_alike = |one: &Expense| {
        !one.purpose.is_empty() && (one.order == first || one.money.currency.is_some())
    };
    let is_clear = found.len() <= AMOUNTS_MAX && (found.len() == 1 || found.iter().all(is_alike));
    let days = days(&found, last_day, first_day);
    let is_dated = !found.iter().any(|one| names_day(&one.purpose));
    let action = match days.filter(|_| is_dated) {
        None => BudgetAction::DayUnclear,
        _ if found.iter().any(|one| has_number(&one.purpose)) => BudgetAction::AmountsUnclear,
        _ if !found.iter().all(Expense::is_for_something) => BudgetAction::PurposeUnclear,
        Some(days) if is_clear => {
            let each = found.into_iter().zip(days);
            let each = each.map(|(one, days_ago)| SpentAmount {
                money: one.money,
                purpose: one.purpose,
                days_ago,
            });
            BudgetAction::Spent(each.collect())
        }
        Some(_) => BudgetAction::AmountsUnclear,
    };
    Some((strength, action))
}

/// "rent" of "paid rent", "paid for lunch": what everybody buys, without its price.
fn bought(message: &ParsedMessage, (from, to): (usize, usize), verb: &str) -> Option<String> {
    const WORDS_MAX: usize = 2;
    let words = &message.words;
    let links = phrases!["for the", "for my", "for", "the", "my"];
    let from = words.skip(from, links);
    let what = parsers::original(words, from, to);
    let is_short = from < to && to - from <= WORDS_MAX && !has_number(&what);
    let is_paid = matches!(verb, "paid" | "payed") && !words.is_question();
    (is_paid && is_short && is_usual(&what)).then_some(what)
}

/// How many days ago each was: where it doesn't say, on the day of the next one that does, else of
/// the last one. `None`: a day is not clear.
fn days(expenses: &[Expense], last: Option<PastDay>, first: Option<PastDay>) -> Option<Vec<i32>> {
    let mut before = first;
    let each = expenses.iter().enumerate().map(|(at, _)| {
        let said = expenses[at..].iter().find_map(|one| one.day).or(last);
        before = said.or(before);
        match before {
            None => Some(0),
            Some(PastDay::Ago(days)) => Some(days),
            Some(PastDay::Unclear) => None,
        }
    });
    each.collect()
}

impl Expense {
    /// "20 xyz on taxi": what "xyz" is, is not known.
    fn is_for_something(&self) -> bool {
        let mut words = self.purpose.split(' ');
        let is_linked = self.order == AmountOrder::Bare && words.any(|word| LINKS.contains(&word));
        is_purpose(&self.purpose) && !is_linked
    }
}

/// One amount and its purpose; `None` where there may be a second amount.
fn expense(message: &ParsedMessage, from: usize, to: usize) -> Option<Expense> {
    /// Words of a purpose that nothing links to its amount.
    const BARE_WORDS_MAX: usize = 3;
    let words = &message.words;
    let (to, day) = past_day::at_end(message, from, to);
    let has_second = |from: usize| {
        (from..to).any(|n| {
            let next = money::read(words, n).map(|(_, next)| next);
            next.is_some_and(|next| next < to && words.after(next, &LINKS).is_some())
        })
    };
    if let Some((amount, next)) = money::read(words, from) {
        let is_sure = amount.currency.is_some();
        // "20 yesterday on wine"
        let is_linked = |after: &usize| words.after(*after, &LINKS).is_some();
        let within = past_day::read(message, next).filter(|(_, after)| is_linked(after));
        let (day, next) = within.map_or((day, next), |(day, after)| (Some(day), after));
        // "12 at noon on lunch": an expense has no hour.
        let is_hour = |spec: &TimeExpression| spec.day.is_none() && spec.clock.is_some();
        let hour = when::read(words, next).filter(|(spec, _)| is_hour(spec));
        let next = hour.map_or(next, |(_, after)| match is_linked(&after) {
            true => after,
            false => next,
        });
        if has_second(next) {
            return None;
        }
        let (order, from) = match words.after(next, &LINKS) {
            Some(from) => (AmountOrder::Linked, from),
            None if next >= to || is_sure => (AmountOrder::Linked, next),
            None if is_unit(words.get(next)) => return None,
            None => (AmountOrder::Bare, next),
        };
        let to = without_payment(words, from, to);
        if order == AmountOrder::Bare && to - from > BARE_WORDS_MAX {
            return None;
        }
        return Some(Expense {
            order,
            money: amount,
            purpose: parsers::original(words, from.min(to), to),
            day,
        });
    }
    // "the taxi, 30", "30 euros"
    let last = (from + 1..to).rev().take(2);
    let mut last = last.filter_map(|n| Some((n, money::read(words, n)?)));
    let (at, (amount, _)) = last.find(|(_, (_, next))| *next == to)?;
    let from = words.skip(from, phrases!["on", "for", "for the", "the", "my"]);
    (!has_second(from)).then(|| Expense {
        order: AmountOrder::PurposeFirst,
        money: amount,
        purpose: parsers::original(words, from, without_payment(words, from, at)),
        day,
    })
}

const LINKS: [&str; 3] = ["on", "for", "at"];

/// Whether a word is a unit that is no money: "spent 3 hours".
fn is_unit(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    [
        "second", "sec", "minute", "min", "hour", "hr", "h", "day", "night", "week", "weekend",
        "month", "year", "time", "people", "of", "more", "and", "to", "in", "with", "or",
        "percent", "k", "km", "mile", "calorie",
    ]
    .contains(&one)
}
