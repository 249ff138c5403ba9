//! Debts of one message after its first: "bo owes me 20 and cy 30".

use super::{BillSplitAction, NAME_WORDS_MAX, is_self, is_somebody};
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::{money, parsers, statement};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// "Bo owes Eva 20 and Max 30", "Bo lent me 20 and lent Eva 30": who owes the second sum to whom can be
/// read in two ways.
pub(super) fn is_second_unclear(words: &Words, parts: &[(usize, usize)]) -> bool {
    let Some(((from, to), others)) = parts.split_first() else {
        return false;
    };
    let is_verb = |at: usize| {
        matches!(
            words.get(at),
            "owe" | "owes" | "lent" | "loaned" | "borrowed"
        )
    };
    let Some(verb) = (*from..*to).find(|at| is_verb(*at)) else {
        return false;
    };
    let is_mine = verb == *from || matches!(words.get(*from), "i" | "ive");
    let is_to_me = matches!(words.get(verb + 1), "me" | "us");
    let is_owed = matches!(words.get(verb), "owe" | "owes");
    others.iter().any(|(from, to)| {
        let has_subject = (from + 1..*to).any(is_verb);
        let names_me = matches!(words.get(*from), "me" | "us");
        let is_named = (from + 1..=from + 2).any(|n| money::read(words, n).is_some());
        match is_verb(*from) {
            true => !is_mine,
            false => {
                let is_clear = has_subject || is_mine || is_owed && (names_me || is_to_me);
                is_named && !is_clear
            }
        }
    })
}

/// "cy 30" after "bo owes me 20 and": whom he owes it is said before. "eva 30" after "i owe bo 20 and",
/// "me 30" after "bo owes eva 20 and": who owes it is.
pub(super) fn owes_too(
    words: &Words,
    from: usize,
    end: usize,
    first: &(RequestStrength, BillSplitAction),
) -> Option<(RequestStrength, BillSplitAction)> {
    let (
        strength,
        BillSplitAction::Owes {
            debtor: owing, to, ..
        },
    ) = first
    else {
        return None;
    };
    let (at, (money, next)) = (from + 1..end.min(from + 1 + NAME_WORDS_MAX))
        .find_map(|n| money::read(words, n).map(|found| (n, found)))?;
    let named = parsers::original(words, from, at);
    let purpose = match words.after(next, phrases!["for"]) {
        Some(from) => parsers::original(words, from, end),
        None if next == end => String::new(),
        None => return None,
    };
    let is_clear = is_somebody(&named) && statement::is_thing(&purpose);
    is_clear.then(|| {
        let (debtor, to) = match is_self(owing) || is_self(&named) && !is_self(to) {
            true => (owing.clone(), named),
            false => (named, to.clone()),
        };
        let action = BillSplitAction::Owes {
            debtor,
            to,
            money,
            purpose,
            is_another: false,
        };
        (*strength, action)
    })
}
