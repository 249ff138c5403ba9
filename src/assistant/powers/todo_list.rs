//! The lists of one person or group: the to-do list, which has no name, and named ones. An entry
//! may have a day, on which the agenda shows it; no message is sent for it.

mod corrected;
mod done;
mod drafts;
mod fixed_requests;
mod groceries;
mod list_name;
mod lists;
mod moved;
mod numbers;
mod operations;
mod part_named;
mod phrases;
mod read;
mod removed;
mod whole_lists;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::day_span::DaySpan;
use super::planned_time::PlannedTime;
use super::texts::{capital, counted, joined, same, too_long};
use super::{Plan, PowerContext, PowerEffect, Superpower};
pub(super) use list_name::ListName;
pub use list_name::to_list;
use lists::{Item, Items, NamedList, Place};
use numbers::NumberedEntries;
pub(super) use operations::Arguments;
pub(super) use read::parse;

/// Entries of one list, including done ones.
const ITEMS_MAX: usize = 200;
/// Entries of all lists of one owner.
const ALL_ITEMS_MAX: usize = 500;
/// Named lists of one owner.
const LISTS_MAX: usize = 20;
/// Characters of one entry.
const ITEM_CHARS_MAX: usize = 200;
/// Characters of a list's name.
const NAME_CHARS_MAX: usize = 40;

/// Something to be put on a list.
#[derive(Debug, Clone, PartialEq)]
pub struct TodoDraft {
    pub(super) text: String,
    pub(super) due: Option<PlannedTime>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TodoAction {
    Add(ListName, Vec<TodoDraft>),
    Show(ListName),
    /// Whether a thing is on that list.
    IsOn(ListName, String),
    ShowLists,
    /// An empty list of that name.
    Begin(String),
    Done(ListName, Vec<String>),
    Reopen(String),
    /// Puts back things that were done or removed.
    PutBack(Vec<String>),
    Remove(ListName, Vec<String>),
    /// "delete bread": things of these very names on the list in use; a reminder may be meant as well.
    RemoveExact(Vec<String>),
    /// "delete 1", of the list whose numbers were shown.
    RemoveShown(Vec<String>),
    Clear(ListName),
    Delete(ListName),
    ClearDone(ListName),
    /// "add to my list" without an entry.
    Nothing(ListName),
    /// A day that can't be used: the complete reply says why.
    Unclear(String),
    /// Things for several lists.
    Each(Vec<TodoAction>),
    /// All that is open.
    AllDone(ListName),
    Exchange {
        list: ListName,
        old: String,
        new: Vec<TodoDraft>,
    },
    /// "no, oat milk": of what is on the list in use, said more exactly.
    Correct(Vec<TodoDraft>),
    Move {
        texts: Vec<String>,
        from: ListName,
        to: ListName,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TodoState {
    items: Vec<Item>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lists: Vec<NamedList>,
    /// The name of the list in use; "": the to-do list.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    in_use: String,
    /// When it was shown or changed last, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "is_zero")]
    used_at: i64,
    #[serde(default, skip_serializing_if = "NumberedEntries::is_empty")]
    numbered: NumberedEntries,
    /// What was asked: whether to do what these words request.
    #[serde(skip)]
    asked: Option<String>,
}

impl TodoState {
    fn mark_named(
        &mut self,
        list: &ListName,
        texts: Vec<String>,
        context: &PowerContext,
    ) -> Option<String> {
        self.hold_numbers(list, &texts, context.now);
        let texts = self.each_named(list, texts);
        self.whether_done(list, &texts)
            .or_else(|| self.mark(list, &texts, context))
    }

    /// `None`: not all of them are on the list in use.
    fn remove_exact(&mut self, texts: &[String]) -> Option<String> {
        let items = || self.items_in(self.place_in_use()).iter();
        let is_there = |text: &String| items().any(|item| same(&item.text, text));
        if !texts.iter().all(is_there) {
            return None;
        }
        Some(self.remove(&ListName::InUse, texts))
    }
}

impl Superpower for TodoState {
    type Action = TodoAction;

    fn apply(&mut self, mut action: TodoAction, context: &PowerContext) -> Option<String> {
        if let Some(list) = action.list_mut() {
            self.resolve_recent(list, context.now);
            self.used_at = context.now.0;
        }
        if let Some(question) = self.which_to_clear(&action, context) {
            return Some(question);
        }
        // It may be another superpower's word.
        if !context.sure
            && action
                .list_name()
                .is_some_and(|name| self.position(name).is_none())
        {
            return None;
        }
        Some(match action {
            TodoAction::Each(actions) => self.apply_each(actions, context),
            TodoAction::AllDone(list) => return self.mark_all(&list),
            TodoAction::Exchange { list, old, new } => {
                return self.exchange(&list, &old, new, context);
            }
            TodoAction::Correct(new) => return self.correct(new, context),
            TodoAction::Move { texts, from, to } => {
                return self.move_things(&texts, (&from, &to), context);
            }
            TodoAction::Add(list, drafts) => self.add(&list, drafts, context),
            TodoAction::Show(list) => match self.use_list(&list) {
                Ok(place) => {
                    self.number_entries(place, context.now);
                    self.display(place, context)
                }
                Err(reply) => reply,
            },
            TodoAction::IsOn(list, text) => {
                let found = self.where_it_is(&list, &text);
                let shown = self.apply(TodoAction::Show(list), context)?;
                format!("{found}\n{shown}")
            }
            TodoAction::ShowLists => self.display_all(),
            TodoAction::Begin(name) => self.begin(name, context),
            TodoAction::Done(list, texts) => return self.mark_named(&list, texts, context),
            TodoAction::Reopen(text) => self.reopen(&text),
            TodoAction::PutBack(texts) => self.put_back(texts, context),
            TodoAction::Remove(list, texts) => {
                self.hold_numbers(&list, &texts, context.now);
                let texts = self.each_named(&list, texts);
                match self.whether_to_remove(&list, &texts) {
                    Some(question) => question,
                    None => self.remove(&list, &texts),
                }
            }
            TodoAction::RemoveExact(texts) => return self.remove_exact(&texts),
            TodoAction::RemoveShown(texts) => return self.remove_shown(texts, context),
            TodoAction::Clear(list) => self.clear(&list),
            TodoAction::Delete(list) => self.delete(&list),
            TodoAction::ClearDone(list) => self.clear_done(&list),
            TodoAction::Nothing(_) => {
                "What shall I put on the list? For example: “add milk and eggs to my list”."
                    .to_owned()
            }
            TodoAction::Unclear(reply) => reply,
        })
    }

    fn data(&self, context: &PowerContext) -> Option<Value> {
        Some(self.to_json(context))
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.display(self.place_in_use(), context)
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        const NAMED: usize = 5;
        let today = context.today();
        // All of the to-do list; of the others what is due.
        let is_listed = |(place, item): &(Place, &Item)| {
            !item.done && (*place == Place::Unnamed || item.is_due(today))
        };
        let mut open: Vec<&Item> = self.all().filter(is_listed).map(|(_, item)| item).collect();
        open.sort_by_key(|item| !item.is_due(today));
        let more = match open.len().saturating_sub(NAMED) {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        (!open.is_empty()).then(|| {
            let first = open.iter().take(NAMED);
            let first: Vec<&str> = first.map(|item| item.text.as_str()).collect();
            format!("To do: {}{more}", first.join(", "))
        })
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let (from, _) = span.days();
        let dated = self.all().filter(|(_, item)| !item.done);
        let mut due: Vec<(PlannedTime, Place, &Item)> = dated
            .filter_map(|(place, item)| Some((item.due()?, place, item)))
            .filter(|(due, ..)| span.has(due.day, due.minute))
            .collect();
        due.sort_by_key(|(due, ..)| (due.day, due.minute));
        let line = |(due, place, item): (PlannedTime, Place, &Item)| {
            format!(
                "{} ({}): {}",
                item.text,
                self.label(place),
                due.display(from)
            )
        };
        due.into_iter().map(line).collect()
    }

    fn occasions(&self, _context: &PowerContext) -> Vec<Plan> {
        let open = self.all().filter(|(_, item)| !item.done);
        let due = open.filter_map(|(_, item)| Some((item.due()?, item.text.clone())));
        due.map(|(due, text)| Plan {
            minute: due.minute,
            ..Plan::on(text, due.day)
        })
        .collect()
    }

    fn effect(&self) -> Option<PowerEffect> {
        self.asked.clone().map(PowerEffect::AskWhether)
    }

    fn equals_except_shown(&self, other: &Self) -> bool {
        self.items == other.items && self.lists == other.lists
    }

    fn undo_state(&self, after: &Self) -> Self {
        Self {
            in_use: after.in_use.clone(),
            used_at: after.used_at,
            numbered: after.numbered.clone(),
            ..self.clone()
        }
    }

    fn erase(&mut self, by: i64) {
        self.numbered = NumberedEntries::default();
        self.items.retain(|item| item.by != by);
        for list in &mut self.lists {
            list.items.retain(|item| item.by != by);
        }
        // The name of a list was said by whoever began it: what others put there stays, without it.
        let (removed, remaining) = std::mem::take(&mut self.lists)
            .into_iter()
            .partition(|list: &NamedList| list.by == by);
        self.lists = remaining;
        let left = removed.into_iter().flat_map(|list: NamedList| list.items);
        self.items.extend(left);
        if self.position(&self.in_use).is_none() {
            self.in_use.clear();
        }
    }
}

impl TodoState {
    /// A question about one of them is all that is said, as nothing is changed before its answer.
    fn apply_each(&mut self, actions: Vec<TodoAction>, context: &PowerContext) -> String {
        let mut replies = Vec::new();
        for action in actions {
            let reply = self.apply(action, context);
            if self.asked.is_some() {
                return reply.unwrap_or_default();
            }
            replies.extend(reply);
        }
        replies.join("\n")
    }

    fn add(&mut self, list: &ListName, drafts: Vec<TodoDraft>, context: &PowerContext) -> String {
        let (list, drafts) = self.with_list_named_last(list, drafts);
        let texts: Vec<&str> = drafts.iter().map(|draft| draft.text.as_str()).collect();
        if let Some(reply) = too_long(&texts, ITEM_CHARS_MAX) {
            return reply;
        }
        let place = match self.use_or_begin(&list, context) {
            Ok(place) => place,
            Err(reply) => return reply,
        };
        let title = self.title(place);
        let room = ALL_ITEMS_MAX.saturating_sub(self.all().count());
        let items = self.items_mut(place);
        let (new, known) = items.sort_out(drafts);
        if items.len() + new.len() > ITEMS_MAX {
            return format!(
                "A list holds {ITEMS_MAX} things, and this one has {}. Remove some first, or say “clear done items”.",
                items.len()
            );
        }
        if new.len() > room {
            return format!(
                "Your lists hold {ALL_ITEMS_MAX} things together, and they are full. Remove some first."
            );
        }
        let texts: Vec<String> = new.iter().map(|draft| draft.display(context)).collect();
        let has_time = new.iter().any(|draft| draft.has_time());
        items.extend(new.into_iter().map(|draft| Item::of(draft, context.by)));
        let open = format!("{} on {title}", counted(items.open(), "thing"));
        let mut reply = match (texts.is_empty(), known.is_empty()) {
            (true, _) => format!("{} on {title} already.", is_are(&known)),
            (_, true) => format!("Added {}. {open}.", joined(&texts)),
            _ => format!(
                "Added {}; {} on it already. {open}.",
                joined(&texts),
                is_are(&known),
            ),
        };
        if has_time {
            reply.push_str(" A list doesn't ring: for that say “remind me …”.");
        }
        reply
    }

    fn begin(&mut self, name: String, context: &PowerContext) -> String {
        let known = self.position(&name).is_some();
        match self.use_or_begin(&ListName::Named(name), context) {
            Ok(place) if known => self.display(place, context),
            Ok(place) => format!(
                "Okay, {} is there, and empty. Say “add …” to put something on it.",
                self.title(place)
            ),
            Err(reply) => reply,
        }
    }

    fn clear(&mut self, list: &ListName) -> String {
        let place = match self.use_list(list) {
            Ok(place) => place,
            Err(reply) => return reply,
        };
        let items = self.items_mut(place);
        let count = items.len();
        items.clear();
        let title = self.title(place);
        match count {
            0 => format!("{} is empty already.", capital(&title)),
            n => format!(
                "Okay, {title} is empty; {} gone. “undo” brings {} back.",
                counted(n, "thing"),
                if n == 1 { "it" } else { "them" }
            ),
        }
    }

    fn clear_done(&mut self, list: &ListName) -> String {
        let place = match self.use_list(list) {
            Ok(place) => place,
            Err(reply) => return reply,
        };
        let items = self.items_mut(place);
        let before = items.len();
        items.retain(|item| !item.done);
        format!(
            "Okay, {} that you had done, gone from {}.",
            counted(before - items.len(), "thing"),
            self.title(place)
        )
    }

    /// Without a name there is only what is on it to be deleted.
    fn delete(&mut self, list: &ListName) -> String {
        let place = match self.use_list(list) {
            Ok(place) => place,
            Err(reply) => return reply,
        };
        let Place::Named(at) = place else {
            return self.clear(list);
        };
        let title = self.title(place);
        let removed = self.lists.remove(at);
        format!(
            "Okay, {title} is gone, with {}. “undo” brings it back.",
            counted(removed.items.len(), "thing")
        )
    }
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

fn is_are(texts: &[String]) -> String {
    let verb = if texts.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", joined(texts))
}
