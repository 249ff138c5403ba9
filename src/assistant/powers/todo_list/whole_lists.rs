//! Parses requests about a whole list: "clear my list", "hw list: math, bio".

use super::drafts::added;
use super::phrases::{after_verb, list_at, list_to_show};
use super::{ListName, TodoAction};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::phrases::Phrases;

/// "hw list: math, bio", "make a camping list: tent": a list by its name, and what is on it.
pub(super) fn with_things(
    message: &ParsedMessage<'_>,
    at: usize,
    end: usize,
) -> Option<TodoAction> {
    let words = &message.words;
    static NEW: Phrases = Phrases::new(&[
        "add a new", "add a", "make a new", "make me a", "make a", "create a new", "create a",
        "start a new", "start a", "new", "a",
    ]);
    let from = words.skip(at, &NEW);
    let (list, after) = list_at(message, from, end)?;
    let is_list = words.get(after - 1) == "list" && after < end && message.is_addressed;
    let is_named = is_list && words.original(after - 1..after + 1).contains(':');
    is_named.then(|| added(message, list, (after, end), None))
}

/// "clear my list", "make a camping list".
pub(super) fn parse(message: &ParsedMessage<'_>, end: usize) -> Option<TodoAction> {
    const DONE: [&str; 6] = [
        "clear done items from", "clear the done items from", "remove done items from",
        "remove the done items from", "clear done from", "clear finished items from",
    ];
    let words = &message.words;
    if let Some(list) = after_verb(message, &DONE, end) {
        return Some(TodoAction::ClearDone(list));
    }
    if let Some(list) = after_verb(message, &["clear", "empty", "wipe", "start over"], end) {
        return Some(TodoAction::Clear(list));
    }
    if let Some(list) = after_verb(message, &["delete", "remove", "erase"], end) {
        return Some(TodoAction::Delete(list));
    }
    let new = [
        "create", "make", "start", "begin", "add", "new", "make me", "start a new", "create a new",
        "make a new", "add a new",
    ];
    // The longest phrase wins.
    let from = new
        .iter()
        .filter_map(|phrase| words.after(message.start, &[*phrase]));
    if let Some(from) = from.max()
        && let Some((ListName::Named(name), after)) = list_at(message, from, end)
        && after == end
        && message.is_addressed
    {
        return Some(TodoAction::Begin(name));
    }
    list_to_show(message, end).map(TodoAction::Show)
}
