//! Stored lists: their entries, finding a list by its name, and how they are shown.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::phrases::{is_cut, number};
use super::{LISTS_MAX, ListName, NAME_CHARS_MAX, TodoAction, TodoDraft, TodoState};
use crate::assistant::local_time;
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::date_text;
use crate::assistant::powers::parsers::{several_named, which};
use crate::assistant::powers::planned_time::PlannedTime;
use crate::assistant::wording::texts::{capital, counted, joined, same};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) text: String,
    #[serde(default)]
    pub(super) done: bool,
    pub(super) by: i64,
    /// Days since the first of the year 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day: Option<i32>,
    /// After midnight, in the person's time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    minute: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NamedList {
    pub(super) name: String,
    /// The user who began it.
    pub(super) by: i64,
    pub(super) items: Vec<Item>,
}

impl Item {
    /// `number`: its place on the list, from 1.
    pub(super) fn to_json(&self, number: usize) -> Value {
        let time = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
        json!({
            "number": number,
            "text": self.text,
            "done": self.done,
            "day": self.day.map(date_text),
            "time": self.minute.map(time),
        })
    }
}

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Unnamed,
    /// An index of the named lists.
    Named(usize),
}

/// The entries of one list.
pub(super) trait Items {
    /// How many are not done.
    fn open(&self) -> usize;

    /// The things that are not on the list yet, and the texts of the rest.
    fn sort_out(&self, drafts: Vec<TodoDraft>) -> (Vec<TodoDraft>, Vec<String>);
}

impl Items for Vec<Item> {
    fn open(&self) -> usize {
        self.iter().filter(|item| !item.done).count()
    }

    fn sort_out(&self, drafts: Vec<TodoDraft>) -> (Vec<TodoDraft>, Vec<String>) {
        let (mut new, mut known) = (Vec::<TodoDraft>::new(), Vec::new());
        for draft in drafts {
            let there = |item: &Item| {
                !item.done && same(&item.text, &draft.text) && item.due() == draft.due
            };
            if self.iter().any(there) || new.iter().any(|other| same(&other.text, &draft.text)) {
                known.push(draft.text);
            } else {
                new.push(draft);
            }
        }
        (new, known)
    }
}

impl TodoDraft {
    /// "call the bank", "call the bank for Friday, 27 November".
    pub(super) fn display(&self, context: &PowerContext) -> String {
        match self.due {
            Some(due) => format!("{} for {}", self.text, due.display(context.today())),
            None => self.text.clone(),
        }
    }

    pub(super) fn has_time(&self) -> bool {
        self.due.is_some_and(|due| due.minute.is_some())
    }
}

impl Item {
    pub(super) fn of(draft: TodoDraft, by: i64) -> Self {
        Self {
            text: draft.text,
            done: false,
            by,
            day: draft.due.map(|due| local_time::number(due.day)),
            minute: draft.due.and_then(|due| due.minute),
        }
    }

    pub(super) fn due(&self) -> Option<PlannedTime> {
        let day = local_time::day(self.day?);
        let minute = self.minute;
        Some(PlannedTime { day, minute })
    }

    /// Whether it is due and not done.
    pub(super) fn is_due(&self, today: NaiveDate) -> bool {
        !self.done && self.due().is_some_and(|due| due.day <= today)
    }
}

/// Whether two names mean the same list: "grocery" and "Groceries".
fn is_same_list(a: &str, b: &str) -> bool {
    let bare = |name: &str| {
        let lower = name.to_lowercase().replace(['\'', '’'], "");
        match lower.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => lower.strip_suffix('s').unwrap_or(&lower).to_owned(),
        }
    };
    bare(a) == bare(b)
}

impl TodoState {
    /// All entries of all lists.
    pub(super) fn all(&self) -> impl Iterator<Item = (Place, &Item)> {
        let places = self.places().into_iter();
        places.flat_map(|place| self.items_in(place).iter().map(move |item| (place, item)))
    }

    pub(super) fn places(&self) -> Vec<Place> {
        let named = (0..self.lists.len()).map(Place::Named);
        std::iter::once(Place::Unnamed).chain(named).collect()
    }

    pub(super) fn items_in(&self, place: Place) -> &Vec<Item> {
        match place {
            Place::Unnamed => &self.items,
            Place::Named(at) => &self.lists[at].items,
        }
    }

    pub(super) fn items_mut(&mut self, place: Place) -> &mut Vec<Item> {
        match place {
            Place::Unnamed => &mut self.items,
            Place::Named(at) => &mut self.lists[at].items,
        }
    }

    /// "": the to-do list.
    pub(super) fn name(&self, place: Place) -> &str {
        match place {
            Place::Unnamed => "",
            Place::Named(at) => &self.lists[at].name,
        }
    }

    /// "the list", "the groceries list"
    pub(super) fn title(&self, place: Place) -> String {
        match self.name(place) {
            "" => "the list".to_owned(),
            name => format!("the {name} list"),
        }
    }

    pub(super) fn titles(&self, places: &[Place]) -> Vec<String> {
        let mut titles: Vec<String> = places.iter().map(|place| self.title(*place)).collect();
        titles.dedup();
        titles
    }

    /// "to-do list", "groceries list"
    pub(super) fn label(&self, place: Place) -> String {
        match self.name(place) {
            "" => "to-do list".to_owned(),
            name => format!("{name} list"),
        }
    }

    /// The index of a named list.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let exact = self.lists.iter().position(|list| same(&list.name, name));
        exact.or_else(|| {
            let mut lists = self.lists.iter();
            lists.position(|list| is_same_list(&list.name, name))
        })
    }

    pub(super) fn place_in_use(&self) -> Place {
        self.position(&self.in_use)
            .map_or(Place::Unnamed, Place::Named)
    }

    /// The named list becomes the one in use. The error says that there is none.
    pub(super) fn use_list(&mut self, list: &ListName) -> Result<Place, String> {
        let place = match list {
            ListName::InUse | ListName::Recent => self.place_in_use(),
            ListName::Unnamed => Place::Unnamed,
            ListName::Named(name) => match self.position(name) {
                Some(at) => Place::Named(at),
                None => return Err(self.no_such_list(name)),
            },
        };
        self.in_use = self.name(place).to_owned();
        Ok(place)
    }

    /// "socks to holidays": for the list of that name, if there is one and no other is named.
    pub(super) fn with_list_named_last(
        &self,
        list: &ListName,
        mut drafts: Vec<TodoDraft>,
    ) -> (ListName, Vec<TodoDraft>) {
        let split = |draft: &TodoDraft| {
            let links = [" to ", " on ", " onto "];
            let (thing, name) = links.iter().find_map(|link| draft.text.rsplit_once(link))?;
            let name = name.strip_prefix("my ").unwrap_or(name);
            self.position(name)
                .map(|_| (thing.to_owned(), name.to_owned()))
        };
        match (list, drafts.last_mut()) {
            (ListName::InUse, Some(last)) => match split(last) {
                Some((thing, name)) => {
                    last.text = thing;
                    (ListName::Named(name), drafts)
                }
                None => (list.clone(), drafts),
            },
            _ => (list.clone(), drafts),
        }
    }

    /// The list with that name, which is begun if it doesn't exist.
    pub(super) fn use_or_begin(
        &mut self,
        list: &ListName,
        context: &PowerContext,
    ) -> Result<Place, String> {
        if let ListName::Named(name) = list
            && self.position(name).is_none()
        {
            if name.chars().count() > NAME_CHARS_MAX {
                return Err(format!(
                    "That's a long name for a list. Please keep it to {NAME_CHARS_MAX} characters."
                ));
            }
            if self.lists.len() >= LISTS_MAX {
                return Err(format!(
                    "I already keep {LISTS_MAX} lists, which is all I can hold. Say “delete my … list” first; “my lists” shows them."
                ));
            }
            self.lists.push(NamedList {
                name: name.clone(),
                by: context.by,
                items: Vec::new(),
            });
        }
        self.use_list(list)
    }

    fn no_such_list(&self, name: &str) -> String {
        let names: Vec<&str> = self.lists.iter().map(|list| list.name.as_str()).collect();
        let others = match names.is_empty() {
            true => String::new(),
            false => format!(" Your lists: {}.", joined(&names)),
        };
        format!("There's no {name} list. Say “add … to my {name} list” to begin one.{others}")
    }

    /// An entry by its number or text. What is on no list that is named is looked for on the list
    /// in use, then on the others. The error says that there is no such list; "": no such entry.
    pub(super) fn find(
        &self,
        list: &ListName,
        text: &str,
        matches: impl Fn(&Item) -> bool,
    ) -> Result<(Place, usize), String> {
        let mut places = match list {
            ListName::Named(name) => {
                let at = self.position(name).ok_or_else(|| self.no_such_list(name))?;
                vec![Place::Named(at)]
            }
            ListName::Unnamed => vec![Place::Unnamed],
            ListName::InUse | ListName::Recent => vec![self.place_in_use()],
        };
        if let (Some(number), Some(place)) = (number(text), places.first()) {
            let at = self.position_of_number(*place, number, matches);
            return at.map(|at| (*place, at)).ok_or_else(String::new);
        }
        let last = [
            "the last one", "last one", "the last item", "last item", "the last thing",
        ];
        if let Some(place) = places
            .first()
            .filter(|_| last.contains(&text.to_lowercase().as_str()))
            && let Some(at) = self.items_in(*place).iter().rposition(&matches)
        {
            return Ok((*place, at));
        }
        if *list == ListName::InUse {
            places.extend(self.places());
        }
        for place in places {
            let is_meant = |item: &Item| matches(item) && !is_cut(&item.text, text);
            let texts = self
                .items_in(place)
                .iter()
                .map(|item| match is_meant(item) {
                    true => item.text.as_str(),
                    false => "",
                });
            let Some(at) = which(text, texts.clone()) else {
                continue;
            };
            let several = several_named(text, texts);
            return match several.is_empty() {
                true => Ok((place, at)),
                false => Err(format!("Which one is it: {}?", several.join(", "))),
            };
        }
        Err(String::new())
    }

    /// Says which entries there are not; "" where nothing is missing.
    pub(super) fn not_there(&self, list: &ListName, missing: &[(String, String)]) -> String {
        if let Some((_, reason)) = missing.iter().find(|(_, reason)| !reason.is_empty()) {
            return reason.clone();
        }
        let texts: Vec<&str> = missing.iter().map(|(text, _)| text.as_str()).collect();
        let title = match list {
            ListName::Named(name) => format!("the {name} list"),
            _ => "the list".to_owned(),
        };
        match texts.is_empty() {
            true => String::new(),
            false => format!("I don't see {} on {title}.", joined(&texts)),
        }
    }

    /// "clear the list" in a group that has things on several: others may mean another one than who
    /// used it last. `None`: it is clear which.
    pub(super) fn which_to_clear(
        &self,
        action: &TodoAction,
        context: &PowerContext,
    ) -> Option<String> {
        let (TodoAction::Clear(list) | TodoAction::Delete(list)) = action else {
            return None;
        };
        let is_open = matches!(list, ListName::InUse | ListName::Recent) && context.group;
        let mut places = self.places();
        places.retain(|place| !self.items_in(*place).is_empty());
        if !is_open || places.len() < 2 {
            return None;
        }
        let ways = places.iter().map(|place| match self.name(*place) {
            "" => "“clear our list”".to_owned(),
            name => format!("“clear the {name} list”"),
        });
        let ways: Vec<String> = ways.collect();
        Some(format!(
            "There are several lists here, so I've cleared nothing. Say {}.",
            ways.join(" or ")
        ))
    }

    /// "is milk on my list?"
    pub(super) fn where_it_is(&self, list: &ListName, text: &str) -> String {
        let asked = match list {
            ListName::Named(name) => self.position(name).map(Place::Named),
            ListName::Unnamed => Some(Place::Unnamed),
            ListName::InUse | ListName::Recent => Some(self.place_in_use()),
        };
        let is_open = |item: &Item| !item.done;
        let here = self.find(list, text, is_open).ok();
        if here.is_some_and(|(place, _)| Some(place) == asked) {
            return "Yes, it's there.".to_owned();
        }
        match self.find(&ListName::InUse, text, is_open) {
            Ok((place, at)) => {
                let item = &self.items_in(place)[at];
                format!("No: {} is on {}.", item.text, self.title(place))
            }
            Err(_) if self.find(list, text, |item| item.done).is_ok() => {
                "It's there, and done.".to_owned()
            }
            Err(_) => format!("I see no {text} there."),
        }
    }

    pub(super) fn display(&self, place: Place, context: &PowerContext) -> String {
        let items = self.items_in(place);
        let title = self.title(place);
        let mut text = match (items.is_empty(), items.open()) {
            (true, _) => {
                let to = match self.name(place) {
                    "" => "list".to_owned(),
                    name => format!("{name} list"),
                };
                format!(
                    "{} is empty. Say “add milk and eggs to my {to}” to begin.",
                    capital(&title)
                )
            }
            (_, 0) => format!("Everything on {title} is done:"),
            (_, n) if place == Place::Unnamed => format!("{} to do:", counted(n, "thing")),
            (_, n) => format!("{} on {title}:", counted(n, "thing")),
        };
        for (n, item) in (1..).zip(items) {
            let done = if item.done { " ✓" } else { "" };
            let due = item.due().map_or_else(String::new, |due| {
                format!(" ({})", due.display(context.today()))
            });
            text.push_str(&format!("\n{n}. {}{due}{done}", item.text));
        }
        if place == Place::Unnamed && !self.lists.is_empty() {
            let others: Vec<String> = self.lists.iter().map(NamedList::counted).collect();
            text.push_str(&format!("\nOther lists: {}", others.join(", ")));
        }
        text
    }

    pub(super) fn display_all(&self) -> String {
        if self.lists.is_empty() && self.items.is_empty() {
            return "There are no lists yet. Say “add milk to my groceries list” to begin one."
                .to_owned();
        }
        let own = match self.items.is_empty() {
            true => None,
            false => Some(format!("to-do ({})", self.items.open())),
        };
        let mut text = "Your lists, with what is open on each:".to_owned();
        for list in own
            .into_iter()
            .chain(self.lists.iter().map(NamedList::counted))
        {
            text.push_str(&format!("\n• {list}"));
        }
        text
    }
}

impl NamedList {
    /// "groceries (3)"
    fn counted(&self) -> String {
        format!("{} ({})", self.name, self.items.open())
    }
}
