//! The to-do list of one person or group. One list per owner, without dates.

mod operations;
mod read;

use serde::{Deserialize, Serialize};

use super::pieces::{self, counted, joined, too_long, which};
use super::{PowerContext, Superpower};
pub(super) use operations::Arguments;
pub(super) use read::parse;

/// Entries per list, including done ones.
const ITEMS_MAX: usize = 200;
/// Characters of one thing.
const ITEM_CHARS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq)]
pub enum TodoAction {
    Add(Vec<String>),
    Show,
    Done(Vec<String>),
    Reopen(String),
    Remove(Vec<String>),
    Clear,
    ClearDone,
    /// "add to my list" without an entry.
    Nothing,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TodoState {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Item {
    text: String,
    #[serde(default)]
    done: bool,
    by: i64,
}

impl Superpower for TodoState {
    type Action = TodoAction;

    fn own(action: super::Action) -> Option<TodoAction> {
        match action {
            super::Action::TodoList(action) => Some(action),
            _ => None,
        }
    }

    fn apply(&mut self, action: TodoAction, scene: &PowerContext<'_>) -> Option<String> {
        Some(match action {
            TodoAction::Add(texts) => self.add(texts, scene),
            TodoAction::Show => self.overview(scene),
            TodoAction::Done(texts) => return self.mark(&texts, scene),
            TodoAction::Reopen(text) => self.reopen(&text),
            TodoAction::Remove(texts) => self.remove(&texts),
            TodoAction::Clear => {
                let count = self.items.len();
                self.items.clear();
                match count {
                    0 => "The list is empty already.".to_owned(),
                    n => format!(
                        "Okay, the list is empty; {} gone. “undo” brings {} back.",
                        counted(n, "thing"),
                        if n == 1 { "it" } else { "them" }
                    ),
                }
            }
            TodoAction::ClearDone => {
                let before = self.items.len();
                self.items.retain(|item| !item.done);
                format!(
                    "Okay, {} that you had done, gone from the list.",
                    counted(before - self.items.len(), "thing")
                )
            }
            TodoAction::Nothing => {
                "What shall I put on the list? For example: “add milk and eggs to my list”."
                    .to_owned()
            }
        })
    }

    fn overview(&self, _scene: &PowerContext<'_>) -> String {
        if self.items.is_empty() {
            return "The list is empty. Say “add milk and eggs to my list” to begin.".to_owned();
        }
        let open = self.items.iter().filter(|item| !item.done).count();
        let mut text = match open {
            0 => "Everything on the list is done:".to_owned(),
            n => format!("{} to do:", counted(n, "thing")),
        };
        for (n, item) in (1..).zip(&self.items) {
            let done = if item.done { " ✓" } else { "" };
            text.push_str(&format!("\n{n}. {}{done}", item.text));
        }
        text
    }

    fn brief(&self, _scene: &PowerContext<'_>) -> Option<String> {
        const NAMED: usize = 5;
        let open: Vec<&str> = self
            .items
            .iter()
            .filter(|item| !item.done)
            .map(|item| item.text.as_str())
            .collect();
        let more = match open.len().saturating_sub(NAMED) {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        (!open.is_empty()).then(|| {
            let first: Vec<&str> = open.iter().take(NAMED).copied().collect();
            format!("To do: {}{more}", first.join(", "))
        })
    }

    fn erase(&mut self, by: i64) {
        self.items.retain(|item| item.by != by);
    }
}

impl TodoState {
    fn add(&mut self, texts: Vec<String>, scene: &PowerContext<'_>) -> String {
        if let Some(said) = too_long(&texts, ITEM_CHARS_MAX) {
            return said;
        }
        let (mut new, mut known) = (Vec::<String>::new(), Vec::new());
        for text in texts {
            let there = |item: &Item| !item.done && pieces::same(&item.text, &text);
            if self.items.iter().any(there) || new.iter().any(|t| pieces::same(t, &text)) {
                known.push(text);
            } else {
                new.push(text);
            }
        }
        if self.items.len() + new.len() > ITEMS_MAX {
            return format!(
                "A list holds {ITEMS_MAX} things, and this one has {}. Remove some first, or say “clear done items”.",
                self.items.len()
            );
        }
        let items = new.iter().map(|text| Item {
            text: text.clone(),
            done: false,
            by: scene.by,
        });
        self.items.extend(items);
        match (new.is_empty(), known.is_empty()) {
            (true, _) => format!("{} on the list already.", is_are(&known)),
            (_, true) => format!("Added {}. {}.", joined(&new), self.open()),
            _ => format!(
                "Added {}; {} on it already. {}.",
                joined(&new),
                is_are(&known),
                self.open()
            ),
        }
    }

    fn open(&self) -> String {
        let open = self.items.iter().filter(|item| !item.done).count();
        format!("{} on the list", counted(open, "thing"))
    }

    fn mark(&mut self, texts: &[String], scene: &PowerContext<'_>) -> Option<String> {
        let (mut done, mut unknown) = (Vec::new(), Vec::new());
        for text in texts {
            let open = self.items.iter().map(|item| {
                // A done entry keeps its number and matches no name.
                if item.done { "" } else { item.text.as_str() }
            });
            match which(text, open) {
                Some(at) => {
                    self.items[at].done = true;
                    done.push(self.items[at].text.clone());
                }
                None => unknown.push(text.clone()),
            }
        }
        if done.is_empty() {
            return scene.sure.then(|| not_there(&unknown));
        }
        let rest = match self.items.iter().filter(|item| !item.done).count() {
            0 => "That was everything!".to_owned(),
            n => format!("{} left.", counted(n, "thing")),
        };
        let missing = if unknown.is_empty() {
            String::new()
        } else {
            format!(" {}", not_there(&unknown))
        };
        Some(format!("✓ {}. {rest}{missing}", joined(&done)))
    }

    fn reopen(&mut self, text: &str) -> String {
        let all = self.items.iter().map(|item| item.text.as_str());
        match which(text, all) {
            Some(at) => {
                self.items[at].done = false;
                format!("{} is open again.", self.items[at].text)
            }
            None => not_there(&[text.to_owned()]),
        }
    }

    fn remove(&mut self, texts: &[String]) -> String {
        let mut gone = Vec::new();
        let mut unknown = Vec::new();
        // Numbers refer to the list before the change.
        let found: Vec<Option<usize>> = texts
            .iter()
            .map(|text| which(text, self.items.iter().map(|item| item.text.as_str())))
            .collect();
        for (text, at) in texts.iter().zip(&found) {
            match at {
                Some(at) => gone.push(self.items[*at].text.clone()),
                None => unknown.push(text.clone()),
            }
        }
        if gone.is_empty() {
            return not_there(&unknown);
        }
        let mut at = 0;
        self.items.retain(|_| {
            at += 1;
            !found.contains(&Some(at - 1))
        });
        let missing = if unknown.is_empty() {
            String::new()
        } else {
            format!(" {}", not_there(&unknown))
        };
        format!("Removed {}. {}.{missing}", joined(&gone), self.open())
    }
}

fn is_are(texts: &[String]) -> String {
    let verb = if texts.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", joined(texts))
}

fn not_there(texts: &[String]) -> String {
    format!("I don't see {} on the list.", joined(texts))
}
