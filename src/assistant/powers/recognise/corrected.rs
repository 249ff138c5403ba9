//! A message in which something is said anew: "spent 20 on food, no wait, 25".

use std::ops::Range;

use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{money, parsers};
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// A message with its corrections applied.
#[derive(Debug, PartialEq)]
pub(super) enum Correction {
    /// Nothing is said anew.
    Unchanged,
    /// The message with the later value in place of the earlier one.
    Replaced(String),
    /// The replaced value is not clear. `anew`, after the correction, may be all that is meant.
    Unclear { first: String, anew: String },
}

/// A longer message corrects nothing.
const WORDS_MAX: usize = 60;

/// Words that may follow a value.
const AFTER_VALUE: [&str; 19] = [
    "on", "for", "at", "from", "to", "of", "with", "in", "by", "per", "today", "tonight",
    "yesterday", "tomorrow", "now", "please", "then", "instead", "actually",
];

/// After them "no" is "number".
const NUMBERED: [&str; 22] = [
    "room", "seat", "row", "gate", "platform", "order", "house", "line", "bus", "flight", "train",
    "ticket", "track", "tracking", "booking", "invoice", "parcel", "phone", "apartment", "flat",
    "table", "terminal",
];

pub(super) fn meant(message: &ParsedMessage) -> Correction {
    let (words, start) = (&message.words, message.start);
    if words.len() > WORDS_MAX {
        return Correction::Unchanged;
    }
    let mut starts = start + 1..words.len();
    let found = starts.find_map(|at| Some((at, mark_at(words, at)?)));
    let Some((mark, (from, is_sure))) = found else {
        return Correction::Unchanged; // most messages
    };
    let unclear = || Correction::Unclear {
        first: words.original(0..mark).to_owned(),
        anew: words.original(from..words.len()).to_owned(),
    };
    match replaced(words, start..mark, from, is_sure) {
        Replacement::By(text) => Correction::Replaced(text),
        Replacement::Nothing if !is_sure => Correction::Unchanged,
        Replacement::Nothing | Replacement::Unclear => unclear(),
    }
}

/// The word after a correction's mark, and whether it is surely one; others correct only before a
/// number, a day or a time of day.
fn mark_at(words: &Words, at: usize) -> Option<(usize, bool)> {
    let mark = corrections::after_mark(words, at);
    let (end, strength) = mark.filter(|(_, strength)| *strength > MarkStrength::BeforeTime)?;
    let from = corrections::skip_links(words, end);
    let is_sure = strength == MarkStrength::Sure;
    let is_noun = |n: &usize| NUMBERED.contains(&words.get(*n));
    let is_numbered = words.get(at) == "no"
        && (words.original(at..at + 1).ends_with('.')
            || (at.saturating_sub(2)..at).any(|n| is_noun(&n)));
    let is_value = || value_at(words, from).is_some();
    (is_sure || is_value() && !is_numbered).then_some((from, is_sure))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// "3-5 dec", "3-5".
    Span,
    Day,
    Clock,
    Number,
}

/// The value at `at`, and the index after it.
fn value_at(words: &Words, at: usize) -> Option<(Kind, usize)> {
    [Kind::Span, Kind::Day, Kind::Clock, Kind::Number]
        .into_iter()
        .find_map(|kind| Some((kind, kind.read(words, at)?.end)))
}

impl Kind {
    /// The words of the value at `at`, without a link such as "on".
    fn read(self, words: &Words, at: usize) -> Option<Range<usize>> {
        match self {
            Self::Span => {
                let month = when::month(words.get(at + 1)).map(|_| at + 2);
                when::is_dashed_span(words.get(at)).then(|| at..month.unwrap_or(at + 1))
            }
            Self::Day => {
                let from = words.skip(at, phrases!["on the", "on"]);
                let (_, end) = when::day_at(words, from)?;
                Some(from..end)
            }
            Self::Clock => {
                let linked = words.after(at, phrases!["at"]);
                let from = linked.unwrap_or(at);
                let (_, end) = parsers::read_hour(words, from)?;
                let is_clock =
                    linked.is_some() || end > from + 1 || words.get(from).contains([':', 'm']);
                is_clock.then_some(from..end)
            }
            Self::Number => {
                let from = words.skip(at, phrases!["for", "at"]);
                money::read(words, from).map(|(_, end)| from..end)
            }
        }
    }

    /// All of it between those words.
    fn all(self, words: &Words, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut found, mut at) = (Vec::new(), range.start);
        while at < range.end {
            match self.read(words, at).filter(|one| one.end <= range.end) {
                Some(one) => {
                    at = one.end;
                    found.push(one);
                }
                None => at += 1,
            }
        }
        found
    }
}

enum Replacement {
    By(String),
    Unclear,
    /// There is no such value.
    Nothing,
}

/// The text before the mark, with the value after it in place of its own.
fn replaced(words: &Words, before: Range<usize>, from: usize, is_sure: bool) -> Replacement {
    let Some((kind, to)) = value_at(words, from) else {
        return Replacement::Nothing;
    };
    let mut kind = kind;
    let mut candidates = candidates(words, before.clone(), kind);
    let mut to = to;
    // "from 3 to 7, no, 8 may": the month comes later.
    if candidates.is_empty()
        && kind == Kind::Day
        && let Some(number) = Kind::Number.read(words, from)
    {
        (kind, to) = (Kind::Number, number.end);
        candidates = self::candidates(words, before.clone(), kind);
    }
    if candidates.is_empty() {
        return Replacement::Nothing;
    }
    let rest = to..words.len();
    let is_same = |at: usize| words.get(at) == words.get(rest.start);
    let last = candidates.last();
    let is_meant = |last: &&Range<usize>| {
        let is_alike = is_same(last.end) && !rest.is_empty();
        last.end == before.end || is_alike || candidates.len() == 1
    };
    let Some(old) = last.filter(is_meant) else {
        return Replacement::Unclear;
    };
    // "wait 2 days" after "mood 7" speaks of something else.
    let is_apart = !rest.is_empty()
        && old.end == before.end
        && !AFTER_VALUE.contains(&words.get(rest.start))
        && when::month(words.get(rest.start)).is_none()
        && !words.is_set_off(rest.start - 1);
    if is_apart && !is_sure {
        return Replacement::Nothing;
    }
    // "25 on food" after "20 on food": all of it is said anew.
    let tail = match rest.is_empty() || old.end == before.end {
        true => old.end..before.end,
        false if is_same(old.end) => old.end..old.end,
        // "saturday at 9" after "friday at 8"
        false if Kind::Clock.read(words, rest.start).is_some() => {
            let clock = Kind::Clock.read(words, old.end);
            match clock.filter(|clock| clock.end == before.end) {
                Some(clock) => clock.end..before.end,
                None => return Replacement::Unclear,
            }
        }
        false => return Replacement::Unclear,
    };
    let value = match kind {
        Kind::Span => from,
        kind => kind.read(words, from).map_or(from, |range| range.start),
    };
    // "4-6" after "3-5 dec" is in the same month.
    let keeps_month = kind == Kind::Span && to == from + 1;
    let tail = match keeps_month && old.end > old.start + 1 {
        true => old.start + 1..tail.end,
        false => tail,
    };
    let parts = [
        words.original(before.start..old.start),
        without_mark(words.original(value..to)),
        without_mark(words.original(tail)),
        words.original(rest),
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Replacement::By(parts.join(" "))
}

/// The values that the new one may replace: a number is rather an amount than an hour, and rather
/// an hour than a day of a month.
fn candidates(words: &Words, before: Range<usize>, kind: Kind) -> Vec<Range<usize>> {
    let all = |kind: Kind| kind.all(words, before.clone());
    if kind != Kind::Number {
        return all(kind);
    }
    let (days, clocks) = (all(Kind::Day), all(Kind::Clock));
    let is_within = |one: &Range<usize>, all: &[Range<usize>]| {
        all.iter().any(|range| range.contains(&one.start))
    };
    let mut numbers = all(Kind::Number);
    let in_days: Vec<Range<usize>> = numbers
        .extract_if(.., |one| is_within(one, &days))
        .collect();
    let in_clocks: Vec<Range<usize>> = numbers
        .extract_if(.., |one| is_within(one, &clocks))
        .collect();
    [numbers, in_clocks, in_days]
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Without the comma before a correction.
fn without_mark(text: &str) -> &str {
    text.trim_end_matches([',', '.', ';', ':', '!', '-', '–', '…', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::MessageContext;
    use crate::assistant::builtin::parsing::read_message;
    use crate::clock::Timestamp;

    #[test]
    fn what_is_said_last_counts() {
        for (text, expected) in [
            ("spent 20 on food no wait 25", "spent 25 on food"),
            ("spent 20 on food, no, 25", "spent 25 on food"),
            ("budget 100 for fun no 120", "budget 120 for fun"),
            ("spent 20 no wait 25 on food", "spent 25 on food"),
            ("spent 20 on food no wait 25 on food", "spent 25 on food"),
            ("spent $20 on food sorry $25", "spent $25 on food"),
            (
                "spent 20 on lunch and 5 on tea, no, 6 on tea",
                "spent 20 on lunch and 6 on tea",
            ),
            ("spent 20 on lunch and 5 on tea, no, 6", "unclear: 6"),
            (
                "spent 20 on lunch and 5 no 6 on tea", "spent 20 on lunch and 6 on tea",
            ),
            ("mood 8, no 6", "mood 6"),
            (
                "track habit run 3 times a week no 4", "track habit run 4 times a week",
            ),
            (
                "bo's birthday is 3 may no wait 4 may", "bo's birthday is 4 may",
            ),
            ("bo's birthday is 3 may no 4", "bo's birthday is 4 may"),
            (
                "dinner at luigi friday at 8 no 9", "dinner at luigi friday at 9",
            ),
            (
                "dinner at luigi friday at 8 no saturday",
                "dinner at luigi saturday at 8",
            ),
            (
                "dinner at luigi friday at 8 no wait saturday at 9",
                "dinner at luigi saturday at 9",
            ),
            (
                "trip to rome from 3 to 7 no 8 may", "trip to rome from 3 to 8 may",
            ),
            (
                "trip to rome from 3 to 7 may no wait paris",
                "unclear: paris",
            ),
            ("ana paid 30 no wait bo paid 40", "unclear: bo paid 40"),
            ("spent 20 on food", "as said"),
            (
                "dinner on 5 dec at 8 for 4, no, for 5", "dinner on 5 dec at 8 for 5",
            ),
            ("seat no 12", "as said"),
            ("concert friday at 8, row 5 no 12", "as said"),
            ("trip to rome 3-5 dec no 4-6 dec", "trip to rome 4-6 dec"),
            ("trip to rome 3-5 dec no 4-6", "trip to rome 4-6 dec"),
            ("i have no 5 euro note", "as said"),
            ("i feel great i mean really", "as said"),
        ] {
            let context = MessageContext::direct(text, Timestamp(0));
            let found = match meant(&read_message(&context)) {
                Correction::Unchanged => "as said".to_owned(),
                Correction::Replaced(text) => text,
                Correction::Unclear { anew, .. } => format!("unclear: {anew}"),
            };
            assert_eq!(found, expected, "{text}");
        }
    }
}
