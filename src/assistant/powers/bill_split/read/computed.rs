//! Parses sums that are only computed: "dinner was 120 for 4 with 15% tip", "20% tip on 45".

use super::super::BillSplitAction;
use crate::assistant::powers::money;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::amount;
use crate::assistant::text::words::Words;

/// A larger tip is taken for a mistake.
const TIP_PERCENT_MAX: i64 = 100;
/// More people are taken for a mistake.
const PEOPLE_MAX: i64 = 100;
/// Words before the sum.
const SUBJECT_WORDS_MAX: usize = 6;

pub(super) fn parse(words: &Words, at: usize, end: usize) -> Option<BillSplitAction> {
    tip_on(words, at, end).or_else(|| each_of(words, at, end))
}

/// "what's 20% tip on 45": the tip, and what it makes in all.
fn tip_on(words: &Words, at: usize, end: usize) -> Option<BillSplitAction> {
    static ASKED: Phrases = Phrases::new(&[
        "whats", "what is", "what would", "how much is", "how much would", "calculate", "compute",
        "work out", "add", "give me", "leave",
    ]);
    let from = words.skip(at, &ASKED);
    let (percent, next) = percent_of_tip(words, words.skip(from, phrases!["a", "an", "the"]))?;
    let next = words.skip(next, phrases!["be"]);
    let from = words.after(
        next,
        phrases!["on a", "on", "for a", "for", "of", "to a", "to"],
    )?;
    let (money, next) = money::read(words, from)?;
    let next = words.skip(next, phrases!["bill", "check", "meal", "dinner", "lunch"]);
    (next == end).then_some(BillSplitAction::Tip { money, percent })
}

/// "15% tip", "15 percent tip": how much, and the index after it.
fn percent_of_tip(words: &Words, at: usize) -> Option<(i64, usize)> {
    let number = words.get(at);
    let (number, next) = match number.strip_suffix('%') {
        Some(number) => (number, at + 1),
        None => (
            number,
            words.after(at + 1, phrases!["%", "percent", "per cent"])?,
        ),
    };
    let next = words.after(next, phrases!["of tip", "for tip", "tip"])?;
    let percent = number.parse().ok();
    let percent = percent.filter(|percent| (1..=TIP_PERCENT_MAX).contains(percent))?;
    Some((percent, next))
}

/// "dinner was 120 for 4 with 15% tip", "bill was 84, three of us": what each pays. All words are of
/// the sum, of the people who share it, or of the tip.
fn each_of(words: &Words, at: usize, end: usize) -> Option<BillSplitAction> {
    static SUBJECT: Phrases = Phrases::new(&[
        "split", "divide", "share", "the", "our", "a", "bill", "check", "tab", "total", "dinner",
        "lunch", "brunch", "breakfast", "drinks", "meal", "restaurant", "of", "was", "is",
        "came to", "comes to", "cost", "for",
    ]);
    let mut from = at;
    while from < at + SUBJECT_WORDS_MAX && money::read(words, from).is_none() {
        from = words.after(from, &SUBJECT)?;
    }
    let is_bill = (at..from).any(|n| {
        matches!(
            words.get(n),
            "bill" | "check" | "tab" | "split" | "divide" | "share"
        )
    });
    let (mut money, mut next) = money::read(words, from)?;
    // "with 2 friends" are more people than 2.
    if (next..end).any(|n| words.get(n) == "with" && people_at(words, n + 1).is_some()) {
        return None;
    }
    static LINKS: Phrases = Phrases::new(&[
        "with", "plus", "and", "including", "a", "an", "split", "shared", "divided", "evenly",
        "equally", "between", "among", "by", "how much each", "how much is that each",
        "what does each pay", "how much per person", "each", "whats that each",
    ]);
    let (mut people, mut percent, mut is_sure) = (None, None, is_bill);
    while next < end {
        if let Some((tip, after)) = percent_of_tip(words, next).filter(|_| percent.is_none()) {
            (percent, next, is_sure) = (Some(tip), after, true);
        } else if let Some((count, is_of_us, after)) =
            people_at(words, next).filter(|_| people.is_none())
        {
            (people, next, is_sure) = (Some(count), after, is_sure || is_of_us);
        } else {
            next = words.after(next, &LINKS)?;
        }
    }
    let ways = people.filter(|_| is_sure)?;
    let percent = percent.unwrap_or(0);
    money.minor += (money.minor * percent + 50) / 100;
    Some(BillSplitAction::Ways { money, ways })
}

/// "for 4", "three of us", "4 people": how many, whether they are surely people who share, and the
/// index after it.
fn people_at(words: &Words, at: usize) -> Option<(i64, bool, usize)> {
    let linked = words.after(
        at,
        phrases!["for the", "for", "there were", "we were", "we are"],
    );
    let from = linked.unwrap_or(at);
    let count = amount::number_word(words.get(from)).map(i64::from);
    let count = count.or_else(|| words.get(from).parse().ok());
    let count = count.filter(|count| (2..=PEOPLE_MAX).contains(count))?;
    let of_us = words.after(from + 1, phrases!["of us", "people", "persons", "ways"]);
    let next = of_us.or(linked.map(|_| from + 1))?;
    let is_of_us = of_us.is_some() && matches!(words.get(from + 1), "of" | "ways");
    Some((count, is_of_us, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_computed_where_all_words_are_of_them() {
        let cases = [
            ("dinner was 120 for 4 with 15% tip", Some((13_800, 4))),
            ("bill was 84, three of us, 10% tip", Some((9_240, 3))),
            ("split the bill: 84 for 3 people", Some((8_400, 3))),
            ("the bill came to 60 for 2", Some((6_000, 2))),
            ("dinner was 120 for 4", None),
            ("dinner was 120 for 4 people", None),
            ("dinner was 120 for bo", None),
            ("split 90 with 2 friends", None),
            ("split 90 with 2 people", None),
            ("dinner was great for 4 people", None),
            ("the bill was 120", None),
            ("bill was 84, three of us were late", None),
            ("bill is 40 and has 2 people at work", None),
        ];
        for (text, expected) in cases {
            let words = Words::new(text);
            let found = parse(&words, 0, words.len());
            let found = found.map(|found| match found {
                BillSplitAction::Ways { money, ways } => (money.minor, ways),
                other => panic!("{text}: {other:?}"),
            });
            assert_eq!(found, expected, "{text}");
        }
        for (text, expected) in [
            ("what's 20% tip on 45", Some(20)),
            ("how much is a 15 percent tip on 80", Some(15)),
            ("what's a good tip on 45", None),
            ("20% tip on 45 shares", None),
            ("here's a tip on 45 things", None),
        ] {
            let words = Words::new(text);
            let found = parse(&words, 0, words.len()).map(|found| match found {
                BillSplitAction::Tip { percent, .. } => percent,
                other => panic!("{text}: {other:?}"),
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}
