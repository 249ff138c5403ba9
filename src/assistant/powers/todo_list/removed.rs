//! Parses what is done with or goes off a list: "done with milk", "got the eggs", "remove eggs from
//! my list", "actually no bread".

use super::drafts::is_second;
use super::phrases::{is_no_thing, number, on_list};
use super::{ListName, TodoAction};
use crate::assistant::builtin::{ParsedMessage, subject};
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::parsers::things;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Words of things that are named without a list.
const PLAIN_WORDS_MAX: usize = 5;

pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TodoAction)> {
    use RequestStrength::InSession;
    let words = &message.words;
    let end = without_reason(words, at, without_too(words, at, end));
    match words.get(at) {
        "remove" | "delete" | "cancel" | "take" | "drop" | "cross" | "strike" => {
            off(message, at, end)
        }
        "check" | "tick" | "mark" => checked(message, end),
        "done" | "finished" | "completed" => {
            let is_one = |n: usize| words.get(n).parse::<usize>().is_ok();
            let is_number = is_one(at + 1)
                && (at + 1..end).all(|n| is_one(n) || matches!(words.get(n), "and" | "&"));
            let from = words.after(at + 1, phrases!["with", "w"]);
            // "finished math"
            let is_short = (1..=PLAIN_WORDS_MAX).contains(&end.saturating_sub(at + 1));
            let is_named = words.get(at) != "done" && is_short && !is_no_thing(words.get(at + 1));
            if from.is_none() && !is_number && is_named {
                let texts = words.original(at + 1..end);
                return Some((InSession, removal(true, ListName::InUse, texts)));
            }
            Some(done_with(
                message,
                from.or(is_number.then_some(at + 1))?,
                end,
            ))
        }
        "im" | "i" => {
            let from = words.after(
                at,
                phrases![
                    "im done with", "i am done with", "i finished", "i did", "ive done", "i got",
                    "i bought",
                ],
            )?;
            let is_bought = matches!(words.get(from - 1), "got" | "bought");
            match everything(message, from, end).filter(|_| is_bought) {
                Some(list) => Some((RequestStrength::Soft, TodoAction::AllDone(list))),
                None => Some(done_with(message, from, end)),
            }
        }
        "got" | "bought" | "packed" | "ive" => {
            static BOUGHT: Phrases = Phrases::new(&[
                "got", "bought", "packed", "ive got", "ive bought", "ive packed", "ive just bought",
            ]);
            let from = words.after(at, &BOUGHT)?;
            if let Some(list) = everything(message, from, end) {
                return Some((RequestStrength::Soft, TodoAction::AllDone(list)));
            }
            let is_short = (1..=PLAIN_WORDS_MAX).contains(&end.saturating_sub(from));
            (is_short && !is_no_thing(words.get(from))).then(|| done_with(message, from, end))
        }
        "actually" | "no" | "scratch" | "not" | "without" | "oops" => {
            let texts = taken_back(message, end)?;
            Some((InSession, removal(false, ListName::InUse, texts)))
        }
        _ if end > at + 1 && is_done(words.get(end - 1)) && end - at <= 8 => {
            // "milk is done"
            let is_verb = matches!(words.get(end - 2), "is" | "are") && end > at + 2;
            let texts = words.original(at..end - 1 - usize::from(is_verb));
            Some((InSession, removal(true, ListName::InUse, texts)))
        }
        _ => None,
    }
}

/// The end of "remove milk, we still have some" without the sentence after the comma.
fn without_reason(words: &Words, at: usize, end: usize) -> usize {
    if !matches!(
        words.get(at),
        "remove" | "delete" | "cross" | "take" | "drop"
    ) {
        return end;
    }
    static REASONS: Phrases = Phrases::new(&[
        "we have", "we still have", "weve got", "weve still got", "we got", "i have",
        "i still have", "ive got", "i got", "theres", "there is", "there are", "its", "its not",
        "we dont", "i dont", "not needed", "no need",
    ]);
    let is_rest = |n: usize| {
        matches!(
            words.get(n),
            "some"
                | "enough"
                | "plenty"
                | "it"
                | "them"
                | "any"
                | "left"
                | "already"
                | "at"
                | "home"
                | "needed"
                | "need"
                | "more"
                | "that"
                | "those"
                | "of"
        )
    };
    let is_reason = |n: usize| {
        let rest = words.after(n, &REASONS);
        words.is_set_off(n - 1) && rest.is_some_and(|rest| (rest..end).all(is_rest))
    };
    (at + 2..end).find(|n| is_reason(*n)).unwrap_or(end)
}

/// The end of "i got milk too" without its last word.
fn without_too(words: &Words, at: usize, end: usize) -> usize {
    let is_bought = matches!(words.get(at), "i" | "im" | "got" | "bought" | "ive");
    let is_too = is_bought && end > at + 2 && words.get(end - 1) == "too";
    end - usize::from(is_too)
}

/// "everything on my list" after "got": the list.
fn everything(message: &ParsedMessage, from: usize, end: usize) -> Option<ListName> {
    static ALL: Phrases = Phrases::new(&[
        "everything", "it all", "all of it", "all of them", "them all",
    ]);
    let next = message.words.after(from, &ALL)?;
    if !message.is_addressed {
        return None;
    }
    if next == end {
        return Some(ListName::InUse);
    }
    let found = on_list(message, next, end, &["on", "from", "off"], |_| false)?;
    (found.start == next && found.end == end).then_some(found.list)
}

/// "done with milk", "i bought milk on my groceries list".
fn done_with(message: &ParsedMessage, from: usize, end: usize) -> (RequestStrength, TodoAction) {
    let words = &message.words;
    let links = ["on", "from", "off", "of"];
    match on_list(message, from + 1, end, &links, |_| false) {
        Some(found) => (
            RequestStrength::Clear,
            removal(true, found.list, words.original(from..found.start)),
        ),
        None => (
            RequestStrength::Soft,
            removal(true, ListName::InUse, words.original(from..end)),
        ),
    }
}

/// "remove eggs from my list", "cross eggs off my groceries list".
fn off(message: &ParsedMessage, at: usize, end: usize) -> Option<(RequestStrength, TodoAction)> {
    use RequestStrength::{Clear, InSession};
    let words = &message.words;
    let verb = words.get(at);
    let done = matches!(verb, "cross" | "strike");
    let skip = usize::from(matches!(words.get(at + 1), "off" | "out"));
    let links = ["from", "off", "of", "on"];
    if let Some(found) = on_list(message, at + 1, end, &links, |_| false) {
        let to = match words.get(found.start - 1) {
            "off" => found.start - 1,
            _ => found.start,
        };
        let texts = words.original(at + 1 + skip..to);
        return Some((Clear, removal(done, found.list, texts)));
    }
    // "take the eggs off"
    let last = usize::from(words.get(end - 1) == "off" && end > at + 2 && skip == 0);
    let is_taken = verb == "take" && (last > 0 || words.get(at + 1) == "off");
    let texts = words.original(at + 1 + skip..end - last);
    if matches!(verb, "delete" | "cancel") {
        let numbers = things(texts);
        let is_shown = !numbers.is_empty() && numbers.iter().all(|one| number(one).is_some());
        let is_it = |one: &String| {
            matches!(
                one.to_lowercase().as_str(),
                "it" | "that" | "this" | "them" | "all" | "both"
            )
        };
        return match is_shown {
            true => Some((InSession, TodoAction::RemoveShown(numbers))),
            false if verb == "delete" && !numbers.is_empty() && !numbers.iter().any(is_it) => {
                Some((InSession, TodoAction::RemoveExact(numbers)))
            }
            false => None,
        };
    }
    let is_removed = verb == "remove" || done || is_taken;
    let is_last = matches!(texts.to_lowercase().as_str(), "it" | "that" | "this");
    (end > at + 1 + skip && is_removed && !is_last)
        .then(|| (InSession, removal(done, ListName::InUse, texts)))
}

/// "put the eggs back", "add milk back on the list".
pub(super) fn put_back(message: &ParsedMessage, at: usize, end: usize) -> Option<TodoAction> {
    let words = &message.words;
    if !matches!(words.get(at), "put" | "add") {
        return None; // most messages
    }
    let back = (at + 2..end).find(|n| words.get(*n) == "back")?;
    let ends = phrases![
        "on the list", "on my list", "on our list", "to the list", "on it", "on there", "on",
    ];
    let is_whole = back + 1 == end || words.after(back + 1, ends) == Some(end);
    let things = things(words.original(at + 1..back));
    let is_named = !things.is_empty() && !things.iter().any(|thing| is_no_thing(thing));
    (is_whole && is_named).then_some(TodoAction::PutBack(things))
}

/// "check milk off my list", "mark milk as done", "tick off milk".
fn checked(message: &ParsedMessage, end: usize) -> Option<(RequestStrength, TodoAction)> {
    let words = &message.words;
    let at = message.start;
    let from = at + 1 + usize::from(words.get(at + 1) == "off");
    let mark_end = (from..end).find(|n| {
        let as_done = phrases!["as done", "done", "as finished"];
        words.after(*n, as_done) == Some(end)
    });
    if let Some(found) = on_list(
        message,
        from,
        mark_end.unwrap_or(end),
        &["off", "on", "from"],
        |_| false,
    ) {
        let texts = words.original(from..found.start);
        return Some((RequestStrength::Clear, removal(true, found.list, texts)));
    }
    if let Some(to) = mark_end {
        let texts = words.original(from..to);
        return Some((RequestStrength::Soft, removal(true, ListName::InUse, texts)));
    }
    if words.get(at) == "mark" {
        return None;
    }
    let to = if end > from && words.get(end - 1) == "off" {
        end - 1
    } else {
        end
    };
    let texts = words.original(from..to);
    (to > from).then(|| {
        (
            RequestStrength::InSession,
            removal(true, ListName::InUse, texts),
        )
    })
}

/// "actually no bread", "no bread after all", "scratch the bread": what was to be added.
fn taken_back<'a>(message: &ParsedMessage<'a>, end: usize) -> Option<&'a str> {
    let words = &message.words;
    let fillers = phrases!["actually", "oops", "no actually"];
    let after_filler = words.after(message.start, fillers);
    let at = after_filler.unwrap_or(message.start);
    let last = end
        .checked_sub(2)
        .filter(|last| words.after(*last, phrases!["after all"]) == Some(end));
    // "no bananas actually"
    let actually = end
        .checked_sub(1)
        .filter(|last| words.get(*last) == "actually");
    let last = last.or(actually);
    let from = words.after(
        at,
        phrases![
            "scratch the", "scratch", "no", "not the", "without the", "without",
        ],
    )?;
    let is_sure = after_filler.is_some() || last.is_some() || words.get(at) == "scratch";
    let to = last.unwrap_or(end);
    let is_short = (1..=PLAIN_WORDS_MAX).contains(&to.saturating_sub(from));
    let texts = words.original(from..to);
    (is_sure && is_short && !is_no_thing(&subject(texts))).then_some(texts)
}

fn is_done(word: &str) -> bool {
    matches!(word, "done" | "bought" | "✅" | "✔" | "✓" | "☑")
}

fn is_everything(thing: &str) -> bool {
    let all = [
        "everything", "all", "all of it", "it all", "all things", "all items", "all of them",
    ];
    all.contains(&thing.to_lowercase().as_str())
}

fn removal(done: bool, list: ListName, text: &str) -> TodoAction {
    match things(text) {
        found if found.is_empty() => {
            let reply = "Which thing on the list? For example: “done with milk”, or “remove milk”.";
            TodoAction::Unclear(reply.to_owned())
        }
        found if found.iter().skip(1).any(|thing| is_second(thing)) => TodoAction::Unclear(
            "There's another request in that, so I've changed nothing. Please send them one by one."
                .to_owned(),
        ),
        found if !done && found.iter().all(|one| is_everything(one)) => TodoAction::Clear(list),
        found if done && found.iter().all(|one| is_everything(one)) => TodoAction::AllDone(list),
        found if done => TodoAction::Done(list, found),
        found => TodoAction::Remove(list, found),
    }
}
