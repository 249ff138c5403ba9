//! Which list a message is about, by its name.

use super::TodoAction;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// The list that a message refers to.
#[derive(Debug, Clone, PartialEq)]
pub enum ListName {
    /// The last one that was shown or changed.
    InUse,
    /// "the list": the same for a while, then the to-do list.
    Recent,
    /// The to-do list, which has no name.
    Unnamed,
    Named(String),
}

/// A request with another list: "add nails to my list" for "add nails", or for "add nails to my hardware
/// list". `None`: `value` names no list.
pub fn to_list(request: &str, value: &str) -> Option<String> {
    const NAME_WORDS_MAX: usize = 5;
    let named = Words::new(value);
    let from = named.skip(0, phrases!["to", "on", "onto", "for"]);
    let is_list = |words: &Words, from: usize| {
        let last = words.len().saturating_sub(1);
        let is_short = (2..=NAME_WORDS_MAX).contains(&words.len().saturating_sub(from));
        is_short && words.get(last) == "list" && matches!(words.get(from), "my" | "our" | "the")
    };
    let is_known = !matches!(
        named.get(from + 1),
        "other" | "another" | "right" | "wrong" | "same" | "different"
    );
    if !is_list(&named, from) || !is_known {
        return None;
    }
    let words = Words::new(request);
    let is_link = |at: &usize| matches!(words.get(*at), "to" | "on" | "onto");
    let old = (1..words.len())
        .filter(is_link)
        .find(|at| is_list(&words, at + 1));
    let thing = words.original(0..old.unwrap_or(words.len()));
    let list = named.original(from..named.len());
    Some(format!("{thing} to {list}"))
}

impl TodoAction {
    /// Whether it is about a list with a name.
    pub(in crate::assistant::powers) fn names_list(&self) -> bool {
        self.list_name().is_some()
    }

    /// The words around the entry that is missing.
    pub(in crate::assistant::powers) fn lacks(&self) -> Option<(String, String)> {
        let Self::Nothing(list) = self else {
            return None;
        };
        let list = match list {
            ListName::Named(name) => format!(" to my {name} list"),
            ListName::InUse | ListName::Recent | ListName::Unnamed => " to my list".to_owned(),
        };
        Some(("add ".to_owned(), list))
    }

    /// The list that it is about.
    pub(super) fn list_mut(&mut self) -> Option<&mut ListName> {
        match self {
            Self::Add(list, _)
            | Self::Show(list)
            | Self::IsOn(list, _)
            | Self::Done(list, _)
            | Self::Remove(list, _)
            | Self::Clear(list)
            | Self::Delete(list)
            | Self::ClearDone(list)
            | Self::AllDone(list)
            | Self::Exchange { list, .. }
            | Self::Move { from: list, .. } => Some(list),
            _ => None,
        }
    }

    /// The name of the list that it is about.
    pub(super) fn list_name(&self) -> Option<&str> {
        match self {
            Self::Add(ListName::Named(name), _)
            | Self::Show(ListName::Named(name))
            | Self::IsOn(ListName::Named(name), _)
            | Self::Done(ListName::Named(name), _)
            | Self::Remove(ListName::Named(name), _)
            | Self::Clear(ListName::Named(name))
            | Self::Delete(ListName::Named(name))
            | Self::ClearDone(ListName::Named(name))
            | Self::AllDone(ListName::Named(name))
            | Self::Move {
                from: ListName::Named(name),
                ..
            } => Some(name),
            _ => None,
        }
    }
}
