//! Offsets by themselves: those of several reminders before one event, and another one for what was
//! said before ("no, two weeks").

use std::ops::Range;

use super::{AMOUNT_WORDS_MAX, BeforeEvent, Offset, WORDS_MAX, offset_before, read};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::corrections;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::amount;
use crate::assistant::text::words::Words;

/// "a week before, 2 days before and the day before the exam": one request each. `None`: it names
/// one offset, or the words between are not understood.
pub(in crate::assistant::builtin::reminder) fn several(
    message: &ParsedMessage,
    range: Range<usize>,
) -> Option<Vec<BeforeEvent>> {
    const OFFSETS_MAX: usize = 6;
    let words = &message.words;
    let is_link = |at: usize| matches!(words.get(at), "and" | "&" | "then" | "also");
    let (mut offsets, mut from) = (Vec::new(), range.start);
    let last = loop {
        let start = (from..range.end).find(|at| !is_link(*at))?;
        // "a day and an hour before": the first lacks its "before".
        if let Some((offset, link)) = offset_before_link(words, start, range.end)
            && offsets.len() < OFFSETS_MAX
        {
            offsets.push(offset);
            from = link;
            continue;
        }
        let until = range.end.min(start + 1 + AMOUNT_WORDS_MAX);
        let before = (start + 1..until).find(|at| words.get(*at) == "before")?;
        let (lead, offset) = offset_before(words, start, before)?;
        if lead != start || offsets.len() >= OFFSETS_MAX {
            return None;
        }
        from = before + 1;
        if from >= range.end || !is_link(from) && !words.is_set_off(before) {
            break start;
        }
        offsets.push(offset);
    };
    if offsets.is_empty() {
        return None; // most requests
    }
    let event = read(message, last..range.end)?;
    let readings = &event.readings;
    let others = offsets.into_iter().map(|offset| BeforeEvent {
        readings: readings.clone(),
        offset,
    });
    let mut each: Vec<BeforeEvent> = others.collect();
    each.push(event);
    Some(each)
}

/// "a day" of "a day and an hour before", and where the link after it stands. "an hour and a half
/// before" is one offset.
fn offset_before_link(words: &Words, start: usize, end: usize) -> Option<(Offset, usize)> {
    let is_link = |at: &usize| matches!(words.get(*at), "and" | "&");
    let link = (start + 1..end.min(start + 1 + AMOUNT_WORDS_MAX)).find(is_link)?;
    let before =
        (link + 1..end.min(link + 2 + AMOUNT_WORDS_MAX)).find(|at| words.get(*at) == "before")?;
    // "two months and a day before" is one; "3 days and 1 day before" are two.
    let is_article = |at: usize| matches!(words.get(at), "a" | "an" | "the");
    let unit = |at: usize| words.get(at).trim_end_matches('s');
    let are_alike = unit(link - 1) == unit(before - 1);
    if !(are_alike || is_article(start) && is_article(link + 1)) {
        return None;
    }
    let (whole, _) = offset_before(words, start, before)?;
    let first = format!("{} before", words.original(start..link));
    let first = Words::new(&first);
    let (lead, offset) = offset_before(&first, 0, first.len() - 1)?;
    (whole == link + 1 && lead == 0).then_some((offset, link))
}

/// "a day" of "a day and an hour before", before something that isn't read here, and where the link
/// after it stands.
pub(in crate::assistant::builtin::reminder) fn first_of_two(
    words: &Words,
    start: usize,
    end: usize,
) -> Option<(BeforeEvent, usize)> {
    let (offset, link) = offset_before_link(words, start, end)?;
    let readings = Vec::new();
    Some((BeforeEvent { readings, offset }, link))
}

/// The request that was said with the offset of "make it 2 hours before" instead of its own. `None`:
/// one of both names no offset.
pub fn with_other_offset(said: &str, new: &Words) -> Option<String> {
    let words = Words::new(said);
    let offset = other_offset(new, 0)?;
    let (lead, at) = offset_before_something(&words)?;
    let (start, end) = (words.original(0..lead), words.original(at..words.len()));
    Some(format!("{start} {} {end}", new.original(offset)))
}

/// Whether it says how long before something: "remind me an hour before lunch".
pub fn names_offset(text: &str) -> bool {
    offset_before_something(&Words::new(text)).is_some()
}

/// The words around the event that a request lacks: "remind me the day before to pack".
pub fn around_missing_event(text: &str) -> Option<(String, String)> {
    let words = Words::new(text);
    let (lead, at) = offset_before_something(&words)?;
    let offset = words.original(lead..at);
    let task = words.original(at + 1..words.len());
    let after = match words.get(at + 1) {
        "to" => format!(" {task}"),
        _ => String::new(),
    };
    Some((format!("remind me {offset} before "), after))
}

/// Whether it is only another offset: "no, two weeks".
pub fn is_other_offset(words: &Words) -> bool {
    other_offset(words, 0).is_some()
}

/// The first word of an offset, and the "before" after it.
fn offset_before_something(words: &Words) -> Option<(usize, usize)> {
    let before = |at: &usize| words.get(*at) == "before";
    let mut found = (0..words.len().min(WORDS_MAX)).filter(before);
    found.find_map(|at| Some((offset_before(words, 0, at)?.0, at)))
}

/// The words of the offset with which a correction ends: "no i meant two weeks". "in two weeks" is
/// from now.
pub(in crate::assistant::builtin) fn other_offset(
    words: &Words,
    start: usize,
) -> Option<Range<usize>> {
    const WORDS_MAX: usize = 12;
    static ENDS: Phrases = Phrases::new(&[
        "earlier please", "instead please", "instead", "please", "pls", "i mean",
    ]);
    if words.len() > WORDS_MAX {
        return None;
    }
    // "two weeks not one"
    let is_end = |at: usize| {
        let before = ["before that", "before it", "before"];
        let at = words.skip(at, &before);
        words.skip(at, &ENDS) == words.len() || words.get(at) == "not"
    };
    let is_from_now = |to: usize| matches!(words.get(to - 1), "now" | "later");
    let begins = |from: &usize| (start..*from).all(|at| is_of_correction(words.get(at)));
    let mut starts = (start..words.len()).take_while(begins);
    starts.find_map(|from| {
        if let Some((_, to)) = amount::delay(words, from, true) {
            return (is_end(to) && !is_from_now(to)).then_some(from..to);
        }
        // "the evening before"
        let at = (from + 1..words.len()).find(|at| words.get(*at) == "before")?;
        let (lead, _) = offset_before(words, from, at)?;
        (lead == from && is_end(at)).then_some(from..at)
    })
}

/// Whether the word may begin a correction.
fn is_of_correction(word: &str) -> bool {
    phrases![
        "not", "i", "mean", "meant", "said", "make", "change", "move", "it", "its", "that", "to",
        "should", "be", "ok", "okay", "please", "rather", "better", "just"
    ]
    .contains(word)
        || corrections::is_interjection(word)
}
