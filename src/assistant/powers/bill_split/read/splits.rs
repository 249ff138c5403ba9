//! Parses how a sum is split: "split 90 dollars between Ana, Bo and me", "dinner 60, split it with
//! bo", "split 90 by 3".

use super::payments::own_part;
use super::{NAME_WORDS_MAX, are_several, everybody_but, is_self, names};
use crate::assistant::powers::RequestStrength::{self, Clear};
use crate::assistant::powers::bill_split::{BillSplitAction, PART_MAX, PaidAction};
use crate::assistant::powers::{money, parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::amount;
use crate::assistant::text::words::Words;

/// A larger tip is taken for a mistake.
const TIP_PERCENT_MAX: i64 = 100;
/// More ways are taken for a mistake.
const WAYS_MAX: i64 = 1_000;

/// "dinner 60 split between me, bo and cy", "60 for dinner, split it with bo".
pub(super) fn split_at_end(words: &Words, at: usize, end: usize) -> Option<BillSplitAction> {
    let verbs = ["split", "divided", "divide", "shared", "share"];
    let verb = (at + 1..end).find(|n| verbs.contains(&words.get(*n)))?;
    let at = words.skip(at, phrases!["i paid", "paid", "we paid", "the", "our", "a"]);
    let (purpose, amount) = amount_after(words, at, verb);
    let (sum, next) = amount?;
    let purpose = match (
        purpose,
        words.after(next, phrases!["for the", "for", "on the", "on"]),
    ) {
        (None, Some(from)) => parsers::original(words, from, verb),
        (purpose, None) if next == verb => purpose.unwrap_or_default(),
        _ => return None,
    };
    let lasts = [" was", " is", " cost", " costs", " were"];
    let purpose = lasts
        .iter()
        .find_map(|last| purpose.strip_suffix(last))
        .unwrap_or(&purpose);
    if !statement::is_thing(purpose) {
        return None;
    }
    static FILLERS: Phrases = Phrases::new(&[
        "it evenly", "it equally", "evenly", "equally", "it", "that", "this",
    ]);
    let from = words.skip(verb + 1, &FILLERS);
    if let Some(ways) = ways(words, from, end) {
        let money = sum;
        return Some(BillSplitAction::Ways { money, ways });
    }
    match split_between(words, sum, from, without_evenly(words, from, end))? {
        BillSplitAction::Paid(paid) => Some(BillSplitAction::Paid(PaidAction {
            purpose: match purpose {
                "" => paid.purpose,
                purpose => purpose.to_owned(),
            },
            ..paid
        })),
        action => Some(action),
    }
}

/// How a bill is split whose parts are not said.
static UNEQUAL: Phrases = Phrases::new(&[
    "unevenly", "unequally", "not evenly", "not equally", "by income", "by consumption",
]);

/// "split 90 dollars for pizza between Ana, Bo and me, paid by Ana".
pub(super) fn split(
    words: &Words,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BillSplitAction)> {
    let end = without_evenly(words, at + 1, end);
    let after = words.skip(
        at + 1,
        phrases![
            "the bill of", "a bill of", "the bill", "a bill", "the check", "the", "a",
        ],
    );
    let bill = after > at + 2;
    let (purpose, amount) = amount_after(words, after, end);
    let Some((mut sum, next)) = amount else {
        let from = words.after(after, phrases!["between", "among", "with", "btw", "w"])?;
        let mut people = names(words, from, end);
        let is_own = people.iter().any(|name| is_self(name));
        if matches!(words.get(from - 1), "with" | "w") && !is_own {
            people.push("me".to_owned());
        }
        return bill.then_some((Clear, BillSplitAction::People(people)));
    };
    let Some(next) = with_sum(words, &mut sum, next) else {
        return Some((Clear, BillSplitAction::Unclear));
    };
    let (next, end) = match tip(words, next, end) {
        Some((percent, from, to)) if to == end || from == next => {
            sum.minor += (sum.minor * percent + 50) / 100;
            if to == end { (next, from) } else { (to, end) }
        }
        _ => (next, end),
    };
    if (next..end).any(|at| words.get(at) == "tip" && words.get(at - 1) != "for") {
        return Some((Clear, BillSplitAction::TipUnclear));
    }
    if (next..end).any(|at| words.after(at, &UNEQUAL).is_some()) {
        return Some((Clear, BillSplitAction::PartsUnclear));
    }
    if (next..end).any(|at| words.get(at).contains('%')) {
        return Some((Clear, BillSplitAction::Unclear));
    }
    let next = words.skip(next, phrases!["evenly", "equally", "fairly"]);
    let (next, end, parts) = match ratio(words, next, end) {
        Ratio::None => (next, end, Vec::new()),
        Ratio::Parts { next, end, parts } => (next, end, parts),
        Ratio::Unclear => return Some((Clear, BillSplitAction::PartsUnclear)),
    };
    if let Some(ways) = ways(words, next, end) {
        let money = sum;
        return Some((Clear, BillSplitAction::Ways { money, ways }));
    }
    let action = match split_between(words, sum, next, end)? {
        BillSplitAction::Paid(_) if !parts.is_empty() && has_with(words, next, end) => {
            BillSplitAction::PartsUnclear
        }
        BillSplitAction::Paid(paid) if parts.is_empty() || parts.len() == paid.among.len() => {
            let purpose = purpose.filter(|_| paid.purpose.is_empty());
            BillSplitAction::Paid(PaidAction {
                parts,
                purpose: purpose.unwrap_or(paid.purpose),
                ..paid
            })
        }
        BillSplitAction::Paid(_) => BillSplitAction::PartsUnclear,
        _ if !parts.is_empty() => BillSplitAction::PartsUnclear,
        action => action,
    };
    Some((Clear, action))
}

/// Where the words end without "equally" and the like, which is how a bill is split anyway.
fn without_evenly(words: &Words, from: usize, end: usize) -> usize {
    static EVENLY: Phrases = Phrases::new(&[
        "equally", "equal", "evenly", "even", "fairly", "fair and square", "fair", "equal parts",
        "in equal parts", "equal shares", "in equal shares", "half and half", "fifty fifty",
        "all equal", "all equally", "please", "pls",
    ]);
    const EVENLY_WORDS_MAX: usize = 3;
    let first = end.saturating_sub(EVENLY_WORDS_MAX).max(from + 1);
    let is_evenly = |at: &usize| {
        words.after(*at, &EVENLY) == Some(end) && !matches!(words.get(at - 1), "not" | "and")
    };
    (first..end).find(is_evenly).unwrap_or(end)
}

/// "80", "dinner 80": what it was for, and the amount with the index after it.
fn amount_after(
    words: &Words,
    at: usize,
    end: usize,
) -> (Option<String>, Option<(money::Money, usize)>) {
    if let Some(amount) = money::read(words, at) {
        return (None, Some(amount));
    }
    let named = (at + 1..end.min(at + 1 + NAME_WORDS_MAX))
        .find(|n| money::read(words, *n).is_some() && (at..*n).all(|n| is_plain(words.get(n))));
    (
        named.map(|to| parsers::original(words, at, to)),
        named.and_then(|at| money::read(words, at)),
    )
}

fn is_plain(word: &str) -> bool {
    let is_link = matches!(
        word,
        "between" | "among" | "with" | "w" | "btw" | "for" | "by" | "in"
    );
    word.chars().all(char::is_alphabetic) && !is_link
}

/// "minus 10", "plus 5.50" after the amount: the index after it. `None` where it is unclear.
fn with_sum(words: &Words, sum: &mut money::Money, at: usize) -> Option<usize> {
    let sign = match words.get(at) {
        "minus" | "less" => -1,
        "plus" => 1,
        _ => return Some(at),
    };
    let is_percent =
        |next: usize| words.get(at + 1).contains('%') || matches!(words.get(next), "%" | "percent");
    match money::read(words, at + 1) {
        Some((_, next)) if is_percent(next) => Some(at),
        Some((more, next)) if sum.minor + sign * more.minor > 0 => {
            sum.minor += sign * more.minor;
            Some(next)
        }
        None if sign > 0 => Some(at), // "plus tip", "plus 15% tip"
        _ => None,
    }
}

/// "with Ana" doesn't say whose part is first.
fn has_with(words: &Words, from: usize, end: usize) -> bool {
    (from..end).any(|at| is_with(words, at))
}

fn is_with(words: &Words, at: usize) -> bool {
    matches!(words.get(at), "with" | "w")
}

fn is_between(words: &Words, at: usize) -> bool {
    matches!(
        words.get(at),
        "between" | "among" | "amongst" | "btw" | "bw" | "btwn"
    )
}

/// "60/40" after the amount or at the end.
enum Ratio {
    None,
    Unclear,
    /// The words without the parts, and the parts; none where they are equal.
    Parts {
        next: usize,
        end: usize,
        parts: Vec<i64>,
    },
}

fn ratio(words: &Words, next: usize, end: usize) -> Ratio {
    let parts_at = |at: usize| {
        let parts = words.get(at).split(['/', ':', '-']);
        let parts = parts.map(|part| part.trim_end_matches('%').parse::<i64>().ok());
        let parts = parts.collect::<Option<Vec<i64>>>()?;
        let fit = parts.iter().all(|part| (1..=PART_MAX).contains(part));
        (parts.len() > 1 && fit).then_some(parts)
    };
    let Some((at, mut parts)) = (next..end).find_map(|at| Some((at, parts_at(at)?))) else {
        return Ratio::None;
    };
    let (next, end) = match at {
        at if at == next => (next + 1, end),
        at if at + 1 == end => (next, end - 1),
        _ => return Ratio::Unclear,
    };
    if parts.iter().all(|part| *part == parts[0]) {
        parts.clear();
    }
    Ratio::Parts { next, end, parts }
}

/// "for pizza between Ana, Bo and me, paid by Ana", after the amount.
fn split_between(
    words: &Words,
    amount: money::Money,
    next: usize,
    end: usize,
) -> Option<BillSplitAction> {
    let (own_part, end) = match own_part(words, next, end) {
        Some((name, sum, until)) => (Some((name, sum)), until),
        None => (None, end),
    };
    let between = (next..end).find(|n| is_with(words, *n) || is_between(words, *n));
    let Some(between) = between else {
        return (next == end).then_some(BillSplitAction::Unclear);
    };
    // "split 100 and 50 with Bo"
    if (next..between).any(|n| money::read(words, n).is_some()) {
        return Some(BillSplitAction::Unclear);
    }
    let purpose = words
        .after(next, phrases!["for", "of"])
        .filter(|from| *from < between)
        .map_or_else(String::new, |from| parsers::original(words, from, between));
    let by = (between + 1..end).find(|n| words.after(*n, phrases!["paid by"]).is_some());
    let (until, payer) = match by {
        Some(by) => (by, parsers::original(words, by + 2, end)),
        None => payer_after(words, between + 1, end),
    };
    let (until, purpose) = purpose_after(words, between + 1, until, purpose);
    let (mut among, except) = match everybody_but(words, between + 1, until) {
        Some((_, except)) => (vec!["everybody".to_owned()], except),
        None => (names(words, between + 1, until), Vec::new()),
    };
    if is_with(words, between) {
        among.push("me".to_owned());
    }
    if among.len() < 2
        && !matches!(
            among.first().map(String::as_str),
            Some("us" | "everyone" | "everybody" | "all of us")
        )
    {
        return Some(BillSplitAction::Unclear);
    }
    let payer = if payer.is_empty() {
        "me".to_owned()
    } else {
        payer
    };
    if are_several(&payer) {
        return Some(BillSplitAction::PayersUnclear);
    }
    Some(BillSplitAction::Paid(PaidAction {
        payer,
        money: amount,
        purpose,
        among: match except.is_empty() {
            true => among,
            false => Vec::new(),
        },
        except,
        own_part,
        ..PaidAction::default()
    }))
}

/// "… with 20% tip", "plus 15 % tip": how many percent, and from where to where it is.
fn tip(words: &Words, from: usize, end: usize) -> Option<(i64, usize, usize)> {
    let is_link = |at: &usize| matches!(words.get(*at), "with" | "plus" | "and" | "including");
    (from..end)
        .rev()
        .filter(is_link)
        .find_map(|at| tip_at(words, at))
}

fn tip_at(words: &Words, at: usize) -> Option<(i64, usize, usize)> {
    let next = words.skip(at + 1, phrases!["a", "an"]);
    let number = words.get(next);
    let (percent, after) = match number.strip_suffix('%') {
        Some(percent) => (percent, next + 1),
        None => (number, words.after(next + 1, phrases!["%", "percent"])?),
    };
    let percent = percent
        .parse()
        .ok()
        .filter(|n| (1..=TIP_PERCENT_MAX).contains(n))?;
    words
        .after(after, phrases!["tip"])
        .map(|to| (percent, at, to))
}

/// "…, Ana paid" at the end: where the names end, and who.
fn payer_after(words: &Words, from: usize, end: usize) -> (usize, String) {
    let ends_paid = end > from + 1 && words.get(end - 1) == "paid";
    if !ends_paid {
        return (end, String::new());
    }
    let start = (from..end - 1)
        .rev()
        .find(|n| words.is_set_off(*n))
        .map_or(end - 2, |n| n + 1);
    (start, parsers::original(words, start, end - 1))
}

/// "… between Ana and me for pizza".
fn purpose_after(words: &Words, from: usize, until: usize, known: String) -> (usize, String) {
    match (from..until).find(|n| words.get(*n) == "for") {
        Some(at) if known.is_empty() && at + 1 < until => {
            (at, parsers::original(words, at + 1, until))
        }
        _ => (until, known),
    }
}

/// "three ways", "by 3", "between 4 people", "in half".
fn ways(words: &Words, at: usize, end: usize) -> Option<i64> {
    if words.after(at, phrases!["in half", "in two", "evenly in two"]) == Some(end) {
        return Some(2);
    }
    // "with 2 friends", "between me and 2 friends"
    if let Some(from) = words.after(at, phrases!["with", "w", "between me and", "among me and"]) {
        let count = count(words.get(from))?;
        static OTHERS: Phrases =
            Phrases::new(&["friends", "others", "people", "other people", "more people"]);
        let whole = words.after(from + 1, &OTHERS) == Some(end);
        return (whole && (1..WAYS_MAX).contains(&count)).then_some(count + 1);
    }
    let from = words.skip(
        at,
        phrases![
            "evenly by", "evenly between", "equally between", "by", "between", "among", "into",
            "btw", "in",
        ],
    );
    let count = count(words.get(from))?;
    let after = words.skip(
        from + 1,
        phrases!["ways", "people", "persons", "of us", "friends", "parts"],
    );
    (after == end && (after > from + 1 || from > at) && (1..=WAYS_MAX).contains(&count))
        .then_some(count)
}

fn count(word: &str) -> Option<i64> {
    let spelled = amount::number_word(word).map(i64::from);
    spelled.or_else(|| word.parse().ok())
}
