//! What a language model may do with the to-do list.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{Moment, Operation, Result, all_needed, changes, one, reads};
use super::TodoAction;
use crate::reply::powers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::reply::powers) struct Arguments {
    operation: Verb,
    /// For add, done, reopen and remove: one entry for each thing.
    #[serde(default)]
    items: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verb {
    Show,
    Add,
    Done,
    Reopen,
    Remove,
    ClearAll,
    ClearDone,
    Undo,
}

impl super::super::operations::Arguments for Arguments {
    const DESCRIPTION: &str = "The to-do and shopping list.";

    fn operation(self, _: Moment) -> Result<Operation> {
        let items = || all_needed(&self.items, "items");
        let action = match self.operation {
            Verb::Show => return reads(powers::Action::TodoList(TodoAction::Show)),
            Verb::Undo => return changes(powers::Action::Undo),
            Verb::Add => TodoAction::Add(items()?),
            Verb::Done => TodoAction::Done(items()?),
            Verb::Reopen => TodoAction::Reopen(one(items()?, "items")?),
            Verb::Remove => TodoAction::Remove(items()?),
            Verb::ClearAll => TodoAction::Clear,
            Verb::ClearDone => TodoAction::ClearDone,
        };
        changes(powers::Action::TodoList(action))
    }
}
