//! Changes that an answer doesn't tell: a reminder of which it neither names the hour nor says that
//! it is set, and what was taken away. A sentence of them follows it, as the person can't know of
//! them otherwise.

use super::claim_words::{NO_PROMISES, NOT_DONE};
use super::reminder_times::SEVERAL_HOURS;
use super::statements::{
    clauses, denies, is_mere_apology, is_question, plain, sentences, statements, words,
};
use super::text_claims::{begins_question, claimed, claims_done, is_request};
use crate::assistant::memory_overlap;
use crate::assistant::powers::minute_of_day;
use crate::assistant::tools::Tool;
use crate::assistant::wording::{self, NamedTimes, NextReminder};
use crate::clock::{Timestamp, Zone};
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};
use crate::ingest::replies::reminder_json::short_id;
use crate::ingest::replies::request::CertainRequest;
use crate::ingest::replies::result::{CallRecord, ReminderState};
use crate::ingest::replies::taken_back::is_taken_back;

const MINUTE_MS: i64 = 60_000;
const HOUR_MINUTES: i64 = 60;
const HALF_DAY_HOURS: i64 = 12;

impl ModelTurn<'_> {
    /// The sentence of what was changed and the reply does not tell; `answer`: all of it.
    pub(super) fn what_is_left_out(&self, answer: &str, totals: &CallTotals) -> Option<String> {
        let mut changes = last_changes(&totals.records);
        changes.retain(|record| !self.tells(answer, record));
        let language = self.language_with(answer);
        let set: Option<Vec<_>> = changes.iter().copied().map(of_set).collect();
        match set {
            _ if changes.is_empty() => None,
            Some(set) => Some(wording::what_is_set(&set, language)),
            None => told_as_done(&changes, language),
        }
    }

    fn tells(&self, answer: &str, record: &CallRecord) -> bool {
        let is_denied = self.asks_for_change() && denies(answer, &self.context.message.text);
        match &record.reminder {
            _ if is_denied && record.tool != Tool::AnswerPrivately.name() => false,
            Some(one) if one.at.is_some() => self.tells_reminder(answer, record, one),
            Some(one) => {
                self.names_lost(answer, &one.text, false) || self.tells_hour_of(answer, &one.id)
            }
            // Nothing is lost where the city of a zone is named, or what "undo" took back.
            None if [Tool::SetProfile.name(), Tool::Undo.name()].contains(&&*record.tool) => {
                let mut named = record.effects.lost.iter();
                named.all(|text| {
                    memory_overlap(text, answer) > 0
                        || self.names_lost(answer, text, false)
                        || is_abbreviated(text, &self.context.message.text)
                })
            }
            None => {
                let lost = &record.effects.lost;
                let mut lost = lost.iter().map(|text| (text, lost.len() > 1));
                lost.all(|(text, is_several)| self.names_lost(answer, text, is_several))
            }
        }
    }

    /// Its hour is named, in words or figures, or how long it is until then.
    fn tells_reminder(&self, answer: &str, record: &CallRecord, one: &ReminderState) -> bool {
        let is_often = one.rule.as_ref().is_some_and(|rule| {
            let rule = rule.to_uppercase();
            SEVERAL_HOURS.iter().any(|part| rule.contains(part))
        });
        let is_renamed = record.tool == Tool::ChangeReminder.name()
            && !record.sets_hour
            && !self.times_in(&self.context.message.text).names_hour()
            && memory_overlap(&one.text, answer) > 0;
        let said_at = self.context.message.received_at;
        let asked = self.times_in(&self.context.message.text);
        let lacks_end = asked.names_end() && one.rule.is_some() && one.ends.is_empty();
        if lacks_end || self.tells_half_day(answer, one) {
            return false;
        }
        acknowledges(answer, &one.text)
            || is_often
            || is_renamed
            || self.times_told(answer).shares_hour(&record.named_times)
            || self
                .times_in(&before_tags(answer))
                .shares_hour(&record.named_times)
            || statements(answer).any(tells_hour_in_words)
            || one.at.is_some_and(|at| {
                let hour = i64::from(minute_of_day(at, one.zone)) / HOUR_MINUTES;
                tells_figures(answer, hour, at, said_at)
            })
    }

    /// "At 10" for 22:00, where the message named no half of the day either.
    fn tells_half_day(&self, answer: &str, one: &ReminderState) -> bool {
        let asked = self.times_in(&self.context.message.text);
        let told = self.times_told(answer);
        let is_half = |named: &NamedTimes, at: Timestamp| named.tells_hour_loosely(at, one.zone);
        one.at
            .is_some_and(|at| is_half(&told, at) && is_half(&asked, at))
    }

    /// That times are in UTC, where the zone is not known, a reminder was set to an hour, and the
    /// reply does not say it.
    pub(super) fn untold_zone(&self, text: &str, totals: &CallTotals) -> Option<&'static str> {
        const ZONES: [&str; 11] = [
            "utc", "gmt", "zone", "zona", "fuseau", "fuso", "tidszon", "пояс", "stref",
            "タイムゾーン", "saat dilimi",
        ];
        let before = self.context.sent.iter().chain(&totals.parts);
        let mut told = before
            .map(String::as_str)
            .chain([text])
            .map(str::to_lowercase);
        let is_at_hour = |record: &&CallRecord| {
            let reminder = record.reminder.as_ref();
            record.sets_hour
                && reminder.is_some_and(|one| one.at.is_some() && one.zone == Zone::UTC)
        };
        let is_due = self.context.user.timezone.is_none()
            && !self.context.group
            && !told.any(|text| ZONES.iter().any(|zone| text.contains(zone)))
            && last_changes(&totals.records).iter().any(is_at_hour);
        is_due.then(|| wording::times_in_utc(self.language_with(text)))
    }

    /// It names the hour at which a reminder was to come.
    fn tells_hour_of(&self, answer: &str, id: &str) -> bool {
        let zone = self.zone();
        let told = self.times_told(answer);
        let mut open = self.context.dialog.open.iter();
        let one = open.find(|one| short_id(&one.schedule_id) == id);
        told.names_hour()
            && claims_done(answer)
            && one.is_some_and(|one| !told.lacks_hour(one.send_at, zone))
    }

    fn asks_for_change(&self) -> bool {
        matches!(self.plan.request, Some(CertainRequest::Change { .. }))
            || is_request(&self.context.message.text)
    }

    /// The answer to a request names what was taken away, or the request did; another answer says
    /// that it was done, too. `is_several`: other things were taken away with it.
    fn names_lost(&self, answer: &str, text: &str, is_several: bool) -> bool {
        let message = &self.context.message.text;
        let is_asked_for = self.asks_for_change();
        let words = text.split_whitespace().count();
        // One of several shares words with the others.
        let least = if is_several { words.div_ceil(2) } else { 1 };
        let names = |said: &str| {
            let lower = said.to_lowercase();
            lower.contains(&text.to_lowercase()) || memory_overlap(text, said) >= least
        };
        names(answer) && (is_asked_for || claims_done(answer)) || is_asked_for && names(message)
    }
}

/// "Done.", "OK!", "I've set it.": it tells no hour, and nothing else either. "Cancelled: call mum."
/// tells something else.
fn acknowledges(answer: &str, text: &str) -> bool {
    const WORDS_MAX: usize = 4;
    /// "No problem", "keine Sorge".
    const WORRIES: [&str; 5] = ["probl", "worr", "souci", "sorge", "preoc"];
    let is_short = answer.split_whitespace().count() <= WORDS_MAX;
    let all = plain(answer);
    let is_denied = |clause: &str| {
        words(clause).any(|word| NOT_DONE.contains(&word))
            && !WORRIES.iter().any(|part| clause.contains(part))
    };
    let is_claim = match is_short {
        true => {
            let is_denied = clauses(&all).iter().any(|clause| is_denied(clause));
            memory_overlap(text, answer) == 0 && !is_denied && !is_mere_apology(answer)
        }
        false => {
            let mut clauses = claimed(&all).into_iter().flat_map(clauses);
            clauses.any(|clause| claims_done(&clause) && !is_denied(&clause))
        }
    };
    is_claim && !is_question(answer)
}

/// "LA" for a city.
fn is_abbreviated(city: &str, text: &str) -> bool {
    let initials: String = city
        .split_whitespace()
        .filter_map(|word| word.chars().next())
        .collect();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    initials.len() > 1 && words.any(|word| word == initials)
}

/// What stands before "okay?" and the like: "Tomorrow at 18:00, okay?"
fn before_tags(answer: &str) -> String {
    let questions = sentences(answer).into_iter().filter(|one| one.is_question);
    let told = questions.filter_map(|one| {
        let parts = clauses(&plain(one.text));
        let (_, told) = parts.split_last()?;
        let asks = |part: &String| {
            begins_question(part) || words(part).any(|word| NO_PROMISES.contains(&word))
        };
        (!told.iter().any(asks)).then(|| told.join(", "))
    });
    told.collect::<Vec<String>>().join("\n")
}

/// Also "half an hour", as hours in words are not all read.
fn tells_hour_in_words(statement: &str) -> bool {
    wording::tells_number_in_words(statement) || wording::has_part_of_hour(statement)
}

/// Figures of the statements are the hour, or the minutes or hours until then.
fn tells_figures(answer: &str, hour: i64, at: Timestamp, said_at: Timestamp) -> bool {
    let minutes = (at.0 - said_at.0 + MINUTE_MS / 2) / MINUTE_MS;
    let until = [minutes, (minutes + HOUR_MINUTES / 2) / HOUR_MINUTES];
    statements(answer).any(|statement| {
        let mut figures = statement.split(|c: char| !c.is_ascii_digit());
        figures.any(|figures| {
            figures.parse::<i64>().is_ok_and(|number| {
                // "halb 7" is half past six.
                let is_hour = [hour, hour + 1]
                    .iter()
                    .any(|one| one % HALF_DAY_HOURS == number);
                number == hour || is_hour || until.contains(&number)
            })
        })
    })
}

/// The calls whose changes are left after all of them, of a reminder and of the zone the last one.
pub(super) fn last_changes(records: &[CallRecord]) -> Vec<&CallRecord> {
    let is_last = |at: usize, record: &CallRecord| {
        let reminder = record.reminder.as_ref();
        let is_same = |later: &CallRecord| {
            let is_zone_again = record.changes_zone() && later.changes_zone();
            let later = later.reminder.as_ref();
            is_zone_again
                || later.is_some_and(|later| reminder.is_some_and(|one| one.id == later.id))
        };
        record.is_change && !records[at + 1..].iter().any(is_same)
    };
    let all = records.iter().enumerate();
    all.filter(|(at, record)| is_last(*at, record) && !is_taken_back(record, records))
        .map(|(_, record)| record)
        .collect()
}

/// The sentence of what these calls did.
pub(super) fn told_as_done(changes: &[&CallRecord], language: Option<&str>) -> Option<String> {
    let in_words = |record: &CallRecord| -> Vec<String> {
        match &record.reminder {
            Some(one) => vec![match one.time() {
                Some(time) => wording::reminder_at(&time, language),
                None => wording::reminder_cancelled(&one.text, language),
            }],
            None if record.tool == Tool::Forget.name() => {
                let lost = record.effects.lost.iter();
                lost.map(|text| wording::memory_forgotten(text, language))
                    .collect()
            }
            None => record.statement.iter().cloned().collect(),
        }
    };
    let all: Vec<String> = changes.iter().flat_map(|record| in_words(record)).collect();
    (!all.is_empty()).then(|| wording::what_was_done(&all, language))
}

/// A reminder that was set or changed.
fn of_set(record: &CallRecord) -> Option<NextReminder<'_>> {
    record.reminder.as_ref()?.time()
}
