//! Parses who paid: "Ana paid 30 for pizza", "Bo paid Ana back".

use super::settling::{given, paid_to, settled, without_adverb};
use super::{
    BillSplitAction, NAME_WORDS_MAX, PaidAction, are_several, everybody_but, is_self, is_somebody,
    names, shared_with,
};
use crate::assistant::powers::RequestStrength::{self, Soft};
use crate::assistant::powers::money::{self, Money};
use crate::assistant::powers::{parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// "Ana paid 30 for pizza and Bo paid 20", "I paid 30 for pizza and 12 for drinks".
pub(super) fn paid(
    words: &Words,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BillSplitAction)> {
    if let Some(given) = given(words, at, end) {
        return Some((Soft, given));
    }
    if let Some((_, _, until)) = own_part(words, at, end) {
        let parts = money::parts(words, at, until);
        let action = match parts.len() {
            1 => one_paid(words, at, end, None)?,
            _ => BillSplitAction::PayersUnclear,
        };
        return Some((Soft, action));
    }
    let parts = money::parts(words, at, end);
    let (first, others) = parts.split_first()?;
    let action = one_paid(words, first.0, first.1, None)?;
    if others.is_empty() {
        return Some((Soft, action));
    }
    let BillSplitAction::Paid(first) = action else {
        return Some((Soft, BillSplitAction::PayersUnclear));
    };
    let mut all = vec![first];
    for (from, to) in others {
        let payer = all.last().map(|paid: &PaidAction| paid.payer.clone());
        match one_paid(words, *from, *to, payer) {
            Some(BillSplitAction::Paid(paid)) => all.push(paid),
            _ => return Some((Soft, BillSplitAction::PayersUnclear)),
        }
    }
    let are_for_something = all.iter().all(|paid| !paid.purpose.is_empty());
    let are_by_others = all.windows(2).all(|two| two[0].payer != two[1].payer);
    Some((
        Soft,
        match are_for_something || are_by_others {
            true => BillSplitAction::AllPaid(all),
            false => BillSplitAction::PayersUnclear,
        },
    ))
}

/// "Ana paid 30 for pizza", "Bo paid Ana 30", "Bo paid Ana back"; without a payer "12 for drinks".
fn one_paid(
    words: &Words,
    at: usize,
    end: usize,
    payer: Option<String>,
) -> Option<BillSplitAction> {
    // "paid bo back", "paid ana 20"
    if is_paid(words.get(at)) && payer.is_none() {
        let Some((_, next)) = money::read(words, at + 1) else {
            return settled(words, "I".to_owned(), at + 1, end);
        };
        // "paid 30 for Bo and me"
        let purpose = parsers::original(words, words.after(next, phrases!["for"])?, end);
        shared_with(&purpose)?;
        return one_paid(words, at + 1, end, Some("I".to_owned()));
    }
    let (own_part, end) = match own_part(words, at, end) {
        Some((name, sum, until)) => (Some((name, sum)), until),
        None => (None, end),
    };
    let verb = (at + 1..end.min(at + 2 + NAME_WORDS_MAX)).find(|n| is_paid(words.get(*n)));
    let (payer, after) = match (verb, payer) {
        (Some(verb), _) => (without_adverb(words, at, verb), verb + 1),
        (None, Some(payer)) if money::read(words, at).is_some() => (payer, at),
        (None, _) => return None,
    };
    if is_passive(&payer) {
        return None;
    }
    let after = words.skip(after, phrases!["another"]);
    let Some((money, next)) = money::read(words, after) else {
        return thing_paid(words, &payer, after, end).or_else(|| settled(words, payer, after, end));
    };
    if are_several(&payer) {
        let each = each_paid(words, &payer, (money, next), end);
        return Some(each.unwrap_or(BillSplitAction::PayersUnclear));
    }
    if !is_somebody(&payer) {
        return None;
    }
    if let Some(to) = paid_to(words, &payer, next, end) {
        let money = Some(money);
        return Some(BillSplitAction::Settled { payer, to, money });
    }
    if let Some(paid) = paid_only_for(words, &payer, (money.clone(), next), end) {
        return Some(BillSplitAction::Paid(paid));
    }
    let (purpose, among, except) = shared(words, &payer, next, end)?;
    Some(BillSplitAction::Paid(PaidAction {
        payer,
        money,
        purpose,
        among,
        except,
        own_part,
        ..PaidAction::default()
    }))
}

/// "the taxi 30" after "Ana paid". What one paid oneself may be nobody else's.
fn thing_paid(words: &Words, payer: &str, from: usize, end: usize) -> Option<BillSplitAction> {
    let thing = words.after(from, phrases!["for the", "for our", "the", "our"])?;
    let amount = (thing + 1..end)
        .find_map(|n| Some((n, money::read(words, n).filter(|(_, next)| *next == end)?)));
    let (until, (money, _)) = amount?;
    let purpose = parsers::original(words, thing, until);
    let purpose = purpose.trim_end_matches(',').to_owned();
    let is_other = !is_self(payer) && is_somebody(payer) && !are_several(payer);
    (is_other && statement::is_thing(&purpose)).then(|| {
        BillSplitAction::Paid(PaidAction {
            payer: payer.to_owned(),
            money,
            purpose,
            ..PaidAction::default()
        })
    })
}

/// "… but kim pays only 10": who, how much, and where the words before it end.
pub(super) fn own_part(words: &Words, at: usize, end: usize) -> Option<(String, Money, usize)> {
    static VERBS: Phrases = Phrases::new(&[
        "pays only", "only pays", "just pays", "pays just", "pays", "only", "paid only",
        "only paid", "owes only", "only owes",
    ]);
    let but = (at + 1..end).rev().find(|n| words.get(*n) == "but")?;
    let verb = |verb: usize| Some((verb, words.after(verb, &VERBS)?));
    let (verb, from) = (but + 2..end.min(but + 2 + NAME_WORDS_MAX)).find_map(verb)?;
    let (money, next) = money::read(words, from)?;
    let name = parsers::original(words, but + 1, verb);
    (next == end && is_somebody(&name)).then_some((name, money, but))
}

/// "bo and I paid 50 each for gas".
fn each_paid(
    words: &Words,
    payers: &str,
    (money, next): (money::Money, usize),
    end: usize,
) -> Option<BillSplitAction> {
    let after = words.after(next, phrases!["each"])?;
    let purpose = match words.after(after, phrases!["for"]) {
        Some(from) => parsers::original(words, from, end),
        None => (after == end).then(String::new)?,
    };
    let each = parsers::things(payers);
    let are_named = each.len() > 1 && each.iter().all(|name| is_somebody(name));
    let paid = |payer| PaidAction {
        payer,
        money: money.clone(),
        purpose: purpose.clone(),
        ..PaidAction::default()
    };
    (are_named && statement::is_thing(&purpose))
        .then(|| BillSplitAction::AllPaid(each.into_iter().map(paid).collect()))
}

fn is_paid(word: &str) -> bool {
    matches!(word, "paid" | "payed")
}

/// "got paid 2000" is nobody's payment.
fn is_passive(payer: &str) -> bool {
    let last = payer.rsplit(' ').next().unwrap_or_default().to_lowercase();
    [
        "got", "get", "gets", "getting", "am", "im", "is", "are", "was", "were", "be", "been",
        "being",
    ]
    .contains(&last.as_str())
}

/// "for pizza between Ana and Bo", "for everybody but Bo", "for her and Bo" after the amount: what
/// it was for, for whom, and for whom not.
fn shared(
    words: &Words,
    payer: &str,
    next: usize,
    end: usize,
) -> Option<(String, Vec<String>, Vec<String>)> {
    let but = everybody_but(words, next, end);
    let between = (next..end).find(|n| matches!(words.get(*n), "between" | "among"));
    let until = match (between, &but) {
        (Some(between), _) => between,
        (None, Some((at, _))) => *at,
        (None, None) => end,
    };
    let purpose = match words.after(next, phrases!["for"]) {
        Some(from) if from <= until => parsers::original(words, from, until),
        None if next == until => String::new(),
        _ => return None,
    };
    let purpose = [" split", " for"]
        .iter()
        .find_map(|tail| purpose.strip_suffix(tail))
        .map_or(purpose.clone(), str::to_owned);
    // "taxi for both of us": who paid and who speaks.
    if let Some(purpose) = for_both(&purpose).filter(|_| !is_self(payer)) {
        let both = vec![payer.to_owned(), "me".to_owned()];
        return statement::is_thing(&purpose).then_some((purpose, both, Vec::new()));
    }
    // "for the 3 of us": who they are is not said.
    let lower = purpose.to_lowercase();
    let is_of_us = lower.ends_with(" of us") && !lower.ends_with("all of us");
    if is_of_us || !statement::is_thing(&purpose) {
        return None;
    }
    let (among, except) = match (between, but) {
        (_, Some((_, except))) => (Vec::new(), except),
        (Some(from), None) => (names(words, from + 1, end), Vec::new()),
        (None, None) => (Vec::new(), Vec::new()),
    };
    let for_people = Some(parsers::things(&purpose)).filter(|things| things.len() > 1);
    let for_people = for_people.and_then(|people| with_payer(people, payer));
    let (purpose, among) = match for_people {
        Some(people) if among.is_empty() && except.is_empty() => (String::new(), people),
        _ => (purpose, among),
    };
    Some((purpose, among, except))
}

/// "the taxi" of "the taxi for both of us".
fn for_both(purpose: &str) -> Option<String> {
    const BOTH: [&str; 5] = [
        "both of us", "us both", "the two of us", "the both of us", "the 2 of us",
    ];
    let lower = purpose.to_lowercase();
    let before = BOTH.iter().find_map(|both| lower.strip_suffix(both))?;
    match before.trim_end() {
        "" => Some(String::new()),
        what => {
            let what = what.strip_suffix(" for")?;
            purpose.get(..what.len()).map(str::to_owned)
        }
    }
}

/// "Ana paid 45 for tickets just for her and Bo": she is who paid.
fn paid_only_for(
    words: &Words,
    payer: &str,
    (amount, next): (money::Money, usize),
    end: usize,
) -> Option<PaidAction> {
    static ONLY_FOR: Phrases = Phrases::new(&["just for", "only for", "for just", "for only"]);
    let limited = (next..end).find_map(|n| Some((n, words.after(n, &ONLY_FOR)?, end)));
    // "for her and Bo only"
    let is_last = words.get(end - 1) == "only";
    let last_for = || (next..end - 1).rfind(|n| is_last && words.get(*n) == "for");
    let (at, from, end) = limited.or_else(|| last_for().map(|n| (n, n + 1, end - 1)))?;
    let purpose = match words.after(next, phrases!["for"]) {
        _ if at == next => String::new(),
        Some(from) if from < at => parsers::original(words, from, at),
        _ => return None,
    };
    let among = names(words, from, end);
    let with_payer = with_payer(among.clone(), payer);
    // "30 for pizza only"
    if is_last && at == next && with_payer.is_none() {
        return None;
    }
    let among = with_payer.unwrap_or(among);
    Some(PaidAction {
        payer: payer.to_owned(),
        money: amount,
        purpose,
        among,
        ..PaidAction::default()
    })
}

/// "her and Bo" of what Ana paid: she is meant by it. `None` where nobody is named by a pronoun, or
/// a thing is named.
fn with_payer(mut people: Vec<String>, payer: &str) -> Option<Vec<String>> {
    let is_payer = |name: &str| {
        let own = ["her", "him", "them", "herself", "himself", "themselves"];
        own.contains(&name.to_lowercase().as_str())
    };
    let is_named = people.iter().any(|name| is_payer(name) || is_self(name));
    if !is_named
        || !people
            .iter()
            .all(|name| is_payer(name) || is_somebody(name))
    {
        return None;
    }
    // "I paid 30 for her and Bo": who she is is asked.
    for name in people.iter_mut().filter(|name| is_payer(name)) {
        if !is_self(payer) {
            payer.clone_into(name);
        }
    }
    Some(people)
}
