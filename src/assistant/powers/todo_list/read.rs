//! Parses messages about lists: "add milk and eggs to my list", "add call the bank to my work list
//! for friday", "done with milk".

use super::drafts::{
    DAY_UNCLEAR, added, condition, has_day, is_remark, open_end, other_request, time_until,
    unfinished, with_day_each, with_purpose,
};
use super::fixed_requests::{question, session_request, whole_request};
use super::groceries::is_grocery;
use super::phrases::{
    ListPhrase, NO_REPETITION, begins_request, ends_sentence, is_of_others, is_repeat, list_at,
    on_list,
};
use super::{ListName, TodoAction, moved, removed, whole_lists};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::parsers;
use crate::assistant::powers::planned_time;
use crate::assistant::text::clauses::{begins_clause, begins_reason};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Words after "add" for each thing, where no list is named.
const PLAIN_WORDS_MAX: usize = 5;
/// Things after "add", where no list is named.
const PLAIN_THINGS_MAX: usize = 10;

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, TodoAction)> {
    use RequestStrength::{Clear, InSession, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if let Some(action) =
        whole_request(message.request()).or_else(|| whole_lists::parse(message, end))
    {
        return Some((Clear, action));
    }
    if let Some(action) = session_request(message.request()) {
        // "juno, list" in a group, which has one list for all
        let is_shared = message.context.group && message.is_addressed;
        let is_list = matches!(message.request(), "list" | "show list" | "todo");
        return Some((
            if is_shared && is_list {
                Clear
            } else {
                InSession
            },
            action,
        ));
    }
    if let Some(action) = question(message.request()) {
        return Some((Soft, action));
    }
    let verb = words.get(at);
    if is_one_more(message, at, end) {
        return Some((InSession, one_more(message, at, end)));
    }
    if let "todo" | "to-do" | "todos" = verb
        && words.is_set_off(at)
    {
        return Some((
            Clear,
            added(message, ListName::Unnamed, (at + 1, end), None),
        ));
    }
    if let Some(put_back) = removed::put_back(message, at, end) {
        return Some((InSession, put_back));
    }
    if let Some(action) = whole_lists::with_things(message, at, end) {
        return Some((Clear, action));
    }
    match verb {
        "add" | "put" | "write" | "get" | "throw" | "stick" | "note" => add(message, at, end),
        "new" => {
            let from = words.after(at, phrases!["new todo", "new task", "new to-do"])?;
            Some((Clear, added(message, ListName::Unnamed, (from, end), None)))
        }
        "is" | "are" | "do" | "have" => asked_for(message, at, end),
        "swap" | "replace" | "exchange" => moved::exchange(message, at, end),
        "move" | "shift" => Some((Clear, moved::moved(message, at, end)?)),
        "reopen" | "uncheck" | "untick" => Some((
            InSession,
            TodoAction::Reopen(parsers::original(words, at + 1, end)),
        )),
        _ => moved::corrected(message, at, end)
            .or_else(|| removed_and_added(message, at, end))
            .or_else(|| removed::parse(message, at, end)),
    }
}

/// "also eggs", "and eggs and"
fn one_more(message: &ParsedMessage, at: usize, end: usize) -> TodoAction {
    let words = &message.words;
    let added = |end| added(message, ListName::InUse, (at, end), None);
    match (condition(words, at, end), open_end(words, at, end)) {
        (Some(condition), _) => condition_unclear(words, condition, end),
        (None, Some(last)) => unfinished(added(last)),
        (None, None) => added(end),
    }
}

/// "is milk on my list?", "do i have milk on my list?"
fn asked_for(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TodoAction)> {
    let words = &message.words;
    let from = match words.get(at) {
        "is" | "are" => at + 1,
        _ => words.after(
            at,
            phrases!["do i have", "do we have", "have i got", "have we got"],
        )?,
    };
    let found = on_list(message, from + 1, end, &["on"], |_| false)?;
    let from = words.skip(from, phrases!["there any", "there", "the", "any"]);
    let thing = parsers::original(words, from, found.start);
    let action = TodoAction::IsOn(found.list, thing);
    (found.end == end).then_some((RequestStrength::Clear, action))
}

/// "cross off milk, add bananas": both.
fn removed_and_added(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TodoAction)> {
    let words = &message.words;
    let second = (at + 2..end).find(|n| words.get(*n) == "add" && words.is_set_off(n - 1))?;
    let (strength, first) = removed::parse(message, at, second)?;
    let (_, second) = add(message, second, end)?;
    let is_change = matches!(first, TodoAction::Done(..) | TodoAction::Remove(..));
    let is_both = is_change && matches!(second, TodoAction::Add(..));
    is_both.then(|| (strength, TodoAction::Each(vec![first, second])))
}

/// "add milk to my list", "add call the bank to my work list for friday", "add todo call mom". A
/// condition is no part of it.
fn add(message: &ParsedMessage, at: usize, end: usize) -> Option<(RequestStrength, TodoAction)> {
    if let Some(last) = open_end(&message.words, at + 1, end) {
        let (strength, action) = add(message, at, last)?;
        return Some((strength, unfinished(action)));
    }
    let Some(condition) = condition(&message.words, at + 1, end) else {
        return add_all(message, at, end);
    };
    let (strength, action) = add_all(message, at, condition)?;
    Some(match action {
        TodoAction::Add(..) | TodoAction::Each(_) => {
            (strength, condition_unclear(&message.words, condition, end))
        }
        action => (strength, action),
    })
}

fn condition_unclear(words: &Words, condition: usize, end: usize) -> TodoAction {
    let condition = parsers::original(words, condition, end);
    TodoAction::Unclear(format!(
        "I can't tell by myself whether that's so: “{condition}”. So I've added nothing; say it without that, and I add it."
    ))
}

fn add_all(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TodoAction)> {
    use RequestStrength::{Clear, InSession};
    let words = &message.words;
    let more = |from: usize| {
        matches!(words.get(from), "for" | "by" | "on" | "at" | "due" | "in")
            || is_repeat(words.get(from))
            || time_until(words, from, end).is_some()
            || begins_reason(words, from)
    };
    let links = ["to", "on", "onto", "in", "into"];
    // "add milk 2 shopping list", unlike "add milk to my phase 2 list"
    let is_linked = (at + 1..end).any(|n| links.contains(&words.get(n)));
    let links: &[&str] = if is_linked { &links } else { &["2"] };
    if let Some(actions) = to_lists(message, at + 1, end, links) {
        return Some((Clear, TodoAction::Each(actions)));
    }
    let too = phrases!["as well", "too", "also", "again"];
    let without_too = |to: usize| {
        let mut starts = at + 2..to;
        let found = starts.find(|n| words.after(*n, too) == Some(to));
        found.unwrap_or(to)
    };
    let list_end = without_too(end);
    if let Some(found) = on_list(message, at + 1, list_end, links, more) {
        return Some((Clear, to_list(message, found, at, list_end)));
    }
    if words.get(at) == "note" {
        return None;
    }
    let todo = phrases!["add todo", "add a todo", "add task", "add a task"];
    if let Some(from) = words.after(at, todo) {
        return Some((Clear, added(message, ListName::Unnamed, (from, end), None)));
    }
    // "put bread on it", "add bread too"
    static ON_IT: Phrases = Phrases::new(&[
        "to it", "on it", "to that", "on that", "to them", "on there", "in there", "on to it",
        "there",
    ]);
    // "add eggs there too", "add eggs too on it"
    let until = list_end;
    let it = (at + 2..until).find(|n| words.after(*n, &ON_IT) == Some(until));
    let to = without_too(it.unwrap_or(until));
    if it.is_some() && words.get(at) != "get" {
        return Some((
            InSession,
            added(message, ListName::InUse, (at + 1, to), None),
        ));
    }
    let end = to;
    // "add 5 min" is for a timer.
    let is_time = || when::read_duration(words, at + 1).is_some_and(|(_, to)| to == end);
    // "add that i need batteries"
    let from = words.skip(at + 1, phrases!["that i need", "that we need"]);
    if words.get(at) != "add" || end == from || is_time() || is_of_others(words, at + 1, end) {
        return None;
    }
    let strength = if is_plain_thing(message, from, end) {
        RequestStrength::Opening
    } else {
        InSession
    };
    Some((strength, added(message, ListName::InUse, (from, end), None)))
}

/// "add milk to my list for friday": the list is named.
fn to_list(message: &ParsedMessage, found: ListPhrase, at: usize, end: usize) -> TodoAction {
    let words = &message.words;
    if found.end < end && found.start > at + 1 && is_repeat(words.get(found.end)) {
        return TodoAction::Unclear(NO_REPETITION.to_owned());
    }
    let from_other = (at + 2..found.start).any(|n| {
        matches!(words.get(n), "from" | "off") && list_at(message, n + 1, found.start).is_some()
    });
    if from_other {
        let reply = "I can't move things from one list to another, so I've changed nothing. Say “remove milk from my list”, and “add milk to my groceries list”.";
        return TodoAction::Unclear(reply.to_owned());
    }
    if found.start == at + 1 {
        let due = when::read(words, found.end).filter(|(spec, to)| *to < end && has_day(spec));
        let (due, from) = due.map_or((None, found.end), |(due, to)| (Some(due), to));
        return added(message, found.list, (from, end), due);
    }
    let is_told = || words.is_set_off(found.end - 1) && begins_clause(words, found.end, end);
    if found.end < end
        && (ends_sentence(words, found.end - 1) || begins_reason(words, found.end) || is_told())
    {
        let rest = parsers::original(words, found.end, end);
        return match is_remark(&rest) {
            true => added(message, found.list, (at + 1, found.start), None),
            false => other_request(&rest),
        };
    }
    if (found.end..end).any(|n| planned_time::is_open_span(words, n)) {
        return TodoAction::Unclear(DAY_UNCLEAR.to_owned());
    }
    if let Some(action) = with_day_each(
        message,
        &found.list,
        (at + 1, found.start),
        (found.end, end),
    ) {
        return action;
    }
    let mut due = time_until(words, found.end, end);
    let mut purpose_end = end;
    // "to my list for 5/6", "to my list for the party": the first was meant as a day.
    let rest = words.original(found.end..end);
    let is_choice = rest.contains(" or ") && parsers::has_day(rest);
    // "for the party on friday"
    let tail = || {
        let mut starts = found.end + 1..end;
        starts.find_map(|n| Some((n, time_until(words, n, end)?)))
    };
    if due.is_none()
        && !is_choice
        && let Some((from, spec)) = tail()
    {
        (due, purpose_end) = (Some(spec), from);
    }
    let has_digit = rest.contains(|c: char| c.is_ascii_digit());
    if due.is_none() && (has_digit || is_choice) {
        return TodoAction::Unclear(DAY_UNCLEAR.to_owned());
    }
    let action = added(message, found.list, (at + 1, found.start), due);
    if due.is_some() && purpose_end == end {
        return action;
    }
    let purpose = words.original(found.end..purpose_end);
    with_purpose(action, purpose)
}

/// "milk to my list and eggs to the groceries list": at least two lists, the last one at the end.
fn to_lists(
    message: &ParsedMessage,
    from: usize,
    end: usize,
    links: &[&str],
) -> Option<Vec<TodoAction>> {
    let words = &message.words;
    if let Some((to, names)) = plural_lists(message, from, end, links) {
        let each = names.into_iter();
        let added = |name| added(message, ListName::Named(name), (from, to), None);
        return Some(each.map(added).collect());
    }
    let (mut start, mut at, mut actions) = (from, from + 1, Vec::new());
    while at < end {
        let list = match links.contains(&words.get(at)) && at > start {
            true => list_at(message, at + 1, end),
            false => None,
        };
        let Some((list, after)) = list else {
            at += 1;
            continue;
        };
        let has_more = words.get(after) == "and" || words.is_set_off(after - 1);
        if after < end && !has_more {
            return None;
        }
        actions.push(added(message, list, (start, at), None));
        // "to the party list and the shopping list"
        let mut after = after;
        while let Some((list, next)) = another_list(message, after, end) {
            actions.push(added(message, list, (start, at), None));
            after = next;
        }
        let next = words.skip(after, phrases!["and also", "and", "also"]);
        start = words.skip(next, phrases!["add", "put"]);
        at = start + 1;
    }
    (actions.len() > 1 && start >= end).then_some(actions)
}

/// "to the party and shopping lists" at the end: where it begins, and their names.
fn plural_lists(
    message: &ParsedMessage,
    from: usize,
    end: usize,
    links: &[&str],
) -> Option<(usize, Vec<String>)> {
    let words = &message.words;
    if words.get(end.saturating_sub(1)) != "lists" || !message.is_addressed {
        return None;
    }
    let link = (from + 1..end - 1)
        .rev()
        .find(|at| links.contains(&words.get(*at)))?;
    let first = words.after(
        link + 1,
        phrases!["my", "the", "our", "both the", "both my", "both"],
    );
    let names = parsers::things(words.original(first.unwrap_or(link + 1)..end - 1));
    (names.len() > 1).then_some((link, names))
}

/// "and the shopping list": one more list for the same things.
fn another_list(message: &ParsedMessage, at: usize, end: usize) -> Option<(ListName, usize)> {
    let words = &message.words;
    static LINK: Phrases = Phrases::new(&[
        "and also to", "and also", "and to", "and on", "and", "also to", "to", "on",
    ]);
    let is_linked = words.get(at) == "and" || at > 0 && words.is_set_off(at - 1);
    let from = words.skip(at, &LINK);
    let (list, next) = list_at(message, from, end).filter(|_| is_linked && at < end)?;
    let is_whole = next == end || words.get(next) == "and" || words.is_set_off(next - 1);
    (is_whole && words.get(next - 1) == "list").then_some((list, next))
}

/// "also eggs", "and butter": one more thing for the list in use.
fn is_one_more(message: &ParsedMessage, at: usize, end: usize) -> bool {
    let words = &message.words;
    let is_linked = at > 0 && matches!(words.get(at - 1), "also" | "and");
    let is_timed = || (at..end).any(|n| when::read(words, n).is_some());
    is_linked
        && end > at
        && !matches!(words.get(at), "thanks" | "thank" | "then" | "now" | "so")
        && is_plain_thing(message, at, end)
        && !begins_request(words.get(at))
        && !begins_clause(words, at, end)
        && !is_of_others(words, at, end)
        && !is_timed()
}

/// "add milk", "add 2 liters of milk, 3 eggs and a loaf of bread", said to the assistant: each short
/// enough to be for a list.
fn is_plain_thing(message: &ParsedMessage, from: usize, end: usize) -> bool {
    let words = &message.words;
    let is_other = |at: usize| {
        let word = words.get(at);
        phrases![
            "me", "us", "him", "her", "them", "it", "that", "this", "my", "your", "up", "to", "on",
            "in", "into", "as", "from", "some", "more", "another", "what", "how", "you", "i"
        ]
        .contains(word)
            || word.starts_with(|c: char| c.is_ascii_digit()) && end == from + 1
    };
    let is_short = || {
        let (mut in_one, mut things) = (0, 1);
        (from..end).all(|at| {
            // "milk bread apples"
            in_one += usize::from(!is_grocery(words.get(at)));
            let fits = in_one <= PLAIN_WORDS_MAX;
            if words.get(at) == "and" || words.is_set_off(at) {
                (in_one, things) = (0, things + 1);
            }
            fits && things <= PLAIN_THINGS_MAX
        })
    };
    message.is_addressed
        && !words.is_question()
        && end - from <= PLAIN_THINGS_MAX * PLAIN_WORDS_MAX
        && !(from..end).any(is_other)
        && is_short()
}
