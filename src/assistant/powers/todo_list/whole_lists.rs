//! Parses requests about a whole list: "clear my list", "hw list: math, bio".

use super::drafts::added;
use super::phrases::{NAME_WORDS_MAX, after_verb, list_at, list_to_show};
use super::{ListName, TodoAction};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::parsers;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// "hw list: math, bio", "make a camping list: tent": a list by its name, and what is on it.
pub(super) fn with_things(message: &ParsedMessage, at: usize, end: usize) -> Option<TodoAction> {
    let words = &message.words;
    static NEW: Phrases = Phrases::new(&[
        "add a new", "add a", "make a new", "make me a", "make a", "create a new", "create a",
        "start a new", "start a", "new", "a",
    ]);
    let from = words.skip(at, &NEW);
    let ends_name = |at: usize| words.original(at..at + 1).trim_end().ends_with(':');
    if from > at
        && message.is_addressed
        && let Some((name, after)) = named_after(words, from, ends_name)
        && after < end
    {
        return Some(added(message, ListName::Named(name), (after, end), None));
    }
    let (list, after) = list_at(message, from, end)?;
    // "groceries: milk, eggs"
    let is_list = matches!(words.get(after - 1), "list" | "groceries");
    let is_list = is_list && after < end && message.is_addressed;
    (is_list && ends_name(after - 1)).then(|| added(message, list, (after, end), None))
}

/// "list camping:", "list called party:": the name, and the index after it.
fn named_after(
    words: &Words,
    from: usize,
    ends_name: impl Fn(usize) -> bool,
) -> Option<(String, usize)> {
    let from = words.after(
        from,
        phrases!["list called", "list named", "list for", "list"],
    )?;
    let last = (from..from + NAME_WORDS_MAX).find(|at| ends_name(*at))?;
    Some((parsers::original(words, from, last + 1), last + 1))
}

/// "clear my list", "make a camping list".
pub(super) fn parse(message: &ParsedMessage, end: usize) -> Option<TodoAction> {
    static DONE: Phrases = Phrases::new(&[
        "clear done items from", "clear the done items from", "remove done items from",
        "remove the done items from", "clear done from", "clear finished items from",
    ]);
    let words = &message.words;
    if let Some(list) = after_verb(message, &DONE, end) {
        return Some(TodoAction::ClearDone(list));
    }
    if let Some(list) = after_verb(
        message,
        phrases!["clear", "empty", "wipe", "start over"],
        end,
    ) {
        return Some(TodoAction::Clear(list));
    }
    if let Some(list) = after_verb(message, phrases!["delete", "remove", "erase"], end) {
        return Some(TodoAction::Delete(list));
    }
    static NEW: Phrases = Phrases::new(&[
        "create", "make", "start", "begin", "add", "new", "make me", "start a new", "create a new",
        "make a new", "add a new",
    ]);
    if let Some(from) = words.after(message.start, &NEW)
        && let Some((ListName::Named(name), after)) = list_at(message, from, end)
        && after == end
        && message.is_addressed
    {
        return Some(TodoAction::Begin(name));
    }
    begun_by_name(message, end).or_else(|| list_to_show(message, end).map(TodoAction::Show))
}

/// "start a new list for the party", "new list: camping": a list that is named, with nothing on it.
fn begun_by_name(message: &ParsedMessage, end: usize) -> Option<TodoAction> {
    static NEW: Phrases = Phrases::new(&[
        "new list", "a new list", "start a new list", "start a list", "make a list",
        "make me a list", "make a new list", "create a list", "create a new list", "begin a list",
        "begin a new list", "add a new list", "open a new list",
    ]);
    static NAMED: Phrases = Phrases::new(&[
        "called", "named", "for the", "for my", "for our", "for a", "for",
    ]);
    let words = &message.words;
    let after = words.after(message.start, &NEW)?;
    let named = words.after(after, &NAMED);
    // "new list: milk, eggs" says what is on it.
    let is_one = || after + 1 == end && words.is_set_off(after - 1);
    let from = named.or_else(|| is_one().then_some(after))?;
    let is_short = (1..=NAME_WORDS_MAX).contains(&end.saturating_sub(from));
    let is_time = when::read(words, from).is_some();
    let is_plain = (from..end).all(|at| at + 1 == end || !words.is_set_off(at));
    (is_short && is_plain && !is_time && message.is_addressed)
        .then(|| TodoAction::Begin(parsers::original(words, from, end)))
}
