//! The numbers of a list: those that were shown last, or held when one was first removed, mean the
//! same things for ten minutes.

use serde::{Deserialize, Serialize};

use super::lists::{Item, Place};
use super::phrases::number;
use super::{ListName, TodoAction, TodoState};
use crate::assistant::powers::{PowerContext, Superpower};
use crate::clock::Timestamp;

const KEPT_MS: i64 = 10 * 60_000;

/// A list's entries in the order in which their numbers were shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct NumberedEntries {
    /// The list's name; "": the to-do list.
    list: String,
    /// Milliseconds since the epoch.
    at: i64,
    texts: Vec<String>,
}

impl NumberedEntries {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

impl TodoState {
    pub(super) fn number_entries(&mut self, place: Place, now: Timestamp) {
        let texts = self.items_in(place).iter().map(|item| item.text.clone());
        self.numbered = NumberedEntries {
            texts: texts.collect(),
            list: self.name(place).to_owned(),
            at: now.0,
        };
    }

    /// Removes lines of the list in use by the numbers that were shown. `None`: none were.
    pub(super) fn remove_shown(
        &mut self,
        numbers: Vec<String>,
        context: &PowerContext,
    ) -> Option<String> {
        let is_kept = (0..=KEPT_MS).contains(&(context.now.0 - self.numbered.at));
        let is_shown = !self.numbered.is_empty() && self.numbered.list == self.in_use;
        match is_kept && is_shown {
            true => self.apply(TodoAction::Remove(ListName::InUse, numbers), context),
            false => None,
        }
    }

    /// "the list" is the one that was shown or changed last, for as long as its numbers are kept.
    pub(super) fn resolve_recent(&self, list: &mut ListName, now: Timestamp) {
        if *list == ListName::Recent {
            let is_kept = (0..=KEPT_MS).contains(&(now.0 - self.used_at));
            *list = match is_kept {
                true => ListName::InUse,
                false => ListName::Unnamed,
            };
        }
    }

    /// Before something is named by its number: the others keep theirs.
    pub(super) fn hold_numbers(&mut self, list: &ListName, texts: &[String], now: Timestamp) {
        let place = match list {
            ListName::InUse | ListName::Recent => Some(self.place_in_use()),
            ListName::Unnamed => Some(Place::Unnamed),
            ListName::Named(name) => self.position(name).map(Place::Named),
        };
        let Some(place) = place.filter(|_| texts.iter().any(|text| number(text).is_some())) else {
            return;
        };
        let is_held = self.numbered.list == self.name(place)
            && (0..=KEPT_MS).contains(&(now.0 - self.numbered.at));
        if !is_held {
            self.number_entries(place, now);
        }
    }

    /// The index of the entry with that number. What was added after the numbers were shown has the
    /// next ones.
    pub(super) fn position_of_number(
        &self,
        place: Place,
        number: usize,
        matches: impl Fn(&Item) -> bool,
    ) -> Option<usize> {
        let at = number.checked_sub(1)?;
        let items = self.items_in(place);
        let known = match self.numbered.list == self.name(place) {
            true => self.numbered.texts.as_slice(),
            false => &[],
        };
        match known.get(at) {
            Some(text) => {
                let mut items = items.iter();
                items.position(|item| item.text == *text && matches(item))
            }
            None => {
                let mut new = (0..items.len()).filter(|n| !known.contains(&items[*n].text));
                let found = new.nth(at - known.len());
                found.filter(|found| matches(&items[*found]))
            }
        }
    }
}
