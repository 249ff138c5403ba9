//! What a language model may do with the to-do list.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{
    self, CallContext, Result, all_needed, coming_day, given, one, optional,
};
use super::lists::{Item, Items};
use super::{ListName, TodoAction, TodoDraft, TodoState};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::newest;
use crate::assistant::powers::planned_time::PlannedTime;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: TodoOperation,
    /// For add, done, reopen and remove: one entry for each thing.
    #[serde(default)]
    items: Vec<String>,
    /// The list's name without the word, like "groceries"; none for the to-do list.
    list: Option<String>,
    /// For add: the day the things are for, like 2026-12-24.
    date: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TodoOperation {
    Show,
    ShowLists,
    BeginList,
    Add,
    Done,
    Reopen,
    Remove,
    ClearAll,
    ClearDone,
    DeleteList,
    Undo,
}

impl operations::Arguments<TodoAction> for Arguments {
    const DESCRIPTION: &str = "The to-do list, and lists with names, like groceries.";

    fn action(self, context: CallContext) -> Result<Option<TodoAction>> {
        let items = || all_needed(&self.items, "items");
        let name = self.list.as_deref().and_then(list_name);
        let list = match name.clone() {
            Some(name) => ListName::Named(name),
            None => ListName::Unnamed,
        };
        Ok(Some(match self.operation {
            TodoOperation::Show => TodoAction::Show(list),
            TodoOperation::ShowLists => TodoAction::ShowLists,
            TodoOperation::Undo => return Ok(None),
            TodoOperation::BeginList => TodoAction::Begin(given(name, "list")?),
            TodoOperation::Add => {
                let due = coming_day(self.date.as_deref(), "date", context)?;
                let due = due.map(|day| PlannedTime { day, minute: None });
                let drafts = items()?.into_iter().map(|text| TodoDraft { text, due });
                TodoAction::Add(list, drafts.collect())
            }
            TodoOperation::Done => TodoAction::Done(list, items()?),
            TodoOperation::Reopen => TodoAction::Reopen(one(items()?, "items")?),
            TodoOperation::Remove => TodoAction::Remove(list, items()?),
            TodoOperation::ClearAll => TodoAction::Clear(list),
            TodoOperation::ClearDone => TodoAction::ClearDone(list),
            TodoOperation::DeleteList => TodoAction::Delete(ListName::Named(given(name, "list")?)),
        }))
    }
}

/// A list's name without the word; `None` for the to-do list, however it is called.
fn list_name(text: &str) -> Option<String> {
    const TO_DO: [&str; 6] = ["default", "main", "to-do", "to do", "todo", "todos"];
    let text = optional(Some(text))?;
    let lower = text.to_lowercase();
    let is_list = lower.ends_with(" list") || lower.ends_with("-list");
    let name = match is_list && lower.len() == text.len() {
        true => text[..text.len() - " list".len()].trim(),
        false => text.as_str(),
    };
    let is_to_do = TO_DO.contains(&name.to_lowercase().as_str());
    (!is_to_do && !name.is_empty()).then(|| name.to_owned())
}

impl TodoState {
    /// The to-do list, whose name is null, and the named ones. A thing's number names it, too.
    pub(super) fn to_json(&self, _context: &PowerContext) -> Value {
        let list = |name: Option<&str>, items: &Vec<Item>| {
            let numbered: Vec<(usize, &Item)> = (1..).zip(items).collect();
            let (things, more) = newest(&numbered, |(number, item)| item.to_json(*number));
            json!({"name": name, "open": items.open(), "things": things, "more": more})
        };
        let named = self.lists.iter();
        let named = named.map(|one| list(Some(&one.name), &one.items));
        let lists = std::iter::once(list(None, &self.items)).chain(named);
        json!({"lists": lists.collect::<Vec<Value>>()})
    }
}
