//! Requests about lists that are fixed phrases and match as a whole.

use super::{ListName, TodoAction};
use crate::assistant::text::phrases::Phrases;

/// Requests that are about a list only during a session.
pub(super) fn session_request(request: &str) -> Option<TodoAction> {
    Some(match request {
        "list" | "todo" | "show" | "show it" | "show list" | "show me" | "whats left"
        | "what is left" | "what do we need" => TodoAction::Show(ListName::InUse),
        "clear" | "clear it" | "clear all" => TodoAction::Clear(ListName::InUse),
        "all done" => TodoAction::AllDone(ListName::InUse),
        _ => return None,
    })
}

/// Questions that may be about a memory, too.
pub(super) fn question(request: &str) -> Option<TodoAction> {
    const TODOS: [&str; 6] = [
        "what are my todos", "what are my tasks", "what todos do i have", "what tasks do i have",
        "which todos do i have", "do i have any todos",
    ];
    // They may be on a list with a name.
    const TO_BUY: [&str; 13] = [
        "whats left to buy", "what is left to buy", "whats left to get", "what do i still need",
        "what do we still need", "what do i still need to buy", "what do we still need to buy",
        "what else do we need", "what do i need to buy", "what do we need to buy",
        "what should i buy", "what do i have to buy", "what do we have to buy",
    ];
    if TODOS.contains(&request) {
        return Some(TodoAction::Show(ListName::Unnamed));
    }
    const TO_PACK: [&str; 9] = [
        "what do we still need to pack", "what do i still need to pack", "what should we pack",
        "what do we have to pack", "what do i need to pack", "what do we need to pack",
        "what do i have to pack", "what should i pack", "whats left to pack",
    ];
    if TO_PACK.contains(&request) {
        return Some(TodoAction::Show(ListName::Named("packing".to_owned())));
    }
    const COUNTED: [&str; 8] = [
        "how many things are left", "how many items are left", "how many things are on the list",
        "how many items are on the list", "how many things are on my list",
        "how many things do i have left", "how much is left on the list",
        "how many things are still open",
    ];
    if COUNTED.contains(&request) {
        return Some(TodoAction::Show(ListName::InUse));
    }
    TO_BUY
        .contains(&request)
        .then_some(TodoAction::Show(ListName::InUse))
}

static SHOW_LISTS: Phrases = Phrases::new(&[
    "lists", "my lists", "our lists", "show my lists", "show me my lists", "show lists",
    "show our lists", "list my lists", "all my lists", "all lists", "show all my lists",
    "show all lists", "what lists do i have", "which lists do i have", "what lists are there",
    "which lists are there", "what are my lists", "what lists do we have", "do i have any lists",
]);
static CLEAR_DONE: Phrases = Phrases::new(&[
    "clear done", "clear done items", "clear finished items", "remove done items",
    "remove the done items", "clear completed items", "remove finished items",
]);
static ADD_NOTHING: Phrases = Phrases::new(&[
    "add to my list", "add to the list", "add to our list", "add something to my list", "new list",
    "start a new list", "make a list", "create a list",
]);

pub(super) fn whole_request(request: &str) -> Option<TodoAction> {
    let unnamed = ListName::Unnamed;
    Some(match request {
        "todos" | "to-dos" | "my todos" | "my to-dos" | "show my todos" | "show todos"
        | "list my todos" | "my tasks" | "show my tasks" | "todo list" | "to-do list"
        | "to do list" => TodoAction::Show(unnamed),
        _ if SHOW_LISTS.contains(request) => TodoAction::ShowLists,
        "clear my todos" | "start over my list" => TodoAction::Clear(unnamed),
        _ if CLEAR_DONE.contains(request) => TodoAction::ClearDone(ListName::InUse),
        _ if ADD_NOTHING.contains(request) => TodoAction::Nothing(ListName::Unnamed),
        _ => return None,
    })
}
