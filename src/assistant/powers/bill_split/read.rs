//! Parses messages about bills: "split 90 dollars between Ana, Bo and me", "Ana paid 30 for pizza",
//! "who owes what?".

use super::{Amount, BillSplitAction};
use crate::assistant::builtin::Talk;
use crate::assistant::builtin::words::Words;
use crate::assistant::powers::Strength::{self, Clear, Soft};
use crate::assistant::powers::{money, pieces};

/// Words of the name before "paid".
const NAME_WORDS_MAX: usize = 3;
/// A larger tip is taken for a mistake.
const TIP_PERCENT_MAX: i64 = 100;
/// More ways are taken for a mistake.
const WAYS_MAX: i64 = 1_000;

pub(in crate::assistant::powers) fn parse(talk: &Talk<'_>) -> Option<(Strength, BillSplitAction)> {
    if let Some(action) = fixed(talk.request()) {
        return Some((Clear, action));
    }
    let words = &talk.words;
    let (at, end) = (talk.start, pieces::end(words));
    if let "split" | "divide" | "share" = words.get(at) {
        return split(words, at, end);
    }
    paid(words, at, end)
}

fn fixed(request: &str) -> Option<BillSplitAction> {
    Some(match request {
        "who owes what"
        | "who owes whom"
        | "who owes who"
        | "who owes who what"
        | "who owes me"
        | "who owes"
        | "who owes me what"
        | "settle up"
        | "lets settle up"
        | "who pays whom"
        | "who pays who"
        | "how do we settle up"
        | "who has to pay"
        | "what does everyone owe"
        | "what does everybody owe" => BillSplitAction::Owed,
        "bill split"
        | "the bill"
        | "our bill"
        | "show the bill"
        | "show our bill"
        | "my bill"
        | "show me the bill"
        | "show my bill"
        | "whats on the bill"
        | "what is on the bill"
        | "show expenses"
        | "show our expenses"
        | "split bills" => BillSplitAction::Show,
        "clear the bill" | "new bill" | "start a new bill" | "clear our bill"
        | "delete the bill" | "reset the bill" | "clear my bill" | "close the bill" => {
            BillSplitAction::Clear
        }
        "split the bill"
        | "split a bill"
        | "lets split the bill"
        | "split the check"
        | "split the costs"
        | "split our expenses" => BillSplitAction::Unclear,
        _ => return None,
    })
}

/// "split 90 dollars for pizza between Ana, Bo and me, paid by Ana".
fn split(words: &Words<'_>, at: usize, end: usize) -> Option<(Strength, BillSplitAction)> {
    let after = words
        .after(
            at + 1,
            &[
                "the bill of",
                "a bill of",
                "the bill",
                "a bill",
                "the check",
                "the",
                "a",
            ],
        )
        .unwrap_or(at + 1);
    let bill = after > at + 2;
    let amount = money::read(words, after);
    let Some((mut sum, next)) = amount else {
        let from = words.after(after, &["between", "among", "with"])?;
        return bill.then(|| (Clear, BillSplitAction::People(names(words, from, end))));
    };
    let end = match tip(words, next, end) {
        Some((percent, end)) => {
            sum.minor += (sum.minor * percent + 50) / 100;
            end
        }
        None => end,
    };
    if (next..end).any(|at| words.get(at).contains('%')) {
        return Some((Clear, BillSplitAction::Unclear));
    }
    if let Some(ways) = ways(words, next, end) {
        let money = Amount::new(sum);
        return Some((Clear, BillSplitAction::Ways { money, ways }));
    }
    split_between(words, sum, next, end).map(|action| (Clear, action))
}

/// "for pizza between Ana, Bo and me, paid by Ana", after the amount.
fn split_between(
    words: &Words<'_>,
    amount: money::Money,
    next: usize,
    end: usize,
) -> Option<BillSplitAction> {
    let between = (next..end).find(|n| matches!(words.get(*n), "between" | "among" | "with"));
    let Some(between) = between else {
        return (next == end).then_some(BillSplitAction::Unclear);
    };
    let purpose = words
        .after(next, &["for", "of"])
        .filter(|from| *from < between)
        .map_or_else(String::new, |from| pieces::original(words, from, between));
    let by = (between + 1..end).find(|n| words.after(*n, &["paid by"]).is_some());
    let (until, payer) = match by {
        Some(by) => (by, pieces::original(words, by + 2, end)),
        None => payer_after(words, between + 1, end),
    };
    let (until, purpose) = purpose_after(words, between + 1, until, purpose);
    let mut among = names(words, between + 1, until);
    if words.get(between) == "with" {
        among.push("me".to_owned());
    }
    if among.len() < 2
        && !matches!(
            among.first().map(String::as_str),
            Some("us" | "everyone" | "everybody")
        )
    {
        return Some(BillSplitAction::Unclear);
    }
    let payer = if payer.is_empty() {
        "me".to_owned()
    } else {
        payer
    };
    Some(BillSplitAction::Paid {
        payer,
        money: Amount::new(amount),
        purpose,
        among,
    })
}

/// "… with 20% tip", "plus 15 % tip": how many percent, and where what is before it ends.
fn tip(words: &Words<'_>, from: usize, end: usize) -> Option<(i64, usize)> {
    let at = (from..end)
        .rev()
        .find(|at| matches!(words.get(*at), "with" | "plus" | "and" | "including"))?;
    let next = words.after(at + 1, &["a", "an"]).unwrap_or(at + 1);
    let number = words.get(next);
    let (percent, after) = match number.strip_suffix('%') {
        Some(percent) => (percent, next + 1),
        None => (number, words.after(next + 1, &["%", "percent"])?),
    };
    let percent = percent
        .parse()
        .ok()
        .filter(|n| (1..=TIP_PERCENT_MAX).contains(n))?;
    (words.after(after, &["tip"]) == Some(end)).then_some((percent, at))
}

/// "…, Ana paid" at the end: where the names end, and who.
fn payer_after(words: &Words<'_>, from: usize, end: usize) -> (usize, String) {
    let ends_paid = end > from + 1 && words.get(end - 1) == "paid";
    if !ends_paid {
        return (end, String::new());
    }
    let start = (from..end - 1)
        .rev()
        .find(|n| words.is_set_off(*n))
        .map_or(end - 2, |n| n + 1);
    (start, pieces::original(words, start, end - 1))
}

/// "… between Ana and me for pizza".
fn purpose_after(words: &Words<'_>, from: usize, until: usize, known: String) -> (usize, String) {
    match (from..until).find(|n| words.get(*n) == "for") {
        Some(at) if known.is_empty() && at + 1 < until => {
            (at, pieces::original(words, at + 1, until))
        }
        _ => (until, known),
    }
}

fn names(words: &Words<'_>, from: usize, end: usize) -> Vec<String> {
    pieces::things(words.original(from..end.max(from)))
}

/// "three ways", "by 3", "between 4 people", "in half".
fn ways(words: &Words<'_>, at: usize, end: usize) -> Option<i64> {
    if words.after(at, &["in half", "in two", "evenly in two"]) == Some(end) {
        return Some(2);
    }
    let from = words
        .after(at, &["by", "between", "among", "into"])
        .unwrap_or(at);
    let count = count(words.get(from))?;
    let after = words
        .after(
            from + 1,
            &["ways", "people", "persons", "of us", "friends", "parts"],
        )
        .unwrap_or(from + 1);
    (after == end && (after > from + 1 || from > at) && (1..=WAYS_MAX).contains(&count))
        .then_some(count)
}

fn count(word: &str) -> Option<i64> {
    const NAMES: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    (1..)
        .zip(NAMES)
        .find(|(_, name)| *name == word)
        .map(|(n, _)| n)
        .or_else(|| word.parse().ok())
}

/// "Ana paid 30 for pizza", "I paid 30", "Bo paid Ana 30", "Bo paid Ana back 30".
fn paid(words: &Words<'_>, at: usize, end: usize) -> Option<(Strength, BillSplitAction)> {
    let verb = (at + 1..end.min(at + 1 + NAME_WORDS_MAX)).find(|n| words.get(*n) == "paid")?;
    let payer = pieces::original(words, at, verb);
    if let Some((money, next)) = money::read(words, verb + 1) {
        let between = (next..end).find(|n| matches!(words.get(*n), "between" | "among"));
        if let Some(paid) = paid_only_for(words, &payer, (money.clone(), next), end) {
            return Some((Soft, paid));
        }
        let until = between.unwrap_or(end);
        let purpose = match words.after(next, &["for"]) {
            Some(from) if from < until => pieces::original(words, from, until),
            None if next == until => String::new(),
            _ => return None,
        };
        return Some((
            Soft,
            BillSplitAction::Paid {
                payer,
                money: Amount::new(money),
                purpose: purpose
                    .strip_suffix(" split")
                    .map_or(purpose.clone(), str::to_owned),
                among: between.map_or_else(Vec::new, |from| names(words, from + 1, end)),
            },
        ));
    }
    let amount = (verb + 2..end.min(verb + 3 + NAME_WORDS_MAX))
        .find_map(|n| money::read(words, n).map(|found| (n, found)))?;
    let (from, (money, next)) = amount;
    let back = words.get(from - 1) == "back";
    let whole = next == end || words.after(next, &["back"]) == Some(end);
    let to = pieces::original(words, verb + 1, from - usize::from(back));
    // "I paid the taxi, 30" settles no debt.
    if words.get(verb + 1) == "the" {
        return None;
    }
    let to = to.strip_prefix("back ").map_or(to.clone(), str::to_owned);
    (whole && !to.is_empty()).then(|| {
        (
            Soft,
            BillSplitAction::Settled {
                payer,
                to,
                money: Amount::new(money),
            },
        )
    })
}

/// "Ana paid 45 for tickets just for her and Bo": she is who paid.
fn paid_only_for(
    words: &Words<'_>,
    payer: &str,
    (amount, next): (money::Money, usize),
    end: usize,
) -> Option<BillSplitAction> {
    let at = (next..end).find(|n| words.after(*n, &["just for", "only for"]).is_some())?;
    let purpose = match words.after(next, &["for"]) {
        Some(from) if from < at => pieces::original(words, from, at),
        None if next == at => String::new(),
        _ => return None,
    };
    let mut among = names(words, at + 2, end);
    for name in &mut among {
        if matches!(
            name.as_str(),
            "her" | "him" | "them" | "herself" | "himself" | "themselves"
        ) {
            payer.clone_into(name);
        }
    }
    Some(BillSplitAction::Paid {
        payer: payer.to_owned(),
        money: Amount::new(amount),
        purpose,
        among,
    })
}
