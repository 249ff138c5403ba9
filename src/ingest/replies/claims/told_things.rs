//! Things that an answer names against those of its calls: another item of a list than was added,
//! another text of a reminder, another name.

use super::statements::clauses;
use crate::assistant::memory_overlap;
use crate::assistant::powers::Power;
use crate::assistant::tools::Tool;
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};
use crate::ingest::replies::requested_changes::RequestedChange;
use crate::ingest::replies::result::CallRecord;

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
            let begin = beginning(word);
            items
                .iter()
                .any(|item| item.split_whitespace().any(|one| beginning(one) == begin))
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

/// Enough of a word to know it by.
fn beginning(word: &str) -> &str {
    const CHARS: usize = 4;
    let end = word.char_indices().nth(CHARS);
    &word[..end.map_or(word.len(), |(at, _)| at)]
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
}
