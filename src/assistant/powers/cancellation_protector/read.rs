//! Parses messages about trials and free cancellations: "my netflix trial ends on 5 december".

use super::{CancellationAction, FREE};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{RequestStrength, parsers, planned_time};
use crate::assistant::text::phrases::{Phrases, phrases};

/// Words before "trial ends".
const NAME_WORDS_MAX: usize = 12;

/// Words that say that there is nothing left to cancel.
static DONE: Phrases = Phrases::new(&[
    "i cancelled", "i canceled", "ive cancelled", "ive canceled", "i have cancelled",
    "i have canceled", "i just cancelled", "i just canceled", "just cancelled", "just canceled",
    "cancelled", "canceled", "im keeping", "i keep",
]);
/// Words that begin a request to cancel something.
static ORDERS: Phrases = Phrases::new(&[
    "cancel", "end", "stop", "quit", "terminate", "unsubscribe me from", "unsubscribe from",
    "get rid of",
]);

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, CancellationAction)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if lists(message.request()) {
        return Some((Clear, CancellationAction::List));
    }
    if let Some(found) = parse_request(message, at, end) {
        return Some(found);
    }
    if words.is_question() {
        return None;
    }
    let (what, next) = deadline(message, at, end)?;
    let Some(found) = planned_time::find(message, next, end, false) else {
        return (next == end).then_some((Soft, CancellationAction::AskTime(what)));
    };
    let mut rest = found.rest(words, next, end);
    let mut what = what;
    // "free cancellation until 12 dec for the hotel"
    if what == FREE
        && let Some(first) = rest.first().cloned()
        && let Some(named) = ["for the ", "for my ", "for ", "of the ", "of my ", "of "]
            .iter()
            .find_map(|link| first.strip_prefix(link))
    {
        what = format!("{FREE} of {named}");
        rest.remove(0);
    }
    Some((
        Clear,
        match found.time {
            Ok(time) => CancellationAction::Keep {
                what,
                details: rest.join(", "),
                time,
            },
            Err(problem) => CancellationAction::UnclearTime(problem),
        },
    ))
}

/// A request about a known trial, or news of it.
fn parse_request(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, CancellationAction)> {
    use RequestStrength::{InSession, Soft};
    let words = &message.words;
    if let Some(from) = words.after(at, &DONE) {
        let about = bare(message, from, end)?;
        return Some((Soft, CancellationAction::Remove(about)));
    }
    if let Some(from) = words.after(at, &ORDERS)
        && let Some(kind) = (from..end).find(|n| words.get(*n) == "trial")
    {
        return Some((
            Soft,
            CancellationAction::Order(named(message, from, kind, end)),
        ));
    }
    if let Some(from) = words.after(at, phrases!["delete", "remove", "forget", "drop", "cancel"])
        && let Some(kind) = (from..end).find(|n| is_kind(words.get(*n)))
    {
        let about = named(message, from, kind, end);
        return Some((InSession, CancellationAction::Remove(about)));
    }
    let from = words.after(
        at,
        phrases!["when does", "when do", "when will", "until when is"],
    )?;
    let kind = (from..end).find(|n| matches!(words.get(*n), "trial" | "trials"))?;
    let about = named(message, from, kind, end - 1);
    Some((Soft, CancellationAction::Show(about)))
}

/// "netflix trial", "trial of netflix": netflix, else the kind alone.
fn named(message: &ParsedMessage, from: usize, kind: usize, end: usize) -> String {
    let of = || {
        static LINK: Phrases = Phrases::new(&["of", "for", "with", "on", "at"]);
        bare(message, message.words.after(kind + 1, &LINK)?, end)
    };
    bare(message, from, kind)
        .filter(|name| !name.eq_ignore_ascii_case("free"))
        .or_else(of)
        .unwrap_or_else(|| message.words.get(kind).to_owned())
}

/// The name of a thing that can be cancelled until some time, and the index at which the time
/// begins.
fn deadline(message: &ParsedMessage, at: usize, end: usize) -> Option<(String, usize)> {
    let words = &message.words;
    let until = end.min(at + NAME_WORDS_MAX);
    for n in at..until {
        if let Some(next) = words.after(
            n,
            phrases![
                "free cancellation", "free cancelation", "can be cancelled for free",
                "can be canceled for free", "cancellation is free", "is free to cancel",
                "can be cancelled free of charge",
            ],
        ) {
            let next = words.after(next, phrases!["until", "till", "up to", "by", "before"]);
            let before = bare(message, at, n).map(|name| {
                let name = name.strip_suffix(" has").unwrap_or(&name);
                format!("{FREE} of {name}")
            });
            return Some((before.unwrap_or_else(|| FREE.to_owned()), next?));
        }
        if words.get(n) == "trial"
            && let Some(next) = words.after(
                n + 1,
                phrases![
                    "ends", "expires", "is over", "runs out", "will end", "runs until",
                    "period ends", "lasts until", "of", "for", "with",
                ],
            )
        {
            if !matches!(words.get(next - 1), "of" | "for" | "with") {
                let name = bare(message, at, n);
                let name =
                    name.filter(|name| !matches!(name.to_lowercase().as_str(), "free" | "my free"));
                let name = name.map_or_else(
                    || "trial".to_owned(),
                    |name| format!("{} trial", name.strip_suffix(" free").unwrap_or(&name)),
                );
                return Some((name, next));
            }
            let verb = (next..end.min(next + NAME_WORDS_MAX)).find_map(|m| {
                let after = words.after(
                    m,
                    phrases!["ends", "expires", "is over", "runs out", "runs until"],
                );
                Some((m, after?))
            });
            let (to, after) = verb?;
            return Some((format!("{} trial", bare(message, next, to)?), after));
        }
    }
    let from = words.after(
        at,
        phrases!["i can cancel", "we can cancel", "i can still cancel"],
    )?;
    let to = (from..end).find(|n| matches!(words.get(*n), "until" | "till" | "before" | "by"))?;
    let name = bare(message, from, to)?;
    let name = name.strip_suffix(" for free").unwrap_or(&name);
    Some((format!("{FREE} of {name}"), to + 1))
}

fn bare(message: &ParsedMessage, from: usize, to: usize) -> Option<String> {
    let from = message
        .words
        .skip(from, phrases!["my", "the", "our", "this"]);
    // "Canva, it ends"
    let is_it = to > from + 1 && matches!(message.words.get(to - 1), "it" | "that" | "which");
    let to = if is_it { to - 1 } else { to };
    let text = parsers::original(&message.words, from, to);
    (!text.is_empty()).then_some(text)
}

fn is_kind(word: &str) -> bool {
    matches!(word, "trial" | "cancellation" | "deadline")
}

fn lists(request: &str) -> bool {
    [
        "trials", "my trials", "show my trials", "list my trials", "free cancellations",
        "my free cancellations", "what can i still cancel", "what can i cancel",
        "which trials end", "when does my trial end", "when do my trials end",
        "show my free cancellations",
    ]
    .contains(&request)
}
