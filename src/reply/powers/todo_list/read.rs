//! Parses messages about a to-do list: "add milk and eggs to my list", "done with milk".

use super::TodoAction;
use crate::reply::builtin::Talk;
use crate::reply::builtin::words::Words;
use crate::reply::powers::Strength;
use crate::reply::powers::pieces::{self, things};

/// Words searched for "to my list".
const WORDS_MAX: usize = 200;

pub(in crate::reply::powers) fn parse(talk: &Talk<'_>) -> Option<(Strength, TodoAction)> {
    use Strength::{Clear, InSession, Soft};
    let words = &talk.words;
    if let Some(action) = fixed(talk.request()) {
        return Some((Clear, action));
    }
    if let Some(action) = brief(talk.request()) {
        return Some((InSession, action));
    }
    let (at, end) = (talk.start, pieces::end(words));
    let verb = words.get(at);
    if let "todo" | "to-do" | "todos" = verb
        && words.is_set_off(at)
    {
        return Some((Clear, TodoAction::Add(things(words.original(at + 1..end)))));
    }
    let listed = |prepositions: &[&str]| on_list(words, at + 1, end, prepositions);
    match verb {
        "add" | "put" | "write" | "get" | "throw" | "stick" => {
            if let Some((from, to)) = listed(&["to", "on", "onto", "in"]) {
                let said = if from == at + 1 {
                    (to, end)
                } else {
                    (at + 1, from)
                };
                return Some((Clear, added(words.original(said.0..said.1))));
            }
            if let Some(from) =
                words.after(at, &["add todo", "add a todo", "add task", "add a task"])
            {
                return Some((Clear, added(words.original(from..end))));
            }
            (verb == "add" && end > at + 1).then(|| (InSession, added(words.original(at + 1..end))))
        }
        "new" => {
            let from = words.after(at, &["new todo", "new task", "new to-do"])?;
            Some((Clear, added(words.original(from..end))))
        }
        "remove" | "delete" | "take" | "drop" | "cross" | "strike" => off(words, at, end),
        "check" | "tick" | "mark" => checked(talk, end),
        "done" | "finished" | "completed" => {
            let from = words.after(at + 1, &["with"])?;
            Some((Soft, taken(true, words.original(from..end))))
        }
        "im" | "i" => {
            let from = words.after(
                at,
                &[
                    "im done with",
                    "i am done with",
                    "i finished",
                    "i did",
                    "ive done",
                    "i got",
                    "i bought",
                ],
            )?;
            Some((Soft, taken(true, words.original(from..end))))
        }
        "reopen" | "uncheck" | "untick" => Some((
            InSession,
            TodoAction::Reopen(pieces::said(words, at + 1, end)),
        )),
        _ => (end > at + 1 && words.get(end - 1) == "done" && end - at <= 8)
            .then(|| (InSession, taken(true, words.original(at..end - 1)))),
    }
}

/// "remove eggs from my list", "cross eggs off my list".
fn off(words: &Words<'_>, at: usize, end: usize) -> Option<(Strength, TodoAction)> {
    use Strength::{Clear, InSession};
    let verb = words.get(at);

    let done = matches!(verb, "cross" | "strike");
    let skip = usize::from(matches!(words.get(at + 1), "off" | "out"));
    if let Some((from, _)) = on_list(words, at + 1, end, &["from", "off", "of", "on"]) {
        let to = if matches!(words.get(from - 1), "off") {
            from - 1
        } else {
            from
        };
        return Some((Clear, taken(done, words.original(at + 1 + skip..to))));
    }
    (end > at + 1 && (verb == "remove" || done))
        .then(|| (InSession, taken(done, words.original(at + 1 + skip..end))))
}

/// "check milk off my list", "mark milk as done", "tick off milk".
fn checked(talk: &Talk<'_>, end: usize) -> Option<(Strength, TodoAction)> {
    let words = &talk.words;
    let at = talk.start;
    let from = at + 1 + usize::from(words.get(at + 1) == "off");
    if let Some((to, _)) = on_list(words, from, end, &["off", "on", "from"]) {
        return Some((Strength::Clear, taken(true, words.original(from..to))));
    }
    if let Some(to) = (from..end).find(|n| {
        words
            .after(*n, &["as done", "done", "as finished"])
            .is_some_and(|e| e == end)
    }) {
        return Some((Strength::Soft, taken(true, words.original(from..to))));
    }
    if words.get(at) == "mark" {
        return None;
    }
    let to = if end > from && words.get(end - 1) == "off" {
        end - 1
    } else {
        end
    };
    (to > from).then(|| (Strength::InSession, taken(true, words.original(from..to))))
}

fn added(text: &str) -> TodoAction {
    let text = text.trim().trim_start_matches([':', '-']);
    match things(text) {
        found if found.is_empty() => TodoAction::Nothing,
        found => TodoAction::Add(found),
    }
}

fn taken(done: bool, text: &str) -> TodoAction {
    match things(text) {
        found if found.is_empty() => TodoAction::Nothing,
        found if done => TodoAction::Done(found),
        found => TodoAction::Remove(found),
    }
}

/// Where "to my list" starts and ends, the last one that does.
fn on_list(
    words: &Words<'_>,
    from: usize,
    end: usize,
    prepositions: &[&str],
) -> Option<(usize, usize)> {
    const LISTS: [&str; 12] = [
        "todo list",
        "todo-list",
        "to-do list",
        "to do list",
        "to-do",
        "todos",
        "shopping list",
        "grocery list",
        "groceries list",
        "groceries",
        "task list",
        "list",
    ];
    (from..end.min(from + WORDS_MAX)).rev().find_map(|at| {
        if !prepositions.contains(&words.get(at)) {
            return None;
        }
        let noun = words.after(at + 1, &["my", "the", "our", "this"])?;
        let after = words.after(noun, &LISTS)?;
        let whole = after == end || at == from || words.is_set_off(after - 1);
        whole.then_some((at, after))
    })
}

/// Requests that mean the list only during a session.
fn brief(request: &str) -> Option<TodoAction> {
    Some(match request {
        "list" | "todo" | "show" | "show it" | "show list" | "show me" | "whats left"
        | "what is left" | "what do we need" => TodoAction::Show,
        "clear" | "clear it" | "clear all" => TodoAction::Clear,
        _ => return None,
    })
}

fn fixed(request: &str) -> Option<TodoAction> {
    if shows(request) {
        return Some(TodoAction::Show);
    }
    Some(match request {
        "clear my list"
        | "clear the list"
        | "clear our list"
        | "clear list"
        | "empty my list"
        | "empty the list"
        | "clear my todo list"
        | "clear my to-do list"
        | "clear the todo list"
        | "clear my todos"
        | "delete my list"
        | "delete the list"
        | "clear my shopping list"
        | "clear the shopping list"
        | "delete my todo list"
        | "wipe my list"
        | "start a new list"
        | "new list" => TodoAction::Clear,
        "clear done"
        | "clear done items"
        | "clear finished items"
        | "remove done items"
        | "remove the done items"
        | "clear completed items"
        | "remove finished items" => TodoAction::ClearDone,
        "add to my list" | "add to the list" | "add to our list" | "add something to my list" => {
            TodoAction::Nothing
        }
        _ => return None,
    })
}

fn shows(request: &str) -> bool {
    matches!(
        request,
        "my list"
            | "our list"
            | "todos"
            | "to-dos"
            | "todo list"
            | "to-do list"
            | "to do list"
            | "my todos"
            | "my todo list"
            | "my to-do list"
            | "my to do list"
            | "our todo list"
            | "our to-do list"
            | "show my list"
            | "show me my list"
            | "show our list"
            | "show the list"
            | "show me the list"
            | "show my todo list"
            | "show my to-do list"
            | "show my todos"
            | "show todos"
            | "show me my todo list"
            | "whats on my list"
            | "what is on my list"
            | "whats on our list"
            | "what is on our list"
            | "whats on the list"
            | "what is on the list"
            | "whats on my todo list"
            | "whats on my to-do list"
            | "what is on my todo list"
            | "whats on the todo list"
            | "whats on our todo list"
            | "read my list"
            | "read me my list"
            | "list my todos"
            | "shopping list"
            | "my shopping list"
            | "show my shopping list"
            | "show the shopping list"
            | "whats on my shopping list"
            | "whats on the shopping list"
            | "whats on our shopping list"
            | "grocery list"
            | "my grocery list"
            | "my tasks"
            | "whats left on my list"
            | "whats left on the list"
    )
}
