//! Things that an answer names against those of its calls: another item of a list than was added,
//! another text of a reminder, another name.

use super::claim_words::SUBJECTS;
use super::statements::{clauses, word_parts};
use super::surplus_claims::MOVED;
use crate::assistant::memory_overlap;
use crate::assistant::powers::Power;
use crate::assistant::tools::Tool;
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};
use crate::ingest::replies::reminder_json::short_id;
use crate::ingest::replies::requested_changes::RequestedChange;
use crate::ingest::replies::result::CallRecord;
use crate::store::Reminder;

const TODO_LIST: &str = Tool::Power(Power::TodoList).name();

/// The message and the answer to it.
#[derive(Clone, Copy)]
struct MessageAndAnswer<'t> {
    message: &'t str,
    /// The statements of the answer.
    answer: &'t str,
}

impl ModelTurn<'_> {
    pub(super) fn tells_other_things(&self, statements: &[&str], totals: &CallTotals) -> bool {
        let (message, answer) = (&self.context.message.text, statements.join("\n"));
        let pair = MessageAndAnswer {
            message,
            answer: &answer,
        };
        pair.has_other_item(&totals.records)
            || pair.has_other_words(&self.plan.requested_changes, &totals.records)
            || self.tells_change_of_other(pair, statements, &totals.records)
    }

    /// Of the reminders that were changed neither the message nor the answer has a word, and both name
    /// another one in full, the answer with an hour of those.
    fn tells_change_of_other(
        &self,
        pair: MessageAndAnswer,
        statements: &[&str],
        records: &[CallRecord],
    ) -> bool {
        let open = &self.context.dialog.open;
        let is_changed = |one: &Reminder, record: &CallRecord| {
            let reminder = record.reminder.as_ref();
            reminder.is_some_and(|now| now.id == short_id(&one.schedule_id))
        };
        let is_named =
            |text: &str| memory_overlap(text, pair.message) + memory_overlap(text, pair.answer) > 0;
        let is_unnamed = |record: &CallRecord| {
            let mut before = open.iter().filter(|one| is_changed(one, record));
            let now = record.reminder.as_ref();
            record.tool == Tool::ChangeReminder.name()
                && !now.is_some_and(|now| is_named(&now.text))
                && !before.any(|one| is_named(&one.text))
        };
        let changes = records.iter().filter(|record| record.is_change);
        let changes: Vec<&CallRecord> = changes.collect();
        if changes.is_empty() || !changes.iter().all(|record| is_unnamed(record)) {
            return false;
        }
        let statements = statements.iter();
        let told: Vec<String> = statements
            .flat_map(|one| clauses(&one.to_lowercase()))
            .collect();
        let is_moved = |text: &str, clause: &str| {
            let times = self.times_in(clause);
            let mut changes = changes.iter();
            is_moved_in(text, clause) && changes.any(|one| times.shares_hour(&one.named_times))
        };
        let is_told = |text: &str| {
            let words = memory_overlap(text, text);
            let is_whole = |said: &str| words > 0 && memory_overlap(said, text) == words;
            is_whole(pair.message)
                && is_whole(pair.answer)
                && told.iter().any(|clause| is_moved(text, clause))
        };
        let is_untouched = |one: &&Reminder| !records.iter().any(|record| is_changed(one, record));
        let mut others = open.iter().filter(is_untouched);
        others.any(|one| is_told(&one.text))
    }
}

impl MessageAndAnswer<'_> {
    /// A thing of the message that no call has stands in the answer like one that is on a list: in a
    /// row after things that are ("milk, eggs and bread"), or where a call has a thing that nobody
    /// named.
    fn has_other_item(self, records: &[CallRecord]) -> bool {
        let is_of_list = |record: &&CallRecord| record.is_change && record.tool == TODO_LIST;
        let changes = records.iter().filter(is_of_list);
        let items: Vec<&String> = changes
            .flat_map(|record| record.effects.made.iter().chain(&record.effects.removed))
            .collect();
        let called: Vec<&str> = records.iter().map(|record| record.words.as_str()).collect();
        let called = called.join("\n");
        let answer = clauses(&self.answer.to_lowercase());
        // "The eggs", "some eggs", "zwei Eier": the first word is none of them.
        let names_item = |clause: &str| items.iter().any(|item| memory_overlap(item, clause) > 0);
        // "Tomatos"
        let is_written_otherwise = |word: &str| {
            items
                .iter()
                .any(|item| item.split_whitespace().any(|one| is_alike(one, word)))
        };
        let is_claimed = |word: &str| {
            memory_overlap(&called, word) == 0
                && !is_written_otherwise(word)
                && answer.iter().any(|clause| {
                    first_word(clause).is_some_and(|one| one == word) && !names_item(clause)
                })
        };
        let asked = clauses(&self.message.to_lowercase());
        let is_in_row = |pair: &[String]| {
            let is_item = items.iter().any(|item| memory_overlap(item, &pair[0]) > 0);
            // "Du pain", "some bread"
            is_item && words_of(&pair[1]).take(2).any(is_claimed)
        };
        let is_named = |words: &str| {
            memory_overlap(self.message, words) + memory_overlap(self.answer, words) > 0
        };
        let is_another_named = || {
            let mut named = answer.iter().filter_map(|clause| first_word(clause));
            named.any(|word| memory_overlap(self.message, word) > 0 && is_claimed(word))
        };
        asked.windows(2).any(is_in_row)
            || items.iter().any(|item| !is_named(item)) && is_another_named()
    }

    /// A word of the request is told that no call has, and a call has one that nobody named.
    fn has_other_words(self, requested: &[RequestedChange], records: &[CallRecord]) -> bool {
        let mut wanted = requested.iter().map(|one| one.words.as_str());
        let changes = records.iter().filter(|record| record.is_change);
        // A zone is told in other words than its city: "LA".
        let changes = changes.filter(|record| !record.changes_zone());
        let called: Vec<&str> = changes
            .filter_map(|record| match &record.reminder {
                Some(one) => Some(one.text.as_str()),
                None => record.statement.as_deref(),
            })
            .collect();
        let called = called.join("\n");
        let is_told = |word: &str| {
            memory_overlap(self.answer, word) > 0 && memory_overlap(&called, word) == 0
        };
        let is_of_nobody = |word: &str| {
            let named = memory_overlap(self.message, word) + memory_overlap(self.answer, word);
            memory_overlap(word, word) > 0 && named == 0
        };
        !called.is_empty()
            && wanted.any(|words| words.split_whitespace().any(is_told))
            && called.split_whitespace().any(is_of_nobody)
    }
}

/// Whether two words begin alike and are about as long: "tomatos".
fn is_alike(one: &str, other: &str) -> bool {
    /// Enough of a word to know it by.
    const CHARS: usize = 4;
    const CHARS_APART_MAX: usize = 2;
    let is_as_long = one.chars().count().abs_diff(other.chars().count()) <= CHARS_APART_MAX;
    is_as_long && one.chars().take(CHARS).eq(other.chars().take(CHARS))
}

/// Whether a clause begins with a word of the text, or has it right after "moved": "the cleaning is
/// at noon".
fn is_moved_in(text: &str, clause: &str) -> bool {
    let words: Vec<&str> = word_parts(clause).filter(|one| !one.is_empty()).collect();
    let named = words.iter().position(|word| memory_overlap(text, word) > 0);
    named.is_some_and(|at| {
        let mut before = words[..at].iter().rev();
        let before = before.find(|word| !SUBJECTS.contains(word));
        before.is_none_or(|before| MOVED.iter().any(|part| before.contains(part)))
    })
}

/// The words that mean something.
fn words_of(clause: &str) -> impl Iterator<Item = &str> {
    let words = clause.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().all(char::is_alphabetic) && memory_overlap(word, word) > 0)
}

fn first_word(clause: &str) -> Option<&str> {
    words_of(clause).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_none_that_only_joins() {
        assert_eq!(first_word("the bread is on "), Some("bread"));
        assert_eq!(first_word("3 eggs "), Some("eggs"));
        assert_eq!(first_word(" - "), None);
    }

    #[test]
    fn a_word_written_otherwise_is_no_longer_word() {
        assert!(is_alike("tomatoes", "tomatos") && is_alike("eier", "eiern"));
        for (one, other) in [
            ("butter", "buttermilk"),
            ("apfel", "apfelsaft"),
            ("tea", "tart"),
        ] {
            assert!(!is_alike(one, other), "{one}, {other}");
        }
    }

    #[test]
    fn what_is_moved_stands_first_or_after_the_verb() {
        for clause in [
            "cleaning moved to noon", "the cleaning is now at noon",
            "i've moved the cleaning to noon",
        ] {
            assert!(is_moved_in("clean", clause), "{clause}");
        }
        for clause in [
            "moved to after cleaning", "after cleaning it is", "moved it to cleaning time",
        ] {
            assert!(!is_moved_in("clean", clause), "{clause}");
        }
    }
}
