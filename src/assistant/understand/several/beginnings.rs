//! Where a request may begin that follows another one in the same sentence.

use super::is_link;
use super::questions::begins_question;
use crate::assistant::text::corrections;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// How a request begins that follows another one after "and".
static BEGINNINGS: Phrases = Phrases::new(&[
    "remind me", "remind us", "can you remind me", "could you remind me", "please remind me",
    "wake me", "dont let me forget", "remember that", "remember my", "note that", "my name is",
    "call me", "i live in", "im in", "my time zone is", "my timezone is", "spent", "i spent",
    "ive spent", "add", "put", "track habit", "track a habit", "split", "plan a trip", "mood",
    "my mood is", "budget", "set", "forget", "whats on my", "show my", "show me my",
    "what is on my", "what do i have", "how much have i", "how much did i", "how much is left",
    "whats left", "who owes", "my reminders", "my list", "my habits", "list my", "show the list",
    "show reminders", "cancel my", "cancel the", "cancel all", "done with", "remove", "delete my",
    "delete the", "delete all", "list all", "list reminders", "show all", "tell me", "make it",
    "make that", "change it", "move it", "move my", "move the", "change my", "snooze", "skip",
    "what time", "what day", "whats the", "what is the", "whats", "what is", "how is", "hows",
    "how are", "who is", "whos", "when is", "whens", "where is", "wheres", "are you", "do i have",
    "will it",
]);

/// How somebody begins to tell of something else, after "and" or a comma.
static STATEMENTS: Phrases = Phrases::new(&[
    "i feel", "im feeling", "i am feeling", "feeling", "mood", "my mood is", "im out of",
    "i am out of", "were out of", "we are out of", "i ran out of", "we ran out of", "i have a",
    "i have an", "ive got a", "ive got an", "trip to", "im going to", "i am going to",
    "were going to", "keep this", "track habit", "track a habit", "i bought", "bought", "i paid",
    "paid", "i lent", "i owe", "i need", "we need", "i slept", "slept", "timer", "set a timer",
    "focus for", "stop my daily",
]);

/// Where a request may begin that follows another one.
pub(super) struct RequestStart {
    pub(super) at: usize,
    /// The beginning is set apart from the words before.
    pub(super) is_apart: bool,
}

pub(super) fn beginnings(words: &Words) -> impl Iterator<Item = RequestStart> {
    let is_own = |at: usize| {
        let before = words.get(at - 1);
        is_reminder(words, at) && !matches!(before, "to" | "will" | "that" | "which" | "you")
    };
    let all = (1..words.len()).map(move |at| RequestStart {
        at,
        is_apart: is_apart(words, at),
    });
    all.filter(move |beginning| {
        let is_question =
            || words.is_set_off(beginning.at - 1) && begins_question(words, beginning.at);
        (beginning.is_apart || is_own(beginning.at))
            && !adds_percent(words, beginning.at)
            && (names_number(words, beginning.at)
                || is_set_apart(words, beginning.at) && tells_another(words, beginning.at)
                || words
                    .after(after_courtesy(words, beginning.at), &BEGINNINGS)
                    .is_some()
                || beginning.is_apart && may_be_fact(words, beginning.at)
                || is_question())
    })
}

/// "kindly put washers on my list", "please add milk".
pub(super) fn after_courtesy(words: &Words, at: usize) -> usize {
    let next = words.skip(at, phrases!["kindly please", "please", "kindly"]);
    // "please remind me" is a beginning itself.
    if next < words.len() { next } else { at }
}

/// Whether a comma or "and" stands before it.
fn is_set_apart(words: &Words, at: usize) -> bool {
    at > 0 && (is_link(words, at - 1) || words.is_set_off(at - 1))
}

/// Whether something else is told from there on, in words that are no request.
fn tells_another(words: &Words, at: usize) -> bool {
    tells_entry(words, at)
        || begins_statement(words, at)
        || tells_plan(words, at)
        || ends_alarm(words, at)
}

/// "wake me at 6, i'm tired": what follows the time of an alarm or a timer is not what it is for.
pub(super) fn ends_alarm(words: &Words, at: usize) -> bool {
    const ALARM_WORDS_MAX: usize = 12;
    static ALARMS: Phrases = Phrases::new(&[
        "wake me up", "wake me", "set an alarm", "set alarm", "alarm", "set a timer", "set timer",
        "timer",
    ]);
    (1..=ALARM_WORDS_MAX).contains(&at)
        && words.is_set_off(at - 1)
        && words.after(0, &ALARMS).is_some()
        && when::trailing_time(words, 1..at).is_some()
        && when::read(words, at).is_none()
        && !words.get(at).starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn begins_statement(words: &Words, at: usize) -> bool {
    words.after(at, &STATEMENTS).is_some()
}

/// Something and its time: "call bo at 6", "dinner at luigi saturday at 8", unlike "no, at 6".
fn tells_plan(words: &Words, at: usize) -> bool {
    let end = (at + 1..words.len()).find(|n| is_set_apart(words, *n));
    let end = end.unwrap_or(words.len());
    // "day 2: teamlab at 10, then sushi at 1", "split 90 plus tip by 3"
    let has_label = || {
        let mut before = words.original(0..at).split_whitespace();
        before.any(|word| word.ends_with(':'))
    };
    words.get(at - 1) != "plus"
        && !words.get(at).starts_with(|c: char| c.is_ascii_digit())
        && when::read(words, corrections::skip_mark(words, at)).is_none()
        && when::trailing_time(words, at + 1..end).is_some()
        && !has_label()
}

/// "my passport expires on 3 march", "mom's birthday is 3 may": words of what a superpower keeps, which
/// are set apart from the words before.
fn tells_entry(words: &Words, at: usize) -> bool {
    const SUBJECT_WORDS_MAX: usize = 5;
    let ends = |n: usize| n > at && is_set_apart(words, n);
    let subject = (at..words.len()).take(SUBJECT_WORDS_MAX + 1);
    let mut subject = subject.take_while(|n| !ends(*n));
    // "and 5 on a parcel" tells of money.
    let has_verb = || {
        let verbs = (at + 1..words.len()).take(2 * SUBJECT_WORDS_MAX);
        let mut verbs = verbs.take_while(|n| !ends(*n));
        verbs.any(|n| matches!(words.get(n), "ends" | "arrives" | "comes"))
    };
    subject.any(|n| match words.get(n) {
        "birthday" | "bday" | "expires" | "renews" | "owes" => n > at,
        // One bill has several payments.
        "paid" => {
            n == at + 1
                && words.get(n + 1).starts_with(|c: char| c.is_ascii_digit())
                && (0..at).all(|n| words.get(n) != "paid")
        }
        "trial" | "parcel" | "package" => n > at && has_verb(),
        _ => false,
    })
}

/// "my locker is 88": what is remembered.
fn may_be_fact(words: &Words, at: usize) -> bool {
    const NOUN_WORDS_MAX: usize = 4;
    let mut verbs = at + 2..=at + 1 + NOUN_WORDS_MAX;
    words.get(at) == "my" && verbs.any(|verb| matches!(words.get(verb), "is" | "are"))
}

/// "add 10% tip": a part of a sum.
fn adds_percent(words: &Words, at: usize) -> bool {
    words.get(at) == "add" && (at + 1..=at + 2).any(|at| words.get(at).ends_with('%'))
}

/// "cancel 1": a request about the list that was shown.
fn names_number(words: &Words, at: usize) -> bool {
    let verbs = [
        "cancel", "move", "done", "delete", "snooze", "skip", "remove",
    ];
    let number = words.get(at + 1).trim_start_matches('#');
    verbs.contains(&words.get(at)) && number.parse::<u8>().is_ok()
}

fn is_reminder(words: &Words, at: usize) -> bool {
    words.after(at, phrases!["remind me"]).is_some()
}

/// Whether the words from `at` on are set apart from those before.
fn is_apart(words: &Words, at: usize) -> bool {
    // "I have an exam friday at 9 remind me the day before"
    let follows_time = || is_reminder(words, at) && when::trailing_time(words, 1..at).is_some();
    is_set_apart(words, at) || follows_time()
}
