//! Payments that go off the bill, by what they were for, who paid, or how much.

use super::sums::{ME, Payment};
use super::{BillSplitState, NOTHING, is_self};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::money;
use crate::assistant::powers::parsers::which;
use crate::assistant::text::words::Words;
use crate::assistant::wording::texts::{joined, same};

/// Words for a payment instead of its purpose.
const PAYMENT_WORDS: [&str; 8] = [
    "payment", "payments", "expense", "entry", "one", "bill", "part", "",
];

const PERSON_STAYS: &str = "I can take payments off the bill, but no person, so I've removed nothing. Say who shares it, like “split the bill between Ana, Bo and me”, or name a payment by what it was for.";

impl BillSplitState {
    pub(super) fn remove_last(&mut self) -> String {
        match self.payments.pop() {
            None => NOTHING.to_owned(),
            Some(removed) => self.removed(&[removed]),
        }
    }

    pub(super) fn remove_own_last(&mut self, context: &PowerContext) -> String {
        let own = self.payments.iter().rposition(|one| one.by == context.by);
        match own.map(|at| self.payments.remove(at)) {
            None if self.payments.is_empty() => NOTHING.to_owned(),
            None => {
                "You've told me of no payment on this bill, so I've changed nothing.".to_owned()
            }
            Some(removed) => self.removed(&[removed]),
        }
    }

    /// All of the named ones or none. `None`: they may be something else than payments.
    pub(super) fn remove(
        &mut self,
        named: &[String],
        is_of_bill: bool,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        let mut found = Vec::new();
        for phrase in named {
            match self.payments_named(phrase, context).as_slice() {
                [one] if found.contains(one) => {}
                [one] => found.push(*one),
                [] if is_of_bill && self.payments.is_empty() => return Err(NOTHING.to_owned()),
                [] if is_of_bill && (is_self(phrase) || self.is_on_it(phrase)) => {
                    return Err(PERSON_STAYS.to_owned());
                }
                [] if is_of_bill => {
                    return Err(format!(
                        "I don't see {phrase} on the bill, so I've removed nothing. “show the bill” shows what is on it."
                    ));
                }
                [] => return Ok(None),
                several => {
                    let lines = several.iter().map(|at| self.line(&self.payments[*at]));
                    return Err(format!(
                        "Which one is it: {}? I've removed nothing yet. Name it by who paid, like “remove ana's dinner”, or by its sum.",
                        lines.collect::<Vec<String>>().join("; ")
                    ));
                }
            }
        }
        found.sort_unstable();
        let removed = found.into_iter().rev().map(|at| self.payments.remove(at));
        let mut removed: Vec<Payment> = removed.collect();
        removed.reverse();
        Ok(Some(self.removed(&removed)))
    }

    fn removed(&self, removed: &[Payment]) -> String {
        let lines: Vec<String> = removed.iter().map(|one| self.line(one)).collect();
        let them = if removed.len() == 1 { "it" } else { "them" };
        format!(
            "Okay, no longer on the bill: {}. “undo” brings {them} back.\n{}",
            joined(&lines),
            self.owed()
        )
    }

    /// "the hotel", "ana's dinner", "bo's payment", "the 60".
    fn payments_named(&self, phrase: &str, context: &PowerContext) -> Vec<usize> {
        let lower = phrase.to_lowercase();
        let articles = ["the ", "that ", "this ", "our ", "my "];
        let mut articles = articles.iter();
        let bare = articles.find_map(|article| lower.strip_prefix(article));
        let is_own = lower.starts_with("my ");
        let bare = bare.unwrap_or(&lower).trim();
        let (payer, what) = match self.owner(bare) {
            Some((owner, what)) => (Some(owner), what),
            None if is_own && context.group => (context.name, bare),
            None if is_own => (Some(ME), bare),
            None => (None, bare),
        };
        let of_payer = |payer: Option<&str>| {
            let all = self.payments.iter().enumerate();
            let mut all: Vec<(usize, &Payment)> = all
                .filter(|(_, one)| payer.is_none_or(|payer| same(&one.payer, payer)))
                .collect();
            let what = without_last_word(what);
            match sum_named(what) {
                Some(minor) => all.retain(|(_, one)| one.amount == minor),
                None if what.is_empty() => all.retain(|_| payer.is_some()),
                None => {
                    let is_it = |one: &Payment| same(&one.purpose, what);
                    let is_whole = all.iter().any(|(_, one)| is_it(one));
                    all.retain(|(_, one)| match is_whole {
                        true => is_it(one),
                        false => which(what, std::iter::once(one.purpose.as_str())).is_some(),
                    });
                }
            }
            all.into_iter().map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let found = of_payer(payer);
        // "my hotel" is hardly more than "the hotel".
        match found.is_empty() && is_own {
            true => of_payer(None),
            false => found,
        }
    }

    /// Who is named before what was paid for, with or without an apostrophe: "ana's dinner".
    fn owner<'a>(&self, phrase: &'a str) -> Option<(&str, &'a str)> {
        self.people.iter().find_map(|name| {
            let name = name.as_str();
            let rest = phrase.strip_prefix(&name.to_lowercase())?;
            let ends = ["'s", "’s", "s"];
            let rest = ends.iter().find_map(|end| rest.strip_prefix(end))?;
            let is_whole = rest.is_empty() || rest.starts_with(' ');
            is_whole.then(|| (name, rest.trim()))
        })
    }
}

/// "hotel" of "hotel payment"; "" where there is no more than that.
fn without_last_word(what: &str) -> &str {
    match what.rsplit_once(' ') {
        Some((rest, last)) if PAYMENT_WORDS.contains(&last) => rest,
        None if PAYMENT_WORDS.contains(&what) => "",
        _ => what,
    }
}

/// "60", "60 euros".
fn sum_named(what: &str) -> Option<i64> {
    let words = Words::new(what);
    let (money, next) = money::read(&words, 0)?;
    (next == words.len()).then_some(money.minor)
}
