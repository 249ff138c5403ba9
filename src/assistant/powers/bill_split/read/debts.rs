//! Parses who owes: "I owe Bo 20", "Bo lent me 20", "what do I owe Ana?".

use std::ops::Range;

use super::second_debts::{is_second_unclear, owes_too};
use super::settling::without_adverb;
use super::{BillSplitAction, NAME_WORDS_MAX, are_several, is_self, is_somebody};
use crate::assistant::powers::RequestStrength::{self, Soft};
use crate::assistant::powers::bill_split::WholeDebt;
use crate::assistant::powers::money;
use crate::assistant::powers::{parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// "Bo owes me 20 and Cy owes me 10", "how much does Bo owe me?".
pub(super) fn owes(
    words: &Words,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BillSplitAction)> {
    let parts = money::parts(words, at, end);
    if parts.len() > 1 {
        if is_second_unclear(words, &parts) {
            return Some((Soft, BillSplitAction::DebtsUnclear));
        }
        let first = parts
            .first()
            .and_then(|(from, to)| one_owes(words, *from, *to));
        let each = parts.iter().map(|(from, to)| {
            one_owes(words, *from, *to).or_else(|| owes_too(words, *from, *to, first.as_ref()?))
        });
        let each: Option<Vec<(RequestStrength, BillSplitAction)>> = each.collect();
        let is_debt = |(_, action): &(RequestStrength, BillSplitAction)| {
            matches!(action, BillSplitAction::Owes { .. })
        };
        if let Some(each) = each.filter(|each| each.iter().all(is_debt)) {
            let each = each.into_iter().map(|(_, action)| action);
            return Some((Soft, BillSplitAction::Each(each.collect())));
        }
    }
    one_owes(words, at, end)
}

/// "Bo owes me 20 for lunch", "I lent Bo 20".
fn one_owes(words: &Words, at: usize, end: usize) -> Option<(RequestStrength, BillSplitAction)> {
    // "lent bo 20"
    let is_mine = matches!(words.get(at), "lent" | "loaned" | "borrowed");
    let verb = (at + 1..end.min(at + 2 + NAME_WORDS_MAX)).find(|n| {
        matches!(
            words.get(*n),
            "owe" | "owes" | "lent" | "loaned" | "borrowed"
        )
    });
    let verb = is_mine.then_some(at).or(verb)?;
    let is_lent = matches!(words.get(verb), "lent" | "loaned");
    let is_asked = matches!(
        words.get(at),
        "who" | "whom" | "what" | "how" | "do" | "does" | "whats"
    );
    if is_asked {
        return Some((Soft, asked(words, at, verb, end)));
    }
    let debtor = match is_mine {
        true => "I".to_owned(),
        false => without_adverb(words, at, verb),
    };
    let (from, (money, next)) = (verb + 1..end.min(verb + 2 + NAME_WORDS_MAX))
        .find_map(|n| money::read(words, n).map(|found| (n, found)))?;
    let (to, next) = match without_roughly(words, verb + 1, from) {
        to if to > verb + 1 => (parsers::original(words, verb + 1, to), next),
        _ => {
            let to = words.after(next, phrases!["to", "from"])?;
            let until = (to..end).find(|n| words.get(*n) == "for").unwrap_or(end);
            (parsers::original(words, to, until), until)
        }
    };
    let next = words.skip(next, phrases!["more"]);
    let purpose = match words.after(next, phrases!["for"]) {
        Some(from) => parsers::original(words, from, end),
        None if next == end => String::new(),
        None => return None,
    };
    let (debtor, to) = match is_lent {
        true => (to, debtor),
        false => (debtor, to),
    };
    let is_clear = is_somebody(&debtor)
        && is_somebody(&to)
        && !are_several(&debtor)
        && !are_several(&to)
        && statement::is_thing(&purpose);
    let is_one_amount = money::parts(words, at, end).len() == 1;
    let is_only = purpose.is_empty() && matches!(words.get(from - 1), "only" | "just");
    is_clear.then(|| match is_one_amount {
        true if is_only => {
            let debt = WholeDebt { debtor, to, money };
            (Soft, BillSplitAction::OwesOnly(debt))
        }
        true => {
            let action = BillSplitAction::Owes {
                debtor,
                to,
                money,
                purpose,
                is_another: is_another(words, verb, at..end),
            };
            (Soft, action)
        }
        false => (Soft, BillSplitAction::PayersUnclear),
    })
}

/// Whether it can't be a debt that was told before: "lent me 20", "another 20".
fn is_another(words: &Words, verb: usize, mut range: Range<usize>) -> bool {
    let is_owed = matches!(words.get(verb), "owe" | "owes");
    let is_more = |n: usize| {
        matches!(
            words.get(n),
            "another" | "more" | "also" | "again" | "extra"
        )
    };
    !is_owed || range.any(is_more)
}

/// Where a name ends before "another" and the like of an amount: "i owe nina another 5".
fn without_roughly(words: &Words, at: usize, amount: usize) -> usize {
    let is_said = |n: usize| {
        matches!(
            words.get(n),
            "another" | "about" | "around" | "like" | "only" | "just" | "exactly" | "still"
        )
    };
    let last = (at..amount).rev().find(|n| !is_said(*n));
    last.map_or(at, |n| n + 1)
}

/// "what do I owe Ana", "how much does Bo owe me": between two, where both are named.
fn asked(words: &Words, at: usize, verb: usize, end: usize) -> BillSplitAction {
    let auxiliary = (at..verb).find(|n| matches!(words.get(*n), "do" | "does"));
    let debtor = auxiliary.map(|n| without_adverb(words, n + 1, verb));
    static LAST: Phrases = Phrases::new(&[
        "anything", "any money", "money", "now", "still", "exactly", "in total",
    ]);
    let to = (verb + 1..end).find(|n| words.after(*n, &LAST) == Some(end));
    let to = parsers::original(words, verb + 1, to.unwrap_or(end));
    match debtor {
        Some(debtor) if is_somebody(&debtor) && is_somebody(&to) => {
            BillSplitAction::OwedBetween(debtor, to)
        }
        debtor => BillSplitAction::Owed(debtor.filter(|name| is_self(name))),
    }
}
