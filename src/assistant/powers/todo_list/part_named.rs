//! Things on a list that are named by a part of their words only: "bread" for "milk bread apples",
//! which may be one thing or three. The person is asked before such a thing goes.

use super::groceries::{is_grocery, run_on};
use super::lists::Item;
use super::phrases::number;
use super::{ListName, TodoState};
use crate::assistant::builtin::reminder::is_task_word;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;
use crate::assistant::wording::texts::joined;

/// Words of one thing that several words name: "a loaf of bread", "milk for bo".
const LINKS: [&str; 27] = [
    "of", "for", "to", "the", "a", "an", "my", "our", "your", "with", "at", "in", "on", "from",
    "by", "about", "and", "or", "x", "w", "her", "his", "their", "some", "no", "not", "if",
];

/// How a thing is named.
struct PartialName {
    /// Of the thing, without numbers at the beginning.
    item_words: usize,
    /// Of the name.
    words: usize,
    /// The name is the end of the thing's words.
    is_head: bool,
    /// Words that are names of groceries.
    groceries: usize,
    /// The name is one of a grocery.
    is_grocery: bool,
}

impl PartialName {
    /// `None`: all of the thing is named, or all of it is one thing for sure.
    fn of(name: &Words, item: &Words) -> Option<Self> {
        let from = name.skip(0, phrases!["the", "my", "our", "a", "an", "some"]);
        let words = name.len() - from;
        let is_count = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let all: Vec<&str> = item.iter().skip_while(is_count).collect();
        let first = all.first()?;
        let is_task = is_task_word(first) && !is_grocery(first);
        let is_one = is_task || all.iter().any(|word| LINKS.contains(word));
        if is_one || words == 0 || words >= all.len() {
            return None;
        }
        let last = all.last()?;
        Some(Self {
            is_head: last.starts_with(name.get(name.len() - 1)),
            groceries: all.iter().filter(|word| is_grocery(word)).count(),
            item_words: all.len(),
            words,
            is_grocery: is_grocery(name.get(from)) && words == 1,
        })
    }

    /// Whether more may be lost than was named. "oil" is the olive oil, and "bread" hardly the bread
    /// knife.
    fn is_unsure_to_remove(&self) -> bool {
        !self.is_head || self.groceries > 1 || self.item_words > self.words + 1
    }

    /// "math" is the math homework; "tea" is hardly the tea towels.
    fn is_unsure_done(&self) -> bool {
        self.groceries > 1 || self.is_grocery && !self.is_head
    }
}

impl TodoState {
    /// "milk bread apples" names three things, unless one thing is called so.
    pub(super) fn each_named(&self, list: &ListName, texts: Vec<String>) -> Vec<String> {
        let is_there = |text: &str| self.find(list, text, |_| true).is_ok();
        let each = texts.into_iter().flat_map(|text| match run_on(&text) {
            Some(all) if !is_there(&text) => all,
            _ => vec![text],
        });
        each.collect()
    }

    /// The question before a thing goes of which only a part was named.
    pub(super) fn whether_to_remove(
        &mut self,
        list: &ListName,
        texts: &[String],
    ) -> Option<String> {
        let all = self.full_names(list, texts, |_| true, PartialName::is_unsure_to_remove)?;
        let question = format!(
            "{} Shall I remove all of it? Say “yes”; I've changed nothing yet.",
            all.part
        );
        let title = self.my_list(list);
        self.asked = Some(format!("remove {} from {title}", all.names));
        Some(question)
    }

    /// The question before a thing is done of which only a part was named.
    pub(super) fn whether_done(&mut self, list: &ListName, texts: &[String]) -> Option<String> {
        let all = self.full_names(list, texts, |item| !item.done, PartialName::is_unsure_done)?;
        let question = format!(
            "{} Is all of it done? Say “yes”; I've changed nothing yet.",
            all.part
        );
        let title = self.my_list(list);
        self.asked = Some(format!("check {} off {title}", all.names));
        Some(question)
    }

    /// The full names of these things, if a part of one names more than was meant.
    fn full_names(
        &self,
        list: &ListName,
        texts: &[String],
        matches: impl Fn(&Item) -> bool,
        is_unsure: impl Fn(&PartialName) -> bool,
    ) -> Option<FullNames> {
        let (mut names, mut part) = (Vec::new(), None);
        for text in texts {
            let Ok((place, at)) = self.find(list, text, &matches) else {
                names.push(text.clone());
                continue;
            };
            let item = &self.items_in(place)[at].text;
            names.push(format!("“{item}”"));
            let words = Words::new(item);
            let named = PartialName::of(&Words::new(text), &words);
            let is_number = number(text).is_some() || text.to_lowercase().contains("last ");
            if !is_number && part.is_none() && named.is_some_and(|named| is_unsure(&named)) {
                part = Some(format!("“{text}” is only a part of “{item}”."));
            }
        }
        Some(FullNames {
            part: part?,
            names: joined(&names),
        })
    }

    /// "my list", "my groceries list"
    fn my_list(&self, list: &ListName) -> String {
        match list {
            ListName::Named(name) => format!("my {name} list"),
            _ => match self.name(self.place_in_use()) {
                "" => "my list".to_owned(),
                name => format!("my {name} list"),
            },
        }
    }
}

/// Things by their full names.
struct FullNames {
    names: String,
    /// Says of one that only a part of it was named.
    part: String,
}
