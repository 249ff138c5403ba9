//! Parses messages about lists: "add milk and eggs to my list", "add call the bank to my work list
//! for friday", "done with milk".

use super::corrected::things_meant;
use super::fixed_requests::{question, session_request, whole_request};
use super::phrases::{
    after_verb, is_no_thing, is_repeat, list_at, list_to_show, no_repetition, on_list,
};
use super::{ListName, TodoAction, TodoDraft, removed};
use crate::assistant::builtin::when::{self, Spec};
use crate::assistant::builtin::words::Words;
use crate::assistant::builtin::{ParsedMessage, subject};
use crate::assistant::powers::Strength;
use crate::assistant::powers::parsers;
use crate::assistant::powers::planned_time::{self, PlannedTime};

/// Words after "add" for each thing, where no list is named.
const PLAIN_WORDS_MAX: usize = 5;
/// Things after "add", where no list is named.
const PLAIN_THINGS_MAX: usize = 10;

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage<'_>,
) -> Option<(Strength, TodoAction)> {
    use Strength::{Clear, InSession, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if let Some(action) = whole_request(message.request()).or_else(|| of_a_list(message, end)) {
        return Some((Clear, action));
    }
    if let Some(action) = session_request(message.request()) {
        return Some((InSession, action));
    }
    if let Some(action) = question(message.request()) {
        return Some((Soft, action));
    }
    let verb = words.get(at);
    if is_one_more(message, at, end) {
        return Some((InSession, added(message, ListName::InUse, (at, end), None)));
    }
    if let "todo" | "to-do" | "todos" = verb
        && words.is_set_off(at)
    {
        return Some((
            Clear,
            added(message, ListName::Unnamed, (at + 1, end), None),
        ));
    }
    match verb {
        "add" | "put" | "write" | "get" | "throw" | "stick" | "note" => add(message, at, end),
        "new" => {
            let from = words.after(at, &["new todo", "new task", "new to-do"])?;
            Some((Clear, added(message, ListName::Unnamed, (from, end), None)))
        }
        // "is milk on my list?"
        "is" | "are" => {
            let found = on_list(message, at + 2, end, &["on"], |_| false)?;
            (found.end == end).then_some((Clear, TodoAction::Show(found.list)))
        }
        "reopen" | "uncheck" | "untick" => Some((
            InSession,
            TodoAction::Reopen(parsers::original(words, at + 1, end)),
        )),
        _ => removed::parse(message, at, end),
    }
}

/// "add milk to my list", "add call the bank to my work list for friday", "add todo call mom".
fn add(message: &ParsedMessage<'_>, at: usize, end: usize) -> Option<(Strength, TodoAction)> {
    use Strength::{Clear, InSession};
    let words = &message.words;
    let more = |from: usize| {
        matches!(words.get(from), "for" | "by" | "on" | "at" | "due" | "in")
            || is_repeat(words.get(from))
            || time_until(words, from, end).is_some()
    };
    let links = ["to", "on", "onto", "in", "into"];
    if let Some(actions) = to_lists(message, at + 1, end, &links) {
        return Some((Clear, TodoAction::Each(actions)));
    }
    if let Some(found) = on_list(message, at + 1, end, &links, more) {
        if found.end < end && found.start > at + 1 && is_repeat(words.get(found.end)) {
            return Some((Clear, TodoAction::Unclear(no_repetition())));
        }
        let from_other = (at + 2..found.start).any(|n| {
            matches!(words.get(n), "from" | "off") && list_at(message, n + 1, found.start).is_some()
        });
        if from_other {
            let reply = "I can't move things from one list to another, so I've changed nothing. Say “remove milk from my list”, and “add milk to my groceries list”.";
            return Some((Clear, TodoAction::Unclear(reply.to_owned())));
        }
        if found.start == at + 1 {
            let due = when::read(words, found.end).filter(|(spec, to)| *to < end && has_day(spec));
            let (due, from) = due.map_or((None, found.end), |(due, to)| (Some(due), to));
            return Some((Clear, added(message, found.list, (from, end), due)));
        }
        if (found.end..end).any(|n| planned_time::is_open_span(words, n)) {
            return Some((Clear, TodoAction::Unclear(day_unclear())));
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
            return Some((Clear, TodoAction::Unclear(day_unclear())));
        }
        let action = added(message, found.list, (at + 1, found.start), due);
        if due.is_some() && purpose_end == end {
            return Some((Clear, action));
        }
        let purpose = words.original(found.end..purpose_end);
        return Some((Clear, with_purpose(action, purpose)));
    }
    if words.get(at) == "note" {
        return None;
    }
    let todo = ["add todo", "add a todo", "add task", "add a task"];
    if let Some(from) = words.after(at, &todo) {
        return Some((Clear, added(message, ListName::Unnamed, (from, end), None)));
    }
    if words.get(at) != "add" || end == at + 1 {
        return None;
    }
    let strength = if is_plain_thing(message, at + 1, end) {
        Strength::Opening
    } else {
        InSession
    };
    Some((
        strength,
        added(message, ListName::InUse, (at + 1, end), None),
    ))
}

/// "milk to my list and eggs to the groceries list": at least two lists, the last one at the end.
fn to_lists(
    message: &ParsedMessage<'_>,
    from: usize,
    end: usize,
    links: &[&str],
) -> Option<Vec<TodoAction>> {
    let words = &message.words;
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
        let next = words
            .after(after, &["and also", "and", "also"])
            .unwrap_or(after);
        start = words.after(next, &["add", "put"]).unwrap_or(next);
        at = start + 1;
    }
    (actions.len() > 1 && start >= end).then_some(actions)
}

/// "also eggs", "and butter": one more thing for the list in use.
fn is_one_more(message: &ParsedMessage<'_>, at: usize, end: usize) -> bool {
    let words = &message.words;
    let is_linked = at > 0 && matches!(words.get(at - 1), "also" | "and");
    let is_request = || {
        words
            .after(at, &["add", "put", "remove", "done", "show", "clear"])
            .is_some()
    };
    let is_timed = || (at..end).any(|n| when::read(words, n).is_some());
    is_linked
        && end > at
        && !matches!(words.get(at), "thanks" | "thank" | "then" | "now" | "so")
        && is_plain_thing(message, at, end)
        && !is_request()
        && !is_timed()
}

/// "add milk", "add 2 liters of milk, 3 eggs and a loaf of bread", said to the assistant: each short
/// enough to be for a list.
fn is_plain_thing(message: &ParsedMessage<'_>, from: usize, end: usize) -> bool {
    let words = &message.words;
    let is_other = |at: usize| {
        let word = words.get(at);
        matches!(
            word,
            "me" | "us"
                | "him"
                | "her"
                | "them"
                | "it"
                | "that"
                | "this"
                | "my"
                | "your"
                | "up"
                | "to"
                | "on"
                | "in"
                | "into"
                | "as"
                | "from"
                | "some"
                | "more"
                | "another"
                | "what"
                | "how"
                | "you"
                | "i"
        ) || word.starts_with(|c: char| c.is_ascii_digit()) && end == from + 1
    };
    let is_short = || {
        let (mut in_one, mut things) = (0, 1);
        (from..end).all(|at| {
            in_one += 1;
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

/// "milk to my list for the party": what was said after the list belongs to the thing.
fn with_purpose(action: TodoAction, rest: &str) -> TodoAction {
    match action {
        TodoAction::Add(list, mut drafts) if !rest.is_empty() => {
            for draft in &mut drafts {
                draft.text = format!("{} {}", draft.text, subject(rest));
            }
            TodoAction::Add(list, drafts)
        }
        action => action,
    }
}

/// A time that begins at `from` and ends the words: one with a day, or "at 5".
fn time_until(words: &Words<'_>, from: usize, end: usize) -> Option<Spec> {
    let (spec, to) = when::time_at(words, from)?;
    (to == end && (has_day(&spec) || words.get(from) == "at")).then_some(spec)
}

fn has_day(spec: &Spec) -> bool {
    spec.day.is_some() || spec.wait.is_some()
}

/// `due`: said after the list, for all of them.
fn added(
    message: &ParsedMessage<'_>,
    list: ListName,
    (from, to): (usize, usize),
    due: Option<Spec>,
) -> TodoAction {
    let text = message.words.original(from..to.max(from));
    let text = text.trim().trim_start_matches([':', '-']);
    let day = due.map(|spec| planned_time::resolve(spec, message));
    let due = match day.transpose() {
        Ok(due) => due,
        Err(reply) => return TodoAction::Unclear(reply),
    };
    let Some(mut things) = things_meant(text) else {
        let reply = "Which things do you mean in the end? I've added nothing.";
        return TodoAction::Unclear(reply.to_owned());
    };
    for thing in things.iter_mut().skip(1) {
        *thing = without_verb(thing);
    }
    let is_other = |thing: &&String| is_other_request(thing, list == ListName::InUse);
    if let Some(other) = things.iter().find(is_other) {
        return TodoAction::Unclear(format!(
            "“{other}” sounds like another request, so I've added nothing. Please send them one by one."
        ));
    }
    let drafts = things.into_iter().map(|text| draft(message, text, due));
    match drafts.collect::<Result<Vec<TodoDraft>, String>>() {
        Err(reply) => TodoAction::Unclear(reply),
        Ok(drafts) if drafts.iter().all(|draft| is_no_thing(&draft.text)) => {
            TodoAction::Nothing(list)
        }
        Ok(drafts) => TodoAction::Add(list, drafts),
    }
}

/// "add sugar" after "flour and".
fn without_verb(thing: &str) -> String {
    let words = Words::new(thing);
    match words.after(0, &["add"]) {
        Some(from) if from < words.len() => parsers::original(&words, from, words.len()),
        _ => thing.to_owned(),
    }
}

/// Whether something else is asked for in the same sentence, which is no thing. `is_plain`: no list
/// is named, which may be one of what is to be done, as "delete old photos".
pub(super) fn is_other_request(thing: &str, is_plain: bool) -> bool {
    let beginnings = [
        "remind me", "wake me", "spent", "i spent", "ive spent", "remember that", "my name is",
        "whats on my", "what is on my", "show my", "show me my", "what do i have",
        "how much have i", "who owes", "done with", "forget it", "forget that", "never mind",
        "cancel it", "cancel that", "undo", "bought", "i bought", "paid", "i paid", "track habit",
        "track a habit", "clear the list", "clear my list", "show the list", "my mood is",
        "who owes",
    ];
    let words = Words::new(thing);
    let is_removed = words.len() > 1 && matches!(words.get(0), "delete" | "remove");
    // "noodles remove rice"
    let is_run_on = |at: usize| matches!(words.get(at), "remove" | "delete" | "undo" | "add");
    words.after(0, &beginnings).is_some()
        || is_plain && (is_removed || (1..words.len()).any(is_run_on))
}

/// "call the bank on friday". The error says why the day can't be used.
fn draft(
    message: &ParsedMessage<'_>,
    text: String,
    due: Option<PlannedTime>,
) -> Result<TodoDraft, String> {
    let words = Words::new(&text);
    let mut starts = 1..words.len();
    let found = starts.find_map(|at| Some((at, time_until(&words, at, words.len())?)));
    let Some((at, spec)) = found.filter(|_| due.is_none()) else {
        return match due.is_none() && names_time(&words) {
            true => Err(day_unclear()),
            false => Ok(TodoDraft { text, due }),
        };
    };
    if is_repeat(words.get(at - 1)) {
        return Err(no_repetition());
    }
    if (at..words.len()).any(|n| planned_time::is_open_span(&words, n)) {
        return Err(day_unclear());
    }
    let due = planned_time::resolve(spec, message)?;
    Ok(TodoDraft {
        text: parsers::original(&words, 0, at),
        due: Some(due),
    })
}

/// "call bank tomorrow about the loan": a time that more words follow.
fn names_time(words: &Words<'_>) -> bool {
    (1..words.len()).any(|at| {
        let word = words.get(at);
        matches!(word, "today" | "tomorrow" | "tonight" | "yesterday")
            || matches!(word, "on" | "at") && when::time_at(words, at).is_some()
            || matches!(word, "on" | "by") && is_ordinal(words.get(at + 1))
    })
}

/// "1st", "22nd"
fn is_ordinal(word: &str) -> bool {
    let ends = ["st", "nd", "rd", "th"];
    let number = ends.iter().find_map(|end| word.strip_suffix(end));
    number.is_some_and(|number| number.parse::<u8>().is_ok())
}

fn day_unclear() -> String {
    "Which day is that? I've added nothing. Say it like “for friday” or “for 5 June”.".to_owned()
}

/// Requests about a whole list.
fn of_a_list(message: &ParsedMessage<'_>, end: usize) -> Option<TodoAction> {
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
        .filter_map(|phrase| words.after(message.start, &[phrase]));
    if let Some(from) = from.max()
        && let Some((ListName::Named(name), after)) = list_at(message, from, end)
        && after == end
        && message.is_addressed
    {
        return Some(TodoAction::Begin(name));
    }
    list_to_show(message, end).map(TodoAction::Show)
}
