//! What was ordered, by its name: "i ordered a lamp, it comes tuesday", "the lamp came".

use super::ParcelAction;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::after_time::WordsAfterTime;
use crate::assistant::powers::{parsers, planned_time};
use crate::assistant::text::phrases::{Phrases, phrases};

/// Words of what was ordered.
const NAME_WORDS_MAX: usize = 5;

pub(super) fn parse(message: &ParsedMessage, at: usize, end: usize) -> Option<ParcelAction> {
    ordered(message, at, end)
        .or_else(|| arrived(message, at, end))
        .or_else(|| asked(message, at, end))
}

/// "the lamp came": only one that is waited for.
fn arrived(message: &ParsedMessage, at: usize, end: usize) -> Option<ParcelAction> {
    static ARRIVED: Phrases = Phrases::new(&[
        "arrived", "has arrived", "have arrived", "came", "is here", "are here", "got here",
        "was delivered", "were delivered", "has come", "just came", "just arrived", "finally came",
        "finally arrived", "came today", "arrived today",
    ]);
    let words = &message.words;
    let from = words.skip_article(at);
    let verb = (from + 1..end.min(from + 1 + NAME_WORDS_MAX))
        .find(|n| words.after(*n, &ARRIVED) == Some(end))?;
    let name = || parsers::original(words, from, verb);
    (!words.is_question()).then(|| ParcelAction::Arrived(name()))
}

/// "where's my lamp", "when does the lamp arrive": only one that is waited for.
fn asked(message: &ParsedMessage, at: usize, end: usize) -> Option<ParcelAction> {
    static ASKED: Phrases = Phrases::new(&[
        "where is my", "where are my", "wheres my", "where is the", "where are the", "wheres the",
        "when does my", "when do my", "when does the", "when do the", "when will my",
        "when will the", "when is my", "when are my", "when is the", "when are the", "whens my",
    ]);
    let words = &message.words;
    let from = words.after(at, &ASKED)?;
    let verbs = phrases!["arrive", "come", "arriving", "coming", "due", "get here"];
    let to = (from + 1..end).find(|n| words.after(*n, verbs) == Some(end));
    // "when is my interview" is about no parcel.
    let may_be_it = to.is_some() || matches!(words.get(at), "where" | "wheres");
    let to = to.unwrap_or(end);
    let is_short = (1..=NAME_WORDS_MAX).contains(&to.saturating_sub(from));
    (may_be_it && is_short).then(|| ParcelAction::Asked(parsers::original(words, from, to)))
}

/// "i ordered a lamp, it comes tuesday": what was ordered comes as a parcel.
fn ordered(message: &ParsedMessage, at: usize, end: usize) -> Option<ParcelAction> {
    static ORDERED: Phrases = Phrases::new(&[
        "i ordered", "ive ordered", "i have ordered", "we ordered", "weve ordered", "ordered",
        "i just ordered", "i bought", "i just bought", "bought",
    ]);
    static COMES: Phrases = Phrases::new(&[
        "it comes", "it arrives", "it should arrive", "it should come", "it should be here",
        "it will arrive", "it will come", "it will be here", "itll arrive", "itll come",
        "itll be here", "its arriving", "its coming", "its due", "its expected", "it gets here",
        "they come", "they arrive", "theyll arrive", "theyll come", "they should arrive",
        "should arrive", "should be here", "will arrive", "arriving", "which arrives", "arrives",
        "and it comes", "and it arrives", "and it should arrive", "and it should be here",
    ]);
    let words = &message.words;
    let from = words.skip_article(words.after(at, &ORDERED)?);
    let from = words.skip(from, phrases!["some", "two", "a new", "new"]);
    let (to, day) = (from + 1..end.min(from + 1 + NAME_WORDS_MAX))
        .find_map(|n| Some((n, words.after(n, &COMES)?)))?;
    let found = planned_time::find(message, day, end, false)?;
    let (first, next) = found.range();
    let is_whole = words.skip(day, phrases!["on", "by"]) >= first && next == end;
    let time = found.time.ok()?;
    let is_dated = parsers::has_day(words.original(day..end));
    let is_told = is_whole && is_dated && !words.is_question();
    is_told.then(|| ParcelAction::Keep {
        what: parsers::original(words, from, to),
        details: String::new(),
        is_other: false,
        time: Some(time),
        after: WordsAfterTime::default(),
    })
}
