//! Parses messages about bills: "split 90 dollars between Ana, Bo and me", "Ana paid 30 for pizza",
//! "who owes what?".

mod computed;
mod debts;
mod payments;
mod removed;
mod second_debts;
mod settling;
mod splits;

use super::beneficiaries::people_listed;
use super::{BillSplitAction, PaidAction, is_self, shared_with};
use crate::assistant::builtin::{ParsedMessage, is_first_name};
use crate::assistant::powers::RequestStrength::{self, Clear, Soft};
use crate::assistant::powers::{parsers, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;
use debts::owes;
use payments::paid;
use splits::{split, split_at_end};

/// Words of the name before "paid".
const NAME_WORDS_MAX: usize = 3;

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, BillSplitAction)> {
    if let Some(action) = fixed(message.request()) {
        return Some((Clear, action));
    }
    if EVEN.contains(message.request()) {
        return Some((RequestStrength::InSession, BillSplitAction::Owed(None)));
    }
    let words = &message.words;
    // A bill has no days.
    let at = statement::start(message);
    let end = without_day(words, at, parsers::end(words));
    if let Some(action) = computed::parse(words, at, end) {
        return Some((Clear, action));
    }
    if let "split" | "divide" | "share" = words.get(at) {
        return split(words, at, end);
    }
    let at = words.skip(at, &DAYS);
    static NEW_BILL: Phrases = Phrases::new(&[
        "start a bill with", "start a bill between", "start a bill for", "start a new bill with",
        "new bill with", "new bill between", "open a bill with", "make a bill with",
        "create a bill with", "make a bill for",
    ]);
    if let Some(from) = words.after(at, &NEW_BILL) {
        let people = names(words, from, end);
        let are_people = !people.is_empty() && people.iter().all(|name| is_somebody(name));
        let is_new = (at..from).any(|at| words.get(at) == "new");
        let action = match is_new {
            true => BillSplitAction::New(people),
            false => BillSplitAction::People(people),
        };
        return are_people.then_some((Clear, action));
    }
    if let Some(found) = more_people(words, at, end) {
        return Some(found);
    }
    if let Some(name) = shares_all(words, at, end) {
        return Some((Soft, BillSplitAction::ShareAll(name)));
    }
    if let Some(found) = removed::parse(message, at, end) {
        return Some(found);
    }
    split_at_end(words, at, end)
        .map(|action| (Clear, action))
        .or_else(|| owes(words, at, end))
        .or_else(|| paid(words, at, end))
        .or_else(|| settling::evened(words, at, end).map(|action| (Soft, action)))
        .or_else(|| settling::paid_up(words, at, end))
}

/// "add bo to the bill", "add bo and ann" while the bill is in use.
fn more_people(words: &Words, at: usize, end: usize) -> Option<(RequestStrength, BillSplitAction)> {
    if words.get(at) != "add" {
        return None; // most messages
    }
    let bill = phrases![
        "to the bill", "to our bill", "to my bill", "to the split", "to the bill split",
    ];
    let link = (at + 2..end).find(|n| words.after(*n, bill) == Some(end));
    let people = names(words, at + 1, link.unwrap_or(end));
    let are_names =
        |is_so: fn(&str) -> bool| !people.is_empty() && people.iter().all(|name| is_so(name));
    match link {
        Some(_) if are_names(is_somebody) => Some((Clear, BillSplitAction::MorePeople(people))),
        None if are_names(|name| is_first_name(&name.to_lowercase())) => Some((
            RequestStrength::InSession,
            BillSplitAction::MorePeople(people),
        )),
        _ => None,
    }
}

/// "dan shares everything", "i share all of it too".
fn shares_all(words: &Words, at: usize, end: usize) -> Option<String> {
    let verb = (at + 1..end.min(at + 2 + NAME_WORDS_MAX))
        .find(|n| matches!(words.get(*n), "shares" | "share"))?;
    static ALL: Phrases = Phrases::new(&[
        "everything", "all of it", "it all", "all", "the whole bill", "all of that",
    ]);
    let next = words.after(verb + 1, &ALL)?;
    let next = words.skip(next, phrases!["too", "as well", "also"]);
    let name = parsers::original(words, at, verb);
    (next == end && is_somebody(&name)).then_some(name)
}

static DAYS: Phrases = Phrases::new(&[
    "yesterday", "today", "last night", "this morning", "tonight", "earlier", "just now",
    "this evening",
]);

fn without_day(words: &Words, at: usize, end: usize) -> usize {
    let day = (at + 1..end).find(|n| words.after(*n, &DAYS) == Some(end));
    day.unwrap_or(end)
}

static OWED: Phrases = Phrases::new(&[
    "who owes what", "who owes whom", "who owes who", "who owes who what", "who owes me",
    "who owes", "who owes me what", "settle up", "lets settle up", "who pays whom", "who pays who",
    "how do we settle up", "who has to pay", "what does everyone owe", "what does everybody owe",
    "who still owes", "who still owes me", "who still owes what",
]);
/// Questions that may be about anything.
static EVEN: Phrases = Phrases::new(&[
    "are we even", "are we square", "are we all square", "are we all even", "are we quits",
    "are we settled", "is everyone settled", "did everyone pay", "has everyone paid",
    "who hasnt paid", "who hasnt paid yet",
]);
static SHOW: Phrases = Phrases::new(&[
    "bill split", "the bill", "our bill", "show the bill", "show our bill", "my bill",
    "show me the bill", "show my bill", "whats on the bill", "what is on the bill",
    "show expenses", "show our expenses", "split bills",
]);
static REMOVE_LAST: Phrases = Phrases::new(&[
    "delete the last payment", "remove the last payment", "delete last payment",
    "remove last payment",
]);
static SPLIT: Phrases = Phrases::new(&[
    "split the bill", "split a bill", "lets split the bill", "split the check", "split the costs",
    "split our expenses",
]);

fn fixed(request: &str) -> Option<BillSplitAction> {
    Some(match request {
        _ if OWED.contains(request) => BillSplitAction::Owed(None),
        _ if SHOW.contains(request) => BillSplitAction::Show,
        "delete my last payment" | "remove my last payment" => BillSplitAction::RemoveOwnLast,
        _ if REMOVE_LAST.contains(request) => BillSplitAction::RemoveLast,
        "clear bill" | "delete bill" | "reset bill" | "clear bills" | "clear the bill"
        | "clear our bill" | "delete the bill" | "reset the bill" | "clear my bill"
        | "close the bill" => BillSplitAction::Clear,
        "new bill" | "start a new bill" | "a new bill" => BillSplitAction::New(Vec::new()),
        _ if SPLIT.contains(request) => BillSplitAction::Unclear,
        _ => return None,
    })
}

/// "everyone but Bo and Cy": where it begins, and who not.
fn everybody_but(words: &Words, from: usize, end: usize) -> Option<(usize, Vec<String>)> {
    (from..end).find_map(|at| {
        let next = words.after(
            at,
            phrases!["everyone", "everybody", "all of us", "us", "all"],
        )?;
        let next = words.after(
            next,
            phrases![
                "but not", "but", "except for", "except", "without", "besides",
            ],
        )?;
        (next < end).then(|| (at, names(words, next, end)))
    })
}

/// Whether it is who speaks, or what a person may be called.
fn is_somebody(name: &str) -> bool {
    is_self(name) || statement::is_person(name)
}

/// Whether "ana and bo", "we" or "both" is no single person.
fn are_several(payer: &str) -> bool {
    let lower = payer.to_lowercase();
    parsers::things(payer).len() > 1
        || [
            "we", "we all", "we both", "both", "both of us", "all of us", "us", "they", "everyone",
            "everybody",
        ]
        .contains(&lower.as_str())
}

fn names(words: &Words, from: usize, end: usize) -> Vec<String> {
    people_listed(words.original(from..end.max(from)))
}
