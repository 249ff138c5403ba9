//! Answers that tell something else than their calls did: other numbers (`told_numbers`), dates and
//! things (`told_things`), or a second change for which nothing was called. The model is asked once
//! more as in `possible_requests`; what it still tells is followed by what was done. Times of
//! reminders are compared in `reminder_times`.

use super::claim_words::NOT_DONE;
use super::reminder_times::set_reminders;
use super::statements::{clauses, words};
use super::text_claims::{claimed, is_done, promises};
use super::untold_changes::{last_changes, told_as_done};
use crate::assistant::prompt::Prompt;
use crate::assistant::tools::Tool;
use crate::assistant::wording::{self, NamedTimes, NextReminder};
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};
use crate::ingest::replies::reminder_json::short_id;
use crate::ingest::replies::result::{CallRecord, ReminderState};
use crate::ingest::replies::taken_back::is_taken_back;
use crate::store::Reminder;

/// The note to a model whose answer tells more than its calls did.
pub(super) const CALL_OR_CORRECT: &str = "[Your answer tells something that no result of your calls \
                                          says. If this message asked for it, call the tool for it \
                                          now; if not, give the answer again with what the results \
                                          say, without a word about this.]";
/// A longer answer tells more than what was done.
const CLAIM_CHARS_MAX: usize = 400;
/// Words for a list, by their ends: "Einkaufsliste".
const LISTS: [&str; 7] = [
    "list", "lists", "liste", "lista", "lijst", "listan", "lijstje",
];
/// Beginnings of words for reminders and reminding.
const REMINDERS: [&str; 10] = [
    "remind", "erinner", "record", "recuérd", "rappel", "ricord", "promemoria", "herinner",
    "lembr", "påminn",
];
/// Parts of words by which something was moved.
pub(super) const MOVED: [&str; 16] = [
    "moved", "rescheduled", "verschoben", "verlegt", "movido", "cambiado", "déplacé", "décalé",
    "spostat", "verplaatst", "verzet", "alterado", "flyttat", "перенес", "przesun", "変更し",
];
const BOTH: [&str; 9] = [
    "both", "beide", "beiden", "ambos", "deux", "entrambi", "entrambe", "båda", "ambas",
];

impl ModelTurn<'_> {
    /// The answer `text` tells more than what its calls changed.
    pub(in crate::ingest::replies) fn tells_more_than_done(
        &self,
        text: &str,
        totals: &CallTotals,
    ) -> bool {
        let is_own = |record: &&CallRecord| {
            let is_left = !is_taken_back(record, &totals.records);
            record.is_change && is_left && record.tool != Tool::AnswerPrivately.name()
        };
        let statements = claimed(text);
        totals.records.iter().any(|record| is_own(&record))
            && self.tells_shortly(text)
            // An answer about photos tells many numbers.
            && match self.context.photos.is_empty() {
                false => self.tells_other_kept(&statements, totals),
                true => {
                    self.tells_other_numbers(&statements, totals)
                        || self.tells_other_dates(&statements, totals)
                        || self.tells_other_things(&statements, totals)
                        || self.tells_second_change(text, &statements, totals)
                        || self.tells_time_of_none(text, totals)
                        || self.kept_beside_move(&statements, totals).is_some()
                }
            }
    }

    /// A longer answer tells more than what was done or found.
    pub(super) fn tells_shortly(&self, text: &str) -> bool {
        !self.pending.unprompted && text.chars().count() <= CLAIM_CHARS_MAX
    }

    /// The sentence of what was done.
    pub(in crate::ingest::replies) fn what_was_done(
        &self,
        answer: &str,
        totals: &CallTotals,
    ) -> Option<String> {
        let language = self.language_with(answer);
        if let Some(kept) = self.kept_beside_move(&claimed(answer), totals) {
            let set = set_reminders(totals);
            let kept = NextReminder {
                text: &kept.text,
                at: kept.send_at,
                zone: self.zone(),
                often: None,
            };
            let mut all = vec![kept];
            all.extend(set.iter().filter_map(ReminderState::time));
            return Some(wording::what_is_set(&all, language));
        }
        told_as_done(&last_changes(&totals.records), language)
    }

    /// Something was moved, as it is told, by setting it anew: the open reminder that stayed.
    fn kept_beside_move(&self, statements: &[&str], totals: &CallTotals) -> Option<&Reminder> {
        let is_told = statements.iter().any(|text| {
            let text = text.to_lowercase();
            MOVED.iter().any(|part| text.contains(part))
        });
        let records = &totals.records;
        let is_changed = |one: &Reminder| {
            let mut changed = records.iter().filter_map(|record| record.reminder.as_ref());
            changed.any(|changed| changed.id == short_id(&one.schedule_id))
        };
        let is_set_anew = |one: &Reminder| {
            records.iter().any(|record| {
                let text = record.reminder.as_ref().map(|set| set.text.to_lowercase());
                record.tool == Tool::SetReminder.name() && text == Some(one.text.to_lowercase())
            })
        };
        let mut open = self.context.dialog.open.iter().filter(|_| is_told);
        open.find(|one| is_set_anew(one) && !is_changed(one))
    }

    /// A reminder was cancelled and none set, and an hour is told that is of none.
    fn tells_time_of_none(&self, text: &str, totals: &CallTotals) -> bool {
        let is_cancelled = |record: &CallRecord| {
            let reminder = record.reminder.as_ref();
            reminder.is_some_and(|reminder| reminder.at.is_none())
        };
        let mut known = self.times_of_open(&[]);
        for record in &totals.records {
            known.add(record.named_times.clone());
        }
        totals.records.iter().any(is_cancelled)
            && set_reminders(totals).is_empty()
            && self.times_told(text).has_other_hour(&known)
    }

    /// "5 April" for "4 May".
    fn tells_other_dates(&self, statements: &[&str], totals: &CallTotals) -> bool {
        if self.asks_question() {
            return false;
        }
        let mut claimed = NamedTimes::default();
        for statement in statements {
            claimed.add(self.times_in(statement));
        }
        let mut known = self.times_in(&self.context.message.text);
        for record in &totals.records {
            known.add(self.times_in(&record.words));
        }
        if !claimed.has_other_date(&known) {
            return false;
        }
        let prompt = self.prompt(&[], 0, &self.plan.tools);
        for text in texts_of(&prompt) {
            known.add(self.times_in(text));
        }
        claimed.has_other_date(&known)
    }

    /// A thing on a list, a reminder, or a second one.
    fn tells_second_change(&self, text: &str, statements: &[&str], totals: &CallTotals) -> bool {
        let records = &totals.records;
        let may_be_done = |record: &CallRecord| record.may_change_there || !record.is_change;
        if records.iter().any(may_be_done) {
            return false;
        }
        let clauses = statements
            .iter()
            .flat_map(|one| clauses(&one.to_lowercase()));
        let mut clauses =
            clauses.filter(|clause| !words(clause).any(|word| NOT_DONE.contains(&word)));
        let is_list = |word: &str| LISTS.iter().any(|list| word.ends_with(list));
        let has_list = records.iter().any(|record| {
            let all = format!("{} {}", record.tool, record.words).to_lowercase();
            LISTS.iter().any(|list| all.contains(list))
        });
        let set = records
            .iter()
            .filter(|record| record.reminder.is_some())
            .count();
        let comes = set > 0 || records.iter().any(sends_on_its_own);
        let is_reminder = |word: &str| REMINDERS.iter().any(|begin| word.starts_with(begin));
        clauses.any(|clause| {
            let has = |is: &dyn Fn(&str) -> bool| words(&clause).any(is);
            let has_reminder = has(&is_reminder);
            let is_twice = clause.contains("deux fois");
            let tells_both = has_reminder && !is_twice && has(&|word| BOTH.contains(&word));
            let is_untold_open = self.context.dialog.open.is_empty();
            !has_list && has(&is_list) && !has_reminder && is_done(&clause)
                || tells_both && set == 1 && is_untold_open
                || has_reminder && !comes && promises(&clause) && !self.tells_of_open(text)
        })
    }
}

/// All that a prompt tells the model.
pub(super) fn texts_of(prompt: &Prompt) -> impl Iterator<Item = &str> {
    let messages = prompt.messages.iter().map(|message| message.text.as_str());
    [prompt.system.as_str(), prompt.time.as_str()]
        .into_iter()
        .chain(messages)
}

/// A call of a superpower that sends messages.
fn sends_on_its_own(record: &CallRecord) -> bool {
    let mut all = Tool::all();
    let tool = all.find(|tool| tool.name() == record.tool);
    matches!(tool, Some(Tool::Power(power)) if power.has_alarms()) || tool == Some(Tool::Notices)
}
