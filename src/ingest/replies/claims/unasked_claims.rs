//! Replies that claim a change for which nothing was called, where the builtin assistant does not
//! understand the message: in other languages, and in words that it doesn't know. A claim is a
//! promise to remind, or, after a request by its words, an answer that says at its beginning that
//! something was done. By words (`claim_words`), as no tool tells.

use super::claim_words::{CORRECTING, NO, REMIND};
use super::statements::{QUESTION_MARKS, ends_with_question, plain, sentences, word_parts};
use super::text_claims::{
    asks_to_remind, begins_question, is_of_words, is_plain_question, is_request, promises,
    says_done,
};
use crate::assistant::memory_overlap;
use crate::assistant::wording::NamedTimes;
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};

impl ModelTurn<'_> {
    /// The reply says that something was set or changed, and nothing was.
    pub(in crate::ingest::replies) fn claims_unasked(
        &self,
        text: &str,
        totals: &CallTotals,
    ) -> bool {
        let may_act = !self.plan.tools.is_empty() || self.plan.lacks_tools;
        // A promise is one also where thanks were answered without tools.
        let is_in_question = may_act || promises(text);
        if !is_in_question || self.pending.unprompted || self.may_be_done(totals) {
            return false;
        }
        let message = &self.context.message.text;
        if self.is_of_words() || self.plan.is_done_before || self.tells_of_asked(text, totals) {
            return false;
        }
        let is_asked = is_request(message) || self.answers_question();
        self.promises_more(text)
            || is_asked && says_done(text)
            || self.claims_noted(text)
            || (!ends_with_question(text) || self.times_told(text).names_hour())
                && (self.asks_to_remind()
                    || self.answers_question() && self.may_confirm(text)
                    || self.corrects_last(text))
                && !self.tells_of_open(text)
    }

    /// Whether the reply promises a reminder that isn't among the open ones. The answer to a question
    /// about reminders promises something only with its time.
    fn promises_more(&self, text: &str) -> bool {
        let is_asking = is_plain_question(&self.context.message.text);
        let names_time = |text: &str| {
            let named = self.times_in(text);
            named.names_hour() || named.names_day()
        };
        !self.tells_of_open(text)
            && match is_asking {
                false => promises(text),
                true => sentences(text)
                    .iter()
                    .any(|sentence| promises(sentence.text) && names_time(sentence.text)),
            }
    }

    /// The message speaks of words, unless it begins by asking to be reminded and names when: "remind
    /// me at 9 to write the poem".
    fn is_of_words(&self) -> bool {
        let message = plain(self.context.message.text.trim());
        let begins = || REMIND.iter().any(|words| message.starts_with(words));
        is_of_words(&message) && !(begins() && self.asks_to_remind())
    }

    /// The message asks to be reminded, in any language, and names when.
    fn asks_to_remind(&self) -> bool {
        let message = &self.context.message.text;
        let named = self.times_in(message);
        asks_to_remind(message) && (named.names_hour() || named.names_day())
    }

    /// The message is a short answer to the assistant's question about a request.
    fn answers_question(&self) -> bool {
        let message = self.context.message.text.to_lowercase();
        let is_no = NO.contains(&message.trim_matches(|c: char| !c.is_alphanumeric()));
        let before = self.context.dialog.unanswered.as_ref();
        is_short(&message)
            && !is_no
            && !begins_question(&message)
            && !message.contains(QUESTION_MARKS)
            && before.is_some_and(|(before, _)| is_request(before) || asks_to_remind(before))
    }

    /// It is short, or names a time.
    fn may_confirm(&self, text: &str) -> bool {
        let told = self.times_told(text);
        is_short(text) || told.names_hour() || told.names_day()
    }

    /// The short message corrects what was set last, and the reply tells a time.
    fn corrects_last(&self, text: &str) -> bool {
        let message = &self.context.message.text;
        let (asked, told) = (self.times_in(message), self.times_told(text));
        let zone = self.zone();
        let now = self.context.message.received_at;
        let lower = message.to_lowercase();
        let first = word_parts(&lower).next();
        let is_negated =
            first.is_some_and(|first| NO.contains(&first) || matches!(first, "not" | "nicht"));
        let is_correction = is_negated
            || CORRECTING.iter().any(|words| lower.contains(words))
            || is_time_alone(&lower);
        let names_time = |named: &NamedTimes| named.names_hour() || named.names_day();
        let is_repeated =
            told.shares_time(&asked, now, zone) || asked.shares_time(&told, now, zone);
        self.context.dialog.has_latest
            && !self.context.dialog.open.is_empty()
            && is_short(message)
            && is_correction
            && !message.contains(QUESTION_MARKS)
            && names_time(&told)
            && (is_repeated || is_negated && names_time(&asked))
    }

    /// It may tell of a reminder that is open: it names the time of one, or none, and the message asks
    /// for none.
    pub(super) fn tells_of_open(&self, text: &str) -> bool {
        if self.context.dialog.open.is_empty() {
            return false;
        }
        let named = self.times_told(text);
        if named.names_hour() || named.names_day() {
            return self.is_of_open(&named);
        }
        let message = &self.context.message.text;
        let asked = self.times_in(message);
        let is_of_another = (asked.names_hour() || asked.names_day()) && !self.is_of_open(&asked);
        self.plan.request.is_none()
            && !is_of_another
            && (message.contains('?') || !is_request(message) && !asks_to_remind(message))
    }

    /// All times are those of open reminders.
    fn is_of_open(&self, named: &NamedTimes) -> bool {
        let open = &self.context.dialog.open;
        let mut known = self.times_of_open(&[]);
        open.iter()
            .for_each(|one| known.add(self.times_in(&one.text)));
        let comes_again = open.iter().any(|one| one.recurrence.is_some());
        !named.has_other_hour(&known) && (comes_again || !named.has_other_day(&known))
    }

    /// After a look-up, or asked about it, it tells the time of an open reminder of just what the
    /// message asks for.
    pub(super) fn tells_of_asked(&self, text: &str, totals: &CallTotals) -> bool {
        let message = &self.context.message.text;
        if totals.records.is_empty() && !message.contains(QUESTION_MARKS) {
            return false;
        }
        let zone = self.zone();
        let (told, asked) = (self.times_told(text), self.times_in(message));
        let mut open = self.context.dialog.open.iter();
        told.names_hour()
            && self.is_of_open(&told)
            && open.any(|one| {
                let at = one.send_at;
                memory_overlap(&one.text, message) > 0
                    && !told.lacks_hour(at, zone)
                    && !asked.lacks_hour(at, zone)
                    && !asked.lacks_day(at, zone)
            })
    }
}

/// Words of a short answer or correction.
const SHORT_WORDS: usize = 5;
/// A longer word is a sentence without spaces.
const UNSPACED_CHARS: usize = 8;

fn is_short(message: &str) -> bool {
    message.split_whitespace().count() <= SHORT_WORDS
}

/// Whether a message has few words, and the first is before a time or of one: "um 19 Uhr".
fn is_time_alone(message: &str) -> bool {
    const WORDS_MAX: usize = 3;
    const BEFORE_TIMES: [&str; 17] = [
        "at", "on", "um", "am", "auf", "gegen", "a", "para", "à", "alle", "om", "às", "kl", "в",
        "na", "o", "saat",
    ];
    let words: Vec<&str> = message.split_whitespace().collect();
    let first = words.first().copied().unwrap_or_default();
    let has_figure = first.starts_with(|c: char| c.is_ascii_digit());
    let is_unspaced = words.len() == 1 && message.chars().count() > UNSPACED_CHARS;
    words.len() <= WORDS_MAX && !is_unspaced && (has_figure || BEFORE_TIMES.contains(&first))
}
