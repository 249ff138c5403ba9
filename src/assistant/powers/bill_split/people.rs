//! The people on a bill, by what they are called in a message.

use super::beneficiaries::people_listed;
use super::sums::{ME, Payment, capital, joined_names};
use super::{BillSplitState, NAME_CHARS_MAX, PEOPLE_MAX};
use crate::assistant::builtin::is_first_name;
use crate::assistant::powers::{PowerContext, statement};
use crate::assistant::wording::texts::{same, too_long};

pub(super) const NAME_UNKNOWN: &str = "I don't know what to call you on the bill. Tell me, for example “my name is Ana”, then say it again.";

const EVERYBODY_UNKNOWN: &str =
    "I don't know who everybody is yet. Say it first: “split the bill between Ana, Bo and me”.";

impl BillSplitState {
    pub(super) fn is_on_it(&self, name: &str) -> bool {
        self.people.iter().any(|known| same(known, name))
    }

    pub(super) fn not_on_it(&self, name: &str) -> String {
        format!(
            "{} isn't on the bill, so I've noted nothing. On it: {}.",
            capital(name),
            joined_names(&self.people)
        )
    }

    /// The name of somebody on the bill.
    pub(super) fn known_person(
        &self,
        phrase: &str,
        context: &PowerContext,
    ) -> Result<String, String> {
        let name = match is_self(phrase) {
            true if !context.group => ME,
            true => context.name.ok_or(NAME_UNKNOWN)?,
            false => phrase,
        };
        let mut people = self.people.iter();
        let known = people.find(|known| same(known, name)).cloned();
        known.ok_or_else(|| match is_self(phrase) {
            true => format!(
                "You aren't on the bill. On it: {}.",
                joined_names(&self.people)
            ),
            false => format!(
                "{} isn't on the bill. On it: {}.",
                capital(name),
                joined_names(&self.people)
            ),
        })
    }

    /// The person's name on the bill, added if new.
    pub(super) fn person(
        &mut self,
        phrase: &str,
        context: &PowerContext,
    ) -> Result<String, String> {
        let name = match phrase.to_lowercase().as_str() {
            phrase if is_self(phrase) && !context.group => ME.to_owned(),
            phrase if is_self(phrase) => match context.name {
                Some(name) => name.to_owned(),
                None => return Err(NAME_UNKNOWN.to_owned()),
            },
            "you" => {
                return Err("I never have any money, so leave me off the bill.".to_owned());
            }
            name if !statement::is_person(name) => {
                return Err(format!(
                    "I can't take “{phrase}” for a name, so I've noted nothing. Say the names like “between Ana, Bo and me”."
                ));
            }
            _ => phrase.to_owned(),
        };
        if let Some(reply) = too_long(&[&name], NAME_CHARS_MAX) {
            return Err(reply);
        }
        if let Some(known) = self.people.iter().find(|known| same(known, &name)) {
            return Ok(known.clone());
        }
        if self.people.len() >= PEOPLE_MAX {
            return Err(format!("A bill is for {PEOPLE_MAX} people at most."));
        }
        self.people.push(name.clone());
        Ok(name)
    }

    /// They were said to share the bill.
    pub(super) fn note_sharing(&mut self, people: &[String]) {
        for name in people {
            if !self.sharing.contains(name) {
                self.sharing.push(name.clone());
            }
        }
    }

    /// Everybody who shares the bill: who was said to, or shares or made a payment. Who only owes
    /// something, or has lent it, does not.
    pub(super) fn sharers(&self) -> Vec<String> {
        let is_in = |payment: &Payment, name: &String| payment.people().any(|one| one == name);
        let shares = |name: &String| {
            let mut payments = self.payments.iter().filter(|one| is_in(one, name));
            payments.any(|one| !one.is_debt())
        };
        let is_new = |name: &String| {
            self.sharing.is_empty() && !self.payments.iter().any(|one| is_in(one, name))
        };
        let people = self.people.iter();
        people
            .filter(|name| self.sharing.contains(name) || shares(name) || is_new(name))
            .cloned()
            .collect()
    }

    /// "bo cy" without a comma, who are on the bill; the error asks, where it may be one name.
    fn people_in_a_row(&self, phrase: &str) -> Result<Option<Vec<String>>, String> {
        let known = |name: &str| self.people.iter().find(|known| same(known, name)).cloned();
        let words: Vec<&str> = phrase.split_whitespace().collect();
        if words.len() < 2 || known(phrase).is_some() {
            return Ok(None);
        }
        let each: Vec<Option<String>> = words.iter().map(|word| known(word)).collect();
        if each.iter().any(Option::is_some) {
            let all: Option<Vec<String>> = each.into_iter().collect();
            return all.map(Some).ok_or_else(|| names_in_a_row(phrase));
        }
        // "Bo Li", "uncle bo"
        let is_plain = words
            .iter()
            .all(|word| word.chars().all(char::is_lowercase));
        match is_plain && !words.iter().any(|word| statement::is_relation(word)) {
            true => Err(names_in_a_row(phrase)),
            false => Ok(None),
        }
    }

    pub(super) fn everybody(&self) -> Result<Vec<String>, String> {
        let all = self.sharers();
        match all.len() {
            0 | 1 => Err(EVERYBODY_UNKNOWN.to_owned()),
            _ => Ok(all),
        }
    }

    pub(super) fn people_of(
        &mut self,
        phrases: &[String],
        context: &PowerContext,
    ) -> Result<Vec<String>, String> {
        let mut people = Vec::new();
        for name in phrases {
            let named = if is_everybody(name) {
                self.everybody()?
            } else if let Some(each) = self.people_in_a_row(name)? {
                each
            } else {
                vec![self.person(name, context)?]
            };
            for name in named {
                if !people.contains(&name) {
                    people.push(name);
                }
            }
        }
        Ok(people)
    }
}

/// Whether words are names of people who share something: "lena, max and me".
pub fn are_people(text: &str) -> bool {
    let names = people_listed(text);
    let is_known =
        |name: &String| is_self(name) || is_everybody(name) || is_first_name(&name.to_lowercase());
    let is_own = |name: &String| is_self(name) || is_everybody(name);
    let are_names = names
        .iter()
        .all(|name| is_self(name) || is_everybody(name) || statement::is_person(name));
    let is_short = names
        .iter()
        .all(|name| name.split(' ').count() <= 2 || is_everybody(name));
    !names.is_empty()
        && are_names
        && is_short
        && (names.iter().any(is_own) || names.iter().all(is_known))
}

fn names_in_a_row(phrase: &str) -> String {
    let capitals: Vec<String> = phrase.split_whitespace().map(capital).collect();
    format!(
        "Is “{phrase}” one person? I've noted nothing. With a comma between the names they are several; “{}” is one.",
        capitals.join(" ")
    )
}

pub(super) fn is_everybody(name: &str) -> bool {
    let lower = name.to_lowercase();
    matches!(
        lower.as_str(),
        "us" | "all of us" | "everybody" | "everyone" | "all" | "the group" | "the whole group"
    )
}

/// Who speaks.
pub(super) fn is_self(name: &str) -> bool {
    ["me", "i", "myself"].iter().any(|own| same(own, name))
}
