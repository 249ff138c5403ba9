//! Birthdays as memories: shown, forgotten and restored together with a person's other memories.

use super::{Birthday, BirthdayAction, BirthdayState, possessive};
use crate::assistant::powers::{PowerAction, PowerContext, StoredState};

/// A stored birthday.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBirthday {
    pub name: String,
    /// "Ana's birthday": what it is about.
    pub title: String,
    /// "Ana's birthday is on 3 May, in 12 days"
    pub line: String,
    /// The item as JSON, for `keep_again`.
    pub item: String,
}

/// All stored birthdays; none where the state can't be parsed.
pub fn birthdays(stored: &StoredState, context: &PowerContext) -> Vec<StoredBirthday> {
    let state = serde_json::from_str::<BirthdayState>(&stored.state).unwrap_or_default();
    let all = state.birthdays.iter().filter_map(|birthday| {
        Some(StoredBirthday {
            name: birthday.name.clone(),
            title: format!("{} birthday", possessive(&birthday.name)),
            line: birthday.display(context),
            item: serde_json::to_string(birthday).ok()?,
        })
    });
    all.collect()
}

pub fn remove_birthday(name: &str) -> PowerAction {
    PowerAction::BirthdayReminder(BirthdayAction::Remove(name.to_owned()))
}

/// Keeps one again. `None`: the JSON is of something else.
pub fn keep_again(item: &str) -> Option<PowerAction> {
    let Birthday {
        name,
        month,
        day,
        year,
    } = serde_json::from_str(item).ok()?;
    Some(PowerAction::BirthdayReminder(BirthdayAction::Keep {
        name,
        month,
        day,
        year,
    }))
}
