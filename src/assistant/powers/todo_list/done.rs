//! What is done, open again or gone from a list.

use super::lists::{Items, Place};
use super::{ListName, TodoDraft, TodoState};
use crate::assistant::powers::PowerContext;
use crate::assistant::wording::texts::{counted, joined};

impl TodoState {
    pub(super) fn mark(
        &mut self,
        list: &ListName,
        texts: &[String],
        context: &PowerContext,
    ) -> Option<String> {
        // "rice isn't done"
        if texts.iter().any(|text| is_denied(text)) {
            return None;
        }
        let (mut done, mut before, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        let mut touched = Vec::new();
        // "got bread, no milk"
        let is_left = |text: &&String| texts.len() < 2 || !text.starts_with("no ");
        for text in texts.iter().filter(is_left) {
            // A done entry keeps its number and matches no name.
            match self.find(list, text, |item| !item.done) {
                Ok((place, at)) => {
                    let item = &mut self.items_mut(place)[at];
                    item.done = true;
                    done.push(item.text.clone());
                    touched.push(place);
                }
                Err(reply) => match self.find(list, text, |item| item.done) {
                    Ok((place, at)) => before.push(self.items_in(place)[at].text.clone()),
                    Err(_) => unknown.push((text.clone(), reply)),
                },
            }
        }
        let mut missing = self.not_there(list, &unknown);
        if !before.is_empty() {
            let verb = if before.len() == 1 { "is" } else { "are" };
            missing = format!("{} {verb} done already. {missing}", joined(&before));
            missing.truncate(missing.trim_end().len());
        }
        if done.is_empty() {
            let is_meant = context.sure || !before.is_empty();
            return is_meant.then_some(missing);
        }
        let rest = match one_place(&touched) {
            Some(place) => {
                self.in_use = self.name(place).to_owned();
                match (self.items_in(place).open(), place) {
                    (0, Place::Unnamed) => "That was everything!".to_owned(),
                    (0, place) => format!("That was everything on {}!", self.title(place)),
                    (n, Place::Unnamed) => format!("{} left.", counted(n, "thing")),
                    (n, place) => format!("{} left on {}.", counted(n, "thing"), self.title(place)),
                }
            }
            None => format!("On {}.", joined(&self.titles(&touched))),
        };
        let missing = match missing.is_empty() {
            true => missing,
            false => format!(" {missing}"),
        };
        Some(format!("✓ {}. {rest}{missing}", joined(&done)))
    }

    pub(super) fn reopen(&mut self, text: &str) -> String {
        match self.find(&ListName::InUse, text, |item| item.done) {
            Ok((place, at)) => {
                let item = &mut self.items_mut(place)[at];
                item.done = false;
                format!("{} is open again.", item.text)
            }
            Err(reply) => self.not_there(&ListName::InUse, &[(text.to_owned(), reply)]),
        }
    }

    /// Open again if it was done, on the list again if it was removed.
    pub(super) fn put_back(&mut self, texts: Vec<String>, context: &PowerContext) -> String {
        let list = ListName::InUse;
        let mut replies = Vec::new();
        for text in texts {
            let is_done = self.find(&list, &text, |item| item.done).is_ok();
            let is_open = self.find(&list, &text, |item| !item.done).is_ok();
            replies.push(match (is_open, is_done) {
                (true, _) => format!("{text} is on the list."),
                (false, true) => self.reopen(&text),
                (false, false) => {
                    let text = text.strip_prefix("the ").unwrap_or(&text).to_owned();
                    self.add(&list, vec![TodoDraft { text, due: None }], context)
                }
            });
        }
        replies.join("\n")
    }

    pub(super) fn remove(&mut self, list: &ListName, texts: &[String]) -> String {
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        // Numbers refer to the list before the change.
        for text in texts {
            match self.find(list, text, |_| true) {
                Ok(item) if found.contains(&item) => {}
                Ok(item) => found.push(item),
                Err(reply) => unknown.push((text.clone(), reply)),
            }
        }
        let missing = self.not_there(list, &unknown);
        if found.is_empty() {
            return missing;
        }
        let text = |(place, at): &(Place, usize)| self.items_in(*place)[*at].text.clone();
        let removed: Vec<String> = found.iter().map(text).collect();
        let touched: Vec<Place> = found.iter().map(|(place, _)| *place).collect();
        for place in self.places() {
            let mut at = 0;
            self.items_mut(place).retain(|_| {
                at += 1;
                !found.contains(&(place, at - 1))
            });
        }
        let rest = match one_place(&touched) {
            Some(place) => {
                self.in_use = self.name(place).to_owned();
                let open = counted(self.items_in(place).open(), "thing");
                format!("{open} on {}.", self.title(place))
            }
            None => format!("From {}.", joined(&self.titles(&touched))),
        };
        let missing = match missing.is_empty() {
            true => missing,
            false => format!(" {missing}"),
        };
        format!("Removed {}. {rest}{missing}", joined(&removed))
    }

    /// "got everything": all that is open on the list. `None`: nothing is.
    pub(super) fn mark_all(&mut self, list: &ListName) -> Option<String> {
        let place = self.use_list(list).ok()?;
        let title = self.title(place);
        let open = self.items_mut(place).iter_mut().filter(|item| !item.done);
        let mut done = Vec::new();
        for item in open {
            item.done = true;
            done.push(item.text.clone());
        }
        let marked = || format!("✓ {}. That was everything on {title}!", joined(&done));
        (!done.is_empty()).then(marked)
    }
}

/// The place, if it is the only one.
fn one_place(places: &[Place]) -> Option<Place> {
    let first = *places.first()?;
    places.iter().all(|place| *place == first).then_some(first)
}

/// Whether what is said of a thing ends with "isn't".
fn is_denied(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default();
    ["isn't", "isnt", "aren't", "arent", "wasn't", "wasnt"].contains(&last)
}
