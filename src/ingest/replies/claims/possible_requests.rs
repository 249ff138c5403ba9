//! Messages that may have asked for something in words that nobody foresaw, and answers to them
//! without a call. No list of words tells claims from talk, so the model is asked once more by a
//! note that accuses it of nothing; what is contradicted in the end is decided by `unasked_claims`.
//! Questions and plain talk are left alone.

use super::claim_words::{
    COPULAS, MAY_ASK, MAY_ASK_PARTS, NEEDS, STATEMENT_ENDS, SUBJECTS, TALK_BEGINNINGS, WRITING,
};
use super::statements::{QUESTION_MARKS, ends_with_question, plain, word_parts};
use super::text_claims::{
    begins_question, claims_something, ends_as_question, is_of_words, is_request, says_done,
};
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};

/// The note to a model that called no tool for what may be a request.
pub(super) const CALL_OR_REPEAT: &str = "[If this message asked for something to be done, call the \
                                         tool for it now; if not, give the answer again, without a \
                                         word about this.]";
/// Words of a short message or answer.
const SHORT_WORDS: usize = 12;
/// Characters of a word that is compared as a whole.
const SHORT_CHARS: usize = 3;
/// A longer message is more than a request.
const REQUEST_WORDS_MAX: usize = 40;

impl ModelTurn<'_> {
    /// The answer `text` came without a call to what may be a request.
    pub(super) fn lacks_possible_call(&self, text: &str, totals: &CallTotals) -> bool {
        let message = &self.context.message.text;
        let is_talk = ends_with_question(text) && !says_done(text);
        totals.records.is_empty()
            && self.plan.request.is_none()
            && !self.plan.is_done_before
            && !self.pending.unprompted
            && self.context.photos.len() <= self.plan.batch
            && !is_talk
            && may_ask(message)
            && (!is_statement(message) || claims_something(text))
            && (self.repeats_time(message, text) || sounds_done(message, text))
    }

    /// The message looks like a request, so an answer to it is not one to another message.
    pub(in crate::ingest::replies) fn has_request_shape(&self) -> bool {
        let message = &self.context.message.text;
        self.plan.request.is_some()
            || may_ask(message) && !begins_question(message) && has_word_of_request(message)
    }

    /// Another day than today, or an hour.
    fn repeats_time(&self, message: &str, text: &str) -> bool {
        let named = self.times_in(message);
        let zone = self.zone();
        let said_at = self.context.message.received_at;
        self.times_in(text).shares_time(&named, said_at, zone)
    }
}

/// It has no question mark, and is not of words.
fn may_ask(message: &str) -> bool {
    let words = message.split_whitespace().count();
    let lower = message.to_lowercase();
    words <= REQUEST_WORDS_MAX
        && !message.contains(QUESTION_MARKS)
        && !ends_as_question(message)
        && !is_of_words(message)
        && !WRITING.iter().any(|words| lower.starts_with(words))
}

/// Whether a message tells something: its subject comes first, or its verb ends so, and it says of
/// no need.
fn is_statement(message: &str) -> bool {
    let lower = plain(message.trim());
    let words = word_parts(&lower);
    let mut words = words.filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    // "Demain je pars"
    let is_second = second.is_some_and(|second| matches!(second, "i" | "ich" | "wir" | "je" | "j"));
    // "Rent is 900", and not "note: rent is 900"
    let mut verbs = second.into_iter().chain(words.next());
    let has_copula = verbs.any(|word| COPULAS.contains(&word)) && !is_request(message);
    let end = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    (SUBJECTS.contains(&first)
        || is_second
        || has_copula
        || STATEMENT_ENDS.iter().any(|one| end.ends_with(one)))
        && !NEEDS.iter().any(|need| lower.contains(need))
}

/// The answer repeats a number; or both are short, and the message has a word of a request or the
/// answer says that something was done.
fn sounds_done(message: &str, text: &str) -> bool {
    let is_short = |text: &str| text.split_whitespace().count() <= SHORT_WORDS;
    // "Done" after a reminder reports something.
    let is_said_done = !says_done(message) && claims_something(text);
    let is_answered =
        is_short(message) && is_short(text) && (has_word_of_request(message) || is_said_done);
    let lower = message.to_lowercase();
    let is_talk = TALK_BEGINNINGS.iter().any(|words| lower.starts_with(words));
    !is_talk && !begins_question(message) && (repeats_number(message, text) || is_answered)
}

/// Whether a message has a word with which something is often asked for.
fn has_word_of_request(message: &str) -> bool {
    let lower = message.to_lowercase();
    let mut words = word_parts(&lower);
    // A short one is a whole word: "hau", and not "Haus".
    let is_like = |word: &str, beginning: &&str| match beginning.chars().count() {
        ..=SHORT_CHARS => word == *beginning,
        _ => word.starts_with(beginning),
    };
    is_request(message)
        || words.any(|word| MAY_ASK.iter().any(|beginning| is_like(word, beginning)))
        || MAY_ASK_PARTS.iter().any(|part| lower.contains(part))
}

/// Whether an answer repeats an amount, a date or an hour in figures.
fn repeats_number(message: &str, text: &str) -> bool {
    let numbers = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | ':'));
        let plain = parts.map(|part| part.trim_matches(['.', ',', ':']).replace(',', "."));
        plain.filter(|part| !part.is_empty()).collect()
    };
    let message = numbers(message);
    numbers(text).iter().any(|number| message.contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_from_requests() {
        for text in [
            "my bus leaves at 7", "mein Zug fährt um 18 Uhr", "demain je pars à 7h", "rent is 900",
            "電車は6時に出ます", "otobüs 7'de kalkıyor", "das erinnert mich an früher",
        ] {
            assert!(is_statement(text), "{text}");
        }
        for text in [
            "run at 7", "ich brauche um 7 einen Weckruf", "I need a wake-up at 6",
            "sunday 10am run pls", "remind me: rent is due", "Sonntag um 10 Laufen bitte",
            "6時に起きたいです", "note it",
        ] {
            assert!(!is_statement(text), "{text}");
        }
    }

    #[test]
    fn requests_are_told_from_talk() {
        for (message, text) in [
            ("jot down that the boiler code is 4471", "Jotted down!"),
            ("wipe everything you know about me", "All wiped."),
            ("never mind the run", "the run reminder is gone"),
            ("no more daily summaries please", "daily summaries are off"),
            ("hau Butter auf die Einkaufsliste", "Butter steht drauf."),
            ("schmeiß die Erinnerung raus", "Ist raus."),
            ("mets du beurre sur la liste", "Le beurre est dessus."),
            ("svegliami", "Ti sveglio"),
            ("i am flying to Rome", "Trip to Rome saved"),
            ("朝6時に起こして", "起こします"),
            (
                "i paid 23 for the taxi",
                "I've put 23 for the taxi in your budget.",
            ),
            ("lunch 11,50", "Recorded 11.50 for lunch."),
        ] {
            let is_due = may_ask(message) && sounds_done(message, text);
            assert!(is_due, "{message}");
        }
        for (message, text) in [
            ("i am so tired today", "Sleep well!"),
            (
                "who set the 100m record",
                "Usain Bolt; it was set in Berlin in 2009.",
            ),
            ("how do i set an alarm on my iphone", "In the clock app."),
            ("wie ändert man den Namen im Pass", "Beim Amt."),
            ("comment annuler un vol", "Chez la compagnie."),
            ("tell me of Bath", "A town."),
            ("did you add milk?", "It is on the list."),
            (
                "translate: i will remind you at 9", "Ich erinnere dich um 9.",
            ),
            ("i passed my exam", "Well done!"),
        ] {
            let is_due = may_ask(message) && sounds_done(message, text);
            assert!(!is_due, "{message}");
        }
    }
}
