//! What is corrected of an expense that is noted: "that parking was 15 actually", "lunch was
//! yesterday, not today", "lunch should be under food".

use super::past_day::{self, PastDay};
use super::{BudgetAction, BudgetState, bare};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength::{self, InSession, Soft};
use crate::assistant::powers::money;
use crate::assistant::powers::usual_purchases::is_usual;
use crate::assistant::powers::{PowerContext, local_time, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;
use crate::assistant::wording::texts::{self, same};

/// Words of what was bought.
const PURPOSE_WORDS_MAX: usize = 4;

/// Words that say that something else was said before.
static REALLY: Phrases = Phrases::new(&["actually", "really", "in fact"]);

pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    let words = &message.words;
    let at = words.skip(at, phrases!["no", "wait", "oh wait", "sorry", "oops"]);
    amount(words, at, end)
        .or_else(|| day(message, at, end))
        .or_else(|| category(words, at, end))
}

/// "that parking" before the verb: its name, and whether it was pointed at.
fn named(words: &Words, at: usize, verb: usize) -> Option<(String, bool)> {
    let is_that = matches!(words.get(at), "that" | "this") && verb > at + 1;
    let from = match is_that {
        true => at + 1,
        false => words.skip_article(at),
    };
    let is_short = (1..=PURPOSE_WORDS_MAX).contains(&verb.saturating_sub(from));
    is_short.then(|| (parsers::original(words, from, verb), is_that))
}

/// "that parking was 15 actually", "the parking was actually 15", "the parking was 15, not 12".
fn amount(words: &Words, at: usize, end: usize) -> Option<(RequestStrength, BudgetAction)> {
    let verbs = ["was", "were", "cost"];
    let verb =
        (at + 1..end.min(at + 2 + PURPOSE_WORDS_MAX)).find(|n| verbs.contains(&words.get(*n)))?;
    let from = words.skip(verb + 1, &REALLY);
    let from = words.skip(from, phrases!["only", "just"]);
    let (money, next) = money::read(words, from)?;
    let last = words.skip(next, phrases!["actually", "really", "in fact", "sorry"]);
    // "that taxi was 25, not 22"
    let other = words.after(next, phrases!["not", "and not", "instead of"]);
    let last = other
        .and_then(|other| money::read(words, other))
        .map_or(last, |(_, last)| last);
    let (purpose, is_that) = named(words, at, verb)?;
    let is_marked = is_that || last > next || from > verb + 1;
    (is_marked && last == end).then_some((Soft, BudgetAction::ChangeAmount(purpose, money)))
}

/// "lunch was yesterday, not today"
fn day(message: &ParsedMessage, at: usize, end: usize) -> Option<(RequestStrength, BudgetAction)> {
    let words = &message.words;
    let verbs = ["was", "were"];
    let verb =
        (at + 1..end.min(at + 2 + PURPOSE_WORDS_MAX)).find(|n| verbs.contains(&words.get(*n)))?;
    let (purpose, _) = named(words, at, verb)?;
    let from = words.skip(verb + 1, &REALLY);
    let (PastDay::Ago(days_ago), next) = past_day::read(message, from)? else {
        return None;
    };
    let (instead_of, last) = match words.after(next, phrases!["not"]) {
        Some(other) => match past_day::read(message, other)? {
            (PastDay::Ago(days), last) => (Some(days), last),
            _ => return None,
        },
        None => (None, words.skip(next, phrases!["actually", "sorry"])),
    };
    let is_marked = instead_of.is_some() || last > next || from > verb + 1;
    let is_it = matches!(purpose.to_lowercase().as_str(), "that" | "it" | "this");
    let action = BudgetAction::ChangeDay {
        purpose: if is_it { String::new() } else { purpose },
        days_ago,
        instead_of,
    };
    let strength = match is_marked && !is_it {
        true => Soft,
        false => InSession,
    };
    (last == end && (is_marked || !is_it)).then_some((strength, action))
}

/// "lunch should be under food", "put lunch under food".
fn category(words: &Words, at: usize, end: usize) -> Option<(RequestStrength, BudgetAction)> {
    const CATEGORY_WORDS_MAX: usize = 3;
    static LINKS: Phrases = Phrases::new(&[
        "should be under", "should be in", "should go under", "should go in", "should count as",
        "belongs to", "belongs under", "belongs in", "goes under", "counts as", "is part of",
    ]);
    static PUT: Phrases = Phrases::new(&["put", "count", "file", "book", "log", "move"]);
    static UNDER: Phrases = Phrases::new(&["under", "as"]);
    let put = words.after(at, &PUT);
    let links = if put.is_some() { &UNDER } else { &LINKS };
    let at = put.unwrap_or(at);
    let (link, from) = (at + 1..end.min(at + 2 + PURPOSE_WORDS_MAX))
        .find_map(|n| Some((n, words.after(n, links)?)))?;
    let (purpose, _) = named(words, at, link)?;
    let from = words.skip_article(from);
    let is_named = matches!(words.get(end - 1), "budget" | "category" | "expenses");
    let to = end - usize::from(is_named && end > from + 1);
    let is_short = (1..=CATEGORY_WORDS_MAX).contains(&to.saturating_sub(from));
    is_short.then(|| {
        let category = parsers::original(words, from, to);
        (Soft, BudgetAction::Recategorise { purpose, category })
    })
}

impl BudgetState {
    /// Another day for the newest expense of that name. `instead_of`: how many days ago it was noted
    /// to be. `None`: there is none.
    pub(super) fn change_day(
        &mut self,
        purpose: &str,
        (days_ago, instead_of): (i32, Option<i32>),
        context: &PowerContext,
    ) -> Option<String> {
        let at = match purpose {
            "" => self.expenses.len().checked_sub(1)?,
            purpose => self.newest(purpose)?,
        };
        let today = context.today();
        let number = local_time::number(today);
        let (day, before) = (number - days_ago, self.expenses[at].day);
        if instead_of.is_some_and(|days| before != number - days) {
            return None;
        }
        let display = |day: i32| texts::display(local_time::day(day), today);
        let what = self.line(at);
        if before == day {
            return Some(format!(
                "That's how I've noted it: {what}, {}.",
                display(day)
            ));
        }
        self.expenses[at].day = day;
        Some(format!(
            "Okay, {what} was on {}, not on {}. “undo” takes that back.",
            display(day),
            display(before)
        ))
    }

    /// The newest expense of that name counts as one for `category`. `None`: there is none, or no
    /// such purpose.
    pub(super) fn recategorise(
        &mut self,
        purpose: &str,
        category: &str,
        context: &PowerContext,
    ) -> Option<String> {
        let at = self.newest(purpose)?;
        let budgets = self.budgets.iter().map(|one| one.purpose.as_str());
        let expenses = self.expenses.iter().map(|one| one.purpose.as_str());
        let known = budgets
            .chain(expenses)
            .find(|one| !one.is_empty() && bare(one) == bare(category));
        let category = match known {
            Some(known) => known.to_owned(),
            None if is_usual(category) => category.to_owned(),
            None => return None,
        };
        if same(&category, &self.expenses[at].purpose) {
            return None;
        }
        let (what, day) = (self.line(at), local_time::day(self.expenses[at].day));
        self.expenses[at].purpose.clone_from(&category);
        let day = texts::display(day, context.today());
        let mut reply = format!("Okay, {what} of {day} now counts as {category}.");
        for budget in self
            .budgets
            .iter()
            .filter(|one| same(&one.purpose, &category))
        {
            reply.push_str(&format!(" {}.", self.left(budget, context)));
        }
        Some(format!("{reply} “undo” takes that back."))
    }

    /// "23.50 on lunch"
    pub(super) fn line(&self, at: usize) -> String {
        let one = &self.expenses[at];
        match one.purpose.as_str() {
            "" => self.money(one.amount),
            purpose => format!("{} on {purpose}", self.money(one.amount)),
        }
    }
}
