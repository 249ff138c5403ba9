//! A reply that names other days or hours than those of the reminders that its calls set: small
//! models call with one time and tell another. The model is told what is set and asked once more.
//! What it still says of other times is left out, and a sentence says what is set. What counts is
//! the state after all calls: what a later call took back is not set.

use serde_json::{Value, json};

use super::claim_words::{CONDITIONS, NO_PROMISES};
use super::statements::{LINKS, clauses, sentences, statements, words};
use crate::assistant::prompt::Prompt;
use crate::assistant::wording::{self, NamedTimes};
use crate::clock::{Timestamp, Zone};
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};
use crate::ingest::replies::reminder_json::{local_time, short_id};
use crate::ingest::replies::result::{CallRecord, ReminderState};
use crate::ingest::replies::taken_back::is_taken_back;

/// Parts of rules by which a reminder comes at several hours of a day.
pub(super) const SEVERAL_HOURS: [&str; 4] = ["HOURLY", "MINUTELY", "BYHOUR", "BYMINUTE"];
/// The note to the model where nothing is set any more.
const TAKEN_BACK: &str = "[Your later call cancelled what you had set, so nothing is set now. If \
                          the person wants it, set it again now. If not, write your answer again \
                          without saying that it is set, and without a word about this.]";

impl ModelTurn<'_> {
    /// The prompt by which the model is told what is set, after it named another time in `text`.
    pub(in crate::ingest::replies) fn with_what_is_set(
        &self,
        prompt: &Prompt,
        text: &str,
        totals: &mut CallTotals,
    ) -> Option<Prompt> {
        let is_due = !totals.is_set_right
            && totals.parts.is_empty()
            && self.context.sent.is_empty()
            && (self.tells_other_times(text, totals) || self.tells_taken_back(text, totals));
        is_due.then(|| {
            totals.is_set_right = true;
            let mut again = prompt.clone();
            again.add_turn(text, &what_is_set(&set_reminders(totals)));
            again
        })
    }

    /// The reply without its sentences about other times than those that are set, and the sentence
    /// that is due in their place.
    pub(super) fn without_other_times(
        &self,
        text: String,
        totals: &CallTotals,
    ) -> (String, Option<String>) {
        if !self.tells_other_times(&text, totals) {
            return (text, None);
        }
        let (set, known) = (set_reminders(totals), self.known_times(totals));
        let is_true = |sentence: &str| {
            let named = self.times_stated(sentence);
            !named.has_other_hour(&known)
                && !named.has_other_day(&known)
                && !comes_otherwise(&named, &set)
                && !self.tells_other_hours_of_rule(sentence, &set, &known)
                && !self.is_swapped(sentence, &set)
                && !self.tells_joined_hour(sentence, &known)
        };
        let all = sentences(&text).into_iter();
        let true_ones = all.filter(|sentence| sentence.is_question || is_true(sentence.text));
        let rest: String = true_ones.map(|sentence| sentence.text).collect();
        let times: Vec<_> = set.iter().filter_map(ReminderState::time).collect();
        let language = self.language_with(&text);
        let sentence = wording::what_is_set(&times, language);
        (rest.trim().to_owned(), Some(sentence))
    }

    /// The reply names another time of a reminder than what its calls set.
    pub(in crate::ingest::replies) fn tells_other_times(
        &self,
        text: &str,
        totals: &CallTotals,
    ) -> bool {
        let set = set_reminders(totals);
        if set.is_empty() {
            return false;
        }
        let known = self.known_times(totals);
        differs(&self.times_told(text), &set, &known)
            || self.is_swapped(text, &set)
            || self.tells_joined_hour(text, &known)
            || self.tells_other_hours_of_rule(text, &set, &known)
    }

    /// The reply names the time of a reminder that its calls set and cancelled again, and none is
    /// set.
    pub(super) fn tells_taken_back(&self, text: &str, totals: &CallTotals) -> bool {
        let is_set = !set_reminders(totals).is_empty();
        let is_told_but_cancelled = |record: &CallRecord| {
            let named = self.times_told(text);
            let reminder = record.reminder.as_ref();
            let is_at = |one: &ReminderState| {
                one.at
                    .is_some_and(|at| named.names_hour() && !named.lacks_hour(at, one.zone))
            };
            is_taken_back(record, &totals.records) && reminder.is_some_and(is_at)
        };
        !is_set && totals.records.iter().any(is_told_but_cancelled)
    }

    /// A clause names an hour for what comes again at which it doesn't come.
    fn tells_other_hours_of_rule(
        &self,
        text: &str,
        set: &[ReminderState],
        known: &NamedTimes,
    ) -> bool {
        let has_several = set.iter().any(|one| {
            let rule = one.rule.as_deref().unwrap_or_default();
            rule.to_uppercase().contains("BYHOUR")
        });
        let mut clauses = statements(text).flat_map(|statement| match has_several {
            true => vec![statement.to_owned()],
            false => clauses(statement),
        });
        set.iter().any(|one| one.rule.is_some())
            && clauses.any(|clause| has_other_hour_of_rule(&self.times_stated(&clause), known))
    }

    /// It names an hour of the message that nothing has, and that stands there as one of several:
    /// "at 6 and at 8".
    fn tells_joined_hour(&self, text: &str, known: &NamedTimes) -> bool {
        /// Words after one that joins, among which the hour stands.
        const WORDS: usize = 3;
        let message = self.context.message.text.to_lowercase();
        let words: Vec<&str> = message.split_whitespace().collect();
        let mut joined = NamedTimes::default();
        for at in 1..words.len() {
            if LINKS.contains(&words[at - 1]) {
                let end = (at + WORDS).min(words.len());
                joined.add(self.times_in(&words[at..end].join(" ")));
            }
        }
        joined.names_hour() && self.times_told(text).has_unknown_of(&joined, known)
    }

    /// It names one of several reminders with the hour of another one.
    fn is_swapped(&self, text: &str, set: &[ReminderState]) -> bool {
        let text = text.to_lowercase();
        let mut clauses = statements(&text).flat_map(clauses);
        clauses.any(|clause| {
            let is_named = |one: &&ReminderState| clause.contains(&one.text.to_lowercase());
            let mut named = set.iter().filter(is_named);
            let (Some(one), None) = (named.next(), named.next()) else {
                return false;
            };
            let times = self.times_in(&clause);
            let is_at =
                |one: &ReminderState| one.at.is_some_and(|at| !times.lacks_hour(at, one.zone));
            let mut others = set.iter().filter(|other| other.id != one.id);
            times.names_hour() && one.rule.is_none() && !is_at(one) && others.any(is_at)
        })
    }

    /// The times in the results of all calls, without those that a later call took back or changed.
    fn known_times(&self, totals: &CallTotals) -> NamedTimes {
        let mut known = NamedTimes::default();
        let records = &totals.records;
        for (at, record) in records.iter().enumerate().filter(|(_, one)| one.is_done) {
            let later = records[at + 1..].iter();
            let later: Vec<&str> = later
                .filter_map(|later| Some(later.reminder.as_ref()?.id.as_str()))
                .collect();
            // A list before it tells of others as well, which are open.
            let is_stale = later.iter().any(|id| match &record.reminder {
                Some(one) => one.id == **id,
                None => record.words.contains(id),
            });
            match is_stale || is_taken_back(record, records) {
                true if record.reminder.is_none() => known.add(self.times_of_open(&later)),
                true => {}
                false => known.add(record.named_times.clone()),
            }
        }
        for one in set_reminders(totals).iter() {
            for at in one.of_day.iter().chain(&one.ends) {
                known.add(self.times_in(&local_time(*at, one.zone)));
            }
        }
        known
    }

    /// The times of the chat's open reminders without those with these ids, before the calls.
    pub(super) fn times_of_open(&self, without: &[&str]) -> NamedTimes {
        let zone = self.zone();
        let mut known = NamedTimes::default();
        let open = self.context.dialog.open.iter();
        for one in open.filter(|one| !without.contains(&short_id(&one.schedule_id))) {
            known.add(self.times_in(&local_time(one.send_at, zone)));
        }
        known
    }

    /// The times that the statements of a reply name.
    pub(super) fn times_told(&self, text: &str) -> NamedTimes {
        let mut named = NamedTimes::default();
        for statement in statements(text) {
            named.add(self.times_stated(statement));
        }
        named
    }

    /// How often something comes is only an offer in "I can also do it every day".
    fn times_stated(&self, sentence: &str) -> NamedTimes {
        let named = self.times_in(sentence);
        let lower = sentence.to_lowercase();
        let mut words = words(&lower);
        let is_offer = words.any(|word| NO_PROMISES.contains(&word))
            || CONDITIONS.iter().any(|part| lower.contains(part));
        match is_offer {
            true => named.without_repetitions(),
            false => named,
        }
    }

    pub(in crate::ingest::replies) fn times_in(&self, text: &str) -> NamedTimes {
        NamedTimes::of(text, self.context.message.received_at, self.zone())
    }
}

/// The reminders that calls set or changed, as they are after all of them.
pub(super) fn set_reminders(totals: &CallTotals) -> Vec<ReminderState> {
    let mut set: Vec<ReminderState> = Vec::new();
    for now in totals
        .records
        .iter()
        .filter_map(|record| record.reminder.as_ref())
    {
        set.retain(|one| one.id != now.id);
        set.push(now.clone());
    }
    set.retain(|one| one.at.is_some());
    set
}

/// How often a reminder comes is named, or until when, and none does.
fn comes_otherwise(named: &NamedTimes, set: &[ReminderState]) -> bool {
    let recurring = || set.iter().filter(|one| one.rule.is_some());
    let ends: Vec<(Timestamp, Zone)> = recurring()
        .flat_map(|one| one.ends.iter().map(|end| (*end, one.zone)))
        .collect();
    let spans =
        recurring().filter_map(|one| Some((one.at?, one.ends.iter().max().copied()?, one.zone)));
    let set = set.iter();
    // One that comes a last time does not come again.
    let is_last = |one: &ReminderState| {
        one.ends
            .iter()
            .max()
            .is_some_and(|end| Some(*end) == one.at)
    };
    let with_rules = set.filter_map(|one| {
        let rule = one.rule.as_deref().filter(|_| !is_last(one));
        Some((rule, one.at?, one.zone))
    });
    named.has_other_repetition(with_rules)
        || recurring().next().is_some()
            && (named.has_other_end(&ends) || named.has_other_length(spans))
}

/// A clause names how often something comes with an hour at which none does.
fn has_other_hour_of_rule(named: &NamedTimes, known: &NamedTimes) -> bool {
    named.names_repetition() && named.has_other_hour(known)
}

/// A time that nothing bears out is named, and that of a reminder is not.
fn differs(named: &NamedTimes, set: &[ReminderState], known: &NamedTimes) -> bool {
    let is_untold = |lacks: &dyn Fn(&ReminderState) -> bool| set.iter().any(lacks);
    let lacks_hour = |one: &ReminderState| {
        let comes_often = one.rule.as_ref().is_some_and(|rule| {
            let rule = rule.to_uppercase();
            SEVERAL_HOURS.iter().any(|part| rule.contains(part))
        });
        !comes_often && one.at.is_some_and(|at| named.lacks_hour(at, one.zone))
    };
    let lacks_day = |one: &ReminderState| {
        one.rule.is_none() && one.at.is_some_and(|at| named.lacks_day(at, one.zone))
    };
    comes_otherwise(named, set)
        || named.has_other_hour(known) && is_untold(&lacks_hour)
        || named.has_other_day(known) && is_untold(&lacks_day)
}

/// The note to the model.
fn what_is_set(set: &[ReminderState]) -> String {
    if set.is_empty() {
        return TAKEN_BACK.to_owned();
    }
    let all: Vec<Value> = set
        .iter()
        .map(|one| {
            let at = one.at.map(|at| local_time(at, one.zone));
            json!({"id": one.id, "text": one.text, "at": at, "repeat": one.rule})
        })
        .collect();
    format!(
        "[Your answer names another day or hour than what is set: {}. If the person meant another \
         time, call change_reminder with its id now. If not, write your answer again with the day \
         and hour that are set, and without a word about this.]",
        Value::Array(all)
    )
}
