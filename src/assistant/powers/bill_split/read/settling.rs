//! Parses who gave whom money to settle a debt: "Bo paid Ana back", "kim gave me 10".

use super::{BillSplitAction, NAME_WORDS_MAX, are_several, is_self, is_somebody};
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::usual_purchases::is_usual;
use crate::assistant::powers::{money, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// "to bo", "back to me", "back" after the amount: whom it was paid to.
pub(super) fn paid_to(words: &Words, payer: &str, next: usize, end: usize) -> Option<String> {
    if words.after(next, phrases!["back"]) == Some(end) && !is_self(payer) {
        return Some("me".to_owned());
    }
    let from = words.after(next, phrases!["back to", "to"])?;
    let last = words.get(end - 1) == "back" && end > from + 1;
    let to = parsers::original(words, from, end - usize::from(last));
    is_somebody(&to).then_some(to)
}

/// "kim gave me 10", "i sent bo 5 back", "bo gave 5 to me".
pub(super) fn given(words: &Words, at: usize, end: usize) -> Option<BillSplitAction> {
    let is_given = |word: &str| {
        matches!(
            word,
            "gave" | "sent" | "transferred" | "repaid" | "wired" | "venmoed" | "returned"
        )
    };
    let verb = (at..end.min(at + 2 + NAME_WORDS_MAX)).find(|n| is_given(words.get(*n)))?;
    let payer = match verb == at {
        true => "I".to_owned(),
        false => without_adverb(words, at, verb),
    };
    let from = verb + 1;
    let settled = match money::read(words, from) {
        Some((money, next)) if is_somebody(&payer) => {
            let to = paid_to(words, &payer, next, end)?;
            let money = Some(money);
            BillSplitAction::Settled { payer, to, money }
        }
        Some(_) => return None,
        None => settled(words, payer, from, end)?,
    };
    match settled {
        BillSplitAction::Settled {
            payer,
            to,
            money: Some(money),
        } => Some(BillSplitAction::Given { payer, to, money }),
        _ => None,
    }
}

/// "paid kim", "settled up with kim", "kim and I are even": all that is between the two.
pub(super) fn evened(words: &Words, at: usize, end: usize) -> Option<BillSplitAction> {
    let from = words.skip(at, phrases!["ive", "i have", "i"]);
    let from = words.skip(from, phrases!["just", "already"]);
    let paid = words.after(from, phrases!["paid off", "payed off", "paid", "payed"]);
    static SETTLED: Phrases = Phrases::new(&[
        "settled up with", "settled with", "squared up with", "am even with", "im even with",
        "am square with", "im square with",
    ]);
    let settled = words.after(from, &SETTLED);
    let settled = settled.or_else(|| words.after(at, &SETTLED));
    static EVEN: Phrases = Phrases::new(&[
        "and i are even", "and i are square", "and i are quits", "and me are even",
        "and i are settled", "and i settled up",
    ]);
    let even =
        (at + 1..end.min(at + 1 + NAME_WORDS_MAX)).find(|n| words.after(*n, &EVEN) == Some(end));
    let (with, until) = match (paid.or(settled), even) {
        (Some(with), _) => (with, end),
        (None, Some(until)) => (at, until),
        (None, None) => return None,
    };
    let off = words.get(until.checked_sub(1)?) == "off" && until > with + 1;
    let name = parsers::original(words, with, until - usize::from(off));
    let is_name = is_somebody(&name) && !is_self(&name) && !is_usual(&name) && !are_several(&name);
    let is_short = name.split(' ').count() <= NAME_WORDS_MAX;
    (is_name && is_short).then_some(BillSplitAction::Evened {
        with: name,
        paid: paid.is_some(),
    })
}

/// "bo settled up", "bo paid up": all that Bo owes. "bo settled" only while the bill is in use.
pub(super) fn paid_up(
    words: &Words,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BillSplitAction)> {
    static PAID_UP: Phrases = Phrases::new(&[
        "settled up", "settled up with me", "settled it", "settled", "paid up", "squared up",
        "squared up with me", "is settled", "is settled up", "paid it back", "paid it all back",
        "paid it all", "has paid up", "has settled up", "paid me everything", "paid his share",
        "paid her share", "paid their share", "paid his part", "paid her part",
    ]);
    let verb = (at + 1..end.min(at + 1 + NAME_WORDS_MAX))
        .find(|n| words.after(*n, &PAID_UP) == Some(end))?;
    let name = without_adverb(words, at, verb);
    let is_name = is_somebody(&name) && !is_self(&name) && !are_several(&name);
    let strength = match words.get(end - 1) {
        "settled" => RequestStrength::InSession,
        _ => RequestStrength::Soft,
    };
    (is_name && !words.is_question()).then_some((strength, BillSplitAction::PaidUp(name)))
}

/// "Ana 30", "Ana back 30", "Ana 30 back", "Ana back" after "Bo paid".
pub(super) fn settled(
    words: &Words,
    payer: String,
    from: usize,
    end: usize,
) -> Option<BillSplitAction> {
    // "I paid the taxi, 30" settles no debt.
    if words.get(from) == "the" {
        return None;
    }
    // "max paid everything back"
    let all = words.after(from, phrases!["everything", "it all", "all of it", "all"]);
    let is_back = |next: &usize| words.get(*next) == "back";
    let from = all.filter(is_back).unwrap_or(from);
    let amount = (from + 1..end.min(from + 2 + NAME_WORDS_MAX))
        .find_map(|n| money::read(words, n).map(|found| (n, found)));
    let (to, money) = match amount {
        Some((at, (money, next))) => {
            let whole = next == end || words.after(next, phrases!["back"]) == Some(end);
            let to = parsers::original(words, from, at - usize::from(words.get(at - 1) == "back"));
            (to, whole.then_some(Some(money))?)
        }
        None if end > from + 1 && words.get(end - 1) == "back" => {
            (parsers::original(words, from, end - 1), None)
        }
        None if words.get(from) == "back" => (parsers::original(words, from + 1, end), None),
        // "Bo paid me"
        None if words.after(from, phrases!["me"]) == Some(end) => ("me".to_owned(), None),
        None => return None,
    };
    let to = to.strip_prefix("back ").map_or(to.clone(), str::to_owned);
    // "Dan paid back 20"
    let is_back = to.is_empty() || to == "back";
    let to = match is_back && words.get(from) == "back" && !is_self(&payer) {
        true => "me".to_owned(),
        false => to,
    };
    if are_several(&payer) || are_several(&to) {
        return Some(BillSplitAction::PayersUnclear);
    }
    // "I paid rent 900" is spent.
    let is_name = is_somebody(&payer) && is_somebody(&to) && !is_usual(&to);
    (is_name && to.split(' ').count() <= NAME_WORDS_MAX).then_some(BillSplitAction::Settled {
        payer,
        to,
        money,
    })
}

/// The name before a verb: "I just", "Bo still".
pub(super) fn without_adverb(words: &Words, at: usize, verb: usize) -> String {
    let is_adverb = |n: usize| {
        matches!(
            words.get(n),
            "just" | "already" | "still" | "also" | "has" | "have" | "had" | "now"
        )
    };
    let to = (at + 1..verb).rev().find(|n| !is_adverb(*n));
    parsers::original(words, at, to.map_or(at + 1, |n| n + 1).min(verb))
}
