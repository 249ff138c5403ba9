//! Numbers that an answer tells against those of its calls.

use super::statements::clauses;
use super::surplus_claims::texts_of;
use super::text_claims::{claimed, is_plain_question};
use crate::assistant::tools::LINK;
use crate::assistant::wording::{
    KnownNumbers, NamedNumber, numbers_for_things, numbers_of, told_numbers,
};
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};
use crate::ingest::replies::request::CertainRequest;

impl ModelTurn<'_> {
    /// A number of the message is told while its calls have another one, or one that stands nowhere
    /// instead of theirs or for another thing.
    pub(super) fn tells_other_numbers(&self, statements: &[&str], totals: &CallTotals) -> bool {
        let unknown = unknown_numbers(statements, totals);
        let is_nowhere = || {
            let mut known = KnownNumbers::default();
            known.add(&self.context.message.text);
            for record in &totals.records {
                known.add_all(&record.numbers.all);
            }
            self.is_any_nowhere(&unknown, known)
        };
        // Others may follow from one of theirs that is told beside them.
        let is_another = || !tells_own(statements, totals) || tells_for_thing(statements, &unknown);
        let is_surplus = || !self.asks_question() && is_another() && is_nowhere();
        !unknown.is_empty() && (self.lacks_in_calls(&unknown, totals) || is_surplus())
            || leaves_out_kept(&unknown, statements, totals)
            || swaps_numbers(statements, totals)
    }

    /// The message asks something, too.
    pub(super) fn asks_question(&self) -> bool {
        let message = &self.context.message.text;
        is_plain_question(message) || clauses(message).iter().any(|one| is_plain_question(one))
    }

    /// What a call keeps is told nowhere, and another number is.
    pub(super) fn tells_other_kept(&self, statements: &[&str], totals: &CallTotals) -> bool {
        leaves_out_kept(&unknown_numbers(statements, totals), statements, totals)
    }

    /// A look-up is answered with a number that stands nowhere, or with an hour that none has.
    pub(super) fn tells_other_than_found(&self, text: &str, totals: &CallTotals) -> bool {
        let records = &totals.records;
        let is_found = !records.is_empty()
            && records
                .iter()
                .all(|one| one.is_done && !one.is_change && !one.tool.contains(LINK));
        let is_change_asked = matches!(self.plan.request, Some(CertainRequest::Change { .. }));
        if !is_found || is_change_asked || !self.tells_shortly(text) {
            return false;
        }
        let mut known = KnownNumbers::default();
        let mut times = self.times_of_open(&[]);
        for record in records {
            known.add_all(&record.numbers.all);
            times.add(record.named_times.clone());
        }
        let mut numbers: Vec<NamedNumber> = claimed(text)
            .iter()
            .flat_map(|text| told_numbers(text))
            .collect();
        numbers.retain(|number| !known.has(number));
        let mut has_other_hour = || {
            let told = self.times_told(text);
            told.has_other_hour(&times) && {
                let prompt = self.prompt(&[], 0, &self.plan.tools);
                texts_of(&prompt).for_each(|text| times.add(self.times_in(text)));
                told.has_other_hour(&times)
            }
        };
        !numbers.is_empty() && self.is_any_nowhere(&numbers, known) || has_other_hour()
    }

    /// A number of the message is told that no call has, while the calls have only its others.
    fn lacks_in_calls(&self, unknown: &[NamedNumber], totals: &CallTotals) -> bool {
        let mut asked = KnownNumbers::default();
        asked.add(&self.context.message.text);
        let mut kept = kept(totals).peekable();
        kept.peek().is_some()
            && kept.all(|number| asked.has(number))
            && unknown.iter().any(|number| asked.has(number))
    }

    /// `known`: those of the calls.
    fn is_any_nowhere(&self, numbers: &[NamedNumber], mut known: KnownNumbers) -> bool {
        let prompt = self.prompt(&[], 0, &self.plan.tools);
        texts_of(&prompt).for_each(|text| known.add(text));
        // "3 December" may be told with the year.
        let date = self.now.utc_date();
        let year = date.split('-').next().and_then(|year| year.parse().ok());
        let year: i32 = year.unwrap_or_default();
        known.add(&format!("{year}, in {}", year + 1));
        !numbers.iter().all(|number| known.has(number))
    }
}

/// Numbers that the calls keep; the times of reminders are compared by themselves.
fn kept(totals: &CallTotals) -> impl Iterator<Item = &NamedNumber> {
    let changes = totals.records.iter();
    let changes = changes.filter(|record| record.is_change && record.reminder.is_none());
    changes.flat_map(|record| &record.numbers.kept)
}

/// The numbers that are told and that no call has.
fn unknown_numbers(statements: &[&str], totals: &CallTotals) -> Vec<NamedNumber> {
    let records = &totals.records;
    let has_reminder = records.iter().any(|one| one.reminder.is_some());
    let mut known = KnownNumbers::default();
    known.add(&records.len().to_string());
    for record in records {
        known.add_all(&record.numbers.own);
    }
    let told = statements.iter().flat_map(|text| told_numbers(text));
    told.filter(|number| !(known.has(number) || has_reminder && number.may_be_of_time()))
        .collect()
}

/// A number of the changes is told, from which others may follow.
fn tells_own(statements: &[&str], totals: &CallTotals) -> bool {
    let mut own = KnownNumbers::default();
    let changes = totals.records.iter().filter(|record| record.is_change);
    changes.for_each(|record| own.add_all(&record.numbers.own));
    let mut told = statements.iter().flat_map(|text| numbers_of(text));
    told.any(|number| own.has(&number))
}

/// "12 on hats": an amount for a thing.
fn tells_for_thing(statements: &[&str], unknown: &[NamedNumber]) -> bool {
    let mut told = statements.iter().flat_map(|text| numbers_for_things(text));
    told.any(|number| unknown.contains(&number))
}

fn leaves_out_kept(unknown: &[NamedNumber], statements: &[&str], totals: &CallTotals) -> bool {
    let mut told = KnownNumbers::default();
    statements.iter().for_each(|text| told.add(text));
    !unknown.is_empty() && kept(totals).any(|number| !told.has(number))
}

/// A clause names the thing of one number with the number of another thing.
fn swaps_numbers(statements: &[&str], totals: &CallTotals) -> bool {
    let changes = totals.records.iter().filter(|record| record.is_change);
    let pairs: Vec<&(String, NamedNumber)> = changes
        .flat_map(|record| &record.numbers.of_things)
        .collect();
    let mut clauses = statements
        .iter()
        .flat_map(|text| clauses(&text.to_lowercase()));
    pairs.len() > 1
        && clauses.any(|clause| {
            let mut named = pairs
                .iter()
                .filter(|(thing, _)| clause.contains(thing.as_str()));
            let (Some((thing, own)), None) = (named.next(), named.next()) else {
                return false;
            };
            let told = numbers_of(&clause);
            let is_told = |number: &NamedNumber| told.iter().any(|one| one.is_same(number));
            let mut others = pairs.iter().filter(|(other, _)| other != thing);
            !is_told(own) && others.any(|(_, number)| is_told(number))
        })
}
