//! Things that take another's place on a list, or go from one list to another: "swap milk for rice",
//! "move pasta to my groceries list".

use super::drafts::added;
use super::lists::Items;
use super::phrases::{is_no_thing, on_list};
use super::{ListName, TodoAction, TodoState};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::parsers::{self, things};
use crate::assistant::powers::{PowerContext, RequestStrength};
use crate::assistant::wording::texts::{counted, joined, same};

/// Words of a thing that is exchanged.
const THING_WORDS_MAX: usize = 4;

/// "swap milk for rice", "replace milk with rice".
pub(super) fn exchange(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TodoAction)> {
    let words = &message.words;
    let links: &[&str] = match words.get(at) {
        "swap" | "exchange" => &["for", "with", "against"],
        "replace" => &["with", "by"],
        _ => return None,
    };
    let lists = ["on", "from", "in"];
    let found = on_list(message, at + 1, end, &lists, |_| false).filter(|list| list.end == end);
    let (list, end, strength) = match found {
        Some(found) => (found.list, found.start, RequestStrength::Clear),
        None => (ListName::InUse, end, RequestStrength::Soft),
    };
    let link = (at + 2..end).find(|n| links.contains(&words.get(*n)))?;
    let is_short = link - at <= THING_WORDS_MAX + 1 && end - link <= THING_WORDS_MAX + 1;
    let old = parsers::original(words, at + 1, link);
    let names_thing = link + 1 < end && !is_no_thing(&old);
    match added(message, list, (link + 1, end), None) {
        TodoAction::Add(list, new) if is_short && names_thing => {
            Some((strength, TodoAction::Exchange { list, old, new }))
        }
        _ => None,
    }
}

/// "no, oat milk": of what was just put on the list in use.
pub(super) fn corrected(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, TodoAction)> {
    let words = &message.words;
    let is_told = words.get(at) == "no" && words.is_set_off(at) && !words.is_question();
    if !is_told || !(1..=THING_WORDS_MAX).contains(&(end - at - 1)) {
        return None;
    }
    match added(message, ListName::InUse, (at + 1, end), None) {
        TodoAction::Add(_, new) if new.len() == 1 => {
            Some((RequestStrength::InSession, TodoAction::Correct(new)))
        }
        _ => None,
    }
}

/// "move nails to shopping list", "move milk from my list to the groceries list".
pub(super) fn moved(message: &ParsedMessage, at: usize, end: usize) -> Option<TodoAction> {
    let to = on_list(message, at + 1, end, &["to", "onto", "on"], |_| false)?;
    let from = on_list(message, at + 1, to.start, &["from", "off"], |_| false);
    let from = from.filter(|from| from.end == to.start);
    let last = from.as_ref().map_or(to.start, |from| from.start);
    let texts = things(message.words.original(at + 1..last));
    // "the other list" may be any.
    if matches!(&to.list, ListName::Named(name) if matches!(name.as_str(), "other" | "another" | "right" | "wrong" | "same" | "different"))
        && to.end == end
    {
        let reply = "Which list do you mean? I've moved nothing. Say it with its name, like “move milk to my groceries list”.";
        return Some(TodoAction::Unclear(reply.to_owned()));
    }
    let is_whole = to.end == end && !texts.is_empty() && last > at + 1;
    is_whole.then(|| TodoAction::Move {
        texts,
        from: from.map_or(ListName::InUse, |from| from.list),
        to: to.list,
    })
}

impl TodoState {
    /// The thing of the list in use that is said more exactly: "oat milk" for "milk". `None`: there is
    /// none, or more than one.
    pub(super) fn correct(
        &mut self,
        new: Vec<super::TodoDraft>,
        context: &PowerContext,
    ) -> Option<String> {
        const SINCE_MS: i64 = 10 * 60_000;
        let is_recent = (0..=SINCE_MS).contains(&(context.now.0 - self.used_at));
        let text = new.first().filter(|_| is_recent)?.text.to_lowercase();
        let is_meant = |old: &str| {
            let old = old.to_lowercase();
            text != old && text.ends_with(&format!(" {old}"))
        };
        let items = self.items_in(self.place_in_use());
        let mut meant = items
            .iter()
            .filter(|item| !item.done && is_meant(&item.text));
        let (old, None) = (meant.next()?.text.clone(), meant.next()) else {
            return None;
        };
        self.exchange(&ListName::InUse, &old, new, context)
    }

    /// `None`: what is to be replaced is on no list.
    pub(super) fn exchange(
        &mut self,
        list: &ListName,
        old: &str,
        new: Vec<super::TodoDraft>,
        context: &PowerContext,
    ) -> Option<String> {
        let (place, at) = match self.find(list, old, |item| !item.done) {
            Ok(found) => found,
            Err(reply) => {
                let missing = self.not_there(list, &[(old.to_owned(), reply)]);
                return context.sure.then_some(missing);
            }
        };
        let before = self.clone();
        let removed = self.items_mut(place).remove(at);
        let name = match self.name(place) {
            "" => ListName::Unnamed,
            name => ListName::Named(name.to_owned()),
        };
        let open = self.items_in(place).len();
        let added = self.add(&name, new, context);
        if self.items_in(place).len() == open {
            *self = before;
            return Some(format!("I've changed nothing. {added}"));
        }
        Some(format!("Removed {}. {added}", removed.text))
    }

    /// All of them or none.
    pub(super) fn move_things(
        &mut self,
        texts: &[String],
        (from, to): (&ListName, &ListName),
        context: &PowerContext,
    ) -> Option<String> {
        let found: Vec<_> = texts
            .iter()
            .map(|text| (text, self.find(from, text, |item| !item.done)))
            .collect();
        let missing: Vec<(String, String)> = found
            .iter()
            .filter_map(|(text, found)| Some(((*text).clone(), found.clone().err()?)))
            .collect();
        if !missing.is_empty() {
            let missing = self.not_there(from, &missing);
            return context
                .sure
                .then(|| format!("I've moved nothing. {missing}"));
        }
        let mut found: Vec<_> = found
            .into_iter()
            .filter_map(|(_, found)| found.ok())
            .collect();
        found.dedup();
        let target = match self.use_or_begin(to, context) {
            Ok(target) => target,
            Err(reply) => return Some(reply),
        };
        found.retain(|(place, _)| *place != target);
        let title = self.title(target);
        if found.is_empty() {
            return Some(format!("That is on {title} already."));
        }
        let mut moved = Vec::new();
        // From the end, so that the other indices stay.
        found.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
        for (place, at) in found {
            moved.insert(0, self.items_mut(place).remove(at));
        }
        let names: Vec<String> = moved.iter().map(|item| item.text.clone()).collect();
        let items = self.items_mut(target);
        items.retain(|there| there.done || !moved.iter().any(|item| same(&item.text, &there.text)));
        items.extend(moved);
        let open = counted(self.items_in(target).open(), "thing");
        Some(format!(
            "Moved {} to {title}. {open} on it.",
            joined(&names)
        ))
    }
}
