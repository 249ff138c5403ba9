//! Which list a message is about, by its name.

use super::TodoAction;

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
